"""The few pairs of a shingle that very many documents have, part by part: the list is never held whole.

A part is the list's documents in some range of numbers. What the parts say of themselves is put together,
then each part gives its own pairs: all of them are those of `kernels.lists.few_pairs` for the whole list.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from copysift.kernels.reference.shingle import ALL_BITS, MIX, SEED, finish
from copysift.runtime.arrays import distinct

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Int64s = NDArray[np.int64]
    Bools = NDArray[np.bool_]
    UInt64s = NDArray[np.uint64]

LEADS = 8
NONE = 1 << 32  # no document: after all others


class Part(NamedTuple):
    """What the list must know of a part; a marked document is its number · 2, + 1 if it is an owner.

    An owner is a document that has the shingle in its own sample.
    """

    size: int
    total: int  # sum of the documents, mixed, modulo 2^64
    owner: int  # the first one, or NONE
    last: int  # marked
    leads: tuple[int, ...]  # the first few, marked


class Look(NamedTuple):
    """What a part must know of its list before it gives pairs."""

    size: int
    head: int
    owner: int
    lead: int  # marked
    before: int  # the document before the part, marked; 2 · NONE if there is none


def summary(docs: Int64s, own: Bools) -> Part:
    """Sum up a part that is not empty, in order of its documents."""
    mixed = (docs.astype(np.uint64) ^ np.uint64(SEED)) * np.uint64(MIX)
    mixed ^= mixed >> np.uint64(32)
    marked = docs << 1 | own
    owner = int(docs[np.argmax(own)]) if own.any() else NONE
    return Part(len(docs), int(mixed.sum()), owner, int(marked[-1]), tuple(marked[:LEADS].tolist()))


def looks(parts: Sequence[Part]) -> list[Look]:
    """Put the parts of a list together, which come in order; none without an owner, or of one document."""
    size = sum(part.size for part in parts)
    owner = min(part.owner for part in parts)
    if owner == NONE or size < 2:
        return []
    leads = list(islice((lead for part in parts for lead in part.leads), LEADS))
    lead = leads[finish(sum(part.total for part in parts) & ALL_BITS) % len(leads)]
    before = [2 * NONE, *(part.last for part in parts[:-1])]
    return [Look(size, leads[0] >> 1, owner, lead, each) for each in before]


def few_pairs(docs: Int64s, own: Bools, look: Look) -> UInt64s:
    """Give the pairs of a part with the first owner, with the document before, and with the leading one."""
    before = np.concatenate([[look.before >> 1], docs[:-1]])
    either = own | np.concatenate([[bool(look.before & 1)], own[:-1]])
    some = docs != look.owner
    near = (before != NONE) & (before != look.owner) & some & either
    lead = look.lead >> 1
    led = (docs != lead) & (own | bool(look.lead & 1)) & (lead != look.owner)
    return distinct(
        np.concatenate(
            [_pairs(look.owner, docs[some]), _pairs(before[near], docs[near]), _pairs(lead, docs[led])]
        )
    )


def _pairs(one: Int64s | int, other: Int64s) -> UInt64s:
    left, right = np.minimum(one, other), np.maximum(one, other)
    return np.asarray(left.astype(np.uint64) << np.uint64(32) | right.astype(np.uint64))
