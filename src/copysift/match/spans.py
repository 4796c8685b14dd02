"""Where runs of symbols of many documents are in their sources, resolved together.

A call for each of a thousand small documents takes longer than its work: the masks of plain texts are put
in a row, as if they were one text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from copysift.kinds.positions import Masks
from copysift.model.values import SpanMap

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Int64s = NDArray[np.int64]

LONGEST_ROW = 1 << 31  # bytes of texts in a row: offsets are 32-bit


def spans_among(maps: Sequence[SpanMap], which: Int64s, first: Int64s, last: Int64s) -> tuple[Int64s, Int64s]:
    """Give the source spans of the runs first[i]..last[i], both included, of the documents which[i]."""
    order = np.argsort(which, kind="stable")
    met, heads = np.unique(which[order], return_index=True)
    starts, ends = np.zeros(len(which), np.int64), np.zeros(len(which), np.int64)
    row: list[tuple[Masks, NDArray[np.int64]]] = []
    for number, head, end in zip(met.tolist(), heads.tolist(), [*heads[1:], len(order)], strict=False):
        here, each = order[head:end], maps[number]
        if isinstance(each, Masks):
            row.append((each, here))
        else:
            starts[here], ends[here] = each.spans(first[here], last[here])
    for some in _rows(row):
        joined, symbols, offsets = _in_a_row([each for each, _ in some])
        counts = [len(here) for _, here in some]
        here = np.concatenate([here for _, here in some])
        ahead, back = np.repeat(symbols, counts), np.repeat(offsets, counts)
        spans = joined.spans(first[here] + ahead, last[here] + ahead)
        starts[here], ends[here] = (each - back for each in spans)
    return starts, ends


def _rows(row: list[tuple[Masks, Int64s]]) -> list[list[tuple[Masks, Int64s]]]:
    """Cut a row where it would be too long; a text that is too long by itself is alone."""
    rows: list[list[tuple[Masks, Int64s]]] = []
    size = LONGEST_ROW
    for each in row:
        bytes_ = 64 * len(each[0].masks)
        if size + bytes_ > LONGEST_ROW:
            rows.append([])
            size = 0
        rows[-1].append(each)
        size += bytes_
    return rows


def _in_a_row(maps: Sequence[Masks]) -> tuple[Masks, Int64s, Int64s]:
    """Give maps as one, with the symbols before each of them, and what its offsets are too large by."""
    if len(maps) == 1:
        return maps[0], np.zeros(1, np.int64), np.zeros(1, np.int64)
    groups = np.array([len(each.masks) for each in maps], np.int64)
    symbols = np.array([each.ranks[-1] for each in maps], np.int64)
    before = np.cumsum(symbols) - symbols
    ranks = np.concatenate([each.ranks[:-1] for each in maps]) + np.repeat(before, groups)
    joined = Masks(
        np.concatenate([each.masks for each in maps]),
        np.append(ranks, symbols.sum()).astype(np.uint32),
        0,
    )
    offsets = np.array([each.offset for each in maps], np.int64)
    return joined, before, 64 * (np.cumsum(groups) - groups) - offsets
