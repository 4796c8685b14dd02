"""The phases on Spark: which shuffles are between the stage functions. Only counts reach the driver.

Beside counts a few names do: of the fifty commonest shingles, and of the first records that were left out.
Documents are numbered in order of input; numbers have 32 bits, as in the local engine. What a phase leaves is
stored, so that a run that was cut off continues after it. Each phase is one or two jobs, whose partitions are
chosen by what was counted before: replanning between stages would cost more than it gains.
"""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from pyspark.sql import functions as F  # noqa: N812 - the name that every PySpark program uses

from copysift.engines.company import Company
from copysift.engines.spark import boilerplate, census, heavy, limits, tasks, templates
from copysift.engines.spark import components as clustering
from copysift.engines.spark import filters as filtering
from copysift.engines.spark import measures as measuring
from copysift.engines.spark import placement as placing
from copysift.engines.spark.cells import cells_of
from copysift.engines.spark.filters import Filter
from copysift.engines.spark.kept_sets import values_task
from copysift.engines.spark.numbering import Numbers, totals
from copysift.engines.spark.session import PARTITIONS, configured
from copysift.engines.spark.sketch_tasks import DOCUMENT, LEFT_OUT
from copysift.engines.spark.stars import by_policy, nearness
from copysift.engines.spark.stars import components as connected
from copysift.errors import UsageError
from copysift.fingerprints import shingles as sketching
from copysift.join.boilerplate import Boilerplate, Told
from copysift.model.values import Skipped
from copysift.runtime.progress import NullProgress, Progress
from copysift.settings.corpus import CorpusSettings

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from copysift.engines.spark.storage import Store

logger = logging.getLogger("copysift.spark")

SAME = ("identical", "lexically_equivalent", "sketch_equivalent")  # in order of their codes


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
        self.settings = self.asked = settings
        self.counts: dict[str, Any] = {}
        self.times: dict[str, float] = {}
        self.numbers = Numbers(spark, store, order)
        self.folder = ""  # where tasks write the sets of the run, if every executor sees it
        self.company = Company(0, np.zeros(0, np.uint32))  # documents that are not compared with each other
        self.unknown: list[Skipped] = []  # what metadata says of nobody
        self._make = sketches
        self._known = ""  # the table of the filter
        self._shown = progress or NullProgress()

    def run(self) -> None:
        """Do every phase that is not done yet."""
        with self.configured():
            self.sketch()
            self.pair()

    def sketch(self) -> None:
        """Make facts and sets of every part, and find documents that are the same."""
        self._sketch()
        self._collapse()

    def pair(self) -> None:
        """Leave boilerplate out, find the pairs that share shingles, choose candidates and measure them."""
        if "ignored" not in self.counts:
            self.census()
        self._choose()
        self._measure()
        self._refine()

    def _sketch(self) -> None:
        with self.phase("sketch") as left:
            if left is not None:
                self.store.write(self._make(), "sketches")
                left |= totals(self.store.read("sketches"))
        self.sketched = self.store.read("sketches")
        self.counts |= self.store.left("sketch")
        if self.counts["documents"] >= 2**32:
            raise UsageError("over 4,294,967,295 documents", hint="cluster it in parts, with --extend")
        most = self.asked.most_shared(self.counts["documents"])  # a share is a number from here on
        self.settings = replace(self.asked, max_shared=most)
        self.spark.conf.set(PARTITIONS, self.parts(256 * self.counts["documents"]))
        self.numbers.offsets = self.counts.pop("offsets")
        if self.numbers.order:
            with self.phase("number") as left:
                if left is not None:
                    left["offsets"] = self.numbers.place(self.sketched)
            self.numbers.offsets = self.store.left("number")["offsets"]

    def parts(self, size: int) -> int:
        """Give how many partitions a shuffle of this many bytes takes."""
        return max(-(-size // limits.PARTITION), self._cores())

    def sets(self) -> DataFrame:
        """Give the sets of all documents, without boilerplate once it is known, with their numbers."""
        return self.with_values(self._lighter().select("row", "values"))

    def with_values(self, rows: DataFrame) -> DataFrame:
        """Give the sets of rows, with their numbers."""
        every = self.numbers.give(rows)
        if self.folder:
            return every.mapInArrow(values_task(self.folder), "number long, values binary")
        return every.drop("row")

    def _lighter(self) -> DataFrame:
        """Give row, compared, sampled, values and probes of all documents, without boilerplate."""
        if self.counts.get("ignored"):
            return self.store.read("lighter")
        return self.sketched.where(DOCUMENT).withColumn("compared", F.col("shingles"))

    def counted_facts(self, *names: str) -> DataFrame:
        """Give facts as `facts` does, and how many shingles count and are sampled."""
        whole = self.sketched.where(DOCUMENT).select("row", *names)
        return self.numbers.give(
            whole.join(self._lighter().select("row", "compared", "sampled"), "row")
        ).drop("row")

    def facts(self, *names: str) -> DataFrame:
        """Give facts of all documents with their numbers."""
        return self.numbers.give(self.sketched.where(DOCUMENT).select("row", *names)).drop("row")

    def left_out(self) -> DataFrame:
        """Give the records that were left out, or taken with a change: row, id and reason."""
        return self.sketched.where(LEFT_OUT).select("row", "id", "reason")

    def skipped(self, most: int) -> tuple[dict[str, int], list[list[str]]]:
        """Count the records that were left out, by reason, and name the first of them."""
        if not self.counts["skipped"]:
            return {}, []
        out = self.left_out()
        reasons = {row["reason"]: row["count"] for row in out.groupBy("reason").count().collect()}
        named = out.orderBy("row").select("id", "reason").limit(most).collect()
        return reasons, [[row["id"], row["reason"]] for row in named]

    def _collapse(self) -> None:
        """Find the documents that are the same as an earlier one."""
        with self.phase("collapse") as left:
            if left is not None:
                rows = self.facts(*tasks.CLASSES[1:]).where("bytes > 0").select(*tasks.CLASSES)
                parts = self.parts(64 * self.counts["documents"])
                classes = rows.repartition(parts, "class_key", "class_size").sortWithinPartitions(
                    "class_key", "class_size", "number"
                )
                same = classes.mapInArrow(tasks.likeness_task, "number long, first long, how int")
                sums = {name: F.count_if(F.col("how") == code) for code, name in enumerate(SAME, 1)}
                left |= self.store.write(same, "same", **sums)
        self.counts |= self.store.left("collapse")
        self.counts["collapsed"] = sum(self.counts[name] for name in SAME)
        self.same = self.store.read("same")

    def hinted(self, collapsed: DataFrame) -> DataFrame:
        """Show Spark where rows of collapsed documents are few, so that it sends them to all tasks."""
        return F.broadcast(collapsed) if self.counts["collapsed"] <= limits.SENT else collapsed

    def census(self) -> None:
        """Find boilerplate, and leave it out before anything is sampled."""
        with self.phase("census") as left:
            if left is not None:
                left |= {"ignored": 0, "commonest": [], "having": 0, "buried": 0}
                left |= {"compared": self.counts["shingles"]}
                if self.counts["documents"] - self.counts["collapsed"] > self.settings.most_shared():
                    left |= boilerplate.leave_out(self)
        self.counts |= self.store.left("census")

    def boilerplate(self) -> Boilerplate:
        """Give the boilerplate of a run that keeps its sets in a folder."""
        return census.read_common(placing.PlacedTable("common", self.store.folder("common")))

    def told(self) -> Told:
        """Give what a run says about its boilerplate."""
        counts = self.counts
        lost = counts["shingles"] - counts["compared"]
        share = lost / counts["shingles"] if counts["shingles"] else 0.0
        commonest = tuple((int(h), int(count), int(first)) for h, count, first in counts["commonest"])
        templates = counts["templates"], counts["templated"]
        return Told(counts["ignored"], counts["having"], counts["buried"], share, commonest, *templates)

    def _choose(self) -> None:
        """Entries in ranges of shingles, pairs that share them in buckets of documents, candidates."""
        with self.phase("choose") as left:
            if left is not None:
                words = sketching.filter_words(self.counts["fine"], limits.FILTER)
                self._known = self._filter()
                with contextlib.ExitStack() as placed:
                    table = placed.enter_context(placing.placed(self.store, self._known))
                    shared = self._shared(Filter(table, words) if table else None, placed)
                    chosen = shared.mapInArrow(tasks.candidates_task(self.settings), tasks.CANDIDATES)
                    compared = self._compared(chosen)
                    left |= self.store.write(compared, "candidates", candidates=F.count("right"))
        self.counts |= self.store.left("choose")

    def _compared(self, pairs: DataFrame) -> DataFrame:
        """Leave out pairs of earlier documents, and of works of one author."""
        if self.company.earlier:
            pairs = pairs.where(F.greatest("left", "right") >= self.company.earlier)
        known = np.flatnonzero(self.company.kin)
        if not len(known):
            return pairs
        rows = zip(known.tolist(), self.company.kin[known].tolist(), strict=True)
        kin = F.broadcast(self.spark.createDataFrame(list(rows), "number long, kin long"))
        for side in ("left", "right"):
            pairs = pairs.join(kin.toDF(side, f"{side}_kin"), side, "left")
        same = F.coalesce(F.col("left_kin") == F.col("right_kin"), F.lit(False))
        return pairs.where(~same).select("left", "right")

    def _shared(self, known: Filter | None, placed: contextlib.ExitStack) -> DataFrame:
        """Give the pairs that share shingles, summed up in ranges of shingles, in buckets of documents."""
        total, cores, documents = self.counts["fingerprints"], self._cores(), self.counts["documents"]
        bits = min(max(total // limits.BUCKET, cores).bit_length() + 1, 16)
        buckets = max(4 * total // limits.BUCKET, 4 * cores)
        parts = min(self.parts(16 * total), 1 << bits)
        crowds: DataFrame | None = None
        most = heavy.limit(self.settings)
        if documents <= most:
            blocks = self._entries(known, tasks.blocks_task(bits), tasks.BLOCKS)
        else:
            noting = heavy.noting_task(documents, most)
            noted = self.store.keep(self._entries(known, noting, heavy.NOTED), "entries")
            entries = noted.where("counts is null").drop("counts")
            name = placing.named("shingles")
            count = self.store.write(heavy.shingles(noted, most), name, count=F.count("shingle"))["count"]
            table = placed.enter_context(placing.placed(self.store, name))
            blocks = entries.mapInArrow(tasks.blocks_task(bits, table), tasks.BLOCKS)
            if count and table:
                crowds = heavy.Crowds(self.settings, table, documents).pairs(
                    entries, self.store, parts, buckets
                )
        ranges = blocks.repartition(parts, "bucket").sortWithinPartitions("bucket")
        shared = ranges.mapInArrow(tasks.lists_task(self.settings, buckets), tasks.SHARED)
        if crowds is not None:
            shared = shared.union(crowds)
        return shared.repartition(parts, "bucket").sortWithinPartitions("bucket")

    def _entries(self, known: Filter | None, then: tasks.Task, schema: str) -> DataFrame:
        """Give what a task makes of the (shingle, document) entries of those who represent others."""
        rows = self._lighter().where("compared > 0")
        whole = self.numbers.give(rows.select("row") if self.folder else rows.select("row", "values"))
        entries = tasks.entries_task(self.settings, known, self.folder)
        others = self.hinted(self.same.select("number"))
        if self.counts["collapsed"] <= limits.SENT:
            standing = whole.join(others, "number", "left_anti")
            return standing.mapInArrow(lambda batches: then(entries(batches)), schema)
        # entries are small, sets are not: these are not shuffled
        made = whole.mapInArrow(entries, tasks.ENTRIES).join(others, "number", "left_anti")
        return made.mapInArrow(then, schema)

    def _filter(self) -> str:
        """Store the filter of what finer samples have; its size is bounded."""
        total = self.counts["fine"]
        if not total or self.settings.method == "super":
            return ""
        words = sketching.filter_words(total, limits.FILTER)
        some = self._lighter().where("probes is not null").select("probes").coalesce(self._cores())
        name = placing.named("filter")
        self.store.write(filtering.blocks(some, words), name)
        return name

    def _measure(self) -> None:
        """Bring the sets of candidates together and measure them.

        Up to ten million documents the tasks read the sets in the folder where a run keeps them, if there is
        one; more, or without a folder, are shuffled to where their pairs are.
        """
        with self.phase("measure") as left:
            if left is not None and self.folder and self.counts["documents"] <= limits.NEAR:
                pairs = self._candidates().repartition(self.parts(16 * self.counts["candidates"]), "left")
                near = measuring.measure_near_task(self.settings, self.folder)
                found = pairs.sortWithinPartitions("left").mapInArrow(near, measuring.MEASURES)
                left |= self.store.write(found, "measured", pairs=F.count("left"))
            elif left is not None:
                cells = self.store.keep(self._cells(), "cells")
                wanted = cells.where("right is null").select("cell", F.col("left").alias("number"))
                nothing = F.lit(None).cast("long").alias("right")
                shipped = (
                    self.sets()
                    .join(wanted, "number")
                    .select("cell", F.col("number").alias("left"), nothing, "values")
                    .union(cells.where("right is not null").withColumn("values", F.lit(None).cast("binary")))
                )
                parts = self.parts(8 * self.counts["shingles"])
                divided = shipped.repartition(parts, "cell").sortWithinPartitions("cell")
                found = divided.mapInArrow(measuring.measure_task(self.settings), measuring.MEASURES)
                left |= self.store.write(found, "measured", pairs=F.count("left"))
        self.counts |= self.store.left("measure")
        self.measured = self.store.read("measured")

    def _refine(self) -> None:
        """Leave templates out of the pairs."""
        with self.phase("templates") as left:
            if left is not None:
                left |= templates.refine(self)
        self.counts |= {"templates": 0, "templated": 0} | self.store.left("templates")
        if self.counts["templated"] or self.counts["templates"]:
            self.measured = self.store.read("refined")

    def texts(self) -> DataFrame:
        """Give the sets of all documents as `sets` does, and their shingles in order, with facts of them."""
        order = self.sketched.where(DOCUMENT).select("row", "words", "places", "shingles", "in_order")
        return self.numbers.give(self._lighter().select("row", "values").join(order, "row")).drop("row")

    def _candidates(self) -> DataFrame:
        return self.store.read("candidates").select("left", "right")

    def _cells(self) -> DataFrame:
        pairs = self._candidates()
        if self.counts["candidates"] <= limits.TOGETHER:
            return pairs.coalesce(1).mapInArrow(measuring.cells_task(limits.CELL), measuring.CELLS)
        return cells_of(pairs, limits.CELL, self.store)

    def components(self) -> DataFrame:
        """Give (number, root, near) of the documents that pairs put into clusters, first ones too."""
        with self.phase("components") as left:
            if left is not None and self.counts["pairs"] <= limits.TOGETHER:
                whole = self.measured.coalesce(1)
                schema = "number long, root long, near boolean"
                self.store.write(whole.mapInArrow(clustering.together_task(self.settings), schema), "roots")
            elif left is not None:
                left |= self._stars()
        self.counts |= self.store.left("components")
        return self.store.read("roots")

    def _stars(self) -> dict[str, int]:
        settings, policy = self.settings, self.settings.policy or "component"
        alike = clustering.alike_task(settings)
        edges = self.measured.mapInArrow(alike, "left long, right long, near boolean")
        count = self.store.write(edges, "edges", edges=F.count("left"))["edges"]
        edges = self.store.read("edges")
        found, rounds = connected(edges, count, self.store, limits.TOGETHER)
        if policy != "component":
            found = by_policy(edges, found, policy)
        near = self.store.keep(nearness(edges, found), "below")
        heads = near.select(F.col("root").alias("number")).distinct()
        own = heads.select("number", F.col("number").alias("root"), F.lit(False).alias("near"))
        self.store.write(near.union(own), "roots")
        return {"edges": count, "rounds": rounds}

    def _cores(self) -> int:
        return max(self.spark.sparkContext.defaultParallelism, 1)

    @contextlib.contextmanager
    def phase(self, name: str) -> Iterator[dict[str, Any] | None]:
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

    def configured(self) -> contextlib.AbstractContextManager[None]:
        """Set what the phases rely on, and put back what was there."""
        return configured(self.spark, self.parts(256 * self.counts.get("documents", 0)))
