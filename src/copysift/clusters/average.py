"""Clusters by average linkage: two clusters become one while their members are similar on average.

Connected components chain: A is like B and B like C, so A and C are together although they share nothing.
Here a pair that is not among the pairs counts as 0, so a cluster is as strong as its average pair.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from copysift.clusters.components import roots

MOST_PAIRS = 50_000  # of a component; a larger one is not parted


class Strong(NamedTuple):
    """A cluster: its members ascending, and the average similarity of two of them; `whole`: not parted."""

    members: list[int]
    strength: float
    whole: bool


def average_clusters(
    sizes: Sequence[int], lefts: ArrayLike, rights: ArrayLike, similarity: ArrayLike, cut: float
) -> list[Strong]:
    """Give the clusters of nodes whose average similarity is at least `cut`, by their first member.

    A node represents `sizes[n]` equal documents. Of equally good unions the one of the earliest nodes comes
    first, so the answer does not depend on the order of the pairs.
    """
    left, right = np.asarray(lefts, np.int64), np.asarray(rights, np.int64)
    share = np.asarray(similarity, np.float64)
    root = roots(len(sizes), left, right)
    heads = root[left]
    order = np.argsort(heads, kind="stable")
    edges = [0, *(np.flatnonzero(np.diff(heads[order])) + 1).tolist(), len(order)]
    ends = left[order].tolist(), right[order].tolist()
    share = share[order]
    shares = share.tolist()
    out = []
    for start, end in pairwise(edges) if len(order) else ():
        if end - start > MOST_PAIRS:
            members = np.flatnonzero(root == heads[order[start]]).tolist()
            out.append(unparted(members, float(share[start:end].sum())))
        else:
            some = slice(start, end)
            out += _united(ends[0][some], ends[1][some], shares[some], sizes, cut)
    return sorted(out)


def unparted(members: list[int], total: float) -> Strong:
    """Give a component as it is; `total` is the sum of the similarity of its pairs."""
    return Strong(members, total / max(1.0, len(members) * (len(members) - 1) / 2), True)


def _united(
    left: list[int], right: list[int], share: list[float], sizes: Sequence[int], cut: float
) -> list[Strong]:
    """Unite the best two clusters until none are similar enough; sums are kept, not averages."""
    between: dict[int, dict[int, float]] = {}
    for a, b, value in zip(left, right, share, strict=True):
        weight = value * sizes[a] * sizes[b]
        between.setdefault(a, {})[b] = weight
        between.setdefault(b, {})[a] = weight
    count = {node: sizes[node] for node in between}
    members = {node: [node] for node in between}
    within = {node: sizes[node] * (sizes[node] - 1) / 2.0 for node in between}  # equal documents: 1 each
    heap = [(-between[a][b] / (count[a] * count[b]), a, b) for a in between for b in between[a] if a < b]
    heapq.heapify(heap)
    while heap:
        score, a, b = heapq.heappop(heap)
        if a not in between or between[a].get(b) is None:
            continue
        if -between[a][b] / (count[a] * count[b]) != score:
            continue  # one of them has grown since
        if -score < cut - 1e-12:
            break
        within[a] += within[b] + between[a].pop(b)
        members[a] += members.pop(b)
        gone = between.pop(b)
        del gone[a]
        count[a] += count.pop(b)
        for other, weight in gone.items():
            del between[other][b]
            both = between[a].get(other, 0.0) + weight
            between[a][other] = between[other][a] = both
        for other, weight in between[a].items():
            one, two = min(a, other), max(a, other)
            heapq.heappush(heap, (-weight / (count[a] * count[other]), one, two))
    return [
        Strong(sorted(each), within[node] / (count[node] * (count[node] - 1) / 2.0), False)
        for node, each in members.items()
        if len(each) > 1
    ]
