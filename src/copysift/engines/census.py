"""The steps of the census: which shingles are boilerplate, and what documents are without them."""

from __future__ import annotations

import contextlib
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from copysift import kernels
from copysift.engines.steps import Job, Step, placed
from copysift.fingerprints import shingles as sketching
from copysift.join.boilerplate import LOAD, Boilerplate, Told, marks_of, new_cells, tally
from copysift.join.lists import COMMONEST
from copysift.runs.sets import Sets
from copysift.runs.sketches import write_common

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bools = NDArray[np.bool_]
    Int64s = NDArray[np.int64]
    UInt64s = NDArray[np.uint64]

ENTRY = 40  # bytes that a shingle takes while it is counted by name
NOTHING = np.uint32(2**32 - 1)  # a modulus of which no sample is expected


class Count(Step):
    """Count how many shingles fall into each of some cells; a task has some parts of the sets."""

    name, suffix = "count", "npy"

    def __init__(self, job: Job) -> None:
        super().__init__(job)
        standing = job.standing()
        self._most = job.settings.most_shared(len(standing))
        self._parts = job.spans(job.sets.parts)
        # nothing can be common where no more documents are compared than may share a shingle
        self.tasks = len(self._parts) if np.count_nonzero(standing) > self._most else 0
        self._wanted = standing.astype(np.uint8)
        self._keys = int(job.sets.column("shingles")[standing].sum())

    def run(self, task: int) -> None:
        """Write the cells of some parts."""
        cells = new_cells(self._keys, self._most, self.job.plan.share)
        for part in self._parts[task]:
            for values, bounds, documents in self.job.sets.pieces(part):
                kernels.shingle.count(cells, values, bounds, self._wanted[documents])
        with placed(self.job.file(self.name, task, "npy")) as spare, spare.open("wb") as file:
            np.save(file, cells)


class Name(Count):
    """Count by name the shingles of full cells, and note which documents have any."""

    name, suffix = "name", "npz"

    def __init__(self, job: Job) -> None:
        super().__init__(job)
        if self.tasks:
            cells = new_cells(self._keys, self._most, job.plan.share)
            for path in job.files("count", "npy"):
                cells += np.load(path)
            self._marks = marks_of(cells, self._most)
            full = int(np.count_nonzero(cells > self._most))
            load = max(self._keys // len(cells), LOAD)
            passes = max(1, -(-full * load * ENTRY // (2 * job.plan.memory)))
            self._passes = min(passes, len(self._marks)) if full else 0
            self.tasks = self.tasks if full else 0

    def run(self, task: int) -> None:
        """Write shingles with the number of documents that have them, in passes that fit into memory."""
        sets, marks = self.job.sets, self._marks
        suspects = [np.zeros(sets.size_of(part), np.bool_) for part in self._parts[task]]
        left: dict[str, NDArray[Any]] = {"passes": np.array(self._passes)}
        for number in range(self._passes):
            some = np.zeros_like(marks)
            span = slice(len(marks) * number // self._passes, len(marks) * (number + 1) // self._passes)
            some[span] = marks[span]
            found, counts = np.zeros(0, np.uint64), np.zeros(0, np.int64)
            for at, part in enumerate(self._parts[task]):
                first = sets.span(part).start
                for values, bounds, documents in sets.pieces(part):
                    hashes, ends = kernels.shingle.marked(some, values, bounds, self._wanted[documents])
                    suspects[at][documents.start - first : documents.stop - first] |= np.diff(ends) > 0
                    more, times = tally(hashes)
                    found, counts = tally(np.concatenate([found, more]), np.concatenate([counts, times]))
            left |= {f"found_{number}": found, f"counts_{number}": counts}
        self.save(task, suspects=np.concatenate(suspects), **left)


class Common(Step):
    """Add up what the tasks named: one task, which knows the boilerplate then."""

    name = "suspects"

    def run(self, task: int) -> None:
        """Write the boilerplate beside the sets, and which documents may have any."""
        job = self.job
        first, _ = job.classes()
        most, paths = job.settings.most_shared(len(first)), job.files("name", "npz")
        hashes, documents = [np.zeros(0, np.uint64)], [np.zeros(0, np.int64)]
        suspects = np.zeros(len(first), np.bool_)
        with contextlib.ExitStack() as stack:
            named = [stack.enter_context(np.load(path)) for path in paths]
            for number in range(int(named[0]["passes"]) if named else 0):
                found, counts = tally(
                    np.concatenate([each[f"found_{number}"] for each in named]),
                    np.concatenate([each[f"counts_{number}"] for each in named]),
                )
                hashes.append(found[counts > most])
                documents.append(counts[counts > most])
            if named:
                suspects = np.concatenate([each["suspects"] for each in named])[first]
        common = Boilerplate(*tally(np.concatenate(hashes), np.concatenate(documents)))
        write_common(job.sets.folder, common)
        self.save(task, suspects=suspects)


class Settle(Step):
    """Leave boilerplate out of the sets; a task has some parts."""

    name = "settle"

    def __init__(self, job: Job) -> None:
        super().__init__(job)
        self._parts = job.spans(job.sets.parts)
        self.tasks = len(self._parts)
        self._common = job.sets.common()
        with np.load(job.file("suspects", 0, "npz")) as loaded:
            self._suspects = loaded["suspects"]
        for name in ("shingles", "words", "places") if len(self._common) else ("shingles",):
            job.sets.column(name)  # what threads share is made before they start

    def run(self, task: int) -> None:
        """Write the sets without boilerplate, and how many documents changed or are buried in it."""
        sets, changed, buried = self.job.sets, 0, 0
        for part in self._parts[task]:
            found, _ = sets.settle(part, self._common, self._suspects[sets.span(part)])
            changed, buried = changed + len(found.changed), buried + len(found.buried)
        self.save(task, changed=np.array(changed), buried=np.array(buried))

    def clean(self) -> None:
        """Drop the numbers that no later step reads."""
        self.job.sets.forget("words", "places", "compared")

    def told(self) -> Told:
        """Say what the boilerplate of the run means."""
        sets = self.job.sets
        told = Told(len(self._common))
        for task in range(self.tasks):
            with np.load(self.job.file(self.name, task, "npz")) as loaded:
                told.documents += int(loaded["changed"] + loaded["buried"])
                told.buried += int(loaded["buried"])
        before, after = (int(sets.column(name).sum()) for name in ("shingles", "compared"))
        told.share = (before - after) / before if before else 0.0
        told.commonest = first_holders(sets, self.job.standing(), self._common)
        return told


def commonest(common: Boilerplate) -> tuple[UInt64s, Int64s]:
    """Give the shingles in most documents, and in how many they are."""
    order = np.lexsort((common.hashes, -common.documents))[:COMMONEST]
    return common.hashes[order], common.documents[order]


def first_holders(sets: Sets, standing: Bools, common: Boilerplate) -> tuple[tuple[int, int, int], ...]:
    """Name the commonest shingles with the first document that has each."""
    hashes, documents = commonest(common)
    if not len(hashes):
        return ()
    first, order = np.full(len(hashes), -1, np.int64), np.argsort(hashes)
    for values, bounds, span in chain.from_iterable(map(sets.pieces, range(sets.parts))):
        at = holders(values, bounds, standing[span], hashes[order])
        new = (first[order] < 0) & (at >= 0)
        first[order[new]] = at[new] + span.start
        if (first >= 0).all():
            break
    return tuple(zip(hashes.tolist(), documents.tolist(), first.tolist(), strict=True))


def holders(values: UInt64s, bounds: Int64s, standing: Bools, hashes: UInt64s) -> Int64s:
    """Give the first of some sets that has each of these hashes, which ascend; −1 where none has."""
    known = sketching.new_filter(len(hashes), 1 << 20)
    kernels.shingle.note(known, hashes)
    by = np.full(len(bounds) - 1, NOTHING)
    found, ends = kernels.shingle.samples(values, bounds, by, known)
    docs = np.repeat(np.arange(len(by)), np.diff(ends))
    place = np.searchsorted(hashes, found)
    real = standing[docs] & (place < len(hashes))
    real[real] = hashes[place[real]] == found[real]
    first = np.full(len(hashes), -1, np.int64)
    first[place[real][::-1]] = docs[real][::-1]  # the last to be written is the first document
    return first
