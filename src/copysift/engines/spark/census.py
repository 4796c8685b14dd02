"""The census on Spark: cells are counted by tasks, full cells by name, and boilerplate leaves the sets.

Where a run keeps its sets in a folder, each part is written again without boilerplate; elsewhere the table
`lighter` has the sets. The stage functions are those of `join/boilerplate.py`, as in the local engine.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as F  # noqa: N812 - the name that every PySpark program uses

from copysift import kernels
from copysift.engines import census
from copysift.engines.spark.columns import Batches, numbers, packed, runs, signed, unpacked, unsigned
from copysift.engines.spark.filters import BLOCK, BLOCKS, MERGED, Filter
from copysift.engines.spark.placement import PlacedTable
from copysift.engines.spark.sketch_tasks import probes_column
from copysift.fingerprints import shingles as sketching
from copysift.join.boilerplate import Boilerplate, marks_of, new_cells, order_of, tally
from copysift.join.lists import COMMONEST
from copysift.runs.sets import Sets
from copysift.runs.sketches import Places
from copysift.settings.corpus import CorpusSettings

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pyspark.sql import DataFrame

    Int64s = NDArray[np.int64]
    UInt64s = NDArray[np.uint64]

Task = Callable[[Batches], Batches]
CELLS = 64 << 20  # bytes of the cells that a task counts in, at most
COUNTED = "shingle long, documents long"
LIGHTER = "row long, compared long, sampled long, state int, values binary, probes binary"
CHANGED, BURIED = 1, 2  # states of documents with boilerplate


def marks(sets: DataFrame, keys: int, settings: CorpusSettings) -> tuple[DataFrame, int]:
    """Give the blocks of the marks of full cells, and how many words all have."""
    count = len(new_cells(keys, settings.most_shared(), CELLS))
    counted = sets.mapInArrow(_count_task(count), "piece int, counts binary")
    parts = max(1, count // (64 * MERGED))
    merged = counted.repartition(parts, "piece").sortWithinPartitions("piece")
    return merged.mapInArrow(_mark_task(settings.most_shared()), BLOCKS), max(count // 64, 1)


def _count_task(count: int) -> Task:
    def task(batches: Batches) -> Batches:
        cells = np.zeros(count, np.uint32)
        for batch in batches:
            values, bounds = unpacked(batch["values"], np.uint64)
            kernels.shingle.count(cells, values, bounds, np.ones(len(bounds) - 1, np.uint8))
        size = min(count, BLOCK * 64)
        for piece in range(count // size):
            some = cells[piece * size : (piece + 1) * size]
            if some.any():
                yield pa.RecordBatch.from_pydict(
                    {"piece": pa.array([piece], pa.int32()), "counts": pa.array([some.tobytes()])}
                )

    return task


def _mark_task(max_shared: int) -> Task:
    """Add up the counts of each piece, which is a block of the marks."""

    def task(batches: Batches) -> Batches:
        for piece, table in runs(batches, "piece"):
            total = sum(
                np.frombuffer(each, np.uint32).astype(np.uint64) for each in table["counts"].to_pylist()
            )
            found = marks_of(np.asarray(total), max_shared)
            if found.any():
                yield pa.RecordBatch.from_pydict(
                    {"block": pa.array([piece], pa.int32()), "bits": pa.array([found.tobytes()])}
                )

    return task


def common(sets: DataFrame, known: Filter, settings: CorpusSettings) -> DataFrame:
    """Give the shingles of more than --max-shared documents, and in how many they are."""

    def task(batches: Batches) -> Batches:
        bits = known.read()
        held: list[UInt64s] = []
        for batch in batches:
            values, bounds = unpacked(batch["values"], np.uint64)
            held.append(kernels.shingle.marked(bits, values, bounds, np.ones(len(bounds) - 1, np.uint8))[0])
            if sum(map(len, held)) > 1 << 20:
                yield _counted(held)
                held = []
        yield _counted(held)

    summed = sets.mapInArrow(task, COUNTED).groupBy("shingle").agg(F.sum("documents").alias("documents"))
    return summed.where(F.col("documents") > settings.most_shared())


def _counted(held: list[UInt64s]) -> pa.RecordBatch:
    found, counts = tally(np.concatenate([np.zeros(0, np.uint64), *held]))
    return pa.RecordBatch.from_pydict({"shingle": signed(found), "documents": pa.array(counts)})


@functools.lru_cache(maxsize=1)
def read_common(table: PlacedTable) -> Boilerplate:
    """Read the boilerplate inside a task."""
    tables = [*table.tables()]
    hashes = np.concatenate([np.zeros(0, np.uint64), *(unsigned(each["shingle"]) for each in tables)])
    documents = np.concatenate([np.zeros(0, np.int64), *(numbers(each["documents"]) for each in tables)])
    order = np.argsort(hashes)
    return Boilerplate(hashes[order], documents[order])


def first_holders(sets: DataFrame, table: DataFrame) -> list[list[int]]:
    """Name the commonest shingles: hash, documents, first document."""
    order = (F.col("documents").desc(), F.col("shingle") < 0, F.col("shingle"))  # unsigned
    few = table.orderBy(*order).limit(COMMONEST).collect()
    told = [(row["shingle"] % 2**64, row["documents"]) for row in few]
    hashes = np.sort(np.array([each for each, _ in told], np.uint64))

    def task(batches: Batches) -> Batches:
        for batch in batches:
            values, bounds = unpacked(batch["values"], np.uint64)
            at = census.holders(values, bounds, np.ones(len(bounds) - 1, np.bool_), hashes)
            found = np.flatnonzero(at >= 0)
            yield pa.RecordBatch.from_pydict(
                {"shingle": signed(hashes[found]), "number": pa.array(numbers(batch["number"])[at[found]])}
            )

    held = (
        sets.mapInArrow(task, "shingle long, number long").groupBy("shingle").agg(F.min("number").alias("n"))
    )
    first = {row["shingle"] % 2**64: row["n"] for row in held.collect()}
    return [[each, documents, first[each]] for each, documents in told]


def lighter_task(settings: CorpusSettings, table: PlacedTable) -> Task:
    """Leave boilerplate out of sets that come in a column."""

    def task(batches: Batches) -> Batches:
        known = read_common(table)
        for batch in batches:
            values, bounds = unpacked(batch["values"], np.uint64)
            order = unpacked(batch["in_order"], np.uint32)[0]
            words, places = numbers(batch["words"]), numbers(batch["places"])
            found = known.without(values, bounds, words, places, order_of(order, places))
            sizes = np.diff(bounds)
            sizes[found.changed] = np.diff(found.bounds)
            starts = bounds[:-1].copy()
            starts[found.changed] = found.bounds[:-1]
            source = np.zeros(len(sizes), np.int64)
            source[found.changed] = 1
            left = Places([values, found.values], source, starts, starts + sizes)
            yield from _rows(numbers(batch["row"]), left, _states(found, len(sizes)), settings, keep=True)

    return task


def lighter_parts_task(settings: CorpusSettings, table: PlacedTable, folder: str) -> Task:
    """Leave boilerplate out of the sets of parts in a folder."""

    def task(batches: Batches) -> Batches:
        known, sets = read_common(table), Sets(Path(folder))
        for batch in batches:
            for part in batch["id"].to_pylist():
                found, sizes = sets.settle(part, known)
                rows = (part << 32) + np.arange(len(sizes))
                yield from _rows(rows, sets.places(part), _states(found, len(sizes)), settings, keep=False)

    return task


def _states(found: Any, count: int) -> NDArray[np.int32]:
    states = np.zeros(count, np.int32)
    states[found.changed], states[found.buried] = CHANGED, BURIED
    return states


def _rows(
    rows: Int64s, places: Places, states: NDArray[np.int32], settings: CorpusSettings, *, keep: bool
) -> Iterator[pa.RecordBatch]:
    sizes = places.ends - places.starts
    by = sketching.moduli(sizes, settings.modulus)
    if not len(rows):
        return
    sampled = kernels.shingle.samples_among(*places, by)[2]
    values = packed(*places.gathered()) if keep else pa.nulls(len(rows), pa.binary())
    yield pa.RecordBatch.from_pydict(
        {
            "row": pa.array(rows),
            "compared": pa.array(sizes),
            "sampled": pa.array(sampled),
            "state": pa.array(states),
            "values": values,
            "probes": probes_column(places, sizes, settings.modulus),
        }
    )
