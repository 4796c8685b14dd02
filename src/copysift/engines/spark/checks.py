"""Measure pairs that a decision needs, exactly: their sets are brought to where the pairs are."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from pyspark.sql import functions as F  # noqa: N812 - the name that every PySpark program uses

from copysift.engines.spark import limits
from copysift.engines.spark import measures as measuring

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from copysift.engines.spark.corpus import SparkCorpus


def check(corpus: SparkCorpus, pairs: DataFrame, count: int) -> DataFrame:
    """Give pairs (left, right) with their measures; a cell has pairs with the same right document."""
    heavy = pairs.groupBy("right").count().where(F.col("count") > limits.CELL)
    several = F.coalesce(F.ceil(F.col("count") / limits.CELL), F.lit(1)).cast("long")
    cell = F.xxhash64("right", F.pmod(F.xxhash64("left"), several)).alias("cell")
    cells = pairs.join(heavy, "right", "left").select(cell, "left", "right")
    wanted = cells.select("cell", F.col("left").alias("number")).union(cells.select("cell", "right"))
    wanted = wanted.distinct()
    nothing, no_set = F.lit(None).cast("long").alias("right"), F.lit(None).cast("binary").alias("values")
    shipped = (
        sets(corpus, wanted, 2 * count)
        .select("cell", F.col("number").alias("left"), nothing, "values")
        .union(cells.select("cell", "left", "right", no_set))
    )
    exact = dataclasses.replace(corpus.settings, estimate=False, floor=0.0)
    divided = shipped.repartition("cell").sortWithinPartitions("cell")
    return divided.mapInArrow(measuring.measure_task(exact), measuring.MEASURES)


def sets(corpus: SparkCorpus, wanted: DataFrame, most: int) -> DataFrame:
    """Give the rows that request the set of a document by `number`; at most this many rows do."""
    return corpus.sets().join(F.broadcast(wanted) if most <= limits.SENT else wanted, "number")
