"""What solutions of one task have in common anyway makes nobody's work a version of another's."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from copysift.clusters import background as module
from copysift.clusters.background import background, beyond
from copysift.clusters.families import families
from copysift.join.memory import Join
from copysift.match.measures import rarity


def postings(groups):
    join = Join(1 << 20, None, np.empty(0, np.uint64), 1)
    for number, hashes in enumerate(groups):
        join.add(number, np.array(sorted(hashes), np.uint64))
    return join.finish(1000, rarity)


def by_definition(groups, labels, fewest, others):
    """Give what a third of the others of other families have at most, for each group."""
    found = []
    for at, own in enumerate(groups):
        shares = sorted(
            (len(own & groups[other]) / len(own) for other in others if labels[other] != labels[at]),
            reverse=True,
        )
        place = int(len(shares) * (1 - module.THIRD))
        share = shares[place] if len(own) >= fewest and place < len(shares) else 0.0
        found.append(share if share >= module.SLIGHT else 0.0)
    return found


@given(
    st.lists(st.tuples(st.sets(st.integers(0, 40), min_size=1), st.integers(0, 3)), min_size=2, max_size=12),
    st.integers(1, 12),
    st.booleans(),
)
@settings(max_examples=200, deadline=None)
def test_the_background_is_what_a_third_of_the_other_families_has_at_most(drawn, fewest, sampled):
    groups, labels = [each for each, _ in drawn], [label for _, label in drawn]
    others = [at for at, each in enumerate(groups) if len(each) >= fewest]
    with pytest.MonkeyPatch.context() as patch:
        if sampled:
            patch.setattr(module, "MOST", 5)
            patch.setattr(module, "SOME", 3)
            if len(others) > 5:
                others = [others[at] for at in np.linspace(0, len(others) - 1, 3).astype(int)]
        found = background(postings(groups), np.array(labels, np.uint32), fewest)
    assert found.tolist() == pytest.approx(by_definition(groups, labels, fewest, others))


def test_what_is_in_common_counts_beyond_the_background():
    contained, usual = np.array([0.5, 0.5, 0.2, 1.0, 1.0]), np.array([0.0, 0.2, 0.3, 0.5, 1.0])
    assert beyond(contained, usual).tolist() == pytest.approx([0.5, 0.375, 0.0, 1.0, 0.0])


@pytest.mark.parametrize("chosen_from", [100, 1000])
def test_solutions_of_a_task_that_leaves_little_choice_are_no_family(chosen_from):
    """Any two have half of their fingerprints in common, or a twentieth; a copy of one is found in both."""
    chance = random.Random(5)
    groups = [
        {*chance.sample(range(chosen_from), 50), *range(2000 + 10 * at, 2010 + 10 * at)} for at in range(40)
    ]
    copy = {*sorted(groups[3])[:54], *range(9000, 9006)}
    labels = families(postings([*groups, copy])).tolist()
    assert labels[40] == labels[3]
    assert len(set(labels)) >= 38  # two pairs of 780 have more in common by chance
