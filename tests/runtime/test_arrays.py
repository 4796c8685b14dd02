import numpy as np
import pytest

from copysift.runtime.arrays import is_among, lasting, mapped


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


def test_arrays_that_last_are_joined_and_can_be_changed():
    parts = [np.arange(5, dtype=np.uint64), np.zeros(0, np.uint64), np.arange(70_000, dtype=np.uint64)]
    for some in (parts, parts[:1], parts[1:2]):
        found = lasting(some)
        assert found.dtype == np.uint64
        assert found.tolist() == np.concatenate(some).tolist()
        found[:1] = 9
