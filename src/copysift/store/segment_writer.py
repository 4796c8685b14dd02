"""Write segments of an index, and merge them a slice at a time."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from copysift.errors import StoreError
from copysift.runtime import durable as disk
from copysift.store.catalog import Catalog
from copysift.store.catalog_rows import SegmentRow
from copysift.store.merge import Policy, next_bound
from copysift.store.segment import RANGES, Columns, encode, sorted_columns
from copysift.store.slices import DamagedError, part_of, without_removed

LARGEST = 1 << 24  # postings of one segment: its offsets are 32-bit


class SegmentWriter:
    """What a writer does to the segments; the catalog has them when it commits.

    `_written` are files that go if the commit does not happen, `_dropped` those that go after it.
    """

    folder: Path
    catalog: Catalog
    policy: Policy
    changed: bool
    _next: dict[str, int]
    _written: list[Path]
    _dropped: list[Path]

    def number(self, what: str) -> int:
        """Give a number that was never used before: of a content, a document, a segment or a run."""
        number = self._next[what]
        if number >= 2**32:
            raise StoreError(
                f"{self.folder} has no numbers left for another {what}", hint="create another index"
            )
        self._next[what] = number + 1
        return number

    def write_run(self, columns: Columns, run: int, low: int = 0, high: int = RANGES) -> None:
        """Write sorted postings as segments of a run that count for the keys low .. high − 1."""
        n = len(columns.keys)
        while n:
            upto, end = high, n
            if n > LARGEST:
                upto = int(columns.keys[LARGEST] >> np.uint64(32))
                end = int(np.searchsorted(columns.keys, np.uint64(upto << 32)))
                if not end:  # one key alone has more postings than a segment takes
                    raise StoreError("a fingerprint occurs too often", hint="index with a larger --noise")
            number = self.number("segment")
            path = self.catalog.segment_path(number)
            self._written.append(path)
            size = disk.write_new(path, encode(columns.take(slice(0, end)), number))
            row = SegmentRow(number, run, low, upto, end, end, size, None)
            self.catalog.run("INSERT INTO segments VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
            columns, low, n = columns.take(slice(end, None)), upto, n - end

    def merge(self, budget: int) -> None:
        """Start the merges that are due and do as much of all as the budget of postings allows."""
        while True:
            for runs in self.policy.due(self.catalog.segments()):
                target = self.number("run")
                marks = ",".join("?" * len(runs))
                self.catalog.run(f"UPDATE segments SET target = ? WHERE run IN ({marks})", (target, *runs))
                self.catalog.run("INSERT INTO merges VALUES (?, 0)", (target,))
            waiting = self.catalog.run(
                "SELECT target, sum(live) AS size FROM segments WHERE target IS NOT NULL "
                "GROUP BY target ORDER BY size"
            ).fetchall()
            if not waiting or budget <= 0:
                return
            try:
                budget -= self.merge_slice(waiting[0][0], self.policy.slice_of(waiting[0][1]))
            except DamagedError:
                return  # the add is sound, and what is damaged answers as far as it can until it is repaired

    def merge_slice(self, run: int, wanted: int) -> int:
        """Merge the next slice of a run's inputs; give the postings that were moved."""
        reached = self.catalog.one("SELECT reached FROM merges WHERE run = ?", (run,))
        inputs = [row for row in self.catalog.segments() if row.target == run]
        bound = next_bound(reached, sum(row.live for row in inputs), wanted)
        parts = [part_of(self.catalog, row, reached, bound) for row in inputs]
        for row, (_, columns) in zip(inputs, parts, strict=True):
            self._consume(row, bound, len(columns.keys))
        moved = sum(len(columns.keys) for _, columns in parts)
        parts.sort(key=lambda part: part[0])
        together = Columns(
            *(np.concatenate(column) for column in zip(*(part for _, part in parts), strict=True))
        )
        together = without_removed(self.catalog, together)
        if len(together.keys):
            self.write_run(sorted_columns(together), run, reached, bound)
        if bound == RANGES:
            self.catalog.run("DELETE FROM merges WHERE run = ?", (run,))
        else:
            self.catalog.run("UPDATE merges SET reached = ? WHERE run = ?", (bound, run))
        self.changed = True
        return moved

    def _consume(self, row: SegmentRow, bound: int, moved: int) -> None:
        """Let an input count only from the bound on, and not at all once nothing is left."""
        if bound >= row.high:
            self.drop_segment(row)
        elif bound > row.low:
            self.catalog.run(
                "UPDATE segments SET low = ?, live = live - ? WHERE number = ?", (bound, moved, row.number)
            )

    def drop_segment(self, row: SegmentRow) -> None:
        """Take a segment out of the catalog; its file goes after the commit."""
        self.changed = True
        self.catalog.run("DELETE FROM segments WHERE number = ?", (row.number,))
        self._dropped.append(self.catalog.segment_path(row.number))
