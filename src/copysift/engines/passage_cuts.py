"""Cut passages out of the records of a corpus, or flag them, with an audit of every one."""

from __future__ import annotations

import contextlib
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from copysift.engines import record_output as output
from copysift.engines.decision import Decision
from copysift.engines.dedup_job import DedupCounts, require_some
from copysift.engines.near_units import near_groups
from copysift.engines.output_targets import passages_path, repeated_path, whole
from copysift.engines.passages import Known, cut, joined_spans
from copysift.engines.reading import Batches, Origins
from copysift.engines.record_writers import STANDARD_OUTPUT, Record, Writer, maker
from copysift.engines.texts import readable
from copysift.errors import UsageError
from copysift.match.repeated_passages import Copy, Repeats, audit
from copysift.model.values import TAKEN, Skipped
from copysift.runs.stored_run import open_corpus
from copysift.runs.workspace import Skips
from copysift.settings.corpus import CorpusSettings
from copysift.sources.field_paths import has_field, with_text
from copysift.sources.replacement import parsed

EMPTY = "nothing left after cutting"
NOWHERE: Record = {"kept": None, "kept_start": None}  # the copy that stays is not in this corpus
LEAST = 20  # words of a passage that came before in the corpus, where nothing else was asked for


class Cutter:
    """Cuts or flags passages of records, and notes what was cut, and documents of which nothing is left."""

    def __init__(self, settings: CorpusSettings, passages: str, done: DedupCounts, rows: Writer) -> None:
        self._settings, self._flag, self._done, self._rows = settings, passages == "flag", done, rows
        self.reasons: Counter[str] = Counter()
        self.gone: list[Record] = []

    def change(
        self,
        name: str,
        given: Record | str,
        text: bytes,
        shown: bytes,
        found: Sequence[tuple[Copy, Record]],
    ) -> Record | str | None:
        """Give a record without its copies, or with their offsets; None if nothing is left of it.

        With each copy comes what the audit says of the text that it is a copy of.
        """
        done = self._done
        done.text_bytes += len(shown)
        if not found:
            return given
        record = parsed(given) if isinstance(given, str) else given
        for copy, known in found:
            self._rows.write(audit(name, shown, copy, known))
            done.passages += 1
            done.passage_bytes += copy.end - copy.start
        spans = joined_spans((copy.start, copy.end) for copy, _ in found)
        self.reasons["flagged" if self._flag else "cut"] += 1
        if self._flag:
            return record | {"passages": [list(span) for span in spans]}
        markup = shown is not text and shown != text
        if not cut(text, spans, markup=markup).strip():
            self.gone.append({"document": name, "kept": None, "reason": EMPTY})
            return None
        return without_spans(record, self._field(record), text, spans, markup)

    def _field(self, record: Record) -> str:
        """Name the field of the text: that of a text without a record has no path."""
        asked = self._settings.text_field
        return asked if has_field(record, asked) else output.plain_text_field(self._settings)

    def counted(self) -> dict[str, int]:
        """Count the documents by what was done to them."""
        return dict(self.reasons) | ({EMPTY: len(self.gone)} if self.gone else {})


def without_spans(
    record: Record, field: str, text: bytes, spans: list[tuple[int, int]], markup: bool
) -> Record:
    """Give a record without some passages of its text, which are half-open bytes of it."""
    if not has_field(record, field):
        return record | {field: cut(text, spans, markup=markup).decode("utf-8", "replace")}

    def left(start: int, end: int) -> str:
        within = [(max(one, start) - start, min(other, end) - start) for one, other in spans]
        inside = [(one, other) for one, other in within if one < other]
        return cut(text[start:end], inside, markup=markup).decode("utf-8", "replace")

    return with_text(record, field, left)


@contextlib.contextmanager
def targets(path: Path | None, dry_run: bool) -> Iterator[tuple[Path, Writer]]:
    """Give the output and the audit of passages to write to; elsewhere in a dry run."""
    with tempfile.TemporaryDirectory(prefix="copysift-") as spare:
        target = Path(spare) / "out.jsonl" if path is None or dry_run else path
        audits = passages_path(target)
        if audits == STANDARD_OUTPUT:  # which has the records, and nothing else
            audits = Path(spare) / "passages.jsonl"
        with whole([audits]) as parts:
            rows = maker(audits)(parts[0])
            try:
                yield target, rows
            finally:
                rows.close()


def cut_repeats(
    again: Callable[[], Batches],
    to_write: Callable[[], Origins],
    decision: Decision,
    path: Path | None,
    settings: CorpusSettings,
    passages: str,
    dry_run: bool,
    shards: int,
    folder: Path,
    done: DedupCounts,
    sources: Sequence[str],
) -> None:
    """Cut or flag what the documents that stay have more than once, but its first occurrence."""
    stays = decision.stays

    def texts() -> Iterator[tuple[int, bytes]]:
        return kept_texts(again(), stays, settings)

    with repeats_of(folder, settings) as repeats:
        if settings.near < 1:
            read = partial(map, itemgetter(1))
            repeats.take_groups(*near_groups(lambda: read(texts()), repeats, folder, settings))
        repeats.count(text for _, text in texts())
        repeats.join(texts(), len(stays))
        with targets(path, dry_run) as (target, rows):
            cutter = Cutter(settings, passages, done, rows)
            numbers = iter(np.flatnonzero(stays).tolist())

            def change(_: str, record: Record | str, text: bytes) -> Record | str | None:
                number, shown = next(numbers), readable(text, settings.html)
                copies = repeats.copies(number, shown, settings.cut_at)
                named = [
                    (copy, {"kept": decision.ids[copy.kept], "kept_start": copy.kept_start})
                    for copy in copies
                ]
                return cutter.change(decision.ids[number], record, text, shown, named)

            skipped: list[Skipped] = []
            same, batches = passages == "cut", noted(to_write() if target == path else again(), skipped)
            output.write_kept(batches, stays, target, shards, settings, change, sources, same=same)
            output.write_removed(target, decision, 0, skipped, cutter.gone)
            if settings.max_copies:
                output.write_beside(repeated_path(target), repeats.frequent())
    done.kept -= len(cutter.gone)
    done.removed += len(cutter.gone)
    done.reasons |= cutter.counted()


def repeats_of(folder: Path, settings: CorpusSettings) -> Repeats:
    """Give what finds repeated passages by the settings; `folder` is where it keeps its files."""
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


def cut_known(
    again: Callable[[], Batches],
    to_write: Callable[[], Origins],
    path: Path | None,
    settings: CorpusSettings,
    against: Path,
    passages: str,
    dry_run: bool,
    shards: int,
    sources: Sequence[str],
) -> DedupCounts:
    """Cut or flag the passages that the run has; documents of which nothing is left go."""
    described = open_corpus(against).described["settings"]
    known = Known(against, described["shingle"], settings.seed)
    done = DedupCounts()
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
    with targets(path, dry_run) as (target, rows):
        cutter = Cutter(settings, passages, done, rows)

        def change(name: str, record: Record | str, text: bytes) -> Record | str | None:
            shown = readable(text, settings.html)  # markup blanked where it stands: the offsets are the same
            spans = known.spans(shown, settings.min_passage, settings.cut_at)
            copies = [(Copy(*span, -1, -1), dict(NOWHERE)) for span in spans]
            return cutter.change(name, record, text, shown, copies)

        skipped: list[Skipped] = []
        every = np.ones(total, np.bool_)
        batches = noted(to_write() if target == path else again(), skipped)
        left = _some_left(batches, cutter, total, against)
        same = passages == "cut"
        output.write_kept(left, every, target, shards, settings, change, sources, same=same)
        output.write_list(target, [*cutter.gone, *map(output.skipped_row, skipped)])
    done.documents, done.removed = total, len(cutter.gone)
    done.kept, done.reasons = total - len(cutter.gone), cutter.counted()
    return done


def _some_left(batches: Origins, cutter: Cutter, total: int, against: Path) -> Origins:
    """Pass records on; refuse to write where nothing of any of them would be left."""
    yield from batches
    if total and len(cutter.gone) == total:
        raise UsageError(
            f"nothing would be left: {against} has the text of every document",
            hint="to cut what the documents repeat among themselves, leave out --against",
        )


def noted(batches: Origins, skipped: list[Skipped]) -> Origins:
    """Pass records on, and note those that are left out."""
    for batch in batches:
        if isinstance(batch, Skipped) and batch.reason not in TAKEN:
            skipped.append(batch)
        yield batch
