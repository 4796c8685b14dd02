import dataclasses

import numpy as np
import pytest

from copysift.match.counts import PairColumns
from copysift.match.pairs import AT_ONCE, Pairs
from copysift.model.values import Group, Pair

DOCUMENTS = tuple(Group(name, name, "code", 10, 5) for name in "abc")
READY = Pair("a", "a2", True, 1.0, 1.0, 1.0, 1.0, 5)


def columns(count: int) -> PairColumns:
    made = {each.name: np.arange(count, dtype=np.float64) / count for each in dataclasses.fields(PairColumns)}
    made |= {name: np.zeros(count, np.uint32) for name in ("left", "shared", "channel")}
    made |= {
        "right": np.arange(count, dtype=np.uint32) % 3,
        "longest": np.full(count, -1),
        "lines": np.full(count, 4),
    }
    return PairColumns(**made)


@pytest.mark.parametrize("count", [0, 1, 5, AT_ONCE, AT_ONCE + 1])
def test_a_sequence_of_pairs_gives_what_a_tuple_of_them_would(count: int) -> None:
    pairs = Pairs(DOCUMENTS, columns(count), (0, 1, 1), (READY,))
    made = tuple(pairs)
    assert len(pairs) == len(made) == count + 1
    assert pairs == made
    assert pairs[0] is READY
    assert pairs[-1] == made[-1]
    for which in (slice(None), slice(2), slice(1, 4), slice(None, None, -1), slice(4, None, 2)):
        assert pairs[which] == made[which]
    assert pairs.equal() == sum(pair.equal for pair in made)
    with pytest.raises(IndexError):
        pairs[count + 1]


def test_what_is_not_known_of_a_pair_is_none() -> None:
    (pair,) = Pairs(DOCUMENTS, columns(1))
    assert (pair.left, pair.right, pair.longest, pair.lines) == ("a", "a", None, 4)
