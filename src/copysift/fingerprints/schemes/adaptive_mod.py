"""Broder's MOD_m with a modulus that grows with the document."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from copysift import kernels
from copysift.fingerprints.schemes import Choice, incomplete
from copysift.model.traits import LEVELS, SchemeTraits

if TYPE_CHECKING:
    from copysift.fingerprints.options import FingerprintSettings
    from copysift.model.values import Symbols, UInt32s, UInt64s


class AdaptiveMod:
    """`adaptive-mod` (Broder §3): MOD of 2^i, i by the number of distinct choices, 50 to 100 of them.

    The level is found by halving the sample whenever it has passed 2 · size/2 distinct hashes, which
    is Broder's rule by size with the sample itself as the measure, and needs no second pass. A modulus P
    makes it MOD of P · 2^i: at most one k-gram in P is kept. Levels still nest.
    """

    traits: ClassVar = SchemeTraits(
        "adaptive-mod",
        "0 modulo a power of two that grows with the document",
        ("modulus", "sketch"),
        estimator=LEVELS,
    )

    def __init__(self, settings: FingerprintSettings) -> None:
        self._k, self._seed, self._size = settings.k, settings.seed, settings.size
        self._modulus = np.uint64(settings.modulus or 1)
        self._level = (int(self._modulus) & -int(self._modulus)).bit_length() - 1  # trailing zeros of P
        self._kept = np.empty(0, np.uint64)

    def feed(self, symbols: Symbols, last: bool) -> Choice:
        hashes = kernels.selection.hashes(symbols, self._k, self._seed)
        finest = hashes % self._modulus == 0 if self._modulus > 1 else np.ones(len(hashes), np.bool_)
        chosen = np.flatnonzero(finest & _divisible(hashes, self._level)).astype(np.uint32)
        self._kept = np.union1d(self._kept, hashes[chosen])
        while len(self._kept) > self._size:
            self._level += 1
            self._kept = self._kept[_divisible(self._kept, self._level)]
        chosen = chosen[_divisible(hashes[chosen], self._level)]
        return Choice(chosen, hashes[chosen], incomplete(symbols, self._k))

    def settle(self, hashes: UInt64s) -> UInt32s | None:
        return np.flatnonzero(_divisible(hashes, self._level)).astype(np.uint32)


def _divisible(hashes: UInt64s, level: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return (hashes & np.uint64((1 << min(level, 63)) - 1)) == 0  # type: ignore[no-any-return]


SCHEME = AdaptiveMod
