"""k-gram hashes and their selection, to be read: the definition of what `_selection` computes fast.

A k-gram has a 64-bit *hash* (its fingerprint, were it selected) and a 32-bit *order* (what decides
whether it is). Both depend on the values of its symbols and on the seed, on nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

_64 = 2**64 - 1
_32 = 2**32 - 1


def has_avx2() -> bool:
    """Say that there is no AVX2 here: this is plain Python."""
    return False


def fmix64(h: int) -> int:
    """Mix 64 bits so that each affects all."""
    h ^= h >> 33
    h = h * 0xFF51AFD7ED558CCD & _64
    h ^= h >> 33
    h = h * 0xC4CEB9FE1A85EC53 & _64
    return h ^ (h >> 33)


class Constants:
    """What the seed decides: the base b of the rolling hash, a mask, two multipliers of the order."""

    def __init__(self, seed: int) -> None:
        self.base = (fmix64((seed + 0x9E3779B97F4A7C15) & _64) | 5) & ~2  # 5 modulo 8: long powers
        self.mask = fmix64((seed + 0x3C6EF372FE94F82A) & _64)
        self.m1 = fmix64((seed + 0xDAA66D2C7DDF743F) & _64) >> 32 | 1
        self.m2 = fmix64((seed + 0x78DDE6E5FD29F054) & _64) >> 32 | 1


def _gram_hash(gram: list[int], c: Constants) -> int:
    """H′ of §2.2, c₁·bᵏ + … + cₖ·b modulo 2⁶⁴, then mixed."""
    rolled = 0
    for symbol in gram:
        rolled = (rolled + symbol) * c.base & _64
    return fmix64(rolled ^ c.mask)


def _mix(a: int, b: int, m1: int) -> int:
    t = (a * m1 + b) & _32
    return t ^ t >> 15


def _gram_order(gram: list[int], c: Constants) -> int:
    """Double from 8 symbols to k, the last step overlapping; below 8 symbols take the hash's upper half."""
    k = len(gram)
    if k < 8:
        return _gram_hash(gram, c) >> 32
    folded = [_fold(symbol) for symbol in gram]
    four = [sum(folded[i + j] << 8 * j for j in range(4)) & _32 for i in range(k - 3)]
    level, m = [_mix(four[i], four[i + 4], c.m1) for i in range(k - 7)], 8
    while 2 * m <= k:
        level = [_mix(level[i], level[i + m], c.m1) for i in range(len(level) - m)]
        m *= 2
    if m < k:
        level = [_mix(level[0], level[k - m], c.m1)]
    return level[0] * c.m2 & _32


def _fold(symbol: int) -> int:
    return symbol if symbol < 256 else fmix64(symbol) & _32


def _inner_class(gram: list[int], r: int, c: Constants) -> int:
    """0 open (the smallest inner r-gram is in the middle), 1 closed (at either end), 2 otherwise.

    Equal inner grams: the leftmost counts as the smallest.
    """
    folded = [_fold(symbol) for symbol in gram]
    inner = []
    for i in range(len(gram) - r + 1):
        y = sum(folded[i + j] << 8 * j for j in range(r)) & _32
        y = y * c.m1 & _32
        y = (y ^ y >> 15) * c.m2 & _32
        inner.append(y ^ y >> 16)
    smallest, last = inner.index(min(inner)), len(inner) - 1
    if smallest == last // 2:
        return 0
    return 1 if smallest in (0, last) else 2


def _grams(symbols: np.ndarray, k: int) -> list[list[int]]:
    values = [int(symbol) for symbol in symbols]
    return [values[i : i + k] for i in range(len(values) - k + 1)]


def hashes(symbols: np.ndarray, k: int, seed: int = 0) -> np.ndarray:
    """Give the 64-bit hash of every k-gram."""
    c = Constants(seed)
    return np.array([_gram_hash(gram, c) for gram in _grams(symbols, k)], np.uint64)


def orders(symbols: np.ndarray, k: int, seed: int = 0, inner: int = 0) -> np.ndarray:
    """Give the 32-bit order of every k-gram; inner > 0: the open-closed order by inner r-grams."""
    c = Constants(seed)
    out = []
    for gram in _grams(symbols, k):
        order = _gram_order(gram, c)
        out.append(_inner_class(gram, inner, c) << 30 | order >> 2 if inner else order)
    return np.array(out, np.uint32)


def _choose(keys: Sequence[tuple[int, ...]], w: int, robust: bool, resumed: bool, whole: bool) -> list[int]:
    """Choose in every window the smallest key; definitions 1 and 3 of the winnowing paper."""
    chosen, previous = [], 0 if resumed else -1
    ends = range(1 if resumed else w - 1, len(keys))  # resumed: the first windows began before key 0
    if not ends and whole and not resumed and keys:  # shorter than a window: one choice
        ends = range(len(keys) - 1, len(keys))
    for end in ends:
        window = range(max(0, end - w + 1), end + 1)
        smallest = min(keys[i] for i in window)
        if robust and previous in window and keys[previous] == smallest:
            continue
        rightmost = max(i for i in window if keys[i] == smallest)
        if rightmost != previous:
            chosen.append(rightmost)
            previous = rightmost
    return chosen


def minima(values: np.ndarray, w: int, robust: bool = True) -> np.ndarray:
    """Give the places that winnowing selects among the given 64-bit values."""
    return np.array(_choose([(int(v),) for v in values], w, robust, False, True), np.uint32)


def winnow(
    symbols: np.ndarray,
    k: int,
    w: int,
    seed: int = 0,
    robust: bool = True,
    inner: int = 0,
    resumed: bool = False,
    whole: bool = True,
) -> tuple[np.ndarray, np.ndarray]:
    """Select one k-gram a window; give their places and hashes.

    The order decides, and the hash where orders are equal: different k-grams are never distinguished by
    history. resumed: k-gram 0 is the last choice already made, and is not given again. whole: nothing
    follows, so a document shorter than a window still gets one choice.
    """
    h = hashes(symbols, k, seed)
    keys = [(int(o), int(v)) for o, v in zip(orders(symbols, k, seed, inner), h, strict=True)]
    places = np.array(_choose(keys, w, robust, resumed, whole), np.uint32)
    return places, h[places]


def sample(
    symbols: np.ndarray, k: int, modulus: int, seed: int = 0, skip: int = 1, start: int = 0
) -> tuple[np.ndarray, np.ndarray, int]:
    """Select the k-grams whose hash is 0 modulo `modulus`; give places, hashes and where to continue.

    After a choice the next k-gram considered is `skip` further: 1, or k for sif's no-overlap rule.
    """
    h = hashes(symbols, k, seed)
    places, i = [], start
    while i < len(h):
        if int(h[i]) % modulus:
            i += 1
        else:
            places.append(i)
            i += skip
    chosen = np.array(places, np.uint32)
    return chosen, h[chosen], i
