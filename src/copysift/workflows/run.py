"""`copysift.Run`: a run of `cluster` opened in Python, with the look-ups of section 4.2."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Any, Unpack

from copysift.errors import RunError, UsageError
from copysift.model.values import Cluster, Pair
from copysift.runs import cluster_run as runs
from copysift.runs.scan_run import _read_description
from copysift.settings.corpus import CorpusSettings
from copysift.settings.declaration import make
from copysift.settings.index import Query
from copysift.settings.keywords import ReclusterKeywords
from copysift.workflows.run_query import Asked

Place = str | os.PathLike[str]


class Run:
    """A run of `copysift cluster` on disk; `seed` is the secret that it was made with.

    `described` is what its run.json says: settings, counts, sources, what was skipped.
    """

    def __init__(self, path: Place, *, seed: int | str = 0) -> None:
        self.path = Path(path)
        self._seed = make(CorpusSettings, {"seed": seed}).seed
        self.described: dict[str, Any] = _read_description(self.path)
        if self.described.get("made_by") != "cluster":
            raise RunError(f"{path} was not made by copysift cluster", hint="copysift.show opens it")

    def clusters(self) -> tuple[Cluster, ...]:
        """Give the clusters of two documents or more, in order of their first document."""
        return tuple(Cluster(tuple(each)) for each in runs.members(self.path).values())

    def cluster_of(self, document: str) -> list[tuple[str, str]]:
        """Give the documents in the cluster of a document, each with how it joined."""
        found = runs.cluster_of(self.path, document)
        if found is None:
            raise UsageError(f"{self.path} has no document {document}")
        return found

    def query(
        self,
        document: str = "",
        *,
        text: str | bytes | None = None,
        threshold: float | str | None = None,
        measure: str = "containment-left",
        limit: int | None = None,
    ) -> list[Pair]:
        """Give the documents that share text with a document of the run, or with a text, best first.

        Settings are those of `copysift query`.
        """
        if bool(document) == (text is not None):
            raise UsageError("name a document of the run, or give a text")
        content = text.encode("utf-8", "replace") if isinstance(text, str) else text
        query = make(Query, {"threshold": threshold, "measure": measure, "limit": limit}, "query")
        return self._asked.query(content, document, query.cut, query.limit or None, query.measure)

    def collapse(self, ranked: Iterable[str]) -> list[tuple[str, list[str]]]:
        """Fold a ranked list of documents: the first of every cluster, with its near-copies of the list."""
        return runs.collapse(self.path, list(ranked))

    def recluster(
        self,
        *,
        output: Place | None = None,
        **settings: Unpack[ReclusterKeywords],
    ) -> dict[str, int]:
        """Recompute the clusters and count them; with `output` in a Parquet file instead of the run.

        Settings are those of `copysift recluster`: threshold, measure, policy.
        """
        made = make(CorpusSettings, settings, "recluster")
        counts = runs.recluster(self.path, made, None if output is None else Path(output))
        self.described = _read_description(self.path)
        return counts

    @cached_property
    def _asked(self) -> Asked:
        return Asked(self.path, self._seed)
