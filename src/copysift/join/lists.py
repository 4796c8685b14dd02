"""From (shingle, document) entries to pairs of documents that share shingles (Broder, sections 4.1, 5.1).

Pure functions over one part of the entries, those of some range of hashes; adding up the pairs of all parts
gives the answer, whatever the parts. Entries hold the hash scrambled, so that ranges are even: hashes of a
sample are multiples of a number, scrambled ones are not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from copysift import kernels
from copysift.runtime.arrays import distinct, heads
from copysift.runtime.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Int64s = NDArray[np.int64]
    UInt32s = NDArray[np.uint32]
    UInt64s = NDArray[np.uint64]

Number = TypeVar("Number", bound=np.number[Any])

SCRAMBLE = np.uint64(0x9E3779B97F4A7C15)
UNSCRAMBLE = np.uint64(pow(0x9E3779B97F4A7C15, -1, 2**64))
CHUNK = 1 << 22  # pairs that are formed at a time
COMMONEST = 50  # of the common shingles, these are told by name


@dataclass(frozen=True, slots=True)
class Lists:
    """The lists of a part: who shares a shingle. `weights` counts the shingles with the very same list."""

    docs: UInt32s
    own: NDArray[np.uint8]
    starts: Int64s
    lengths: Int64s
    weights: UInt32s
    digests: UInt64s  # of the documents of each list
    common_starts: Int64s
    common_lengths: Int64s

    def taken(self, which: NDArray[np.bool_]) -> Lists:
        """Give some of the lists that are not common."""
        return replace(
            self,
            starts=self.starts[which],
            lengths=self.lengths[which],
            weights=self.weights[which],
            digests=self.digests[which],
        )


def partition(hashes: UInt64s, docs: UInt32s, bits: int) -> tuple[UInt64s, UInt32s, Int64s]:
    """Scramble the hashes of entries and put the entries in 2^bits parts; bounds of the parts come last."""
    return kernels.join.partition(hashes * SCRAMBLE, docs, bits)


def lists_of(scrambled: UInt64s, docs: UInt32s, moduli: UInt32s, max_shared: int, sizes: UInt32s) -> Lists:
    """Sort the entries of a part, which come in order of documents, and find its lists.

    A shingle in more than `max_shared` documents is common: those that are compared by it are near-copies, as
    all others have been freed of boilerplate. Adds to `sizes` how many shingles of its own
    sample every document has that are not common.
    """
    kernels.join.sort_pairs(scrambled, docs)
    hashes = scrambled * UNSCRAMBLE
    starts, lengths, common, digests, own = kernels.lists.lists(hashes, docs, moduli, max_shared, sizes)
    told = digests[~common]
    rare, weights = _first_of_each(told)
    often, _ = _first_of_each(digests[common])
    return Lists(
        docs,
        own,
        starts[~common][rare],
        lengths[~common][rare],
        weights,
        told[rare],
        starts[common][often],
        lengths[common][often],
    )


def pairs_of(found: Lists, chunk: int = CHUNK) -> Iterator[tuple[UInt64s, UInt32s]]:
    """Give the pairs (left << 32 | right) of the lists and what they share, summed up in chunks."""
    sizes = found.lengths * (found.lengths - 1) // 2
    cuts = np.searchsorted(np.cumsum(sizes), np.arange(0, int(sizes.sum()) + chunk, chunk), side="left")
    cuts = distinct(np.append(cuts, len(sizes)))
    for first, last in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
        pairs, weights = kernels.lists.all_pairs(
            found.docs,
            found.own,
            found.starts[first:last],
            found.lengths[first:last],
            found.weights[first:last],
        )
        yield summed(pairs, weights)


def common_pairs(found: Lists) -> UInt64s:
    """Give few pairs of each common list: with its first document, one of the next, and the one before."""
    return distinct(kernels.lists.few_pairs(found.docs, found.own, found.common_starts, found.common_lengths))


def summed(pairs: UInt64s, weights: UInt32s) -> tuple[UInt64s, UInt32s]:
    """Give every pair once, in order, with the sum of its weights."""
    count = kernels.join.sum_pairs(pairs, weights)
    return pairs[:count], weights[:count]


def _first_of_each(values: UInt64s) -> tuple[Int64s, UInt32s]:
    """Give where every value comes first, in order of values, and how often it comes."""
    ordered, order = values.copy(), np.arange(len(values), dtype=np.uint32)
    kernels.join.sort_pairs(ordered, order)
    starts = np.flatnonzero(heads(ordered))
    return order[starts].astype(np.int64), np.diff(starts, append=len(values)).astype(np.uint32)


def enough(
    shared: UInt32s, sampled: NDArray[np.generic], floor: float, sure: float = 2.5
) -> NDArray[np.bool_]:
    """Say which pairs may reach a containment of `floor`, from what the samples share.

    Of `sampled` shingles of the smaller document about floor · sampled are shared at the floor itself; a
    pair is given up when it lies `sure` standard deviations below that.
    """
    most = int(sampled.max(initial=0))
    if most < len(sampled):  # every size once
        return np.asarray(shared >= _needed(np.arange(most + 1), floor, sure)[sampled])
    return np.asarray(shared >= _needed(sampled, floor, sure))


def _needed(sampled: NDArray[np.generic], floor: float, sure: float) -> UInt32s:
    n = np.asarray(sampled, dtype=np.float64)
    least = np.ceil(floor * n - sure * np.sqrt(floor * (1 - floor) * n))
    return np.maximum(least, 1.0).astype(np.uint32)
