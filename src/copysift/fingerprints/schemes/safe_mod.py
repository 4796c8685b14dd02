"""The k-grams whose hashes are 0 modulo P, and all where a window has none."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from copysift import kernels
from copysift.fingerprints.schemes import Choice, incomplete
from copysift.model.traits import SchemeTraits

if TYPE_CHECKING:
    from copysift.fingerprints.options import FingerprintSettings
    from copysift.model.values import Symbols, UInt64s


class SafeMod:
    """`safe-mod` (§3.1.2): good (0 mod p) and bad (no good one among it and the w − 1 before it)."""

    traits: ClassVar = SchemeTraits(
        "safe-mod",
        "0 modulo P, and winnowing where a window has none",
        ("modulus",),
        guarantee=True,
        edge=0.31,
        variance=2.0,
    )

    def __init__(self, settings: FingerprintSettings) -> None:
        self._k, self._w, self._seed = settings.k, settings.w, settings.seed
        self._modulus = np.uint64(settings.modulus or _best(settings.w))
        self._good = -1  # the last good place, relative to the symbols to come

    def feed(self, symbols: Symbols, last: bool) -> Choice:
        hashes = kernels.selection.hashes(symbols, self._k, self._seed)
        places = np.arange(len(hashes))
        good = hashes % self._modulus == 0
        latest = np.maximum.accumulate(np.where(good, places, self._good)) if len(hashes) else places
        bad = places - latest >= self._w
        chosen = np.flatnonzero(good | bad).astype(np.uint32)
        keep = incomplete(symbols, self._k)
        self._good = (int(latest[-1]) if len(latest) else self._good) - keep
        return Choice(chosen, hashes[chosen], keep)

    def settle(self, hashes: UInt64s) -> None:
        return None


def _best(w: int) -> int:
    """Give the modulus with the fewest fingerprints: 1 in w / ln w is good."""
    return max(1, round(w / math.log(w))) if w > 1 else 1


SCHEME = SafeMod
