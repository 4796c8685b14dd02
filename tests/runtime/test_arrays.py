import numpy as np
import pytest

from copysift.runtime.arrays import is_among


@pytest.mark.parametrize("ordered", [[], [3], [1, 3, 5], [0, 2**64 - 1]])
def test_values_are_found_among_others(ordered):
    values, others = np.array([0, 5, 3, 3, 2**64 - 1, 4], np.uint64), np.array(ordered, np.uint64)
    assert is_among(values, others).tolist() == np.isin(values, others).tolist()
    assert is_among(values[:0], others).tolist() == []
