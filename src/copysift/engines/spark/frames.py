"""`copysift.spark.cluster`: a DataFrame of documents to DataFrames of documents, pairs and clusters."""

from __future__ import annotations

import atexit
import json
import shutil
import tempfile
import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from copysift.engines.option_files import option_files
from copysift.engines.spark import tables
from copysift.engines.spark.corpus import SparkCorpus
from copysift.engines.spark.sketch_tasks import LEFT_OUT, SKETCHES, frame_task
from copysift.engines.spark.storage import Store
from copysift.errors import UsageError
from copysift.runs.workspace import answer_settings, decisive
from copysift.settings.corpus import CorpusSettings, refuse_far
from copysift.settings.declaration import make
from copysift.sources.field_paths import roots_of
from copysift.sources.fields import ID_FIELDS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

DEFAULT_ORDER = ("id", "content", "bytes", "date", "other")  # where nothing else tells what came first


@dataclass(frozen=True, slots=True)
class Clustering:
    """DataFrames with the columns of a RUN (docs/run.md), what was counted, and seconds a phase.

    They are read from the work folder: write them elsewhere, or use them, before `close`.
    """

    documents: DataFrame
    pairs: DataFrame
    clusters: DataFrame
    skipped: DataFrame
    counts: dict[str, Any]
    seconds: dict[str, float]
    store: Store = field(repr=False)

    def close(self) -> None:
        """Remove the work folder."""
        self.store.drop()

    def __enter__(self) -> Clustering:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def cluster(
    frame: DataFrame, *, order: str | tuple[str, ...] = (), work: str | None = None, **settings: object
) -> Clustering:
    """Cluster the rows of a DataFrame, which have an id and a text; settings as of `copysift.cluster`.

    `order` names the columns that say which document comes first; without it they come in order of their
    ids. `work` is a folder of any file system that Spark knows, where the phases keep what they leave; it is
    needed unless Spark runs on this machine alone or has a checkpoint folder. A call that was cut off
    continues from a `work` of the same settings: give it only to the same rows.
    """
    return give(corpus_of(frame, order, work, make(CorpusSettings, settings)))


def corpus_of(
    frame: DataFrame,
    order: str | tuple[str, ...],
    work: str | None,
    settings: CorpusSettings,
    wish: str = "",
) -> SparkCorpus:
    """Do the phases for the rows of a DataFrame; `wish` is what else depends on what they leave."""
    named = (order,) if isinstance(order, str) else tuple(order)
    _check(frame, settings, named)
    refuse_far(settings, "a DataFrame")
    spark = frame.sparkSession
    store = Store(spark, work or work_folder(spark))
    job = {"settings": answer_settings(settings), "columns": frame.columns, "order": list(named)}
    job["for"] = f"{decisive(settings)} {wish}"
    if work is not None and not store.begin(json.loads(json.dumps(job))):
        raise UsageError(f"{work} holds something else", hint="name an empty folder, or remove it")
    sorts = tuple(f"order_{place}" for place in range(len(named)))
    corpus = SparkCorpus(
        spark, store, settings, lambda: sketch_frame(frame, settings, named), sorts + DEFAULT_ORDER
    )
    corpus.run()
    return corpus


def sketch_frame(frame: DataFrame, settings: CorpusSettings, order: tuple[str, ...]) -> DataFrame:
    """Give the sketched rows of a DataFrame, with the columns that order them."""
    kinds = (frame.schema[name].dataType.simpleString() for name in order)
    more = (f"order_{place} {kind}" for place, kind in enumerate(kinds))
    return frame.mapInArrow(frame_task(settings, order, option_files(settings)), ", ".join([SKETCHES, *more]))


def give(corpus: SparkCorpus) -> Clustering:
    """Give the tables of a corpus whose phases are done."""
    with corpus.configured():
        ids = tables.names(corpus)
        clusters = tables.clusters(corpus, corpus.components(), ids).drop("root", "number")
    skipped = corpus.store.read("sketches").where(LEFT_OUT).selectExpr("id as name", "reason")
    return Clustering(
        tables.documents(corpus, ids).drop("number"),
        tables.pairs(corpus, ids).drop("rank", "place", "then"),
        clusters,
        skipped,
        corpus.counts,
        corpus.times,
        corpus.store,
    )


def _check(frame: DataFrame, settings: CorpusSettings, order: tuple[str, ...]) -> None:
    names = [settings.id_field] if settings.id_field else list(ID_FIELDS)
    if not any(name in frame.columns for name in names):
        raise UsageError(
            f"there is no column {' or '.join(map(repr, names))}",
            hint=f"name the ids by id_field: {', '.join(frame.columns)}",
        )
    wanted = [*order] if settings.features else [settings.text_field, *order]
    for name in wanted:
        if not (roots_of(name, frame.columns) if name == settings.text_field else name in frame.columns):
            raise UsageError(f"there is no column {name!r}", hint=f"choose from {', '.join(frame.columns)}")


def work_folder(spark: SparkSession) -> str:
    """Give a new folder for the phases: below Spark's checkpoint folder, or on this machine."""
    context = spark.sparkContext
    checkpoint = context.getCheckpointDir()
    if checkpoint:
        return f"{checkpoint}/copysift-{uuid.uuid4().hex}"
    if not str(context.master).startswith("local"):
        raise UsageError(
            "no folder for the phases", hint="give work='…', a folder that every executor can write to"
        )
    folder = tempfile.mkdtemp(prefix="copysift-spark-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
