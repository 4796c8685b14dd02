"""Broder's MIN_s: a sketch of fixed size."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from copysift import kernels
from copysift.fingerprints.schemes import Choice, incomplete
from copysift.model.traits import SMALLEST, SchemeTraits

if TYPE_CHECKING:
    from copysift.fingerprints.options import FingerprintSettings
    from copysift.model.values import Symbols, UInt32s, UInt64s


class Min:
    """`min`: Broder's MIN_s, the s smallest distinct hashes; of equal ones the first place counts."""

    traits: ClassVar = SchemeTraits(
        "min",
        "the S smallest hashes: a sketch of fixed size, for resemblance",
        ("sketch",),
        estimator=SMALLEST,
    )

    def __init__(self, settings: FingerprintSettings) -> None:
        self._k, self._seed, self._size = settings.k, settings.seed, settings.size
        self._bar: int | None = None  # a hash above it is not among the smallest any more
        self._low = np.empty(0, np.uint64)

    def feed(self, symbols: Symbols, last: bool) -> Choice:
        hashes = kernels.selection.hashes(symbols, self._k, self._seed)
        chosen = np.arange(len(hashes)) if self._bar is None else np.flatnonzero(hashes <= self._bar)
        values, first = np.unique(hashes[chosen], return_index=True)
        places = np.sort(chosen[first[: self._size]]).astype(np.uint32)
        self._low = np.union1d(self._low, values[: self._size])[: self._size]
        if len(self._low) == self._size:
            self._bar = int(self._low[-1])
        return Choice(places, hashes[places], incomplete(symbols, self._k))

    def settle(self, hashes: UInt64s) -> UInt32s | None:
        _, first = np.unique(hashes, return_index=True)
        return np.sort(first[: self._size]).astype(np.uint32)


SCHEME = Min
