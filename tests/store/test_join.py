"""The join of a collection equals a join by dictionary, whatever the memory and the threads."""

from __future__ import annotations

import errno
import os
import tempfile
from collections import defaultdict
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from copysift.errors import InputError, UsageError
from copysift.join.memory import Join
from copysift.join.rows import candidates
from copysift.match.measures import containment, rarity, resemblance, similarity

GROUPS = st.lists(st.lists(st.integers(0, 25), max_size=12), min_size=1, max_size=12)


def u64(values):
    return np.array(values, np.uint64)


def joined(groups, max_shared=0, **options):
    with Join(**options) as join:
        for number, hashes in enumerate(groups):
            join.add(number, u64(hashes))
        return join.finish(max_shared, rarity)


def naive(groups, max_shared=0, base=()):
    """Sets without base and common hashes, the holders of each hash, the weight of each."""
    holders = defaultdict(set)
    for number, hashes in enumerate(groups):
        for value in set(hashes) - set(base):
            holders[value].add(number)
    common = {value for value, held in holders.items() if max_shared and len(held) > max_shared}
    sets = [set(hashes) - set(base) - common for hashes in groups]
    full = sum(1 for s in sets if s)
    weight = {value: rarity(np.array([len(held)]), full)[0] for value, held in holders.items()}
    return sets, holders, weight, common


def naive_pairs(groups, measure, threshold, min_shared, max_shared=0):
    sets, _, weight, _ = naive(groups, max_shared)
    for a, b in combinations(range(len(sets)), 2):
        both = sets[a] & sets[b]
        s, n, m = len(both), len(sets[a]), len(sets[b])
        total = sum(weight[h] for h in both)
        if s < max(1, min(min_shared, max(n, m))):
            continue
        alike = similarity(total, *(sum(weight[h] for h in sets[g]) for g in (a, b)))
        value = {
            "shared": s,
            "resemblance": resemblance(s, n, m),
            "containment": max(containment(s, n), containment(s, m)),
            "similarity": alike,
        }[measure]
        if value >= threshold:
            yield a, b, s, alike


def rows(found):
    return list(
        zip(
            found.left.tolist(),
            found.right.tolist(),
            found.shared.tolist(),
            found.similarity.tolist(),
            strict=True,
        )
    )


@given(GROUPS, st.integers(0, 4), st.sets(st.integers(0, 25), max_size=5))
def test_postings_are_the_holders_of_each_hash(groups, max_shared, base):
    postings = joined(groups, max_shared, base=u64(sorted(base)))
    sets, holders, weight, common = naive(groups, max_shared, base)
    got = {
        h: postings.groups[i:j].tolist()
        for h, i, j in zip(
            postings.hashes.tolist(),
            postings.offsets[:-1].tolist(),
            postings.offsets[1:].tolist(),
            strict=True,
        )
    }
    assert got == {h: sorted(held) for h, held in holders.items() if len(held) > 1 and h not in common}
    assert postings.sizes.tolist() == [len(s) for s in sets]
    assert postings.totals.tolist() == [sum(weight[h] for h in s) for s in sets]
    told = zip(
        *(c.tolist() for c in (postings.common.hashes, postings.common.degrees, postings.common.holders)),
        strict=True,
    )
    assert sorted(told) == sorted((h, len(holders[h]), min(holders[h])) for h in common)


@given(
    GROUPS,
    st.sampled_from(["shared", "resemblance", "containment", "similarity"]),
    st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0, 3.0]),
    st.integers(0, 3),
    st.integers(0, 5),
)
def test_candidates_are_those_of_all_pairs(groups, measure, threshold, min_shared, max_shared):
    found = candidates(joined(groups, max_shared), measure, threshold, min_shared)
    assert rows(found) == list(naive_pairs(groups, measure, threshold, max(min_shared, 1), max_shared))


def collection(seed=3, groups=300, hashes=400):
    """Groups whose hashes are skewed as selected ones are: small and even."""
    random = np.random.default_rng(seed)
    pool = random.integers(0, 2**58, 20_000, np.uint64) & ~np.uint64(255)
    return [pool[random.integers(0, len(pool) >> random.integers(0, 4), hashes)] for _ in range(groups)]


def columns(postings):
    common = postings.common
    names = ("hashes", "offsets", "groups", "sizes", "totals")
    return [getattr(postings, name) for name in names] + [common.hashes, common.degrees, common.holders]


@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize("memory", [1000, 100_000, 1 << 30])
def test_memory_and_threads_do_not_change_the_answer(tmp_path, memory, jobs):
    groups = collection()
    expected = joined(groups, 40)
    with Join(memory=memory, tmp_dir=tmp_path, jobs=jobs) as join:
        for number, hashes in enumerate(groups):
            join.add(number, hashes)
        assert (join.spilled_bytes > 0) == (memory < 1 << 30)
        got = join.finish(40, rarity)
    for ours, theirs in zip(columns(got), columns(expected), strict=True):
        assert np.array_equal(ours, theirs)
    assert list(tmp_path.iterdir()) == []


def test_rows_split_over_threads_give_the_same_pairs(monkeypatch):
    postings = joined(collection())
    expected = candidates(postings, "containment", 0.05)
    monkeypatch.setattr("copysift.join.rows.ROW_POSTINGS", 100)
    assert len(expected) > 100
    assert rows(candidates(postings, "containment", 0.05, jobs=4)) == rows(expected)


def test_groups_may_come_in_pieces_and_in_any_order():
    groups = collection(groups=20)
    pieces = [(number, half) for number, hashes in enumerate(groups) for half in np.split(hashes, 2)]
    with Join() as join:
        for number, piece in reversed(pieces):
            join.add(number, piece)
        got = join.finish(0, rarity)
    for ours, theirs in zip(columns(got), columns(joined(groups)), strict=True):
        assert np.array_equal(ours, theirs)


def test_groups_with_one_label_are_never_compared():
    groups = [[1, 2, 3]] * 5
    side = np.array([1, 1, 0, 0, 0], np.uint32)  # two of earlier years
    kin = np.array([0, 9, 9, 8, 0], np.uint32)  # two attempts of one author
    found = candidates(joined(groups), "shared", side=side, kin=kin)
    pairs = {(a, b) for a, b, *_ in rows(found)}
    assert pairs == set(combinations(range(5), 2)) - {(0, 1), (1, 2)}


def test_equal_groups_have_similarity_one():
    groups = [[5, 6, 7], [5, 6, 7], [6, 7, 8, 9], [7]]
    found = candidates(joined(groups), "similarity", 1.0)
    assert (0, 1) in {(a, b) for a, b, *_ in rows(found)}


@pytest.mark.parametrize("groups", [[], [[]], [[], []], [[1, 1, 1]], [[1], [2], [3]]])
def test_nothing_shared_gives_no_pair(groups):
    postings = joined(groups)
    assert len(postings.hashes) == 0
    assert len(candidates(postings)) == 0
    assert postings.sizes.tolist() == [len(set(hashes)) for hashes in groups]


def test_an_unknown_measure_is_a_usage_error():
    with pytest.raises(UsageError, match="no measure 'longest'"):
        candidates(joined([[1]]), "longest")


def test_labels_of_another_length_are_a_usage_error():
    with pytest.raises(UsageError, match="labels"):
        candidates(joined([[1]]), side=np.zeros(2, np.uint32))


def test_no_memory_is_a_usage_error():
    with pytest.raises(UsageError):
        Join(memory=0)


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_the_temporary_file_goes_after_an_error(tmp_path, error):
    def stopped(join):
        with join:
            join.add(0, collection(groups=1)[0])
            assert join.spilled_bytes > 0
            raise error

    join = Join(memory=1000, tmp_dir=tmp_path)
    with pytest.raises(error):
        stopped(join)
    assert join.spilled_bytes == 0
    assert list(tmp_path.iterdir()) == []


def test_a_temporary_folder_that_is_missing_is_named(tmp_path):
    with pytest.raises(InputError, match="gone"), Join(memory=1, tmp_dir=tmp_path / "gone") as join:
        join.add(0, np.arange(1000, dtype=np.uint64))


def test_a_full_disk_is_named(tmp_path, monkeypatch):
    class Full:
        def seek(self, *_):
            return 0

        def write(self, _):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        def close(self):
            return None

    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **_: Full())
    with pytest.raises(InputError, match="No space left"), Join(memory=1, tmp_dir=tmp_path) as join:
        join.add(0, np.arange(1000, dtype=np.uint64))
