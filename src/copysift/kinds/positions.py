"""Where symbols are in the source: four maps, each as small as its kind of block allows.

Offsets are 32 bits wide up to 4 GiB, and 64 bits beyond it: small documents do not pay for large ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from copysift import kernels
from copysift.runtime.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from copysift.model.values import Offsets, PositionMap, UInt32s, UInt64s

NARROW = 2**32 - 1  # bytes of a document whose offsets have 32 bits


@dataclass(frozen=True, slots=True)
class Identity:
    """Every byte is a symbol, from `offset` on."""

    offset: int
    count: int

    @property
    def starts(self) -> UInt32s:
        """First byte of every symbol."""
        return np.arange(self.offset, self.offset + self.count, dtype=np.uint32)

    @property
    def ends(self) -> UInt32s:
        """One past the last byte of every symbol."""
        return self.starts + np.uint32(1)

    def spans(self, first: NDArray[Any], last: NDArray[Any]) -> tuple[UInt32s, UInt32s]:
        """Source spans of the runs of symbols first[i]..last[i], both ends included."""
        starts = first.astype(np.int64) + self.offset
        ends = last.astype(np.int64) + (self.offset + 1)
        return starts.astype(np.uint32), ends.astype(np.uint32)


@dataclass(frozen=True, slots=True)
class Masks:
    """Some bytes are symbols: a mask of them for each 64 bytes; resolved only where it is needed."""

    masks: UInt64s
    ranks: UInt32s
    offset: int

    @property
    def starts(self) -> UInt32s:
        """First byte of every symbol."""
        return kernels.text.positions(self.masks, self.ranks, self.offset)

    @property
    def ends(self) -> UInt32s:
        """One past the last byte of every symbol."""
        return self.starts + np.uint32(1)

    def spans(self, first: NDArray[Any], last: NDArray[Any]) -> tuple[UInt32s, UInt32s]:
        """Source spans of the runs of symbols first[i]..last[i], both ends included."""
        return kernels.text.plain_spans(self.masks, self.ranks, self.offset, first, last)


@dataclass(frozen=True, slots=True)
class Characters:
    """Characters of several bytes, with one symbol or more: masks as before, and where characters begin.

    `extra` has the numbers of the symbols for which the masks have no bit.
    """

    masks: UInt64s
    ranks: UInt32s
    bounds: UInt64s
    extra: UInt32s
    offset: int

    @property
    def starts(self) -> UInt32s:
        """First byte of every symbol."""
        return self._every()[0]

    @property
    def ends(self) -> UInt32s:
        """One past the last byte of every symbol."""
        return self._every()[1]

    def spans(self, first: NDArray[Any], last: NDArray[Any]) -> tuple[UInt32s, UInt32s]:
        """Source spans of the runs of symbols first[i]..last[i], both ends included."""
        return kernels.text.character_spans(
            self.masks, self.ranks, self.bounds, self.extra, self.offset, first, last
        )

    def _every(self) -> tuple[UInt32s, UInt32s]:
        which = np.arange(int(self.ranks[-1]) + len(self.extra))
        return self.spans(which, which)


@dataclass(frozen=True, slots=True)
class Explicit:
    """Symbols of any width, each with its span."""

    starts: Offsets
    ends: Offsets

    def spans(self, first: NDArray[Any], last: NDArray[Any]) -> tuple[Offsets, Offsets]:
        """Source spans of the runs of symbols first[i]..last[i], both ends included."""
        return self.starts[first], self.ends[last]


@dataclass(frozen=True, slots=True)
class Shifted:
    """Another map, whose offsets count from `offset`: that of a block beyond 4 GiB."""

    inner: PositionMap
    offset: int

    @property
    def starts(self) -> UInt64s:
        """First byte of every symbol."""
        return moved(self.inner.starts, self.offset)

    @property
    def ends(self) -> UInt64s:
        """One past the last byte of every symbol."""
        return moved(self.inner.ends, self.offset)

    def spans(self, first: NDArray[Any], last: NDArray[Any]) -> tuple[UInt64s, UInt64s]:
        """Source spans of the runs of symbols first[i]..last[i], both ends included."""
        starts, ends = self.inner.spans(first, last)
        return moved(starts, self.offset), moved(ends, self.offset)


def moved(offsets: Offsets, by: int) -> UInt64s:
    """Add to offsets what may take them beyond 32 bits."""
    return offsets.astype(np.uint64) + np.uint64(by)


def widened(inner: PositionMap, starts: Offsets, ends: Offsets) -> PositionMap:
    """Give a map with no span that starts or ends inside these character references.

    The blanked text holds the character at the head of its reference; its span is all of that. Masks take a
    reference as one character, if it does not begin before their block.
    """
    if isinstance(inner, Masks):
        bounds = np.full(len(inner.masks) + 1, 2**64 - 1, np.uint64)
        inner = Characters(inner.masks, inner.ranks, bounds, np.empty(0, np.uint32), inner.offset)
    if isinstance(inner, Characters) and starts[0] >= inner.offset and ends.dtype == np.uint32:
        narrow = (each.astype(np.uint32, copy=False) for each in (starts, ends))
        kernels.text.merge_characters(inner.bounds, inner.offset, *narrow)
        return inner
    return Widened(inner, starts, ends)


@dataclass(frozen=True, slots=True)
class Widened:
    """Another map, with no span that starts or ends inside a character reference: see `widened`."""

    inner: PositionMap
    reference_starts: Offsets
    reference_ends: Offsets

    @property
    def starts(self) -> Offsets:
        """First byte of every symbol."""
        return self._widen(self.inner.starts, self.reference_starts)

    @property
    def ends(self) -> Offsets:
        """One past the last byte of every symbol."""
        return self._widen(self.inner.ends, self.reference_ends)

    def spans(self, first: NDArray[Any], last: NDArray[Any]) -> tuple[Offsets, Offsets]:
        """Source spans of the runs of symbols first[i]..last[i], both ends included."""
        starts, ends = self.inner.spans(first, last)
        return self._widen(starts, self.reference_starts), self._widen(ends, self.reference_ends)

    def _widen(self, offsets: Offsets, edges: Offsets) -> Offsets:
        """Move the offsets that lie strictly inside a reference to its edge."""
        before = np.searchsorted(self.reference_starts, offsets, "left").astype(np.int64) - 1
        inside = (before >= 0) & (offsets < self.reference_ends[before])
        return np.where(inside, edges[before], offsets)
