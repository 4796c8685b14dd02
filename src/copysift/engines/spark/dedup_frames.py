"""`copysift.spark.dedup`: a DataFrame without near-copies, and who was removed for which."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F  # noqa: N812 - the name that every PySpark program uses

from copysift.clusters.preference import choice
from copysift.engines.spark import decisions as deciding
from copysift.engines.spark import tables
from copysift.engines.spark import writers as writing
from copysift.engines.spark.frames import corpus_of
from copysift.engines.spark.storage import Store
from copysift.errors import UsageError
from copysift.settings.corpus import CorpusSettings
from copysift.settings.declaration import make
from copysift.sources.fields import ID_FIELDS

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
    keep: str = "",
    order: str | tuple[str, ...] = (),
    work: str | None = None,
    **settings: object,
) -> Deduped:
    """Keep one row of each cluster of a DataFrame; arguments as of `copysift.spark.cluster`.

    `keep` is first, longest, newest or best:FIELD; `order` says which row is the first. Every row that goes
    is similar to the one kept in its place. Rows without an id or a text go too. Ids must be unique. The
    frame is read again for `kept`: it must give the same rows each time.
    """
    choice(keep)
    made = make(CorpusSettings, settings)
    name = made.id_field or next((each for each in ID_FIELDS if each in frame.columns), "")
    _check_ids(frame, name)
    corpus = corpus_of(frame, order, work, made, keep)
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
        listed = writing.listed(corpus, going).where("rank = 0").drop("rank", "number")
        corpus.store.write(listed, "listed")
        removed = corpus.store.read("listed")
        ids = corpus.store.keep(corpus.facts("id").join(going, "number", "left_anti").select("id"), "stays")
    kept = frame.join(ids.toDF("__stays"), F.col(name).cast("string") == F.col("__stays"), "left_semi")
    gone = sum(reasons.values())
    counts = corpus.counts | {"removed": gone, "kept": corpus.counts["documents"] - gone, "reasons": reasons}
    return Deduped(kept, removed, counts, corpus.store)


def _check_ids(frame: DataFrame, name: str) -> None:
    """Refuse ids that Spark and Python spell in two ways: rows are found again by them."""
    kind = frame.schema[name].dataType.typeName() if name in frame.columns else "string"
    if kind not in PLAIN:
        raise UsageError(f"the ids in {name!r} are of type {kind}", hint="cast the column to a string first")


PLAIN = ("string", "byte", "short", "integer", "long", "date", "decimal", "varchar", "char")
