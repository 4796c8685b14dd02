"""An order that puts similar documents next to each other, as a compressor likes it (sif, section 1).

The links of a maximum spanning forest are followed depth first, the strongest first, so that a document comes
soon after the one that it shares most with.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike


def sequence(rank: Sequence[int], lefts: ArrayLike, rights: ArrayLike, shared: ArrayLike) -> list[int]:
    """Order nodes; `rank` decides where nothing is shared, `shared` is the strength of a link."""
    links = _forest(len(rank), np.asarray(lefts), np.asarray(rights), np.asarray(shared))
    seen = [False] * len(rank)
    out: list[int] = []
    for start in sorted(range(len(rank)), key=rank.__getitem__):
        stack = [] if seen[start] else [start]
        while stack:
            node = stack.pop()
            if seen[node]:
                continue
            seen[node] = True
            out.append(node)
            # The last one on the stack comes next: the strongest link, and of equals the first by rank.
            around = [(strength, -rank[other], other) for other, strength in links[node] if not seen[other]]
            stack += [other for _, _, other in sorted(around)]
    return out


def _forest(
    count: int, left: np.ndarray, right: np.ndarray, shared: np.ndarray
) -> list[list[tuple[int, int]]]:
    """Give the neighbours of every node in a maximum spanning forest (Kruskal 1956)."""
    parent = list(range(count))
    links: list[list[tuple[int, int]]] = [[] for _ in range(count)]

    def root(node: int) -> int:
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    for at in np.lexsort((right, left, -shared.astype(np.int64))).tolist():
        one, other = int(left[at]), int(right[at])
        ours, theirs = root(one), root(other)
        if ours != theirs:
            parent[max(ours, theirs)] = min(ours, theirs)
            links[one].append((other, int(shared[at])))
            links[other].append((one, int(shared[at])))
    return links
