"""The similarity of a query to documents of an index: what they share, weighed by its rarity there.

A document weighs what all its fingerprints weigh, also those that the query does not have. So the index is
read once from end to end, piece by piece, and this measure takes longer than the others. The query counts as
one more document, as in a scan.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from copysift.kinds.kind import CODE, channel_of
from copysift.match.base_code import Base
from copysift.match.measures import Weigh, class_weights, weights
from copysift.runtime.arrays import distinct
from copysift.store.entries import WHOLE
from copysift.store.segment import hashes_of
from copysift.store.snapshot import Snapshot
from copysift.workflows.query_document import Look
from copysift.workflows.stored_settings import StoredReader

if TYPE_CHECKING:
    from numpy.typing import NDArray


class IndexWeights:
    """What the documents of an index weigh in one channel, by the numbers of their postings.

    Base code and what more than `most` documents have weighs nothing.
    """

    def __init__(self, snapshot: Snapshot, reader: StoredReader, base: Base, channel: str, most: int) -> None:
        self._weigh: Weigh = class_weights if channel.removesuffix(WHOLE) == CODE else weights
        self._held = _numbers(snapshot, reader, channel)
        self._documents = int(np.count_nonzero(self._held)) + 1  # with the query
        self.totals = np.zeros(len(self._held))
        for columns in snapshot.postings():
            hashes, numbers = hashes_of(columns.keys), columns.documents.astype(np.int64)
            own = self._live(numbers) & ~base.holds(hashes)
            self._add(hashes[own], numbers[own], most)

    def similarities(self, look: Look) -> dict[int, float]:
        """Give W(A ∩ B) / min(W(A), W(B)) of a query and every document that it shares anything with."""
        found = look.found
        numbers = found.documents.astype(np.int64)
        own = self._live(numbers)
        pairs = distinct(found.which[own].astype(np.int64) << 32 | numbers[own])
        which, numbers = pairs >> 32, pairs & (2**32 - 1)
        degrees = np.bincount(which, minlength=len(look.asked.looked_up))
        before, weight = self._weights(degrees), self._weights(degrees + 1)
        met, places = np.unique(numbers, return_inverse=True)
        shared = np.bincount(places, weight[which], len(met))
        theirs = self.totals[met] + np.bincount(places, (weight - before)[which], len(met))
        least = np.minimum(np.maximum(theirs, shared), weight.sum())
        return dict(zip(met.tolist(), (shared / least).tolist(), strict=True))

    def _add(self, hashes: NDArray[np.uint64], numbers: NDArray[np.int64], most: int) -> None:
        """Add what a piece of the postings weighs, in which every hash is whole."""
        order = np.lexsort((numbers, hashes))
        hashes, numbers = hashes[order], numbers[order]
        first = np.ones(len(hashes), np.bool_)
        first[1:] = hashes[1:] != hashes[:-1]
        fresh = first.copy()
        fresh[1:] |= numbers[1:] != numbers[:-1]
        runs = np.cumsum(first[fresh]) - 1
        degrees = np.bincount(runs)
        weight = np.where(degrees > most, 0.0, self._weights(degrees))
        self.totals += np.bincount(numbers[fresh], weight[runs], len(self.totals))

    def _weights(self, degrees: NDArray[np.int64]) -> NDArray[np.float64]:
        return self._weigh(degrees, self._documents)

    def _live(self, numbers: NDArray[np.int64]) -> NDArray[np.bool_]:
        within: NDArray[np.bool_] = numbers < len(self._held)
        return within & self._held[np.where(within, numbers, 0)]


def _numbers(snapshot: Snapshot, reader: StoredReader, channel: str) -> NDArray[np.bool_]:
    """Say which numbers of postings are those of live documents in a channel."""
    live = {row.number: row for row in snapshot.catalog.all_contents()}
    numbers = [number for number, row in live.items() if channel_of(reader.readings(row.kind)[0]) == channel]
    numbers += [
        view.number for view in snapshot.catalog.views() if view.channel == channel and view.content in live
    ]
    held = np.zeros(max(numbers, default=0) + 1, np.bool_)
    held[numbers] = True
    return held
