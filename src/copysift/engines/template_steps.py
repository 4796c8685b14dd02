"""The steps that look for templates among measured pairs, and leave them out (`match/templates.py`).

They have tasks only where some documents have more pairs than --template allows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from copysift import kernels
from copysift.clusters.components import joined
from copysift.engines.census import Common, Count, Name, Settle
from copysift.engines.list_files import MergeLists
from copysift.engines.pair_files import SUFFIX, PairWriter, StoredPairs
from copysift.engines.pairing import Entries, Filter, Join, Measure, in_order
from copysift.engines.steps import Collapse, Job, Step, placed, read_tables, spills
from copysift.join.boilerplate import Boilerplate
from copysift.join.spill import ENTRY, Spill, write_all
from copysift.match.sets import MeasuredPairs
from copysift.match.templates import common_shingles, measured_again, near_copies, without_templates
from copysift.runs.workspace import link
from copysift.runtime.arrays import distinct, mapped, numbered

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bools = NDArray[np.bool_]
    Int64s = NDArray[np.int64]
    UInt32s = NDArray[np.uint32]
    UInt64s = NDArray[np.uint64]

RANGES = 10  # bits of the ranges of shingles
BATCH = 64 << 20  # bytes of shingles that are measured again together, about


class Crowd(Step):
    """Find the documents with many pairs: one task."""

    name = "crowd"

    def run(self, task: int) -> None:
        """Write which documents are crowded; nothing where none is."""
        job = self.job
        standing = job.standing()
        most = job.settings.template
        degrees = np.zeros(len(standing), np.uint32)
        for side in stored(job).columns("left", "right") if most else ():
            np.add.at(degrees, side, np.uint32(1))
        found = degrees >= most if most else np.zeros(0, np.bool_)
        if not found.any():
            self.save(task, crowded=np.zeros(0, np.bool_))
            return
        del degrees  # four bytes a document
        self.save(task, crowded=found, root=self._first_roots(found))

    def _first_roots(self, crowd: Bools) -> UInt32s:
        """Put every document together with the first of its pairs, if they are near-copies.

        Thousands of near-copies are one work after that, and their other pairs need no look.
        """
        job, root = self.job, numbered(len(crowd))
        first = np.full_like(root, np.iinfo(root.dtype).max)
        for pairs in stored(job):
            both = crowd[pairs.left] & crowd[pairs.right]
            np.minimum.at(first, pairs.right[both], pairs.left[both].astype(root.dtype))
        for pairs in stored(job):
            chosen = np.flatnonzero(first[pairs.right] == pairs.left)
            for some, numbers in batches(job, pairs, chosen):
                asked = pairs.take(some)
                near = near_copies(asked, job.sets.texts(numbers))
                root = joined(root, asked.left[near], asked.right[near])
        return root.astype(np.uint32)


def crowd_of(job: Job) -> Bools:
    """Give which documents are crowded; an empty array where none is."""
    with np.load(job.file("crowd", 0, "npz")) as loaded:
        found: Bools = loaded["crowded"]
        return found


class Likeness(Step):
    """Find the pairs of crowded documents that are near-copies; a task has pairs that one task measured."""

    name = "likeness"

    def __init__(self, job: Job) -> None:
        super().__init__(job)
        self._crowded = crowd_of(job)
        self._measured = job.files("measure", SUFFIX)
        self.tasks = len(self._measured) if len(self._crowded) else 0
        self._root = roots_of(job) if self.tasks else self._crowded
        for name in ("shingles", "words", "places") if self.tasks else ():
            job.sets.narrow(name)  # what threads share is made before they start
        self._texts = None
        if self.tasks and fits(job, self._crowded):
            self._texts = job.sets.texts(np.flatnonzero(self._crowded))

    def run(self, task: int) -> None:
        """Write which pairs of crowded documents are near-copies, but for those known to be of one work."""
        found = [self._near(pairs) for pairs in StoredPairs([self._measured[task]])]
        sides = [np.concatenate([np.zeros(0, np.uint32), *side]) for side in zip(*found, strict=True)]
        left, right = sides or 2 * [np.zeros(0, np.uint32)]
        self.save(task, left=left, right=right)

    def _near(self, pairs: MeasuredPairs) -> tuple[UInt32s, UInt32s]:
        crowd, sets = self._crowded, self.job.sets
        apart = self._root[pairs.left] != self._root[pairs.right]
        asked = np.flatnonzero(crowd[pairs.left] & crowd[pairs.right] & apart)
        near = [np.zeros(0, np.bool_)]
        if self._texts is not None:
            near.append(near_copies(pairs.take(asked), self._texts))
        else:
            for some, numbers in batches(self.job, pairs, asked):
                near.append(near_copies(pairs.take(some), sets.texts(numbers)))
        which = asked[np.concatenate(near)]
        return pairs.left[which].astype(np.uint32), pairs.right[which].astype(np.uint32)

    def clean(self) -> None:
        """Drop what no later step reads."""
        self.job.sets.forget("words", "places")
        self._texts = None


class Works(Step):
    """Put near-copies together, which are one work: one task."""

    name = "works"

    def __init__(self, job: Job) -> None:
        super().__init__(job)
        self.tasks = int(bool(len(crowd_of(job))))

    def run(self, task: int) -> None:
        """Write the number of the work of every document, if there are enough works to share anything."""
        crowd, near = crowd_of(self.job), []
        for path in self.job.files("likeness", "npz"):
            with np.load(path) as loaded:
                near.append((loaded["left"], loaded["right"]))
        left, right = (np.concatenate(side).astype(np.int64) for side in zip(*near, strict=True))
        work = joined(roots_of(self.job).astype(np.int64), left, right).astype(np.uint32)
        self.save(task, work=work if len(distinct(work[crowd])) > self.job.settings.template else work[:0])


def roots_of(job: Job) -> UInt32s:
    """Give the first document that every document is a near-copy of, as far as first pairs show it."""
    with np.load(job.file("crowd", 0, "npz")) as loaded:
        found: UInt32s = loaded["root"]
        return found


def works_of(job: Job) -> UInt32s:
    """Give the work of every document; an empty array where there is no template."""
    path = job.file("works", 0, "npz")
    if not path.exists():
        return np.zeros(0, np.uint32)
    with np.load(path) as loaded:
        found: UInt32s = loaded["work"]
        return found


class CrowdEntries(Step):
    """Sort the shingles of crowded documents into ranges; a task has some parts of the sets."""

    name = "crowd-entries"

    def __init__(self, job: Job) -> None:
        super().__init__(job)
        self._crowded, self._works = crowd_of(job), works_of(job)
        self._parts = job.spans(job.sets.parts) if len(self._works) else []
        self.tasks = len(self._parts)

    def run(self, task: int) -> None:
        """Write the shingles of some parts with the works that they are in."""
        sets, target = self.job.sets, self.job.file(self.name, task, "bin")
        with placed(target) as spare, Spill(spare, 1 << RANGES) as spill:
            for part in self._parts[task]:
                which = np.flatnonzero(self._crowded[sets.span(part)])
                if len(which):
                    hashes, ends = sets.some(which + sets.span(part).start)
                    works = np.repeat(self._works[sets.span(part)][which], np.diff(ends))
                    spill.write(*kernels.join.partition(hashes, works, RANGES))
        self.save(task, **spill.table())


class CrowdCommon(Step):
    """Name the shingles that are in more works than --template allows: one task."""

    name, suffix = "crowd-common", "u64"

    def __init__(self, job: Job) -> None:
        super().__init__(job)
        self.tasks = int(bool(len(works_of(job))))

    def run(self, task: int) -> None:
        """Write them, ascending."""
        job, most = self.job, self.job.settings.template
        tables = read_tables(job, "crowd-entries", "crowd-entries")
        with (
            placed(job.file(self.name, task, self.suffix)) as spare,
            spare.open("wb", buffering=0) as file,
            spills(tables) as entries,
        ):
            for span in entries.spans(max(job.plan.memory // (4 * ENTRY), 1), 0, 1 << RANGES):
                write_all(file.fileno(), common_shingles(*entries.read(*span), most), spare)

    def clean(self) -> None:
        """Remove the entries."""
        for path in self.job.files("crowd-entries", "bin"):
            path.unlink()


class Refine(Step):
    """Measure pairs of different works without templates; a task has the pairs of one that measured them."""

    name, suffix = "refine", SUFFIX

    def __init__(self, job: Job) -> None:
        super().__init__(job)
        self._measured, self._works = job.files("measure", SUFFIX), works_of(job)
        self._crowded = crowd_of(job)
        self.tasks = len(self._measured) if len(self._works) else 0
        self._common = Boilerplate.none()
        path = job.file("crowd-common", 0, "u64")
        if self.tasks and path.stat().st_size:
            self._common = Boilerplate(mapped(path, np.uint64), np.zeros(0, np.int64))
        if self.tasks:
            job.sets.keep(0)  # what threads share is made before they start
        self._less: tuple[Int64s, UInt64s, Int64s] | None = None
        if self.tasks and fits(job, self._crowded):
            numbers = np.flatnonzero(self._crowded)
            self._less = numbers, *self._common.taken_from(*job.sets.some(numbers))

    def run(self, task: int) -> None:
        """Write the pairs that are left, in their order."""
        if not any(len(self._asked(pairs)) for pairs in StoredPairs([self._measured[task]])):
            link(
                self._measured[task], self.job.file(self.name, task, self.suffix)
            )  # they need no second copy
            return
        with placed(self.job.file(self.name, task, self.suffix)) as spare, PairWriter(spare) as left:
            for pairs in StoredPairs([self._measured[task]]):
                left.write(self._without(pairs))

    def _asked(self, pairs: MeasuredPairs) -> Int64s:
        """Give the pairs of crowded documents that are different works."""
        apart = self._works[pairs.left] != self._works[pairs.right]
        return np.flatnonzero(self._crowded[pairs.left] & self._crowded[pairs.right] & apart)

    def _without(self, pairs: MeasuredPairs) -> MeasuredPairs:
        sets, floor = self.job.sets, self.job.settings.floor
        asked = self._asked(pairs)
        if not len(asked):
            return pairs
        kept = np.ones(len(pairs), np.bool_)
        kept[asked] = False
        parts = [pairs.take(kept)]
        if self._less is not None:
            parts.append(measured_again(pairs.take(asked), *self._less, floor))
        else:
            for some, numbers in batches(self.job, pairs, asked):
                sets_of = sets.some(numbers)
                parts.append(without_templates(pairs.take(some), numbers, *sets_of, self._common, floor))
        return in_order(parts)

    def found(self) -> tuple[StoredPairs, int]:
        """Give the pairs of all tasks, and how many were left out."""
        found = stored(self.job, self.name) if self.tasks else stored(self.job)
        return found, len(stored(self.job)) - len(found) if self.tasks else 0

    @property
    def common(self) -> UInt64s:
        """The shingles of templates."""
        return self._common.hashes

    def ignored(self) -> int:
        """Count the shingles of templates."""
        return len(self._common)


def fits(job: Job, crowd: Bools) -> bool:
    """Say whether the sets of all crowded documents can be held together, so that each is read once."""
    return 16 * int(job.sets.column("compared")[crowd].sum()) <= min(BATCH, job.plan.share)


def batches(job: Job, pairs: MeasuredPairs, which: Int64s) -> Iterator[tuple[Int64s, Int64s]]:
    """Cut some pairs, in order, where their sets together would take too much memory; name the documents."""
    sizes, left, right = job.sets.column("compared"), pairs.left[which], pairs.right[which]
    if not len(which):
        return
    # every left document once, every right one as if it came for the first time
    total = np.cumsum(16 * (np.where(np.diff(left, prepend=-1) != 0, sizes[left], 0) + sizes[right]))
    step = max(min(BATCH, job.plan.share), 1)
    cuts = distinct(np.searchsorted(total, np.arange(step, int(total[-1]), step)))
    for some in np.split(np.arange(len(which)), cuts):
        if len(some):
            yield which[some], distinct(np.concatenate([left[some], right[some]]))


def stored(job: Job, step: str = "measure") -> StoredPairs:
    """Give the pairs that the tasks of a step left."""
    return StoredPairs(job.files(step, SUFFIX))


STEPS: tuple[type[Step], ...] = (
    Collapse, Count, Name, Common, Settle, Filter, Entries, Join, MergeLists, Measure,
    Crowd, Likeness, Works, CrowdEntries, CrowdCommon, Refine,
)  # fmt: skip
