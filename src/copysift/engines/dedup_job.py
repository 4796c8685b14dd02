"""What `dedup` has to do and what it did; what cannot be done is refused before the work."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from pathlib import Path

from copysift.clusters.preference import choice
from copysift.engines.record_writers import STANDARD_OUTPUT
from copysift.errors import UsageError
from copysift.model.contamination import Contamination
from copysift.model.values import Skipped
from copysift.runs.stored_run import open_corpus
from copysift.runs.workspace import nothing_read
from copysift.runtime.lazy_dataclass import dataclass
from copysift.settings.corpus import CorpusSettings
from copysift.sources.standard_input import kept_in
from copysift.store.lock import NAME as LOCK
from copysift.store.lock import WriterLock


@dataclass(slots=True)
class DedupCounts:
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
    corpus_bytes: int = 0  # of all documents, where only some were looked at
    contamination: Contamination | None = None  # what the corpus has of benchmarks
    notes: tuple[str, ...] = ()  # what could have been read in another way


@dataclass(frozen=True, slots=True)
class DedupJob:
    """What an engine deduplicates: sources, the output (a file or a URI, "" for a dry run) and the wishes."""

    sources: tuple[str, ...]
    target: str
    settings: CorpusSettings
    keeping: str = ""
    shards: int = 1
    dry_run: bool = False
    against: Path | None = None
    run: Path | None = None


def check_cutting(settings: CorpusSettings, against: Path | None) -> None:
    """Refuse units that do not go together with what is compared."""
    if settings.near < 1 and (not settings.max_copies or settings.cut_at == "word"):
        raise UsageError(
            "--near compares whole lines, sentences or paragraphs",
            hint="add --max-copies 1 and --cut-at line, sentence or paragraph",
        )
    if settings.max_copies and against is not None:
        raise UsageError(
            "--max-copies counts what the documents of one corpus have more than once",
            hint="leave out --max-copies or --against",
        )


def refuse_own_run(sources: Iterable[str], against: Path) -> None:
    """Refuse to cut out of sources what a run has that was made of them: all of it."""
    made_of = [os.path.realpath(each) for each in open_corpus(against).described["sources"] if each != "-"]
    both = [each for each in sources if each != "-" and _overlap(os.path.realpath(each), made_of)]
    if both:
        raise UsageError(
            f"{against} was made of {both[0]}, so nothing of it would be left",
            hint="to cut what its documents repeat among themselves, leave out --against",
        )


def _overlap(place: str, others: Iterable[str]) -> bool:
    """Say whether a path is one of others, or below or above one."""
    return any(
        place == each or f"{place}/".startswith(f"{each}/") or f"{each}/".startswith(f"{place}/")
        for each in others
    )


def check_wishes(keeping: str, run: Path | None, against: Path | None, settings: CorpusSettings) -> None:
    """Refuse before the work what cannot be done."""
    choice(keeping)
    check_cutting(settings, against)
    if run is not None and against is not None and run.absolute() == against.absolute():
        raise UsageError("--save and --against name the same folder", hint="choose another --save")


def refuse_parts(settings: CorpusSettings, passages: str, tests: Sequence[str]) -> None:
    """Refuse to cut passages out of what is kept or removed as a whole, or is compared with earlier work."""
    if (passages or tests) and (settings.by == "dir" or settings.earlier):
        given = "--by dir" if settings.by == "dir" else "--earlier"
        raise UsageError(
            f"passages are cut out of single documents, and {given} keeps or removes whole ones",
            hint=f"leave out {given}, or run dedup twice",
        )


def require_some(done: DedupCounts) -> None:
    """Refuse to write an empty output where nothing could be read."""
    if not done.documents and done.skipped:
        name, reason = done.skipped[0]
        raise nothing_read(Skipped(name, reason), done.skipped_total)


@contextlib.contextmanager
def beside(path: Path | None, run: Path | None, notes: list[str] | None = None) -> Iterator[Path]:
    """Give a folder for the work, beside the output on the same disk; it goes at the end.

    What a process that was killed left there is taken up: the same command continues its run.
    """
    if path == STANDARD_OUTPUT:
        path = None
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
