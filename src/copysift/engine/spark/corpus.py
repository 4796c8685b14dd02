"""The phases on Spark: which shuffles stand between the stage functions. Only counts reach the driver.

Documents are numbered in order of input; numbers have 32 bits, as in the local engine. What a phase leaves is
stored, so that a run that was cut off goes on after it.
"""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from pyspark.sql import functions as F  # noqa: N812 - the name that every PySpark program uses

from copysift.engine.progress import Progress, Silent
from copysift.engine.spark import clustering, tasks
from copysift.engine.spark.stars import components as connected
from copysift.errors import UsageError
from copysift.fingerprint import shingles as sketching
from copysift.index import lists
from copysift.settings_corpus import CorpusSettings

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from copysift.engine.spark.store import Store

logger = logging.getLogger("copysift.spark")

BUCKET = 1 << 20  # entries, or pairs, that one group of a task holds, about
CELL = 4096  # pairs that are measured together, about
TOGETHER = 2_000_000  # pairs that one task may put into cells, or into clusters, by itself
CONF = {
    "spark.sql.adaptive.enabled": "true",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "4096",
    "spark.sql.execution.arrow.maxBytesPerBatch": str(32 << 20),
    "spark.sql.parquet.compression.codec": "lz4_raw",
}


class SparkCorpus:
    """One run of the phases; `sketches` makes the sketched rows, `order` the columns that order them."""

    def __init__(
        self,
        spark: SparkSession,
        store: Store,
        settings: CorpusSettings,
        sketches: Callable[[], DataFrame],
        order: tuple[str, ...] = (),
        progress: Progress | None = None,
    ) -> None:
        self.spark = spark
        self.store = store
        self.settings = settings
        self.counts: dict[str, Any] = {}
        self.times: dict[str, float] = {}
        self._make = sketches
        self._order = order
        self._shown = progress or Silent()

    def run(self) -> None:
        """Do every phase that is not done yet."""
        with configured(self.spark):
            self.sketch()
            self.pair()

    def sketch(self) -> None:
        """Make facts and sets of every part, and find documents that are the same."""
        self._sketch()
        self._collapse()

    def pair(self) -> None:
        """Find the pairs that share shingles, choose candidates and measure them."""
        self._share()
        self._choose()
        self._measure()

    # ---- phase 1

    def _sketch(self) -> None:
        with self._phase("sketch") as left:
            if left is not None:
                self.store.write(self._make(), "sketches")
                self._sketched = self.store.read("sketches")
                left |= self._totals()
        self._sketched = self.store.read("sketches")
        self.counts |= self.store.left("sketch")
        if self.counts["documents"] >= 2**32:
            raise UsageError("over 4,294,967,295 documents", hint="cluster the corpus in parts, with --onto")
        with self._phase("number") as left:
            if left is not None:
                self._number(left)
        self._offsets = self.store.left("number").get("offsets")

    def _totals(self) -> dict[str, Any]:
        whole = self._sketched.where("reason is null")
        fine = F.col("shingles") < sketching.ENOUGH * self.settings.modulus
        row = whole.agg(
            F.count("*").alias("documents"),
            F.sum("bytes").alias("bytes"),
            F.sum("shingles").alias("shingles"),
            F.sum("sampled").alias("fingerprints"),
            F.sum(F.when(fine, F.col("sampled"))).alias("fine"),
        ).first()
        assert row is not None
        return {name: int(value or 0) for name, value in row.asDict().items()}

    def _number(self, left: dict[str, Any]) -> None:
        """Number the documents: in order of rows, or of the columns that order them."""
        rows = self._sketched.where("reason is null")
        if self._order:
            sort = [F.col(name) for name in self._order]
            ordered = rows.select(*self._order, "row").repartitionByRange(*sort).sortWithinPartitions(*sort)
            placed = ordered.select(
                "row", F.monotonically_increasing_id().alias("place")
            )  # part << 33 | place in it
            self.store.write(placed, "order")
            place, width = self.store.read("order"), 33
        else:
            place, width = rows.select("row", F.col("row").alias("place")), 32
        part = F.shiftright("place", width).alias("part")
        counted = sorted((row["part"], row["count"]) for row in place.groupBy(part).count().collect())
        ends = np.cumsum([0, *(count for _, count in counted)]).tolist()
        left["offsets"] = [[part, end] for (part, _), end in zip(counted, ends, strict=False)]

    def numbered(self) -> DataFrame:
        """Give (row, number) of all documents."""
        if not self._order:
            return self._with_numbers(self._sketched.where("reason is null").select("row"))
        return self._counted_on(self.store.read("order"), 33).select("row", "number")

    def _with_numbers(self, frame: DataFrame) -> DataFrame:
        if self._order:
            return frame.join(self.numbered(), "row")
        # rows are in order: the number follows from the row, and nothing is shuffled
        return self._counted_on(frame.withColumn("place", F.col("row")), 32).drop("place", "part", "before")

    def _counted_on(self, placed: DataFrame, width: int) -> DataFrame:
        offsets = self.spark.createDataFrame(self._offsets or [(-1, 0)], "part long, before long")
        inside = F.col("place").bitwiseAND(F.lit((1 << width) - 1))
        parted = placed.withColumn("part", F.shiftright("place", width))
        return parted.join(F.broadcast(offsets), "part").withColumn("number", F.col("before") + inside)

    def sets(self) -> DataFrame:
        """Give all facts and sets with the numbers of the documents."""
        return self._with_numbers(self._sketched.where("reason is null"))

    def skipped(self, most: int) -> tuple[dict[str, int], list[list[str]]]:
        """Count the records that were left out, by reason, and name the first of them."""
        out = self._sketched.where("reason is not null")
        if out.isEmpty():
            return {}, []
        reasons = {row["reason"]: row["count"] for row in out.groupBy("reason").count().collect()}
        named = out.orderBy("row").select("id", "reason").limit(most).collect()
        return reasons, [[row["id"], row["reason"]] for row in named]

    def facts(self) -> DataFrame:
        """Give the facts of all documents with their numbers."""
        left_out = ("values", "reason", *(name for name in self._order if name.startswith("order_")))
        return self._with_numbers(self._sketched.where("reason is null").drop(*left_out))

    def _collapse(self) -> None:
        """Find the documents that are the same as an earlier one."""
        with self._phase("collapse") as left:
            if left is not None:
                facts = self.facts().where("bytes > 0")
                names = ("number", "content", "lexical", "bytes", "words")
                firsts = (
                    facts.groupBy("class_key", "class_size")
                    .agg(F.count("*").alias("many"), F.min(F.struct(*names)).alias("head"))
                    .where("many > 1")
                    .select(
                        "class_key",
                        "class_size",
                        *(F.col(f"head.{name}").alias(f"first_{name}") for name in names),
                    )
                )
                others = facts.select("class_key", "class_size", *names).join(
                    firsts, ["class_key", "class_size"]
                )
                others = others.where("number != first_number").withColumnRenamed("first_number", "first")
                self.store.write(
                    others.mapInArrow(tasks.likeness_task, "number long, first long, how int"), "same"
                )
                found = self.store.read("same").groupBy("how").count().collect()
                kinds = {row["how"]: row["count"] for row in found}
                for code, name in enumerate(("identical", "lexically_equivalent", "sketch_equivalent"), 1):
                    left[name] = kinds.get(code, 0)
        self.counts |= self.store.left("collapse")
        self.same = self.store.read("same")

    # ---- phases 2 and 3

    def _share(self) -> None:
        """Entries in ranges of shingles, and the pairs that share them, in buckets of documents."""
        with self._phase("share") as left:
            if left is None:
                return
            known = self._filter()
            whole = self._sketched.where("shingles > 0").select("row", "values")
            entries = whole.mapInArrow(tasks.entries_task(self.settings, known), tasks.ENTRIES)
            standing = self._with_numbers(entries).join(self.same.select("number"), "number", "left_anti")
            total = self.counts["fingerprints"]
            bits = min(max(total // BUCKET, self._cores()).bit_length() + 1, 16)
            blocks = standing.mapInArrow(tasks.blocks_task(bits), tasks.BLOCKS)
            gathered = blocks.repartition("bucket").sortWithinPartitions("bucket")
            buckets = max(4 * total // BUCKET, 4 * self._cores())
            shared = gathered.mapInArrow(tasks.lists_task(self.settings, buckets), tasks.SHARED)
            self.store.write(shared, "shared")
            if known is not None:
                known.unpersist()

    def _filter(self) -> Any:
        """Broadcast the filter of what finer samples have; its size is bounded."""
        total = self.counts["fine"]
        if not total or self.settings.method == "super":
            return None
        words = len(sketching.new_filter(total, self.settings.memory // 32))
        fine = F.col("shingles").between(1, sketching.ENOUGH * self.settings.modulus - 1)
        some = self._sketched.where(fine).select("values").coalesce(self._cores())
        blocks = some.mapInArrow(tasks.filter_task(words, self.settings.modulus), "block int, bits binary")
        merged = blocks.repartition("block").sortWithinPartitions("block")
        bits = np.zeros(words, np.uint64)
        for row in merged.mapInArrow(tasks.merge_task, "block int, bits binary").collect():
            block = np.frombuffer(row["bits"], np.uint64)
            start = row["block"] * tasks.FILTER_BLOCK
            bits[start : start + len(block)] = block
        return self.spark.sparkContext.broadcast(bits.tobytes())

    def _choose(self) -> None:
        """Sum the pairs up and keep the candidates."""
        with self._phase("choose") as left:
            if left is not None:
                shared = self.store.read("shared")
                divided = (
                    shared.where(F.col("kind") != tasks.IGNORED)
                    .repartition("bucket")
                    .sortWithinPartitions("bucket")
                )
                chosen = divided.mapInArrow(tasks.candidates_task(self.settings), "left long, right long")
                self.store.write(chosen, "candidates")
                told = shared.where(F.col("kind") == tasks.IGNORED).select("bucket", "keys").collect()
                left |= _ignored([(row["bucket"], bytes(row["keys"])) for row in told])
                left["candidates"] = self.store.read("candidates").count()
        self.counts |= self.store.left("choose")

    def _measure(self) -> None:
        """Bring the sets of candidates together and measure them."""
        with self._phase("measure") as left:
            if left is not None:
                pairs = self.store.keep(self._cells(self.store.read("candidates")), "cells")
                sides = pairs.select("cell", F.col("left").alias("number")).union(
                    pairs.select("cell", "right")
                )
                wanted = sides.distinct().join(self.numbered(), "number")
                sets = self._sketched.where("reason is null").select("row", "values").join(wanted, "row")
                shipped = sets.select(
                    "cell",
                    F.col("number").alias("left"),
                    F.lit(None).cast("long").alias("right"),
                    "values",
                ).union(pairs.select("cell", "left", "right", F.lit(None).cast("binary")))
                divided = shipped.repartition("cell").sortWithinPartitions("cell")
                found = divided.mapInArrow(tasks.measure_task(self.settings), tasks.MEASURES)
                self.store.write(found, "measured")
                left["pairs"] = self.store.read("measured").count()
        self.counts |= self.store.left("measure")
        self.measured = self.store.read("measured")

    def _cells(self, pairs: DataFrame) -> DataFrame:
        """Put pairs that have documents in common into one cell, so that a set travels once or twice.

        The cell is the smallest neighbour of the left document; a cell of too many pairs is divided by the
        right one.
        """
        if self.counts["candidates"] <= TOGETHER:
            return pairs.coalesce(1).mapInArrow(tasks.cells_task(CELL), "cell long, left long, right long")
        both = pairs.toDF("of", "near").union(pairs.select("right", "left"))
        label = both.groupBy("of").agg(F.least(F.min("near"), F.col("of")).alias("label"))
        labelled = pairs.join(label, pairs["left"] == label["of"]).select("left", "right", "label")
        heavy = labelled.groupBy("label").count().where(F.col("count") > CELL)
        divided = labelled.join(heavy, "label", "left")
        several = F.coalesce(F.ceil(F.col("count") / CELL), F.lit(1)).cast("long")
        cell = F.xxhash64("label", F.pmod(F.xxhash64("right"), several))
        return divided.select(cell.alias("cell"), "left", "right")

    # ---- phase 4

    def components(self) -> DataFrame:
        """Give (number, root, near) of the documents that pairs put into clusters."""
        with self._phase("components") as left:
            if left is not None and self.counts["pairs"] <= TOGETHER:
                whole = self.measured.coalesce(1)
                schema = "number long, root long, near boolean"
                self.store.write(whole.mapInArrow(clustering.together_task(self.settings), schema), "roots")
            elif left is not None:
                left |= self._stars()
        self.counts |= self.store.left("components")
        return self.store.read("roots")

    def _stars(self) -> dict[str, int]:
        settings, policy = self.settings, self.settings.policy or "component"
        alike = clustering.alike_task(settings.resemblance, settings.contained)
        edges = self.store.keep(
            self.measured.mapInArrow(alike, "left long, right long, near boolean"), "edges"
        )
        count = edges.count()
        found, rounds = connected(edges, count, self.store.keep, TOGETHER)
        if policy != "component":
            found = self._policy(edges, found, policy)
        self.store.write(self._nearness(edges, found), "roots")
        return {"edges": count, "rounds": rounds}

    def _policy(self, edges: DataFrame, found: DataFrame, policy: str) -> DataFrame:
        rooted = edges.join(found, edges["left"] == found["number"], "left")
        root = F.coalesce(F.col("root"), F.col("left")).alias("root")
        whole = rooted.select("left", "right", root).repartition("root").sortWithinPartitions("root")
        heads = whole.mapInArrow(clustering.policy_task(policy), "number long, root long")
        return heads.where("number != root")

    def _nearness(self, edges: DataFrame, found: DataFrame) -> DataFrame:
        """Tell which documents resemble one of their cluster."""
        close = edges.where("near").select("left", "right")
        one, other = found.toDF("left", "left_root"), found.toDF("right", "right_root")
        rooted = close.join(one, "left", "left").join(other, "right", "left")
        same = rooted.where(F.coalesce("left_root", "left") == F.coalesce("right_root", "right"))
        near = same.select(F.col("left").alias("number")).union(same.select("right")).distinct()
        near = near.withColumn("near", F.lit(True))
        return found.join(near, "number", "left").select(
            "number", "root", F.coalesce("near", F.lit(False)).alias("near")
        )

    def _cores(self) -> int:
        return max(self.spark.sparkContext.defaultParallelism, 1)

    @contextlib.contextmanager
    def _phase(self, name: str) -> Iterator[dict[str, Any] | None]:
        """Give a dictionary to fill, or None when the phase is done; time it and mark it."""
        if self.store.done(name):
            yield None
            self.times[name] = self.store.left(name).get("seconds", 0.0)
            return
        self._shown.phase(name, None)
        begun = time.perf_counter()
        left: dict[str, Any] = {}
        self.spark.sparkContext.setJobDescription(f"copysift: {name}")
        yield left
        self.times[name] = time.perf_counter() - begun
        self.store.mark(name, left | {"seconds": self.times[name]})
        logger.info("%s: %.2f s", name, self.times[name])


def _ignored(rows: list[tuple[int, bytes]]) -> dict[str, Any]:
    """Count the common shingles and name the commonest: hash, documents, first document."""
    told = [np.frombuffer(keys, np.uint64).reshape(-1, 3).tolist() for _, keys in rows]
    commonest = sorted((each for part in told for each in part), key=lambda each: (-each[1], each[0]))
    return {"ignored": sum(count for count, _ in rows), "commonest": commonest[: lists.COMMONEST]}


@contextlib.contextmanager
def configured(spark: SparkSession) -> Iterator[None]:
    """Set what the phases rely on, and put back what was there."""
    before: dict[str, str | None] = {key: spark.conf.get(key, None) for key in CONF}
    for key, value in CONF.items():
        spark.conf.set(key, value)
    try:
        yield
    finally:
        for key, old in before.items():
            if old is None:
                spark.conf.unset(key)
            else:
                spark.conf.set(key, old)
