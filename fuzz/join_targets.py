"""Targets for the kernels that join: who shares a hash, and the pairs of those who do."""

from __future__ import annotations

import numpy as np
from taken import SMALL, Taken, same

from copysift.kernels import _join, _lists
from copysift.kernels.reference import join, lists


def fuzz_lists(data: bytes) -> None:
    """Lists of documents that share a shingle, and the pairs of them."""
    taken = Taken(data)
    most, documents = 2 + taken.number(20), 1 + taken.number(30)
    rows = taken.array(np.uint16)
    keys = np.sort(rows // 32).astype(np.uint64)
    docs = (rows % documents).astype(np.uint32)
    order = np.lexsort((docs, keys))
    moduli, sizes = np.ones(documents, np.uint32), np.zeros(documents, np.uint32)
    again = sizes.copy()
    ours = _lists.lists(keys[order], docs[order], moduli, most, sizes)
    same(ours, lists.lists(keys[order], docs[order], moduli, most, again))
    same(sizes, again)
    docs, (starts, counts, _, _, own) = docs[order], ours
    if len(rows) > 4 * SMALL:
        return
    own[1::3] = 0
    weights = np.arange(1, len(starts) + 1, dtype=np.uint32)
    for name, columns in (
        ("all_pairs", (docs, own, starts, counts, weights)),
        ("few_pairs", (docs, own, starts, counts)),
    ):
        same(getattr(_lists, name)(*columns), getattr(lists, name)(*columns))
    numbers = np.repeat(np.arange(len(starts), dtype=np.uint64), counts)
    places = np.concatenate([np.arange(each, dtype=np.uint32) for each in (0, *counts)])
    at = np.repeat(starts, counts) + places
    by_document = np.lexsort((numbers, docs[at]))
    columns = (
        ((docs[at].astype(np.uint64) << np.uint64(32)) | numbers)[by_document], places[by_document],
        docs * np.uint64(2) + own, starts, counts, weights,
    )  # fmt: skip
    same(_lists.long_pairs(*columns), lists.long_pairs(*columns))


def fuzz_alike(data: bytes) -> None:
    """Groups that are nearly the same, by any floor."""
    taken = Taken(data)
    groups = 1 + taken.number(15)
    first, last, most = taken.number(groups), taken.number(groups), taken.number(5)
    founded, least, lone = taken.number(16) / 2, taken.number(10) / 10, taken.number(3)
    rows = taken.array(np.uint16)[: 4 * SMALL]
    held = (rows[:, None] >> np.arange(groups) & 1).astype(bool)
    holders = np.nonzero(held)[1].astype(np.uint32)
    offsets = np.append(0, np.cumsum(held.sum(axis=1)))
    labels = np.arange(groups, dtype=np.uint32) // 5
    rarest = _join.rarest_first(offsets, holders, groups)
    same(rarest, join.rarest_first(offsets, holders, groups))
    order, *ranks = rarest
    weights, totals = 1 + (rows % 3).astype(np.float32), held.sum(axis=0) * 2.0
    sizes = held.sum(axis=0).astype(np.uint32) + np.uint32(lone)
    postings = (offsets, holders, *ranks, weights, totals)
    arguments = (first, last, postings, order, sizes, labels, labels * 0, founded, least, most)
    same(_join.alike(*arguments), join.alike(*arguments))


def fuzz_join(data: bytes) -> None:
    """Hashes that documents share, sorted, counted and turned."""
    taken = Taken(data)
    most, bits = 2 + taken.number(10), taken.number(6)
    rows = taken.array(np.uint16)
    hashes = (rows.astype(np.uint64) // 16) << np.uint64(50)
    groups = (rows % 16).astype(np.uint32)
    same(_join.partition(hashes, groups, bits), join.partition(hashes, groups, bits))
    ours, theirs = (hashes.copy(), groups.copy()), (hashes.copy(), groups.copy())
    _join.sort_pairs(*ours)
    join.sort_pairs(*theirs)
    same(list(ours), list(theirs))
    sizes, again = np.zeros(16, np.uint32), np.zeros(16, np.uint32)
    same(_join.shared_runs(*ours, most, sizes), join.shared_runs(*theirs, most, again))
    same(sizes, again)
