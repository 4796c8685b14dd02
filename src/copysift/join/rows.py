"""The postings of a collection, and the pairs of groups that share enough of them.

For each group the postings of its hashes are walked and the later groups on them counted; a pair
below the threshold is never formed, and no loop runs over all pairs (winnowing, section 5.2).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from copysift import kernels
from copysift.errors import UsageError
from copysift.model.values import Candidate
from copysift.runtime.arrays import distinct
from copysift.runtime.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from numpy.typing import NDArray

    UInt32s = NDArray[np.uint32]
    UInt64s = NDArray[np.uint64]

MEASURES = ("similarity", "resemblance", "containment", "shared")
ROW_POSTINGS = 1 << 18  # postings that a piece of rows walks at least
LOOSE = 4  # times the pairs that share several hashes are counted when those of a range are estimated


@dataclass(frozen=True, slots=True)
class Common:
    """Hashes that too many groups hold to be evidence: how many do, and the first that does."""

    hashes: UInt64s
    degrees: UInt32s
    holders: UInt32s

    def __len__(self) -> int:
        return len(self.hashes)


@dataclass(frozen=True, slots=True)
class Postings:
    """Who holds each shared hash: groups[offsets[h]:offsets[h + 1]] hold hashes[h], ascending.

    `sizes` counts the distinct hashes of each group, those it holds alone included, without base
    and common ones; `totals` sums their weights; `weights` has the weight of each shared hash.
    """

    hashes: UInt64s
    offsets: NDArray[np.int64]
    groups: UInt32s
    sizes: UInt32s
    totals: NDArray[np.float64]
    weights: NDArray[np.float32]
    common: Common

    @classmethod
    def of(
        cls,
        *,
        hashes: UInt64s,
        degrees: UInt32s,
        groups: UInt32s,
        sizes: UInt32s,
        common: Common,
        weigh: Callable[[NDArray[Any], int], NDArray[np.float64]],
    ) -> Postings:
        """Make postings from the groups of each hash in a row, and weigh them."""
        if len(hashes) >= 2**32:
            raise UsageError(
                "over 4 billion shared fingerprints",
                hint="raise --noise or --guarantee to keep fewer",
            )
        offsets = np.zeros(len(hashes) + 1, np.int64)
        np.cumsum(degrees, out=offsets[1:])
        table = weigh(np.arange(int(degrees.max(initial=1)) + 1), int(np.count_nonzero(sizes)))
        weights = table[degrees].astype(np.float32)
        totals = _totals(groups, offsets, weights, sizes, table[1])
        return cls(hashes, offsets, groups, sizes, totals, weights, common)

    def independent(
        self,
        labels: UInt32s,
        weigh: Callable[[NDArray[Any], int], NDArray[np.float64]],
        some: NDArray[np.bool_] | None = None,
    ) -> Postings:
        """Weigh again, where groups with the same label are one occurrence.

        With `some` only the hashes that no other groups hold; those that one holds alone weigh 1 in any case.
        """
        degrees = kernels.join.distinct(self.offsets, self.groups, labels)
        occurrences = len(distinct(labels[self.sizes > 0]))
        table = weigh(np.arange(int(degrees.max(initial=1)) + 1), occurrences)
        weights = table[degrees].astype(np.float32)
        if some is not None and len(weights):
            own = np.logical_and.reduceat(some[self.groups], self.offsets[:-1])
            weights = np.where(own, weights, self.weights)
        totals = _totals(self.groups, self.offsets, weights, self.sizes, table[1])
        return replace(self, weights=weights, totals=totals)

    def among(self, kept: NDArray[np.bool_]) -> Postings:
        """Leave out some of the groups, as if they had no hash; nothing is weighed again."""
        held = kept[self.groups]
        offsets = np.concatenate([[0], np.cumsum(held)])[self.offsets]
        sizes, totals = np.where(kept, self.sizes, np.uint32(0)), np.where(kept, self.totals, 0.0)
        return replace(self, offsets=offsets, groups=self.groups[held], sizes=sizes, totals=totals)

    def sharing(self, kept: NDArray[np.bool_]) -> Postings:
        """Leave out some of the shared hashes, as if nobody shared them; sizes and weights stay."""
        degrees = np.diff(self.offsets)
        offsets = np.zeros(int(np.count_nonzero(kept)) + 1, np.int64)
        np.cumsum(degrees[kept], out=offsets[1:])
        groups = self.groups[np.repeat(kept, degrees)]
        return replace(
            self, hashes=self.hashes[kept], offsets=offsets, groups=groups, weights=self.weights[kept]
        )

    def only(self, kept: NDArray[np.bool_]) -> Postings:
        """Leave out some of the shared hashes; the others all weigh the same."""
        degrees = np.diff(self.offsets)
        held = np.repeat(kept, degrees)
        left_out = np.bincount(self.groups[~held], minlength=len(self.sizes)).astype(np.uint32)
        sizes = self.sizes - left_out
        offsets = np.zeros(int(np.count_nonzero(kept)) + 1, np.int64)
        np.cumsum(degrees[kept], out=offsets[1:])
        weights = np.ones(len(offsets) - 1, np.float32)
        totals = sizes.astype(np.float64)
        return Postings(self.hashes[kept], offsets, self.groups[held], sizes, totals, weights, self.common)


def _totals(
    groups: UInt32s,
    offsets: NDArray[np.int64],
    weights: NDArray[np.float32],
    sizes: UInt32s,
    alone: float,
) -> NDArray[np.float64]:
    """Sum the weights of the hashes of each group; one that it holds alone weighs `alone`."""
    shared = np.bincount(groups, minlength=len(sizes))
    together = np.bincount(groups, np.repeat(weights, np.diff(offsets)), minlength=len(sizes))
    summed: NDArray[np.float64] = together + (sizes - shared) * alone
    return summed


@dataclass(frozen=True, slots=True)
class Candidates:
    """Pairs of groups, left < right, in order; `shared` hashes and the similarity."""

    left: UInt32s
    right: UInt32s
    shared: UInt32s
    similarity: NDArray[np.float64]

    def take(self, which: NDArray[np.bool_] | slice) -> Candidates:
        """Give some of the pairs."""
        return Candidates(self.left[which], self.right[which], self.shared[which], self.similarity[which])

    def before(self, row: int) -> Candidates:
        """Give the pairs whose left group is before a row."""
        return self.take(slice(int(np.searchsorted(self.left, row))))

    @classmethod
    def united(cls, parts: list[Candidates]) -> Candidates:
        """Give every pair of several lists once, in order."""
        rows = [(part.left, part.right, part.shared, part.similarity) for part in parts]
        left, right, shared, similarity = (np.concatenate(column) for column in zip(*rows, strict=True))
        _, first = np.unique(left.astype(np.uint64) << np.uint64(32) | right, return_index=True)
        return cls(left[first], right[first], shared[first], similarity[first])

    def __len__(self) -> int:
        return len(self.left)

    def __iter__(self) -> Iterator[Candidate]:
        columns = (self.left.tolist(), self.right.tolist(), self.shared.tolist(), self.similarity.tolist())
        return (Candidate(*row) for row in zip(*columns, strict=True))


class Floor(NamedTuple):
    """The evidence that a pair needs besides the threshold; the default requires none.

    A pair that shares s hashes needs s times its resemblance to be at least `founded`, or s to be at least
    `plenty`: a few suffice where they are nearly all that two small groups have. Its similarity must be at
    least `likeness` by the postings alone, whatever the measure.
    """

    founded: float = 0.0
    plenty: int = 0
    likeness: float = 0.0


NO_FLOOR = Floor()


class Rows:
    """Postings by rows: gives the pairs whose left group is in a range of groups.

    Groups with the same label other than 0 in `side` are never compared with each other (earlier years),
    nor those with the same label in `kin` (attempts of one author); 0 is compared with all. `more` has two
    lists of the same groups that may raise the similarity: one that is taken together with the postings,
    and one by itself, on which a part `verbatim` of the similarity depends.
    """

    def __init__(
        self,
        postings: Postings,
        side: UInt32s | None = None,
        kin: UInt32s | None = None,
        more: tuple[Rows, Rows] | None = None,
        verbatim: float = 0.0,
    ) -> None:
        self._label(postings, side, kin)
        groups = self.groups
        if any(each.groups != groups for each in more or ()):
            raise UsageError(f"a list of other groups beside one of {groups}")
        rows = kernels.join.transpose(postings.offsets, postings.groups, groups)
        self.offsets = rows[0]  # of the hashes of each group
        self._list = (postings.offsets, postings.groups, *rows, postings.weights, postings.totals)
        self._verbatim = verbatim
        self._more = more or (None, None)

    def _label(self, postings: Postings, side: UInt32s | None, kin: UInt32s | None) -> None:
        groups = self.groups = len(postings.sizes)
        self.postings = postings
        self._side = np.zeros(groups, np.uint32) if side is None else side
        self._kin = np.zeros(groups, np.uint32) if kin is None else kin
        if len(self._side) != groups or len(self._kin) != groups:
            raise UsageError(f"labels must be as many as the {groups} groups")

    def most_pairs(self) -> int:
        """Give how many pairs share a hash, at most."""
        degrees = np.diff(self.postings.offsets)
        return min(int((degrees * (degrees - 1) // 2).sum()), self.groups * (self.groups - 1) // 2)

    def pairs(
        self,
        rows: tuple[int, int],
        measure: str,
        threshold: float,
        min_shared: int = 1,
        floor: Floor = NO_FLOOR,
        most: int = 0,
    ) -> Candidates:
        """Give the pairs whose measure is at least `threshold` and that share `min_shared` hashes.

        Where neither has this many hashes, they must share all. `containment` is the larger of the two. Pairs
        below the `floor` are never formed. No further row is begun once there are `most` pairs, unless
        it is 0.
        """
        if measure not in MEASURES:
            raise UsageError(
                f"no measure {measure!r} of candidates", hint=f"Choose from {', '.join(MEASURES)}."
            )
        added, apart = (None if each is None else each._list for each in self._more)
        found = kernels.join.row_candidates(
            *rows, self._list, self.postings.sizes, self._side, self._kin, measure, threshold,
            max(min_shared, 1), added, apart, self._verbatim, floor.founded, floor.plenty, floor.likeness,
            most,
        )  # fmt: skip
        return Candidates(*found)


class RowRange:
    """Left groups whose pairs are formed together; it ends earlier where a list has `most` pairs of them."""

    def __init__(self, first: int, last: int, most: int) -> None:
        self.first, self.last, self._most = first, last, most

    def pairs(self, rows: Rows, measure: str, least: float, fewest: int, floor: Floor) -> Candidates:
        """Give the pairs of a list; those of left groups from `last` on may be incomplete."""
        found = rows.pairs((self.first, self.last), measure, least, fewest, floor, self._most)
        if len(found) >= self._most:
            self.last = int(found.left[-1]) + 1
        return found


def candidates(
    postings: Postings,
    measure: str = "similarity",
    threshold: float = 0.0,
    min_shared: int = 1,
    jobs: int = 1,
    side: UInt32s | None = None,
    kin: UInt32s | None = None,
) -> Candidates:
    """Give all pairs at once, as `Rows` does those of a range."""
    rows = Rows(postings, side, kin)
    with ThreadPoolExecutor(max(jobs, 1)) as pool:
        pieces = list(
            pool.map(lambda each: rows.pairs(each, measure, threshold, min_shared), row_ranges([rows], jobs))
        )
    columns = [(each.left, each.right, each.shared, each.similarity) for each in pieces]
    return Candidates(*(np.concatenate(column) for column in zip(*columns, strict=True)))


def row_ranges(lists: Sequence[Rows], jobs: int, room: int = 0) -> list[tuple[int, int]]:
    """Cut the rows into ranges of about the same number of postings, several a thread.

    If `room` is given, it is about the number of pairs of a range, which may have some times as many.
    """
    groups = lists[0].groups
    walked = np.sum([each.offsets for each in lists], axis=0)
    total = int(walked[-1])
    pieces = max(1, min(8 * jobs, total // ROW_POSTINGS)) if jobs > 1 else 1
    if room:
        pieces = max(pieces, sum(each.most_pairs() for each in lists) // (LOOSE * room))
    marks = np.searchsorted(walked, np.linspace(0, total, min(pieces, groups) + 1)[1:-1])
    cuts = sorted({0, groups, *np.minimum(marks, groups).tolist()})
    return list(pairwise(cuts)) or [(0, 0)]
