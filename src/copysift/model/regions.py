"""The regions of many pairs, as columns: 44 bytes each, where as values they take a kilobyte."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from copysift.match.counts import UNKNOWN
from copysift.model.values import Region, Side

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Int64s = NDArray[np.int64]

SIDE = 5  # file, start, end, first and last line
WIDTH = 1 + 2 * SIDE  # length, left, right


@dataclass(frozen=True, slots=True)
class RegionColumns:
    """The regions of pairs; those of pair i are the rows offsets[i] to offsets[i + 1] of the table.

    A row has the length, then file, start, end, first and last line of the left side and of the right one,
    where a file is named by its place among those of its group. `longest` and `lines` are those of each
    pair, or UNKNOWN where a file could not be matched.
    """

    longest: Int64s
    lines: Int64s
    offsets: Int64s
    table: NDArray[np.uint32] | NDArray[np.uint64]

    @classmethod
    def together(cls, parts: Sequence[RegionColumns]) -> RegionColumns:
        """Give the pairs of all parts, one part behind the other."""
        counts = [np.diff(each.offsets) for each in parts]
        return cls(
            _joined([each.longest for each in parts]),
            _joined([each.lines for each in parts]),
            offsets_of(_joined(counts)),
            np.concatenate([np.empty((0, WIDTH), np.uint32), *(each.table for each in parts)]),
        )

    def __len__(self) -> int:
        return len(self.longest)

    def take(self, which: Int64s) -> RegionColumns:
        """Give the regions of some pairs, in the order asked for."""
        counts = np.diff(self.offsets)[which]
        offsets = offsets_of(counts)
        rows = np.arange(offsets[-1]) + np.repeat(self.offsets[which] - offsets[:-1], counts)
        return RegionColumns(self.longest[which], self.lines[which], offsets, self.table[rows])

    def among(self, which: Int64s, count: int) -> RegionColumns:
        """Give these pairs as the numbers `which`, ascending, of `count`; of the others nothing is known."""
        counts, longest, lines = np.zeros(count, np.int64), np.full(count, UNKNOWN), np.full(count, UNKNOWN)
        counts[which], longest[which], lines[which] = np.diff(self.offsets), self.longest, self.lines
        return RegionColumns(longest, lines, offsets_of(counts), self.table)

    def bare(self) -> RegionColumns:
        """Forget the regions, but not how long and how many lines."""
        return RegionColumns(self.longest, self.lines, np.zeros_like(self.offsets), self.table[:0])

    def without(self, lost: NDArray[np.bool_]) -> RegionColumns:
        """Forget what is known of some pairs."""
        counts = np.where(lost, 0, np.diff(self.offsets))
        kept = np.repeat(~lost, np.diff(self.offsets))
        longest, lines = (np.where(lost, UNKNOWN, each) for each in (self.longest, self.lines))
        return RegionColumns(longest, lines, offsets_of(counts), self.table[kept])

    def made(
        self, names: Sequence[tuple[Sequence[str], Sequence[str]]]
    ) -> Iterator[tuple[Region, ...] | None]:
        """Make the regions of every pair, whose files are named; None where a file could not be matched."""
        at = 0
        rows = self.table.tolist()
        for (left, right), longest, end in zip(
            names, self.longest.tolist(), self.offsets[1:].tolist(), strict=True
        ):
            yield None if longest == UNKNOWN else tuple(region(row, left, right) for row in rows[at:end])
            at = end


def region(row: Sequence[int], left: Sequence[str], right: Sequence[str]) -> Region:
    """Make a region of its row."""
    length, ours, a, b, c, d, theirs, e, f, g, h = row
    return Region(length, Side(left[ours], a, b, c, d), Side(right[theirs], e, f, g, h))


def offsets_of(counts: Int64s) -> Int64s:
    """Give where the rows of each pair begin, and where the last ones end."""
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def _joined(columns: Sequence[Int64s]) -> Int64s:
    return np.concatenate([np.empty(0, np.int64), *columns])
