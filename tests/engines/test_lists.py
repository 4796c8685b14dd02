"""Who shares a shingle: lists, the pairs of lists, and which pairs may reach a floor, beside brute force."""

from collections import Counter
from itertools import combinations, pairwise

import numpy as np
import pytest

from copysift.join import lists


def entries(seed: int):
    """Give shingles of documents in order of documents, some of them in many."""
    random = np.random.default_rng(seed)
    rows = sorted({(int(doc), int(value)) for doc, value in random.integers(0, (12, 30), (150, 2))})
    docs, hashes = (np.array(column) for column in zip(*rows, strict=True))
    return rows, hashes.astype(np.uint64), docs.astype(np.uint32)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("chunk", [1, 5, lists.CHUNK])
def test_pairs_share_what_they_have_in_common_but_for_the_common(seed, chunk):
    rows, hashes, docs = entries(seed)
    holders = {value: [doc for doc, each in rows if each == value] for _, value in rows}
    sizes = np.zeros(12, np.uint32)
    scrambled, parted, bounds = lists.partition(hashes, docs, 0)
    assert bounds.tolist() == [0, len(rows)]
    found = lists.lists_of(scrambled, parted, np.ones(12, np.uint32), 6, sizes)
    rare = {value: held for value, held in holders.items() if len(held) <= 6}
    shared = Counter(pair for held in rare.values() for pair in combinations(held, 2))
    told: Counter[tuple[int, int]] = Counter()
    for pairs, weights in lists.pairs_of(found, chunk):
        assert np.all(np.diff(pairs.astype(np.int64)) > 0)  # each once in a chunk, in order
        for pair, weight in zip(pairs.tolist(), weights.tolist(), strict=True):
            told[pair >> 32, pair & 0xFFFFFFFF] += weight
    assert told == shared
    assert sizes.tolist() == [sum(doc in held for held in rare.values()) for doc in range(12)]
    often = [held for held in holders.values() if len(held) > 6]
    assert sorted(found.common_lengths.tolist()) == sorted(
        {tuple(held): len(held) for held in often}.values()
    )
    few = lists.common_pairs(found).tolist()
    assert len(few) == len(set(few)) > 0
    every = {pair for held in often for pair in combinations(held, 2)}
    assert {(pair >> 32, pair & 0xFFFFFFFF) for pair in few} <= every
    for held in often:  # whoever holds it is linked to its first
        assert {(held[0], other) for other in held[1:]} <= {(pair >> 32, pair & 0xFFFFFFFF) for pair in few}


def test_lists_that_are_the_same_are_one_with_a_weight():
    hashes = np.array([7, 8, 9, 7, 8, 9, 9], np.uint64)
    docs = np.array([0, 0, 0, 1, 1, 1, 2], np.uint32)
    scrambled, parted, _ = lists.partition(hashes, docs, 0)
    found = lists.lists_of(scrambled, parted, np.ones(3, np.uint32), 9, np.zeros(3, np.uint32))
    assert sorted(zip(found.lengths.tolist(), found.weights.tolist(), strict=True)) == [(2, 2), (3, 1)]


def test_every_part_has_the_hashes_of_its_own():
    hashes = np.arange(1000, dtype=np.uint64)
    scrambled, docs, bounds = lists.partition(hashes, np.arange(1000, dtype=np.uint32), 3)
    assert len(bounds) == 9
    for part, (first, last) in enumerate(pairwise(bounds.tolist())):
        assert {int(value) >> 61 for value in scrambled[first:last]} <= {part}
    assert (scrambled * lists.UNSCRAMBLE).tolist() == docs.tolist()


def test_chunks_have_as_many_pairs_as_they_may():
    docs = np.tile(np.arange(4, dtype=np.uint32), 10)  # ten lists of six pairs, none the same
    found = lists.Lists(
        docs, np.ones(40, np.uint8), np.arange(0, 40, 4), np.full(10, 4), np.ones(10, np.uint32),
        np.arange(10, dtype=np.uint64), np.zeros(0, np.int64), np.zeros(0, np.int64),
    )  # fmt: skip
    assert len([*lists.pairs_of(found)]) == 1
    assert len([*lists.pairs_of(found, 31)]) == 2
    assert len([*lists.pairs_of(found, 1)]) == 10


def test_a_pair_is_given_up_when_it_is_far_below_the_floor():
    shared = np.array([0, 1, 29, 30, 31, 37, 38], np.uint32)
    sampled = np.full(7, 100)  # at the floor 50 with a deviation of 5: 37.5 is too far below
    assert lists.enough(shared, sampled, 0.5).tolist() == [False] * 6 + [True]
    assert lists.enough(shared, sampled, 0.5, 4.0).tolist() == [False] * 3 + [True] * 4
    assert lists.enough(np.array([0, 1]), np.array([1, 1]), 0.01).tolist() == [False, True]
    assert lists.enough(np.array([0, 1]), np.array([0, 1]), 1.0).tolist() == [False, True]
