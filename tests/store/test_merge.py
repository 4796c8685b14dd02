import pytest

from copysift.store.catalog_rows import SegmentRow
from copysift.store.merge import LARGEST_SLICE, SLICE, Policy, next_bound
from copysift.store.segment import RANGES


def row(run, live, target=None, number=0):
    return SegmentRow(number, run, 0, RANGES, live, live, live, target)


def test_a_level_is_merged_when_it_has_as_many_runs_as_the_fan_out():
    policy = Policy()
    small = [row(run, 100) for run in range(7)]
    assert policy.due(small) == []
    assert policy.due([*small, row(7, 300)]) == [list(range(8))]
    assert policy.due([*small, row(7, 10**6)]) == []


def test_runs_of_a_merge_under_way_are_left_alone():
    policy = Policy()
    busy = [row(run, 100, target=50) for run in range(8)]
    assert policy.due([*busy, row(50, 100)]) == []


def test_a_run_of_several_segments_counts_as_one():
    policy = Policy(fanout=2, floor=10)
    assert policy.due([row(1, 6), row(1, 6), row(2, 9)]) == []
    assert policy.due([row(1, 6), row(1, 6), row(2, 15)]) == [[1, 2]]


@pytest.mark.parametrize(
    ("postings", "slice_"), [(10**6, SLICE), (128 * 2**21, 2**21), (10**12, LARGEST_SLICE)]
)
def test_slices_grow_with_the_merge_up_to_a_bound(postings, slice_):
    assert Policy().slice_of(postings) == slice_


def test_the_bounds_of_slices_part_the_keys_and_end_at_the_last():
    reached, left, bounds = 0, 1000, []
    while reached < RANGES:
        reached = next_bound(reached, left, 100)
        left -= 100
        bounds.append(reached)
    assert bounds == sorted(set(bounds))
    assert len(bounds) == 10
    assert bounds[0] == RANGES // 10
