"""The measures keep their promises at the edges."""

from __future__ import annotations

import numpy as np
import pytest

from copysift.match.measures import (
    GRAIN,
    class_weights,
    containment,
    rarity,
    resemblance,
    shares,
    similarity,
    weights,
)


def test_formulas_stand_as_in_the_papers():
    assert resemblance(3, 10, 5) == 3 / 12
    assert resemblance(5, 10, 10) == 5 / 15
    assert containment(3, 10) == 0.3
    assert similarity(3.0, 10.0, 4.0) == 0.75


def test_nothing_resembles_an_empty_group():
    assert resemblance(0, 0, 0) == containment(0, 0) == similarity(0.0, 0.0, 5.0) == 0.0


@pytest.mark.parametrize("groups", [0, 1, 2])
def test_with_two_groups_every_weight_is_one(groups):
    assert rarity(np.arange(4), groups).tolist() == [1.0] * 4


@pytest.mark.parametrize("groups", [3, 4, 1000, 10**9])
def test_weights_fall_from_one_and_are_never_zero(groups):
    degrees = np.unique(np.geomspace(1, groups, 50).astype(np.int64))
    weights = rarity(degrees, groups)
    assert weights[degrees <= 2].tolist() == [1.0] * int((degrees <= 2).sum())
    assert np.all(np.diff(weights) <= 0)
    assert weights[-1] > 0
    assert weights[-1] < 0.2
    assert np.all(weights / GRAIN == np.round(weights / GRAIN))


def test_shares_are_parts_of_wholes_at_most_one_and_nothing_of_nothing():
    assert shares(np.array([1, 3, 5, 5]), np.array([4, 4, 4, 0])).tolist() == [0.25, 0.75, 1.0, 0.0]


def test_weights_are_multiples_of_a_millionth_and_one_of_them_at_least():
    assert rarity(np.array([10**9]), 10**9).tolist() == [GRAIN] == [2.0**-20]


def test_a_small_collection_is_weighed_as_one_of_a_thousand_and_nothing_below_a_quarter():
    degrees = np.array([2, 3, 5, 1000])
    assert weights(degrees, 5).tolist() == np.maximum(rarity(degrees, 1000), 0.25).tolist()
    assert weights(degrees, 5)[-1] == 0.25
    assert weights(degrees, 5000).tolist() == np.maximum(rarity(degrees, 5000), 0.25).tolist()


def test_a_small_class_is_weighed_as_one_of_thirty_but_two_programs_as_two():
    degrees = np.array([2, 3, 30])
    assert class_weights(degrees, 2).tolist() == [1.0] * 3
    assert class_weights(degrees, 3).tolist() == rarity(degrees, 30).tolist() != rarity(degrees, 3).tolist()
    assert class_weights(degrees, 31).tolist() == rarity(degrees, 31).tolist()
