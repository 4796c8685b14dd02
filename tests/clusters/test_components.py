import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from copysift.clusters.components import clusters, roots


def test_clusters_and_members_stand_in_input_order():
    assert clusters(7, [6, 5, 3], [1, 2, 6]) == [[1, 3, 6], [2, 5]]


def test_documents_without_a_pair_are_in_no_cluster():
    assert clusters(3, [], []) == []
    assert clusters(0, [], []) == []
    assert clusters(2, [1], [1]) == []


def test_the_root_is_the_first_document():
    assert roots(6, [5, 4], [4, 2]).tolist() == [0, 1, 2, 3, 2, 2]


@st.composite
def graphs(draw):
    count = draw(st.integers(1, 12))
    number = st.integers(0, count - 1)
    return count, draw(st.lists(st.tuples(number, number), max_size=15))


@given(graphs())
def test_clusters_are_the_connected_components(graph):
    count, pairs = graph
    sets = [{number} for number in range(count)]
    for left, right in pairs:
        joined = sets[left] | sets[right]
        for member in joined:
            sets[member] = joined
    expected = sorted({tuple(sorted(one)) for one in sets if len(one) > 1})
    assert clusters(count, [p[0] for p in pairs], [p[1] for p in pairs]) == [list(one) for one in expected]


@pytest.mark.parametrize("shape", ["path", "shuffled path", "star", "bit reversed"])
def test_long_chains_are_joined_in_few_rounds(shape):
    count = 1 << 16
    order = np.arange(count)
    if shape == "shuffled path":
        order = np.random.default_rng(1).permutation(count)
    if shape == "bit reversed":
        order = np.array([int(f"{number:016b}"[::-1], 2) for number in range(count)])
    lefts, rights = order[:-1], order[1:]
    if shape == "star":
        lefts = np.full(count - 1, count - 1)
        rights = np.arange(count - 1)
    assert clusters(count, lefts, rights) == [list(range(count))]
