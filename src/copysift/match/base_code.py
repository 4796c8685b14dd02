"""Base code: starter code is ignored.

Every k-gram of it is taken, not the selected ones: at the edges of an edit other k-grams win, and base
material would leak through (design, Fingerprint).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from copysift.kinds import Lexemes
from copysift.runtime.arrays import distinct

if TYPE_CHECKING:
    from copysift.model.values import SpanMap, UInt64s


class Base:
    """The k-grams of the base code, of all kinds together, and the statements and strings of programs."""

    def __init__(self, hashes: list[UInt64s] | None = None, lexemes: Lexemes | None = None) -> None:
        self.lexemes = lexemes or Lexemes.none()
        self.hashes: UInt64s = distinct(np.concatenate(hashes)) if hashes else np.empty(0, np.uint64)

    def __bool__(self) -> bool:
        return len(self.hashes) > 0

    def holds(self, hashes: UInt64s) -> NDArray[np.bool_]:
        """Say which hashes are those of base code."""
        if not len(self.hashes):
            return np.zeros(len(hashes), np.bool_)
        places = np.searchsorted(self.hashes, hashes)
        places[places == len(self.hashes)] = 0
        held: NDArray[np.bool_] = self.hashes[places] == hashes
        return held

    def mask(self, grams: UInt64s, k: int, count: int) -> NDArray[np.uint8]:
        """Mark every symbol that a k-gram of the base covers; `grams` are all k-grams of `count` symbols."""
        return np.concatenate([np.empty(0, np.uint8), *self.masks([grams], k)])[:count]

    def masks(self, pieces: Iterable[UInt64s], k: int) -> Iterator[NDArray[np.uint8]]:
        """Mark symbols as `mask` does, piece by piece; `pieces` are all k-grams in order.

        The marks of the last k − 1 symbols come last; a document of fewer has more marks than symbols.
        """
        since = k  # symbols since the start of the last k-gram of the base
        for grams in pieces:
            places = np.arange(len(grams))
            last = np.maximum.accumulate(np.where(self.holds(grams), places, -since))
            yield (places - last < k).astype(np.uint8)
            since = min(k, len(grams) - int(last[-1])) if len(grams) else since
        yield (np.arange(since, since + k - 1) < k).astype(np.uint8)


def masked_spans(mask: NDArray[np.uint8], positions: SpanMap) -> tuple[tuple[int, int], ...]:
    """Give the half-open source spans of the runs of marked symbols."""
    edges = np.diff(np.concatenate(([0], mask, [0])).astype(np.int8))
    first, last = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1) - 1
    if not len(first):
        return ()
    starts, ends = positions.spans(first, last)
    return tuple(zip(starts.tolist(), ends.tolist(), strict=True))
