"""sif's first method: a k-gram is taken where it starts with one of a fixed set of anchor strings."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from copysift import kernels
from copysift.errors import UsageError
from copysift.fingerprints.schemes import Choice, incomplete
from copysift.model.traits import SchemeTraits

if TYPE_CHECKING:
    from copysift.fingerprints.options import FingerprintSettings
    from copysift.model.values import Symbols, UInt64s


class Anchor:
    """`anchor`: the k-grams that start with an anchor."""

    traits: ClassVar = SchemeTraits(
        "anchor", "k-grams that start with fixed anchor strings", ("anchor",), learned="anchor"
    )

    def __init__(self, settings: FingerprintSettings) -> None:
        self._k, self._seed = settings.k, settings.seed
        if not settings.anchors:
            raise UsageError(
                "the scheme anchor needs anchor strings", hint="add --anchor, or learn anchors from a corpus"
            )
        if any(not 1 <= len(anchor) <= settings.k for anchor in settings.anchors):
            raise UsageError(f"an anchor must have 1 to {settings.k} symbols, the length of a k-gram")
        self._wanted = {
            length: np.unique(
                np.concatenate(
                    [
                        kernels.selection.hashes(np.frombuffer(anchor, np.uint8), length)
                        for anchor in settings.anchors
                        if len(anchor) == length
                    ]
                )
            )
            for length in {len(anchor) for anchor in settings.anchors}
        }

    def feed(self, symbols: Symbols, last: bool) -> Choice:
        hashes = kernels.selection.hashes(symbols, self._k, self._seed)
        chosen = np.zeros(len(hashes), bool)
        for length, wanted in self._wanted.items():
            found = kernels.selection.hashes(symbols, length)[: len(hashes)]
            chosen |= np.isin(found, wanted)
        places = np.flatnonzero(chosen).astype(np.uint32)
        return Choice(places, hashes[places], incomplete(symbols, self._k))

    def settle(self, hashes: UInt64s) -> None:
        return None


SCHEME = Anchor
