"""Who handed what in, as the names of platforms tell it."""

from copysift.sources.roster import roster


def test_work_of_earlier_years_may_be_named_otherwise():
    now = [f"all.zip!Student {at}_{at}_assignsubmission_file_" for at in range(4)]
    past = [f"2025/s{at}" for at in range(9)]
    groups = [*now, *past]
    found = roster(groups, {}, past, (), "")
    assert [each.author for each in found.submissions] == [*(f"Student {at}" for at in range(4)), *[""] * 9]
    assert [each.earlier for each in found.submissions] == [False] * 4 + [True] * 9


def test_names_that_only_look_like_those_of_a_platform_tell_nothing():
    groups = ["a/Ann_1_assignsubmission_file_", "b/Ben_2_assignsubmission_file_", "c", "d", "e"]
    assert [each.author for each in roster(groups, {}, (), (), "").submissions] == [""] * 5
