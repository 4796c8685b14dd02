"""Scan on this machine: the stages put together.

walk → load in threads → equal files collapse → canonicalise → fingerprint → join → pairs, and where
regions are wanted, exact matching of the reported pairs. Memory holds the hashes (up to --memory,
then they go to disk), the files in flight, and the pairs above the threshold.
"""

from __future__ import annotations

import dataclasses
import math
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from copysift.errors import InputError, UsageError
from copysift.join.alike import HEADERS
from copysift.kinds.kind import CODE, TEXT
from copysift.match.base_code import Base
from copysift.match.counts import Counts
from copysift.match.exact import same_symbols
from copysift.match.measures import Weigh, class_weights, weights
from copysift.match.pairs import Pairs
from copysift.match.repeats import chosen_by
from copysift.model.distribution import Distribution, compared_pairs, distribution
from copysift.model.document import Document
from copysift.model.explanation import NOTHING, Explanation
from copysift.model.regions import RegionColumns
from copysift.model.traits import scheme_traits
from copysift.model.values import Group, Pair, Region, Result, Skipped, Submission
from copysift.runtime import registry
from copysift.runtime.progress import NullProgress, Progress
from copysift.runtime.threads import Failed, ordered_batches
from copysift.settings.comparison import Settings
from copysift.sources.file_types import may_be_mixed, written_type
from copysift.sources.spool import Spool
from copysift.workflows import batches
from copysift.workflows.channel import Lists
from copysift.workflows.channels import Channels
from copysift.workflows.collection import Collection
from copysift.workflows.explanation import Explainer
from copysift.workflows.longest_matches import pieces, with_longest
from copysift.workflows.matches import Exact
from copysift.workflows.near_copies import NearCopies
from copysift.workflows.passage_holders import PassageHolders
from copysift.workflows.reading import Reader
from copysift.workflows.scan_notes import ignored, too_short
from copysift.workflows.selection import (
    Filters,
    answer,
    by_suffix,
    described,
    folder_of,
    pair_table,
    selected,
)
from copysift.workflows.submission_units import SubmissionUnits
from copysift.workflows.submissions import gather

IGNORED_TEXT = 200  # bytes of it
LARGEST_CLASS = 3000  # submissions of which every pair is looked at for a report


class Scan:
    """One scan; after `run` it can be saved, and gives the source of its documents again."""

    def __init__(
        self,
        settings: Settings,
        weigh: Weigh = weights,
        *,
        opens: bool = True,
        qualified: bool = False,
        sides: bool = True,
        listed: bool = False,
    ) -> None:
        registry.check(registry.SCHEMES, settings.scheme)
        if settings.kind != "auto":
            registry.check(registry.KINDS, settings.kind)
        if settings.measure == "sif" and scheme_traits(settings.scheme).sketch:
            raise UsageError(
                "--measure sif counts occurrences, and a sketch has everything once",
                hint="choose another --scheme",
            )
        self.settings = settings
        self._weigh = weigh
        self.times: dict[str, float] = {}
        self._jobs = settings.jobs or os.cpu_count() or 1
        self._spool = Spool(folder_of(self.settings))
        self._notes: tuple[str, ...] = ()  # what could have been read in another way
        self._reader = Reader(settings)
        self._collection = Collection(sketches=scheme_traits(settings.scheme).sketch)
        self._gathered: SubmissionUnits | None = None  # the collection, when it is one of submissions
        self._grouped = False  # units are compared, though neither settings nor names ask for it
        # Containers and files of records are opened; else files are taken as they are.
        self._archives = opens and not settings.equal_only
        self._qualified = qualified  # records are named behind their file, whoever named it
        self._chosen = False  # two files that are to be compared
        self._typed = not scheme_traits(settings.scheme).sketch  # works of several types are scored by type
        self._sides = sides  # work of one author is not compared with itself, nor earlier work
        self.listed = listed  # the postings are kept when it has run
        self.lists: dict[str, Lists] = {}
        self._exact: Exact | None = None
        self._holders: PassageHolders | None = None
        self._explainer: Explainer | None = None
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
        documents: Iterable[Document] = (),
    ) -> Result:
        """Scan files and folders, with the regions of pairs and with sif's groups if they are wanted.

        `documents` are in memory and come after the files. Regions are those of the `most` best pairs, or
        of all; `keep` counts pairs down to the floor, so that the run can be saved.
        """
        shown = progress or NullProgress()
        with self._timed("walk"):
            entries = self._gather(paths, shown, documents)
        gathered = self._gathered
        base = Base() if gathered is None else gathered.base
        length = 0 if keep else chosen_by(self.settings)
        if not length and self.settings.measure != "sif":
            self._reader.brief = math.ceil(HEADERS.founded)
        with Channels(
            self.settings, base, folder_of(self.settings), self._jobs, length, self._of_any_files(),
            gathered is not None and self._typed and may_be_mixed(self._compared(entries)),
        ) as channels:  # fmt: skip
            with self._timed("read"):
                self._read(entries, channels, shown)
            with self._timed("join"):
                shown.phase("comparing", None)
                weigh = {TEXT: self._weigh, CODE: class_weights if self._weigh is weights else self._weigh}
                kin = None if self._gathered is None else self._gathered.roster.kin
                channels.finish(self._groups(), self._most_shared(), weigh, kin)
                counts = self._count(channels, keep)
                self.lists = channels.lists() if self.listed else {}
                if regions:
                    self._holders = PassageHolders(self._reader, self._collection, channels.postings)
                    self._explainer = Explainer(self._reader, self._collection, channels)
                distribution = self._distribution(channels) if regions else None
        with self._timed("match"):
            found = self._answer(counts, regions, most, groups, shown)
        self._result = dataclasses.replace(found, distribution=distribution)
        return self._result

    def _distribution(self, channels: Channels) -> Distribution | None:
        """Describe how similar all pairs of a class are; more than LARGEST_CLASS have too many."""
        gathered, groups = self._gathered, self._groups()
        if gathered is None or scheme_traits(self.settings.scheme).sketch or not 2 <= groups <= LARGEST_CLASS:
            return None
        found = channels.similarities(self._reader, self._labels(groups))
        held = np.zeros(groups, np.bool_)
        for postings in channels.postings.values():
            held[: len(postings.sizes)] |= postings.sizes[:groups] > 0
        side, kin = (each[:groups] for each in (gathered.roster.side, gathered.roster.kin))
        return distribution(
            groups, compared_pairs(held, side, kin), found.left, found.right, found.similarity
        )

    def holders(self, file: str, channel: str, start: int, end: int) -> int:
        """Count the documents or submissions that have a passage: half-open byte offsets; 0: not known."""
        return 0 if self._holders is None else self._holders.count(file, channel, start, end)

    def explain(self, left: str, right: str, channel: str, regions: Sequence[Region]) -> Explanation:
        """Say what raised the similarity of a pair, given by a file of each, its channel and its regions."""
        if self._explainer is None or self._exact is None:
            return NOTHING
        return self._explainer.explain(self._exact, left, right, channel, regions)

    def _of_any_files(self) -> bool:
        """Say whether these may be any files, of which nobody said that they are programs to be compared."""
        settings = self.settings
        asked = settings.kind != "auto" or settings.language or self._gathered is not None
        return not (asked or self._chosen) and settings.cut > 0

    def compare(self, left: str, right: str, documents: Sequence[Document] = ()) -> Result:
        """Compare two files, matched exactly, whether they share fingerprints or not.

        `documents` are the two if they are in other files.
        """
        self._archives, self._chosen = False, True
        self.run([] if documents else [left, right], documents=documents)
        counts = self._counts
        assert counts is not None  # run has just made it
        read = counts.documents
        if counts.skipped or not read:
            return answer(by_suffix(counts, self.settings), self.settings)
        exact = self._matching(None if self._gathered is None else self._gathered.base)
        same = counts.equal or len(set(counts.twins)) < len(counts.twins)
        if len(read) == 1 or same or not (read[0].bytes or read[1].bytes):
            # One file under two names, or named twice, is found once.
            again = dataclasses.replace(read[0], name=right, group=right)
            both = read if len(read) > 1 or read[0].name == right else (*read, again)
            counts = dataclasses.replace(counts, documents=both, files=None)
            pair = Pair(left, right, True, 1.0, 1.0, 1.0, 1.0, read[0].fingerprints)
            self._collection.rename(right, 0)
            found = answer(by_suffix(counts, self.settings), self.settings)
            return dataclasses.replace(found, pairs=exact.equal((pair,)))
        known = Pairs(read, counts.pairs, settings=described(self.settings))[:]
        some = known or (Pair(left, right, False, 0.0, 0.0, 0.0, 0.0, 0),)
        pair = exact.pair(some[0])
        return dataclasses.replace(answer(by_suffix(counts, self.settings), self.settings), pairs=(pair,))

    def save(self, path: Path) -> None:
        """Write the run to a folder."""
        from copysift.runs.scan_run import save  # loads Arrow, which most scans do not need

        if self._counts is None or self._result is None:
            raise UsageError("there is no run to save yet", hint="call run first, with keep=True")
        save(path, self._counts, self._result, self.times)

    def equal_files(self) -> tuple[tuple[str, ...], ...]:
        """Give the sets of files that are equal byte for byte, whether anything in them counts or not."""
        assert self._counts is not None
        assert self._result is not None
        if not self._counts.twins:
            return self._result.equal
        sets: dict[int, list[str]] = {}
        for group, twin in zip(self._counts.documents, self._counts.twins, strict=True):
            if group.bytes:
                sets.setdefault(twin, []).append(group.name)
        return tuple(tuple(names) for names in sets.values() if len(names) > 1)

    def source(self, name: str, start: int, end: int) -> bytes:
        """Give a piece of the readable source of a document: half-open byte offsets."""
        filed = self._collection.by_name(name)
        return self._reader.piece(filed.entry, filed.kind, start, end)

    def same_content(self, left: str, right: str, *, opened: bool = False) -> bool:
        """Say whether all that counts in two documents is the same, in the same order.

        With `opened` only if one of them at least was read from a file of another format.
        """
        filed = [self._collection.by_name(name) for name in (left, right)]
        if opened and not any(each.entry.original for each in filed):
            return False
        kinds = {each.kind for each in filed}
        common = kinds.pop() if len(kinds) == 1 else "text"
        parts = (self._reader.blocks_of(each.entry, common, each.source_kind(common)) for each in filed)
        return same_symbols(*parts)

    def base(self, name: str) -> tuple[tuple[int, int], ...]:
        """Give the half-open byte spans of a document's source that base code covers."""
        return () if self._exact is None else self._exact.base_spans(name)

    def _gather(
        self, paths: Iterable[str | os.PathLike[str]], shown: Progress, documents: Iterable[Document]
    ) -> list[Document]:
        shown.phase("listing", None)
        found = gather(
            paths, self.settings, self._spool, self._reader, self._jobs, self._archives, self._grouped,
            documents, self._qualified,
        )  # fmt: skip
        if found.submissions is not None:
            self._collection = self._gathered = found.submissions
            self._reader.collapse = False
        for each in found.skipped:
            self._collection.skip(each)
        self._notes = found.notes
        return found.entries

    def _compared(self, entries: list[Document]) -> list[Document]:
        """Give all that is compared."""
        return entries

    def _read(self, entries: list[Document], channels: Channels, shown: Progress) -> None:
        """Read, canonicalise and fingerprint in threads, and file the hashes in the order of input."""
        self._reader.learn(entries)
        shown.phase("reading", len(entries))
        read = batches.sum_batch if self.settings.equal_only else batches.read_batch
        done = ordered_batches(
            partial(read, self._reader),
            entries,
            jobs=self._jobs,
            weigh=lambda entry: entry.size,
            budget=batches.IN_FLIGHT,
            most=batches.MOST,
        )
        for scanned in done:
            shown.advance()
            if isinstance(scanned, Failed):
                self._collection.skip(batches.skipped(scanned.item.path, scanned.error))
            elif isinstance(scanned, Skipped):
                self._collection.skip(scanned)
            else:
                number, views = self._collection.add(scanned)
                if not views:  # those of a file of the same bytes were taken
                    continue
                try:
                    channels.add(number, views, self._collection.count, written_type(scanned.entry))
                except (InputError, OSError) as error:  # a large file that changes while it is read again
                    self._collection.skip(batches.skipped(scanned.entry.path, error))
        self._reader.done()

    def _count(self, channels: Channels, keep: bool) -> Counts:
        settings = self.settings
        found = channels.pairs(self._reader, keep, self._labels(self._groups()), self._collection.sketch)
        documents = tuple(self._collection.groups())
        equal = tuple(self._collection.equal())
        filters, table = Filters(documents, settings, equal), pair_table(settings)
        near = self._near_copies(documents, channels)
        for pairs in (near.without(pairs) for pairs in found):
            table.append(pairs if keep else filters.passed(pairs))
        least = min(settings.floor, settings.cut) if keep else settings.cut
        pairs = near.pairs(settings.measure, least, settings.fewest)
        table.append(pairs if keep else filters.passed(pairs))
        return Counts(
            documents,
            table,
            equal,
            tuple(ignored(channels, self.text_of)),
            sum(len(postings.common) for postings in channels.postings.values()),
            tuple(self._collection.skipped),
            least,
            *self._of_submissions(channels),
            near_copies=near.numbers,
            notes=(
                *self._notes,
                *channels.notes(),
                *too_short(settings.min_match, self._reader, documents),
                *(near.notes(self._most_shared()) if self._gathered is None else ()),
            ),
        )

    def _near_copies(self, documents: tuple[Group, ...], channels: Channels) -> NearCopies:
        """Find the files that differ from what too many share in a word here and there."""
        name = CODE if self.settings.kind == "code" else TEXT
        found = NearCopies(name, documents, channels.postings[name])
        if self._gathered is None and not scheme_traits(self.settings.scheme).sketch:
            found.read(self._reader, self._collection, self.settings.memory // 8)
        return found

    def _of_submissions(
        self, channels: Channels
    ) -> tuple[tuple[Group, ...] | None, tuple[int, ...], tuple[Submission, ...]]:
        gathered = self._gathered
        if gathered is None:
            return None, (), ()
        return tuple(gathered.files()), gathered.twins(), gathered.submissions(channels.postings)

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
        if self._gathered is None or not self._sides or not groups:  # without groups nothing could be read
            return ()
        return self._gathered.roster.side, self._gathered.roster.kin

    def _answer(
        self, counts: Counts, regions: bool, most: int | None, groups: bool, shown: Progress
    ) -> Result:
        settings = self.settings
        base = None if self._gathered is None else self._gathered.base
        exact = self._exact = self._matching(base)
        found: RegionColumns | None = None
        if settings.measure == "longest" or settings.min_match is not None:
            counts, found = with_longest(counts, exact, settings, regions, shown)
        self._counts = counts
        parted = by_suffix(counts, settings)
        chosen = selected(parted, settings)
        if not regions:
            return answer(parted, settings, chosen=chosen, groups=groups)
        count = len(chosen) if most is None else min(most, len(chosen))
        best = pieces(chosen, count)
        if found is None or parted is not counts:
            shown.phase("matching", count)
            found = exact.among(best, progress=shown)
        else:
            found = found.take(np.concatenate([np.empty(0, np.int64), *(each.place for each in best)]))
        return answer(
            parted, settings, chosen=chosen, regions=found, files=exact.names, groups=groups,
            whole=exact.equal,
        )  # fmt: skip

    def _matching(self, base: Base | None) -> Exact:
        memory, folder = self.settings.memory, folder_of(self.settings)
        return Exact(self._reader, self._collection, self._jobs, base, memory, folder)

    def text_of(self, channel: str, number: int, value: int) -> str:
        """Give the text behind a fingerprint of a document, by number, or nothing if it is gone."""
        texts = (
            self._reader.text_of(filed.entry, filed.kind_in(channel), filed.kind, value, IGNORED_TEXT)
            for filed in self._collection.holders(number)
        )
        return next(filter(None, texts), "")

    @contextmanager
    def _timed(self, phase: str) -> Iterator[None]:
        begun = time.perf_counter()
        yield
        self.times[phase] = time.perf_counter() - begun
