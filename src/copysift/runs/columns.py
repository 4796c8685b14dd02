"""Arrow columns from NumPy arrays, by their buffers.

What a run writes needs no more than this; `pyarrow.compute` and masked arrays, which the plain way would
load, take as long to import as thousands of documents to sketch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from copysift import kernels
from copysift.runtime import heap

if TYPE_CHECKING:
    from numpy.typing import NDArray


def column(numbers: NDArray[Any]) -> pa.Array:
    """Give numbers as a column, without a copy."""
    held = np.ascontiguousarray(numbers)
    kind = pa.from_numpy_dtype(held.dtype)
    return pa.Array.from_buffers(kind, len(held), [None, pa.py_buffer(held)])


def flags(values: NDArray[np.bool_]) -> pa.Array:
    """Give truth values as a column."""
    return pa.Array.from_buffers(pa.bool_(), len(values), [None, _bits(values)])


def taken(strings: pa.StringArray, numbers: NDArray[Any]) -> pa.StringArray:
    """Give the strings at some places; a place below 0 is null."""
    _, ends, data = strings.buffers()
    wanted = np.ascontiguousarray(numbers, np.int64)
    known = wanted >= 0
    bounds = np.frombuffer(ends, np.int32)[strings.offset : strings.offset + len(strings) + 1]
    raw = np.frombuffer(data, np.uint8) if data is not None and data.size else np.zeros(0, np.uint8)
    got, got_ends = kernels.shingle.gather_strings(raw, bounds, wanted)
    valid = None if known.all() else _bits(known)
    return pa.StringArray.from_buffers(len(wanted), pa.py_buffer(got_ends), pa.py_buffer(got), valid)


def digests(strings: pa.StringArray) -> NDArray[np.uint64]:
    """Give a digest of every string; different digests, different strings."""
    _, ends, data = strings.buffers()
    bounds = np.frombuffer(ends, np.int32)[strings.offset : strings.offset + len(strings) + 1]
    raw = np.frombuffer(data, np.uint8) if data is not None and data.size else np.zeros(0, np.uint8)
    return kernels.shingle.content_digests(raw, bounds.astype(np.int64))


def release(above: int = 0) -> None:
    """Give memory that is free back to the system, that of Arrow and that of NumPy.

    A process that has no more than `above` bytes keeps it: to get pages again takes longer than most phases
    of a small corpus.
    """
    held = heap.resident()
    if held is not None and held <= above:
        return
    pa.default_memory_pool().release_unused()
    heap.trim()


def _bits(values: NDArray[np.bool_]) -> pa.Buffer:
    return pa.py_buffer(np.packbits(values, bitorder="little"))
