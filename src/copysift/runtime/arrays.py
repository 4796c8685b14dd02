"""What NumPy has but takes long for."""

from __future__ import annotations

import mmap
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import DTypeLike, NDArray

    Number = TypeVar("Number", bound=np.generic)


def distinct(values: NDArray[Number]) -> NDArray[Number]:
    """Give every value once, in order.

    `np.unique` hashes integers, which takes nine times as long or less, and loads masked arrays, which takes
    longer than comparing ten files.
    """
    kept = np.sort(values)
    return kept[heads(kept)]


def firsts(values: NDArray[Any]) -> NDArray[np.intp]:
    """Give the places where each value first is, in order; see `distinct` on `np.unique`."""
    order = values.argsort(kind="stable")
    places = order[heads(values[order])]
    places.sort()
    return places


def mapped(path: Path, kind: DTypeLike) -> NDArray[Any]:
    """Give the values of a file, which is not empty, where they lie; it is closed when the array goes.

    `np.memmap` needs the real path of the file first, which takes longer than to map it.
    """
    with path.open("rb", buffering=0) as file:
        return np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), kind)


def numbered(count: int) -> NDArray[np.signedinteger[Any]]:
    """Give 0, 1 …, in four bytes each where these are enough."""
    return np.arange(count, dtype=np.int32 if count <= np.iinfo(np.int32).max else np.int64)


def heads(ordered: NDArray[Any]) -> NDArray[np.bool_]:
    """Say which values are not the same as the one before."""
    new = np.empty(len(ordered), np.bool_)
    new[:1] = True
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    return new


def is_among(values: NDArray[Number], ordered: NDArray[Number]) -> NDArray[np.bool_]:
    """Say which values are among others that ascend; `np.isin` would sort those again."""
    if not len(ordered):
        return np.zeros(len(values), np.bool_)
    at = np.minimum(np.searchsorted(ordered, values), len(ordered) - 1)
    return np.asarray(ordered[at] == values)
