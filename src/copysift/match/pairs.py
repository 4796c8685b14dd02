"""Reported pairs as a sequence that makes them when they are asked for.

A class of thousands whose programs are alike has millions of pairs above a low threshold. As columns they
take some forty bytes each; as objects they would take ten times that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import overload

import numpy as np
from numpy.typing import NDArray

from copysift.kinds.kind import CODE, TEXT, family
from copysift.match.counts import UNKNOWN, PairColumns
from copysift.model.regions import RegionColumns
from copysift.model.values import Group, Pair, Region

AT_ONCE = 4096  # pairs that are made together when all are asked for


def channel_name(left: str, right: str) -> str:
    """Name the channel of two documents that were compared as texts: words or bytes where both are such."""
    same = family(left) if family(left) == family(right) else TEXT
    return TEXT if same in (CODE, "mixed", "") else same


class Pairs(Sequence[Pair]):
    """Pairs in the order of their columns, after some that are there already.

    Documents with the same number in `twins` are equal. `regions` are those of the first pairs, or of all;
    `files` gives the names of the files of a document.
    """

    def __init__(
        self,
        documents: tuple[Group, ...],
        columns: PairColumns,
        twins: Sequence[int] = (),
        first: tuple[Pair, ...] = (),
        regions: RegionColumns | None = None,
        files: Callable[[int], Sequence[str]] | None = None,
    ) -> None:
        self._documents, self._columns, self._twins, self._first = documents, columns, twins, first
        self._regions, self._files = regions, files or (lambda number: (documents[number].name,))

    def __len__(self) -> int:
        return len(self._first) + len(self._columns)

    @overload
    def __getitem__(self, which: int) -> Pair: ...

    @overload
    def __getitem__(self, which: slice) -> tuple[Pair, ...]: ...

    def __getitem__(self, which: int | slice) -> Pair | tuple[Pair, ...]:
        numbers = range(len(self))[which]
        if isinstance(numbers, int):
            return next(self._made(range(numbers, numbers + 1)))
        return tuple(self._made(numbers))

    def __iter__(self) -> Iterator[Pair]:
        for start in range(0, len(self), AT_ONCE):
            yield from self._made(range(start, min(start + AT_ONCE, len(self))))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or isinstance(other, str):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]  # as a list: it is compared by what is in it

    def __repr__(self) -> str:
        return f"<{len(self):,} pairs>"

    def equal(self) -> int:
        """Count the pairs of equal ones, without making them."""
        twins = np.asarray(self._twins, np.int64)
        same = np.count_nonzero(twins[self._columns.left] == twins[self._columns.right]) if len(twins) else 0
        return sum(pair.equal for pair in self._first) + int(same)

    def _made(self, numbers: range) -> Iterator[Pair]:
        there = len(self._first)
        ready = [number for number in numbers if number < there]
        rows = np.array([number - there for number in numbers if number >= there], np.int64)
        made = self._of(rows) if len(rows) else iter(())
        both = chain((self._first[number] for number in ready), made)
        return both if not numbers or numbers.step > 0 else iter([*made, *(self._first[n] for n in ready)])

    def _of(self, numbers: NDArray[np.int64]) -> Iterator[Pair]:
        columns = self._columns.take(numbers)
        longest = [None if value == UNKNOWN else value for value in columns.longest.tolist()]
        lines = [None if value == UNKNOWN else value for value in columns.lines.tolist()]
        rows = zip(
            columns.left.tolist(),
            columns.right.tolist(),
            columns.similarity.tolist(),
            columns.resemblance.tolist(),
            columns.containment_left.tolist(),
            columns.containment_right.tolist(),
            columns.shared.tolist(),
            longest,
            lines,
            self._regions_of(numbers, columns),
            columns.channel.tolist(),
            strict=True,
        )
        names, twins = self._documents, self._twins
        for left, right, likeness, r, of_left, of_right, shared, most, touched, regions, channel in rows:
            same = bool(twins) and twins[left] == twins[right]
            how = CODE if channel else channel_name(names[left].kind, names[right].kind)
            yield Pair(
                names[left].name, names[right].name, same, likeness, r, of_left, of_right, shared, most,
                touched, regions, how,
            )  # fmt: skip

    def _regions_of(
        self, numbers: NDArray[np.int64], columns: PairColumns
    ) -> Iterable[tuple[Region, ...] | None]:
        if self._regions is None:
            return [None] * len(numbers)
        known = numbers < len(self._regions)
        sides = (columns.left[known].tolist(), columns.right[known].tolist())
        files = [(self._files(left), self._files(right)) for left, right in zip(*sides, strict=True)]
        made = self._regions.take(numbers[known]).made(files)
        return (next(made) if each else None for each in known.tolist())
