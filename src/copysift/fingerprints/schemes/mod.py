"""The k-grams whose hashes are 0 modulo P: about one in P."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from copysift import kernels
from copysift.fingerprints.schemes import Choice, incomplete
from copysift.model.traits import SchemeTraits

if TYPE_CHECKING:
    from copysift.fingerprints.options import FingerprintSettings
    from copysift.model.values import Symbols, UInt64s


class Mod:
    """`mod`: 0 mod p (sif, Broder's MOD_m); without overlap as sif does it, on request."""

    traits: ClassVar = SchemeTraits("mod", "hashes that are 0 modulo P", ("modulus", "disjoint"), corpus=True)

    def __init__(self, settings: FingerprintSettings) -> None:
        self._k, self._seed = settings.k, settings.seed
        self._modulus = settings.modulus or (settings.w + 1) // 2
        self._skip = 1 if settings.overlap else settings.k
        self._start = 0

    def feed(self, symbols: Symbols, last: bool) -> Choice:
        places, hashes, following = kernels.selection.sample(
            symbols, self._k, self._modulus, self._seed, self._skip, self._start
        )
        keep = incomplete(symbols, self._k)
        self._start = max(0, following - keep)
        return Choice(places, hashes, keep)

    def settle(self, hashes: UInt64s) -> None:
        return None


SCHEME = Mod
