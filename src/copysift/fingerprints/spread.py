"""A second hashing of selected hashes (winnowing §5.2): the smallest of windows are not spread evenly."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from copysift.model.values import UInt64s

_RIGHT = np.uint64(33)
_FIRST = np.uint64(0x9FB21C651E98DF25)
_SECOND = np.uint64(0xC4CEB9FE1A85EC53)


def spread(hashes: UInt64s) -> UInt64s:
    """Give each hash a partner that is even over 64 bits; equal hashes have equal partners, others differ."""
    mixed = hashes ^ (hashes >> _RIGHT)
    mixed = mixed * _FIRST
    mixed ^= mixed >> _RIGHT
    mixed *= _SECOND
    mixed ^= mixed >> _RIGHT
    return mixed
