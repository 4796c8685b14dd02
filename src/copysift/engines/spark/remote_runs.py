"""`copysift cluster --engine spark -o URI`: a run in whatever Spark writes to, through its own writers.

The tables have the columns of a RUN, each a folder of Parquet whose files are in order; the shingles that
`query` and `--onto` need are not kept. What the phases leave lies in URI/work while they run.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from copysift._version import __version__
from copysift.engines.cluster_run import Summary
from copysift.engines.spark import tables
from copysift.engines.spark.listings import stamp
from copysift.engines.spark.run import corpus_of, describe, reading_of, sizes_of
from copysift.engines.spark.storage import Store
from copysift.errors import UsageError
from copysift.runs.scan_run import TABLES, VERSION
from copysift.runs.workspace import answer_settings, decisive, job_of
from copysift.runtime.progress import Progress
from copysift.settings.corpus import CorpusSettings

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession


def cluster(
    spark: SparkSession,
    sources: Iterable[str],
    target: str,
    settings: CorpusSettings,
    *,
    progress: Progress | None = None,
) -> Summary:
    """Cluster the records of sources and write the tables and run.json to a URI."""
    names = list(sources)
    whole, store = Store(spark, target), Store(spark, f"{target.rstrip('/')}/work")
    if whole.exists("run.json") or not store.begin(job_at(spark, names, settings)):
        raise UsageError(f"{target} holds something else", hint="name an empty folder, or remove it")
    read = reading_of(spark, names, settings)
    corpus = corpus_of(spark, store, read, settings, progress=progress)
    corpus.run()
    with corpus.configured():
        ids, roots = tables.names(corpus), corpus.components()
        _write(whole, TABLES[0], tables.documents(corpus, ids), "number")
        _write(whole, TABLES[1], tables.pairs(corpus, ids), "rank", "place", "then")
        clusters = tables.clusters(corpus, roots, ids)
        found = _write(whole, TABLES[2], clusters, "root", "number", **tables.sizes())
        described, named = describe(corpus, names, [], sizes_of(found), len(read.files.base))
    made = {"version": VERSION, "copysift": __version__, "made_by": "cluster", "files": {}} | described
    whole.put("run.json", json.dumps(made, indent=1))
    store.drop()
    return Summary(PurePosixPath(target), described, named)  # type: ignore[arg-type] # it is only shown


def job_at(spark: SparkSession, names: list[str], settings: CorpusSettings, more: str = "") -> dict[str, Any]:
    """Name a job whose phases lie at a URI, so that it is taken up only for the same sources."""
    remote = [name for name in names if "://" in name]
    seen = job_of([name for name in names if name not in remote], settings, stamp(spark, remote))
    job: dict[str, Any] = {"sources": names, "settings": answer_settings(settings), "seen": seen}
    job["for"] = f"{decisive(settings)} {more}"
    return dict(json.loads(json.dumps(job)))


def _write(store: Store, name: str, frame: DataFrame, *order: str, **counts: Column) -> dict[str, Any]:
    return store.write(frame.orderBy(*order).drop(*order), name, **counts)
