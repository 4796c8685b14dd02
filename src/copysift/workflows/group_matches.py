"""Match groups of files as wholes: their symbols in a row, a masked symbol between files.

No match crosses from one file into the next, and every region finds its way back to the file it
is in. Files of different kinds have different symbols and are matched apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from copysift.kinds.kind import family as family_of
from copysift.match.exact import Runs, runs_among, touched_lines
from copysift.match.spans import spans_among
from copysift.match.streamed import StreamedLines
from copysift.model.regions import SIDE, WIDTH, RegionColumns
from copysift.runtime.arrays import distinct
from copysift.runtime.lazy_dataclass import dataclass
from copysift.workflows.collection import FiledDocument

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from copysift.match.exact import Allocate
    from copysift.model.values import SpanMap, Symbols, UInt32s

    UInt8s = NDArray[np.uint8]
    Int64s = NDArray[np.int64]
    Problem = tuple[tuple[int, int], Int64s, Int64s, Int64s]


@dataclass(frozen=True, slots=True)
class PreparedFile:
    """A file ready to be matched; `lines` are its line starts, `mask` is 1 for the symbols of base code."""

    symbols: Symbols
    positions: SpanMap
    lines: UInt32s | StreamedLines
    size: int
    mask: UInt8s | None = None

    @property
    def bytes(self) -> int:
        """What it takes in memory, about: a plain text as much as its source, any other 12 bytes a symbol."""
        symbols = self.symbols
        wide = symbols.nbytes + 8 * len(symbols) if symbols.itemsize > 1 else self.size
        lines = 0 if isinstance(self.lines, StreamedLines) else self.lines.nbytes
        return wide + lines + len(symbols) * (self.mask is not None)

    def line_numbers(self, offsets: Int64s) -> Int64s:
        """Give the line of every byte offset; the first line is 1."""
        if isinstance(self.lines, StreamedLines):
            return self.lines.numbers(offsets)
        return np.searchsorted(self.lines, offsets, "right")


class JoinedFiles:
    """Files of a group in a row; each has its place among all files of the group.

    `row` has the symbols and the mask of all of them, if they are there already.
    """

    def __init__(
        self, files: Sequence[tuple[int, PreparedFile]], row: tuple[Symbols, UInt8s | None] | None = None
    ) -> None:
        self.places = [place for place, _ in files]
        self.files = [prepared for _, prepared in files]
        if row is None and len(files) == 1:
            row = (self.files[0].symbols, self.files[0].mask)
        self.symbols, self.mask = row or (self._row(), self._masks())

    def _row(self) -> Symbols:
        parts: list[NDArray[np.generic]] = []
        for each in self.files:
            parts += [each.symbols, np.zeros(1, each.symbols.dtype)]
        row: Symbols = np.concatenate(parts)
        return row

    def _masks(self) -> UInt8s:
        parts: list[UInt8s] = []
        for each in self.files:
            own = np.zeros(len(each.symbols), np.uint8) if each.mask is None else each.mask
            parts += [own, np.ones(1, np.uint8)]
        return np.concatenate(parts)


class MatchedGroups:
    """The runs of pairs of groups, and where they are; a side is 0, the left, or 1."""

    def __init__(
        self,
        groups: Sequence[JoinedFiles],
        lefts: Int64s,
        rights: Int64s,
        limits: tuple[int, int],
        allocate: Allocate | None,
    ) -> None:
        self._groups, self._owners = groups, (lefts, rights)
        symbols, masks = [each.symbols for each in groups], [each.mask for each in groups]
        self.runs: Runs = runs_among(symbols, lefts, rights, *limits, masks, allocate)
        self._files = [each for group in groups for each in group.files]
        self._places = np.array([place for group in groups for place in group.places], np.int64)
        ends = np.cumsum([len(each.symbols) + 1 for each in self._files])
        self._firsts = np.concatenate([[0], ends])  # symbol of each file, all groups in a row
        heads = np.cumsum([0, *(len(each.files) for each in groups)])
        self._heads = self._firsts[heads]  # symbol of each group

    def sides(self) -> tuple[Int64s, Int64s]:
        """Give file, start, end, first and last line of every run, of the left and of the right."""
        runs = self.runs
        firsts = np.concatenate([runs.left_firsts, runs.right_firsts]).astype(np.int64)
        groups = np.concatenate([owners[runs.pairs] for owners in self._owners])
        firsts += self._heads[groups]
        files = np.searchsorted(self._firsts, firsts, "right") - 1
        firsts -= self._firsts[files]
        lasts = firsts + np.concatenate([runs.lengths, runs.lengths]) - 1
        maps = [each.positions for each in self._files]
        starts, ends = spans_among(maps, files, firsts, lasts)
        table = np.column_stack([self._places[files], starts, ends, *self._lines(files, starts, ends)])
        return table[: len(runs.pairs)], table[len(runs.pairs) :]

    def _lines(self, files: Int64s, starts: Int64s, ends: Int64s) -> tuple[Int64s, Int64s]:
        """Give first and last line of spans of files; those of large files by themselves."""
        large = np.array([isinstance(each.lines, StreamedLines) for each in self._files], np.bool_)[files]
        lasts = np.maximum(ends, starts + 1) - 1
        if not large.any():
            return self._small_lines(files, starts, lasts)
        first, last = np.zeros(len(files), np.int64), np.zeros(len(files), np.int64)
        for file in distinct(files[large]).tolist():
            here = np.flatnonzero(files == file)
            both = self._files[file].line_numbers(np.concatenate([starts[here], lasts[here]]))
            first[here], last[here] = both[: len(here)], both[len(here) :]
        small = ~large
        first[small], last[small] = self._small_lines(files[small], starts[small], lasts[small])
        return first, last

    def _small_lines(self, files: Int64s, starts: Int64s, lasts: Int64s) -> tuple[Int64s, Int64s]:
        """Give the lines of the first and last byte of spans: all line starts in a row, 2**33 apart."""
        met, numbers = np.unique(files, return_inverse=True)
        columns = [np.asarray(self._files[file].lines) for file in met.tolist()]
        counts = np.array([len(each) for each in columns], np.int64)
        before = np.cumsum(counts) - counts
        row = np.concatenate([np.empty(0, np.int64), *columns])
        row += np.repeat(np.arange(len(met)) << 33, counts)
        base = numbers << 33
        first = np.searchsorted(row, base + starts, "right") - before[numbers]
        last = np.searchsorted(row, base + lasts, "right") - before[numbers]
        return first, last


def matched(
    groups: Sequence[JoinedFiles], problems: Iterable[Problem], count: int, allocate: Allocate | None = None
) -> RegionColumns:
    """Match pairs of groups, in one problem or several: k and t, numbers of the pairs, their sides.

    Regions of a pair come in the order of their files on the left, then of their starts; `lines` are those of
    the side where the regions touch more of them.
    """
    parts = [np.empty((0, 1 + WIDTH), np.int64)]
    for limits, pairs, lefts, rights in problems:
        found = MatchedGroups(groups, lefts, rights, limits, allocate)
        parts.append(np.column_stack([pairs[found.runs.pairs], found.runs.lengths, *found.sides()]))
    rows = np.concatenate(parts)
    rows = rows[np.lexsort((rows[:, 3 + SIDE], rows[:, 3], rows[:, 2], rows[:, 0]))]
    owners, table = rows[:, 0], rows[:, 1:]
    longest = np.zeros(count, np.int64)
    np.maximum.at(longest, owners, table[:, 0])
    lines = np.maximum(*(_touched(owners, table[:, at : at + SIDE], count) for at in (1, 1 + SIDE)))
    narrow = table.astype(np.uint32) if table.max(initial=0) < 2**32 else table.astype(np.uint64)
    return RegionColumns.of(longest, lines, np.bincount(owners, minlength=count), narrow)


def _touched(owners: Int64s, sides: Int64s, count: int) -> Int64s:
    """Count the distinct lines of all files that the sides of each owner touch."""
    files = int(sides[:, 0].max(initial=0)) + 1
    each = touched_lines(owners * files + sides[:, 0], sides[:, 3], sides[:, 4], count * files)
    total: Int64s = each.reshape(count, files).sum(axis=1)
    return total


def families(left: Sequence[str], right: Sequence[str]) -> Sequence[str]:
    """Give the families of symbols in which groups are matched, by those of their files: what both have.

    Two single files that differ are compared as bytes.
    """
    if len(left) == len(right) == 1:
        return left if left == right else ("bytes",)
    return sorted({*left} & {*right})


def files_in(
    files: Sequence[FiledDocument], family: str, channel: str
) -> list[tuple[int, FiledDocument, str]]:
    """Give the files of a group whose symbols are of a family: place, file and the kind to read it as."""
    kinds = [each.kind_in(channel) for each in files]
    own = [
        (place, each, kind)
        for place, (each, kind) in enumerate(zip(files, kinds, strict=True))
        if family_of(kind) == family
    ]
    return own or [(0, files[0], "bytes")]
