"""Find every place of the passages that two groups share: one is matched once, but may be there often."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from copysift.kinds.kind import family as family_of
from copysift.match.exact import runs_among
from copysift.model.explanation import Occurrence
from copysift.model.values import Region, Side
from copysift.workflows.group_matches import JoinedFiles, families
from copysift.workflows.matches import Exact

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from copysift.model.values import Symbols

    UInt8s = NDArray[np.uint8]

MOST = 16  # rounds of matching, each of which finds a passage once more
LARGEST = 1 << 20  # symbols of a side; in longer ones only the matches themselves are shown


def occurrences(
    exact: Exact, left: int, right: int, channel: str, regions: Sequence[Region]
) -> tuple[tuple[Occurrence, ...], tuple[Occurrence, ...]]:
    """Give the other occurrences of the regions of two groups, of the left and of the right."""
    if not regions:
        return (), ()
    found: tuple[list[Occurrence], list[Occurrence]] = ([], [])
    files = [exact.files(group) for group in (left, right)]
    kinds = [tuple(family_of(each.kind_in(channel)) for each in some) for some in files]
    for family in families(kinds[0], kinds[1]):
        made = [exact.joined(some, family, channel) for some in files]
        if made[0] is None or made[1] is None:
            continue
        rows = [
            _Row(each[0], exact.names(group)) for each, group in zip(made, (left, right), strict=True) if each
        ]
        if max(len(row.symbols) for row in rows) > LARGEST:
            continue
        limits = made[0][1]
        sides = [
            [(at, side) for at, each in enumerate(regions) for side in _side(each, number, rows[number])]
            for number in (0, 1)
        ]
        for number in (0, 1):
            found[number].extend(
                _further(rows[1 - number], rows[number], sides[1 - number], sides[number], limits)
            )
    return tuple(found[0]), tuple(found[1])


def _side(region: Region, number: int, row: _Row) -> Iterator[tuple[int, int]]:
    """Give the symbols of one side of a region, half-open; nothing if it is not in the row."""
    side = (region.left, region.right)[number]
    span = row.symbols_of(side)
    if span is not None:
        yield span


class _Row:
    """Files of a group in a row of symbols."""

    def __init__(self, joined: JoinedFiles, names: Sequence[str]) -> None:
        self.symbols = joined.symbols
        self.mask = np.zeros(len(self.symbols), np.uint8) if joined.mask is None else joined.mask
        self._files = joined.files
        self._names = [names[place] for place in joined.places]
        ends = np.cumsum([len(each.symbols) + 1 for each in self._files])
        self._firsts = np.concatenate([[0], ends])

    def symbols_of(self, side: Side) -> tuple[int, int] | None:
        """Give the symbols of a span of a file, half-open."""
        if side.file not in self._names:
            return None
        at = self._names.index(side.file)
        count = len(self._files[at].symbols)
        every = np.arange(count)
        starts, ends = self._files[at].positions.spans(every, every)
        first = int(np.searchsorted(starts, side.start))
        last = int(np.searchsorted(ends, side.end, "right"))
        base = int(self._firsts[at])
        return (base + first, base + last) if first < last else None

    def place(self, region: int, first: int, last: int) -> Occurrence:
        """Give where the symbols `first` to `last`, half-open, are."""
        at = int(np.searchsorted(self._firsts, first, "right")) - 1
        base, file = int(self._firsts[at]), self._files[at]
        starts, ends = file.positions.spans(np.array([first - base]), np.array([last - base - 1]))
        start, end = int(starts[0]), int(ends[0])
        lines = file.line_numbers(np.array([start, max(start, end - 1)])).tolist()
        return Occurrence(region, self._names[at], start, end, *lines)


def _further(
    one: _Row,
    other: _Row,
    known: list[tuple[int, tuple[int, int]]],
    taken: list[tuple[int, tuple[int, int]]],
    limits: tuple[int, int],
) -> Iterator[Occurrence]:
    """Give the places on the other side where passages of this side are once more.

    Whole passages first, the longest before the others; then, in rounds, parts of them: what is not marked
    yet on the other side is matched with the passages of this one.
    """
    owner = np.full(len(one.symbols), -1, np.int64)
    for number, (first, last) in known:
        owner[first:last] = number
    outside = ((owner < 0) | (one.mask != 0)).astype(np.uint8)
    mask = other.mask.copy()
    for _, (first, last) in taken:
        mask[first:last] = 1
    for number, (first, last) in sorted(known, key=lambda each: (each[1][0] - each[1][1], each[0])):
        for place in _equal_runs(one.symbols[first:last], other.symbols, mask):
            mask[place : place + last - first] = 1
            yield other.place(number, place, place + last - first)
    zero, second = np.zeros(1, np.int64), np.ones(1, np.int64)
    for _ in range(MOST):
        runs = runs_among([one.symbols, other.symbols], zero, second, *limits, [outside, mask])
        if not len(runs.lengths):
            return
        rows = (runs.left_firsts.tolist(), runs.right_firsts.tolist(), runs.lengths.tolist())
        for here, there, length in zip(*rows, strict=True):
            mask[there : there + length] = 1
            numbers, counts = np.unique(owner[here : here + length], return_counts=True)
            yield other.place(int(numbers[np.argmax(counts)]), there, there + length)


def _equal_runs(wanted: Symbols, row: Symbols, mask: UInt8s) -> Iterator[int]:
    """Give the places of a run of symbols in a row, one behind the other, where nothing is masked."""
    width = 8  # bytes
    needle, hay = (each.astype(np.uint64).tobytes() for each in (wanted, row))
    at = hay.find(needle)
    while at >= 0:
        place, rest = divmod(at, width)
        if rest or mask[place : place + len(wanted)].any():
            at = hay.find(needle, at + 1)
        else:
            yield place
            at = hay.find(needle, at + len(needle))
