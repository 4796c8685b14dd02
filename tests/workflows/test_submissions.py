"""Groups of files as wholes: matches stay in their files, coverage counts those that are compared."""

import numpy as np

import copysift
from copysift.join.memory import Join
from copysift.match.base import Base
from copysift.match.measures import rarity
from copysift.workflows.submission_units import covered_shares
from tests.cli.program import write
from tests.cli.test_submissions import A, B


def test_no_match_crosses_from_one_file_into_the_next(tmp_path):
    write(tmp_path, {f"{name}/{file}.txt": text for name in "xy" for file, text in (("1", A), ("2", B))})
    (pair,) = copysift.scan(tmp_path, by="dir", kind="text", regions=True).pairs
    assert pair.equal
    found = [
        (each.left.file[-5:], each.right.file[-5:], each.left.start, each.left.end) for each in pair.regions
    ]
    assert found == [
        ("1.txt", "1.txt", 0, len(A.rstrip("\n"))),
        ("2.txt", "2.txt", 0, len(B.rstrip("\n"))),
    ]
    assert pair.lines == 2


def shares(groups, side, kin):
    with Join() as join:
        for number, hashes in enumerate(groups):
            join.add(number, np.array(hashes, np.uint64))
        postings = join.finish(0, rarity)
    found = covered_shares(postings, np.array(side, np.uint32), np.array(kin, np.uint32))
    return found.round(3).tolist()


def test_coverage_is_the_share_that_any_other_compared_group_has():
    groups = [[1, 2, 3, 4], [1, 2, 9], [3, 7], [8], []]
    assert shares(groups, [0] * 5, [0] * 5) == [0.75, 0.667, 0.5, 0, 0]


def test_coverage_leaves_out_earlier_years_among_themselves_and_kin():
    groups = [[1, 2, 3], [1, 2, 3], [3], [2]]
    assert shares(groups, [0, 0, 0, 0], [5, 5, 0, 0]) == [0.667, 0.667, 1, 1]
    assert shares(groups, [1, 1, 1, 0], [0, 0, 0, 0]) == [0.333, 0.333, 0, 1]
    assert shares(groups, [1, 1, 0, 0], [0, 0, 7, 7]) == [0.667, 0.667, 1, 1]
    assert shares(groups, [1, 1, 1, 0], [2, 0, 0, 2]) == [0, 0.333, 0, 1]


def test_the_mask_covers_every_symbol_of_a_base_k_gram():
    base = Base([np.array([5, 9], np.uint64)])
    grams = np.array([1, 5, 2, 3, 4, 9], np.uint64)
    assert base.mask(grams, 3, 8).tolist() == [0, 1, 1, 1, 0, 1, 1, 1]
    assert Base().mask(grams, 3, 8).tolist() == [0] * 8
    assert base.mask(grams[:0], 3, 2).tolist() == [0, 0]
