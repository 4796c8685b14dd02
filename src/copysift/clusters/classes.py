"""Collapse documents that are the same for every measure, and let them join again (Broder, section 5.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from copysift.runtime.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Int64s = NDArray[np.int64]
    UInt64s = NDArray[np.uint64]

AT_ONCE = 1 << 18  # documents that are compared with their first together
ALONE, IDENTICAL, LEXICAL, SKETCH = 0, 1, 2, 3
SIMILAR, CONTAINED = 4, 5
WORDS = ("representative", "identical", "lexically equivalent", "sketch equivalent")
JOINED = (*WORDS, "similar", "contained")


@dataclass(frozen=True, slots=True)
class Clustered:
    """For every document the first of its cluster, and how it came in, as a word of JOINED."""

    root: Int64s
    joined: NDArray[np.uint8]


def collapse(
    content: UInt64s, lexical: UInt64s, sets: UInt64s, bytes_: Int64s, words: Int64s, shingles: Int64s
) -> tuple[Int64s, NDArray[np.uint8]]:
    """Give for every document the first that represents it, and how the two are the same.

    Documents with the same shingles are one class; those without a shingle, when their words are the same;
    those without a word, when their bytes are. Empty documents are copies of nothing.
    """
    first = _first_of_each(*class_keys(content, lexical, sets, bytes_, words, shingles))
    empty = np.flatnonzero(bytes_ == 0)
    first[empty] = empty
    how = np.empty(len(first), np.uint8)
    facts = (content, lexical, bytes_, words)
    for start in range(0, len(first), AT_ONCE):
        span = slice(start, start + AT_ONCE)
        heads = first[span]
        alike = likeness(_at(facts, span), _at(facts, heads))
        how[span] = np.where(heads == np.arange(start, start + len(heads)), ALONE, alike)
    return first, how


def _first_of_each(key: UInt64s, size: Int64s) -> Int64s:
    """Give for every document the first with the same key and size."""
    order = np.lexsort((size, key))  # documents of a class stay in order
    places = np.arange(len(order))
    again = np.zeros(len(order), np.bool_)
    ordered: NDArray[Any] = key[order]
    again[1:] = ordered[1:] == ordered[:-1]
    ordered = size[order]  # one column at a time: each takes eight bytes a document
    again[1:] &= ordered[1:] == ordered[:-1]
    del ordered
    places[again] = 0
    np.maximum.accumulate(places, out=places)
    first = np.empty(len(order), np.int64)
    first[order] = order[places]
    return first


def _at(facts: Facts, which: slice | Int64s) -> Facts:
    content, lexical, size, words = facts
    return content[which], lexical[which], size[which], words[which]


def class_keys(
    content: UInt64s, lexical: UInt64s, sets: UInt64s, bytes_: Int64s, words: Int64s, shingles: Int64s
) -> tuple[UInt64s, Int64s]:
    """Give what the documents of a class have in common: a digest and a size, which also gives its kind."""
    key = np.where(shingles > 0, sets, np.where(words > 0, lexical, content))
    size = np.where(shingles > 0, shingles, np.where(words > 0, -words, np.int64(-(1 << 40)) - bytes_))
    return key, size


Facts = tuple["UInt64s", "UInt64s", "Int64s", "Int64s"]  # content, lexical, bytes, words


def likeness(own: Facts, first: Facts) -> NDArray[np.uint8]:
    """Say how documents are the same as the first of their class."""
    same_words = (own[1] == first[1]) & (own[3] == first[3])
    same = same_words & (own[0] == first[0]) & (own[2] == first[2])
    return np.where(same, IDENTICAL, np.where(same_words, LEXICAL, SKETCH)).astype(np.uint8)
