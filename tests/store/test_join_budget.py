"""How much memory joins share, and how large their blocks are."""

import numpy as np
import pytest

from copysift.join.memory import ENTRY_BYTES, LARGEST_BLOCK, Budget, Join


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
