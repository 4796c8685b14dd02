"""Many pairs: in memory while there is space, in a temporary file after that, and put in order there.

Millions of small files can have more pairs than memory holds. Whoever goes through them takes a batch at a
time; the order of the report is made by sorting runs of pairs and merging them, and only if it is needed:
the best few are found without it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import fields
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from copysift.match.counts import PairColumns, PairRows, Shares, uncounted
from copysift.model.regions import UNKNOWN
from copysift.runtime.mapped import RecordFile

if TYPE_CHECKING:
    from numpy.typing import NDArray

ROOM = 1 << 28  # bytes, where nobody says how many
COUNTED = {
    "left": np.uint32, "right": np.uint32, "shared": np.uint32, "similarity": np.float64,
    "resemblance": np.float64, "containment_left": np.float64, "containment_right": np.float64,
    "channel": np.uint8,
}  # fmt: skip
MATCHED = {"longest": np.int64, "lines": np.int64, "place": np.int64}
OCCURRING = {"sif": np.float64}
ROW = np.dtype([*COUNTED.items(), *MATCHED.items()]).itemsize
SORTED = 4  # times its size that a run takes while it is sorted
FEWEST = 256  # rows that are read together at least, whatever the memory
HEAD = 1 << 14  # of the best pairs are found without sorting all

Rank = Callable[[PairColumns], Shares]  # what pairs are ordered by, the smallest first


class PairTable:
    """Takes pairs and gives them back, in the same order; up to `room` bytes of them stay in memory."""

    def __init__(self, room: int = ROOM, folder: Path | None = None) -> None:
        self.room, self.folder = room, folder
        self._held: list[PairColumns] = []
        self._left = room
        self._file: RecordFile | None = None

    def __len__(self) -> int:
        return sum(map(len, self._held)) + (0 if self._file is None else len(self._file))

    def append(self, pairs: PairColumns) -> None:
        """Put pairs at the end."""
        if not len(pairs):
            return
        self._held.append(pairs)
        self._left -= ROW * len(pairs)
        if self._left < 0:
            self._write()

    def batches(self) -> Iterator[PairColumns]:
        """Give all pairs: at once if they are in memory."""
        if self._file is None:
            yield self._whole()
            return
        step = max(self.room // ROW, FEWEST)
        for start in range(0, len(self), step):
            yield self.rows(start, start + step)

    def rows(self, first: int, last: int) -> PairColumns:
        """Give the pairs first .. last - 1."""
        if self._file is None:
            return self._whole().rows(first, last)
        self._write()
        return _columns(self._file.read(first, last))

    def _whole(self) -> PairColumns:
        if len(self._held) != 1:
            self._held = [PairColumns.together(self._held or [PairColumns.none()])]
        return self._held[0]

    def _write(self) -> None:
        for pairs in self._held:
            if self._file is None:
                known = pairs.longest.strides != (0,) or pairs.place.strides != (0,)
                more = (MATCHED if known else {}) | (OCCURRING if pairs.sif.strides != (0,) else {})
                self._file = RecordFile([*COUNTED.items(), *more.items()], self.folder)
            self._file.append(_records(pairs, self._file.dtype))
        self._held = []


class Ranking:
    """Pairs of a table in an order of their own: by rank, then resemblance, then numbers of documents."""

    def __init__(self, table: PairRows, rank: Rank, room: int = ROOM, folder: Path | None = None) -> None:
        self._table, self._rank = table, rank
        self._room, self._folder = room, folder

    def __len__(self) -> int:
        return len(self._table)

    def batches(self) -> Iterator[PairColumns]:
        """Give all pairs, in the order of the table."""
        return self._table.batches()

    def rows(self, first: int, last: int) -> PairColumns:
        """Give the pairs first .. last - 1 of the order."""
        if last <= HEAD and ROW * len(self) > self._room and "_sorted" not in self.__dict__:
            return self._head.rows(first, last)
        return self._sorted.rows(first, last)

    @cached_property
    def _head(self) -> PairColumns:
        """The best pairs: those of each batch compete with the best so far."""
        best = PairColumns.none()
        for batch in self._batches(max(self._run, HEAD)):
            both = PairColumns.together([best, self._promising(best, batch)])
            best = both.take(self._order(both)[:HEAD])
        return best

    def _promising(self, best: PairColumns, others: PairColumns) -> PairColumns:
        """Give those of others that may be among the best."""
        if len(best) < HEAD:
            return others
        worst = best.rows(HEAD - 1, HEAD)
        rank, last = self._rank(others), self._rank(worst)
        tied = (others.resemblance == worst.resemblance) & (others.left <= worst.left)
        return others.take((rank < last) | (rank == last) & (tied | (others.resemblance > worst.resemblance)))

    @cached_property
    def _sorted(self) -> PairRows:
        if ROW * len(self) <= self._room:
            whole = PairColumns.together(list(self.batches()) or [PairColumns.none()])
            return whole.take(self._order(whole))
        runs, ends = PairTable(0, self._folder), [0]
        for batch in self._batches(self._run):
            runs.append(batch.take(self._order(batch)))
            ends.append(len(runs))
        merged = PairTable(0, self._folder)
        step = max(self._run // (len(ends) - 1), FEWEST)
        loaded = [_Run(runs, *span, step, self._rank) for span in pairwise(ends)]
        while loaded:
            limit = min((run.last for run in loaded if run.more), default=None)
            due = [run for run in loaded if limit is None or run.first <= limit]
            some = PairColumns.together([run.taken(limit) for run in due])
            merged.append(some.take(self._order(some)) if len(due) > 1 else some)
            loaded = [run for run in loaded if run.count]
        return merged

    @property
    def _run(self) -> int:
        """The number of pairs that are put in order in memory."""
        return max(self._room // (ROW * SORTED), FEWEST)

    def _batches(self, step: int) -> Iterator[PairColumns]:
        for batch in self.batches():
            for start in range(0, len(batch), step):
                yield batch.rows(start, start + step)

    def _order(self, pairs: PairColumns) -> NDArray[np.int64]:
        order: NDArray[np.int64] = np.lexsort(
            (pairs.right, pairs.left, -pairs.resemblance, self._rank(pairs))
        )
        return order


class _Run:
    """Pairs that are in order, of which some are loaded."""

    def __init__(self, table: PairTable, first: int, end: int, step: int, rank: Rank) -> None:
        self._table, self._next, self._end, self._step, self._rank = table, first, end, step, rank
        self._loaded, self._ranks = PairColumns.none(), np.empty(0, np.float64)
        self.count = 0  # of the pairs that are loaded
        self.first: tuple[float, ...] = ()  # the key of the first one, and of the last
        self.last: tuple[float, ...] = ()
        self._load()

    @property
    def more(self) -> bool:
        """Whether there are pairs that are not loaded."""
        return self._next < self._end

    def taken(self, limit: tuple[float, ...] | None) -> PairColumns:
        """Give, and forget, the loaded pairs up to a key."""
        count = self.count
        if limit is not None and limit < self.last:
            count = bisect_right(range(count), limit, key=self._key)
        some, self._loaded = self._loaded.rows(0, count), self._loaded.rows(count, self.count)
        self._ranks = self._ranks[count:]
        self.count -= count
        if self.count:
            self.first = self._key(0)
        elif self.more:
            self._load()
        return some

    def _load(self) -> None:
        until = min(self._next + self._step, self._end)
        self._loaded, self._next = self._table.rows(self._next, until), until
        self._ranks, self.count = self._rank(self._loaded), len(self._loaded)
        self.first, self.last = self._key(0), self._key(self.count - 1)

    def _key(self, at: int) -> tuple[float, ...]:
        pairs = self._loaded
        return (
            float(self._ranks[at]), -float(pairs.resemblance[at]), int(pairs.left[at]), int(pairs.right[at])
        )  # fmt: skip


def _records(pairs: PairColumns, dtype: np.dtype[Any]) -> NDArray[Any]:
    records = np.empty(len(pairs), dtype)
    for name in dtype.names or ():
        records[name] = getattr(pairs, name)
    return records


def _columns(records: NDArray[Any]) -> PairColumns:
    held = records.dtype.names or ()
    unknown = np.broadcast_to(np.int32(UNKNOWN), len(records))  # takes no room
    others = {"sif": uncounted(len(records))}
    columns: dict[str, Any] = {
        each.name: np.ascontiguousarray(records[each.name])
        if each.name in held
        else others.get(each.name, unknown)
        for each in fields(PairColumns)
    }
    return PairColumns(**columns)
