"""Templates: text of a few documents or more, which does not make pairs of pages that have text of their own.

The census (`join/boilerplate.py`) knows what more than --max-shared documents have. Fewer pages of one
template are seen by their pairs: a *crowded* document has as many pairs as --template, or more. Two of them
are near-copies if both differ from what they share in a word here and there. All near-copies of one document,
and of each other, are one work, and pairs of one work keep their measures. Shingles in more works than
--template allows are common: they are left out of both sides of the other pairs, as boilerplate is (Broder et
al., section 5.1). Fewer pages than that may as well be versions of one document, which share as much.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from copysift import kernels
from copysift.join.boilerplate import LONG, UNPLACED, Boilerplate, bounds_of
from copysift.match.sets import MeasuredPairs, at_least, measures
from copysift.runtime.arrays import heads
from copysift.runtime.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bools = NDArray[np.bool_]
    Int64s = NDArray[np.int64]
    UInt32s = NDArray[np.uint32]
    UInt64s = NDArray[np.uint64]

# The share of uncovered words that may lie in long runs, beyond one shingle's length of each. A passage of 17
# words has more of them there. Of pairs of near-copies that differ in single words, with resemblance from .5
# on, 2 % at the most have, and documents of one work need not all be near to each other.
IN_RUNS = 0.4
RUN = 8  # fingerprints in a row that an edit or two may change


@dataclass(frozen=True, slots=True)
class Texts:
    """Documents by number, ascending: their sets, and their shingles in order as in `Boilerplate.without`.

    `shares` says which share of all shingles of each the set has: 1 without boilerplate.
    """

    numbers: Int64s
    values: UInt64s
    bounds: Int64s
    words: Int64s
    places: Int64s
    order: UInt32s
    shares: NDArray[np.float64]


def without_templates(
    pairs: MeasuredPairs, numbers: Int64s, values: UInt64s, bounds: Int64s, common: Boilerplate, floor: float
) -> MeasuredPairs:
    """Measure pairs again without common shingles, given the sets of `numbers`; keep those at the floor."""
    return measured_again(pairs, numbers, *common.taken_from(values, bounds), floor)


def measured_again(
    pairs: MeasuredPairs, numbers: Int64s, values: UInt64s, bounds: Int64s, floor: float
) -> MeasuredPairs:
    """Measure pairs by the sets of `numbers` that are left of them; keep those at the floor."""
    left, right = np.searchsorted(numbers, pairs.left), np.searchsorted(numbers, pairs.right)
    sizes, source = np.diff(bounds), np.zeros(len(numbers), np.int64)
    shared = kernels.shingle.shared_among([values], source, bounds[:-1], bounds[1:], left, right)
    found = measures(pairs.left, pairs.right, shared, sizes[left], sizes[right])
    return found.take(at_least(found, floor) & (found.shared > 0))


def near_copies(pairs: MeasuredPairs, texts: Texts) -> Bools:
    """Say which pairs differ in a word here and there."""
    left, right = np.searchsorted(texts.numbers, pairs.left), np.searchsorted(texts.numbers, pairs.right)
    sizes, found = np.diff(texts.bounds), np.ones(len(left), np.bool_)
    for one, other in ((left, right), (right, left)):
        found[found] = _is_near(texts, sizes, one[found], other[found], pairs.shared[found])
    return found


def common_shingles(hashes: UInt64s, works: UInt32s, most: int) -> UInt64s:
    """Give the hashes in more than `most` works, ascending."""
    hashes, works = hashes.copy(), works.copy()
    kernels.join.sort_pairs(hashes, works)
    firsts = hashes[heads(hashes) | heads(works)]  # a hash for every work that has it
    starts = np.flatnonzero(heads(firsts))
    return firsts[starts[np.diff(starts, append=len(firsts)) > most]]


def _is_near(texts: Texts, sizes: Int64s, one: Int64s, other: Int64s, shared: Int64s) -> Bools:
    """Say which documents have little of their own beside what another shares with them."""
    rest = sizes[one] - shared
    words = texts.words[one] * texts.shares[one]
    placed = texts.places[one] > 0
    # a word that is in no shared shingle begins or ends at least one shingle of its own
    near = np.where(placed, rest <= LONG * words, rest <= UNPLACED * sizes[one])
    asked = np.flatnonzero(placed & ~near)
    total, run = kernels.shingle.uncovered_by(
        texts.values,
        texts.bounds,
        texts.order,
        bounds_of(texts.places),
        texts.words,
        one[asked],
        other[asked],
    ).T
    near[asked] = run <= np.maximum(LONG * words[asked], IN_RUNS * total)
    return near


def is_near_copy(common: Bools) -> bool:
    """Say whether a document differs from what is common in a word here and there.

    `common` says of its fingerprints, in order of the text, whether they are.
    """
    edges = np.flatnonzero(np.diff(np.concatenate([[True], common, [True]]).astype(np.int8)))
    runs = edges[1::2] - edges[::2]  # of fingerprints that are its own
    beyond = int(np.maximum(runs - RUN, 0).sum())
    return beyond <= max(LONG * len(common), IN_RUNS * int(runs.sum()))
