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
GAP, NAMES = 1.6, 4.4  # between components, in the length of a spring; with names beside them
ASPECT = 2.2  # of the picture, width by height
LARGEST = 400  # nodes of a component that is laid out by springs; a larger one is a sunflower


def placed(count: int, edges: Sequence[tuple[int, int, float]], names: bool = False) -> NDArray[np.float64]:
    """Give x and y of every node; an edge is two nodes and its strength in 0..1.

    With `names`, components are so far apart that names at either side do not overlap.
    """
    gap = np.array([NAMES if names else GAP, GAP])
    components = []
    for members in _components(count, edges):
        index = {node: at for at, node in enumerate(members)}
        spots = _springs(len(members), [(index[a], index[b], pull) for a, b, pull in edges if a in index])
        components.append((members, spots - spots.min(axis=0)))
    sizes = [spots.max(axis=0) + gap for _, spots in components]
    corners = min((_rows(sizes, columns) for columns in range(1, len(sizes) + 1)), key=_height)[0]
    places = np.zeros((count, 2))
    for (members, spots), corner in zip(components, corners, strict=True):
        places[members] = spots * (1, -1) + corner + gap / (2, -2)
    return places


def _rows(
    sizes: Sequence[NDArray[np.float64]], columns: int
) -> tuple[list[tuple[float, float]], float, float]:
    """Put boxes into rows as wide as the first ones together; give corners, and width and height of all."""
    widest = sum(float(width) for width, _ in sizes[:columns])
    corners, left, top, row = [], 0.0, 0.0, 0.0
    for width, height in sizes:
        if left and left + width > widest + 1e-9:
            left, top, row = 0.0, top - row, 0.0
        corners.append((left, top))
        left, row = left + float(width), max(row, float(height))
    return corners, widest, row - top


def _height(rows: tuple[object, float, float]) -> float:
    """Give how high a picture must be that has the boxes, and ASPECT times as wide."""
    return max(rows[1] / ASPECT, rows[2])


def sides(
    count: int, edges: Sequence[tuple[int, int, float]], places: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Say where each node is in its component: left or right (-1, 1), below or above (-1, 1), middle (0)."""
    found = np.zeros((count, 2), np.int64)
    for members in _components(count, edges):
        spots = places[members]
        low, high = spots.min(axis=0), spots.max(axis=0)
        off = spots - (low + high) / 2
        found[members] = np.where(np.abs(off) <= (high - low) / 4, 0, np.sign(off))
    return found


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
