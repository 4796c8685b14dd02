"""Scan on this machine: the stages put together.

walk → load in threads → equal files collapse → canonicalise → fingerprint → join → pairs, and where
regions are asked for, exact matching of the reported pairs. Memory holds the hashes (up to --memory,
then they go to disk), the files in flight, and the pairs above the threshold.
"""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from copysift.errors import CopysiftError, InputError, UsageError
from copysift.join.memory import Join
from copysift.join.rows import Candidates, Postings, candidates
from copysift.match.base import Base
from copysift.match.counts import Counts
from copysift.match.estimators import SKETCHES, measured
from copysift.match.evidence import VERBATIM, Evidence
from copysift.match.measures import rarity
from copysift.match.pairs import Pairs
from copysift.match.repeats import Repeats, chosen_by, match_shares
from copysift.model.regions import RegionColumns
from copysift.model.values import Group, Ignored, Pair, Result, Skipped, Submission
from copysift.runtime import registry
from copysift.runtime.progress import Progress, Silent
from copysift.runtime.threads import Failed, ordered_batches
from copysift.settings.comparison import COUNTS, Settings
from copysift.sources.record_files import is_source, take_records
from copysift.sources.walk import Entry
from copysift.workflows import batches
from copysift.workflows.collection import Collection, Scanned
from copysift.workflows.matches import Exact
from copysift.workflows.reading import Reader
from copysift.workflows.selection import allowed, answer, by_suffix, selected
from copysift.workflows.show import check_answerable
from copysift.workflows.stored_texts import Stored
from copysift.workflows.submission_units import Gathered
from copysift.workflows.submissions import gather

IGNORED_SHOWN = 20  # of the ignored fingerprints, the commonest, are shown with their text
IGNORED_TEXT = 200  # bytes of it
IN_FLIGHT = 64 << 20  # bytes of files that are read ahead

# Among five versions of a file, what all five share is no boilerplate: a small collection is weighed
# as if it had this many documents.
FEWEST = 1000
CLASS = 30
# However many versions of one text a folder holds, what they share keeps this weight; else a thousand
# copies with a line of their own each would share next to nothing.
LEAST = 0.25
Weigh = Callable[[NDArray[Any], int], NDArray[np.float64]]


def weights(degrees: NDArray[Any], groups: int) -> NDArray[np.float64]:
    """Weigh hashes by their rarity, but none below LEAST."""
    return np.maximum(rarity(degrees, max(groups, FEWEST)), LEAST)


def class_weights(degrees: NDArray[Any], groups: int) -> NDArray[np.float64]:
    """Weigh hashes of programs by their rarity: what a class of CLASS shares is idiom already."""
    return rarity(degrees, max(groups, CLASS) if groups > 2 else groups)


class Scan:
    """One scan; after `run` it can be saved, and gives the source of its documents again."""

    def __init__(self, settings: Settings, weigh: Weigh = weights, *, opens: bool = True) -> None:
        registry.check(registry.SCHEMES, settings.scheme)
        if settings.kind != "auto":
            registry.check(registry.KINDS, settings.kind)
        self.settings = settings
        self._weigh = weigh
        self.times: dict[str, float] = {}
        self._jobs = settings.jobs or os.cpu_count() or 1
        self._stored = Stored(self._tmp_dir())
        self._reader = Reader(settings, self._stored.load, load_many=self._stored.load_many)
        self._collection = Collection(sketches=settings.scheme in SKETCHES)
        self._gathered: Gathered | None = None  # the collection, when it is one of submissions
        self._grouped = False  # units are compared, though neither settings nor names ask for it
        self._archives = opens  # archives, and files of records, are opened where they are named
        self._exact: Exact | None = None
        self._counts: Counts | None = None
        self._result: Result | None = None

    def run(
        self,
        paths: Iterable[str | os.PathLike[str]],
        *,
        regions: bool = False,
        most: int | None = None,
        groups: bool = False,
        keep: bool = False,
        progress: Progress | None = None,
    ) -> Result:
        """Scan files and folders, with the regions of pairs and with sif's groups if they are wanted.

        Regions are those of the `most` best pairs, or of all; `keep` counts pairs down to the floor, so
        that the run can be saved.
        """
        shown = progress or Silent()
        with self._timed("walk"):
            entries = self._gather(paths, shown)
        gathered = self._gathered
        base = Base() if gathered is None else gathered.base
        room = (self.settings.memory // 4, self._tmp_dir())
        with (
            Join(*room, base.hashes, self._jobs) as join,
            Evidence(*room, self._jobs, self.settings.seed, base) as evidence,
            Repeats(0 if keep else chosen_by(self.settings), *room, self._jobs, base) as self._repeats,
        ):
            with self._timed("read"):
                self._read(entries, join, evidence, shown)
                if gathered is not None and gathered.numbers:  # groups without a hash are groups, too
                    join.add(len(gathered.numbers) - 1, np.empty(0, np.uint64))
            with self._timed("join"):
                shown.phase("comparing", None)
                if 2 * len(evidence.groups) > self._groups() and self._weigh is weights:
                    self._weigh = class_weights
                postings = join.finish(self._most_shared(), self._weigh)
                counts = self._count(postings, evidence, keep)
        with self._timed("match"):
            self._result = self._answer(counts, regions, most, groups, shown)
        return self._result

    def compare(self, left: str, right: str) -> Result:
        """Compare two files, matched exactly, whether they share fingerprints or not."""
        self._archives = False
        self.run([left, right])
        counts = self._counts
        assert counts is not None  # run has just made it
        documents = counts.documents
        if counts.skipped or not documents:
            return answer(counts, self.settings)
        exact = Exact(self._reader, self._collection, self._jobs)
        if len(documents) == 1 or counts.equal or not (documents[0].bytes or documents[1].bytes):
            # One file under two names, or named twice, is found once.
            again = dataclasses.replace(documents[0], name=right, group=right)
            both = documents if len(documents) > 1 or documents[0].name == right else (*documents, again)
            counts = dataclasses.replace(counts, documents=both)
            pair = Pair(left, right, True, 1.0, 1.0, 1.0, 1.0, documents[0].fingerprints)
            self._collection.rename(right, 0)
            return dataclasses.replace(answer(counts, self.settings), pairs=exact.equal((pair,)))
        found = Pairs(documents, counts.pairs)[:] or (Pair(left, right, False, 0.0, 0.0, 0.0, 0.0, 0),)
        pair = exact.pair(found[0])
        return dataclasses.replace(answer(counts, self.settings), pairs=(pair,))

    def save(self, path: Path) -> None:
        """Write the run to a folder."""
        from copysift.runs.scan_run import save

        if self._counts is None or self._result is None:
            raise UsageError("there is no run to save yet", hint="call run first, with keep=True")
        save(path, self._counts, self._result, self.times)

    def source(self, name: str, start: int, end: int) -> bytes:
        """Give a piece of the readable source of a document: half-open byte offsets."""
        filed = self._collection.by_name(name)
        return self._reader.piece(filed.entry, filed.kind, start, end)

    def base(self, name: str) -> tuple[tuple[int, int], ...]:
        """Give the half-open byte spans of a document's source that base code covers."""
        return () if self._exact is None else self._exact.base_spans(name)

    def _gather(self, paths: Iterable[str | os.PathLike[str]], shown: Progress) -> list[Entry]:
        shown.phase("listing", None)
        places = list(paths)
        sources = {os.fspath(path) for path in places if self._archives and is_source(path)}
        files = [path for path in places if os.fspath(path) not in sources]
        found = gather(
            files, self.settings, self._stored, self._reader, self._jobs, self._archives, self._grouped
        )
        if found.submissions is not None:
            self._collection = self._gathered = found.submissions
            self._reader.collapse = False
        for each in found.skipped:
            self._collection.skip(each)
        records = [path for path in places if os.fspath(path) in sources]
        entries, left_out = take_records(records, self.settings, self._tmp_dir())
        if entries and found.submissions is not None:
            raise UsageError(
                "records cannot be compared with submissions", hint="scan files of records by themselves"
            )
        for each in left_out:
            self._collection.skip(each)
        return [*found.entries, *entries]

    def _read(self, entries: list[Entry], join: Join, evidence: Evidence, shown: Progress) -> None:
        """Read, canonicalise and fingerprint in threads, and file the hashes in the order of input."""
        self._reader.learn(entries)
        shown.phase("reading", len(entries))
        done = ordered_batches(
            partial(batches.read_batch, self._reader),
            entries,
            jobs=self._jobs,
            weigh=lambda entry: entry.size,
            budget=IN_FLIGHT,
            most=batches.MOST,
        )
        for scanned in done:
            shown.advance()
            if isinstance(scanned, Failed):
                self._collection.skip(skipped(scanned.item.path, scanned.error))
            elif isinstance(scanned, Skipped):
                self._collection.skip(scanned)
            else:
                self._file(scanned, join, evidence)
        self._reader.done()

    def _file(self, scanned: Scanned, join: Join, evidence: Evidence) -> None:
        number = self._collection.add(scanned)
        if number is None or scanned.hashes is None:
            return
        try:
            last = np.empty(0, np.uint64)
            for hashes in scanned.hashes:
                self._collection.count(number, hashes)
                join.add(number, hashes)
                last = self._repeats.add(number, hashes, last)
                if scanned.lexemes is not None:
                    evidence.add(number, scanned.lexemes)
        except (InputError, OSError) as error:  # a large file that changes while it is read again
            self._collection.skip(skipped(scanned.entry.path, error))

    def _count(self, postings: Postings, evidence: Evidence, keep: bool) -> Counts:
        settings = self.settings
        more = None
        if evidence.groups and settings.scheme not in SKETCHES:
            more = evidence.lists(len(postings.sizes), self._most_shared(), self._weigh, postings)
        columns = measured(self._candidates(postings, keep, more), postings, self._collection, settings)
        documents = tuple(self._collection.groups())
        equal = tuple(self._collection.equal())
        chosen = np.ones(len(columns), np.bool_) if keep else allowed(documents, columns, settings, equal)
        return Counts(
            documents,
            columns.take(chosen),
            equal,
            tuple(self._ignored(postings)),
            len(postings.common),
            tuple(self._collection.skipped),
            min(settings.floor, settings.cut) if keep else settings.cut,
            *self._of_submissions(postings),
            notes=self._buried(documents, postings),
        )

    def _buried(self, documents: tuple[Group, ...], postings: Postings) -> tuple[str, ...]:
        """Say how many files have next to nothing left once what too many share is ignored."""
        if self._gathered is not None or not len(postings.common):
            return ()
        held = np.array([group.fingerprints for group in documents], np.int64)[: len(postings.sizes)]
        buried = int(((held >= 4) & (4 * postings.sizes[: len(held)].astype(np.int64) < held)).sum())
        if not buried:
            return ()
        most, needed = self._most_shared(), int(postings.common.degrees.max())
        return (
            f"{buried:,} of the files have few fingerprints left to compare: nearly all stand in more than "
            f"{most:,} files and are ignored; --max-shared {needed} compares them, too",
        )

    def _of_submissions(
        self, postings: Postings
    ) -> tuple[tuple[Group, ...] | None, tuple[int, ...], tuple[Submission, ...]]:
        gathered = self._gathered
        if gathered is None:
            return None, (), ()
        return tuple(gathered.files()), gathered.twins(), gathered.submissions(postings)

    def _most_shared(self) -> int:
        """Give the number of groups that may share a fingerprint; a share of all is at least two."""
        most = self.settings.max_shared
        if isinstance(most, int):
            return most
        return max(2, int(most * self._groups()))

    def _groups(self) -> int:
        return len(self._collection.filed) if self._gathered is None else len(self._gathered.numbers)

    def _labels(self, groups: int) -> tuple[Any, ...]:
        """Give the sides and the kin of the groups, whose members are not compared with each other."""
        if self._gathered is None:
            return ()
        return self._gathered.roster.side, self._gathered.roster.kin

    def _candidates(
        self, postings: Postings, keep: bool, more: tuple[Postings, Postings] | None
    ) -> Candidates:
        """Give the pairs that may be reported, or kept: those below every threshold are never formed."""
        settings, labels = self.settings, self._labels(len(postings.sizes))

        def found(measure: str, least: float, fewest: int, rows: tuple[int, int] | None = None) -> Candidates:
            side, kin = (*labels, None, None)[:2]
            return candidates(postings, measure, least, fewest, self._jobs, side, kin, more, VERBATIM, rows)

        if length := 0 if keep else chosen_by(settings):
            kinds = {group.kind for group in self._collection.groups()}
            few = match_shares(length, kinds, self._reader.noise, 1)
            parts = [found(settings.measure, settings.cut, settings.fewest), found("shared", 1, few)]
            parts.append(self._repeats.pairs(postings, self._most_shared(), self._weigh, few, found))
            return united(parts)
        if settings.scheme in SKETCHES or settings.min_match is not None or settings.measure == "longest":
            return found("shared", 1, settings.fewest if settings.min_match is None else 1)
        if not keep:
            return found(settings.measure, settings.cut, settings.fewest)
        floor = settings.floor if settings.measure in COUNTS else min(settings.floor, settings.cut)
        kept = [found(measure, floor, 1) for measure in ("similarity", "containment")]
        if settings.measure == "shared":
            kept.append(found("shared", settings.cut, 1))
        return united(kept)

    def _answer(
        self, counts: Counts, regions: bool, most: int | None, groups: bool, shown: Progress
    ) -> Result:
        settings = self.settings
        base = None if self._gathered is None else self._gathered.base
        exact = self._exact = Exact(self._reader, self._collection, self._jobs, base)
        found: RegionColumns | None = None
        if settings.measure == "longest" or settings.min_match is not None:
            counts, found = self._with_longest(counts, exact, regions, shown)
        self._counts = counts
        if not regions:
            return answer(counts, settings, groups=groups)
        parted = by_suffix(counts, settings)
        chosen = selected(parted, settings)[:most]
        if found is None or parted is not counts:
            shown.phase("matching", len(chosen))
            pairs = parted.pairs.take(chosen)
            found = exact.among(pairs.left, pairs.right, progress=shown)
        else:
            found = found.take(chosen)
        return answer(counts, settings, regions=found, files=exact.names, groups=groups, whole=exact.equal)

    def _with_longest(
        self, counts: Counts, exact: Exact, regions: bool, shown: Progress
    ) -> tuple[Counts, RegionColumns]:
        """Match every candidate exactly, for its longest match; give the regions, too, if they are wanted."""
        columns = counts.pairs
        wanted = np.flatnonzero(allowed(counts.documents, columns, self.settings, counts.equal))
        shown.phase("matching", len(wanted))
        found = exact.among(columns.left[wanted], columns.right[wanted], regions=regions, progress=shown)
        found = found.among(wanted, len(columns))
        return dataclasses.replace(counts, pairs=columns.matched(found.longest, found.lines)), found

    def _ignored(self, postings: Postings) -> Iterator[Ignored]:
        """Give the commonest fingerprints that were ignored, with the text that they stand for."""
        common = postings.common
        order = np.lexsort((common.hashes, -common.degrees.astype(np.int64)))[:IGNORED_SHOWN]
        for place in order.tolist():
            value, holder = int(common.hashes[place]), int(common.holders[place])
            texts = (
                self._reader.text_of(filed.entry, filed.kind, value, IGNORED_TEXT)
                for filed in self._collection.holders(holder)
            )
            yield Ignored(value, int(common.degrees[place]), next(filter(None, texts), ""))

    def _tmp_dir(self) -> Path | None:
        if not self.settings.tmp_dir:
            return None
        folder = Path(self.settings.tmp_dir)
        if not folder.is_dir():
            raise UsageError(f"the folder {folder} of --tmp-dir does not exist", hint="make it first")
        return folder

    @contextmanager
    def _timed(self, phase: str) -> Iterator[None]:
        begun = time.perf_counter()
        yield
        self.times[phase] = time.perf_counter() - begun


def united(parts: list[Candidates]) -> Candidates:
    """Give every pair of several lists once, in order."""
    rows = [(part.left, part.right, part.shared, part.similarity) for part in parts]
    left, right, shared, similarity = (np.concatenate(column) for column in zip(*rows, strict=True))
    _, first = np.unique(left.astype(np.uint64) << np.uint64(32) | right, return_index=True)
    return Candidates(left[first], right[first], shared[first], similarity[first])


def skipped(path: str, error: Exception) -> Skipped:
    """Turn the error of one file into a note; what is no fault of the file is raised."""
    if isinstance(error, InputError):
        return Skipped(path, error.message.removeprefix(f"{path}: "))
    if isinstance(error, CopysiftError | MemoryError) or not isinstance(error, OSError):
        raise error
    return Skipped(path, (error.strerror or str(error)).lower())


def show(path: Path, settings: Settings, *, groups: bool = False) -> Result:
    """Answer from a saved run, without its files."""
    from copysift.runs.scan_run import open_run

    counts = open_run(path)
    check_answerable(counts, settings, path)
    return answer(counts, settings, groups=groups)
