"""Long lists of who shares a shingle, kept as lists: their pairs are formed where they are measured.

A list of 500 documents has 125,000 pairs, and records of one template share a dozen shingles, each in another
range. So the pairs of long lists would take many times the space of the texts. A list is written once
instead, with the number of shingles that have the very same list, and beside it its postings by document.

A list is an array of marked documents, ascending: the number · 2, + 1 if the document has the shingle in its
own sample. A posting is (document << 32 | list, place in the list).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from copysift import kernels
from copysift.join.lists import Lists, summed
from copysift.runtime.arrays import heads
from copysift.runtime.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Int64s = NDArray[np.int64]
    UInt32s = NDArray[np.uint32]
    UInt64s = NDArray[np.uint64]

LONG = 16  # documents from which on a list takes less space than its pairs, several times over
CHUNK = 1 << 20  # pairs that are formed at a time
_ONE, _HALF = np.uint64(1), np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)


@dataclass(frozen=True, slots=True)
class LongLists:
    """Lists one after another, and how many shingles have each."""

    members: UInt64s  # marked documents
    starts: Int64s
    lengths: Int64s
    weights: UInt32s

    @classmethod
    def of(cls, members: UInt64s, lengths: Int64s, weights: UInt32s) -> LongLists:
        """Make lists of what lies one after another."""
        return cls(members, np.cumsum(lengths) - lengths, lengths, weights)


def divided(found: Lists) -> tuple[Lists, LongLists, UInt64s]:
    """Give the lists that are short, those that are long, and digests of the long ones."""
    long = found.lengths >= LONG
    starts, lengths = found.starts[long], found.lengths[long]
    at = _ramps(starts, lengths)
    members = found.docs[at].astype(np.uint64) << _ONE | (found.own[at] != 0)
    return (
        found.taken(~long),
        LongLists.of(members, lengths, found.weights[long]),
        found.digests[long],
    )


def same_lists(digests: UInt64s, weights: UInt32s) -> tuple[Int64s, UInt32s]:
    """Give the first of the lists that have the same digest, in order, and the sums of their weights."""
    order = np.argsort(digests, kind="stable")
    starts = np.flatnonzero(heads(digests[order]))
    first = order[starts]
    totals = np.add.reduceat(weights[order], starts) if len(starts) else weights[:0]
    back = np.argsort(first)
    return first[back], totals[back].astype(np.uint32)


def postings(lists: LongLists, first: int) -> tuple[UInt64s, UInt32s]:
    """Give the postings of lists that are numbered from `first` on, in order of documents."""
    numbers = np.repeat(np.arange(first, first + len(lists.lengths), dtype=np.uint64), lists.lengths)
    places = _ramps(np.zeros(len(lists.lengths), np.int64), lists.lengths).astype(np.uint32)
    keys = (lists.members >> _ONE) << _HALF | numbers
    kernels.join.sort_pairs(keys, places)
    return keys, places


def pairs_of(keys: UInt64s, places: UInt32s, lists: LongLists) -> Iterator[tuple[UInt64s, UInt32s]]:
    """Give the pairs (left << 32 | right) of postings with what follows in their lists, summed in chunks."""
    counts = lists.lengths[(keys & _LOW).astype(np.int64)] - places.astype(np.int64) - 1
    cuts = np.searchsorted(np.cumsum(counts), np.arange(CHUNK, int(counts.sum()) + CHUNK, CHUNK))
    start = 0
    for cut in cuts.tolist():
        some = slice(start, min(cut + 1, len(keys)))
        start = some.stop
        if some.start < some.stop:
            found = kernels.lists.long_pairs(
                keys[some], places[some], lists.members, lists.starts, lists.lengths, lists.weights
            )
            yield summed(*found)


def _ramps(starts: Int64s, sizes: Int64s) -> Int64s:
    """Give starts[i], starts[i] + 1 …, sizes[i] of them, for every i."""
    ends = np.cumsum(sizes)
    found = np.arange(int(ends[-1]) if len(ends) else 0)
    found += np.repeat(starts - (ends - sizes), sizes)
    return found
