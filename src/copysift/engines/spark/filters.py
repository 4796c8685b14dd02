"""The filter of what finer samples have: made by tasks in blocks, merged by tasks, and read by tasks.

It shows long documents which shingles short ones look for others by.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from copysift import kernels
from copysift.engines.spark.columns import Batches, numbers, runs, unpacked
from copysift.engines.spark.placement import PlacedTable

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pyspark.sql import DataFrame

    UInt64s = NDArray[np.uint64]

BLOCK = 1 << 13  # words of the filter in a row
MERGED = 1 << 20  # words that a task merges, and that a file has
BLOCKS = "block int, bits binary"


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter of this many words, whose table has the blocks that are not empty."""

    table: PlacedTable
    words: int

    def read(self) -> UInt64s:
        """Read it inside a task."""
        return _read(self)


@functools.lru_cache(maxsize=1)
def _read(known: Filter) -> UInt64s:
    bits = np.zeros(known.words, np.uint64)
    for table in known.table.tables():
        values, bounds = unpacked(table["bits"], np.uint64)
        for row, block in enumerate(numbers(table["block"]).tolist()):
            some = values[bounds[row] : bounds[row + 1]]
            bits[block * BLOCK : block * BLOCK + len(some)] = some
    return bits


def blocks(probes: DataFrame, words: int) -> DataFrame:
    """Give the blocks of the filter that shingles make, merged."""
    parts = -(-words // MERGED)
    made = probes.mapInArrow(_note_task(words), BLOCKS)
    return made.repartition(parts, "block").sortWithinPartitions("block").mapInArrow(_merge_task, BLOCKS)


def _note_task(words: int) -> Callable[[Batches], Batches]:
    """Note shingles in a filter of this many words; give the blocks that have any."""

    def task(batches: Batches) -> Batches:
        bits = np.zeros(words, np.uint64)
        for batch in batches:
            kernels.shingle.note(bits, unpacked(batch["probes"], np.uint64)[0])
        for start in range(0, words, BLOCK):
            block = bits[start : start + BLOCK]
            if block.any():
                yield _row(start // BLOCK, block)

    return task


def _merge_task(batches: Batches) -> Batches:
    """Merge the blocks of filters, which come in order."""
    for block, table in runs(batches, "block"):
        values, bounds = unpacked(table["bits"], np.uint64)
        yield _row(block, np.bitwise_or.reduce(values.reshape(len(bounds) - 1, -1), axis=0))


def _row(block: int, bits: UInt64s) -> pa.RecordBatch:
    return pa.RecordBatch.from_pydict({"block": pa.array([block], pa.int32()), "bits": [bits.tobytes()]})
