"""Sketches of two sets: exact where they have all of them, an estimate from the last hash where not."""

import numpy as np
import pytest

import copysift
from copysift.match.estimators import ESTIMATORS
from copysift.match.sets import MeasuredPairs, at_least, measures
from copysift.model.traits import LEVELS, SMALLEST


def hashes(*values: int):
    return np.array(values, np.uint64)


@pytest.mark.parametrize("shared", range(6))
def test_sketches_that_hold_all_of_a_set_are_exact(shared):
    a = hashes(*range(10, 15))
    b = hashes(*range(10 + 5 - shared, 20 - shared))
    found = ESTIMATORS[SMALLEST](a, b, 16)
    assert found == pytest.approx((shared / (10 - shared), shared / 5, shared / 5))


def test_a_full_sketch_says_by_its_last_hash_how_large_the_set_is():
    full = hashes(1, 2, 2**62)  # the third smallest is at a quarter: 2 of 1/4, so about 8
    small = hashes(1, 2)
    resemblance, of_full, of_small = ESTIMATORS[SMALLEST](full, small, 3)
    assert resemblance == pytest.approx(2 / 3)
    together = resemblance / (1 + resemblance) * (8 + 2)
    assert of_full == pytest.approx(together / 8)
    assert of_small == pytest.approx(min(1, together / 2))
    assert ESTIMATORS[SMALLEST](small, full, 3) == (resemblance, 1, of_full)  # no share is more than all


def test_levels_are_compared_at_the_coarser_one():
    a, b = hashes(4, 8, 12, 20), hashes(1, 4, 8, 12, 2, 6)
    assert ESTIMATORS[LEVELS](a, b, 8) == pytest.approx((3 / 4, 3 / 4, 1.0))
    assert ESTIMATORS[LEVELS](a, hashes(), 8) == (0, 0, 0)
    assert ESTIMATORS[LEVELS](hashes(), hashes(), 8) == (0, 0, 0)
    assert ESTIMATORS[LEVELS](hashes(3), hashes(3), 8) == (1, 1, 1)


def test_a_pair_at_the_floor_counts_and_an_empty_document_shares_nothing():
    numbers = [
        np.array(column, np.int64) for column in ([0, 0, 0], [1, 2, 3], [5, 4, 0], [10, 10, 10], [40, 40, 0])
    ]
    found = measures(*numbers)
    assert at_least(found, 0.5).tolist() == [True, False, False]
    assert found.containment_left.tolist() == [0.5, 0.4, 0]
    assert found.containment_right.tolist() == [0.125, 0.1, 0]
    assert found.resemblance.tolist() == pytest.approx([5 / 45, 4 / 46, 0])


def test_sets_of_one_and_of_nothing():
    assert ESTIMATORS[SMALLEST](hashes(), hashes(), 8) == (0, 0, 0)
    assert ESTIMATORS[SMALLEST](hashes(5), hashes(5), 8) == (1, 1, 1)
    assert ESTIMATORS[LEVELS](hashes(0), hashes(0, 2**63), 8) == (1 / 2, 1, 1 / 2)
    one = [np.array([value], np.int64) for value in (0, 1, 1, 1, 1)]
    assert measures(*one).resemblance.tolist() == [1.0]
    assert len(MeasuredPairs.joined([])) == 0
    assert len(MeasuredPairs.joined([measures(*one), measures(*one)])) == 2


@pytest.mark.parametrize("scheme", ["min", "adaptive-mod"])
def test_the_measures_of_a_scan_with_sketches_are_their_estimates(scheme):
    words = [" ".join(f"{word}{at}" for at in range(400)) for word in ("one", "two", "three")]
    texts = {"a": words[0], "b": words[0] + " " + words[1], "c": words[0] + " " + words[1] + " " + words[2]}
    found = copysift.scan(list(texts.items()), scheme=scheme, sketch=64, threshold=0.01, kind="words")
    pairs = {(pair.left, pair.right): pair for pair in found.pairs}
    assert set(pairs) == {("a", "b"), ("a", "c"), ("b", "c")}
    for (left, right), pair in pairs.items():
        shares = len(texts[left]) / len(texts[right])
        assert pair.containment_left == pytest.approx(1, abs=0.35)
        assert pair.resemblance == pytest.approx(shares, abs=0.25)
        assert pair.containment_right == pytest.approx(shares, abs=0.25)
        assert pair.similarity == max(pair.containment_left, pair.containment_right)
