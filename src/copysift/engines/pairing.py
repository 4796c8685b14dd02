"""The steps from sets of shingles to measured pairs: filter, entries, join, measure."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING

import numpy as np

from copysift import kernels
from copysift.engines import phases
from copysift.engines.company import read_company
from copysift.engines.list_files import PAIR_RANGES, LongWriter, StoredLists, pair_edges
from copysift.engines.pair_files import SUFFIX, PairWriter
from copysift.engines.steps import Job, Step, placed, read_tables, spills
from copysift.fingerprints import shingles as sketching
from copysift.join import lists
from copysift.join.spill import ENTRY, Spill
from copysift.match.sets import MeasuredPairs
from copysift.runtime.arrays import distinct

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bools = NDArray[np.bool_]
    Int64s = NDArray[np.int64]
    UInt32s = NDArray[np.uint32]
    UInt64s = NDArray[np.uint64]

RANGES = 10  # bits of the ranges of shingles: a range of 2^33 entries is then 100 MB
BATCH = 128 << 20  # bytes of shingles that one check of candidates holds, about: each looks into all parts


class Filter(Step):
    """Note the shingles of finer samples, by which documents with coarser ones are looked up: one task."""

    name, suffix = "filter", "npy"

    def run(self, task: int) -> None:
        """Write the filter; one of nothing where there is nothing to look up."""
        job, settings = self.job, self.job.settings
        modulus, edges, by, standing = settings.modulus, job.sets.bounds(), job.moduli(), job.standing()
        finer = standing & (by < modulus)
        total = int((job.sets.column("compared")[finer] // by[finer]).sum())
        if settings.method == "super" or not total:
            known = np.zeros(0, np.uint64)
        else:
            known = sketching.new_filter(total, job.plan.memory)
            for number in range(job.sets.parts):
                span = slice(int(edges[number]), int(edges[number + 1]))
                if finer[span].any():
                    asked = phases.probes(job.sets.places(number), by[span], standing[span], modulus)
                    kernels.shingle.note(known, asked)
        with placed(job.file(self.name, task, "npy")) as spare, spare.open("wb") as file:
            np.save(file, known)


class Entries(Step):
    """Phase 2: (shingle, document) entries in ranges of shingles; a task has some parts of the sets."""

    name = "entries"

    def __init__(self, job: Job) -> None:
        super().__init__(job)
        self._parts = job.spans(job.sets.parts)
        self.tasks = len(self._parts)
        self._standing, self._by = job.standing(), job.moduli()
        known = np.load(job.file("filter", 0, "npy"), mmap_mode="r")
        self._known = known if len(known) else None
        self._edges = job.sets.bounds()

    def run(self, task: int) -> None:
        """Write the entries of some parts, and the sizes of the samples of their documents."""
        job, target = self.job, self.job.file("entries", task, "bin")
        sampled = []
        with placed(target) as spare, Spill(spare, 1 << RANGES) as spill:
            for number in self._parts[task]:
                span = slice(int(self._edges[number]), int(self._edges[number + 1]))
                hashes, docs, own = phases.entries(
                    job.sets.places(number),
                    span.start,
                    self._by[span],
                    self._standing[span],
                    self._known,
                    job.settings,
                )
                sampled.append(own.astype(np.uint32))
                spill.write(*lists.partition(hashes, docs, RANGES))
        self.save(task, sampled=np.concatenate(sampled), **spill.table())


class Join(Step):
    """Phase 3, first half: pairs that share shingles, in ranges of documents; a task has some shingles."""

    name = "join"

    def __init__(self, job: Job) -> None:
        super().__init__(job)
        self._count = len(job.standing())
        self._ranges = job.spans(1 << RANGES)
        self.tasks = len(self._ranges)
        self._entries = read_tables(job, "entries", "entries")
        self._by = job.moduli()
        if job.settings.method == "super":
            self._by = np.ones(self._count, np.uint32)
        self._edges = pair_edges(self._count)

    def run(self, task: int) -> None:
        """Write pairs with what they share, pairs of common shingles, and what is left of the samples."""
        job = self.job
        sizes = np.zeros(self._count, np.uint32)
        most = job.settings.most_shared(self._count)
        with ExitStack() as stack:
            entries = stack.enter_context(spills(self._entries))
            pairs, common = (
                stack.enter_context(
                    Spill(stack.enter_context(placed(job.file(name, task, "bin"))), PAIR_RANGES)
                )
                for name in ("pairs", "common")
            )
            long = stack.enter_context(LongWriter(stack.enter_context(placed(job.file("long", task, "bin")))))
            ranges = self._ranges[task]
            for span in entries.spans(_at_once(job, ENTRY), ranges.start, ranges.stop):
                found = lists.lists_of(*entries.read(*span), self._by, most, sizes)
                few = lists.common_pairs(found)
                common.write(few, np.zeros(len(few), np.uint32), np.searchsorted(few, self._edges))
                short = long.write(found)
                for keys, weights in lists.pairs_of(short, min(_at_once(job, ENTRY), lists.CHUNK)):
                    pairs.write(keys, weights, np.searchsorted(keys, self._edges))
            tables = pairs.table("pairs_") | common.table("common_") | long.table()
        small = np.min_scalar_type(int(sizes.max(initial=0)))
        self.save(task, sizes=sizes.astype(small), **tables)

    def clean(self) -> None:
        """Remove the entries, which take the most space of all."""
        for path in self.job.files("entries", "bin"):
            path.unlink()


class Measure(Step):
    """Phase 3, second half: sum up pairs, choose candidates, measure them; a task has some documents."""

    name, suffix = "measure", SUFFIX

    def __init__(self, job: Job) -> None:
        super().__init__(job)
        self._ranges = job.spans(PAIR_RANGES)
        self.tasks = len(self._ranges)
        self._sizes = job.sets.column("compared")
        sampled = np.zeros(len(self._sizes), np.uint32)
        for path in job.files("join", "npz"):
            with np.load(path) as loaded:
                sampled += loaded["sizes"]
        self._pairs, self._common = (
            read_tables(job, "join", name, f"{name}_") for name in ("pairs", "common")
        )
        self._long = StoredLists(job)
        settings = job.settings
        self._rule = phases.Candidates(self._sizes, sampled, settings.floor, settings.method)
        self._company = read_company(job.sets.folder)
        # short documents whose sample is all of their shingles, none of them in a common list
        self._whole = (job.moduli() == 1) & (sampled == self._sizes)
        if settings.method == "super":
            self._whole[:] = False
        job.sets.keep(job.plan.memory)

    def run(self, task: int) -> None:
        """Write the pairs at the floor or above it."""
        job, ranges = self.job, self._ranges[task]
        with (
            placed(job.file(self.name, task, self.suffix)) as spare,
            PairWriter(spare) as measured,
            spills(self._pairs) as pairs,
            spills(self._common) as common,
            self._long.opened() as long,
        ):
            counts = pairs.counts() + common.counts() + self._long.pairs
            for span in pairs.spans(_at_once(job, ENTRY), ranges.start, ranges.stop, counts):
                keys, weights = lists.summed(*self._long.added(pairs.read(*span), long, *span))
                counted = self._is_counted(keys)
                rest = self._rule.of(keys[~counted], weights[~counted], distinct(common.read(*span)[0]))
                counted &= self._is_compared(keys)
                found = [self._counted(keys[counted], weights[counted])]
                found += [self.check(some) for some in self._batches(rest[self._is_compared(rest)])]
                measured.write(in_order(found))

    def _is_compared(self, pairs: UInt64s) -> Bools:
        """Say which pairs are of documents that are compared with each other."""
        if not self._company:
            return np.ones(len(pairs), np.bool_)
        return self._company.compared(*phases.split(pairs))

    def _is_counted(self, pairs: UInt64s) -> Bools:
        """Say of which pairs the lists had every shingle that they share."""
        left, right = phases.split(pairs)
        return np.asarray(self._whole[left] | self._whole[right])

    def _counted(self, pairs: UInt64s, shared: UInt32s) -> MeasuredPairs:
        """Measure pairs by what the lists have counted."""
        left, right = phases.split(pairs)
        sizes, floor = self._sizes, self.job.settings.floor
        return phases.counted(left, right, shared.astype(np.int64), sizes[left], sizes[right], floor)

    def clean(self) -> None:
        """Let the sets go."""
        self.job.sets.keep(0)

    def check(self, pairs: UInt64s) -> MeasuredPairs:
        """Measure some candidates over all their shingles."""
        left, right = phases.split(pairs)
        settings, sizes = self.job.settings, self._sizes
        if not settings.estimate:
            shared = self.job.sets.shared(left, right)
            return phases.counted(left, right, shared, sizes[left], sizes[right], settings.floor)
        numbers = distinct(np.concatenate([left, right]))
        values, bounds = self.job.sets.some(numbers)
        return phases.measured(values, bounds, numbers, pairs, settings, settings.floor)

    def _batches(self, pairs: UInt64s) -> Iterator[UInt64s]:
        """Cut candidates, in order, where their sets together would take too much memory."""
        left, right = phases.split(pairs)
        limit = max(min(BATCH, self.job.plan.share), 1)
        # every left document once, every right one as if it came for the first time
        weights = np.where(np.diff(left, prepend=-1) != 0, self._sizes[left], 0) + self._sizes[right]
        total = np.cumsum(8 * weights)
        start = 0
        while start < len(pairs):
            base = int(total[start - 1]) if start else 0
            end = max(int(np.searchsorted(total, base + limit, side="right")), start + 1)
            yield pairs[start:end]
            start = end


def in_order(parts: list[MeasuredPairs]) -> MeasuredPairs:
    """Put pairs together that are in order in every part: merged, which takes less than to sort them."""
    found = MeasuredPairs.joined([part for part in parts if len(part)])
    return found.take(np.argsort(found.left << 32 | found.right, kind="stable"))


def _at_once(job: Job, entry: int) -> int:
    """Give how many entries a task may hold at a time."""
    return max(job.plan.share // (4 * entry), 1)
