"""Match every candidate of a scan exactly, where its longest match decides whether it is reported."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np

from copysift.match.counts import Counts, PairColumns, PairRows
from copysift.model.regions import UNKNOWN, RegionColumns
from copysift.runtime.progress import Progress
from copysift.settings.comparison import Settings
from copysift.workflows.matches import Exact
from copysift.workflows.selection import Filters, pair_table

MATCHED = 1 << 17  # pairs that are matched together


def with_longest(
    counts: Counts, exact: Exact, settings: Settings, regions: bool, shown: Progress
) -> tuple[Counts, RegionColumns]:
    """Match every candidate exactly, for its longest match; give the regions, too, if they are wanted."""
    filters = Filters(counts.documents, settings, counts.equal)
    shown.phase("matching", len(counts.pairs))
    found = exact.among(map(filters.passed, pieces(counts.pairs)), regions=regions, progress=shown)
    table, place = pair_table(settings), 0
    for pairs in pieces(counts.pairs):
        allowed = filters.allowed(pairs)
        which = np.where(allowed, place + np.cumsum(allowed) - 1, UNKNOWN)
        place += int(np.count_nonzero(allowed))
        longest, lines = np.full(len(pairs), UNKNOWN), np.full(len(pairs), UNKNOWN)
        longest[allowed], lines[allowed] = found.longest[which[allowed]], found.lines[which[allowed]]
        table.append(pairs.matched(longest, lines, which))
    return dataclasses.replace(counts, pairs=table), found


def pieces(pairs: PairRows, count: int | None = None) -> Iterator[PairColumns]:
    """Give pairs, or the first of them, as many at a time as are matched together."""
    end = len(pairs) if count is None else count
    for start in range(0, end, MATCHED):
        yield pairs.rows(start, min(start + MATCHED, end))
