"""How much memory joins share, and how large their blocks are."""

import numpy as np
import pytest

from copysift.join.memory import ENTRY_BYTES, LARGEST_BLOCK, Budget, Join
from copysift.join.rows import LOOSE, Rows, row_ranges


@pytest.mark.parametrize(
    ("memory", "joins", "room", "block"),
    [
        (1, 1, 64, 16), (ENTRY_BYTES * 1000, 1, 1000, 250), (ENTRY_BYTES * 1000, 10, 1000, 25),
        (ENTRY_BYTES * 1000, 100, 1000, 16), (10**12, 1, 10**12 // ENTRY_BYTES, LARGEST_BLOCK),
    ],
)  # fmt: skip
def test_a_block_is_a_quarter_of_the_room_of_each_join(memory, joins, room, block):
    budget = Budget(memory, joins)
    assert (budget.room, budget.block, budget.held) == (room, block, 0)


def test_entries_count_their_groups():
    with Join() as join:
        join.add_entries(np.array([5, 5, 9], np.uint64), np.array([0, 7, 2], np.uint32))
        found = join.finish(100, lambda sizes, count: np.ones(len(sizes)))
    assert len(found.sizes) == 8
    assert found.sizes.tolist() == [1, 0, 1, 0, 0, 0, 0, 1]


def shared(jobs=1, memory=1 << 28):
    rng = np.random.default_rng(3)
    with Join(memory, jobs=jobs) as join:
        for group in range(40):
            join.add(group, rng.integers(0, 300, 60).astype(np.uint64))
        found = join.finish(30, lambda sizes, count: 1.0 / np.maximum(sizes, 1))
    columns = (found.hashes, found.offsets, found.groups, found.sizes, found.common.hashes)
    order = np.argsort(found.hashes)
    held = [found.groups[found.offsets[at] : found.offsets[at + 1]].tolist() for at in order.tolist()]
    return found.hashes[order].tolist(), held, found.sizes.tolist(), len(columns[-1])


@pytest.mark.parametrize("smallest", [1, 7, 400, 10**6])
def test_parts_may_be_sorted_one_by_one_or_together(monkeypatch, smallest):
    expected = shared()
    monkeypatch.setattr("copysift.join.memory.SMALLEST_PART", smallest)
    for jobs in (1, 3):
        assert shared(jobs) == expected
        assert shared(jobs, memory=ENTRY_BYTES * 200) == expected


def test_a_join_says_what_its_blocks_hold_and_gives_it_back():
    budget = Budget(ENTRY_BYTES * 4000, 2)
    with Join(budget) as one, Join(budget) as other:
        one.add_entries(np.arange(budget.block + 3, dtype=np.uint64), np.zeros(budget.block + 3, np.uint32))
        assert budget.held == budget.block
        for join in (other, one):
            join.add_entries(
                np.arange(2 * budget.block, dtype=np.uint64), np.zeros(2 * budget.block, np.uint32)
            )
        assert budget.held + budget.block <= budget.room
        assert (
            one.spilled_bytes + other.spilled_bytes + ENTRY_BYTES * budget.held
            == ENTRY_BYTES * 5 * budget.block
        )
    assert budget.held == 0


def rows_of(groups):
    with Join() as join:
        for number, hashes in enumerate(groups):
            join.add(number, np.array(hashes, np.uint64))
        return Rows(join.finish(0, lambda sizes, count: np.ones(len(sizes))))


def test_pairs_are_at_most_those_that_share_a_hash_and_those_of_all_groups():
    assert rows_of([[1, 2], [1], [1], [2], [9]]).most_pairs() == 3 + 1
    assert rows_of([[1, 2, 3], [1, 2, 3]]).most_pairs() == 1
    assert rows_of([[1], [2]]).most_pairs() == 0


def test_rows_are_cut_into_ranges_that_cover_all_of_them_once(monkeypatch):
    rows = rows_of([[*range(number % 7, 40)] for number in range(60)])
    assert row_ranges([rows], 1) == [(0, 60)]
    assert row_ranges([rows], 4) == [(0, 60)]  # too little for threads
    monkeypatch.setattr("copysift.join.rows.ROW_POSTINGS", 100)
    walked = int(rows.offsets[-1])
    for jobs, room, pieces in ((2, 0, 16), (3, 0, walked // 100), (1, 20, rows.most_pairs() // (LOOSE * 20))):
        found = row_ranges([rows], jobs, room)
        assert [first for first, _ in found] == [0, *(last for _, last in found[:-1])]
        assert found[-1][1] == 60
        assert len(found) == min(pieces, 60)
        sizes = [int(rows.offsets[last] - rows.offsets[first]) for first, last in found]
        assert max(sizes) - min(sizes) <= 2 * 40
    assert len(row_ranges([rows, rows], 1, 20)) == min(2 * rows.most_pairs() // (LOOSE * 20), 60)
    assert row_ranges([rows_of([[], []])], 3, 1) == [(0, 2)]
