"""sif's measure (Manber 1994, section 3): how often what the left one has occurs in the right one.

A fingerprint counts as often as it occurs, so a file that is three times in another gives 3. Only what occurs
more than once is looked at for a pair: the others are counted already.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from copysift.join.boilerplate import bounds_of
from copysift.join.rows import Postings
from copysift.match.base_code import Base
from copysift.match.counts import PairColumns
from copysift.match.measures import parts_of
from copysift.runtime.arrays import is_among

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from copysift.model.values import UInt64s

    Int64s = NDArray[np.int64]


class Occurrences:
    """Counts how often every group has its fingerprints; nothing is kept unless it is `wanted`."""

    def __init__(self, base: Base, *, wanted: bool) -> None:
        self._base, self._wanted = base, wanted
        self._held: dict[int, list[tuple[UInt64s, Int64s]]] = {}

    def add(self, group: int, hashes: UInt64s) -> None:
        """Take fingerprints of a file of a group, as often as they occur."""
        if self._wanted and len(hashes):
            own, counts = np.unique(hashes, return_counts=True)
            self._held.setdefault(group, []).append((own, counts.astype(np.int64)))

    def among(self, postings: Postings) -> RepeatedHashes | None:
        """Give what occurs more than once of the fingerprints that count; None if nothing was wanted."""
        if not self._wanted:
            return None
        order = np.argsort(postings.hashes)
        known = postings.hashes[order]
        totals = np.zeros(len(postings.sizes), np.int64)
        columns: list[tuple[Int64s, Int64s, Int64s]] = []
        left_out = np.sort(np.concatenate([self._base.hashes, postings.common.hashes]))
        for group in sorted(self._held):
            hashes, counts = _summed(self._held[group])
            counting = ~is_among(hashes, left_out)
            hashes, counts = hashes[counting], counts[counting]
            totals[group] = counts.sum()
            again = counts > 1
            at = np.searchsorted(known, hashes[again])
            at = np.minimum(at, max(len(known) - 1, 0))
            shared = known[at] == hashes[again] if len(known) else np.zeros(len(at), np.bool_)
            found = order[at[shared]]
            columns.append((np.full(len(found), group), found, counts[again][shared] - 1))
        nothing = np.zeros(0, np.int64)
        groups, places, more = (
            np.concatenate([nothing, *each]) for each in zip(*columns or [3 * (nothing,)], strict=True)
        )
        return RepeatedHashes(postings, totals, groups, places, more)


class RepeatedHashes:
    """What groups have more than once: the number of the hash among the postings, and how often more."""

    def __init__(
        self, postings: Postings, totals: Int64s, groups: Int64s, places: Int64s, more: Int64s
    ) -> None:
        self._totals, self._places, self._more = totals, places, more
        self._bounds = bounds_of(np.bincount(groups, minlength=len(totals)))
        self._span = np.int64(len(totals))
        owners = np.repeat(np.arange(len(postings.hashes), dtype=np.int64), np.diff(postings.offsets))
        self._keys = owners * self._span + postings.groups  # ascending: groups of a hash ascend

    def of(self, pairs: PairColumns) -> NDArray[np.float64]:
        """Give sif's measure of pairs."""
        left, right = pairs.left.astype(np.int64), pairs.right.astype(np.int64)
        starts, sizes = self._bounds[right], self._bounds[right + 1] - self._bounds[right]
        owner = np.repeat(np.arange(len(left)), sizes)
        at = np.arange(len(owner)) - np.repeat(bounds_of(sizes)[:-1], sizes) + np.repeat(starts, sizes)
        asked = self._places[at] * self._span + left[owner]
        place = np.minimum(np.searchsorted(self._keys, asked), max(len(self._keys) - 1, 0))
        both = self._keys[place] == asked if len(asked) else np.zeros(0, np.bool_)
        more = np.bincount(owner[both], self._more[at[both]], len(left))
        return parts_of(pairs.shared + more, self._totals[left])


def _summed(parts: list[tuple[UInt64s, Int64s]]) -> tuple[UInt64s, Int64s]:
    """Put the counts of the files of a group together."""
    if len(parts) == 1:
        return parts[0]
    hashes, counts = (np.concatenate(each) for each in zip(*parts, strict=True))
    own, where = np.unique(hashes, return_inverse=True)
    return own, np.bincount(where, counts, len(own)).astype(np.int64)
