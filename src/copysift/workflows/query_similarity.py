"""The similarity of a query to documents of an index: what they share, weighed by its rarity there.

A document weighs what all its fingerprints weigh, also those that the query does not have. So the index is
read once from end to end, piece by piece, and this measure takes longer than the others. The query counts as
one more document, as in a scan.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from copysift.clusters.builds import ALIKE, builds
from copysift.join.memory import Join
from copysift.kinds.kind import CODE, channel_of
from copysift.match.base_code import Base
from copysift.match.measures import Weigh, class_weights, library_weights, shares, weights
from copysift.model.traits import kind_traits
from copysift.runtime.arrays import distinct
from copysift.store.entries import WHOLE
from copysift.store.segment import hashes_of
from copysift.store.snapshot import Snapshot
from copysift.workflows.query_document import Look
from copysift.workflows.stored_settings import StoredReader

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray


class IndexWeights:
    """What the documents of an index weigh in one channel, by the numbers of their postings.

    Base code and what more than `most` documents have weighs nothing.
    """

    def __init__(self, snapshot: Snapshot, reader: StoredReader, base: Base, channel: str, most: int) -> None:
        self._weigh: Weigh = class_weights if channel.removesuffix(WHOLE) == CODE else weights
        self._snapshot, self._base, self._most = snapshot, base, most
        self._held, contents = _numbers(snapshot, reader, channel)
        self._documents = int(np.count_nonzero(self._held)) + 1  # with the query
        self._programs = _linked(snapshot, len(self._held))[contents]
        self._labels = self._labelled(channel)[contents]
        self.totals, self._sizes = np.zeros(len(self._held)), np.zeros(len(self._held))
        for hashes, numbers in self._postings(self._held):
            self._add(hashes, numbers)

    def similarities(self, look: Look) -> dict[int, float]:
        """Give W(A ∩ B) / min(W(A), W(B)) of a query and every document that it shares anything with."""
        found, count = look.found, len(look.asked.looked_up)
        numbers = found.documents.astype(np.int64)
        own = _among(self._held, numbers)
        pairs = distinct(found.which[own].astype(np.int64) << 32 | numbers[own])
        which, numbers = pairs >> 32, pairs & (2**32 - 1)
        met, places = np.unique(numbers, return_inverse=True)
        common = np.bincount(places, minlength=len(met))
        before = self._weights(which, self._programs[numbers], self._labels[numbers], count)
        program = all(kind_traits(kind).linked for _, kind in look.parts)
        labels = self._labels[numbers]
        if program:  # its builds are the program that it is
            resembled = shares(common, look.asked.distinct + self._sizes[met] - common) >= ALIKE
            same = np.isin(labels, self._labels[met[resembled & self._programs[met]]])
            labels = np.where(same, len(self._held), labels)
        every = np.arange(count)
        weight = self._weights(
            np.concatenate([which, every]),
            np.concatenate([self._programs[numbers], np.full(count, program)]),
            np.concatenate([labels, np.full(count, len(self._held))]),
            count,
        )
        shared = np.bincount(places, weight[which], len(met))
        theirs = self.totals[met] + np.bincount(places, (weight - before)[which], len(met))
        least = np.minimum(np.maximum(theirs, shared), weight.sum())
        return dict(zip(met.tolist(), (shared / least).tolist(), strict=True))

    def _add(self, hashes: NDArray[np.uint64], numbers: NDArray[np.int64]) -> None:
        """Add what a piece of the postings weighs, in which every hash is whole."""
        order = np.lexsort((numbers, hashes))
        hashes, numbers = hashes[order], numbers[order]
        first = np.ones(len(hashes), np.bool_)
        first[1:] = hashes[1:] != hashes[:-1]
        fresh = first.copy()
        fresh[1:] |= numbers[1:] != numbers[:-1]
        runs, numbers = np.cumsum(first)[fresh] - 1, numbers[fresh]
        count = int(np.count_nonzero(first))
        rare = np.bincount(runs, minlength=count) <= self._most
        weight = self._weights(runs, self._programs[numbers], self._labels[numbers], count)
        self.totals += np.bincount(numbers, (weight * rare)[runs], len(self.totals))
        self._sizes += np.bincount(numbers, rare[runs], len(self.totals))

    def _weights(
        self, which: NDArray[np.int64], programs: NDArray[np.bool_], labels: NDArray[np.int64], count: int
    ) -> NDArray[np.float64]:
        """Weigh `count` hashes, given who has each, once: whether it is a program, and its label."""
        weight = self._weigh(np.bincount(which, minlength=count), self._documents)
        if not programs.any():
            return weight
        others = np.bincount(which[~programs], minlength=count) > 0
        apart = distinct(which[programs] << 32 | labels[programs])
        return np.where(others, weight, library_weights(np.bincount(apart >> 32, minlength=count), 0))

    def _labelled(self, channel: str) -> NDArray[np.int64]:
        """Label the executables of the index: builds of one program have one label."""
        labels = np.arange(len(self._held), dtype=np.int64)
        some = _linked(self._snapshot, len(self._held))
        if np.count_nonzero(some) < 2 or channel.removesuffix(WHOLE) == CODE:
            return labels
        with Join() as join:
            for hashes, numbers in self._postings(some):
                join.add_entries(hashes, numbers.astype(np.uint32))
            postings = join.finish(self._most, weights)
        made = builds(postings, some[: len(postings.sizes)])
        labels[: len(made)] = made
        return labels

    def _postings(self, wanted: NDArray[np.bool_]) -> Iterator[tuple[NDArray[np.uint64], NDArray[np.int64]]]:
        """Give the hashes of some documents, piece by piece, with the number of each, without base code."""
        for columns in self._snapshot.postings():
            hashes, numbers = hashes_of(columns.keys), columns.documents.astype(np.int64)
            own = _among(wanted, numbers) & ~self._base.holds(hashes)
            yield hashes[own], numbers[own]


def _among(wanted: NDArray[np.bool_], numbers: NDArray[np.int64]) -> NDArray[np.bool_]:
    within: NDArray[np.bool_] = numbers < len(wanted)
    return within & wanted[np.where(within, numbers, 0)]


def _numbers(
    snapshot: Snapshot, reader: StoredReader, channel: str
) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Say which numbers of postings are those of live documents in a channel, and of which contents."""
    live = {row.number: row for row in snapshot.catalog.all_contents()}
    owners = {
        number: number for number, row in live.items() if channel_of(reader.readings(row.kind)[0]) == channel
    } | {
        view.number: view.content
        for view in snapshot.catalog.views()
        if view.channel == channel and view.content in live
    }
    size = max((*owners, *owners.values()), default=0) + 1
    held, contents = np.zeros(size, np.bool_), np.arange(size)
    held[list(owners)] = True
    contents[list(owners)] = list(owners.values())
    return held, contents


def _linked(snapshot: Snapshot, size: int) -> NDArray[np.bool_]:
    """Say which contents, below a number, are programs into which linkers put libraries."""
    found = np.zeros(size, np.bool_)
    rows = snapshot.catalog.all_contents()
    found[[row.number for row in rows if row.number < size and kind_traits(row.kind).linked]] = True
    return found
