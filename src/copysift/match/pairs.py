"""Reported pairs as a sequence that makes them when they are wanted.

A class of thousands whose programs are similar has millions of pairs above a low threshold. As columns they
take some forty bytes each; as objects they would take ten times that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from copysift.kinds.kind import CODE, TEXT, family
from copysift.match.counts import EVERY, TOKENS, PairColumns, PairRows
from copysift.match.intervals import Estimates, samplings
from copysift.model.regions import UNKNOWN, RegionColumns
from copysift.model.values import Group, Pair, Region
from copysift.runtime.plurals import plural

AT_ONCE = 4096  # pairs that are made together when all are asked for


def channel_name(left: str, right: str) -> str:
    """Name the channel of two documents that were compared as texts: words or bytes where both are such."""
    same = family(left) if family(left) == family(right) else TEXT
    return TEXT if same in (CODE, "mixed", "") else same


class Pairs(Sequence[Pair]):
    """Pairs in the order of their columns, after some that are there already.

    Documents with the same number in `twins` are equal. `regions` are those of the first pairs, or of all;
    `files` gives the names of the files of a document. `settings`, those that the pairs were measured with,
    give their intervals.
    """

    def __init__(
        self,
        documents: tuple[Group, ...],
        columns: PairRows,
        twins: Sequence[int] = (),
        first: tuple[Pair, ...] = (),
        regions: RegionColumns | None = None,
        files: Callable[[int], Sequence[str]] | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        self._documents, self._columns, self._twins, self._first = documents, columns, twins, first
        self._regions, self._files = regions, files or (lambda number: (documents[number].name,))
        self._samplings = samplings(settings) if settings else None

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
        return f"<{plural(len(self), 'pair')}>"

    def equal(self) -> int:
        """Count the pairs of equal ones, without making them."""
        twins = np.asarray(self._twins, np.int64)
        batches = self._columns.batches() if len(twins) else ()
        same = sum(np.count_nonzero(twins[each.left] == twins[each.right]) for each in batches)
        return sum(pair.equal for pair in self._first) + int(same)

    def _made(self, numbers: range) -> Iterator[Pair]:
        if numbers.step < 0:
            return iter([*self._made(numbers[::-1])][::-1])
        there = len(self._first)
        ready = (self._first[number] for number in numbers if number < there)
        return chain(ready, self._of([number - there for number in numbers if number >= there]))

    def _of(self, numbers: list[int]) -> Iterator[Pair]:
        if not numbers:
            return
        columns = self._columns.rows(numbers[0], numbers[-1] + 1)
        if len(columns) > len(numbers):
            columns = columns.take(np.array(numbers, np.int64) - numbers[0])
        rows = zip(
            columns.left.tolist(),
            columns.right.tolist(),
            columns.similarity.tolist(),
            columns.resemblance.tolist(),
            columns.containment_left.tolist(),
            columns.containment_right.tolist(),
            columns.shared.tolist(),
            *self._matches(np.array(numbers, np.int64), columns),
            columns.channel.tolist(),
            columns.sif.tolist(),
            strict=True,
        )
        names, twins = self._documents, self._twins
        estimated = None if self._samplings is None else Estimates(self._samplings, columns)
        for left, right, likeness, r, of_left, of_right, shared, most, touched, regions, channel, sif in rows:
            one, other = names[left], names[right]
            same = bool(twins) and twins[left] == twins[right]
            how = CODE if channel & TOKENS else channel_name(one.kind, other.kind)
            near = None if estimated is None else estimated.next(how, (one.fingerprints, other.fingerprints))
            yield Pair(
                one.name, other.name, same, likeness, r, of_left, of_right, shared, most, touched, regions,
                how, intervals=None if same or channel & EVERY else near, sif=None if sif < 0 else sif,
            )  # fmt: skip

    def _matches(
        self, numbers: NDArray[np.int64], columns: PairColumns
    ) -> tuple[list[int | None], list[int | None], Iterable[tuple[Region, ...] | None]]:
        """Give the longest match of every pair, the lines of its matches, and the regions."""
        longest, lines = columns.longest, columns.lines
        if self._regions is None:
            return _known(longest), _known(lines), [None] * len(numbers)
        there = numbers < len(self._regions)
        found = self._regions.take(numbers[there])
        longest = np.concatenate([found.longest, longest[~there]])
        lines = np.concatenate([found.lines, lines[~there]])
        sides = (columns.left[there].tolist(), columns.right[there].tolist())
        files = [(self._files(left), self._files(right)) for left, right in zip(*sides, strict=True)]
        made = found.made(files)
        return _known(longest), _known(lines), (next(made) if each else None for each in there.tolist())


def _known(values: NDArray[Any]) -> list[int | None]:
    return [None if value == UNKNOWN else value for value in values.tolist()]
