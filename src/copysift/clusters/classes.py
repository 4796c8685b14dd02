"""Collapse documents that are the same for every measure, and let them join again (Broder, section 5.2)."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from copysift.runtime.arrays import distinct
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
KEYS = ("content", "lexical", "sets", "bytes", "words", "shingles")  # facts that `class_keys` takes

Fact = Callable[[int, str], "NDArray[Any]"]  # of every document of a part, by its name


@dataclass(frozen=True, slots=True)
class Membership:
    """For every document the first of its cluster, and how it came in, as a word of JOINED."""

    root: Int64s
    joined: NDArray[np.uint8]


def collapse(edges: Int64s, fact: Fact) -> tuple[Int64s, NDArray[np.uint8]]:
    """Give for every document the first that represents it, and how the two are the same.

    Documents with the same shingles are one class; those without a shingle, when their words are the same;
    those without a word, when their bytes are. Empty documents are copies of nothing. `edges` has the first
    document of every part, and one past the last: of one part at a time the facts are held.
    """
    key, size = np.empty(int(edges[-1]), np.uint64), np.empty(int(edges[-1]), np.int64)
    empty = [np.zeros(0, np.int64)]
    for part, (start, end) in enumerate(pairwise(edges.tolist())):
        facts = [fact(part, name) for name in KEYS]
        key[start:end], size[start:end] = class_keys(*facts)
        empty.append(start + np.flatnonzero(facts[KEYS.index("bytes")] == 0))
    first = _first_of_each(key, size)
    del key, size
    for some in empty:
        first[some] = some
    how = np.full(len(first), ALONE, np.uint8)
    others = np.flatnonzero(first != np.arange(len(first)))
    if len(others):
        heads = first[others]
        numbers = distinct(np.concatenate([others, heads]))
        known = _of_some(numbers, edges, fact)
        for start in range(0, len(others), AT_ONCE):
            span = slice(start, start + AT_ONCE)
            own, theirs = (np.searchsorted(numbers, each[span]) for each in (others, heads))
            how[others[span]] = likeness(_at(known, own), _at(known, theirs))
    return first, how


def _of_some(numbers: Int64s, edges: Int64s, fact: Fact) -> Facts:
    """Give the facts of some documents, which ascend."""
    found: list[NDArray[Any]] = []
    cuts = np.searchsorted(numbers, edges).tolist()
    for name in ("content", "lexical", "bytes", "words"):
        parts = [
            fact(part, name)[numbers[first:last] - edges[part]]
            for part, (first, last) in enumerate(pairwise(cuts))
            if first < last
        ]
        found.append(np.concatenate(parts))
    return found[0], found[1], found[2], found[3]


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


def _at(facts: Facts, which: Int64s) -> Facts:
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
