"""The compiled sort-join equals its readable twin."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from copysift.kernels import _join as compiled
from copysift.kernels.reference import join as reference

HASHES = st.one_of(
    st.integers(0, 2**64 - 1),
    st.integers(0, 5),
    st.sampled_from([2**63, 2**64 - 1, 1 << 32, (1 << 32) + 1, 0xFF00, 0xFFFF]),
)
ENTRIES = st.lists(st.tuples(HASHES, st.integers(0, 9)), max_size=120)


def arrays(entries):
    hashes = np.array([h for h, _ in entries], np.uint64)
    return hashes, np.array([g for _, g in entries], np.uint32)


def same(ours, theirs):
    assert len(ours) == len(theirs)
    for mine, other in zip(ours, theirs, strict=True):
        assert mine.dtype == other.dtype
        assert mine.tolist() == other.tolist()


@given(ENTRIES, st.integers(0, 9))
def test_partition_equals_twin(entries, bits):
    same(compiled.partition(*arrays(entries), bits), reference.partition(*arrays(entries), bits))


@given(ENTRIES)
def test_sort_equals_twin(entries):
    ours, theirs = arrays(entries), arrays(entries)
    compiled.sort_pairs(*ours)
    reference.sort_pairs(*theirs)
    same(ours, theirs)


@pytest.mark.parametrize("n", [0, 1, 24, 25, 1000, 70_000, 300_000])
@pytest.mark.parametrize("kind", ["mixed", "low", "high", "few", "one", "step", "pairs"])
def test_sort_of_every_spread_equals_twin(n, kind):
    random = np.random.default_rng(n)
    mixed = random.integers(0, 2**64, n, np.uint64)
    hashes = {
        "mixed": mixed,
        "low": mixed >> np.uint64(44),
        "high": mixed << np.uint64(50),
        "few": mixed % np.uint64(3) * np.uint64(2**60 + 7),
        "one": np.full(n, 77, np.uint64),
        "step": np.arange(n, dtype=np.uint64)[::-1].copy(),
        "pairs": mixed >> np.uint64(50) << np.uint64(32) | mixed & np.uint64(0x3FFF),
    }[kind]
    groups = random.integers(0, 1000, n).astype(np.uint32)
    ours, theirs = (hashes.copy(), groups.copy()), (hashes.copy(), groups.copy())
    compiled.sort_pairs(*ours)
    reference.sort_pairs(*theirs)
    for mine, other in zip(ours, theirs, strict=True):
        assert np.array_equal(mine, other)


@given(ENTRIES)
def test_sums_equal_twin(entries):
    ours, theirs = arrays(entries), arrays(entries)
    count = compiled.sum_pairs(*ours)
    assert count == reference.sum_pairs(*theirs)
    for mine, other in zip(ours, theirs, strict=True):
        assert np.array_equal(mine[:count], other[:count])


@pytest.mark.parametrize("documents", [1, 2, 300, 20_000, 2**32])
def test_sums_of_pairs_of_documents_equal_twin(documents):
    random = np.random.default_rng(documents)
    sides = random.integers(0, documents, (2, 50_000), np.uint64)
    pairs = sides[0] << np.uint64(32) | sides[1]
    counts = random.integers(1, 9, len(pairs)).astype(np.uint32)
    ours, theirs = (pairs.copy(), counts.copy()), (pairs.copy(), counts.copy())
    count = compiled.sum_pairs(*ours)
    assert count == reference.sum_pairs(*theirs)
    for mine, other in zip(ours, theirs, strict=True):
        assert np.array_equal(mine[:count], other[:count])


def small_entries():
    """All lists of up to four entries of three hashes and three groups."""
    alphabet = list(itertools.product(range(3), range(3)))
    for n in range(5):
        yield from itertools.combinations_with_replacement(alphabet, n)


def test_runs_equal_twin_on_all_small_cases():
    for entries in small_entries():
        for max_shared in (1, 2, 3):
            sizes = [np.ones(3, np.uint32), np.ones(3, np.uint32)]
            ours = compiled.shared_runs(*arrays(entries), max_shared, sizes[0])
            theirs = reference.shared_runs(*arrays(entries), max_shared, sizes[1])
            same((*ours, sizes[0]), (*theirs, sizes[1]))


def collated(entries, groups=10):
    hashes, holders = arrays(entries)
    reference.sort_pairs(hashes, holders)
    sizes = np.zeros(groups, np.uint32)
    _, degrees, holders, *_ = reference.shared_runs(hashes, holders, groups, sizes)
    offsets = np.concatenate([[0], np.cumsum(degrees)]).astype(np.int64)
    return offsets, holders, sizes


WEIGHTS = np.arange(11, 0, -1) / 4.0


def listed(entries):
    offsets, holders, sizes = collated(entries)
    rows = compiled.transpose(offsets, holders, 10)
    same(rows, reference.transpose(offsets, holders, 10))
    weights = WEIGHTS[np.diff(offsets)].astype(np.float32)
    weights[::3] *= 0.5  # not by the number of groups alone
    return (offsets, holders, *rows, weights, sizes * 2.5), sizes


@given(ENTRIES, st.lists(st.integers(0, 9), min_size=10, max_size=10))
def test_distinct_labels_equal_twin(entries, labels):
    offsets, holders, _ = collated(entries)
    named = np.array(labels, np.uint32)
    ours = compiled.distinct(offsets, holders, named)
    same([ours], [reference.distinct(offsets, holders, named)])
    same(
        [compiled.distinct(offsets, holders, np.arange(10, dtype=np.uint32))],
        [np.diff(offsets).astype(np.uint32)],
    )


def both_rows(entries, first, last, side, kin, measure, threshold, min_shared, more=()):
    postings, sizes = listed(entries)
    told = (postings, sizes, side, kin, measure, threshold, min_shared, *(listed(each)[0] for each in more))
    ours = compiled.row_candidates(first, last, *told, verbatim=0.25)
    same(ours, reference.row_candidates(first, last, *told, verbatim=0.25))
    return ours


@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 9)), max_size=160),
    st.integers(0, 9),
    st.integers(0, 10),
    st.sampled_from([0.5, 1.0, 2.0, 4.0, 8.0]),
    st.sampled_from([0.0, 0.3, 0.5, 0.9]),
    st.lists(st.integers(0, 2), min_size=10, max_size=10),
    st.sampled_from([0, 1, 3]),
)
def test_groups_that_are_alike_equal_the_twin(entries, first, last, founded, least, labels, most):
    """Every pair is found, though only the rarest hashes are followed."""
    (offsets, holders, _, _, weights, totals), sizes = listed(entries)
    sizes = sizes + np.uint32(1)  # of one hash that nobody else has
    rarest = compiled.rarest_first(offsets, holders, 10)
    same(rarest, reference.rarest_first(offsets, holders, 10))
    order, *rows = rarest
    side, kin = np.array(labels, np.uint32), np.zeros(10, np.uint32)
    told = (offsets, holders, *rows, weights, totals), order, sizes, side, kin, founded, least, most
    same(compiled.alike(first, last, *told), reference.alike(first, last, *told))


def test_wrong_postings_are_refused_where_the_rarest_come_first():
    offsets, holders = np.array([0, 2], np.int64), np.array([0, 9], np.uint32)
    for module in (compiled, reference):
        with pytest.raises(ValueError, match="below n_groups"):
            module.rarest_first(offsets, holders, 5)
        with pytest.raises(ValueError, match="last offset"):
            module.rarest_first(offsets, holders[:1], 10)


@pytest.mark.parametrize("offsets", [[0, 3, 2], [1, 2], [0, -1, 2], [0, 0, 9, 2], []])
def test_offsets_that_no_postings_have_are_refused_where_the_rarest_come_first(offsets):
    with pytest.raises(ValueError, match="offset"):
        compiled.rarest_first(np.array(offsets, np.int64), np.array([0, 1], np.uint32), 3)


def test_a_hash_with_more_holders_than_there_are_groups_is_refused():
    with pytest.raises(ValueError, match="twice"):
        compiled.rarest_first(np.array([0, 4]), np.array([0, 0, 0, 0], np.uint32), 1)


def test_lists_that_do_not_fit_their_postings_are_refused():
    postings, sizes = listed([(hash_, group) for hash_ in range(3) for group in range(4)])
    offsets, holders, _, _, *told = postings
    order, rows, ranks = compiled.rarest_first(offsets, holders, 10)
    floor = sizes, NONE, NONE, 1.0, 0.3
    good = (offsets, holders, rows, ranks, *told)
    same(compiled.alike(0, 10, good, order, *floor), reference.alike(0, 10, good, order, *floor))
    for wrong in (
        (offsets + 1, holders, rows, ranks), (offsets, holders[:-1], rows, ranks[:-1]),
        (offsets, holders, rows + 1, ranks), (offsets, holders, rows * 2, ranks),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="last offset"):
            compiled.alike(0, 10, (*wrong, *told), order, *floor)
        with pytest.raises(ValueError, match="last offset"):
            compiled.row_candidates(0, 10, (*wrong, *told), *floor[:3], "shared", 0.0, 1)
    for wrong in (
        (offsets, holders + np.uint32(7), rows, ranks),
        (offsets, holders, rows, ranks + np.uint32(1)),
    ):
        with pytest.raises(IndexError, match="no such"):
            compiled.alike(0, 10, (*wrong, *told), order, *floor)
    with pytest.raises(IndexError, match="no such"):
        compiled.alike(0, 10, good, order + np.uint32(1), *floor)


FEW_HASHES = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 9)), max_size=80)
LABELS = st.lists(st.integers(0, 2), min_size=10, max_size=10).map(lambda a: np.array(a, np.uint32))
NONE = np.zeros(10, np.uint32)


@given(
    FEW_HASHES,
    LABELS,
    LABELS,
    st.sampled_from(list(reference.MEASURES)),
    st.sampled_from([0.0, 0.2, 0.25, 1 / 3, 0.5, 1.0, 2.0]),
    st.integers(1, 3),
)
def test_rows_equal_twin_however_they_are_cut(entries, side, kin, measure, threshold, min_shared):
    whole = both_rows(entries, 0, 10, side, kin, measure, threshold, min_shared)
    cut = [both_rows(entries, i, i + 2, side, kin, measure, threshold, min_shared) for i in range(0, 10, 2)]
    same(whole, [np.concatenate(column) for column in zip(*cut, strict=True)])


@given(
    FEW_HASHES,
    FEW_HASHES,
    FEW_HASHES,
    st.sampled_from(list(reference.MEASURES)),
    st.sampled_from([0.0, 0.25, 0.5, 0.9]),
)
def test_rows_with_two_more_lists_equal_twin(entries, added, apart, measure, threshold):
    both_rows(entries, 0, 10, NONE, NONE, measure, threshold, 1, (added, apart))


def test_other_lists_raise_the_similarity_of_pairs_that_share_a_hash():
    entries = [(h, 0) for h in range(10)] + [(h, 1) for h in range(9, 19)]  # 1 shared, 10 each
    told = [(h, g) for h in range(5) for g in (0, 1, 2)]  # all shared, also with one that shares no hash
    (plain,) = both_rows(entries, 0, 10, NONE, NONE, "similarity", 0.0, 1)[3]
    (added,) = both_rows(entries, 0, 10, NONE, NONE, "similarity", 0.0, 1, (told, []))[3]
    (apart,) = both_rows(entries, 0, 10, NONE, NONE, "similarity", 0.0, 1, ([], told))[3]
    assert plain < added < apart


@given(
    FEW_HASHES,
    st.sampled_from(list(reference.MEASURES)),
    st.sampled_from([0.0, 0.5, 1.0, 1.5, 3.0]),
    st.integers(0, 5),
    st.sampled_from([0.0, 0.3, 0.7]),
)
def test_rows_with_a_floor_equal_twin(entries, measure, founded, plenty, likeness):
    postings, sizes = listed(entries)
    told = (0, 10, postings, sizes, NONE, NONE, measure, 0.0, 1)
    floor = {"founded": founded, "plenty": plenty, "likeness": likeness}
    same(compiled.row_candidates(*told, **floor), reference.row_candidates(*told, **floor))


@given(FEW_HASHES, st.integers(1, 6))
def test_no_row_is_begun_once_there_are_enough_pairs(entries, most):
    postings, sizes = listed(entries)
    told = (postings, sizes, NONE, NONE, "shared", 0.0, 1)
    whole, cut, first = compiled.row_candidates(0, 10, *told), [], 0
    while first < 10:
        ours = compiled.row_candidates(first, 10, *told, most=most)
        same(ours, reference.row_candidates(first, 10, *told, most=most))
        assert len(ours[0][ours[0] != ours[0][-1:].sum()]) < most  # without the last row
        cut.append(ours)
        first = int(ours[0][-1]) + 1 if len(ours[0]) >= most else 10
    same(whole, [np.concatenate(column) for column in zip(*cut, strict=True)])


def test_a_floor_asks_for_more_shared_hashes_the_less_two_groups_resemble_each_other():
    entries = [(h, 0) for h in range(12)] + [(h, 1) for h in range(12)] + [(h, 2) for h in range(6, 40)]
    postings, sizes = listed(entries)
    told = (0, 10, postings, sizes, NONE, NONE, "shared", 0.0, 1)
    for rows in (compiled.row_candidates, reference.row_candidates):
        left, right, shared, _ = rows(*told, founded=12.0, plenty=40)
        assert (left.tolist(), right.tolist(), shared.tolist()) == ([0], [1], [12])
        assert len(rows(*told, founded=12.1, plenty=40)[0]) == 0
        assert len(rows(*told, founded=12.1, plenty=6)[0]) == 3


def test_a_threshold_that_is_reached_exactly_passes():
    entries = [(h, 0) for h in range(10)] + [(h, 1) for h in range(7, 17)]  # 3 shared, 10 each
    assert len(both_rows(entries, 0, 10, NONE, NONE, "containment", 0.3, 3)[0]) == 1
    assert len(both_rows(entries, 0, 10, NONE, NONE, "resemblance", 3 / 17, 3)[0]) == 1
    assert len(both_rows(entries, 0, 10, NONE, NONE, "containment", 0.3, 4)[0]) == 0
    assert len(both_rows(entries, 0, 10, NONE, NONE, "containment", 0.31, 3)[0]) == 0


@pytest.mark.parametrize("edition", [compiled, reference])
def test_arrays_that_do_not_fit_together_are_refused(edition):
    hashes, groups = arrays([(1, 3), (2, 4)])
    with pytest.raises(ValueError, match="differ in length"):
        edition.sort_pairs(hashes, groups[:1])
    with pytest.raises(ValueError, match="differ in length"):
        edition.sum_pairs(hashes, groups[:1])
    with pytest.raises(ValueError, match="differ in length"):
        edition.partition(hashes, groups[:1], 1)
    with pytest.raises(ValueError, match="outside sizes"):
        edition.shared_runs(hashes, groups, 5, np.zeros(4, np.uint32))
    with pytest.raises(ValueError, match="last offset"):
        edition.transpose(np.array([0, 1]), groups, 9)
    with pytest.raises(ValueError, match="not below n_groups"):
        edition.transpose(np.array([0, 2]), groups, 4)
