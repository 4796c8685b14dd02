import itertools
import random

import pytest

from copysift.clusters import average
from copysift.clusters.average import average_clusters


def clusters(pairs, count, cut=0.25, sizes=None):
    left, right, share = zip(*pairs, strict=True) if pairs else ((), (), ())
    return average_clusters(sizes or [1] * count, left, right, share, cut)


def test_a_chain_is_parted_where_it_is_weakest():
    found = clusters([(0, 1, 0.9), (1, 2, 0.3), (2, 3, 0.8), (3, 4, 0.3)], 5)
    assert [(each.members, each.strength) for each in found] == [([0, 1], 0.9), ([2, 3], 0.8)]


def test_a_pair_that_is_missing_counts_as_nothing():
    (found,) = clusters([(0, 1, 0.9), (0, 2, 0.9)], 3)
    assert found.members == [0, 1, 2]
    assert found.strength == pytest.approx(0.6)


def test_equal_documents_count_as_many():
    # Nine copies of 1 pull 2 away from 0.
    found = clusters([(0, 1, 0.5), (1, 2, 0.5), (0, 2, 0.5)], 3, sizes=[1, 9, 1])
    assert [each.members for each in found] == [[0, 1, 2]]
    assert found[0].strength == pytest.approx((36 + 9 * 0.5 + 9 * 0.5 + 0.5) / 55)


def slow(pairs, count, cut):
    """Average linkage as it is defined."""
    share = {frozenset(pair[:2]): pair[2] for pair in pairs}
    parts = [[number] for number in range(count)]

    def mean(one, other):
        values = [share.get(frozenset(each), 0.0) for each in itertools.product(one, other)]
        return sum(values) / len(values)

    while len(parts) > 1:
        one, other = max(
            itertools.combinations(parts, 2), key=lambda two: (mean(*two), -two[0][0], -two[1][0])
        )
        if mean(one, other) < cut:
            break
        parts.remove(other)
        one += other
        parts.sort()
    return sorted(sorted(part) for part in parts if len(part) > 1)


@pytest.mark.parametrize("seed", range(40))
def test_it_is_average_linkage(seed):
    chosen = random.Random(seed)
    count = chosen.randint(2, 8)
    every = list(itertools.combinations(range(count), 2))
    pairs = [(*pair, chosen.uniform(0.26, 1)) for pair in every if chosen.random() < 0.6]
    found = [each.members for each in clusters(pairs, count)]
    assert found == slow(pairs, count, 0.25)
    shuffled = chosen.sample(pairs, len(pairs))
    assert [each.members for each in clusters(shuffled, count)] == found


def test_a_component_with_too_many_pairs_is_not_parted_and_says_so(monkeypatch):
    monkeypatch.setattr(average, "MOST_PAIRS", 2)
    (found,) = clusters([(0, 1, 0.9), (1, 2, 0.3), (2, 3, 0.8)], 4)
    assert (found.members, found.whole) == ([0, 1, 2, 3], True)
