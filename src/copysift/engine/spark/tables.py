"""The tables of a run as DataFrames, with the columns of the local engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as F  # noqa: N812 - the name that every PySpark program uses

from copysift.cluster.classes import IDENTICAL
from copysift.cluster.classes import WORDS as SAME
from copysift.engine.corpus.tables import unique_ids
from copysift.engine.spark import clustering
from copysift.engine.spark.columns import Batches, numbers, runs

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from copysift.engine.spark.corpus import SparkCorpus

_TOLD_APART = "(~[0-9]+)+$"


def named_facts(corpus: SparkCorpus) -> DataFrame:
    """Give the facts of all documents, ids that came again told apart by a number."""
    facts = corpus.facts().drop("row", "content", "lexical", "class_key", "class_size")
    corpus.counts["renamed"] = 0
    stem = F.regexp_replace("id", _TOLD_APART, "")
    every = facts.select("number", "id", F.xxhash64(stem).alias("stem"))
    again = every.groupBy("id", "stem").count().where("count > 1").select("stem").distinct()
    if again.isEmpty():
        return facts
    shared = every.join(again, "stem").repartition("stem").sortWithinPartitions("stem", "number")
    renamed = corpus.store.keep(shared.mapInArrow(rename_task, "number long, new string"), "renamed")
    corpus.counts["renamed"] = renamed.count()
    corpus.counts["renamed_first"] = [row["new"] for row in renamed.orderBy("number").limit(1000).collect()]
    told = facts.join(renamed, "number", "left")
    return told.withColumn("id", F.coalesce("new", "id")).drop("new")


def rename_task(batches: Batches) -> Batches:
    """Tell ids apart that have the same stem; they come together, in order of documents."""
    for _, table in runs(batches, "stem"):
        ids = table["id"].combine_chunks()
        made, _ = unique_ids([ids])
        new = np.flatnonzero(
            np.asarray(pa.compute.not_equal(made, ids.cast(pa.string())).to_numpy(zero_copy_only=False))
        )
        yield pa.RecordBatch.from_pydict(
            {"number": pa.array(numbers(table["number"])[new]), "new": made.take(pa.array(new))}
        )


def documents(corpus: SparkCorpus, facts: DataFrame) -> DataFrame:
    """Give documents.parquet, with `number`."""
    names = facts.select(F.col("number").alias("first"), F.col("id").alias("same_as"))
    same = corpus.same.join(names, "first").select("number", "same_as", _word(F.col("how")).alias("same"))
    whole = facts.join(same, "number", "left")
    return whole.select(
        "number",
        F.col("id").alias("document"),
        F.col("id").alias("group"),
        F.lit("words").alias("kind"),
        "bytes",
        F.col("sampled").alias("fingerprints"),
        F.lit(None).cast("binary").alias("raw_name"),
        *("words", "shingles", "date", "other", "same_as", "same"),
    )


def pairs(corpus: SparkCorpus, facts: DataFrame) -> DataFrame:
    """Give pairs.parquet, with what orders it: documents that are the same first, then measured pairs."""
    one = F.lit(1.0)
    same = corpus.same.join(facts.select("number", "shingles"), "number").select(
        F.lit(0).alias("rank"),
        F.col("number").alias("place"),
        F.col("first").alias("left"),
        F.col("number").alias("right"),
        F.col("shingles").alias("shared"),
        *(one.alias(name) for name in ("resemblance", "containment_left", "containment_right")),
        (F.col("how") == IDENTICAL).alias("equal"),
    )
    found = corpus.measured.select(
        F.lit(1), F.col("left"), "left", "right", "shared", "resemblance", "containment_left",
        "containment_right", F.lit(False),
    )  # fmt: skip
    ids = facts.select("number", "id")
    whole = same.union(found)
    named = whole.join(ids.toDF("left", "left_id"), "left").join(ids.toDF("right", "right_id"), "right")
    nothing = F.lit(None).cast("long")
    return named.select(
        "rank",
        "place",
        F.col("right").alias("then"),
        F.col("left_id").alias("left"),
        F.col("right_id").alias("right"),
        *("shared", "resemblance", "containment_left", "containment_right"),
        F.greatest("containment_left", "containment_right").alias("similarity"),
        "equal",
        nothing.alias("longest"),
        nothing.alias("lines"),
    )


def clusters(corpus: SparkCorpus, facts: DataFrame) -> DataFrame:
    """Give clusters.parquet, with `root` and `number`, which order it."""
    roots = corpus.components()
    no_how = F.lit(0).alias("how")
    heads = roots.select(F.col("root").alias("number")).distinct()
    own = heads.select("number", F.col("number").alias("root"), no_how, F.lit(False).alias("near"))
    above = roots.select("number", "root", no_how, "near")
    # a document that was collapsed is where the one that stands for it is; alone the two are a cluster
    same = corpus.same.join(roots.select(F.col("number").alias("first"), "root"), "first", "left")
    same = same.select("number", F.coalesce("root", "first").alias("root"), "how", F.lit(False).alias("near"))
    lonely = same.select("root").distinct().join(own.select("root"), "root", "left_anti")
    lonely = lonely.select(F.col("root").alias("number"), "root", no_how, F.lit(False).alias("near"))
    whole = own.union(above).union(same).union(lonely)
    told = whole.mapInArrow(clustering.joined_task, "number long, root long, joined string")
    ids = facts.select("number", "id")
    named = told.join(ids, "number").join(ids.toDF("root", "cluster"), "root")
    return named.select(
        "root",
        "number",
        "cluster",
        F.col("id").alias("document"),
        F.col("cluster").alias("representative"),
        "joined",
    )


def _word(how: Column) -> Column:
    chosen = F.lit(None).cast("string")
    for code, word in enumerate(SAME):
        if code:
            chosen = F.when(how == code, word).otherwise(chosen)
    return chosen
