"""Whether two documents are the same in all that counts, symbol by symbol."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import zip_longest

import numpy as np

from copysift.model.values import Canonical


def same_symbols(left: Iterable[Canonical], right: Iterable[Canonical]) -> bool:
    """Say whether two documents have the same symbols; blocks may end anywhere. Nothing equals nothing."""
    rest, other = np.empty(0, np.uint64), np.empty(0, np.uint64)
    for one, another in zip_longest(left, right):
        rest = rest if one is None else np.concatenate((rest, one.symbols))
        other = other if another is None else np.concatenate((other, another.symbols))
        both = min(len(rest), len(other))
        if not np.array_equal(rest[:both], other[:both]):
            return False
        rest, other = rest[both:], other[both:]
    return not len(rest) and not len(other)
