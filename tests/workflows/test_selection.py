"""Which pairs are reported, in which order, and what is made of them: rule by rule, on made-up counts."""

import numpy as np
import pytest

from copysift.errors import UsageError
from copysift.match.counts import Counts, PairColumns
from copysift.match.measures import TOO_SMALL
from copysift.model.values import Group, Submission
from copysift.settings.comparison import Settings
from copysift.workflows import selection
from copysift.workflows.selection import Filters, answer, by_suffix, described, folder_of, selected


def group(name, fingerprints=20, size=100):
    return Group(name, name, "text", size, fingerprints)


def columns(rows):
    """Make pairs of (left, right, shared, similarity); the other measures differ from it and each other."""
    left, right, shared, share = (list(each) for each in zip(*rows, strict=True)) if rows else ([],) * 4
    share = np.array(share, np.float64)
    numbers = np.full(len(share), -1, np.int64)
    return PairColumns(
        np.array(left, np.uint32), np.array(right, np.uint32), np.array(shared, np.uint32), share, share / 2,
        share / 4, share / 8, numbers, numbers, np.zeros(len(share), np.uint8), numbers,
        np.full(len(share), -1.0),
    )  # fmt: skip


def counts(names, rows, longest=None, equal=(), **more):
    pairs = columns(rows)
    if longest is not None:
        pairs = pairs.matched(np.array(longest), np.array(longest), pairs.place)
    groups = tuple(each if isinstance(each, Group) else group(each) for each in names)
    return Counts(groups, pairs, tuple(equal), (), 0, (), 0.0, **more)


def chosen(counted, **settings):
    found = selected(counted, Settings(**settings))
    pairs = found.rows(0, len(found))
    return list(zip(pairs.left.tolist(), pairs.right.tolist(), strict=True))


def test_a_pair_at_the_threshold_is_reported_and_one_below_is_not():
    counted = counts("abcd", [(0, 1, 9, 0.5), (0, 2, 9, 0.5 - 1e-9), (0, 3, 9, 0.5 - 1e-13)])
    assert chosen(counted, threshold=0.5) == [(0, 1), (0, 3)]
    assert chosen(counted, threshold=0.25, measure="resemblance") == [(0, 1), (0, 3)]
    assert chosen(counted, threshold=0.125, measure="containment") == [(0, 1), (0, 3)]


def test_pairs_need_the_fewest_shared_fingerprints_or_all_of_small_documents():
    small = [group("a", 2), group("b", 1), group("c", 5), group("none", 0), group("nothing", 0)]
    rows = [(0, 1, 1, 0.9), (0, 2, 2, 0.8), (1, 2, 1, 0.7), (3, 4, 1, 0.6), (0, 3, 0, 0.5)]
    assert chosen(counts(small, rows), min_shared=3) == [(3, 4)]
    assert chosen(counts(small, rows), min_shared=2) == [(0, 2), (3, 4)]
    assert chosen(counts(small, rows), min_shared=1) == [(0, 1), (0, 2), (1, 2), (3, 4)]
    assert chosen(counts([group("a", 2), group("b", 2)], [(0, 1, 2, 0.9)]), min_shared=9) == [(0, 1)]


def test_a_long_passage_is_evidence_by_itself():
    counted = counts("abc", [(0, 1, 1, 0.01), (0, 2, 1, 0.01), (1, 2, 9, 0.9)], longest=[200, 199, 3])
    assert chosen(counted, threshold=0.5, min_match=200) == [(1, 2), (0, 1)]
    assert chosen(counted, threshold=0.5) == [(1, 2)]


def test_equal_only_reports_no_pair_that_is_only_similar():
    assert chosen(counts("ab", [(0, 1, 9, 1.0)]), equal_only=True) == []


def test_the_best_come_first_by_the_measure_that_is_asked_for():
    counted = counts("abcd", [(0, 1, 3, 0.3), (0, 2, 5, 0.9), (1, 3, 4, 0.6)])
    assert chosen(counted) == [(0, 2), (1, 3), (0, 1)]
    assert chosen(counted, measure="shared", threshold=1) == [(0, 2), (1, 3), (0, 1)]


def test_equal_submissions_come_first_and_those_too_small_to_judge_last():
    names = [group("a"), group("b"), group("c"), group("d", TOO_SMALL - 1)]
    works = tuple(Submission(each.name) for each in names)
    rows = [(0, 1, 9, 0.8), (0, 2, 9, 1.0), (1, 2, 9, 0.7), (2, 3, 5, 1.0)]
    twins = (0, 0, 2, 3)  # a and b are equal
    assert chosen(counts(names, rows, twins=twins, submissions=works)) == [(0, 1), (0, 2), (1, 2), (2, 3)]
    assert chosen(counts(names, rows, submissions=works)) == [(0, 2), (0, 1), (1, 2), (2, 3)]
    assert chosen(counts(names, rows, twins=twins)) == [(0, 1), (0, 2), (2, 3), (1, 2)]
    shared = [(0, 1, 5, 0.8), (0, 2, 9, 1.0)]  # counts are not shares: equal ones have what they have
    assert chosen(counts(names, shared, twins=twins), measure="shared", threshold=1) == [(0, 2), (0, 1)]
    names[3] = group("d", TOO_SMALL)
    assert chosen(counts(names, rows, submissions=works))[:2] == [(0, 2), (2, 3)]


def test_only_pairs_of_one_suffix_or_about_one_size_pass_if_that_is_wanted():
    names = [
        group("a.txt", 20, 100),
        group("b.TXT", 20, 200),
        group("c.md", 20, 201),
        group("d.txt", 20, 400),
    ]
    rows = [(0, 1, 9, 0.9), (0, 2, 9, 0.8), (0, 3, 9, 0.7), (1, 2, 9, 0.6), (2, 3, 9, 0.5)]
    assert chosen(counts(names, rows), same_suffix=True) == [(0, 1), (0, 3)]
    assert chosen(counts(names, rows), size_ratio=2.0) == [(0, 1), (1, 2), (2, 3)]
    assert chosen(counts(names, rows), size_ratio=2.0, same_suffix=True) == [(0, 1)]
    assert chosen(counts(names, rows)) == [(row[0], row[1]) for row in rows]


def test_sets_of_equal_files_pass_with_any_suffix_until_they_are_parted():
    documents = counts(["a.txt", "a.md", "b.md"], []).documents
    pairs = columns([(0, 2, 9, 0.9)])
    settings = Settings(same_suffix=True)
    assert Filters(documents, settings).allowed(pairs).tolist() == [False]
    assert Filters(documents, settings, equal=[(0, 1)]).allowed(pairs).tolist() == [True]


def test_equal_files_are_parted_by_suffix_and_paired_by_the_first_of_each():
    names = ["a.txt", "b.md", "c.txt", "d.md", "e.txt", "f.md", "g.rst"]
    counted = counts(
        names, [(0, 4, 9, 0.9), (0, 5, 8, 0.8), (4, 5, 7, 0.7), (0, 6, 6, 0.6)], equal=[(0, 1, 2, 3)]
    )
    parted = by_suffix(counted, Settings(same_suffix=True))
    assert parted.equal == ((0, 2), (1, 3))
    (pairs,) = parted.pairs.batches()
    assert list(zip(pairs.left.tolist(), pairs.right.tolist(), pairs.shared.tolist(), strict=True)) == [
        (0, 4, 9), (1, 5, 8),
    ]  # fmt: skip
    assert by_suffix(counted, Settings()) is counted
    other = counts(names, [])
    assert by_suffix(other, Settings(same_suffix=True)) is other
    works = counts(names, [], equal=[(0, 1)], twins=tuple(range(7)))
    assert by_suffix(works, Settings(same_suffix=True)) is works


def test_the_folder_for_temporary_files_must_be_there(tmp_path):
    assert folder_of(Settings()) is None
    assert folder_of(Settings(tmp_dir=str(tmp_path))) == tmp_path
    with pytest.raises(UsageError, match="does not exist"):
        folder_of(Settings(tmp_dir=str(tmp_path / "none")))


def test_what_decides_an_answer_is_described_with_its_threshold_and_without_the_seed():
    said = described(Settings(seed=7, include=("*.txt",), limit=3, jobs=2))
    assert said["threshold"] == Settings().cut
    assert said["include"] == ["*.txt"]
    assert said["seed"] not in (None, 7)
    assert not {"memory", "tmp_dir", "jobs", "limit", "floor"} & said.keys()


def test_clusters_have_all_equal_files_and_their_strength():
    counted = counts("abcde", [(0, 2, 9, 0.8)], equal=[(0, 1), (3, 4)])
    found = answer(counted, Settings())
    assert [(each.members, each.strength) for each in found.clusters] == [
        (("a", "b", "c"), pytest.approx((1 + 0.8 + 0.8) / 3)),
        (("d", "e"), 1.0),
    ]
    assert found.equal == (("a", "b"), ("d", "e"))
    assert [(pair.left, pair.right) for pair in found.pairs] == [("a", "b"), ("d", "e"), ("a", "c")]
    assert all(pair.equal for pair in list(found.pairs)[:2])
    assert found.notes == ()
    assert found.listings == ()


def test_equal_submissions_are_a_set_only_if_they_were_compared():
    counted = counts("abcd", [(0, 1, 9, 1.0), (2, 3, 9, 0.9)], twins=(0, 0, 2, 0))
    assert answer(counted, Settings()).equal == (("a", "b"),)


@pytest.mark.parametrize("most", [2, 3])
def test_a_component_with_too_many_pairs_is_one_cluster_and_says_so(monkeypatch, most):
    monkeypatch.setattr(selection, "MOST_PARTED", most)
    rows = [(0, 1, 9, 0.9), (1, 2, 9, 0.3), (0, 2, 9, 0.3)]
    found = answer(counts("abc", rows), Settings(threshold=0.3))
    assert [each.members for each in found.clusters] == [("a", "b", "c")]
    notes = ["1 cluster has too many pairs to be divided: it is everything that pairs connect "
             "(a higher --threshold has fewer)"]  # fmt: skip
    assert list(found.notes) == (notes if most < len(rows) else [])


def test_near_copies_of_which_only_some_pairs_are_known_are_one_cluster_without_a_note():
    rows = [(0, 1, 9, 0.9), (1, 2, 9, 0.3)]
    plain = answer(counts("abc", rows), Settings(threshold=0.3))
    assert [each.members for each in plain.clusters] == [("a", "b")]
    (cluster,) = answer(counts("abc", rows, near_copies=(1,)), Settings(threshold=0.3)).clusters
    assert (cluster.members, cluster.strength) == (("a", "b", "c"), pytest.approx(0.6))


def test_pairs_that_were_chosen_for_a_passage_lower_what_a_cluster_needs():
    rows = [(0, 1, 9, 0.1), (2, 3, 9, 0.9)]
    counted = counts("abcd", rows, longest=[500, 3])
    found = answer(counted, Settings(threshold=0.5, min_match=100))
    assert [each.members for each in found.clusters] == [("a", "b"), ("c", "d")]


def test_listings_leave_out_shares_below_the_threshold():
    rows = [(0, 1, 9, 0.8), (0, 2, 9, 0.4)]  # 20 and 10 % of the left one, 10 and 5 % of the right one
    found = answer(counts("abc", rows), Settings(threshold=0.1, measure="containment"), groups=True)
    members = {each.reference: dict(each.members) for each in found.listings}
    assert all(share >= 0.1 for each in members.values() for share in each.values())
    assert members


def test_a_near_copy_without_pairs_is_in_no_cluster():
    found = answer(counts("abcd", [(0, 1, 9, 0.9)], near_copies=(3,)), Settings(threshold=0.3))
    assert [each.members for each in found.clusters] == [("a", "b")]
