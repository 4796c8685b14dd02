"""`dedup` from sources to output: cluster, decide, write; drop what a run has, or only the passages of it."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from copysift.clusters.preference import choice
from copysift.engines import record_output as output
from copysift.engines.reading import Batches, records
from copysift.errors import InputError, UsageError
from copysift.match.repeated_passages import Copy, Repeats, audit
from copysift.model.values import TAKEN, Skipped
from copysift.runs.cluster_run import cluster
from copysift.runs.tables import open_corpus
from copysift.runs.texts import readable
from copysift.runs.workspace import Skips
from copysift.runtime.progress import Progress
from copysift.settings.corpus import CorpusSettings, from_stored
from copysift.settings.declaration import make
from copysift.sources.standard_input import kept_in
from copysift.store.lock import NAME as LOCK
from copysift.store.lock import WriterLock
from copysift.workflows.dedup import Decision, against, decide
from copysift.workflows.passages import Known, cut, joined_spans

EMPTY = "nothing left after cutting"
LEAST = 20  # words of a passage that came before in the corpus, where nothing else was asked for


@dataclass(slots=True)
class Deduped:
    """What was done, in numbers."""

    documents: int = 0
    kept: int = 0
    removed: int = 0
    reasons: dict[str, int] = field(default_factory=dict)
    skipped: tuple[tuple[str, str], ...] = ()
    skipped_total: int = 0
    left_out: int = 0
    passages: int = 0  # that were cut or flagged
    passage_bytes: int = 0
    text_bytes: int = 0  # of the documents that were looked at for passages
    notes: tuple[str, ...] = ()  # what could have been read in another way


@dataclass(frozen=True, slots=True)
class DedupJob:
    """What an engine deduplicates: sources, the output (a file or a URI, "" for a dry run) and the wishes."""

    sources: tuple[str, ...]
    target: str
    settings: CorpusSettings
    keeping: str = "first"
    shards: int = 1
    dry_run: bool = False
    against: Path | None = None
    run: Path | None = None


def dedup(
    sources: Iterable[str],
    path: Path | None,
    settings: CorpusSettings,
    *,
    keeping: str = "first",
    shards: int = 1,
    dry_run: bool = False,
    against: Path | None = None,
    passages: str = "",
    run: Path | None = None,
    from_run: Path | None = None,
    progress: Progress | None = None,
) -> Deduped:
    """Write what stays of the sources to `path`, and beside it who was removed.

    With `from_run` a finished run is applied: its sources are read once more, and nothing is compared.
    """
    if from_run is not None:
        return _apply(from_run, path, settings, keeping, shards, dry_run, passages)
    sources = [os.fspath(source) for source in sources]
    check_wishes(keeping, run, against, settings)
    if path is not None:
        output.maker(path)  # a name without a format is refused before the work
        keep_sources(sources, path, shards)
    notes: list[str] = []
    with beside(path, run, notes) as folder:
        names = rereadable(sources, folder)

        def again() -> Batches:
            return records(names, settings, whole=True)

        if passages and against is not None:
            if passages == "cut":
                refuse_own_run(sources, against)
            return _cut(again, path, settings, against, passages, dry_run, shards)
        made = cluster(
            names, folder / "run" if run is None else run, settings, onto=against, progress=progress
        )
        decision, before = _decision(made.path, settings, keeping, against)
        done = _numbers(decision, before)
        done.skipped, done.skipped_total = made.skipped, made.described["counts"]["skipped"]
        said = (note for note in made.described["notes"] if note not in made.notes)  # what was ignored
        done.left_out, done.notes = made.left_out, (*notes, *made.notes, *said)
        require_some(done)
        if passages:
            _cut_repeats(again, decision, path, settings, passages, dry_run, shards, folder, done, names)
        elif path is not None and not dry_run:
            skipped: list[Skipped] = []
            binary = output.write_kept(
                _noted(again(), skipped),
                decision.stays[before:],
                path,
                shards,
                settings,
                schema=output.same_schema(names, path),
            )
            done.notes = (*done.notes, *_lost_bytes(binary, path))
            output.write_removed(path, decision, before, skipped)
        return done


def _apply(
    run: Path,
    path: Path | None,
    settings: CorpusSettings,
    keeping: str,
    shards: int,
    dry_run: bool,
    passages: str,
) -> Deduped:
    """Decide by a finished run which records of its sources stay, at any threshold from its floor on."""
    choice(keeping)
    check_cutting(settings, None)
    reading = applied_settings(run, settings)
    sources = list(open_corpus(run).described["sources"])
    if not sources or "-" in sources:
        raise UsageError(f"{run} was not made of files", hint="deduplicate its sources instead")
    decision = decide(run, reading, keeping)
    done = _numbers(decision, 0)
    if path is not None:
        output.maker(path)
        keep_sources(sources, path, shards)
    if passages:

        def again() -> Batches:
            return _counted(records(sources, reading, whole=True), run, done.documents)

        with beside(path, None) as folder:
            _cut_repeats(again, decision, path, reading, passages, dry_run, shards, folder, done, sources)
    elif path is not None and not dry_run:
        skipped: list[Skipped] = []
        batches = _counted(_noted(records(sources, reading, whole=True), skipped), run, done.documents)
        binary = output.write_kept(
            batches, decision.stays, path, shards, reading, schema=output.same_schema(sources, path)
        )
        done.notes = (*done.notes, *_lost_bytes(binary, path))
        output.write_removed(path, decision, 0, skipped)
    return done


def _lost_bytes(count: int, path: Path) -> tuple[str, ...]:
    """Say that documents which are not text cannot be written as text."""
    if not count:
        return ()
    are = "1 document is" if count == 1 else f"{count:,} documents are"
    return (f"{are} not text: {path} has U+FFFD instead of their bytes. Copy the files that its IDs name",)


def applied_settings(run: Path, settings: CorpusSettings) -> CorpusSettings:
    """Give the settings of a run, with the threshold, measure and policy that were asked for, if any."""
    described = open_corpus(run).described
    floor = float(described["floor"])
    usual = make(CorpusSettings, {})
    deciding = ("threshold", "measure", "policy")
    if all(getattr(settings, name) == getattr(usual, name) for name in deciding):
        stored = described["settings"]
        measure = stored.get("measure", "containment" if stored.get("contained") else "resemblance")
        threshold = stored.get("threshold", stored.get("resemblance"))
        settings = dataclasses.replace(
            settings, threshold=threshold, measure=measure, policy=stored.get("policy", usual.policy)
        )
    if settings.resemblance < floor - 1e-12:
        raise UsageError(
            f"--threshold {settings.resemblance:g} is below the --floor {floor:g} of {run}",
            hint="raise --threshold, or cluster again with a lower --floor",
        )
    taken = ("threshold", "measure", "policy", "min_passage", "cut_at", "max_copies", "memory", "jobs")
    asked = {name: getattr(settings, name) for name in taken}
    return dataclasses.replace(from_stored(described["settings"]), **asked)


def _counted(batches: Batches, run: Path, documents: int) -> Batches:
    """Pass records on; refuse sources that have changed since the run was made."""
    seen = 0
    for batch in batches:
        seen += 0 if isinstance(batch, Skipped) else len(batch)
        if seen > documents:
            break
        yield batch
    if seen != documents:
        raise InputError(f"the sources of {run} have changed since", hint="cluster them again")


def _noted(batches: Batches, skipped: list[Skipped]) -> Batches:
    """Pass records on, and note those that are left out."""
    for batch in batches:
        if isinstance(batch, Skipped) and batch.reason not in TAKEN:
            skipped.append(batch)
        yield batch


def check_cutting(settings: CorpusSettings, against: Path | None) -> None:
    """Refuse units that do not go together with what is compared."""
    if settings.max_copies and (settings.cut_at == "word" or against is not None):
        raise UsageError(
            "--max-copies counts whole lines, sentences or paragraphs of one corpus",
            hint="add --cut-at line, sentence or paragraph, and leave out --against",
        )


def refuse_own_run(sources: Iterable[str], against: Path) -> None:
    """Refuse to cut out of sources what a run has that was made of them: all of it."""
    made_of = {os.path.realpath(each) for each in open_corpus(against).described["sources"] if each != "-"}
    both = [each for each in sources if each != "-" and os.path.realpath(each) in made_of]
    if both:
        raise UsageError(
            f"{against} was made of {both[0]}, so nothing of it would be left",
            hint="to cut what its documents repeat among themselves, leave out --against",
        )


def check_wishes(keeping: str, run: Path | None, against: Path | None, settings: CorpusSettings) -> None:
    """Refuse before the work what cannot be done."""
    choice(keeping)
    check_cutting(settings, against)
    if run is not None and against is not None and run.absolute() == against.absolute():
        raise UsageError("--save and --against name the same folder", hint="choose another --save")


def keep_sources(sources: Iterable[str], path: Path, shards: int) -> None:
    """Refuse to write over a source."""
    lists = (output.removed_path(path), output.passages_path(path), output.repeated_path(path))
    for target in (*output.shard_paths(path, shards), *lists):
        for source in sources:
            if source != "-" and target.exists() and Path(source).exists() and target.samefile(source):
                raise UsageError(f"{target} is one of the sources", hint="choose another file with -o")


def require_some(done: Deduped) -> None:
    """Refuse to write an empty output where nothing could be read."""
    if not done.documents and done.skipped:
        name, reason = done.skipped[0]
        more = f" (and {done.skipped_total - 1:,} more)" if done.skipped_total > 1 else ""
        raise InputError(f"nothing could be read: {name} {reason}{more}", hint="nothing was written")


def _decision(run: Path, settings: CorpusSettings, keeping: str, old: Path | None) -> tuple[Decision, int]:
    if old is None:
        return decide(run, settings, keeping), 0
    before = len(open_corpus(old).ids)
    return against(run, before, settings), before


def _numbers(decision: Decision, before: int) -> Deduped:
    reasons = [
        why
        for why, number in zip(decision.reason, decision.removed.tolist(), strict=True)
        if number >= before
    ]
    documents = len(decision.kept) - before
    return Deduped(documents, documents - len(reasons), len(reasons), dict(Counter(reasons).most_common()))


class Cutter:
    """Cuts or flags passages of records, and keeps the books: what was cut, and of whom nothing is left."""

    def __init__(self, settings: CorpusSettings, passages: str, done: Deduped, rows: output.Writer) -> None:
        self._settings, self._flag, self._done, self._rows = settings, passages == "flag", done, rows
        self.reasons: Counter[str] = Counter()
        self.gone: list[output.Record] = []

    def change(
        self,
        name: str,
        record: output.Record,
        text: bytes,
        shown: bytes,
        found: Sequence[tuple[Copy, str | None]],
    ) -> output.Record | None:
        """Give a record without its copies, or with their offsets; None if nothing is left of it."""
        done = self._done
        done.text_bytes += len(shown)
        if not found:
            return record
        for copy, kept in found:
            self._rows.write(audit(name, shown, copy, kept))
            done.passages += 1
            done.passage_bytes += copy.end - copy.start
        spans = joined_spans((copy.start, copy.end) for copy, _ in found)
        self.reasons["flagged" if self._flag else "cut"] += 1
        if self._flag:
            return record | {"passages": [list(span) for span in spans]}
        left = cut(text, spans, markup=shown is not text and shown != text).decode("utf-8", "replace")
        if not left.strip():
            self.gone.append({"document": name, "kept": None, "reason": EMPTY})
            return None
        return record | {self._settings.text_field: left}

    def counted(self) -> dict[str, int]:
        """Count the documents by what was done to them."""
        return dict(self.reasons) | ({EMPTY: len(self.gone)} if self.gone else {})


@contextlib.contextmanager
def _targets(path: Path | None, dry_run: bool) -> Iterator[tuple[Path, output.Writer]]:
    """Give the output and the audit of passages to write to; elsewhere in a dry run."""
    with tempfile.TemporaryDirectory(prefix="copysift-") as spare:
        target = Path(spare) / "out.jsonl" if path is None or dry_run else path
        with output.whole([output.passages_path(target)]) as parts:
            rows = output.maker(target)(parts[0])
            try:
                yield target, rows
            finally:
                rows.close()


def _cut_repeats(
    again: Callable[[], Batches],
    decision: Decision,
    path: Path | None,
    settings: CorpusSettings,
    passages: str,
    dry_run: bool,
    shards: int,
    folder: Path,
    done: Deduped,
    sources: Sequence[str],
) -> None:
    """Cut or flag what the documents that stay have more than once, but its first occurrence."""
    stays = decision.stays

    def texts() -> Iterator[tuple[int, bytes]]:
        return kept_texts(again(), stays, settings)

    with repeats_of(folder, settings) as repeats:
        repeats.count(text for _, text in texts())
        repeats.join(texts(), len(stays))
        with _targets(path, dry_run) as (target, rows):
            cutter = Cutter(settings, passages, done, rows)
            numbers = iter(np.flatnonzero(stays).tolist())

            def change(_: str, record: dict[str, Any], text: bytes) -> dict[str, Any] | None:
                number, shown = next(numbers), readable(text, settings.html)
                copies = repeats.copies(number, shown, settings.cut_at)
                named = [(copy, decision.ids[copy.kept]) for copy in copies]
                return cutter.change(decision.ids[number], record, text, shown, named)

            skipped: list[Skipped] = []
            schema = output.same_schema(sources, target) if passages == "cut" else None
            output.write_kept(_noted(again(), skipped), stays, target, shards, settings, change, schema)
            output.write_removed(target, decision, 0, skipped, cutter.gone)
            if settings.max_copies:
                output.write_beside(output.repeated_path(target), repeats.frequent())
    done.kept -= len(cutter.gone)
    done.removed += len(cutter.gone)
    done.reasons |= cutter.counted()


def repeats_of(folder: Path, settings: CorpusSettings) -> Repeats:
    """Give what finds repeated passages by the settings; `folder` has room for it."""
    return Repeats(
        folder,
        settings.min_passage or LEAST,
        settings.memory,
        settings.seed,
        unit=settings.cut_at,
        max_copies=settings.max_copies,
    )


def kept_texts(
    batches: Batches, stays: np.ndarray[Any, np.dtype[np.bool_]], settings: CorpusSettings
) -> Iterator[tuple[int, bytes]]:
    """Give the documents that stay, by number, as they are read: UTF-8, markup blanked."""
    first = 0
    for batch in batches:
        if not isinstance(batch, Skipped):
            numbers = np.flatnonzero(stays[first : first + len(batch)]) + first
            some = output.records_of(batch, stays[first : first + len(batch)], settings)
            for number, (_, _, text) in zip(numbers.tolist(), some, strict=True):
                yield number, readable(text, settings.html)
            first += len(batch)


def _cut(
    again: Callable[[], Batches],
    path: Path | None,
    settings: CorpusSettings,
    against: Path,
    passages: str,
    dry_run: bool,
    shards: int,
) -> Deduped:
    """Cut or flag the passages that the run has; documents of which nothing is left go."""
    described = open_corpus(against).described["settings"]
    known = Known(against, described["shingle"], settings.seed)
    done = Deduped()
    total, skips = 0, Skips()
    for batch in again():
        if isinstance(batch, Skipped):
            skips.add(batch)
        else:
            total += len(batch)
    done.skipped = tuple((note.name, note.reason) for note in skips.named)
    done.skipped_total = skips.total
    done.left_out = skips.total - sum(skips.reasons[reason] for reason in TAKEN)
    if not total:
        require_some(done)
    with _targets(path, dry_run) as (target, rows):
        cutter = Cutter(settings, passages, done, rows)

        def change(name: str, record: dict[str, Any], text: bytes) -> dict[str, Any] | None:
            shown = readable(text, settings.html)  # markup blanked where it stands: the offsets are the same
            spans = known.spans(shown, settings.min_passage, settings.cut_at)
            return cutter.change(name, record, text, shown, [(Copy(*span, -1, -1), None) for span in spans])

        skipped: list[Skipped] = []
        every = np.ones(total, np.bool_)
        output.write_kept(
            _some_left(_noted(again(), skipped), cutter, total, against),
            every,
            target,
            shards,
            settings,
            change,
        )
        output.write_list(target, [*cutter.gone, *map(output.skipped_row, skipped)])
    done.documents, done.removed = total, len(cutter.gone)
    done.kept, done.reasons = total - len(cutter.gone), cutter.counted()
    return done


def _some_left(batches: Batches, cutter: Cutter, total: int, against: Path) -> Batches:
    """Pass records on; refuse to write where nothing of any of them would be left."""
    yield from batches
    if total and len(cutter.gone) == total:
        raise UsageError(
            f"nothing would be left: {against} has the text of every document",
            hint="to cut what the documents repeat among themselves, leave out --against",
        )


@contextlib.contextmanager
def beside(path: Path | None, run: Path | None, notes: list[str] | None = None) -> Iterator[Path]:
    """Give a folder for the work, beside the output so that there is room; it goes at the end.

    What a process that was killed left there is taken up: the same command continues its run.
    """
    target = (run or path or Path.cwd() / f"copysift-{os.getpid()}").absolute()
    if not target.parent.is_dir():
        raise UsageError(f"the folder {target.parent} does not exist", hint="make it first")
    folder = target.with_name(f"{target.name}.work")
    if folder.exists() and not (folder / LOCK).exists():
        raise UsageError(f"{folder} is in the way", hint="remove it, or choose another output")
    if notes is not None and folder.exists():
        notes.append(f"found {folder}, which an interrupted command left; it is removed at the end")
    folder.mkdir(exist_ok=True)
    lock = WriterLock(folder)
    try:
        yield folder
    finally:
        lock.release()
        shutil.rmtree(folder, ignore_errors=True)


def rereadable(sources: Iterable[str], folder: Path) -> list[str]:
    """Give the sources, standard input as a copy of it: dedup reads everything twice."""
    return [os.fspath(source) if source != "-" else kept_in(folder) for source in sources]
