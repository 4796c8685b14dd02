"""Join documents that pairs connect: union-find over many pairs at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def roots(count: int, lefts: ArrayLike, rights: ArrayLike) -> NDArray[np.int64]:
    """Give for each of `count` documents the smallest number that pairs connect it with.

    The answer does not depend on the order of the pairs.
    """
    return joined(np.arange(count, dtype=np.int64), lefts, rights)


def joined(parent: NDArray[np.int64], lefts: ArrayLike, rights: ArrayLike) -> NDArray[np.int64]:
    """Give the roots of documents after further pairs; `parent` has those before, and may be changed.

    Rounds over arrays instead of a loop over pairs: every root is hung below the smallest root that
    a pair leads to, paths are halved until every document points at its root, and pairs inside one
    tree are dropped.
    """
    left, right = (
        each if isinstance(each, np.ndarray) else np.asarray(each, np.int64).ravel()
        for each in (lefts, rights)
    )
    while True:
        left, right = parent[left], parent[right]
        apart = left != right
        left, right = left[apart], right[apart]
        if not len(left):
            return parent
        np.minimum.at(parent, np.maximum(left, right), np.minimum(left, right))
        while True:
            grandparent = parent[parent]
            if np.array_equal(grandparent, parent):
                break
            parent = grandparent


def clusters(count: int, lefts: ArrayLike, rights: ArrayLike) -> list[list[int]]:
    """Give the clusters of two or more documents, each in input order, by their first document."""
    return clusters_of(roots(count, lefts, rights))


def clusters_of(root: NDArray[np.int64]) -> list[list[int]]:
    """Give the clusters of two or more documents by the roots of all."""
    order = np.argsort(root, kind="stable")  # by root, then by number; the root is the first member
    cuts = np.flatnonzero(np.diff(root[order])) + 1
    return [part.tolist() for part in np.split(order, cuts) if len(part) > 1]
