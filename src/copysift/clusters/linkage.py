"""Which documents make a cluster, given the pairs that are similar enough: three policies.

`component`: everything that pairs connect (section 4.1). `representative`: every member is similar to the
first of the cluster. `complete`: all members are similar to each other. The last two never chain; all three
depend on the order of documents alone, not on that of the pairs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from copysift.clusters.components import roots

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Int64s = NDArray[np.int64]


def assign(count: int, left: Int64s, right: Int64s, policy: str) -> Int64s:
    """Give for each of `count` documents the first document of its cluster, by number."""
    if policy == "component":
        return roots(count, left, right)
    neighbours = _Neighbours(count, left, right)
    return _by_first(count, neighbours) if policy == "representative" else _complete(count, neighbours)


class _Neighbours:
    """The documents that pairs give to each document, ascending."""

    def __init__(self, count: int, left: Int64s, right: Int64s) -> None:
        one, other = np.concatenate([left, right]), np.concatenate([right, left])
        order = np.lexsort((other, one))
        self._others = other[order]
        self._bounds = np.searchsorted(one[order], np.arange(count + 1))
        self.busy = np.flatnonzero(np.diff(self._bounds)).tolist()

    def of(self, document: int) -> Int64s:
        return self._others[self._bounds[document] : self._bounds[document + 1]]


def _by_first(count: int, neighbours: _Neighbours) -> Int64s:
    root = np.arange(count)
    free = np.ones(count, np.bool_)
    for document in neighbours.busy:
        if free[document]:
            free[document] = False
            others = neighbours.of(document)
            others = others[free[others]]
            root[others] = document
            free[others] = False
    return root


def _complete(count: int, neighbours: _Neighbours) -> Int64s:
    """Let each document, in order, join the first cluster all of whose members are its neighbours."""
    root = np.arange(count)
    members = np.ones(count, np.int64)
    for document in neighbours.busy:
        others = neighbours.of(document)
        heads, alike = np.unique(root[others[others < document]], return_counts=True)
        whole = heads[alike == members[heads]]
        if len(whole):
            root[document] = whole[0]
            members[whole[0]] += 1
    return root
