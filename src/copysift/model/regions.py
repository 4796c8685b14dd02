"""The regions of many pairs, as columns: 44 bytes each, where as values they take a kilobyte."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from copysift.match.counts import UNKNOWN
from copysift.model.values import Region, Side

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Int64s = NDArray[np.int64]
    Table = NDArray[np.integer[Any]]  # uint32, or uint64 where a document has over 4 GiB

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
    def together(cls, parts: Sequence[RegionColumns], table: Table) -> RegionColumns:
        """Give the pairs of all parts, one part behind the other; `table` has their tables in a row."""
        before = np.cumsum([0, *(len(each.table) for each in parts)]).tolist()
        return cls(
            _joined([each.longest for each in parts]),
            _joined([each.lines for each in parts]),
            _joined([each.firsts + start for each, start in zip(parts, before[:-1], strict=True)]),
            _joined([each.counts for each in parts]),
            table,
        )

    def __len__(self) -> int:
        return len(self.longest)

    def take(self, which: Int64s) -> RegionColumns:
        """Give the regions of some pairs, in the order asked for."""
        longest, lines = self.longest[which], self.lines[which]
        return RegionColumns(longest, lines, self.firsts[which], self.counts[which], self.table)

    def among(self, which: Int64s, count: int) -> RegionColumns:
        """Give these pairs as the numbers `which`, ascending, of `count`; of the others nothing is known."""
        firsts, counts = np.zeros(count, np.int64), np.zeros(count, np.int64)
        longest, lines = np.full(count, UNKNOWN), np.full(count, UNKNOWN)
        firsts[which], counts[which] = self.firsts, self.counts
        longest[which], lines[which] = self.longest, self.lines
        return RegionColumns(longest, lines, firsts, counts, self.table)

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


def _joined(columns: Sequence[Int64s]) -> Int64s:
    return np.concatenate([np.empty(0, np.int64), *columns])
