"""Match groups of files as wholes: their symbols in a row, a masked symbol between files.

No match crosses from one file into the next, and every region finds its way back to the file it
stands in. Files of different kinds have different symbols and are matched apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from copysift.engine.collection import Filed
from copysift.engine.documents import family as family_of
from copysift.match.exact import Matches, covered_lines, line_span
from copysift.values import Canonical, Region, Side

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from copysift.values import UInt32s

    UInt8s = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Prepared:
    """A file ready to be matched; `mask` is 1 for the symbols of base code."""

    canonical: Canonical
    lines: UInt32s
    size: int
    mask: UInt8s | None = None


class Joined:
    """Files in a row; offsets are those of their sources, one behind the other."""

    def __init__(self, files: Sequence[tuple[str, Prepared]]) -> None:
        self.names = [name for name, _ in files]
        self._files = [prepared for _, prepared in files]
        self._first = _before(
            [len(each.canonical.symbols) + 1 for each in self._files]
        )  # symbol of each file
        self._offsets = _before([each.size + 1 for each in self._files])  # byte of each file
        self.canonical = self._files[0].canonical if len(files) == 1 else self._row()
        self.mask = self._files[0].mask if len(files) == 1 else self._masks()

    def sides(self, starts: NDArray[Any], ends: NDArray[Any]) -> Iterator[Side]:
        """Give the file, byte span and lines of every span."""
        numbers = np.searchsorted(self._offsets, starts, "right") - 1
        offsets = self._offsets[numbers]
        starts, ends = starts - offsets, ends - offsets
        first, last = np.zeros(len(starts), np.uint32), np.zeros(len(starts), np.uint32)
        for number in np.unique(numbers).tolist():
            inside = numbers == number
            lines = self._files[number].lines
            first[inside], last[inside] = line_span(lines, starts[inside], ends[inside])
        columns = (each.tolist() for each in (numbers, starts, ends, first, last))
        for number, *place in zip(*columns, strict=True):
            yield Side(self.names[number], *place)

    def lines_of(self, starts: NDArray[Any], ends: NDArray[Any]) -> int:
        """Count the distinct lines that the spans touch."""
        numbers = np.searchsorted(self._offsets, starts, "right") - 1
        total = 0
        for number in np.unique(numbers).tolist():
            inside = numbers == number
            offset = self._offsets[number]
            spans = (starts[inside].astype(np.int64) - offset, ends[inside].astype(np.int64) - offset)
            total += covered_lines(self._files[number].lines, *spans)
        return total

    def spans(self, first: NDArray[Any], last: NDArray[Any]) -> tuple[UInt32s, UInt32s]:
        """Give the source spans of runs of symbols; a run stays in one file."""
        starts, ends = np.zeros(len(first), np.uint32), np.zeros(len(first), np.uint32)
        numbers = np.searchsorted(self._first, first, "right") - 1
        for number in np.unique(numbers).tolist():
            inside, offset = numbers == number, np.uint32(self._offsets[number])
            spans = self._files[number].canonical.positions.spans(
                first[inside].astype(np.int64) - self._first[number],
                last[inside].astype(np.int64) - self._first[number],
            )
            starts[inside], ends[inside] = spans[0] + offset, spans[1] + offset
        return starts, ends

    @property
    def starts(self) -> UInt32s:
        return self._columns(0)

    @property
    def ends(self) -> UInt32s:
        return self._columns(1)

    def _columns(self, side: int) -> UInt32s:
        parts = []
        for each, offset in zip(self._files, self._offsets.tolist(), strict=True):
            column = (each.canonical.starts, each.canonical.ends)[side]
            parts += [column + np.uint32(offset), np.array([offset + each.size], np.uint32)]
        return np.concatenate(parts)

    def _row(self) -> Canonical:
        parts: list[NDArray[Any]] = []
        for each in self._files:
            parts += [each.canonical.symbols, np.zeros(1, each.canonical.symbols.dtype)]
        return Canonical(np.concatenate(parts), self)

    def _masks(self) -> UInt8s:
        parts: list[UInt8s] = []
        for each in self._files:
            own = np.zeros(len(each.canonical.symbols), np.uint8) if each.mask is None else each.mask
            parts += [own, np.ones(1, np.uint8)]
        return np.concatenate(parts)


def families(
    left: Sequence[Filed], right: Sequence[Filed]
) -> Iterator[tuple[list[tuple[Filed, str]], list[tuple[Filed, str]]]]:
    """Give the files of both sides that have the same symbols, each with the kind to read it as.

    Two single files that have not are compared as bytes.
    """
    if len(left) == len(right) == 1 and _family(left[0]) != _family(right[0]):
        yield [(left[0], "bytes")], [(right[0], "bytes")]
        return
    for family in sorted({_family(each) for each in left} & {_family(each) for each in right}):
        ours, theirs = (
            [(each, each.kind) for each in side if _family(each) == family] for side in (left, right)
        )
        yield ours, theirs


def regions_of(found: Matches, left: Joined, right: Joined) -> Iterator[Region]:
    """Give the matches as regions of the files that they stand in."""
    columns = (
        found.lengths.tolist(),
        left.sides(found.left_starts, found.left_ends),
        right.sides(found.right_starts, found.right_ends),
    )
    for length, one, other in zip(*columns, strict=True):
        yield Region(length, one, other)


def _family(filed: Filed) -> str:
    return family_of(filed.kind)


def _before(sizes: list[int]) -> NDArray[np.int64]:
    if len(sizes) == 1:
        return np.zeros(1, np.int64)
    return np.concatenate(([0], np.cumsum(sizes)[:-1])).astype(np.int64)
