import itertools

import numpy as np
import pytest

from copysift.kernels import _lists as compiled
from copysift.kernels.reference import lists as readable


def same(left, right):
    assert len(left) == len(right)
    for one, other in zip(left, right, strict=True):
        assert one.tolist() == other.tolist()


def test_lists_and_pairs_are_those_of_the_definition_on_every_small_case():
    for holders in itertools.product([(), (0,), (0, 1), (1, 2), (0, 1, 2), (0, 1, 2, 3)], repeat=3):
        for moduli in ([1, 1, 1, 1], [1, 5, 5, 25], [25, 5, 1, 25], [25] * 4):
            entries = [(value, doc) for value, docs in zip((3, 5, 25), holders, strict=True) for doc in docs]
            hashes = np.array([value for value, _ in entries], np.uint64)
            docs = np.array([doc for _, doc in entries], np.uint32)
            sizes = [np.zeros(4, np.uint32), np.zeros(4, np.uint32)]
            found, truth = (
                kernel.lists(hashes, docs, np.array(moduli, np.uint32), 3, size)
                for kernel, size in zip((compiled, readable), sizes, strict=True)
            )
            same(found, truth)
            same(*([size] for size in sizes))
            starts, lengths, _, _, own = truth
            weights = np.arange(1, len(starts) + 1, dtype=np.uint32)
            same(*(kernel.all_pairs(docs, own, starts, lengths, weights) for kernel in (compiled, readable)))
            same(*([kernel.few_pairs(docs, own, starts, lengths)] for kernel in (compiled, readable)))


def test_the_leading_document_of_a_long_list_is_that_of_the_definition():
    chance = np.random.default_rng(8)
    for length in range(1, 40):
        docs = np.sort(chance.choice(2**32, length, replace=False)).astype(np.uint32)
        own = chance.integers(0, 2, length).astype(np.uint8)
        whole = (np.zeros(1, np.int64), np.array([length]))
        same(*([kernel.few_pairs(docs, own, *whole)] for kernel in (compiled, readable)))


def postings(lists):
    """Give the arguments of `long_pairs` for lists of (document, owns the hash), each with its weight."""
    members = [2 * document + own for listed in lists for document, own in listed]
    lengths = np.array([len(listed) for listed in lists], np.int64)
    rows = sorted(
        (document << 32 | number, place)
        for number, listed in enumerate(lists)
        for place, (document, _) in enumerate(listed)
    )
    keys = np.array([key for key, _ in rows], np.uint64)
    places = np.array([place for _, place in rows], np.uint32)
    weights = 1 + 10 ** np.arange(len(lists), dtype=np.uint32)
    return keys, places, np.array(members, np.uint64), np.cumsum(lengths) - lengths, lengths, weights


def test_pairs_of_long_lists_are_those_of_the_definition_on_every_small_case():
    subsets = [docs for size in (1, 2, 3) for docs in itertools.combinations((0, 1, 2**31), size)]
    marked = [
        tuple(zip(docs, owns, strict=True))
        for docs in subsets
        for owns in itertools.product((0, 1), repeat=len(docs))
    ]
    for count in (1, 2):
        for lists in itertools.product(marked, repeat=count):
            given = postings(lists)
            same(*(kernel.long_pairs(*given) for kernel in (compiled, readable)))


def test_pairs_of_many_long_lists_are_those_of_the_definition():
    chance = np.random.default_rng(13)
    for documents in (5, 40, 2**32):
        lists = []
        for length in chance.integers(1, 30, 25):
            docs = np.unique(chance.integers(0, documents, length))
            lists.append([(int(each), int(chance.integers(0, 2))) for each in docs])
        keys, places, *rest = postings(lists[:9])
        for cut in (0, 1, len(keys) // 2, len(keys)):  # a part of the postings may be asked
            same(*(kernel.long_pairs(keys[cut:], places[cut:], *rest) for kernel in (compiled, readable)))


@pytest.mark.parametrize("kernel", [compiled, readable])
def test_long_lists_are_never_read_from_outside(kernel):
    keys, places, members, starts, lengths, weights = postings([[(0, 1), (1, 0)], [(1, 1), (2, 1)]])
    with pytest.raises(IndexError, match="outside of the members"):
        kernel.long_pairs(keys, places, members[:-1], starts, lengths, weights)
    with pytest.raises(IndexError, match="no such place"):
        kernel.long_pairs(keys, places + np.uint32(1), members, starts, lengths, weights)
    with pytest.raises(IndexError, match="no such place"):
        kernel.long_pairs(keys + np.uint64(1), places, members, starts, lengths, weights)
    with pytest.raises(IndexError, match="no such place"):
        kernel.long_pairs(keys, places, members, starts - 1, lengths, weights)


@pytest.mark.parametrize("kernel", [compiled, readable])
def test_lists_outside_of_the_entries_are_refused(kernel):
    docs, own = np.array([1, 2, 3], np.uint32), np.ones(3, np.uint8)
    for start, length in ((0, 4), (2, 2), (-1, 2), (0, -1), (2**62, 1), (3, 2**62)):
        span = np.array([start], np.int64), np.array([length], np.int64)
        with pytest.raises(IndexError, match="outside of the entries"):
            kernel.all_pairs(docs, own, *span, np.ones(1, np.uint32))
        with pytest.raises(IndexError, match="outside of the entries"):
            kernel.few_pairs(docs, own, *span)
    whole = np.zeros(1, np.int64), np.array([3], np.int64)
    with pytest.raises(ValueError, match="columns of different lengths"):
        kernel.few_pairs(docs, own[:2], *whole)
    with pytest.raises(ValueError, match=r"columns of different lengths|shorter"):
        kernel.all_pairs(docs, own, *whole, np.ones(0, np.uint32))


@pytest.mark.parametrize("kernel", [compiled, readable])
def test_an_empty_list_has_no_pairs(kernel):
    docs, own = np.array([1, 2], np.uint32), np.ones(2, np.uint8)
    spans = np.array([0, 0, 2], np.int64), np.array([0, 2, 0], np.int64)
    assert set(kernel.few_pairs(docs, own, *spans).tolist()) == {1 << 32 | 2}
    assert kernel.all_pairs(docs, own, *spans, np.ones(3, np.uint32))[0].tolist() == [1 << 32 | 2]


@pytest.mark.parametrize("kernel", [compiled, readable])
def test_documents_without_a_modulus_are_refused(kernel):
    hashes, docs = np.array([5, 5], np.uint64), np.array([0, 2], np.uint32)
    for moduli, error in (([1, 1], IndexError), ([1, 0, 1], ValueError)):
        made = np.array(moduli, np.uint32)
        with pytest.raises(error):
            kernel.lists(hashes, docs, made, 3, np.zeros(len(made), np.uint32))
    with pytest.raises(ValueError, match="columns of different lengths"):
        kernel.lists(hashes, docs[:1], np.ones(3, np.uint32), 3, np.zeros(3, np.uint32))
    with pytest.raises(ValueError, match="columns of different lengths"):
        kernel.lists(hashes, docs, np.ones(3, np.uint32), 3, np.zeros(2, np.uint32))
