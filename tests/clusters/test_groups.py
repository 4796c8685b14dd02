import time

import numpy as np

from copysift.clusters.listings import SifGroup, SifMember, sif_groups


def listing(pairs, count=None, threshold=0.25):
    """Groups of files called 0, 1, 2 … of 10, 11, 12 … bytes, as {R: [(name, percent)]} in order."""
    lefts, rights, left, right = zip(*pairs, strict=True) if pairs else ((), (), (), ())
    count = count or max([*lefts, *rights, 0]) + 1
    out = sif_groups(
        [str(n) for n in range(count)],
        [10 + n for n in range(count)],
        lefts,
        rights,
        left,
        right,
        threshold=threshold,
    )
    return [(g.reference.name, [(m.name, round(m.percent)) for m in g.members]) for g in out]


def test_figure_3_of_the_paper():
    groups = sif_groups(
        ["foo.c", "bar.c", "foobar.c"],
        [10763, 10979, 9560],
        [0, 0, 1],
        [1, 2, 2],
        [0.79, 0.75, 0.60],
        [0.78, 0.76, 0.61],
        threshold=0.25,
    )
    assert groups == [
        SifGroup(
            SifMember("foo.c", 100.0, 10763),
            (SifMember("bar.c", 79.0, 10979), SifMember("foobar.c", 75.0, 9560)),
        )
    ]


def test_a_set_of_files_is_listed_once():
    pairs = [(i, j, 0.5, 0.5) for i in range(7) for j in range(i + 1, 7)]
    assert listing(pairs) == [("0", [(str(n), 50) for n in range(1, 7)])]


def test_of_equal_sets_the_r_file_with_the_highest_shares_is_kept():
    assert listing([(0, 1, 0.3, 0.9)]) == [("1", [("0", 90)])]


def test_percentages_are_with_respect_to_the_r_file():
    # 0 is small and stands wholly in 1; little of 1 stands in 0, so 1 lists nothing.
    assert listing([(0, 1, 1.0, 0.02)]) == [("0", [("1", 100)])]
    assert listing([(0, 1, 0.02, 1.0)]) == [("1", [("0", 100)])]


def test_similarity_is_not_transitive():
    # 0 ~ 1 ~ 2, but 0 and 2 share nothing: three different sets.
    out = listing([(0, 1, 0.5, 0.5), (1, 2, 0.4, 0.4)])
    assert out == [("1", [("0", 50), ("2", 40)]), ("0", [("1", 50)]), ("2", [("1", 40)])]


def test_the_threshold_itself_is_enough():
    assert listing([(0, 1, 0.25, 0.2499)]) == [("0", [("1", 25)])]


def test_groups_are_sorted_by_highest_share_then_number_of_files_then_input():
    pairs = [(0, 1, 0.3, 0.3), (2, 3, 0.9, 0.9), (4, 5, 0.3, 0.3), (4, 6, 0.3, 0.3), (5, 6, 0.3, 0.3)]
    assert [name for name, _ in listing(pairs)] == ["2", "4", "0"]


def test_no_pairs_give_no_groups():
    assert listing([]) == []
    assert listing([(0, 1, 0.1, 0.1)]) == []


def test_the_order_of_pairs_and_sides_does_not_matter():
    pairs = [(0, 3, 0.5, 0.4), (3, 1, 0.7, 0.6), (2, 0, 0.9, 0.3)]
    turned = [(right, left, b, a) for left, right, a, b in reversed(pairs)]
    assert listing(pairs) == listing(turned)


def test_files_without_fingerprints_do_no_harm():
    assert listing([(0, 1, 0.0, 0.0)], count=5, threshold=0.0) == [("0", [("1", 0)])]


def test_a_large_set_of_near_copies_costs_little():
    left, right = np.triu_indices(700, 1)
    share = np.full(len(left), 0.8)
    begun = time.process_time()
    groups = sif_groups([str(n) for n in range(700)], [1] * 700, left, right, share, share)
    assert time.process_time() - begun < 5  # 244,650 pairs
    assert len(groups) == 1
    assert len(groups[0].members) == 699
