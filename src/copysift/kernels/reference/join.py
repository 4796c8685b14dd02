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


def sum_pairs(pairs: UInt64s, counts: UInt32s) -> int:
    """Leave every pair once, in order, with the sum of its counts, at the beginning; give how many."""
    if len(pairs) != len(counts):
        raise ValueError("arrays that belong together differ in length")
    once, places = np.unique(pairs, return_inverse=True)
    sums = np.zeros(len(once), np.uint32)
    np.add.at(sums, places, counts)
    pairs[: len(once)] = once
    counts[: len(once)] = sums
    return len(once)


def shared_runs(
    hashes: UInt64s, groups: UInt32s, max_shared: int, sizes: UInt32s
) -> tuple[UInt64s, UInt32s, UInt32s, UInt64s, UInt32s, UInt32s]:
    """Give the postings of sorted entries: hashes, degrees, groups; and the common: hashes, degrees, holders.

    A hash held by one group only is left out of the postings; one held by more than `max_shared`
    groups is common and listed apart with its lowest holder. `degrees` counts the groups of each
    hash, and the groups of all hashes follow one another, ascending for each. The distinct
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


def distinct(offsets: NDArray[np.int64], groups: UInt32s, labels: UInt32s) -> UInt32s:
    """Count the distinct labels among the groups of each hash."""
    runs = [set(labels[groups[start:end]].tolist()) for start, end in pairwise(offsets.tolist())]
    return np.array([len(each) for each in runs], np.uint32)


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


List = tuple[
    "NDArray[np.int64]",
    "UInt32s",
    "NDArray[np.int64]",
    "UInt32s",
    "NDArray[np.float64]",
    "NDArray[np.float64]",
]  # offsets, groups, offsets of rows, hash numbers of rows, weights by degree, totals by group


def row_candidates(
    first: int,
    last: int,
    postings: List,
    sizes: UInt32s,
    side: UInt32s,
    kin: UInt32s,
    measure: str,
    threshold: float,
    min_shared: int,
    added: List | None = None,
    apart: List | None = None,
    verbatim: float = 0.0,
    founded: float = 0.0,
    plenty: int = 0,
    likeness: float = 0.0,
    most: int = 0,
) -> tuple[UInt32s, UInt32s, UInt32s, NDArray[np.float64]]:
    """Give left, right, shared, similarity of the pairs with first ≤ left < last that reach the threshold.

    A list is (offsets, groups, offsets of rows, hash numbers of rows, weights, totals): `weights` has
    the weight of each hash, `totals` the weighted sizes of the groups. A pair counts when
    left < right, its two labels in `side` are not equal (0 is equal to none) and neither are those in
    `kin`, it shares at least `min_shared` hashes of the first list (or all, where neither has as many)
    and its measure is at least `threshold`. The pairs are in order of left, then right.

    The similarity is the shared weight by the smaller total. With two more lists it is the largest of
    three: of the first list, of the first and `added` together, and of `apart`; and a part `verbatim`
    of it is left to the share of `apart` that both have of what either has.

    Where `founded` is not 0, a pair that shares s hashes, fewer than `plenty`, counts only if s times its
    resemblance is at least that. Its similarity by the first
    list alone is at least `likeness`, whatever the measure.

    No further row is begun once there are `most` pairs, unless it is 0.
    """
    found: list[tuple[int, int, int, float]] = []
    for left in range(first, min(last, len(sizes))):
        if most and len(found) >= most:
            break
        shared, weight = _told(postings, left)
        more = None if added is None or apart is None else (_told(added, left)[1], _told(apart, left)[1])
        for right in sorted(shared):
            if any(label[left] and label[left] == label[right] for label in (side, kin)):
                continue
            least = _share(weight[right], min(postings[5][left], postings[5][right]))
            if added is None or apart is None or more is None:
                similarity = least
            else:
                pool = postings[5] + added[5]
                both, one, other = more[1].get(right, 0.0), apart[5][left], apart[5][right]
                pooled = _share(weight[right] + more[0].get(right, 0.0), min(pool[left], pool[right]))
                same = _share(both, one + other - both) if one + other - both > 0 else 1.0
                best = max(least, pooled, _share(both, min(one, other)))
                similarity = best * (1 - verbatim + verbatim * same)
            n, m, s = int(sizes[left]), int(sizes[right]), shared[right]
            value = {
                "shared": float(s),
                "resemblance": s / (n + m - s),
                "containment": s / min(n, m),
                "similarity": similarity,
            }[measure]
            if founded and s < plenty and s * s < founded * (n + m - s):
                continue
            if s >= min(min_shared, max(n, m)) and value >= threshold and least >= likeness:
                found.append((left, right, s, similarity))
    return _columns(found)


def rarest_first(
    offsets: NDArray[np.int64], groups: UInt32s, n_groups: int
) -> tuple[UInt32s, NDArray[np.int64], UInt32s]:
    """Number hashes from the rarest on, of equal ones the first; give the numbers of each group, ascending.

    The first array has the hash of each number; the other two are offsets and values, as in `transpose`.
    """
    order = np.argsort(np.diff(offsets), kind="stable").astype(np.uint32)
    numbers = np.empty(len(order), np.uint32)
    numbers[order] = np.arange(len(order), dtype=np.uint32)
    row_offsets, rows = transpose(offsets, groups, n_groups)
    made = [np.sort(numbers[rows[start:end]]) for start, end in pairwise(row_offsets.tolist())]
    return order, row_offsets, np.concatenate([np.empty(0, np.uint32), *made])


def alike(
    first: int,
    last: int,
    postings: List,
    order: UInt32s,
    sizes: UInt32s,
    side: UInt32s,
    kin: UInt32s,
    founded: float,
    least: float,
    most: int = 0,
) -> tuple[UInt32s, UInt32s, UInt32s, NDArray[np.float64]]:
    """Give left, right, shared, similarity of pairs with first ≤ left < last that are nearly the same.

    The rows of the list have the numbers of `rarest_first`, and `order` says which hashes they are. A pair
    that shares s hashes counts if its resemblance r is at least `least`, and s r⁵ at least `founded`. The
    other arguments, the similarity and the order of pairs are as in `row_candidates`.
    """
    offsets, groups, row_offsets, ranks, weights, totals = postings
    hashes = row_offsets, order[ranks] if len(ranks) else ranks
    found: list[tuple[int, int, int, float]] = []
    for left in range(first, min(last, len(sizes))):
        if most and len(found) >= most:
            break
        shared, weight = _told((offsets, groups, *hashes, weights, totals), left)
        for right in sorted(shared):
            if any(label[left] and label[left] == label[right] for label in (side, kin)):
                continue
            s = shared[right]
            resemblance = s / (int(sizes[left]) + int(sizes[right]) - s)
            square = resemblance * resemblance
            if resemblance >= least and s * (square * square * resemblance) >= founded:
                found.append((left, right, s, _share(weight[right], min(totals[left], totals[right]))))
    return _columns(found)


def _columns(
    found: list[tuple[int, int, int, float]],
) -> tuple[UInt32s, UInt32s, UInt32s, NDArray[np.float64]]:
    left_right_shared = np.array([pair[:3] for pair in found], np.uint32).reshape(-1, 3)
    columns = [np.ascontiguousarray(left_right_shared[:, column]) for column in range(3)]
    return columns[0], columns[1], columns[2], np.array([pair[3] for pair in found], np.float64)


def _told(postings: List, left: int) -> tuple[Counter[int], dict[int, float]]:
    """Count what each later group shares with a group, and sum its weights."""
    offsets, groups, row_offsets, row_hashes, weights, _ = postings
    shared: Counter[int] = Counter()
    weight: dict[int, float] = {}
    for number in row_hashes[row_offsets[left] : row_offsets[left + 1]].tolist():
        holders = groups[offsets[number] : offsets[number + 1]].tolist()
        for right in holders[holders.index(left) + 1 :]:
            shared[right] += 1
            weight[right] = weight.get(right, 0.0) + float(weights[number])
    return shared, weight


def _share(part: float, whole: float) -> float:
    return min(float(part) / float(whole), 1.0) if whole > 0 else 0.0
