"""What a run counted, as columns: documents, their pairs and their equal sets.

This is all that a threshold needs, so a saved run can be queried again without its files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, fields, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from copysift.join.rows import Postings
from copysift.match.measures import shares
from copysift.model.regions import UNKNOWN
from copysift.model.values import Group, Ignored, Skipped, Submission
from copysift.runtime.lazy_dataclass import dataclass

Numbers = NDArray[np.uint32] | NDArray[np.int32] | NDArray[np.int64]
Shares = NDArray[np.float64]
TOKENS, EVERY = 1, 2  # compared by the tokens of programs, not as texts; by every k-gram, not by fingerprints


@dataclass(frozen=True, slots=True)
class PairColumns:
    """Pairs of documents by number, left before right; equal files take part by their first."""

    left: Numbers
    right: Numbers
    shared: Numbers
    similarity: Shares
    resemblance: Shares
    containment_left: Shares
    containment_right: Shares
    longest: Numbers
    lines: Numbers
    channel: NDArray[np.uint8]  # what decided: bits of TOKENS and EVERY
    place: Numbers  # the number of a pair among those with known regions, or UNKNOWN
    sif: Shares  # occurrences in the right one of what the left one has, by its own; below 0 if not counted

    @classmethod
    def counted(
        cls, left: Numbers, right: Numbers, shared: Numbers, similarity: Shares, postings: Postings
    ) -> PairColumns:
        """Give the measures of pairs from what they share (match/measures.py has the formulas)."""
        n, m = postings.sizes[left], postings.sizes[right]
        either = n + m
        either -= shared
        unknown = np.broadcast_to(np.int32(UNKNOWN), len(left))  # takes no room
        return cls(
            left, right, shared, similarity, shares(shared, either), shares(shared, n),
            shares(shared, m), unknown, unknown, np.zeros(len(left), np.uint8), unknown,
            uncounted(len(left)),
        )  # fmt: skip

    @classmethod
    def between(cls, left: Numbers, right: Numbers, channel: NDArray[np.uint8]) -> PairColumns:
        """Give pairs of which nothing is known."""
        nothing = np.broadcast_to(np.float64(0), len(left))
        unknown = np.broadcast_to(np.int32(UNKNOWN), len(left))
        return cls(
            left,
            right,
            unknown,
            nothing,
            nothing,
            nothing,
            nothing,
            unknown,
            unknown,
            channel,
            unknown,
            uncounted(len(left)),
        )

    @classmethod
    def best(cls, parts: Sequence[PairColumns]) -> PairColumns:
        """Give every pair of several lists once, in order, from the list in which it is most similar."""
        held = [part for part in parts if len(part)]
        if len(held) < 2:  # one list has every pair once
            return (held or parts)[0]
        every = cls.together(held)
        order = np.lexsort((every.channel, -every.similarity, every.right, every.left))
        left, right = every.left[order], every.right[order]
        first = np.ones(len(order), np.bool_)
        first[1:] = (left[1:] != left[:-1]) | (right[1:] != right[:-1])
        return every.take(order[first])

    @classmethod
    def together(cls, parts: Sequence[PairColumns]) -> PairColumns:
        """Give the pairs of several lists, one list behind the other."""
        if len(parts) == 1:
            return parts[0]
        return cls(*(_joined([getattr(part, each.name) for part in parts]) for each in fields(cls)))

    @classmethod
    def none(cls) -> PairColumns:
        """Give no pairs."""
        sides, rest = np.empty(0, np.uint32), np.empty(0, np.float64)
        unknown = np.empty(0, np.int64)
        return cls(
            sides,
            sides,
            sides,
            rest,
            rest,
            rest,
            rest,
            unknown,
            unknown,
            np.empty(0, np.uint8),
            unknown,
            rest,
        )

    def __len__(self) -> int:
        return len(self.left)

    def take(self, which: NDArray[np.int64] | NDArray[np.bool_] | slice) -> PairColumns:
        """Give some of the pairs, in the order given."""
        left = self.left[which]
        rest = (_some(getattr(self, each.name), which, len(left)) for each in fields(self)[1:])
        return PairColumns(left, *rest)

    def before(self, row: int) -> PairColumns:
        """Give the pairs whose left document is before a number; they are in order of it."""
        end = int(np.searchsorted(self.left, row))
        return self if end == len(self) else self.take(slice(end))

    def rows(self, first: int, last: int) -> PairColumns:
        """Give the pairs first .. last - 1."""
        return self.take(slice(first, last))

    def batches(self) -> Iterator[PairColumns]:
        """Give all pairs, at once."""
        yield self

    def matched(self, longest: Numbers, lines: Numbers, place: Numbers) -> PairColumns:
        """Put in what the exact matches found, and the places of their regions."""
        return replace(self, longest=longest, lines=lines, place=place)

    def measure(self, name: str) -> Shares:
        """Give the column that ranks pairs; containment is the larger of the two."""
        if name == "containment":
            return np.maximum(self.containment_left, self.containment_right)
        if name == "sif":  # equal files have what they have as often
            return np.where(self.sif < 0, self.containment_left, self.sif)
        column: Shares = np.asarray(getattr(self, name.replace("-", "_")), dtype=np.float64)
        return column


def uncounted(count: int) -> Shares:
    """Give a column of pairs whose occurrences are not counted; it takes no space."""
    return np.broadcast_to(np.float64(-1), count)


class PairRows(Protocol):
    """Pairs, in memory or not."""

    def __len__(self) -> int: ...

    def rows(self, first: int, last: int) -> PairColumns:
        """Give the pairs first .. last - 1 of their order."""

    def batches(self) -> Iterator[PairColumns]:
        """Give all pairs, as many at a time as memory has space for; their order may be another."""


@dataclass(frozen=True, slots=True)
class Counts:
    """A run as it was counted, before any threshold; `equal` are sets of document numbers."""

    documents: tuple[Group, ...]
    pairs: PairRows
    equal: tuple[tuple[int, ...], ...]
    ignored: tuple[Ignored, ...]
    ignored_count: int
    skipped: tuple[Skipped, ...]
    floor: float
    # Of submissions: their files, where a document above is a group of them; equal groups by the same number.
    files: tuple[Group, ...] | None = None
    twins: tuple[int, ...] = ()
    submissions: tuple[Submission, ...] = ()
    near_copies: tuple[int, ...] = ()  # documents of which only some pairs are known
    settings: Mapping[str, object] = field(default_factory=dict)  # of a run that was read back
    notes: tuple[str, ...] = ()  # what the answer may lack although nothing was skipped


def _some(column: NDArray[Any], which: NDArray[Any] | slice, count: int) -> NDArray[Any]:
    """Give some values of a column; one that is a single value takes no space."""
    if column.strides == (0,) and len(column):
        return np.broadcast_to(column[0], count)
    return np.asarray(column[which])


def _joined(columns: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Give columns one behind the other; one that is a single value takes no space."""
    some = [each for each in columns if len(each)] or columns[:1]
    if all(each.strides == (0,) and len(each) and each[0] == some[0][0] for each in some):
        return np.broadcast_to(some[0][0], sum(map(len, some)))
    return np.concatenate(some)
