import numpy as np
import pytest

from copysift.runtime.arrays import firsts, heads, is_among, mapped


@pytest.mark.parametrize("ordered", [[], [3], [1, 3, 5], [0, 2**64 - 1]])
def test_values_are_found_among_others(ordered):
    values, others = np.array([0, 5, 3, 3, 2**64 - 1, 4], np.uint64), np.array(ordered, np.uint64)
    assert is_among(values, others).tolist() == np.isin(values, others).tolist()
    assert is_among(values[:0], others).tolist() == []


def test_the_values_of_a_file_are_mapped(tmp_path):
    path = tmp_path / "values.u64"
    np.array([3, 2**63], np.uint64).tofile(path)
    found = mapped(path, np.uint64)
    assert found.tolist() == [3, 2**63]
    assert not found.flags.writeable


@pytest.mark.parametrize("values", [[], [7], [7, 7], [3, 1, 3, 2**64 - 1, 1, 0, 2**64 - 1, 3]])
def test_places_of_values_are_the_first_of_each(values):
    found = firsts(np.array(values, np.uint64))
    assert found.tolist() == [at for at, value in enumerate(values) if value not in values[:at]]
    ordered = sorted(values)
    expected = [not at or value != ordered[at - 1] for at, value in enumerate(ordered)]
    assert heads(np.array(ordered, np.uint64)).tolist() == expected
