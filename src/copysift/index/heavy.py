"""The few pairs of a shingle that very many documents have, from a stream: the list is never held.

The same pairs as `kernels.shingle.few_pairs` gives of a list in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from copysift.kernels.reference.shingle import _SEED, _finish, _mix

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Int64s = NDArray[np.int64]
    UInt64s = NDArray[np.uint64]

Entry = tuple["Int64s", "Int64s"]  # documents, ascending, and how many shingles they have
Stream = Callable[[], Iterator[Entry]]
Own = Callable[["Int64s"], "NDArray[np.bool_]"]  # sizes → whether the shingle is of the own sample
LEADS = 8


@dataclass(frozen=True, slots=True)
class Look:
    """What must be known of a list before its pairs: its documents from, with, and chosen to lead."""

    head: int
    first: int
    first_at: int
    lead: int
    lead_at: int
    lead_own: bool


def look(stream: Stream, own: Own) -> Look | None:
    """Read a list once; None when no document has the shingle in its own sample."""
    value, length, first, first_at = _SEED, 0, -1, -1
    leads: list[tuple[int, bool]] = []
    for docs, sizes in stream():
        mine = own(sizes)
        if first < 0 and mine.any():
            first_at, first = length + int(np.argmax(mine)), int(docs[np.argmax(mine)])
        if len(leads) < LEADS:
            leads += zip(docs[:LEADS].tolist(), mine[:LEADS].tolist(), strict=True)
        for doc in docs.tolist():
            value = _mix(value, doc)
        length += len(docs)
    if first < 0 or length < 2:
        return None
    at = _finish(value) % min(length, LEADS)
    return Look(leads[0][0], first, first_at, leads[at][0], at, leads[at][1])


def few_pairs(stream: Stream, own: Own, seen: Look) -> Iterator[UInt64s]:
    """Read a list again and give pairs with its first owner, the one before, and the leading one."""
    at, last, last_own = 0, -1, False
    for docs, sizes in stream():
        mine = own(sizes)
        place = np.arange(at, at + len(docs))
        before = np.concatenate([[last], docs[:-1]])
        before_own = np.concatenate([[last_own], mine[:-1]])
        some = place != seen.first_at
        near = (place > 0) & some & (place - 1 != seen.first_at) & (mine | before_own)
        led = (place != seen.lead_at) & (mine | seen.lead_own) & (seen.first_at != seen.lead_at)
        yield np.unique(
            np.concatenate(
                [
                    _packed(np.full(np.count_nonzero(some), seen.first), docs[some]),
                    _packed(before[near], docs[near]),
                    _packed(np.full(np.count_nonzero(led), seen.lead), docs[led]),
                ]
            )
        )
        at, last, last_own = at + len(docs), int(docs[-1]), bool(mine[-1])


def _packed(one: Int64s, other: Int64s) -> UInt64s:
    left, right = np.minimum(one, other).astype(np.uint64), np.maximum(one, other).astype(np.uint64)
    return left << np.uint64(32) | right
