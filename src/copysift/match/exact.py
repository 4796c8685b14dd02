"""What two documents share, and where: all common runs of at least k symbols, tiled longest first.

Section 5.2 of the winnowing paper advises exact matching for what is shown to people: fingerprints
choose the pair, but say little about where a match starts and ends. Every run of k symbols that
both have is found here, at its full length, and no symbol belongs to two regions.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np

from copysift import kernels
from copysift.errors import UsageError
from copysift.runtime.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from copysift.model.values import Canonical, Offsets, Symbols

    Allocate = Callable[[int, type], NDArray[Any]]
    UInt8s = NDArray[np.uint8]
    UInt32s = NDArray[np.uint32]

SIEVE_ROOM = 1 << 25  # symbols of both together that are compared exactly: 24 bytes each
SUFFIX_ROOM = 1 << 23  # symbols of both together in shared stretches: 60 bytes each


@dataclass(frozen=True, slots=True)
class Matches:
    """The regions of two documents in order of their start on the left.

    Region i has lengths[i] symbols and is at the half-open byte spans
    left_starts[i]:left_ends[i] and right_starts[i]:right_ends[i] of the sources. `exact` is False
    when the documents were too large and seeds were used (see `regions`).
    """

    lengths: Offsets
    left_starts: Offsets
    left_ends: Offsets
    right_starts: Offsets
    right_ends: Offsets
    exact: bool = True

    def __len__(self) -> int:
        return len(self.lengths)

    @property
    def longest(self) -> int:
        """Symbols of the longest region, 0 if there is none."""
        return int(self.lengths.max(initial=0))

    @property
    def symbols(self) -> int:
        """Symbols of all regions together."""
        return int(self.lengths.sum(dtype=np.int64))


@dataclass(frozen=True, slots=True)
class Runs:
    """The regions of many pairs as runs of symbols, the pairs in order.

    Run i belongs to the pair of number pairs[i] and has lengths[i] symbols, the first of them
    left_firsts[i] and right_firsts[i].
    """

    pairs: NDArray[np.int64]
    lengths: Offsets
    left_firsts: Offsets
    right_firsts: Offsets


def regions(
    left: Canonical,
    right: Canonical,
    k: int,
    t: int = 0,
    mask_left: UInt8s | None = None,
    mask_right: UInt8s | None = None,
) -> Matches:
    """Match two documents exactly; regions have at least `k` symbols.

    The longest common run is taken first (the leftmost on the left, then on the right, if several
    are as long), then the longest of what remains. Symbols whose mask is 1 never match: base
    code, and whatever parts the files of a group. When the shared stretches of two documents are
    too large for the suffix structure, seeds are extended instead: regions are then taken from
    left to right, and any common run of at least `t` symbols (k if not given) still gives one,
    unless its seeds are at more than 16 places.
    """
    _check_noise(k)
    symbols = (left.symbols, right.symbols)
    masks = (mask_left, mask_right)
    found: tuple[Offsets, Offsets, Offsets]
    exact = _fits(*symbols)
    if exact:
        try:
            found = kernels.match.tiles(*symbols, k, *masks, room=SUFFIX_ROOM)
        except OverflowError:
            exact = False
    if not exact:
        found = _seeded(*symbols, k, t, *masks)
    order = np.argsort(found[0])
    first_left, first_right, lengths = (column[order] for column in found)
    left_spans = left.positions.spans(first_left, first_left + lengths - 1)
    right_spans = right.positions.spans(first_right, first_right + lengths - 1)
    return Matches(lengths, *left_spans, *right_spans, exact)


def runs_among(
    documents: Sequence[Symbols],
    lefts: NDArray[np.int64],
    rights: NDArray[np.int64],
    k: int,
    t: int = 0,
    masks: Sequence[UInt8s | None] | None = None,
    allocate: Allocate | None = None,
) -> Runs:
    """Match pairs of documents, which are named by number, each as `regions` does.

    `allocate(count, dtype)` gives the space for the seeds of large ones.
    """
    _check_noise(k)
    sizes = np.array([len(each) for each in documents], np.int64)
    small = sizes[lefts] + sizes[rights] <= SIEVE_ROOM
    numbers = np.flatnonzero(small)
    met = np.zeros(len(documents), np.bool_)
    met[lefts[small]] = met[rights[small]] = True
    least = [each if wanted else each[:0] for each, wanted in zip(documents, met.tolist(), strict=True)]
    covers = masks and [
        mask if mask is None or wanted else mask[:0] for mask, wanted in zip(masks, met.tolist(), strict=True)
    ]
    found = kernels.match.tiles_among(least, lefts[small], rights[small], k, covers, SUFFIX_ROOM)
    owners = np.repeat(numbers, np.maximum(found[0], 0))
    parts: list[tuple[NDArray[np.int64], Offsets, Offsets, Offsets]] = [(owners, *found[1:])]
    for number in np.concatenate([np.flatnonzero(~small), numbers[found[0] < 0]]).tolist():
        a, b = int(lefts[number]), int(rights[number])
        pair_masks = (None, None) if masks is None else (masks[a], masks[b])
        tiles = _seeded(documents[a], documents[b], k, t, *pair_masks, allocate)
        parts.append((np.full(len(tiles[0]), number, np.int64), *tiles))
    pairs, left_firsts, right_firsts, lengths = (
        np.concatenate(column) for column in zip(*parts, strict=True)
    )
    order = np.argsort(pairs, kind="stable")
    return Runs(pairs[order], lengths[order], left_firsts[order], right_firsts[order])


def _check_noise(k: int) -> None:
    if k < 1:
        raise UsageError("the noise threshold must be at least 1", hint="use a larger --noise")


def _fits(left: Symbols, right: Symbols) -> bool:
    return len(left) + len(right) <= SIEVE_ROOM


def _seeded(
    left: Symbols,
    right: Symbols,
    k: int,
    t: int,
    mask_left: UInt8s | None,
    mask_right: UInt8s | None,
    allocate: Allocate | None = None,
) -> tuple[Offsets, Offsets, Offsets]:
    return kernels.match.seed_tiles(left, right, k, max(t - k + 1, 1), mask_left, mask_right, allocate)


def same_symbols(left: Iterable[Canonical], right: Iterable[Canonical]) -> bool:
    """Say whether two documents have the same symbols; blocks may end anywhere. Nothing equals nothing."""
    rest, other = np.empty(0, np.uint64), np.empty(0, np.uint64)
    for one, another in zip_longest(left, right):
        rest = rest if one is None else np.concatenate((rest, one.symbols))
        other = other if another is None else np.concatenate((other, another.symbols))
        both = min(len(rest), len(other))
        if not np.array_equal(rest[:both], other[:both]):
            return False
        rest, other = rest[both:], other[both:]
    return not len(rest) and not len(other)


def line_span(line_starts: UInt32s, starts: NDArray[Any], ends: NDArray[Any]) -> tuple[UInt32s, UInt32s]:
    """Give the first and last line of each byte span; lines count from 1, both are included."""
    first = np.searchsorted(line_starts, starts, "right")
    last = np.searchsorted(line_starts, np.maximum(ends, starts + 1) - 1, "right")
    return first.astype(np.uint32), last.astype(np.uint32)


def touched_lines(
    owners: NDArray[np.int64], first: NDArray[Any], last: NDArray[Any], count: int
) -> NDArray[np.int64]:
    """Count the distinct lines that the spans of each owner touch; owners are numbers below `count`.

    Span i touches the lines first[i] to last[i], both included.
    """
    order = np.lexsort((first, owners))
    base = owners[order] << 33  # owners one behind the other: lines have 32 bits
    first, last = first[order].astype(np.int64) + base, last[order].astype(np.int64) + base
    seen = np.maximum.accumulate(np.concatenate([[0], last[:-1]]))  # the last line counted before each
    new = np.maximum(last - np.maximum(first - 1, seen), 0)
    return np.bincount(owners[order], new, count).astype(np.int64)


def line_starts(data: bytes) -> UInt32s:
    """Give the byte offset of the start of every line of a source."""
    return kernels.match.line_starts(data)
