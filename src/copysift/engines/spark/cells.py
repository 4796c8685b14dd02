"""Pairs that are measured together, so that the sets of their documents travel once or twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F  # noqa: N812 - the name that every PySpark program uses

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from copysift.engines.spark.storage import Store


def cells_of(pairs: DataFrame, size: int, store: Store) -> DataFrame:
    """Put pairs that have documents in common into one cell, so that a set travels once or twice.

    The cell is the smallest neighbour of the left document; one of more than `size` pairs is divided by the
    right one. A row without a right document names a document whose set the cell needs.
    """
    both = pairs.toDF("of", "near").union(pairs.select("right", "left"))
    label = both.groupBy("of").agg(F.least(F.min("near"), F.col("of")).alias("label"))
    labelled = pairs.join(label, pairs["left"] == label["of"]).select("left", "right", "label")
    heavy = labelled.groupBy("label").count().where(F.col("count") > size)
    several = F.coalesce(F.ceil(F.col("count") / size), F.lit(1)).cast("long")
    cell = F.xxhash64("label", F.pmod(F.xxhash64("right"), several)).alias("cell")
    divided = store.keep(labelled.join(heavy, "label", "left").select(cell, "left", "right"), "divided")
    sides = divided.select("cell", "left").union(divided.select("cell", "right")).distinct()
    return divided.union(sides.withColumn("right", F.lit(None).cast("long")))
