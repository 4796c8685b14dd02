"""Winnowing: the smallest k-gram of every window, by one of several orders."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from copysift import kernels
from copysift.fingerprints.schemes import Choice
from copysift.model.traits import SchemeTraits

if TYPE_CHECKING:
    from copysift.fingerprints.options import FingerprintSettings
    from copysift.model.values import Symbols, UInt64s


class Windows:
    """One choice per window, so a guarantee; what differs is in the traits."""

    traits: ClassVar[SchemeTraits]

    def __init__(self, settings: FingerprintSettings) -> None:
        self._k, self._w, self._seed = settings.k, settings.w, settings.seed
        self._robust, self._inner = settings.windowing
        self._resumed = False

    def feed(self, symbols: Symbols, last: bool) -> Choice:
        places, hashes = kernels.selection.winnow(
            symbols, self._k, self._w, self._seed, self._robust, self._inner, self._resumed, last
        )
        keep = 0
        if len(places):
            self._resumed, keep = True, int(places[-1])
        return Choice(places, hashes, keep)

    def settle(self, hashes: UInt64s) -> None:
        return None
