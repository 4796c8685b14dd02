"""Collapse documents that are the same for every measure, and let them join again (Broder, section 5.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Int64s = NDArray[np.int64]
    UInt64s = NDArray[np.uint64]

ALONE, IDENTICAL, LEXICAL, SKETCH = 0, 1, 2, 3
WORDS = ("representative", "identical", "lexically equivalent", "sketch equivalent")


def collapse(
    content: UInt64s, lexical: UInt64s, sets: UInt64s, bytes_: Int64s, words: Int64s, shingles: Int64s
) -> tuple[Int64s, NDArray[np.uint8]]:
    """Give for every document the first that stands for it, and how the two are the same.

    Documents with the same shingles are one class; those without a shingle, when their words are the same;
    those without a word, when their bytes are. Empty documents are copies of nothing.
    """
    key, size = class_keys(content, lexical, sets, bytes_, words, shingles)
    order = np.lexsort((np.arange(len(key)), size, key))
    new = np.ones(len(key), np.bool_)
    new[1:] = (key[order][1:] != key[order][:-1]) | (size[order][1:] != size[order][:-1])
    heads = order[np.maximum.accumulate(np.where(new, np.arange(len(key)), 0))] if len(key) else order
    first = np.empty(len(key), np.int64)
    first[order] = heads
    first[bytes_ == 0] = np.flatnonzero(bytes_ == 0)
    how = likeness(
        (content, lexical, bytes_, words), (content[first], lexical[first], bytes_[first], words[first])
    )
    how[first == np.arange(len(first))] = ALONE
    return first, how


def class_keys(
    content: UInt64s, lexical: UInt64s, sets: UInt64s, bytes_: Int64s, words: Int64s, shingles: Int64s
) -> tuple[UInt64s, Int64s]:
    """Give what the documents of a class have in common: a digest and a size, which also tells its kind."""
    key = np.where(shingles > 0, sets, np.where(words > 0, lexical, content))
    size = np.where(shingles > 0, shingles, np.where(words > 0, -words, np.int64(-(1 << 40)) - bytes_))
    return key, size


Facts = tuple["UInt64s", "UInt64s", "Int64s", "Int64s"]  # content, lexical, bytes, words


def likeness(own: Facts, first: Facts) -> NDArray[np.uint8]:
    """Tell how documents are the same as the first of their class."""
    same_words = (own[1] == first[1]) & (own[3] == first[3])
    same = same_words & (own[0] == first[0]) & (own[2] == first[2])
    return np.where(same, IDENTICAL, np.where(same_words, LEXICAL, SKETCH)).astype(np.uint8)
