"""Which words of test items a text has, and where: shingles of the items in memory, texts one by one.

An item that is shorter than a shingle is one shingle of its own length. A shingle that many items have, such
as the instructions of a benchmark, counts for none of them.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from copysift import kernels
from copysift.kinds import canonicaliser
from copysift.match.text_units import covered_units
from copysift.model.contamination import Holder, SharedPassage, TestItem
from copysift.runtime.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bools = NDArray[np.bool_]
    Int64s = NDArray[np.int64]
    UInt64s = NDArray[np.uint64]

LEAST = 4  # words of an item that can be looked for
COMMON = 100  # items that may have a shingle
KEPT = 10  # documents that are shown for an item
SHOWN = 100  # passages of a document that are kept for an item
LONGEST = 2000  # characters of a passage that are kept


class Item(NamedTuple):
    """An item of a benchmark."""

    benchmark: str
    name: str
    text: bytes


class Overlap(NamedTuple):
    """What a text has of an item: runs of words of the text, half-open, and the words of the item."""

    item: int
    runs: Int64s
    words: Int64s
    share: float


class _Entries(NamedTuple):
    """Shingles of one width, ascending, with the item and the word that each starts at."""

    hashes: UInt64s
    items: Int64s
    places: Int64s
    filter: Bools  # whether a hash with such first bits is there
    shift: np.uint64


@dataclass(slots=True)
class _Found:
    """What was found of an item so far."""

    documents: int = 0
    covered: Bools = field(default_factory=lambda: np.zeros(0, np.bool_))
    best: list[tuple[float, int, Holder]] = field(default_factory=list)


class Text(NamedTuple):
    """A text as words."""

    data: bytes
    symbols: NDArray[np.unsignedinteger]
    starts: Int64s
    ends: Int64s


class TestItems:
    """Items that texts are searched for; `least` words in a row count, of which `share` in one text."""

    __test__ = False  # to pytest

    def __init__(
        self, items: Iterable[Item], width: int, seed: int = 0, *, least: int = 0, share: float = 0.0
    ) -> None:
        self.items = list(items)
        self.width = min(width, least) if least else width
        self._seed, self._least, self._share = seed, least, share
        self._words = canonicaliser("words")
        texts = [self.read(item.text) for item in self.items]
        self.lengths = np.array([len(text.symbols) for text in texts], np.int64)
        self.ignored = 0
        self._entries: dict[int, _Entries] = {}
        self._counting = [np.zeros(length, np.bool_) for length in self.lengths.tolist()]
        wide = np.minimum(self.lengths, self.width)
        for each in np.unique(wide[wide >= LEAST]).tolist():
            self._entries[each] = self._indexed(texts, np.flatnonzero(wide == each), each)
        self._found: dict[int, _Found] = {}
        self._number = 0

    def read(self, text: bytes) -> Text:
        """Give a text as words."""
        canonical = self._words.whole(text)
        return Text(
            text, canonical.symbols, canonical.starts.astype(np.int64), canonical.ends.astype(np.int64)
        )

    def _indexed(self, texts: list[Text], which: Int64s, width: int) -> _Entries:
        hashes = [kernels.selection.hashes(texts[item].symbols, width, self._seed) for item in which.tolist()]
        counts = np.array([len(each) for each in hashes], np.int64)
        values = np.concatenate(hashes)
        items = np.repeat(which, counts)
        places = np.concatenate([np.arange(count) for count in counts.tolist()]).astype(np.int64)
        order = np.lexsort((places, items, values))
        values, items, places = values[order], items[order], places[order]
        new = np.concatenate([[True], values[1:] != values[:-1]])
        holders = np.add.reduceat(
            (new | np.concatenate([[True], items[1:] != items[:-1]])).astype(int), np.flatnonzero(new)
        )
        rare = (holders <= COMMON)[np.cumsum(new) - 1]
        self.ignored += int(np.count_nonzero(holders > COMMON))
        values, items, places = values[rare], items[rare], places[rare]
        for item, place in zip(items.tolist(), places.tolist(), strict=True):
            self._counting[item][place : place + width] = True
        bits = min(max(len(values).bit_length() + 4, 12), 26)
        known = np.zeros(1 << bits, np.bool_)
        known[values >> np.uint64(64 - bits)] = True
        return _Entries(values, items, places, known, np.uint64(64 - bits))

    @property
    def shingles(self) -> UInt64s:
        """All shingles of full width that count, ascending."""
        entries = self._entries.get(self.width)
        return np.unique(entries.hashes) if entries else np.zeros(0, np.uint64)

    @property
    def all_full(self) -> bool:
        """Whether no item is shorter than a shingle."""
        return set(self._entries) <= {self.width}

    def too_short(self) -> Iterator[Item]:
        """Give the items that have too few words to be looked for."""
        return (self.items[number] for number in np.flatnonzero(self.lengths < LEAST).tolist())

    def overlaps(self, text: Text) -> list[Overlap]:
        """Give what a text has of each item, as far as it counts."""
        found: list[Overlap] = []
        for width, entries in self._entries.items():
            hashes = kernels.selection.hashes(text.symbols, width, self._seed)
            at = np.flatnonzero(entries.filter[hashes >> entries.shift])
            if not len(at):
                continue
            wanted = hashes[at]
            first = np.searchsorted(entries.hashes, wanted, "left")
            counts = np.searchsorted(entries.hashes, wanted, "right") - first
            if counts.any():
                found += self._grouped(width, entries, at, first, counts)
        return found

    def _grouped(
        self, width: int, entries: _Entries, at: Int64s, first: Int64s, counts: Int64s
    ) -> Iterator[Overlap]:
        """Give hits by item: runs of words that touch, those that are long enough."""
        within = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
        entry = np.repeat(first, counts) + within
        places, items, words = np.repeat(at, counts), entries.items[entry], entries.places[entry]
        order = np.lexsort((places, items))
        places, items, words = places[order], items[order], words[order]
        heads = np.flatnonzero(np.concatenate([[True], (np.diff(items) != 0) | (np.diff(places) > width)]))
        tails = np.append(heads[1:], len(places)) - 1
        long = places[tails] + width - places[heads] >= (self._least if width == self.width else 0)
        owners = items[heads]
        for item in np.unique(owners[long]).tolist():
            mine = np.flatnonzero((owners == item) & long)
            runs = np.stack([places[heads[mine]], places[tails[mine]] + width], 1)
            covered = np.zeros(int(self.lengths[item]), np.bool_)
            for head, tail in zip(heads[mine].tolist(), tails[mine].tolist(), strict=True):
                for word in words[head : tail + 1].tolist():
                    covered[word : word + width] = True
            covered &= self._counting[item]
            share = np.count_nonzero(covered) / np.count_nonzero(self._counting[item])
            if share >= self._share:
                yield Overlap(item, runs, np.flatnonzero(covered), float(share))

    def spans(self, text: Text, found: list[Overlap], unit: str) -> list[tuple[int, int]]:
        """Give the half-open bytes of what a text has of items, cut where a `unit` ends."""
        covered = np.zeros(len(text.starts), np.bool_)
        for overlap in found:
            for first, last in overlap.runs.tolist():
                covered[first:last] = True
        if unit != "word":
            return covered_units(text.data, unit, text.starts, covered)
        edges = np.flatnonzero(np.diff(np.concatenate([[0], covered.astype(np.int8), [0]]))).tolist()
        return [
            (int(text.starts[one]), int(text.ends[other - 1]))
            for one, other in zip(edges[::2], edges[1::2], strict=True)
        ]

    def owners(
        self, text: Text, found: list[Overlap], spans: Iterable[tuple[int, int]]
    ) -> Iterator[list[int]]:
        """Give for each passage of a text the items of which it has words, that with the most first."""
        for start, end in spans:
            first, last = np.searchsorted(text.starts, (start, end)).tolist()
            shared = [
                (
                    int(
                        np.maximum(
                            np.minimum(each.runs[:, 1], last) - np.maximum(each.runs[:, 0], first), 0
                        ).sum()
                    ),
                    each.item,
                )
                for each in found
            ]
            yield [item for count, item in sorted(shared, key=lambda row: -row[0]) if count]

    def note(self, name: str, text: Text, found: list[Overlap]) -> None:
        """Remember what a document has of items."""
        for overlap in found:
            known = self._found.setdefault(overlap.item, _Found())
            if not known.documents:
                known.covered = np.zeros(int(self.lengths[overlap.item]), np.bool_)
            known.documents += 1
            known.covered[overlap.words] = True
            self._number += 1
            key = (overlap.share, -self._number)
            if len(known.best) == KEPT and key <= known.best[0][:2]:
                continue
            passages = tuple(_passage(text, *run) for run in overlap.runs[:SHOWN].tolist())
            row = (*key, Holder(name, overlap.share, passages))
            if len(known.best) < KEPT:
                heapq.heappush(known.best, row)
            else:
                heapq.heapreplace(known.best, row)

    def report(self) -> list[TestItem]:
        """Give the items of which something was found, the most first."""
        made = [self._item(number, found) for number, found in sorted(self._found.items())]
        return sorted(made, key=lambda item: -item.share)

    def _item(self, number: int, found: _Found) -> TestItem:
        item, text = self.items[number], self.read(self.items[number].text)
        edges = np.flatnonzero(np.diff(np.concatenate([[0], found.covered.astype(np.int8), [0]]))).tolist()
        spans = [
            (int(text.starts[a]), int(text.ends[b - 1])) for a, b in zip(edges[::2], edges[1::2], strict=True)
        ]
        shown = item.text.decode("utf-8", "replace")
        return TestItem(
            item.benchmark,
            item.name,
            shown,
            int(self.lengths[number]),
            float(np.count_nonzero(found.covered) / np.count_nonzero(self._counting[number])),
            found.documents,
            tuple((_characters(item.text, one), _characters(item.text, other)) for one, other in spans),
            tuple(holder for _, _, holder in sorted(found.best, key=lambda row: row[:2], reverse=True)),
        )


def _passage(text: Text, first: int, last: int) -> SharedPassage:
    start, end = int(text.starts[first]), int(text.ends[last - 1])
    shown = text.data[start : min(end, start + 4 * LONGEST)].decode("utf-8", "replace")[:LONGEST]
    return SharedPassage(start, end, last - first, shown)


def _characters(data: bytes, at: int) -> int:
    return len(data[:at].decode("utf-8", "replace"))
