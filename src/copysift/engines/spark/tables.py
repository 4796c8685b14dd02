"""The tables of a run as DataFrames, with the columns of the local engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as F  # noqa: N812 - the name that every PySpark program uses

from copysift.clusters.classes import IDENTICAL
from copysift.clusters.classes import WORDS as SAME
from copysift.engines.spark import components as clustering
from copysift.engines.spark.columns import Batches, numbers, runs
from copysift.runs.tables import unique_ids

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from copysift.engines.spark.corpus import SparkCorpus

_TOLD_APART = "(~[0-9]+)+$"


def names(corpus: SparkCorpus) -> DataFrame:
    """Give (number, id) of all documents, ids that came again distinguished by a number."""
    with corpus.phase("names") as left:
        if left is not None:
            stem = F.xxhash64(F.regexp_replace("id", _TOLD_APART, "")).alias("stem")
            every = corpus.facts("id").select("number", "id", stem)
            divided = every.repartition(corpus.parts(64 * corpus.counts["documents"]), "stem")
            named = divided.sortWithinPartitions("stem", "number").mapInArrow(
                rename_task, "number long, id string, again boolean"
            )
            left |= corpus.store.write(named, "names", renamed=F.count_if("again"))
            if left["renamed"]:
                again = corpus.store.read("names").where("again").orderBy("number").limit(1000)
                left["renamed_first"] = [row["id"] for row in again.collect()]
    corpus.counts |= corpus.store.left("names")
    return corpus.store.read("names").select("number", "id")


def sizes() -> dict[str, Column]:
    """Give what is counted of the clusters while they are written."""
    first = F.count_if(F.col("joined") == "representative")
    return {"clustered": F.count("document"), "clusters": first}


def rename_task(batches: Batches) -> Batches:
    """Distinguish ids that have the same stem; they come together, in order of documents."""
    held: pa.Table | None = None
    for batch in batches:
        if not len(batch):
            continue
        table = pa.Table.from_batches([batch])
        table = table if held is None else pa.concat_tables([held, table])
        stems = numbers(table["stem"])
        whole = int(np.searchsorted(stems, stems[-1]))  # the last stem may go on in the next batch
        yield from _renamed(table.slice(0, whole))
        held = table.slice(whole)
    if held is not None:
        yield from _renamed(held)


def _renamed(table: pa.Table) -> Batches:
    if not len(table):
        return
    stems = numbers(table["stem"])
    starts = np.flatnonzero(np.concatenate([[True], stems[1:] != stems[:-1]]))
    several = np.repeat(np.diff(np.append(starts, len(stems))) > 1, np.diff(np.append(starts, len(stems))))
    alone = table.filter(pa.array(~several)).select(["number", "id"])
    none = pa.array(np.zeros(len(alone), np.bool_))
    yield from alone.append_column("again", none).to_batches()
    for _, some in runs(iter(table.filter(pa.array(several)).to_batches()), "stem"):
        ids = some["id"].combine_chunks().cast(pa.string())
        made, _ = unique_ids([ids])
        again = pc.not_equal(made, ids)
        yield pa.RecordBatch.from_pydict(
            {"number": some["number"].combine_chunks(), "id": made, "again": again}
        )


def documents(corpus: SparkCorpus, ids: DataFrame) -> DataFrame:
    """Give documents.parquet, with `number`."""
    facts = corpus.counted_facts(*FACTS, *(["id"] if not corpus.counts["renamed"] else []))
    if corpus.counts["renamed"]:
        facts = facts.join(ids, "number")
    first = ids.select(F.col("number").alias("first"), F.col("id").alias("same_as"))
    same = corpus.same.join(first, "first").select("number", "same_as", word(F.col("how")).alias("same"))
    whole = facts.join(corpus.hinted(same), "number", "left")
    return whole.select(
        "number",
        F.col("id").alias("document"),
        F.col("id").alias("group"),
        "kind",
        "bytes",
        F.col("sampled").alias("fingerprints"),
        F.lit(None).cast("binary").alias("raw_name"),
        *("words", "shingles", "compared", "date", "other", "same_as", "same"),
    )


FACTS = ("kind", "bytes", "words", "shingles", "date", "other")


def pairs(corpus: SparkCorpus, ids: DataFrame) -> DataFrame:
    """Give pairs.parquet, with what orders it: documents that are the same first, then measured pairs."""
    one = F.lit(1.0)
    same = corpus.same.join(corpus.facts("shingles"), "number").select(
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


def clusters(corpus: SparkCorpus, roots: DataFrame, ids: DataFrame) -> DataFrame:
    """Give clusters.parquet, with `root` and `number`, which order it."""
    no_how, far = F.lit(0).alias("how"), F.lit(False).alias("near")
    # a document that was collapsed is where the one that stands for it is; alone the two are a cluster
    same = corpus.same.join(roots.select(F.col("number").alias("first"), "root"), "first", "left")
    lonely = same.where("root is null").select("first").distinct()
    whole = (
        roots.select("number", "root", no_how, "near")
        .union(same.select("number", F.coalesce("root", "first"), "how", far))
        .union(lonely.select("first", F.col("first"), no_how, far))
    )
    told = whole.mapInArrow(clustering.joined_task, "number long, root long, joined string")
    named = told.join(ids, "number").join(ids.toDF("root", "cluster"), "root")
    return named.select(
        "root",
        "number",
        "cluster",
        F.col("id").alias("document"),
        F.col("cluster").alias("representative"),
        "joined",
    )


def word(how: Column) -> Column:
    """Spell how two documents are the same."""
    chosen = F.lit(None).cast("string")
    for code, word in enumerate(SAME):
        if code:
            chosen = F.when(how == code, word).otherwise(chosen)
    return chosen
