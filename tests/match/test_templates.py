"""What tells a near-copy from a page of a template."""

import random

import numpy as np
import pytest

from copysift.match.templates import common_shingles, is_near_copy


def test_edits_here_and_there_are_a_near_copy_and_long_runs_are_not():
    common = np.ones(130, np.bool_)
    assert is_near_copy(common)
    for at in (5, 30, 77, 100, 129):
        common[at - 3 : at] = False
    assert is_near_copy(common)
    common = np.ones(113, np.bool_)
    common[-26:] = False
    assert not is_near_copy(common)
    assert not is_near_copy(np.zeros(50, np.bool_))
    assert is_near_copy(np.zeros(0, np.bool_))


@pytest.mark.parametrize("seed", range(5))
def test_hashes_are_common_by_the_works_that_have_them(seed):
    chance = random.Random(seed)
    entries = [(chance.randrange(20), chance.randrange(8)) for _ in range(300)]
    works = {value: {work for each, work in entries if each == value} for value, _ in entries}
    hashes, owners = zip(*entries, strict=True)
    found = common_shingles(np.array(hashes, np.uint64), np.array(owners, np.uint32), 6)
    assert found.tolist() == sorted(value for value, some in works.items() if len(some) > 6)
    nothing = common_shingles(np.zeros(0, np.uint64), np.zeros(0, np.uint32), 2)
    assert nothing.tolist() == []
