"""Sketches of a corpus: the w-shingling of many documents at once, and samples (Broder, sections 2, 3, 5).

A batch of documents becomes sets of shingles, each ascending, in one array. A sample is MOD_m of a set.
Documents too short for a sample of m take a finer one, down to all their shingles, so that every sample has
about ten shingles in common with that of a document of resemblance one half.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from copysift import kernels
from copysift.runtime.arrays import distinct
from copysift.runtime.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Int64s = NDArray[np.int64]
    UInt32s = NDArray[np.uint32]
    UInt64s = NDArray[np.uint64]

ENOUGH = 20  # expected sampled shingles below which a document takes a finer sample
_MIX = np.uint64(0xFF51AFD7ED558CCD)
_SHIFT = np.uint64(32)


@dataclass(frozen=True, slots=True)
class WordCodes:
    """The words of documents, which give their shingles: each word once, and the numbers of all that come.

    Words are hashes; the numbers have 16 bits where these are enough, else 32. `width` words make a shingle.
    """

    words: UInt64s
    numbers: NDArray[np.uint16] | UInt32s
    width: int


@dataclass(frozen=True, slots=True)
class ShingleSets:
    """Distinct shingles of documents: values[bounds[i]:bounds[i + 1]], ascending, and digests of each.

    `content` covers the text as it is, `lexical` the words in order, `sets` the shingles; `words` counts
    words. `order` has the low halves of the shingles as they come in the texts, `places` of each document;
    it is empty where there are `codes`, which say the same in less space.
    """

    values: UInt64s
    bounds: Int64s
    words: Int64s
    content: UInt64s
    lexical: UInt64s
    sets: UInt64s
    places: Int64s
    order: UInt32s
    codes: WordCodes | None = None

    @property
    def sizes(self) -> Int64s:
        """|S(D, w)| of every document."""
        return np.diff(self.bounds)


def shingle_sets(data: NDArray[np.uint8], offsets: Int64s, w: int, seed: int = 0) -> ShingleSets:
    """Shingle the documents data[offsets[i]:offsets[i + 1]], which are UTF-8."""
    values, bounds, words, lexical, sets, order = kernels.shingle.shingles(data, offsets, w, seed)
    content = kernels.shingle.content_digests(data, offsets)
    return ShingleSets(values, bounds, words, content, lexical, sets, np.maximum(words - w + 1, 0), order)


def coded_sets(data: NDArray[np.uint8], offsets: Int64s, w: int) -> ShingleSets:
    """Shingle the documents data[offsets[i]:offsets[i + 1]] as `shingle_sets` does, and give their words."""
    values, bounds, words, lexical, sets, every, numbers = kernels.shingle.coded_shingles(data, offsets, w)
    content = kernels.shingle.content_digests(data, offsets)
    places, none = np.maximum(words - w + 1, 0), np.zeros(0, np.uint32)
    return ShingleSets(
        values, bounds, words, content, lexical, sets, places, none, WordCodes(every, numbers, w)
    )


def feature_sets(features: list[list[bytes]], content: UInt64s, seed: int = 0) -> ShingleSets:
    """Make sets of any features, each given as bytes (section 6: the technique depends on features alone).

    `content` are the digests of the texts, by which documents without a feature are distinguished.
    """
    flat = [feature for each in features for feature in each]
    offsets = np.zeros(len(flat) + 1, np.int64)
    np.cumsum([len(feature) for feature in flat], out=offsets[1:])
    data = np.frombuffer(b"".join(flat), np.uint8)
    hashes = kernels.shingle.content_digests(data, offsets) ^ np.uint64(seed)
    hashes = (hashes ^ (hashes >> _SHIFT)) * _MIX
    pieces, counts, at = [], [], 0
    for each in features:
        pieces.append(distinct(hashes[at : at + len(each)]))
        counts.append(len(pieces[-1]))
        at += len(each)
    bounds = np.zeros(len(features) + 1, np.int64)
    np.cumsum(counts, out=bounds[1:])
    values = np.concatenate(pieces) if pieces else np.zeros(0, np.uint64)
    ends = np.zeros(len(features) + 1, np.int64)
    np.cumsum([len(each) for each in features], out=ends[1:])
    in_order = kernels.shingle.set_digests(hashes, ends)
    return ShingleSets(
        values,
        bounds,
        np.diff(ends),
        content,
        in_order,
        kernels.shingle.set_digests(values, bounds),
        np.zeros(len(features), np.int64),
        np.zeros(0, np.uint32),
    )


def levels(modulus: int) -> tuple[int, ...]:
    """Give the moduli of samples, finest first: 1, a divisor near the root, the modulus (25: 1, 5, 25)."""
    root = max(divisor for divisor in range(1, int(modulus**0.5) + 1) if modulus % divisor == 0)
    return tuple(sorted({1, root, modulus}))


def moduli(sizes: Int64s, modulus: int) -> UInt32s:
    """Give every document the coarsest modulus that leaves it enough of a sample."""
    out = np.ones(len(sizes), np.uint32)
    for level in levels(modulus)[1:]:
        out[sizes >= ENOUGH * level] = level
    return out


def samples(
    values: UInt64s, bounds: Int64s, by: UInt32s, known: UInt64s | None = None
) -> tuple[UInt64s, Int64s]:
    """Give MOD_m of every set, m from `by`; with a filter also the shingles that it knows."""
    return kernels.shingle.samples(values, bounds, by, known)


def filter_words(keys: int, limit: int) -> int:
    """Give the 64-bit words of a filter for this many keys, of 16 bits a key and at most `limit` bytes."""
    words = 1 << max(4, int(keys // 4).bit_length())
    while words * 8 > max(limit, 1024):
        words >>= 1
    return words


def new_filter(keys: int, limit: int) -> UInt64s:
    """Make an empty filter for this many keys, of 16 bits a key and at most `limit` bytes."""
    return np.zeros(filter_words(keys, limit), np.uint64)


def super_shingles(values: UInt64s, bounds: Int64s, size: int) -> tuple[UInt64s, Int64s]:
    """Shingle the sorted sketches (section 5.3): `size` in a row; a shorter sketch gives one of all."""
    whole = np.ones((len(bounds) - 1, 1), np.uint32)
    return kernels.shingle.super_shingles(values, bounds, whole, size)
