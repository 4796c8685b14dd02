"""The schemes: each looks at the k-grams of a document, block by block, and chooses some of them.

A scheme is made anew for each document. `feed` gets the symbols that it asked to keep from the last
block followed by new ones, and gives the chosen places, their hashes, and from which symbol on it
wants to see the symbols again. The answer never depends on where the blocks were cut.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from copysift import kernels

if TYPE_CHECKING:
    from copysift.fingerprints.options import FingerprintSettings
    from copysift.model.values import Symbols, UInt32s, UInt64s


class Choice(NamedTuple):
    """Chosen places in the symbols that were fed, their hashes, and the first symbol to keep."""

    places: UInt32s
    hashes: UInt64s
    keep: int


class Scheme(Protocol):
    """What chooses; `settle` says at the end which of all choices, by number, remain (None: all)."""

    def feed(self, symbols: Symbols, last: bool) -> Choice: ...

    def settle(self, hashes: UInt64s) -> UInt32s | None: ...


def _tail(symbols: Symbols, k: int) -> int:
    """The first symbol whose k-gram is not complete yet."""
    return max(0, len(symbols) - k + 1)


class Windows:
    """`robust`, `winnow`, `open-closed`: one choice a window, so a guarantee."""

    def __init__(self, settings: FingerprintSettings, robust: bool = True, inner: int = 0) -> None:
        self._k, self._w, self._seed = settings.k, settings.w, settings.seed
        self._robust, self._inner, self._resumed = robust, inner, False

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


def winnow(settings: FingerprintSettings) -> Windows:
    """Make winnowing as the paper first defines it: ties go to the right."""
    return Windows(settings, robust=False)


def open_closed(settings: FingerprintSettings) -> Windows:
    """Make winnowing whose order prefers open and closed k-grams."""
    return Windows(settings, inner=settings.inner)


class Mod:
    """`mod`: 0 mod p (sif, Broder's MOD_m); without overlap as sif does it, on request."""

    def __init__(self, settings: FingerprintSettings) -> None:
        self._k, self._seed, self._modulus = settings.k, settings.seed, settings.effective_modulus
        self._skip = 1 if settings.overlap else settings.k
        self._start = 0

    def feed(self, symbols: Symbols, last: bool) -> Choice:
        places, hashes, following = kernels.selection.sample(
            symbols, self._k, self._modulus, self._seed, self._skip, self._start
        )
        keep = _tail(symbols, self._k)
        self._start = max(0, following - keep)
        return Choice(places, hashes, keep)

    def settle(self, hashes: UInt64s) -> None:
        return None


class All:
    """`all`: every k-gram, the judge of the others."""

    def __init__(self, settings: FingerprintSettings) -> None:
        self._k, self._seed = settings.k, settings.seed

    def feed(self, symbols: Symbols, last: bool) -> Choice:
        hashes = kernels.selection.hashes(symbols, self._k, self._seed)
        return Choice(np.arange(len(hashes), dtype=np.uint32), hashes, _tail(symbols, self._k))

    def settle(self, hashes: UInt64s) -> None:
        return None


class SafeMod:
    """`safe-mod` (§3.1.2): good (0 mod p) and bad (no good one among it and the w − 1 before it)."""

    def __init__(self, settings: FingerprintSettings) -> None:
        self._k, self._w, self._seed = settings.k, settings.w, settings.seed
        self._modulus = np.uint64(settings.effective_modulus)
        self._good = -1  # the last good place, relative to the symbols to come

    def feed(self, symbols: Symbols, last: bool) -> Choice:
        hashes = kernels.selection.hashes(symbols, self._k, self._seed)
        places = np.arange(len(hashes))
        good = hashes % self._modulus == 0
        latest = np.maximum.accumulate(np.where(good, places, self._good)) if len(hashes) else places
        bad = places - latest >= self._w
        chosen = np.flatnonzero(good | bad).astype(np.uint32)
        keep = _tail(symbols, self._k)
        self._good = (int(latest[-1]) if len(latest) else self._good) - keep
        return Choice(chosen, hashes[chosen], keep)

    def settle(self, hashes: UInt64s) -> None:
        return None


class Min:
    """`min`: Broder's MIN_s, the s smallest distinct hashes; of equal ones the first place stands."""

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
        return Choice(places, hashes[places], _tail(symbols, self._k))

    def settle(self, hashes: UInt64s) -> UInt32s | None:
        _, first = np.unique(hashes, return_index=True)
        return np.sort(first[: self._size]).astype(np.uint32)


class AdaptiveMod:
    """`adaptive-mod` (Broder §3): MOD of 2^i, i by the number of distinct choices, 50 to 100 of them.

    The level is found by halving the sample whenever it has passed 2 · size/2 distinct hashes, which
    is Broder's rule by size with the sample itself as the measure, and needs no second pass. A modulus P
    makes it MOD of P · 2^i: at most one k-gram in P is kept. Levels still nest.
    """

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
        return Choice(chosen, hashes[chosen], _tail(symbols, self._k))

    def settle(self, hashes: UInt64s) -> UInt32s | None:
        return np.flatnonzero(_divisible(hashes, self._level)).astype(np.uint32)


def _divisible(hashes: UInt64s, level: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return (hashes & np.uint64((1 << min(level, 63)) - 1)) == 0  # type: ignore[no-any-return]
