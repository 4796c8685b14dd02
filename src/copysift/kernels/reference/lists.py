"""Lists of documents that share a hash, and their pairs, in plain Python: the definition of `_lists`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from copysift.kernels.reference.shingle import ALL_BITS, SEED, finish, mix

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]
    Int64s = NDArray[np.int64]
    UInt32s = NDArray[np.uint32]
    UInt64s = NDArray[np.uint64]


def lists(
    hashes: UInt64s, docs: UInt32s, moduli: UInt32s, most: int, sizes: UInt32s
) -> tuple[Int64s, Int64s, NDArray[np.bool_], UInt64s, Bytes]:
    """Find who shares a hash in sorted entries: starts, lengths, common, digests, own."""
    if len(docs) != len(hashes) or len(sizes) != len(moduli):
        raise ValueError("columns of different lengths")
    if not all(moduli):
        raise ValueError("a modulus of 0")
    own = np.array(
        [h % int(moduli[d]) == 0 for h, d in zip(hashes.tolist(), docs.tolist(), strict=True)], np.uint8
    )
    rows: list[tuple[int, int, bool, int]] = []
    start = 0
    while start < len(hashes):
        end = start
        while end < len(hashes) and hashes[end] == hashes[start]:
            end += 1
        common = end - start > most
        if end - start > 1 and own[start:end].any():
            value = SEED
            for doc, mine in zip(docs[start:end].tolist(), own[start:end].tolist(), strict=True):
                value = mix(value, doc << 1 | mine)
            rows.append((start, end - start, common, finish(value)))
        if not common:
            np.add.at(sizes, docs[start:end], own[start:end])
        start = end
    return (
        np.array([row[0] for row in rows], np.int64),
        np.array([row[1] for row in rows], np.int64),
        np.array([row[2] for row in rows], np.bool_),
        np.array([row[3] for row in rows], np.uint64),
        own,
    )


def all_pairs(
    docs: UInt32s, own: Bytes, starts: Int64s, lengths: Int64s, weights: UInt32s
) -> tuple[UInt64s, UInt32s]:
    """Give the pairs of documents of each list as left << 32 | right, with the weight of the list."""
    _check(docs, own, starts, lengths)
    pairs, counts = [], []
    for start, length, weight in zip(starts.tolist(), lengths.tolist(), weights.tolist(), strict=True):
        for i in range(start, start + length):
            for j in range(i + 1, start + length):
                if own[i] or own[j]:
                    pairs.append(_pair(int(docs[i]), int(docs[j])))
                    counts.append(weight)
    return np.array(pairs, np.uint64), np.array(counts, np.uint32)


def few_pairs(docs: UInt32s, own: Bytes, starts: Int64s, lengths: Int64s) -> UInt64s:
    """Give of each common list the pairs with its first owner, the one before, and one of the first few."""
    _check(docs, own, starts, lengths)
    pairs = []
    for start, length in zip(starts.tolist(), lengths.tolist(), strict=True):
        if not length:
            continue
        first = next((at for at in range(start, start + length) if own[at]), start + length - 1)
        total = sum(mix(SEED, doc) for doc in docs[start : start + length].tolist())
        lead = start + finish(total & ALL_BITS) % min(length, 8)
        for at in range(start, start + length):
            if at != first:
                pairs.append(_pair(int(docs[first]), int(docs[at])))
            if at > start and first not in (at - 1, at) and (own[at] or own[at - 1]):
                pairs.append(_pair(int(docs[at - 1]), int(docs[at])))
            if first != lead != at and (own[at] or own[lead]):
                pairs.append(_pair(int(docs[lead]), int(docs[at])))
    return np.array(pairs, np.uint64)


def _check(docs: UInt32s, own: Bytes, starts: Int64s, lengths: Int64s) -> None:
    if len(docs) != len(own) or len(starts) != len(lengths):
        raise ValueError("columns of different lengths")
    if any(
        min(each) < 0 or sum(each) > len(docs) for each in zip(starts.tolist(), lengths.tolist(), strict=True)
    ):
        raise IndexError("outside of the entries")


def _pair(a: int, b: int) -> int:
    return min(a, b) << 32 | max(a, b)


def long_pairs(
    keys: UInt64s, places: UInt32s, members: UInt64s, starts: Int64s, lengths: Int64s, weights: UInt32s
) -> tuple[UInt64s, UInt32s]:
    """Give the pairs (left << 32 | right) of postings with what follows in their lists, their weights summed.

    A posting is document << 32 | list and a place in the list. A member of a list is its document · 2, + 1 if
    it owns the hash, which one of a pair must.
    """
    found: dict[int, int] = {}
    for key, place in zip(keys.tolist(), places.tolist(), strict=True):
        document, number = key >> 32, key & 0xFFFFFFFF
        if number >= len(lengths) or place >= lengths[number] or starts[number] < 0:
            raise IndexError("no such place")
        if starts[number] + lengths[number] > len(members):
            raise IndexError("outside of the members")
        every = members[starts[number] :][: lengths[number]].tolist()
        for member in every[place + 1 :]:
            if (every[place] | member) & 1:
                pair = document << 32 | member >> 1
                found[pair] = found.get(pair, 0) + int(weights[number])
    return np.array(list(found), np.uint64), np.array(list(found.values()), np.uint32)
