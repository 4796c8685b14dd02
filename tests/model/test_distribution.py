"""The null model of a class: calibrated without copies, not moved by a few, silent where it cannot know."""

import random

import numpy as np
import pytest

import copysift
from copysift.model.distribution import distribution
from tests.clusters.test_families import program


def drawn(count, seed, copies=0):
    """Give the pairs of a class whose similarities are as the model says, and some copies."""
    chance = np.random.default_rng(seed)
    left, right = np.triu_indices(count, 1)
    similarity = 1 / (1 + np.exp(3 - 0.9 * chance.standard_normal(len(left))))
    similarity[:copies] = 0.97
    return distribution(count, len(left), left, right, similarity), similarity


@pytest.mark.parametrize("copies", [0, 40])
def test_chances_of_independent_pairs_are_uniform(copies):
    found, similarity = drawn(100, 3, copies)
    chances = np.array([found.chance(share) for share in similarity[copies:]])
    for share in (0.5, 0.2, 0.05, 0.01):
        assert (chances <= share).mean() == pytest.approx(share, rel=0.25, abs=0.004)


def test_the_suggested_threshold_is_reached_by_about_one_pair():
    above = [
        int((similarity >= found.suggested).sum())
        for found, similarity in (drawn(60, seed) for seed in range(30))
    ]
    assert 0.4 < np.mean(above) < 2.5


def test_a_small_class_has_no_model():
    found, _ = drawn(19, 1)
    assert found.chance(0.9) is None
    assert found.suggested is None
    assert drawn(20, 1)[0].chance(0.9) < 0.01


def test_pairs_that_share_nothing_are_counted_and_the_nearest_are_named():
    found = distribution(4, 6, np.array([0, 0]), np.array([1, 2]), np.array([0.5, 0.255]))
    assert sum(found.histogram) == 6
    assert (found.histogram[0], found.histogram[25], found.histogram[50]) == (4, 1, 1)
    assert found.nearest == (((0.5, 1), (0.255, 2)), ((0.5, 0),), ((0.255, 0),), ())
    assert sum(found.strips[0]) == 2


def test_chances_in_a_class_of_independent_programs_are_about_uniform(tmp_path):
    for at in range(60):
        (tmp_path / f"p{at}.java").write_text(program(random.Random(at), 6))
    result = copysift.scan(tmp_path, by="dir", threshold=0, regions=True)
    found = result.distribution
    assert found.pairs == 60 * 59 // 2
    chances = [found.chance(pair.similarity) for pair in result.pairs]
    for share in (0.25, 0.1, 0.02):
        assert sum(chance <= share for chance in chances) / found.pairs == pytest.approx(share, rel=0.6)


def test_earlier_years_and_attempts_are_no_pairs_of_the_class(tmp_path):
    for folder, count in (("now", 4), ("past", 3)):
        for at in range(count):
            path = tmp_path / folder / f"{folder}{at}" / "a.java"
            path.parent.mkdir(parents=True)
            path.write_text(program(random.Random(f"{folder}{at}"), 4))
    result = copysift.scan(tmp_path / "now", by="dir", earlier=(str(tmp_path / "past"),), regions=True)
    assert result.distribution.pairs == 4 * 3 // 2 + 4 * 3


def test_every_pair_has_its_score_in_the_order_of_the_triangle():
    found = distribution(4, 6, np.array([0, 1, 3]), np.array([3, 2, 2]), np.array([1.0, 0.5, 0.0001]))
    scores = dict(zip([(a, b) for a in range(4) for b in range(a + 1, 4)], found.scores, strict=True))
    assert scores == {(0, 1): 0, (0, 2): 0, (0, 3): 255, (1, 2): 127, (1, 3): 0, (2, 3): 1}
