"""Anchors are learned from a corpus ("quite common but not too common") or given; they are strings of
canonical symbols below 256, so for text they are lower-case ASCII letters and digits.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from copysift.errors import UsageError
from copysift.kinds import canonicaliser

if TYPE_CHECKING:
    from copysift.model.values import Canonical


def learn_anchors(
    corpus: Iterable[Canonical],
    length: int = 4,
    density: float = 1 / 200,
    rarest: float = 2e-5,
    commonest: float = 4e-4,
) -> tuple[bytes, ...]:
    """Choose strings of `length` symbols that together are at about `density` of all places of a corpus.

    Taken are strings whose own frequency lies between `rarest` and `commonest`, the commonest first:
    frequent enough to span every file, not so frequent that one of them floods it.
    """
    if not 1 <= length <= 8:
        raise UsageError("anchors have 1 to 8 symbols")
    total, counts = 0, np.zeros(0, np.int64)
    strings = np.zeros(0, np.uint64)
    for canonical in corpus:
        symbols = canonical.symbols
        grams = len(symbols) - length + 1
        if grams < 1:
            continue
        packed, narrow = np.zeros(grams, np.uint64), np.ones(grams, bool)
        for j in range(length):
            part = symbols[j : j + grams]
            packed = packed << np.uint64(8) | (part.astype(np.uint64) & np.uint64(255))
            narrow &= part < 256
        total += grams
        seen, times = np.unique(packed[narrow], return_counts=True)
        merged = np.union1d(strings, seen)
        sums = np.zeros(len(merged), np.int64)
        sums[np.searchsorted(merged, strings)] += counts
        sums[np.searchsorted(merged, seen)] += times
        strings, counts = merged, sums
    if not total:
        return ()
    share = counts / total
    fit = np.flatnonzero((share >= rarest) & (share <= commonest))
    fit = fit[np.lexsort((strings[fit], -share[fit]))]
    enough = int(np.searchsorted(np.cumsum(share[fit]), density)) + 1
    return tuple(int(strings[i]).to_bytes(length, "big") for i in fit[:enough])


def anchor_symbols(anchor: str) -> bytes:
    """Give an anchor as the canonical symbols of text."""
    return canonicaliser("text").whole(anchor.encode("utf-8", "replace")).symbols.tobytes()
