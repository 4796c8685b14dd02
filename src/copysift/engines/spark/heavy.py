"""Shingles in more documents than a task takes, divided over many tasks by ranges of documents.

Which ones: every task counts, some documents at a time, and notes the shingles that more than a share of
these have. The share is half of what the limit is of all documents, so that what is never noted of a shingle
adds up to at most half the limit: one over the limit is noted more than half of it, and one that is noted so
often has as many documents. What the notes add up to is the tasks' alone to know.

Then the entries of a heavy shingle go to cells of a bounded range of documents; each sums itself up, the sums
of a shingle are put together, and each cell gives its few pairs (`index/heavy.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as F  # noqa: N812 - the name that every PySpark program uses

from copysift.engines.spark.columns import Batches, held, numbers, packed, place_in, runs, signed, unpacked
from copysift.engines.spark.placement import PlacedTable, shingles_of
from copysift.engines.spark.ranges import HEAVY
from copysift.engines.spark.tasks import HELD, SHARED, Task, common_rows
from copysift.fingerprints import shingles as sketching
from copysift.join import heavy
from copysift.settings.corpus import CorpusSettings

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pyspark.sql import DataFrame

    from copysift.engines.spark.storage import Store

    UInt64s = NDArray[np.uint64]

SPAN = 1 << 20  # documents of a cell
NOTED = "number long, shingles long, hashes binary, counts binary"  # entries; with counts a note
CELLS = "cell long, docs binary, own binary"
SUMMED = f"{CELLS}, part binary"
LOOKS = "cell long, look binary"


def limit(settings: CorpusSettings) -> int:
    """Give how many documents a shingle may have that is not heavy; half of it is common already."""
    return max(HEAVY, 2 * settings.most_shared())


def noting_task(documents: int, most: int) -> Task:
    """Pass the entries of documents on, and note which shingles many of these have."""

    def task(batches: Batches) -> Batches:
        for table in held(batches, HELD):
            for batch in table.to_batches():
                yield batch.append_column("counts", pa.nulls(len(batch), pa.binary()))
            values, counts = np.unique(unpacked(table["hashes"], np.uint64)[0], return_counts=True)
            many = 2 * documents * counts > most * len(table)
            ends = np.array([0, np.count_nonzero(many)])
            nothing = pa.nulls(1, pa.int64())
            yield pa.RecordBatch.from_pydict(
                {
                    "number": nothing,
                    "shingles": nothing,
                    "hashes": packed(values[many], ends),
                    "counts": packed(counts[many].astype(np.uint32), ends),
                }
            )

    return task


def shingles(noted: DataFrame, most: int) -> DataFrame:
    """Give the heavy shingles: those whose notes add up to over half the limit."""
    each = noted.where("counts is not null").select("hashes", "counts")
    spelled = each.mapInArrow(_spell_task, "shingle long, count long")
    summed = spelled.groupBy("shingle").agg(F.sum("count").alias("count"))
    return summed.where(F.col("count") * 2 > most).select("shingle")


def _spell_task(batches: Batches) -> Batches:
    for batch in batches:
        values, counts = unpacked(batch["hashes"], np.uint64)[0], unpacked(batch["counts"], np.uint32)[0]
        yield pa.RecordBatch.from_pydict(
            {"shingle": signed(values), "count": pa.array(counts.astype(np.int64))}
        )


class Crowds:
    """The entries of heavy shingles in cells: cell = place of the shingle · spans + span of documents."""

    def __init__(self, settings: CorpusSettings, table: PlacedTable, documents: int) -> None:
        self.settings = settings
        self.table = table
        self.span = SPAN
        self.spans = -(-documents // SPAN)

    def pairs(self, entries: DataFrame, store: Store, parts: int, buckets: int) -> DataFrame:
        """Give the few pairs of the heavy shingles, for `buckets` of documents."""
        cells = entries.mapInArrow(self._cells_task, CELLS).repartition(parts, "cell")
        summed = store.keep(cells.sortWithinPartitions("cell").mapInArrow(_sum_task, SUMMED), "heavy")
        of = F.expr(f"cell div {self.spans}").alias("place")
        sums = summed.select(of, "cell", "part").repartition(parts, "place").sortWithinPartitions("cell")
        seen = summed.drop("part").join(sums.mapInArrow(_look_task, LOOKS), "cell")
        return seen.mapInArrow(self._pairs_task(buckets), SHARED)

    def _cells_task(self, batches: Batches) -> Batches:
        known = shingles_of(self.table)
        for table in held(batches, HELD):
            hashes, bounds = unpacked(table["hashes"], np.uint64)
            place = place_in(known, hashes)
            row = np.repeat(np.arange(len(table)), np.diff(bounds))[place >= 0]
            place = place[place >= 0]
            docs, own = (
                numbers(table["number"])[row],
                self._own(known[place], numbers(table["shingles"])[row]),
            )
            cell = place * self.spans + docs // self.span
            order = np.argsort(cell, kind="stable")
            cell = cell[order]
            starts = np.flatnonzero(np.diff(cell, prepend=-1))
            cuts = np.append(starts, len(cell))
            yield pa.RecordBatch.from_pydict(
                {
                    "cell": pa.array(cell[starts]),
                    "docs": packed(docs[order].astype(np.uint32), cuts),
                    "own": packed(own[order], cuts),
                }
            )

    def _own(self, shingle: UInt64s, sizes: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Say which shingles are of the document's own sample."""
        if self.settings.method == "super":
            return np.ones(len(sizes), np.bool_)
        return np.asarray(shingle % sketching.moduli(sizes, self.settings.modulus) == 0, np.bool_)

    def _pairs_task(self, buckets: int) -> Task:
        def task(batches: Batches) -> Batches:
            for batch in batches:
                for row in batch.to_pylist():
                    look = heavy.Look(*np.frombuffer(row["look"], np.int64).tolist())
                    docs = np.frombuffer(row["docs"], np.uint32).astype(np.int64)
                    own = np.frombuffer(row["own"], np.bool_)
                    yield from common_rows(heavy.few_pairs(docs, own, look), buckets)

        return task


def _sum_task(batches: Batches) -> Batches:
    """Put each cell in order of its documents and sum it up."""
    for cell, table in runs(batches, "cell"):
        docs, own = unpacked(table["docs"], np.uint32)[0], unpacked(table["own"], np.bool_)[0]
        order = np.argsort(docs)
        docs, own = docs[order], own[order]
        part = heavy.summary(docs.astype(np.int64), own)
        told = np.array([part.size, part.total, part.owner, part.last, *part.leads], np.uint64)
        yield pa.RecordBatch.from_pydict(
            {"cell": [cell], "docs": [docs.tobytes()], "own": [own.tobytes()], "part": [told.tobytes()]}
        )


def _look_task(batches: Batches) -> Batches:
    """Put the sums of each shingle together, which come in order of its documents."""
    for _, table in runs(batches, "place"):
        parts = []
        for told in table["part"].to_pylist():
            size, total, owner, last, *leads = np.frombuffer(told, np.uint64).tolist()
            parts.append(heavy.Part(size, total, owner, last, tuple(leads)))
        seen = heavy.looks(parts)
        if seen:
            told = [np.array(look, np.int64).tobytes() for look in seen]
            yield pa.RecordBatch.from_pydict({"cell": table["cell"].combine_chunks(), "look": told})
