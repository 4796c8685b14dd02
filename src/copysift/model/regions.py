"""The regions of many pairs, as columns: 44 bytes each, where as values they take a kilobyte."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from copysift.model.values import Region, Side
from copysift.runtime.lazy_dataclass import dataclass
from copysift.runtime.mapped import ArrayFile

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Int64s = NDArray[np.int64]
    Table = NDArray[np.integer[Any]]  # uint32, or uint64 where a document has over 4 GiB

UNKNOWN = -1  # for `longest` and `lines` of a pair that was not matched exactly
SIDE = 5  # file, start, end, first and last line
WIDTH = 1 + 2 * SIDE  # length, left, right


@dataclass(frozen=True, slots=True)
class RegionColumns:
    """The regions of pairs; those of pair i are counts[i] rows of the table from firsts[i] on.

    A row has the length, then file, start, end, first and last line of the left side and of the right one,
    where a file is named by its place among those of its group. `longest` and `lines` are those of each
    pair, or UNKNOWN where a file could not be matched. The table is never copied: it may be in a file.
    """

    longest: Int64s
    lines: Int64s
    firsts: Int64s
    counts: Int64s
    table: Table

    @classmethod
    def of(cls, longest: Int64s, lines: Int64s, counts: Int64s, table: Table) -> RegionColumns:
        """Give the regions of pairs whose rows are one behind the other."""
        return cls(longest, lines, np.cumsum(counts) - counts, counts, table)

    @classmethod
    def together(cls, parts: Sequence[RegionColumns]) -> RegionColumns:
        """Give the pairs of all parts of one table."""
        return cls(
            np.concatenate([each.longest for each in parts]),
            np.concatenate([each.lines for each in parts]),
            np.concatenate([each.firsts for each in parts]),
            np.concatenate([each.counts for each in parts]),
            parts[0].table,
        )

    def __len__(self) -> int:
        return len(self.longest)

    def take(self, which: Int64s) -> RegionColumns:
        """Give the regions of some pairs, in the order given."""
        longest, lines = self.longest[which], self.lines[which]
        return RegionColumns(longest, lines, self.firsts[which], self.counts[which], self.table)

    def bare(self) -> RegionColumns:
        """Forget the regions, but not how long and how many lines."""
        nothing = np.zeros_like(self.counts)
        return RegionColumns(self.longest, self.lines, nothing, nothing, self.table[:0])

    def without(self, lost: NDArray[np.bool_]) -> RegionColumns:
        """Forget what is known of some pairs."""
        longest, lines = (np.where(lost, UNKNOWN, each) for each in (self.longest, self.lines))
        return RegionColumns(longest, lines, self.firsts, np.where(lost, 0, self.counts), self.table)

    def made(
        self, names: Sequence[tuple[Sequence[str], Sequence[str]]]
    ) -> Iterator[tuple[Region, ...] | None]:
        """Make the regions of every pair, whose files are named; None where a file could not be matched."""
        columns = (self.longest.tolist(), self.firsts.tolist(), self.counts.tolist())
        for (left, right), longest, first, count in zip(names, *columns, strict=True):
            rows = self.table[first : first + count].tolist()
            yield None if longest == UNKNOWN else tuple(region(row, left, right) for row in rows)


def region(row: Sequence[int], left: Sequence[str], right: Sequence[str]) -> Region:
    """Make a region of its row."""
    length, ours, a, b, c, d, theirs, e, f, g, h = row
    return Region(length, Side(left[ours], a, b, c, d), Side(right[theirs], e, f, g, h))


class RegionFile:
    """Takes the regions of pairs piece by piece; up to `room` bytes stay in memory."""

    def __init__(self, folder: Path | None, room: int) -> None:
        self._table = ArrayFile(folder, room)
        self._columns = [ArrayFile(folder, room // 4) for _ in range(4)]
        self._rows = 0

    def moved(self, part: RegionColumns) -> RegionColumns:
        """Take the table of a part; give the part with its place in the file."""
        self._table.append(part.table.ravel())
        firsts, self._rows = part.firsts + self._rows, self._rows + len(part.table)
        return replace(part, firsts=firsts, table=part.table[:0])

    def append(self, part: RegionColumns) -> None:
        """Put pairs at the end, whose table was moved."""
        for column, values in zip(
            self._columns, (part.longest, part.lines, part.firsts, part.counts), strict=True
        ):
            column.append(values)

    def columns(self) -> RegionColumns:
        """Give all pairs; nothing may be appended after it."""
        longest, lines, firsts, counts = (each.array(np.int64) for each in self._columns)
        return RegionColumns(longest, lines, firsts, counts, self._table.array(np.uint32).reshape(-1, WIDTH))
