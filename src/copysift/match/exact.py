"""What two documents share, and where: all common runs of at least k symbols, tiled longest first.

Section 5.2 of the winnowing paper advises exact matching for what is shown to people: fingerprints
choose the pair, but say little about where a match begins and ends. Every run of k symbols that
both have is found here, at its full length, and no symbol belongs to two regions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from copysift import kernels
from copysift.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from copysift.values import Canonical

    UInt8s = NDArray[np.uint8]
    UInt32s = NDArray[np.uint32]

SIEVE_ROOM = 1 << 25  # symbols of both together that are compared exactly: 24 bytes each
SUFFIX_ROOM = 1 << 23  # symbols of both together in shared stretches: 60 bytes each


@dataclass(frozen=True, slots=True)
class Matches:
    """The regions of two documents in order of their start on the left.

    Region i has lengths[i] symbols and stands at the half-open byte spans
    left_starts[i]:left_ends[i] and right_starts[i]:right_ends[i] of the sources. `exact` is False
    when the documents were too large and seeds were used (see `regions`).
    """

    lengths: UInt32s
    left_starts: UInt32s
    left_ends: UInt32s
    right_starts: UInt32s
    right_ends: UInt32s
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
    unless its seeds stand at more than 16 places.
    """
    if k < 1:
        raise UsageError("the noise threshold must be at least 1", hint="Give a larger --noise.")
    symbols = (left.symbols, right.symbols)
    masks = (mask_left, mask_right)
    exact = len(left.symbols) + len(right.symbols) <= SIEVE_ROOM
    if exact:
        try:
            found = kernels.match.tiles(*symbols, k, *masks, room=SUFFIX_ROOM)
        except OverflowError:
            exact = False
    if not exact:
        found = kernels.match.seed_tiles(*symbols, k, max(t - k + 1, 1), *masks)
    order = np.argsort(found[0])
    first_left, first_right, lengths = (column[order] for column in found)
    left_spans = left.positions.spans(first_left, first_left + lengths - 1)
    right_spans = right.positions.spans(first_right, first_right + lengths - 1)
    return Matches(lengths, *left_spans, *right_spans, exact)


def line_span(line_starts: UInt32s, starts: NDArray[Any], ends: NDArray[Any]) -> tuple[UInt32s, UInt32s]:
    """Give the first and last line of each byte span; lines count from 1, both are included."""
    first = np.searchsorted(line_starts, starts, "right")
    last = np.searchsorted(line_starts, np.maximum(ends, starts + 1) - 1, "right")
    return first.astype(np.uint32), last.astype(np.uint32)


def covered_lines(line_starts: UInt32s, starts: NDArray[Any], ends: NDArray[Any]) -> int:
    """Count the distinct lines that the byte spans touch."""
    if not len(starts):
        return 0
    first, last = line_span(line_starts, starts, ends)
    order = np.argsort(first)
    first, last = first[order].astype(np.int64), last[order].astype(np.int64)
    seen = np.maximum.accumulate(np.concatenate([[0], last[:-1]]))  # the last line counted before each
    return int(np.maximum(last - np.maximum(first - 1, seen), 0).sum())


def matched_lines(matches: Matches, left_lines: UInt32s, right_lines: UInt32s) -> int:
    """Count the lines matched, as MOSS lists them: on the side where the regions touch more lines.

    The larger side, so that a copy whose lines were joined is not listed as one line.
    `left_lines` and `right_lines` are the line starts of the sources.
    """
    return max(
        covered_lines(left_lines, matches.left_starts, matches.left_ends),
        covered_lines(right_lines, matches.right_starts, matches.right_ends),
    )


def line_starts(data: bytes) -> UInt32s:
    """Give the byte offset of the start of every line of a source."""
    return kernels.match.line_starts(data)
