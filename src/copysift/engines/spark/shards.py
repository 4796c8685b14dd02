"""Where the shards of an output start: each takes an equal share of what stays, in order of input."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as F  # noqa: N812 - the name that every PySpark program uses

from copysift.engines.spark.columns import Batches, numbers, runs
from copysift.engines.spark.tasks import Task

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pyspark.sql import DataFrame, SparkSession

    from copysift.engines.spark.corpus import SparkCorpus

BLOCK = 16  # bits of a number inside its block


def edges(corpus: SparkCorpus, removed: DataFrame, first: int, shards: int) -> NDArray[np.int64]:
    """Give the first rows of all shards but the first; documents from number `first` on are written.

    The driver counts by blocks of documents; where inside of a block a shard starts is found by a task.
    """
    if shards == 1:
        return np.zeros(0, np.int64)
    count = corpus.counts["documents"]
    block = F.shiftright("number", BLOCK).alias("block")
    gone = {row["block"]: row["count"] for row in removed.groupBy(block).count().collect()}
    blocks = np.arange(first >> BLOCK, (count >> BLOCK) + 1)
    starts = np.maximum(blocks << BLOCK, first)
    kept = np.minimum((blocks + 1) << BLOCK, count) - starts
    kept -= np.array([gone.get(each, 0) for each in blocks.tolist()], np.int64)
    ends = np.cumsum(kept)
    if not ends[-1]:
        return np.zeros(0, np.int64)
    wanted = np.arange(1, shards) * int(ends[-1]) // shards  # these documents, of those that stay, begin one
    at = np.minimum(np.searchsorted(ends, wanted, side="right"), len(blocks) - 1)
    asked: dict[int, list[int]] = {}
    for place, skip in zip(at.tolist(), (wanted - (ends - kept)[at]).tolist(), strict=True):
        asked.setdefault(int(blocks[place]), []).append(skip)
    some = removed.select(block, "number").where(F.col("block").isin([*asked]))
    told = some.repartition("block").sortWithinPartitions("block").mapInArrow(_begin(asked, first), "of long")
    begin = [row["of"] for row in told.collect()] if gone else []
    for each in asked.keys() - gone.keys():  # nobody goes from these
        begin += [max(each << BLOCK, first) + skip for skip in asked[each]]
    return np.array([_row(corpus.numbers.offsets, number) for number in sorted(begin)], np.int64)


def _begin(asked: dict[int, list[int]], first: int) -> Task:
    """Give the numbers of the documents before which this many others of their block stay."""

    def task(batches: Batches) -> Batches:
        for block, table in runs(batches, "block"):
            start = max(block << BLOCK, first)
            stays = np.setdiff1d(np.arange(start, (block + 1) << BLOCK), numbers(table["number"]))
            yield pa.RecordBatch.from_pydict({"of": pa.array(stays[np.array(asked[block])])})

    return task


def _row(offsets: list[Any], number: int) -> int:
    """Give the row of a document."""
    place = bisect_right(offsets, number, key=lambda offset: offset[1]) - 1
    part, before = offsets[place]
    return int(part) << 32 | (number - int(before))


def divided(spark: SparkSession, records: DataFrame, shards: int) -> DataFrame:
    """Bring the records of shard n to partition n, in order."""
    if shards == 1:
        return records.repartition(1).sortWithinPartitions("number")
    # Spark hashes what it divides by: look for a key of every partition
    tried = spark.range(0, 64 * shards).select("id", F.expr(f"pmod(hash(id), {shards})").alias("part"))
    keys = {row["part"]: row["key"] for row in tried.groupBy("part").agg(F.min("id").alias("key")).collect()}
    spelled = spark.createDataFrame([*keys.items()], "shard int, key long")
    keyed = records.join(F.broadcast(spelled), "shard")
    return keyed.repartition(shards, "key").sortWithinPartitions("number")
