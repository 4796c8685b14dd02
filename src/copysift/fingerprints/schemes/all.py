"""Every k-gram."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from copysift import kernels
from copysift.fingerprints.schemes import Choice, incomplete
from copysift.model.traits import SchemeTraits

if TYPE_CHECKING:
    from copysift.fingerprints.options import FingerprintSettings
    from copysift.model.values import Symbols, UInt64s


class All:
    """`all`: every k-gram, the judge of the others."""

    traits: ClassVar = SchemeTraits("all", "every k-gram: exact", guarantee=True, corpus=True, every=True)

    def __init__(self, settings: FingerprintSettings) -> None:
        self._k, self._seed = settings.k, settings.seed

    def feed(self, symbols: Symbols, last: bool) -> Choice:
        hashes = kernels.selection.hashes(symbols, self._k, self._seed)
        return Choice(np.arange(len(hashes), dtype=np.uint32), hashes, incomplete(symbols, self._k))

    def settle(self, hashes: UInt64s) -> None:
        return None


SCHEME = All
