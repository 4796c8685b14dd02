"""Pairs of groups that have nearly the same hashes, found by the rarest of them.

Where everything has much in common with everything else, as headers have, the postings of what is common are
walked for nothing: nearly all pairs are dropped in the end. Two groups that are nearly the same share one of
the rarest hashes of each, so only those are followed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from copysift import kernels
from copysift.join.rows import NO_FLOOR, Candidates, Floor, Postings, Rows
from copysift.runtime.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from copysift.join.rows import UInt32s

POWER = 5


@dataclass(frozen=True, slots=True)
class AlikeFloor:
    """What two groups share at least: s r⁵ ≥ `founded`, for s hashes and the resemblance r ≥ `least`."""

    founded: float
    least: float

    def passes(self, shared: float, resemblance: float) -> bool:
        """Say whether two groups share enough."""
        return resemblance >= self.least and shared * resemblance**POWER >= self.founded - 1e-9


# Measured on two versions of the kernel headers, where 1.2 times the pairs of version 0.1 leave room for 25
# more than those of texts: 13. A renamed header of 16 fingerprints passes; one that was edited, too, and
# resembles the other by 80 %, if they share 49.
HEADERS = AlikeFloor(founded=16, least=0.5)


class AlikeRows(Rows):
    """Postings by rows; only groups that are nearly the same are above its floor."""

    def __init__(
        self, postings: Postings, floor: AlikeFloor, side: UInt32s | None = None, kin: UInt32s | None = None
    ) -> None:
        self._label(postings, side, kin)
        self._floor = floor
        groups = postings.groups
        self._order, self.offsets, ranks = kernels.join.rarest_first(postings.offsets, groups, self.groups)
        self._list = (
            postings.offsets, groups, self.offsets, ranks, postings.weights, postings.totals,
        )  # fmt: skip

    def pairs(
        self,
        rows: tuple[int, int],
        measure: str,
        threshold: float,
        min_shared: int = 1,
        floor: Floor = NO_FLOOR,
        most: int = 0,
    ) -> Candidates:
        """Give the pairs above the own floor whose measure is at least `threshold`."""
        first, last = rows
        parts, formed = [self._formed(first, first, 0)], 0
        while first < last:
            found = self._formed(first, last, most)
            parts.append(self._kept(found, measure, threshold, min_shared))
            formed += len(parts[-1])
            if not most or len(found) < most or formed >= most:
                break
            first = int(found.left[-1]) + 1  # the kernel stopped, but few of its pairs were kept
        columns = [(part.left, part.right, part.shared, part.similarity) for part in parts]
        return Candidates(*(np.concatenate(column) for column in zip(*columns, strict=True)))

    def _formed(self, first: int, last: int, most: int) -> Candidates:
        return Candidates(
            *kernels.join.alike(
                first,
                last,
                self._list,
                self._order,
                self.postings.sizes,
                self._side,
                self._kin,
                self._floor.founded,
                self._floor.least,
                most,
            )
        )

    def _kept(self, found: Candidates, measure: str, threshold: float, min_shared: int) -> Candidates:
        measures: dict[str, NDArray[Any]] = {"shared": found.shared, "similarity": found.similarity}
        if measure not in measures:
            n, m = (self.postings.sizes[side].astype(float) for side in (found.left, found.right))
            measures["resemblance"] = found.shared / (n + m - found.shared)
            measures["containment"] = found.shared / np.minimum(n, m)
        return found.take((measures[measure] >= threshold) & (found.shared >= min_shared))
