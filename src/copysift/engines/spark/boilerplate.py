"""Boilerplate on Spark: the jobs that find it and leave it out, between the tasks of `census.py`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F  # noqa: N812 - the name that every PySpark program uses

from copysift.engines.spark import census
from copysift.engines.spark import placement as placing
from copysift.engines.spark.filters import Filter
from copysift.engines.spark.sketch_tasks import DOCUMENT
from copysift.fingerprints import shingles as sketching
from copysift.runs.sketches import drop_census

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from copysift.engines.spark.corpus import SparkCorpus


def leave_out(corpus: SparkCorpus) -> dict[str, Any]:
    """Find what too many documents have, and write `lighter`, the sets without it; count both."""
    if corpus.folder:
        drop_census(Path(corpus.folder))  # of a run that was cut off here
    rows = corpus.sketched.where("shingles > 0")
    every = corpus.with_values(rows.select("row", "values"))
    full = every.join(corpus.hinted(corpus.same.select("number")), "number", "left_anti")
    found, words = census.marks(full, corpus.counts["shingles"], corpus.settings)
    name = placing.named("marks")
    corpus.store.write(found, name)
    with placing.placed(corpus.store, name) as table:
        marks = Filter(table, words)  # type: ignore[arg-type]
        common = corpus.store.write(
            census.common(full, marks, corpus.settings), "common", ignored=F.count("shingle")
        )
    if not common["ignored"]:
        return common
    left = common | {"commonest": census.first_holders(full, corpus.store.read("common"))}
    name = placing.named("boilerplate")
    corpus.store.write(corpus.store.read("common"), name)
    with placing.placed(corpus.store, name) as table:
        lighter = _lightened(corpus, table)  # type: ignore[arg-type]
        fine = F.col("compared") < sketching.ENOUGH * corpus.settings.modulus
        left |= corpus.store.write(
            lighter,
            "lighter",
            having=F.count_if(F.col("state") > 0),
            buried=F.count_if(F.col("state") == census.BURIED),
            compared=F.sum("compared"),
            fingerprints=F.sum("sampled"),
            fine=F.sum(F.when(fine, F.col("sampled")).otherwise(0)),
        )
    return left


def _lightened(corpus: SparkCorpus, table: placing.PlacedTable) -> DataFrame:
    """Give all documents without boilerplate; in a folder part by part."""
    if not corpus.folder:
        rows = corpus.sketched.where(DOCUMENT).select("row", "words", "places", "values", "in_order")
        return rows.mapInArrow(census.lighter_task(corpus.settings, table), census.LIGHTER)
    parts = len(corpus.numbers.offsets)
    each = corpus.spark.range(0, max(parts, 1), 1, max(parts, 1)).where(F.col("id") < parts)
    return each.mapInArrow(census.lighter_parts_task(corpus.settings, table, corpus.folder), census.LIGHTER)
