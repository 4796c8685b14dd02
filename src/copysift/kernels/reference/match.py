"""The readable exact matching: the definition that the compiled kernel must equal.

A common run is a pair of equal stretches of a and b without a masked symbol; a tile is a common
run that was taken, and no symbol of either side belongs to two tiles.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from numpy.typing import NDArray

    Symbols = NDArray[np.uint8] | NDArray[np.uint32] | NDArray[np.uint64]
    UInt8s = NDArray[np.uint8]
    UInt32s = NDArray[np.uint32]

MOST = 1 << 30  # symbols of both together
TRIES = 16  # places of b that a seed is tried at


class _Free:
    """What may still be matched: symbols as lists, and which of them are free."""

    def __init__(self, symbols: Symbols, mask: UInt8s | None) -> None:
        self.symbols: list[int] = symbols.tolist()
        self.free = [True] * len(symbols) if mask is None else [not masked for masked in mask.tolist()]
        if len(self.free) != len(self.symbols):
            raise ValueError("a mask differs in length from its symbols")

    def __len__(self) -> int:
        return len(self.symbols)

    def take(self, start: int, length: int) -> None:
        self.free[start : start + length] = [False] * length


def _same(a: _Free, i: int, b: _Free, j: int) -> bool:
    inside = 0 <= i < len(a) and 0 <= j < len(b)
    return inside and a.free[i] and b.free[j] and a.symbols[i] == b.symbols[j]


def _longest(a: _Free, b: _Free) -> tuple[int, int, int]:
    """Give length, start in a, start in b of the longest common run: the first in a, then in b."""
    best = (0, 0, 0)
    above = [0] * (len(b) + 1)
    for i in range(len(a)):
        row = [0] * (len(b) + 1)
        for j in range(len(b)):
            if _same(a, i, b, j):
                row[j + 1] = length = above[j] + 1
                best = max(best, (length, length - 1 - i, length - 1 - j))
        above = row
    return best[0], -best[1], -best[2]


def _columns(found: list[tuple[int, int, int]]) -> tuple[UInt32s, UInt32s, UInt32s]:
    table = np.array(found, np.uint32).reshape(-1, 3)
    return table[:, 0].copy(), table[:, 1].copy(), table[:, 2].copy()


def tiles(
    a: Symbols,
    b: Symbols,
    k: int,
    mask_a: UInt8s | None = None,
    mask_b: UInt8s | None = None,
    room: int = MOST,
) -> tuple[UInt32s, UInt32s, UInt32s]:
    """Give starts in a, starts in b and lengths of the tiles, in the order in which they are taken.

    Again and again the longest common run of free symbols is taken, the leftmost in a, then in b,
    if several are as long, until none of at least `k` symbols is left. Masked symbols are not
    free. OverflowError is raised when the stretches of both that consist of shared k-grams have
    more than `room` symbols, one more counted for each stretch: they would not fit into memory.
    """
    if k < 1:
        raise ValueError("k must be at least 1")
    if len(a) + len(b) > MOST:
        raise OverflowError("too many symbols for one match")
    left, right = _Free(a, mask_a), _Free(b, mask_b)
    if _shared_symbols(left, right, k) + _shared_symbols(right, left, k) > room:
        raise OverflowError("more shared symbols than there is room for")
    found: list[tuple[int, int, int]] = []
    while True:
        length, i, j = _longest(left, right)
        if length < k:
            return _columns(found)
        found.append((i, j, length))
        left.take(i, length)
        right.take(j, length)


def tiles_among(
    sequences: Sequence[Symbols],
    lefts: NDArray[Any],
    rights: NDArray[Any],
    k: int,
    masks: Sequence[UInt8s | None] | None = None,
    room: int = MOST,
) -> tuple[NDArray[np.int64], UInt32s, UInt32s, UInt32s]:
    """Give the tiles of many pairs, which name their sequences by number: first how many each pair has.

    That is −1 for a pair whose shared stretches have more than `room` symbols. Pairs that have
    their larger sequence in common cost less when they follow each other.
    """
    if len(lefts) != len(rights) or (masks is not None and len(masks) != len(sequences)):
        raise ValueError("columns differ in length")
    counts = np.zeros(len(lefts), np.int64)
    parts = [_columns([])]
    for number, (a, b) in enumerate(zip(lefts.tolist(), rights.tolist(), strict=True)):
        if not (0 <= a < len(sequences) and 0 <= b < len(sequences)):
            raise IndexError("a pair names a sequence that is not there")
        mask_a, mask_b = (None, None) if masks is None else (masks[a], masks[b])
        try:
            parts.append(tiles(sequences[a], sequences[b], k, mask_a, mask_b, room))
            counts[number] = len(parts[-1][0])
        except OverflowError:
            counts[number] = -1
    starts_a, starts_b, lengths = (np.concatenate(column) for column in zip(*parts, strict=True))
    return counts, starts_a, starts_b, lengths


def _shared_symbols(side: _Free, other: _Free, k: int) -> int:
    """Count the symbols in k-grams that the other side has too, and one for each stretch of them."""
    there = {tuple(other.symbols[j : j + k]) for j in _grams(other, k)}
    starts = [i for i in _grams(side, k) if tuple(side.symbols[i : i + k]) in there]
    inside = {i + n for i in starts for n in range(k)}
    return len(inside) + sum(i + 1 not in inside for i in inside)


def _grams(side: _Free, k: int) -> Iterator[int]:
    """Give the starts of the k-grams without a masked symbol."""
    return (i for i in range(len(side) - k + 1) if all(side.free[i : i + k]))


def _extend(a: _Free, i: int, b: _Free, j: int) -> tuple[int, int, int]:
    """Give the maximal run of free symbols through a[i] and b[j]: starts and length, 0 if there is none."""
    ahead = back = 0
    while _same(a, i + ahead, b, j + ahead):
        ahead += 1
    while ahead and _same(a, i - back - 1, b, j - back - 1):
        back += 1
    return i - back, j - back, ahead + back


def seed_tiles(
    a: Symbols,
    b: Symbols,
    k: int,
    stride: int,
    mask_a: UInt8s | None = None,
    mask_b: UInt8s | None = None,
    allocate: Callable[[int, type], NDArray[Any]] | None = None,
) -> tuple[UInt32s, UInt32s, UInt32s]:
    """Give tiles of at least `k` symbols as `tiles` does, but taken from left to right in a.

    Seeds are the k-grams of b that start at a multiple of `stride`. Each k-gram of a that follows
    the last tile is tried at its first 16 free seeds, and the longest maximal run is taken, the
    first in b if several are as long. A common run of k + stride − 1 free symbols is thus never
    passed over, unless more than 16 seeds are equal. `allocate(count, dtype)` may give the space for
    the seeds; here they are in a dictionary.
    """
    if k < 1 or stride < 1:
        raise ValueError("k and stride must be at least 1")
    left, right = _Free(a, mask_a), _Free(b, mask_b)
    seeds: dict[tuple[int, ...], list[int]] = {}
    for j in _grams(right, k):
        if j % stride == 0:
            seeds.setdefault(tuple(right.symbols[j : j + k]), []).append(j)
    found: list[tuple[int, int, int]] = []
    for i in list(_grams(left, k)):
        if found and i < found[-1][0] + found[-1][2]:
            continue
        places = seeds.get(tuple(left.symbols[i : i + k]), [])
        runs = [_extend(left, i, right, j) for j in places if right.free[j]][:TRIES]
        best = max(runs, key=lambda run: run[2], default=(0, 0, 0))
        if best[2] >= k:
            found.append(best)
            left.take(best[0], best[2])
            right.take(best[1], best[2])
    return _columns(found)


def line_starts(data: bytes | bytearray | memoryview) -> UInt32s:
    """Give the byte offset of the start of every line; the line of offset x is the count of those ≤ x.

    A line ends with \\n, \\r\\n or a lone \\r, as the first Macs wrote them.
    """
    ends = [found.end() for found in re.finditer(rb"\r\n|\n|\r", bytes(data))]
    return np.array([0, *ends], np.uint32)
