"""Shingles of documents by the numbers of their words, in plain Python: the definition of `_codes`."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from copysift.kernels.reference import selection

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Codes = NDArray[np.uint16] | NDArray[np.uint32]
    Int64s = NDArray[np.int64]
    UInt64s = NDArray[np.uint64]


def sets(codes: Codes, dictionary: UInt64s, starts: Int64s, ends: Int64s, w: int) -> tuple[UInt64s, Int64s]:
    """Give the distinct shingles of w words of every document, ascending: values and bounds."""
    return _joined([np.unique(each) for each in _hashes(codes, dictionary, starts, ends, w)])


def in_order(
    codes: Codes, dictionary: UInt64s, starts: Int64s, ends: Int64s, w: int
) -> tuple[UInt64s, Int64s]:
    """Give all shingles of w words of every document, as they come: values and bounds."""
    return _joined(list(_hashes(codes, dictionary, starts, ends, w)))


def _hashes(codes: Codes, dictionary: UInt64s, starts: Int64s, ends: Int64s, w: int) -> Iterator[UInt64s]:
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        if not 0 <= start <= end <= len(codes):
            raise IndexError("outside of the codes")
        yield selection.hashes(dictionary[codes[start:end]], w, 0)


def _joined(found: list[UInt64s]) -> tuple[UInt64s, Int64s]:
    ends = np.cumsum([0, *map(len, found)]).astype(np.int64)
    return np.fromiter(chain.from_iterable(found), np.uint64, int(ends[-1])), ends
