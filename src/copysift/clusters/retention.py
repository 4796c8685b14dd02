"""Which documents of a cluster stay: every removal is checked against the one that is kept.

Documents that are the same for every measure are one node; nodes are numbered by their first document.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from copysift.clusters.components import roots
from copysift.clusters.linkage import assign

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Int64s = NDArray[np.int64]

ROUNDS = 8  # leaders that the rest of a very large component is checked against
Check = Callable[["Int64s", "Int64s"], "NDArray[np.bool_]"]  # pairs of nodes → alike or not, exactly


def keep(rank: Int64s, left: Int64s, right: Int64s, policy: str, check: Check, large: int) -> Int64s:
    """Give for every node the node that is kept in its place: itself, or one that it is similar to.

    `rank` is the order of preference, 0 the best; the pairs left, right are similar. In components of
    more than `large` nodes not all pairs are known, and `check` decides about the rest.
    """
    count = len(rank)
    place = np.empty(count, np.int64)  # work in order of preference, so that the best is the smallest number
    place[rank] = np.arange(count)
    one, other = rank[left], rank[right]
    component = roots(count, one, other)
    kept = known(component, one, other, policy)
    if policy == "component":
        ask = unsure(component, kept)
        alike = check(place[component[ask]], place[ask])
        kept[ask[alike]] = component[ask[alike]]
    else:
        sizes = np.bincount(component, minlength=count)
        for head in np.flatnonzero(sizes > large).tolist():
            _lead(np.flatnonzero(component == head), kept, place, check)
    out = np.empty(count, np.int64)
    out[place] = place[kept]
    return out


def known(component: Int64s, one: Int64s, other: Int64s, policy: str) -> Int64s:
    """Give what the pairs alone say, nodes being numbered by preference and components by their best."""
    if policy != "component":
        return assign(len(component), one, other, policy)
    kept = np.arange(len(component))
    best, rest = np.minimum(one, other), np.maximum(one, other)
    direct = component[rest] == best
    kept[rest[direct]] = best[direct]
    return kept


def unsure(component: Int64s, kept: Int64s) -> Int64s:
    """Give the nodes of which no pair says whether they are similar to the best of their component."""
    numbers = np.arange(len(kept))
    return np.flatnonzero((kept == numbers) & (component != numbers))


def _lead(nodes: Int64s, kept: Int64s, place: Int64s, check: Check) -> None:
    """Check the nodes that still stay against the best of them, a few times over."""
    left = nodes[kept[nodes] == nodes]
    for _ in range(ROUNDS):
        if len(left) < 2:
            break
        head, left = left[0], left[1:]
        alike = check(np.full(len(left), place[head]), place[left])
        kept[left[alike]] = head
        left = left[~alike]
    # who was to go for one that goes now is checked against the new one, or stays
    moved = nodes[kept[kept[nodes]] != kept[nodes]]
    heads = kept[kept[moved]]
    kept[moved] = np.where(check(place[heads], place[moved]), heads, moved)
