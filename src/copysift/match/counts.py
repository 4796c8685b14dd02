"""What a run counted, as columns: documents, their pairs and their equal sets.

This is all that a threshold needs, so a saved run can be asked again without its files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace

import numpy as np
from numpy.typing import NDArray

from copysift.join.rows import Postings
from copysift.match.measures import shares
from copysift.model.values import Group, Ignored, Skipped, Submission

Numbers = NDArray[np.uint32] | NDArray[np.int32] | NDArray[np.int64]
Shares = NDArray[np.float64]
UNKNOWN = -1  # for `longest` and `lines` of a pair that was not matched exactly


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
    channel: NDArray[np.uint8]  # 0: as texts; 1: by the tokens of programs

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
            shares(shared, m), unknown, unknown, np.zeros(len(left), np.uint8),
        )  # fmt: skip

    @classmethod
    def best(cls, parts: Sequence[PairColumns]) -> PairColumns:
        """Give every pair of several lists once, in order, from the list in which it is most similar."""
        held = [part for part in parts if len(part)]
        if len(held) < 2:  # one list has every pair once
            return (held or parts)[0]
        columns = [np.concatenate([getattr(part, each.name) for part in held]) for each in fields(cls)]
        every = cls(*columns)
        order = np.lexsort((every.channel, -every.similarity, every.right, every.left))
        left, right = every.left[order], every.right[order]
        first = np.ones(len(order), np.bool_)
        first[1:] = (left[1:] != left[:-1]) | (right[1:] != right[:-1])
        return every.take(order[first])

    def __len__(self) -> int:
        return len(self.left)

    def take(self, which: NDArray[np.int64] | NDArray[np.bool_]) -> PairColumns:
        """Give some of the pairs, in the order asked for."""
        return PairColumns(*(getattr(self, each.name)[which] for each in fields(self)))

    def matched(self, longest: NDArray[np.int64], lines: NDArray[np.int64]) -> PairColumns:
        """Put in what the exact matches of the first pairs, or of all, tell."""
        known = len(longest)
        return replace(
            self,
            longest=np.concatenate([longest, self.longest[known:]]),
            lines=np.concatenate([lines, self.lines[known:]]),
        )

    def measure(self, name: str) -> Shares:
        """Give the column that ranks pairs; containment is the larger of the two."""
        if name == "containment":
            return np.maximum(self.containment_left, self.containment_right)
        column: Shares = np.asarray(getattr(self, name.replace("-", "_")), dtype=np.float64)
        return column


@dataclass(frozen=True, slots=True)
class Counts:
    """A run as it was counted, before any threshold; `equal` are sets of document numbers."""

    documents: tuple[Group, ...]
    pairs: PairColumns
    equal: tuple[tuple[int, ...], ...]
    ignored: tuple[Ignored, ...]
    ignored_count: int
    skipped: tuple[Skipped, ...]
    floor: float
    # Of submissions: their files, where a document above is a group of them; equal groups by the same number.
    files: tuple[Group, ...] | None = None
    twins: tuple[int, ...] = ()
    submissions: tuple[Submission, ...] = ()
    settings: Mapping[str, object] = field(default_factory=dict)  # of a run that was read back
    notes: tuple[str, ...] = ()  # what the answer may lack although nothing was skipped
