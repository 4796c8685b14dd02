"""Passages that a corpus has more than once: the first occurrence stays, later ones are found to be cut.

A word is a copy if it lies in `least` words in a row that came before, in an earlier document or earlier in
the same one. So what is cut is in what stays, and what comes once stays. A sentence that comes once may have
the same first or last word as the copied one that it replaces: a few words of a sentence at the edge of a
copy stay with the rest of it.

Three readings of the texts: the first counts windows in cells, the second writes those whose cell has several
to disk, in ranges of hashes, where each is joined with its first occurrence; the third looks up the copies of
each document. Memory is bounded, and the answer does not depend on it.

With `max_copies` whole lines, sentences or paragraphs are compared instead, of any length: one that is in
more documents than that stays where it comes first. `take_groups` says which of them count as one. With
`max_copies` and words, whole paragraphs of fewer words than `least` are compared beside the words in a row:
they are what a minimum length leaves of the copies in a corpus.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from copysift import kernels
from copysift.join.boilerplate import CELL
from copysift.join.lists import SCRAMBLE, UNSCRAMBLE
from copysift.join.spill import Spill
from copysift.kinds import canonicaliser
from copysift.match.text_units import copied_units, units

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from copysift.model.values import Canonical

    Bools = NDArray[np.bool_]
    Int64s = NDArray[np.int64]
    UInt32s = NDArray[np.uint32]
    UInt64s = NDArray[np.uint64]

BITS = 10  # of the ranges of hashes
RANGES = 1024  # of documents
HELD = 1 << 18  # entries before they are written
LISTED = 10_000  # units that are listed by how many documents have them
SEAM = 3  # words of two sentences that are the same by chance, at most
ENTRY = 48  # bytes that an entry takes while it is joined
UNIT = np.uint64(1)  # the bit that a paragraph has, and words in a row have not, where both are compared


class Copy(NamedTuple):
    """Bytes start:end of a document, which are from byte `kept_start` on in document `kept`."""

    start: int
    end: int
    kept: int
    kept_start: int


class Text(NamedTuple):
    """A document as words: the hashes of `least` words in a row, and where words start and end.

    Or as units, where those are compared: the hash of each, and where it starts and ends. `short` has the
    paragraphs of fewer words, if they are compared, too.
    """

    windows: UInt64s
    starts: Int64s
    ends: Int64s
    short: Text | None = None

    def entries(self) -> tuple[UInt64s, Int64s]:
        """Give the hash of everything that is compared, and where each starts."""
        starts = self.starts[: len(self.windows)]
        if self.short is None:
            return self.windows, starts
        return np.append(self.windows, self.short.windows), np.append(starts, self.short.starts)


class Repeats:
    """The repeated windows of numbered documents; give all of them to `count`, then to `join`, then ask."""

    def __init__(
        self,
        folder: Path,
        least: int,
        memory: int,
        seed: int = 0,
        *,
        unit: str = "word",
        max_copies: int = 0,
    ) -> None:
        self._folder, self._seed, self._unit, self._most = folder, seed, unit, max_copies
        self._whole = max_copies > 0 and unit != "word"  # units are compared, not words in a row
        self._least = 1 if self._whole else least
        self._groups: tuple[UInt64s, UInt64s] | None = None
        self._frequent: list[tuple[int, int]] = []  # documents and hash of units, the rarest first
        self._shown: dict[int, str] = {}
        self._listed: set[int] = set()
        count = 1 << 16
        while count * CELL * 2 <= memory // 4:
            count <<= 1
        self._cells = np.zeros(count, np.uint32)
        self._at_once = max(memory // (8 * ENTRY), 1 << 12)
        self._words = canonicaliser("words")
        self._stack = ExitStack()
        self._found: list[Spill] = []
        self._range = -1
        self._known: tuple[Int64s, UInt64s, Int64s, Int64s] | None = None
        self._edges = np.zeros(1, np.int64)

    def __enter__(self) -> Repeats:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def take_groups(self, members: UInt64s, heads: UInt64s) -> None:
        """Take the hashes of units that count as copies of another, ascending, and the hash of that one."""
        self._groups = (members, heads) if len(members) else None

    def count(self, texts: Iterable[bytes]) -> None:
        """Read for the first time: how many windows fall into each cell."""
        wanted = np.ones(1, np.uint8)
        for text in texts:
            windows, _ = self.text(text).entries()
            kernels.shingle.count(self._cells, windows, np.array([0, len(windows)]), wanted)

    def join(self, texts: Iterable[tuple[int, bytes]], documents: int) -> None:
        """Read for the second time, numbers ascending: find the first occurrence of what comes again."""
        self._edges = np.arange(RANGES + 1) * documents // RANGES
        with ExitStack() as stack:
            where, place = (
                stack.enter_context(Spill(self._folder / f"windows-{name}.bin", 1 << BITS))
                for name in ("document", "start")
            )
            held: list[tuple[UInt64s, UInt32s, UInt32s]] = []
            count = (
                0  # of entries that are held: adding them up for every text takes long where texts are short
            )
            for number, text in texts:
                held.append(self._entries(number, text))
                count += len(held[-1][0])
                if count >= HELD or len(held) >= HELD:
                    _write(where, place, held)
                    held, count = [], 0
            _write(where, place, held)
            self._cells = np.zeros(0, np.uint32)
            self._found = [
                self._stack.enter_context(Spill(self._folder / f"copies-{name}.bin", RANGES))
                for name in ("document", "kept", "start")
            ]
            for span in where.spans(self._at_once):
                keys, docs = where.read(*span)
                self._pair(keys, docs, place.read(*span)[1])
        for name in ("document", "start"):
            (self._folder / f"windows-{name}.bin").unlink()
        self._listed = {key for _, key in self._frequent}

    def _entries(self, number: int, text: bytes) -> tuple[UInt64s, UInt32s, UInt32s]:
        windows, starts = self.text(text).entries()
        cells = windows >> np.uint64(64 - (len(self._cells).bit_length() - 1))  # as the kernel does
        again = np.flatnonzero(self._cells[cells] > 1)
        return windows[again], np.full(len(again), number, np.uint32), starts[again].astype(np.uint32)

    def _pair(self, keys: UInt64s, docs: UInt32s, starts: UInt32s) -> None:
        """Write every window but the first of its kind, in order of documents, with the first one."""
        order = np.argsort(keys, kind="stable")
        keys, docs, starts = keys[order], docs[order], starts[order]
        if not len(keys):
            return
        new = np.concatenate([[True], keys[1:] != keys[:-1]])
        heads = np.flatnonzero(new)
        first = heads[np.cumsum(new) - 1]
        later = np.flatnonzero(~new)
        if self._most:
            others = np.concatenate([[True], docs[1:] != docs[:-1]]) | new
            documents = np.add.reduceat(others.astype(np.int64), heads)
            self._note(keys[heads], documents)
            if self._most > 1:  # of one copy at most, those in the same document are none too
                later = later[documents[np.cumsum(new) - 1][later] > self._most]
        later = later[np.argsort(docs[later], kind="stable")]
        bounds = np.searchsorted(docs[later], self._edges)
        columns = (docs[later], docs[first[later]], starts[first[later]])
        for spill, column in zip(self._found, columns, strict=True):
            spill.write(keys[later], column, bounds)

    def _note(self, keys: UInt64s, documents: Int64s) -> None:
        """Remember the units that are in most documents."""
        common = np.flatnonzero(documents > self._most)
        if not self._whole:
            common = common[keys[common] * UNSCRAMBLE & UNIT != 0]
        common = common[np.argsort(-documents[common], kind="stable")[:LISTED]]
        plain = keys[common] * UNSCRAMBLE
        self._frequent += zip(documents[common].tolist(), plain.tolist(), strict=True)
        self._frequent = sorted(self._frequent)[-LISTED:]

    def frequent(self) -> Iterator[dict[str, Any]]:
        """Give the units that are in most documents, with their text, if any of them were wanted."""
        for documents, key in reversed(self._frequent):
            if key in self._shown:
                yield {"text": self._shown[key], "documents": documents}

    def text(self, text: bytes) -> Text:
        """Give the windows of a text, or its units where those are compared."""
        canonical = self._words.whole(text)
        if self._whole:
            return self._units_of(text, canonical, self._unit, len(canonical.starts))
        windows = kernels.selection.hashes(canonical.symbols, self._least, self._seed)
        starts, ends = canonical.starts.astype(np.int64), canonical.ends.astype(np.int64)
        if not self._most:
            return Text(windows, starts, ends)
        short = self._units_of(text, canonical, "paragraph", self._least - 1)
        return Text(windows & ~UNIT, starts, ends, short._replace(windows=short.windows | UNIT))

    def _units_of(self, text: bytes, canonical: Canonical, unit: str, most: int) -> Text:
        """Give the units of a text that have a word, and `most` words."""
        cuts = np.array(units(text, unit), np.int64)
        words = np.searchsorted(canonical.starts, cuts)
        full = np.flatnonzero(np.diff(words))
        symbols = np.ascontiguousarray(canonical.symbols, dtype=np.uint64)
        bounds = words[np.append(full, len(words) - 1)] if len(full) else np.zeros(1, np.int64)
        hashes = kernels.shingle.set_digests(symbols, bounds.astype(np.int64))
        few = np.diff(bounds) <= most
        full = full[few]
        return Text(self._grouped(hashes[few] ^ np.uint64(self._seed)), cuts[full], cuts[full + 1])

    def _grouped(self, hashes: UInt64s) -> UInt64s:
        if self._groups is None:
            return hashes
        members, heads = self._groups
        at = np.minimum(np.searchsorted(members, hashes), len(members) - 1)
        return np.where(members[at] == hashes, heads[at], hashes)

    def copies(self, number: int, text: bytes, unit: str) -> list[Copy]:
        """Give what of a document came before; numbers ascend from call to call.

        With a `unit` other than word only whole lines, sentences or paragraphs are given.
        """
        keys, kept, places = self._of(number)
        if not len(keys):
            return []
        found = self.text(text)
        hits, at = _hits(found, keys, kept == number, places)
        if self._whole:
            return self._unit_copies(text, found, hits, kept[at], places[at])
        copied = np.zeros(len(found.starts) + 1, np.int64)
        np.add.at(copied, hits, 1)
        np.add.at(copied, hits + self._least, -1)
        covered = np.cumsum(copied[:-1]) > 0
        spans = (
            _runs(text, found, covered, self._least)
            if unit == "word"
            else copied_units(text, unit, found.starts, covered)
        )
        sources = kept[at], places[at]
        copies = [copy for span in spans for copy in _copies(span, found, hits, *sources)]
        if found.short is None:
            return copies
        hits, at = _hits(found.short, keys, kept == number, places)
        short = self._unit_copies(text, found.short, hits, kept[at], places[at])
        return sorted([*copies, *_outside(short, copies, found)])

    def _unit_copies(
        self, text: bytes, found: Text, hits: Int64s, kept: Int64s, places: Int64s
    ) -> list[Copy]:
        copies = []
        for hit, source, place in zip(hits.tolist(), kept.tolist(), places.tolist(), strict=True):
            start, end, key = int(found.starts[hit]), int(found.ends[hit]), int(found.windows[hit])
            copies.append(Copy(start, end, source, place))
            if key in self._listed and key not in self._shown:
                self._shown[key] = text[start:end].decode("utf-8", "replace").strip()
        return copies

    def _of(self, number: int) -> tuple[UInt64s, Int64s, Int64s]:
        """Give the windows of a document that came before, ascending, and where they came first."""
        at = int(np.searchsorted(self._edges, number, side="right")) - 1
        if at != self._range or self._known is None:
            keys, docs = self._found[0].read(at, at + 1)
            kept, places = (spill.read(at, at + 1)[1].astype(np.int64) for spill in self._found[1:])
            keys = keys * UNSCRAMBLE
            order = np.lexsort((keys, docs))
            self._known = docs[order].astype(np.int64), keys[order], kept[order], places[order]
            self._range = at
        numbers, known, first, where = self._known
        start, end = np.searchsorted(numbers, [number, number + 1]).tolist()
        return known[start:end], first[start:end], where[start:end]


def _hits(found: Text, keys: UInt64s, own: Bools, places: Int64s) -> tuple[Int64s, Int64s]:
    """Give which windows or units of a document came before, and which of the known `keys` each is.

    `own`: the key comes first in this document itself; that occurrence stays.
    """
    at = np.minimum(np.searchsorted(keys, found.windows), len(keys) - 1)
    hits = np.flatnonzero(keys[at] == found.windows)
    hits = hits[~own[at[hits]] | (found.starts[hits] != places[at[hits]])]
    return hits, at[hits]


def _outside(copies: list[Copy], others: list[Copy], found: Text) -> Iterator[Copy]:
    """Give what of the copies lies outside of others and has a word."""
    gone = np.zeros(len(found.starts), np.bool_)
    for other in others:
        first, last = np.searchsorted(found.starts, [other.start, other.end]).tolist()
        gone[first:last] = True
    for copy in copies:
        first, last = np.searchsorted(found.starts, [copy.start, copy.end]).tolist()
        if not gone[first:last].any():
            yield copy
            continue
        left = np.flatnonzero(np.diff(np.concatenate([[True], gone[first:last], [True]]).astype(np.int8)))
        for one, other_end in zip(left[::2].tolist(), left[1::2].tolist(), strict=True):
            start, end = int(found.starts[first + one]), int(found.ends[first + other_end - 1])
            yield Copy(start, end, copy.kept, copy.kept_start + start - copy.start)


def _write(where: Spill, place: Spill, held: list[tuple[UInt64s, UInt32s, UInt32s]]) -> None:
    if not held:
        return
    keys, docs, starts = (np.concatenate(column) for column in zip(*held, strict=True))
    made, order, bounds = kernels.join.partition(keys * SCRAMBLE, np.arange(len(keys), dtype=np.uint32), BITS)
    where.write(made, docs[order], bounds)
    place.write(made, starts[order], bounds)


def _runs(text: bytes, found: Text, covered: Bools, least: int) -> Iterator[tuple[int, int, int, int]]:
    """Give the runs of words that are covered: first and last word, half-open, then bytes.

    A few words of a sentence of which the rest is not covered are left out, so that it stays whole.
    """
    edges = np.flatnonzero(np.diff(np.concatenate([[0], covered.astype(np.int8), [0]]))).tolist()
    sentences = np.searchsorted(found.starts, units(text, "sentence"))  # the words that they begin with
    for one, other in zip(edges[::2], edges[1::2], strict=True):
        begin = int(sentences[np.searchsorted(sentences, one)])
        end = int(sentences[np.searchsorted(sentences, other, side="right") - 1])
        first = begin if begin - one <= SEAM and begin < other else one
        last = end if other - end <= SEAM and end > one else other
        if last - first >= least:
            yield first, last, int(found.starts[first]), int(found.ends[last - 1])


def _copies(
    span: tuple[int, int, int, int], found: Text, hits: Int64s, kept: Int64s, places: Int64s
) -> Iterator[Copy]:
    """Give some words as copies, one for each place where they were before."""
    first, last, start, end = span
    head = int(np.searchsorted(hits, first, side="right")) - 1  # the last window with the first word in it
    inside = np.arange(head, int(np.searchsorted(hits, last)))
    away = places[inside] - found.starts[hits[inside]]  # the same as long as both texts go on alike
    turns = inside[np.concatenate([[True], (np.diff(kept[inside]) != 0) | (np.diff(away) != 0)])]
    begins = [start, *(int(found.starts[hits[turn]]) for turn in turns[1:].tolist()), end]
    for turn, (one, other) in zip(turns.tolist(), pairwise(begins), strict=True):
        shift = one - int(found.starts[hits[turn]])
        yield Copy(one, other, int(kept[turn]), max(0, int(places[turn]) + shift))


def audit(name: str, text: bytes, copy: Copy, known: dict[str, Any]) -> dict[str, Any]:
    """Give the line of the audit for a passage that was cut or marked; `known` says what it is a copy of."""
    passage = text[copy.start : copy.end]
    return {
        "document": name,
        "start": copy.start,
        "end": copy.end,
        "hash": hashlib.blake2b(passage, digest_size=16).hexdigest(),
        **known,
        "text": passage.decode("utf-8", "replace"),
    }
