"""Long lists on disk: what the tasks of the join leave of them, and what the tasks that measure read.

A task of the join writes the long lists of its shingles. The same documents may share a dozen shingles, in as
many ranges: the lists of all tasks are merged, and their postings sorted into ranges of documents.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from copysift.engines.steps import Job, Step, placed
from copysift.join import long_lists
from copysift.join.boilerplate import bounds_of, picked
from copysift.join.lists import Lists
from copysift.join.long_lists import LongLists
from copysift.join.spill import Spill, write_all
from copysift.runtime.arrays import mapped

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import NDArray

    Int64s = NDArray[np.int64]
    UInt32s = NDArray[np.uint32]
    UInt64s = NDArray[np.uint64]

PAIR_RANGES = 1024
AT_ONCE = 1 << 20  # members of lists that are merged at a time, about


def pair_edges(documents: int) -> UInt64s:
    """Give the edges of the ranges of documents, as keys of pairs by their left one."""
    every = np.arange(PAIR_RANGES + 1, dtype=np.uint64) * np.uint64(documents) // np.uint64(PAIR_RANGES)
    return np.asarray(every << np.uint64(32))


class LongWriter:
    """Writes the long lists of a task of the join."""

    def __init__(self, path: Path) -> None:
        self._path, self._file = path, path.open("wb", buffering=0)
        self._lists: list[tuple[UInt64s, Int64s, UInt32s]] = []

    def write(self, found: Lists) -> Lists:
        """Write the lists that are long; give the others."""
        short, long, digests = long_lists.divided(found)
        write_all(self._file.fileno(), long.members, self._path)
        self._lists.append((digests, long.lengths, long.weights))
        return short

    def table(self) -> dict[str, NDArray[Any]]:
        """Give digests, lengths and weights of the lists, in their order."""
        kinds = {"long_digests": np.uint64, "long_lengths": np.int64, "long_weights": np.uint32}
        columns = zip(*self._lists, strict=True) if self._lists else ([], [], [])
        return {
            name: np.concatenate([np.zeros(0, kind), *column])
            for (name, kind), column in zip(kinds.items(), columns, strict=True)
        }

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()


class MergeLists(Step):
    """Phase 3, between join and measure: keep every long list once: one task."""

    name = "lists"

    def run(self, task: int) -> None:
        """Write the lists, their weights, and their postings in ranges of documents."""
        job = self.job
        loaded: list[tuple[UInt64s, Int64s, UInt32s]] = []
        for path in job.files("join", "npz"):
            with np.load(path) as table:
                loaded.append((table["long_digests"], table["long_lengths"], table["long_weights"]))
        digests, lengths, weights = (np.concatenate(column) for column in zip(*loaded, strict=True))
        first, weights = long_lists.same_lists(digests, weights)
        lengths = lengths[first]
        edges, sums = pair_edges(len(job.standing())), np.zeros(PAIR_RANGES, np.int64)
        number = 0
        with (
            placed(job.file("members", 0, "u64")) as members,
            placed(job.file("postings", 0, "bin")) as spare,
            members.open("wb", buffering=0) as file,
            Spill(spare, PAIR_RANGES) as spill,
        ):
            for some in self._parts([each[1] for each in loaded], first, weights):
                write_all(file.fileno(), some.members, members)
                keys, places = long_lists.postings(some, number)
                bounds = np.searchsorted(keys, edges)
                spill.write(keys, places, bounds)
                later = lengths[(keys & np.uint64(0xFFFFFFFF)).astype(np.int64)] - places - 1
                total = np.concatenate([[0], np.cumsum(later)])
                sums += np.diff(total[bounds])
                number += len(some.lengths)
        self.save(task, lengths=lengths, weights=weights, pairs=sums, **spill.table())

    def _parts(self, lengths: list[Int64s], first: Int64s, weights: UInt32s) -> Iterator[LongLists]:
        """Give the lists that are kept, in their order, some at a time."""
        begun = 0
        for path, sizes in zip(self.job.files("long", "bin"), lengths, strict=True):
            bounds = bounds_of(sizes)
            low, high = np.searchsorted(first, [begun, begun + len(sizes)]).tolist()
            kept = first[low:high] - begun
            source = mapped(path, np.uint64) if len(kept) else np.zeros(0, np.uint64)
            total = np.cumsum(sizes[kept])
            cuts = np.searchsorted(total, np.arange(AT_ONCE, int(total[-1]) if len(kept) else 0, AT_ONCE))
            for some in np.split(np.arange(len(kept)), cuts):
                found, _ = picked(source, bounds, kept[some])
                yield LongLists.of(found, sizes[kept[some]], weights[low:high][some])
            begun += len(sizes)

    def clean(self) -> None:
        """Remove the lists as the join left them."""
        for path in self.job.files("long", "bin"):
            path.unlink()


class StoredLists:
    """The merged lists of a job; `pairs` has about how many of their pairs are in each range of documents."""

    def __init__(self, job: Job) -> None:
        with np.load(job.file("lists", 0, "npz")) as loaded:
            lengths, weights = loaded["lengths"], loaded["weights"]
            self.pairs: Int64s = loaded["pairs"]
            self._table = loaded["offsets"], loaded["bounds"]
        path = job.file("members", 0, "u64")
        members = mapped(path, np.uint64) if len(lengths) else np.zeros(0, np.uint64)
        self._lists = LongLists.of(members, lengths, weights)
        self._postings = job.file("postings", 0, "bin")

    def opened(self) -> Spill:
        """Open the postings."""
        return Spill.reopened(self._postings, *self._table)

    def added(
        self, pairs: tuple[UInt64s, UInt32s], postings: Spill, first: int, last: int
    ) -> tuple[UInt64s, UInt32s]:
        """Give pairs and the pairs of the lists in the ranges first .. last − 1, with their weights."""
        keys, places = postings.read(first, last)
        if not len(keys):
            return pairs
        several = [pairs, *long_lists.pairs_of(keys, places, self._lists)]
        found, weights = (np.concatenate(column) for column in zip(*several, strict=True))
        return found, weights
