"""Near-copies of one document by the thousand: all that they share is in too many files to count.

Such a file differs from what is common in a word here and there (`match/templates.py`), unlike pages of one
template. It is compared by all its fingerprints, with a few of the others: their clusters are complete, and
the cost is linear.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

from copysift import kernels
from copysift.join.boilerplate import bounds_of
from copysift.match.counts import PairColumns
from copysift.match.measures import shares
from copysift.match.sets import shared_by
from copysift.match.templates import is_near_copy
from copysift.runtime.arrays import distinct, is_among
from copysift.runtime.plurals import plural
from copysift.workflows.batches import hashes_again

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from copysift.join.rows import Postings
    from copysift.model.values import Group, UInt64s
    from copysift.workflows.collection import Collection
    from copysift.workflows.reading import Reader

LEAST = 4  # fingerprints that a file has, to be looked at


class NearCopies:
    """The files of a scan that are compared by what is common."""

    def __init__(self, channel: str, documents: tuple[Group, ...], postings: Postings) -> None:
        self._channel, self._postings = channel, postings
        count = min(len(documents), len(postings.sizes))
        self._held = np.array([group.fingerprints for group in documents[:count]], np.int64)
        self._own = postings.sizes[:count].astype(np.int64)
        self._numbers: list[int] = []
        self._sets: list[UInt64s] = []
        self._near = np.zeros(len(postings.sizes), np.bool_)
        self._again = np.zeros(count, np.bool_)  # equal to an earlier one, which alone has postings

    def read(self, reader: Reader, collection: Collection, room: int) -> None:
        """Read again the files of which most is common, and keep the fingerprints of near-copies.

        They take no more than `room` bytes; files after that are no near-copies.
        """
        if not len(self._postings.common):
            return
        common = np.sort(self._postings.common.hashes)
        asked = (self._held >= LEAST) & (2 * self._own < self._held)
        equal = [number for members in collection.equal() for number in members[1:]]
        self._again[[number for number in equal if number < len(asked)]] = True
        asked &= ~self._again
        numbers = [
            (number, filed)
            for number in np.flatnonzero(asked).tolist()
            for filed in collection.holders(number)
        ]
        kinds = [filed.kind_in(self._channel) for _, filed in numbers]
        again = hashes_again(
            reader,
            [
                (filed.entry, kind, filed.source_kind(kind))
                for (_, filed), kind in zip(numbers, kinds, strict=True)
            ],
        )
        for (number, _), hashes in zip(numbers, again, strict=True):
            if hashes is not None and room > 0 and is_near_copy(is_among(hashes, common)):
                self._numbers.append(number)
                self._sets.append(distinct(hashes))
                room -= self._sets[-1].nbytes
        self._near[self._numbers] = True
        for members in collection.equal():
            self._near[list(members)] = self._near[members[0]]

    @property
    def numbers(self) -> tuple[int, ...]:
        """The near-copies."""
        return tuple(self._numbers)

    def without(self, pairs: PairColumns) -> PairColumns:
        """Leave out the pairs of near-copies, of which more is known elsewhere."""
        if not self._numbers or not len(pairs):
            return pairs
        return pairs.take(~(self._near[pairs.left] & self._near[pairs.right]))

    def pairs(self, measure: str, least: float, fewest: int) -> PairColumns:
        """Give pairs of near-copies whose measure is high enough: each with a few of the others."""
        if not self._numbers:
            return PairColumns.none()
        numbers = np.array(self._numbers, np.uint32)
        values, bounds = np.concatenate(self._sets), bounds_of(np.array([len(each) for each in self._sets]))
        left, right = self._candidates(values, np.diff(bounds))
        shared = shared_by(values, bounds, left, right)
        n, m = np.diff(bounds)[left], np.diff(bounds)[right]
        found = PairColumns.between(numbers[left], numbers[right], np.zeros(len(left), np.uint8))
        found = dataclasses.replace(
            found,
            shared=shared.astype(np.uint32),
            similarity=shares(shared, np.minimum(n, m)),
            resemblance=shares(shared, n + m - shared),
            containment_left=shares(shared, n),
            containment_right=shares(shared, m),
        )
        ranked = found.measure("similarity" if measure == "longest" else measure)
        return found.take((ranked >= (0.0 if measure == "longest" else least)) & (shared >= fewest))

    def _candidates(
        self, values: UInt64s, sizes: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Give a few pairs of places for everything that is common."""
        places = np.repeat(np.arange(len(sizes), dtype=np.uint32), sizes)
        held = np.isin(values, self._postings.common.hashes)
        hashes, places = values[held], places[held]
        kernels.join.sort_pairs(hashes, places)
        starts = np.flatnonzero(np.concatenate([[True], hashes[1:] != hashes[:-1]]))
        lengths = np.diff(np.append(starts, len(hashes)))
        own = np.ones(len(places), np.uint8)
        packed = distinct(kernels.lists.few_pairs(places, own, starts, lengths))
        return (packed >> np.uint64(32)).astype(np.int64), (packed & np.uint64(2**32 - 1)).astype(np.int64)

    def notes(self, most: int) -> tuple[str, ...]:
        """Say how many files are compared by what is common, and how many have next to nothing else."""
        notes = []
        if near := len(self._numbers):
            verbs = (
                ("differs", "is compared as a near-copy")
                if near == 1
                else ("differ", "are compared as near-copies")
            )
            notes.append(
                f"{plural(near, 'file')} {verbs[0]} from text found in over {plural(most, 'file')} in a few "
                f"words only and {verbs[1]}, each with some of the others: their clusters are "
                "complete, the list of their pairs is not"
            )
        bare = (self._held >= LEAST) & (4 * self._own < self._held)
        bare &= ~(self._near[: len(self._held)] | self._again)
        if len(self._postings.common) and bare.any():
            needed = int(self._postings.common.degrees.max())
            notes.append(
                f"{plural(int(bare.sum()), 'file')} {'is' if bare.sum() == 1 else 'are'} mostly text found "
                f"in over {plural(most, 'file')}, which is ignored; "
                f"--max-shared {needed} compares it"
            )
        return tuple(notes)
