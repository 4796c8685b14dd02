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
