"""Run a scheme over the blocks of a document: the only place that knows about block boundaries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from copysift.model.values import Canonical, Fingerprints
from copysift.runtime import registry
from copysift.runtime.arrays import distinct

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

    from copysift.fingerprints.options import FingerprintSettings
    from copysift.fingerprints.schemes import Choice, Scheme
    from copysift.model.values import Offsets, Symbols, UInt32s, UInt64s

    Make = Callable[[FingerprintSettings], Scheme]

GATHERED = 1 << 18  # hashes of a large document that are held at once
_NO_SPANS = np.empty(0, np.uint32)


def fingerprinter(settings: FingerprintSettings) -> Fingerprinter:
    """Make what turns canonical documents into fingerprints, for the scheme that the settings name."""
    return Fingerprinter(settings)


class Fingerprinter:
    """Fingerprints documents one after the other; holds no state between them, so threads may share it.

    `scheme` is one that is not registered, to try it.
    """

    def __init__(self, settings: FingerprintSettings, scheme: Make | None = None) -> None:
        self.settings = settings
        self._scheme: Make = scheme or registry.load(registry.SCHEMES, settings.scheme)
        self._scheme(settings)  # what the scheme refuses is refused here, not at the first file

    def fingerprint(self, blocks: Iterable[Canonical], spans: bool = True) -> Fingerprints:
        """Fingerprint one document, given as consecutive blocks; spans=False leaves the positions out."""
        if isinstance(blocks, list) and len(blocks) == 1:
            return self._whole(blocks[0], spans)
        scheme, window = self._scheme(self.settings), _Window()
        hashes, starts, ends = [], [], []
        for choice in self._choices(scheme, window, blocks, spans):
            hashes.append(choice.hashes)
            if spans:
                first, last = window.spans(choice.places, self.settings.k)
                starts.append(first)
                ends.append(last)
        places = _joined(starts, np.uint32), _joined(ends, np.uint32)
        return self._settled(scheme, _joined(hashes, np.uint64), *places, window.total)

    def _whole(self, block: Canonical, spans: bool) -> Fingerprints:
        """Fingerprint a document of one block, which has no cuts to look after."""
        scheme = self._scheme(self.settings)
        choice = scheme.feed(block.symbols, True)
        starts, ends = _spans(block, choice.places, self.settings.k) if spans else (_NO_SPANS, _NO_SPANS)
        return self._settled(scheme, choice.hashes, starts, ends, len(block.symbols))

    def _settled(
        self, scheme: Scheme, hashes: UInt64s, starts: Offsets, ends: Offsets, symbols: int
    ) -> Fingerprints:
        """Give what remains of all choices of a document with a number of symbols."""
        remaining = scheme.settle(hashes)
        if remaining is not None:
            hashes = hashes[remaining]
            starts, ends = (each[remaining] if len(each) else each for each in (starts, ends))
        return Fingerprints(self.settings.kept(hashes), starts, ends, max(0, symbols - self.settings.k + 1))

    def first_span(self, blocks: Iterable[Canonical], value: int) -> tuple[int, int] | None:
        """Give the source span of the first k-gram that was chosen for its hash, or None."""
        scheme, window = self._scheme(self.settings), _Window()
        for choice in self._choices(scheme, window, blocks, True):
            places = choice.places[self.settings.kept(choice.hashes) == np.uint64(value)][:1]
            if len(places):
                first, last = window.spans(places, self.settings.k)
                return int(first[0]), int(last[0])
        return None

    def pieces(self, blocks: Iterable[Canonical]) -> Iterator[UInt64s]:
        """Give the hashes of one document piece by piece, so that those of a large one are never all held.

        A scheme that settles its choice at the end gives one piece; such samples are small.
        """
        scheme = self._scheme(self.settings)
        if scheme.settle(np.empty(0, np.uint64)) is not None:
            yield self.fingerprint(blocks, spans=False).hashes
            return
        for choice in self._choices(scheme, _Window(), blocks, False):
            yield self.settings.kept(choice.hashes)

    def _choices(
        self, scheme: Scheme, window: _Window, blocks: Iterable[Canonical], spans: bool
    ) -> Iterator[Choice]:
        """Feed the blocks to a scheme, one behind: the last must be known as such."""
        pending: Canonical | None = None
        for block in _then_none(blocks):
            if pending is None:
                pending = block
                continue
            if block is not None and not len(block.symbols):
                continue
            window.push(pending)
            choice = scheme.feed(window.symbols, block is None)
            yield choice
            if block is not None:
                window.keep(choice.keep, spans)
            pending = block


def _then_none(blocks: Iterable[Canonical]) -> Iterable[Canonical | None]:
    yield from blocks
    yield None


def _joined(parts: list[Any], kind: DTypeLike) -> NDArray[Any]:
    return parts[0] if len(parts) == 1 else np.concatenate(parts) if parts else np.empty(0, kind)


def _spans(block: Canonical, places: UInt32s, k: int) -> tuple[Offsets, Offsets]:
    """Source spans of the k-grams at these places of a block."""
    first = places.astype(np.int64)
    return block.positions.spans(first, first + (k - 1))


class _Window:
    """The symbols in view: those kept from earlier blocks, with their positions, then the newest block."""

    def __init__(self) -> None:
        self.symbols: Symbols = np.empty(0, np.uint8)
        self.total = 0
        self._starts: Offsets = _NO_SPANS
        self._ends: Offsets = _NO_SPANS
        self._kept = 0
        self._block: Canonical | None = None

    def push(self, block: Canonical) -> None:
        self._kept = len(self.symbols)
        self.total += len(block.symbols)
        self.symbols = np.concatenate([self.symbols, block.symbols]) if self._kept else block.symbols
        self._block = block

    def keep(self, first: int, spans: bool) -> None:
        if spans:
            which = np.arange(first, len(self.symbols))
            self._starts, self._ends = self._at(which, 0), self._at(which, 1)
        self.symbols = self.symbols[first:].copy()

    def spans(self, places: UInt32s, k: int) -> tuple[Offsets, Offsets]:
        """Source spans of the k-grams at these places."""
        assert self._block is not None
        if not self._kept:
            return _spans(self._block, places, k)
        first = places.astype(np.int64)
        return self._at(first, 0), self._at(first + (k - 1), 1)

    def _at(self, which: NDArray[np.int64], side: int) -> Offsets:
        """Starts (side 0) or ends (1) of single symbols."""
        assert self._block is not None
        old = which < self._kept
        fresh = which[~old] - self._kept
        kept, found = (self._starts, self._ends)[side], self._block.positions.spans(fresh, fresh)[side]
        out: Offsets = np.empty(len(which), np.promote_types(kept.dtype, found.dtype))
        out[old], out[~old] = kept[which[old]], found
        return out


def mostly_distinct(pieces: Iterable[UInt64s]) -> Iterator[UInt64s]:
    """Give every hash of a large document about once; a file of one byte has millions of the same.

    Pieces are gathered before they are sorted, and sorted only where a sample of them repeats itself.
    """
    waiting: list[UInt64s] = []
    for piece in pieces:
        waiting.append(piece)
        if sum(map(len, waiting)) >= GATHERED:
            yield _gathered(waiting)
            waiting = []
    if waiting:
        yield _gathered(waiting)


def _gathered(pieces: list[UInt64s]) -> UInt64s:
    hashes = np.concatenate(pieces)
    sample = hashes[: 1 << 12]
    return distinct(hashes) if len(distinct(sample)) < 0.9 * len(sample) else hashes
