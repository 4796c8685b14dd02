"""Arrays as Arrow columns that Spark moves: a row carries many numbers as bytes, so that rows are few.

Spark has no unsigned integers: 64-bit hashes travel as signed ones of the same bits, or inside bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Int64s = NDArray[np.int64]
    UInt64s = NDArray[np.uint64]

Batches = Iterator[pa.RecordBatch]


def signed(values: NDArray[np.uint64]) -> pa.Array:
    """Give 64-bit hashes as signed numbers of the same bits."""
    return pa.array(np.ascontiguousarray(values).view(np.int64))


def unsigned(column: pa.Array | pa.ChunkedArray) -> UInt64s:
    """Give the hashes back."""
    return np.ascontiguousarray(numbers(column)).view(np.uint64)


def numbers(column: pa.Array | pa.ChunkedArray) -> Int64s:
    """Give a column of whole numbers."""
    return np.asarray(_whole(column).to_numpy(zero_copy_only=False), dtype=np.int64)


def packed(values: NDArray[Any], bounds: Int64s) -> pa.Array:
    """Give values[bounds[i]:bounds[i + 1]] as the bytes of row i."""
    width = values.dtype.itemsize
    ends = np.asarray((bounds - bounds[0]) * width, np.int64)
    data = np.ascontiguousarray(values[bounds[0] : bounds[-1]])
    if ends[-1] >= 2**31:
        raise OverflowError("a batch of over 2 GB: read smaller batches")
    return pa.Array.from_buffers(
        pa.binary(), len(bounds) - 1, [None, pa.py_buffer(ends.astype(np.int32)), pa.py_buffer(data)]
    )


def unpacked(column: pa.Array | pa.ChunkedArray, kind: Any) -> tuple[NDArray[Any], Int64s]:
    """Give the values of all rows one after another, and the bounds of the rows."""
    whole = _whole(column)
    if not len(whole):
        return np.zeros(0, kind), np.zeros(1, np.int64)
    wide = pa.types.is_large_binary(whole.type)
    _, offsets, data = whole.buffers()
    ends = np.frombuffer(offsets, np.int64 if wide else np.int32)[
        whole.offset : whole.offset + len(whole) + 1
    ]
    ends = ends.astype(np.int64)
    width = np.dtype(kind).itemsize
    if data is None or ends[-1] == ends[0]:
        return np.zeros(0, kind), np.zeros(len(ends), np.int64)
    flat = np.frombuffer(memoryview(data)[int(ends[0]) : int(ends[-1])], kind)
    return flat, (ends - ends[0]) // width


def runs(batches: Batches, key: str) -> Iterator[tuple[int, pa.Table]]:
    """Give the rows of each key together; rows come in order of the key, over any number of batches."""
    held: list[pa.RecordBatch] = []
    current: int | None = None
    for batch in batches:
        keys = numbers(batch.column(batch.schema.get_field_index(key)))
        if not len(keys):
            continue
        cuts = np.concatenate([[0], np.flatnonzero(np.diff(keys)) + 1, [len(keys)]])
        for start, end in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
            if current is not None and int(keys[start]) != current:
                yield current, pa.Table.from_batches(held)
                held = []
            current = int(keys[start])
            held.append(batch.slice(start, end - start))
    if current is not None:
        yield current, pa.Table.from_batches(held)


def held(batches: Batches, most: int) -> Iterator[pa.Table]:
    """Give rows together, when about `most` bytes are held."""
    some: list[pa.RecordBatch] = []
    size = 0
    for batch in batches:
        some.append(batch)
        size += batch.nbytes
        if size > most:
            yield pa.Table.from_batches(some)
            some, size = [], 0
    if some:
        yield pa.Table.from_batches(some)


def place_in(known: UInt64s, values: UInt64s) -> Int64s:
    """Give the place of each value among known ones, which are in order; -1 if it is not there."""
    if not len(known):
        return np.full(len(values), -1)
    at = np.minimum(np.searchsorted(known, values), len(known) - 1)
    return np.where(known[at] == values, at, -1)


def chunks(batches: Batches, key: str, most: int) -> Iterator[pa.Table]:
    """Give the rows of several keys together, whole keys, a chunk when about `most` bytes are held.

    Rows come in order of the key; one key may pass the limit alone.
    """
    held: list[pa.RecordBatch] = []
    size = 0
    for batch in batches:
        if not len(batch):
            continue
        if size > most:
            keys = numbers(batch[key])
            last = numbers(held[-1][key])[-1]
            cut = int(np.searchsorted(keys, last, side="right")) if keys[0] == last else 0
            held.append(batch.slice(0, cut))
            if cut == len(batch):
                continue  # the key goes on
            yield pa.Table.from_batches(held)
            held, size = [], 0
            batch = batch.slice(cut)
        held.append(batch)
        size += batch.nbytes
    if held:
        yield pa.Table.from_batches(held)


def _whole(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    if not isinstance(column, pa.ChunkedArray):
        return column
    whole = column.combine_chunks()
    return whole.combine_chunks() if isinstance(whole, pa.ChunkedArray) else whole
