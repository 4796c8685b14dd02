"""`copysift.spark.dedup`: a DataFrame without near-copies, and who was removed for whom."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F  # noqa: N812 - the name that every PySpark program uses

from copysift.declaring import make
from copysift.engine.corpus.preference import choice
from copysift.engine.spark import deciding, tables, writing
from copysift.engine.spark.frames import corpus_of
from copysift.engine.spark.store import Store
from copysift.errors import UsageError
from copysift.read.records import ID_FIELDS
from copysift.settings_corpus import CorpusSettings

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True, slots=True)
class Deduped:
    """The rows that stay, and `document`, `kept`, `reason`, `resemblance`, `containment` of those that go.

    They are read from the work folder: write them elsewhere, or use them, before `close`.
    """

    kept: DataFrame
    removed: DataFrame
    counts: dict[str, Any]
    store: Store = field(repr=False)

    def close(self) -> None:
        """Remove the work folder."""
        self.store.drop()

    def __enter__(self) -> Deduped:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def dedup(
    frame: DataFrame,
    *,
    keep: str = "first",
    order: str | tuple[str, ...] = (),
    work: str | None = None,
    **settings: object,
) -> Deduped:
    """Keep one row of each cluster of a DataFrame; arguments as of `copysift.spark.cluster`.

    `keep` is first, longest, newest or best:FIELD; `order` tells which row is the first. Every row that goes
    is alike to the one kept in its place. Rows without an id or a text go too. Ids must be unique.
    """
    choice(keep)
    made = make(CorpusSettings, settings)
    corpus = corpus_of(frame, order, work, made)
    with corpus.configured():
        tables.names(corpus)
        if corpus.counts["renamed"]:
            again = corpus.counts["renamed_first"][0]
            if work is None:
                corpus.store.drop()
            raise UsageError(
                f"ids come again: {corpus.counts['renamed']:,} rows, such as {again}",
                hint="give every row an id of its own, and name the column by id_field",
            )
        going = deciding.decide(corpus, keep)
        reasons = deciding.reasons(going)
        corpus.store.write(writing.listed(corpus, going).drop("number"), "listed")
        removed = corpus.store.read("listed")
        ids = corpus.store.keep(corpus.facts("id").join(going, "number", "left_anti").select("id"), "stays")
    name = made.id_field or next(each for each in ID_FIELDS if each in frame.columns)
    kept = frame.join(ids.toDF("__stays"), F.col(name).cast("string") == F.col("__stays"), "left_semi")
    gone = sum(reasons.values())
    counts = corpus.counts | {"removed": gone, "kept": corpus.counts["documents"] - gone, "reasons": reasons}
    return Deduped(kept, removed, counts, corpus.store)
