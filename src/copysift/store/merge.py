"""Which runs of segments are merged, and when: the adds that make segments pay for it, a little each.

A run is what one add wrote, or one merge: segments that part the keys among them. Runs of about
the same size form a level; when a level has FANOUT runs, they become one of the next (sif and MOSS
rewrite their file; this is the log-structured merge of later years). A large merge is done in
slices of the keys: each slice is a segment of its own, the inputs count only from there on, and
everything between is an index like any other. So no add waits for a rewriting of the whole.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from copysift.runtime.lazy_dataclass import dataclass
from copysift.store.catalog_rows import SegmentRow
from copysift.store.segment import RANGES

FANOUT = 8
FLOOR = 4096  # postings; smaller runs are all of level 0
SLICE = 1 << 20  # postings of a slice, of which a small add does one
LARGEST_SLICE = 1 << 23
SLICES = 128  # of one merge, unless they would be larger than that


@dataclass(frozen=True, slots=True)
class Policy:
    """When to merge and how much at once; tests use small numbers."""

    fanout: int = FANOUT
    floor: int = FLOOR
    slice: int = SLICE

    def level(self, postings: int) -> int:
        """Give the level of a run by its size."""
        return max(0, math.ceil(math.log(max(postings, 1) / self.floor, self.fanout)))

    def slice_of(self, postings: int) -> int:
        """Give the postings of a slice of a merge: many files are as bad as long waits."""
        return max(self.slice, min(LARGEST_SLICE, postings // SLICES))

    def due(self, segments: Iterable[SegmentRow]) -> list[list[int]]:
        """Give the runs to merge with each other, smallest level first; runs under way are left alone."""
        sizes: dict[int, int] = {}
        busy = {row.target for row in segments if row.target is not None}
        busy |= {row.run for row in segments if row.target is not None}
        for row in segments:
            if row.run not in busy:
                sizes[row.run] = sizes.get(row.run, 0) + row.live
        levels: dict[int, list[int]] = {}
        for run, size in sizes.items():
            levels.setdefault(self.level(size), []).append(run)
        return [runs for _, runs in sorted(levels.items()) if len(runs) >= self.fanout]


def next_bound(reached: int, left: int, wanted: int) -> int:
    """Give the bound, in units of 2^32 keys, up to which about `wanted` of the `left` postings lie."""
    if left <= wanted + wanted // 4:
        return RANGES
    return min(RANGES, max(reached + 1, reached + (RANGES - reached) * wanted // left))
