"""Templates on Spark: the functions of `match/templates.py` between shuffles, as in the local engine.

Where a run keeps its sets in a folder, tasks read them there; elsewhere they are shipped to where the pairs
are.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as F  # noqa: N812 - the name that every PySpark program uses

from copysift.engines.spark import limits
from copysift.engines.spark import placement as placing
from copysift.engines.spark.census import read_common
from copysift.engines.spark.columns import Batches, chunks, numbers, signed, unpacked
from copysift.engines.spark.measures import MEASURES, PAIRS, measured_rows
from copysift.engines.spark.stars import components
from copysift.engines.spark.tasks import HELD, Task
from copysift.match.sets import MeasuredPairs
from copysift.match.templates import Texts, near_copies, without_templates
from copysift.runs.sets import Sets

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from copysift.engines.spark.corpus import SparkCorpus

Held = Callable[[MeasuredPairs, Texts], MeasuredPairs]
COLUMNS = tuple(MeasuredPairs.__dataclass_fields__)
FACTS = ("words", "places", "shingles")


def refine(corpus: SparkCorpus) -> dict[str, int]:
    """Write `refined`, the pairs without those of templates, if there are any; count what is left out."""
    store, most = corpus.store, corpus.settings.template
    sides = corpus.measured.select(F.col("left").alias("number")).union(corpus.measured.select("right"))
    crowd = sides.groupBy("number").count().where(F.col("count") >= most).select("number")
    if not most or not store.write(crowd, "crowd", documents=F.count("number"))["documents"]:
        return {"templates": 0, "templated": 0}
    crowd = store.read("crowd")
    left, right = crowd.toDF("left"), crowd.toDF("right")
    asked = store.keep(corpus.measured.join(left, "left").join(right, "right").select(*COLUMNS), "crowded")
    near = _task(corpus, asked, _near)
    edges = store.write(near.select("left", "right"), "near", edges=F.count("left"))["edges"]
    near = store.read("near")
    found, _ = components(near, edges, store, limits.TOGETHER)
    works = store.keep(
        crowd.join(found, "number", "left").select("number", F.coalesce("root", "number").alias("work")),
        "works",
    )
    held = corpus.sets().join(works, "number").mapInArrow(_entries, "shingle long, work long")
    counted = held.groupBy("shingle").agg(F.countDistinct("work").alias("documents"))
    name = placing.named("templates")
    common = store.write(counted.where(F.col("documents") > most), name, shingles=F.count("shingle"))
    with placing.placed(store, name) as table:
        assert table is not None
        one, two = works.toDF("left", "left_work"), works.toDF("right", "right_work")
        other = asked.join(one, "left").join(two, "right").where("left_work != right_work").select(*COLUMNS)
        again = _task(corpus, other, _without(corpus.settings.floor, table))
        rest = corpus.measured.join(other.select("left", "right"), ["left", "right"], "left_anti")
        kept = store.write(rest.select(*COLUMNS).union(again), "refined", pairs=F.count("left"))["pairs"]
    return {"templates": common["shingles"], "templated": corpus.counts["pairs"] - kept, "pairs": kept}


def _entries(batches: Batches) -> Batches:
    for batch in batches:
        values, bounds = unpacked(batch["values"], np.uint64)
        works = np.repeat(numbers(batch["work"]), np.diff(bounds))
        yield pa.RecordBatch.from_pydict({"shingle": signed(values), "work": pa.array(works)})


def _near(pairs: MeasuredPairs, texts: Texts) -> MeasuredPairs:
    return pairs.take(near_copies(pairs, texts))


def _without(floor: float, table: placing.PlacedTable) -> Held:
    def held(pairs: MeasuredPairs, texts: Texts) -> MeasuredPairs:
        common = read_common(table)
        return without_templates(pairs, texts.numbers, texts.values, texts.bounds, common, floor)

    return held


def _task(corpus: SparkCorpus, pairs: DataFrame, then: Held) -> DataFrame:
    """Give what a function makes of pairs and the texts of their documents."""
    if corpus.folder:
        divided = pairs.repartition("left").sortWithinPartitions("left")
        return divided.mapInArrow(_near_task(corpus.folder, then), MEASURES)
    heavy = pairs.groupBy("right").count().where(F.col("count") > limits.CELL)
    several = F.coalesce(F.ceil(F.col("count") / limits.CELL), F.lit(1)).cast("long")
    cell = F.xxhash64("right", F.pmod(F.xxhash64("left"), several)).alias("cell")
    cells = pairs.join(heavy, "right", "left").select(cell, *COLUMNS)
    wanted = (
        cells.select("cell", F.col("left").alias("number")).union(cells.select("cell", "right")).distinct()
    )
    texts = corpus.texts().join(wanted, "number").withColumnRenamed("number", "left")
    shipped = cells.unionByName(texts, allowMissingColumns=True)
    divided = shipped.repartition("cell").sortWithinPartitions("cell")
    return divided.mapInArrow(_cell_task(then), MEASURES)


def _near_task(folder: str, then: Held) -> Task:
    def task(batches: Batches) -> Batches:
        sets = Sets(Path(folder))
        for table in chunks(batches, "left", PAIRS):
            pairs = _ordered(table)
            sizes = sets.column("compared")
            total = np.cumsum(16 * (sizes[pairs.left] + sizes[pairs.right]))
            cuts = np.searchsorted(total, np.arange(HELD, int(total[-1]) + HELD, HELD)) + 1
            for some in np.split(np.arange(len(pairs)), np.unique(np.minimum(cuts, len(pairs)))):
                if len(some):
                    batch = pairs.take(some)
                    named = np.unique(np.concatenate([batch.left, batch.right]))
                    yield measured_rows(then(batch, sets.texts(named)))

    return task


def _cell_task(then: Held) -> Task:
    def task(batches: Batches) -> Batches:
        for table in chunks(batches, "cell", HELD):
            is_pair = table["right"].is_valid()
            documents = table.filter(pc.invert(is_pair))
            named, at = np.unique(numbers(documents["left"]), return_index=True)
            documents = documents.take(pa.array(at))
            values, bounds = unpacked(documents["values"], np.uint64)
            order, _ = unpacked(documents["in_order"], np.uint32)
            words, places, shingles = (numbers(documents[name]) for name in FACTS)
            shares = np.diff(bounds) / np.maximum(shingles, 1)
            texts = Texts(named, values, bounds, words, places, order, shares)
            yield measured_rows(then(_ordered(table.filter(is_pair)), texts))

    return task


def _ordered(table: pa.Table) -> MeasuredPairs:
    pairs = MeasuredPairs(*(table[name].to_numpy() for name in COLUMNS))
    return pairs.take(np.lexsort((pairs.right, pairs.left)))
