"""`copysift.spark.dedup`: a DataFrame without near-copies, and who was removed for whom."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F  # noqa: N812 - the name that every PySpark program uses

from copysift.declaring import make
from copysift.engine.spark.frames import Clustering, cluster
from copysift.errors import UsageError
from copysift.read.records import ID_FIELDS
from copysift.settings_corpus import CorpusSettings

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True, slots=True)
class Deduped:
    """The rows that stay, and `document`, `kept`, `reason` of those that go.

    They are read from the work folder: write them elsewhere, or use them, before `close`.
    """

    kept: DataFrame
    removed: DataFrame
    counts: dict[str, Any]
    clustering: Clustering = field(repr=False)

    def close(self) -> None:
        """Remove the work folder."""
        self.clustering.close()

    def __enter__(self) -> Deduped:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def dedup(
    frame: DataFrame, *, order: str | tuple[str, ...] = (), work: str | None = None, **settings: object
) -> Deduped:
    """Keep one row of each cluster of a DataFrame; arguments as of `copysift.spark.cluster`.

    `order` tells which row is preferred. Every row that goes is alike to the one kept in its place, unless
    policy="component" is asked for. Rows without an id or a text go too. Ids must be unique.
    """
    policy = settings.get("policy") or "representative"
    found = cluster(frame, order=order, work=work, **settings | {"policy": policy})
    if found.counts["renamed"]:
        again = found.counts["renamed_first"][0]
        found.close()
        raise UsageError(
            f"ids come again: {found.counts['renamed']:,} rows, such as {again}",
            hint="give every row an id of its own, and name the column by id_field",
        )
    named = make(CorpusSettings, settings).id_field
    name = named or next(each for each in ID_FIELDS if each in frame.columns)
    removed = found.clusters.where("joined != 'representative'").select(
        "document", F.col("representative").alias("kept"), F.col("joined").alias("reason")
    )
    stays = found.documents.select("document").join(removed, "document", "left_anti")
    kept = frame.join(stays, F.col(name).cast("string") == F.col("document"), "left_semi")
    count = found.counts["documents"]
    gone = removed.count()
    counts = found.counts | {"removed": gone, "kept": count - gone}
    return Deduped(kept, removed, counts, found)
