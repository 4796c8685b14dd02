"""Place the nodes of a graph on a plane: each component by springs, components in rows.

Fruchterman and Reingold 1991, from a start that depends on the graph alone, so that the same
result always gives the same picture.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

ROUNDS = 120
LARGEST = 400  # nodes of a component that is laid out by springs; a larger one is a sunflower


def placed(count: int, edges: Sequence[tuple[int, int, float]]) -> NDArray[np.float64]:
    """Give x and y of every node; an edge is two nodes and its strength in 0..1."""
    places = np.zeros((count, 2))
    left, top, row, widest = 0.0, 0.0, 0.0, _widest(count)
    for members in _components(count, edges):
        index = {node: at for at, node in enumerate(members)}
        inner = [(index[a], index[b], strength) for a, b, strength in edges if a in index]
        spots = _springs(len(members), inner)
        spots -= spots.min(axis=0)
        width, height = spots.max(axis=0) + 1.6
        if left and left + width > widest:
            left, top, row = 0.0, top - row, 0.0
        places[members] = spots * (1, -1) + (left + 0.8, top - 0.8)
        left, row = left + width, max(row, height)
    return places


def _widest(count: int) -> float:
    return max(6.0, 2.6 * math.sqrt(count))


def _components(count: int, edges: Sequence[tuple[int, int, float]]) -> list[list[int]]:
    """Give the nodes of each component, the largest first."""
    parent = list(range(count))

    def root(node: int) -> int:
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    for a, b, _ in edges:
        parent[max(root(a), root(b))] = min(root(a), root(b))
    found: dict[int, list[int]] = {}
    for node in range(count):
        found.setdefault(root(node), []).append(node)
    return sorted(found.values(), key=lambda members: (-len(members), members))


def _springs(count: int, edges: Sequence[tuple[int, int, float]]) -> NDArray[np.float64]:
    turns = np.arange(count) * math.pi * (3 - math.sqrt(5))
    spots = np.sqrt(np.arange(count) + 0.5)[:, None] * np.column_stack((np.cos(turns), np.sin(turns)))
    if count <= 2 or count > LARGEST:
        return np.asarray(0.9 * spots, np.float64)
    ends = np.array([(a, b) for a, b, _ in edges], dtype=np.int64).reshape(-1, 2)
    pull = np.array([0.4 + strength for *_, strength in edges])
    length = 1.0
    for step in range(ROUNDS):
        apart = spots[:, None, :] - spots[None, :, :]
        far = np.maximum(np.hypot(apart[..., 0], apart[..., 1]), 1e-3)
        force = (apart / far[..., None] * (length**2 / far)[..., None]).sum(axis=1)
        along = spots[ends[:, 0]] - spots[ends[:, 1]]
        drawn = along * (np.hypot(along[:, 0], along[:, 1]) * pull / length)[:, None]
        np.subtract.at(force, ends[:, 0], drawn)
        np.add.at(force, ends[:, 1], drawn)
        strength = np.maximum(np.hypot(force[:, 0], force[:, 1]), 1e-9)
        heat = 0.6 * math.sqrt(count) * (1 - step / ROUNDS) ** 2 + 0.01
        spots = spots + force / strength[:, None] * np.minimum(strength, heat)[:, None]
    return _lying(spots)


def _lying(spots: NDArray[np.float64]) -> NDArray[np.float64]:
    """Turn a component so that its longest way lies flat: pages are wider than high."""
    centred = spots - spots.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    turned: NDArray[np.float64] = centred @ axes.T
    return turned
