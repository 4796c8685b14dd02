"""The narrow interface of an engine, and the engines by name.

An engine turns sources into a RUN. Inside it there are three steps, which `Phases` names: `local.Corpus`
does them with threads and files, `spark.corpus.SparkCorpus` with tasks and shuffles. What decides the answer
lies in `phases.py` and below, and is called by both; another engine (Ray, array jobs) needs these three.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from copysift.engines.cluster_run import Summary
from copysift.engines.cluster_run import cluster as local_cluster
from copysift.engines.spark.failures import worded
from copysift.engines.spark.session import session
from copysift.runs.workspace import making
from copysift.runtime.progress import Progress
from copysift.settings.corpus import CorpusSettings


class Phases(Protocol):
    """What an engine does between the sources and the tables; each leaves what the next one reads."""

    def sketch(self) -> None:
        """Make facts and sets of every part of the sources, and find documents that are the same."""

    def pair(self) -> None:
        """Find the pairs that share shingles, choose candidates and measure them."""

    def components(self) -> Any:
        """Give every document that pairs connect the first document of its cluster."""


if TYPE_CHECKING:
    from copysift.engines.dedup_job import DedupCounts, DedupJob
    from copysift.engines.local import Corpus
    from copysift.engines.spark.corpus import SparkCorpus

    ENGINES: tuple[type[Phases], ...] = (Corpus, SparkCorpus)


class Cluster(Protocol):
    """Cluster sources into a run."""

    def __call__(
        self,
        sources: Iterable[str],
        path: Path,
        settings: CorpusSettings,
        *,
        onto: Path | None = None,
        progress: Progress | None = None,
    ) -> Summary: ...


def cluster_with(engine: str, master: str = "", conf: Iterable[str] = ()) -> Cluster:
    """Give `cluster` of an engine: local, or spark with its session."""
    if engine == "local":
        return local_cluster

    spark = session(master, conf)  # says what is missing before PySpark is imported
    from copysift.engines.spark.run import cluster

    def placed(
        sources: Iterable[str],
        path: Path,
        settings: CorpusSettings,
        *,
        onto: Path | None = None,
        progress: Progress | None = None,
    ) -> Summary:
        with making(path) as place:
            made = cluster(spark, sources, place, settings, onto=onto, progress=progress)
        return dataclasses.replace(made, path=path)

    return worded(placed)


class ClusterElsewhere(Protocol):
    """Cluster sources into tables at a URI."""

    def __call__(
        self,
        sources: Iterable[str],
        target: str,
        settings: CorpusSettings,
        *,
        progress: Progress | None = None,
    ) -> Summary: ...


def cluster_elsewhere(master: str = "", conf: Iterable[str] = ()) -> ClusterElsewhere:
    """Give `cluster` to a URI, which Spark alone writes."""

    spark = session(master, conf)
    from copysift.engines.spark.remote_runs import cluster

    return worded(partial(cluster, spark))


Dedup = Callable[["DedupJob", "Progress | None"], "DedupCounts"]


def dedup_on_spark(master: str = "", conf: Iterable[str] = ()) -> Dedup:
    """Give `dedup` on Spark, which decides and writes there."""

    spark = session(master, conf)
    from copysift.engines.spark.dedup_run import dedup

    return worded(partial(dedup, spark))
