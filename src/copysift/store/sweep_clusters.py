"""Clusters of contents over all sweeps: pairs of a new sweep are merged into them, not made from scratch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from copysift.clusters.components import roots
from copysift.store.boilerplate import Boilerplate
from copysift.store.relations import Pairs, resemblance
from copysift.store.timeline import Timeline

if TYPE_CHECKING:
    from numpy.typing import NDArray

ALIKE = 0.5  # resemblance of two contents that are joined, as in the paper


def merge(timeline: Timeline, pairs: Pairs, one: NDArray[np.int64], other: NDArray[np.int64]) -> None:
    """Join the clusters that new pairs connect; a cluster is known by its smallest content.

    `one` and `other` are the hashes of both sides of each pair that count.
    """
    close = resemblance(pairs.shared, one, other) >= ALIKE
    left, right = pairs.left[close], pairs.right[close]
    met = np.union1d(left, right)
    if not len(met):
        return
    known = timeline.clusters(met.tolist())
    labels = np.array([known.get(content, content) for content in met.tolist()], np.int64)
    names, at = np.unique(labels, return_inverse=True)
    root = names[roots(len(names), at[np.searchsorted(met, left)], at[np.searchsorted(met, right)])]
    moved = [(int(to), int(name)) for name, to in zip(names, root, strict=True) if to != name]
    timeline.catalog.run_many("UPDATE clusters SET cluster = ? WHERE cluster = ?", moved)
    fresh = [
        (content, int(root[at[place]])) for place, content in enumerate(met.tolist()) if content not in known
    ]
    timeline.catalog.run_many("INSERT INTO clusters VALUES (?, ?)", fresh)


def rebuild(timeline: Timeline) -> None:
    """Form all clusters from all pairs that are kept."""
    timeline.catalog.run("DELETE FROM clusters")
    rows = timeline.catalog.run("SELECT content, other, shared FROM alike WHERE content < other").fetchall()
    if not rows:
        return
    left, right, shared = np.array(rows, np.int64).T
    room = int(timeline.catalog.one("SELECT max(number) FROM contents")) + 1
    sizes = np.zeros(room, np.int64)
    for number, count in timeline.sizes(np.union1d(left, right).tolist()).items():
        sizes[number] = count
    sizes -= Boilerplate.stored(timeline.catalog, room).counts
    merge(timeline, Pairs(left, right, shared), sizes[left], sizes[right])
