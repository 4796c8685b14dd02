"""Connected components by alternating large-star and small-star (Kiveris et al. 2014), in shuffles.

Each round hangs documents below smaller ones; no task ever holds the neighbours of one document, only
their minimum is formed, in the map side first. Before a round every part joins what it has by the local
`roots`, so that few rounds are left. The first document of a component is its root.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from pyspark.sql import functions as F  # noqa: N812 - the name that every PySpark program uses

from copysift.engines.spark.components import contract_task, policy_task

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from copysift.engines.spark.storage import Store

logger = logging.getLogger("copysift.spark")
EDGES = "one long, other long"  # one > other
ROUNDS = 64  # log²(n) is the proven bound; graphs of documents take a handful


def components(edges: DataFrame, count: int, store: Store, part: int) -> tuple[DataFrame, int]:
    """Give (number, root) of every document that edges (left, right) connect, and the rounds it took.

    A round is one job, which starts from what the last one stored and sums up what it stores itself; a round
    that changes nothing is the last.
    """
    parts = -(-count // part)
    stars = edges.select(F.greatest("left", "right").alias("one"), F.least("left", "right").alias("other"))
    before = store.write(_contracted(stars, parts), "stars-0", **_look())
    done = 0
    while parts > 1:
        done += 1
        if done > ROUNDS:
            raise RuntimeError(f"the components have not settled after {ROUNDS} rounds")
        stars = _small(_large(store.read(f"stars-{done - 1}")))
        after = store.write(_contracted(stars, parts), f"stars-{done}", **_look())
        logger.info("components: round %d leaves %d edges", done, after["edges"])
        if after == before:
            break
        before = after
    found = store.read(f"stars-{done}")
    return found.select(F.col("one").alias("number"), F.col("other").alias("root")), done


def _look() -> dict[str, Column]:
    """Give sums that a round which changes nothing leaves as they are."""
    return {"edges": F.count("one"), "sum": F.sum(F.xxhash64("one", "other").cast("decimal(38,0)"))}


def _contracted(edges: DataFrame, parts: int) -> DataFrame:
    divided = edges.coalesce(1) if parts <= 1 else edges.repartition(parts, "other")
    return divided.mapInArrow(contract_task, EDGES)


def _large(edges: DataFrame) -> DataFrame:
    """Hang the larger neighbours of every document below its smallest."""
    both = edges.union(edges.select("other", "one")).toDF("of", "near")
    least = both.groupBy("of").agg(F.least(F.min("near"), F.col("of")).alias("to"))
    larger = (
        both.where("near > of")
        .join(least, "of")
        .select(F.col("near").alias("one"), F.col("to").alias("other"))
    )
    return larger.where("one > other").distinct()


def _small(edges: DataFrame) -> DataFrame:
    """Hang a document and its smaller neighbours below the smallest of them."""
    least = edges.groupBy("one").agg(F.min("other").alias("to"))
    rest = (
        edges.join(least, "one")
        .where("other > to")
        .select(F.col("other").alias("one"), F.col("to").alias("other"))
    )
    return rest.union(least.select("one", F.col("to").alias("other"))).distinct()


def by_policy(edges: DataFrame, found: DataFrame, policy: str) -> DataFrame:
    """Divide components into clusters by a policy: (number, root) of those that are not their own root."""
    rooted = edges.join(found, edges["left"] == found["number"], "left")
    root = F.coalesce(F.col("root"), F.col("left")).alias("root")
    whole = rooted.select("left", "right", root).repartition("root").sortWithinPartitions("root")
    heads = whole.mapInArrow(policy_task(policy), "number long, root long")
    return heads.where("number != root")


def nearness(edges: DataFrame, found: DataFrame) -> DataFrame:
    """Say which documents resemble one of their cluster."""
    close = edges.where("near").select("left", "right")
    one, other = found.toDF("left", "left_root"), found.toDF("right", "right_root")
    rooted = close.join(one, "left", "left").join(other, "right", "left")
    same = rooted.where(F.coalesce("left_root", "left") == F.coalesce("right_root", "right"))
    near = same.select(F.col("left").alias("number")).union(same.select("right")).distinct()
    near = near.withColumn("near", F.lit(True))
    return found.join(near, "number", "left").select(
        "number", "root", F.coalesce("near", F.lit(False)).alias("near")
    )
