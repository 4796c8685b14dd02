"""The measures keep their promises at the edges."""

from __future__ import annotations

import numpy as np
import pytest

from copysift.match.measures import GRAIN, containment, rarity, resemblance, similarity


def test_formulas_stand_as_in_the_papers():
    assert resemblance(3, 10, 5) == 3 / 12
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
