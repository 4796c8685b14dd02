"""Documents in order of input: a number follows from the row, or from the columns that order the rows."""

from __future__ import annotations

import json
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F  # noqa: N812 - the name that every PySpark program uses

from copysift.engines.spark.sketch_tasks import DOCUMENT, SUMMARY

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from copysift.engines.spark.storage import Store

SPELLED = 4096  # parts whose offsets are written into a query; more are joined
COUNTED = ("documents", "skipped", "bytes", "shingles", "fingerprints", "fine")


def totals(sketched: DataFrame) -> dict[str, Any]:
    """Sum the parts up, and give where their documents start: [part, documents before it]."""
    found = sorted(
        (json.loads(row["id"]) for row in sketched.where(SUMMARY).select("id").collect()),
        key=lambda part: int(part["part"]),
    )
    ends = accumulate((part["documents"] for part in found), initial=0)
    return {name: sum(part[name] for part in found) for name in COUNTED} | {
        "offsets": [[part["part"], before] for part, before in zip(found, ends, strict=False)]
    }


class Numbers:
    """The numbers of documents. Without `order` rows are in order already and nothing is shuffled."""

    def __init__(self, spark: SparkSession, store: Store, order: tuple[str, ...]) -> None:
        self._spark = spark
        self._store = store
        self.order = order
        self.offsets: list[Any] = []  # [part, documents before it], as JSON gives them

    def place(self, sketched: DataFrame) -> list[list[int]]:
        """Put rows in order of the columns; give where each part of them starts."""
        sort = [F.col(name) for name in self.order]
        rows = sketched.where(DOCUMENT).select(*self.order, "row")
        ordered = rows.repartitionByRange(*sort).sortWithinPartitions(*sort)
        self._store.write(ordered.select("row", F.monotonically_increasing_id().alias("place")), "order")
        part = F.shiftright("place", 33).alias("part")  # part << 33 | place in it
        counted = self._store.read("order").groupBy(part).count().collect()
        found = sorted((row["part"], row["count"]) for row in counted)
        ends = accumulate((count for _, count in found), initial=0)
        return [[part, before] for (part, _), before in zip(found, ends, strict=False)]

    def give(self, frame: DataFrame) -> DataFrame:
        """Give rows a column `number`."""
        if self.order:
            return frame.join(self._counted_on(self._store.read("order"), "place", 33).drop("place"), "row")
        return self._counted_on(frame, "row", 32)

    def _counted_on(self, frame: DataFrame, place: str, width: int) -> DataFrame:
        """Add the documents before a part to the place inside it."""
        if not self.offsets or self.offsets[-1][0] < SPELLED:
            known = dict(self.offsets) or {0: 0}
            less = ",".join(f"{(part << width) - known.get(part, 0)}L" for part in range(max(known) + 1))
            part = f"cast(shiftright({place}, {width}) as int) + 1"
            return frame.withColumn("number", F.expr(f"{place} - element_at(array({less}), {part})"))
        offsets = self._spark.createDataFrame(
            [(part, (part << width) - before) for part, before in self.offsets], "part long, less long"
        )
        parted = frame.withColumn("part", F.shiftright(place, width)).join(F.broadcast(offsets), "part")
        return parted.withColumn("number", F.col(place) - F.col("less")).drop("part", "less")
