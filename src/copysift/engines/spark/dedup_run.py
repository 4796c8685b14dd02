"""`copysift dedup --engine spark`: sources to what stays of them, decided and written by tasks."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq

from copysift.engines import cluster_run as corpus_run
from copysift.engines.cluster_run import Summary
from copysift.engines.dedup_job import (
    DedupCounts,
    DedupJob,
    beside,
    check_wishes,
    require_some,
    rereadable,
)
from copysift.engines.dedup_steps import dedup as dedup_here
from copysift.engines.output_targets import check_output, is_folder
from copysift.engines.record_writers import STANDARD_OUTPUT
from copysift.engines.spark import decisions as deciding
from copysift.engines.spark import run as spark_run
from copysift.engines.spark import tables
from copysift.engines.spark import writers as writing
from copysift.engines.spark.frames import work_folder
from copysift.engines.spark.remote_runs import job_at
from copysift.engines.spark.storage import Store
from copysift.errors import UsageError
from copysift.runs.scan_run import TABLES
from copysift.runtime.progress import Progress
from copysift.settings.corpus import CorpusSettings, finished_here, refuse_far

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from copysift.engines.spark.corpus import SparkCorpus
    from copysift.engines.spark.records import RecordSources


def dedup(spark: SparkSession, job: DedupJob, progress: Progress | None = None) -> DedupCounts:
    """Write what stays of the sources to the target, and beside it who was removed."""
    keeping, shards, against, run, target = job.keeping, job.shards, job.against, job.run, job.target
    sources, settings = list(job.sources), job.settings
    check_wishes(keeping, run, against, settings)
    if finished_here(settings):
        return _decided_here(spark, job, progress)
    if against is not None:
        settings = corpus_run.onto_settings(against, settings)
    local = Path(target) if target and "://" not in target else None
    place: writing.Files | writing.Folders | None = None
    if local is not None:
        if local == STANDARD_OUTPUT or is_folder(local):
            raise UsageError(
                "tasks of a cluster write one file, or shards of it",
                hint="name a file with -o, or leave out --engine spark",
            )
        check_output(local, sources, shards, settings)
        place = writing.Files(local)
    elif target:
        place = writing.Folders(spark, target)
    with contextlib.ExitStack() as stack:
        spare = stack.enter_context(beside(local, run)) if local or run or "-" in sources else None
        names = rereadable(sources, spare) if spare else list(sources)
        if run is not None:
            making = spark_run.begin(spark, names, run, settings, against, progress, keeping)
            corpus, reading = making.corpus, making.reading
            spark_run.make_run(making)
        else:
            store = stack.enter_context(_store(spark, spare, target, names, settings, keeping, against))
            segments = spark_run.adopted(against) if against is not None else ()
            reading = spark_run.reading_of(spark, names, settings, segments)
            corpus = spark_run.corpus_of(spark, store, reading, settings, "", progress)
            corpus.run()
        with corpus.configured():
            done = _write(corpus, reading, None if job.dry_run else place, keeping, shards, against)
        if run is not None:
            spark_run.finish(making)
    return done


def _decided_here(spark: SparkSession, job: DedupJob, progress: Progress | None) -> DedupCounts:
    """Let Spark make the run, and decide and write here, by the pairs of the run."""
    if "://" in job.target:
        refuse_far(job.settings, "an output at a URI")
    return dedup_here(
        job.sources,
        Path(job.target) if job.target else None,
        job.settings,
        keeping=job.keeping,
        shards=job.shards,
        dry_run=job.dry_run or not job.target,
        against=job.against,
        run=job.run,
        progress=progress,
        clusterer=partial(spark_run.cluster, spark),
    )


def _write(
    corpus: SparkCorpus,
    reading: RecordSources,
    place: writing.Files | writing.Folders | None,
    keeping: str,
    shards: int,
    old: Path | None,
) -> DedupCounts:
    before = 0 if old is None else pq.read_metadata(old / TABLES[0]).num_rows
    removed = deciding.decide(corpus, keeping) if old is None else deciding.against(corpus, before)
    done = _numbers(corpus, removed, before)
    require_some(done)
    if place is not None:
        stays = writing.kept(corpus, reading, removed, done.removed, before, shards)
        place.write_kept(stays, shards, corpus.store)
        place.write_removed(writing.listed(corpus, removed))
    return done


def _numbers(corpus: SparkCorpus, removed: DataFrame, before: int) -> DedupCounts:
    tables.names(corpus)  # counts ids that came again
    found = deciding.reasons(removed)
    documents, gone = corpus.counts["documents"] - before, sum(found.values())
    reasons, named = spark_run.left_out(corpus)
    total = sum(reasons.values())
    told = Summary(Path(), {"reasons": reasons, "counts": {"skipped": total}}, ())
    skipped = tuple((name, reason) for name, reason in named)
    return DedupCounts(documents, documents - gone, gone, found, skipped, total, told.left_out)


@contextlib.contextmanager
def _store(
    spark: SparkSession,
    spare: Path | None,
    target: str,
    names: list[str],
    settings: CorpusSettings,
    keeping: str,
    against: Path | None,
) -> Iterator[Store]:
    """Give a place for the phases: beside a file, in a folder beside a URI, or anywhere for a dry run."""
    if spare is not None:
        yield Store(spark, f"file://{spare.absolute()}/work")
        return
    if not target:
        store = Store(spark, work_folder(spark))
    else:
        parent, _, name = target.rstrip("/").rpartition("/")
        store = Store(spark, f"{parent}/_{name}.work")  # Spark reads no folder that begins with _
        if not store.begin(job_at(spark, names, settings, f"{keeping} {corpus_run.run_stamp(against)}")):
            raise UsageError(f"{store.place} holds other work", hint="remove it")
    yield store
    store.drop()
