"""The readable sort-join: the definition that the compiled kernel must equal.

An entry is a (hash, group) pair, kept as two arrays; entries may repeat.
"""

from __future__ import annotations

from collections import Counter
from itertools import groupby, pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    UInt32s = NDArray[np.uint32]
    UInt64s = NDArray[np.uint64]

MEASURES = {"shared": 0, "resemblance": 1, "containment": 2, "similarity": 3}


def partition(hashes: UInt64s, groups: UInt32s, bits: int) -> tuple[UInt64s, UInt32s, NDArray[np.int64]]:
    """Reorder the entries by the top `bits` bits of the hash, stably; give them and the parts' bounds."""
    if len(hashes) != len(groups):
        raise ValueError("arrays that belong together differ in length")
    if not 0 <= bits <= 16:
        raise ValueError("bits must be in 0..16")
    parts = np.array([int(h) >> (64 - bits) for h in hashes], np.int64)
    order = np.argsort(parts, kind="stable")
    bounds = np.searchsorted(parts[order], np.arange((1 << bits) + 1)).astype(np.int64)
    return hashes[order], groups[order], bounds


def sort_pairs(hashes: UInt64s, groups: UInt32s) -> None:
    """Sort the entries in place by hash, then by group."""
    if len(hashes) != len(groups):
        raise ValueError("arrays that belong together differ in length")
    order = np.lexsort((groups, hashes))
    hashes[:] = hashes[order]
    groups[:] = groups[order]


def shared_runs(
    hashes: UInt64s, groups: UInt32s, max_shared: int, sizes: UInt32s
) -> tuple[UInt64s, UInt32s, UInt32s, UInt64s, UInt32s, UInt32s]:
    """Give the postings of sorted entries: hashes, degrees, groups; and the common: hashes, degrees, holders.

    A hash held by one group only is left out of the postings; one held by more than `max_shared`
    groups is common and stands apart with its lowest holder. `degrees` counts the groups of each
    hash, and the groups of all hashes stand one after another, ascending for each. The distinct
    hashes of each group, common ones left out, are added to `sizes`.
    """
    if len(groups) and int(groups.max()) >= len(sizes):
        raise ValueError("a group number is outside sizes")
    postings: list[tuple[int, list[int]]] = []
    common: list[tuple[int, list[int]]] = []
    entries = zip(hashes.tolist(), groups.tolist(), strict=True)
    for value, run in groupby(entries, key=lambda entry: entry[0]):
        holders = sorted({group for _, group in run})
        if len(holders) > max_shared:
            common.append((value, holders))
            continue
        sizes[holders] += 1
        if len(holders) > 1:
            postings.append((value, holders))
    return (
        np.array([value for value, _ in postings], np.uint64),
        np.array([len(holders) for _, holders in postings], np.uint32),
        np.array([group for _, holders in postings for group in holders], np.uint32),
        np.array([value for value, _ in common], np.uint64),
        np.array([len(holders) for _, holders in common], np.uint32),
        np.array([holders[0] for _, holders in common], np.uint32),
    )


def transpose(
    offsets: NDArray[np.int64], groups: UInt32s, n_groups: int
) -> tuple[NDArray[np.int64], UInt32s]:
    """Turn "the groups of each hash" into "the hash numbers of each group", both as offsets and values."""
    if offsets[-1] != len(groups):
        raise ValueError("the last offset is not the number of postings")
    if len(groups) and int(groups.max()) >= n_groups:
        raise ValueError("a group number is not below n_groups")
    rows: list[list[int]] = [[] for _ in range(n_groups)]
    for number in range(len(offsets) - 1):
        for group in groups[offsets[number] : offsets[number + 1]].tolist():
            rows[group].append(number)
    row_offsets = np.cumsum([0, *(len(row) for row in rows)]).astype(np.int64)
    return row_offsets, np.array([number for row in rows for number in row], np.uint32)


def row_candidates(
    first: int,
    last: int,
    offsets: NDArray[np.int64],
    groups: UInt32s,
    row_offsets: NDArray[np.int64],
    row_hashes: UInt32s,
    weights: NDArray[np.float64],
    sizes: UInt32s,
    totals: NDArray[np.float64],
    side: UInt32s,
    kin: UInt32s,
    measure: str,
    threshold: float,
    min_shared: int,
) -> tuple[UInt32s, UInt32s, UInt32s, NDArray[np.float64]]:
    """Give left, right, shared, weight of the pairs with first ≤ left < last that reach the threshold.

    `weights[d]` is the weight of a hash that d groups hold, `totals` the weighted sizes. A pair
    counts when left < right, its two labels in `side` are not equal (0 is equal to none) and
    neither are those in `kin`, it shares at least `min_shared` hashes (or all, where neither has as many)
    and its measure is at least `threshold`. The pairs are in order of left, then right.
    """
    found: list[tuple[int, int, int, float]] = []
    for left in range(first, min(last, len(sizes))):
        shared: Counter[int] = Counter()
        weight: dict[int, float] = {}
        for number in row_hashes[row_offsets[left] : row_offsets[left + 1]].tolist():
            holders = groups[offsets[number] : offsets[number + 1]].tolist()
            for right in holders[holders.index(left) + 1 :]:
                shared[right] += 1
                weight[right] = weight.get(right, 0.0) + float(weights[len(holders)])
        for right in sorted(shared):
            if any(label[left] and label[left] == label[right] for label in (side, kin)):
                continue
            n, m, s = int(sizes[left]), int(sizes[right]), shared[right]
            value = {
                "shared": float(s),
                "resemblance": s / (n + m - s),
                "containment": s / min(n, m),
                "similarity": weight[right] / min(float(totals[left]), float(totals[right])),
            }[measure]
            if s >= min(min_shared, max(n, m)) and value >= threshold:
                found.append((left, right, s, weight[right]))
    left_right_shared = np.array([pair[:3] for pair in found], np.uint32).reshape(-1, 3)
    columns = [np.ascontiguousarray(left_right_shared[:, column]) for column in range(3)]
    return columns[0], columns[1], columns[2], np.array([pair[3] for pair in found], np.float64)


def shared_of(
    row_offsets: NDArray[np.int64],
    row_hashes: UInt32s,
    worth: NDArray[np.float64],
    left: NDArray[np.int64],
    right: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Give how many hashes each pair of rows shares, and the sum of their worth."""
    rows = [set(row_hashes[first:last].tolist()) for first, last in pairwise(row_offsets.tolist())]
    common = [
        sorted(rows[one] & rows[other]) for one, other in zip(left.tolist(), right.tolist(), strict=True)
    ]
    sums = [sum(float(worth[number]) for number in each) for each in common]
    return np.array([len(each) for each in common], np.int64), np.array(sums, np.float64)
