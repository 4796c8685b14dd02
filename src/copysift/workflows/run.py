"""`copysift.Run`: a run of `cluster` opened in Python, with the look-ups of section 4.2."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from copysift.engines.cluster_run import recluster
from copysift.errors import RunError, UsageError
from copysift.match.counts import Counts
from copysift.match.pair_table import Ranking
from copysift.match.pairs import Pairs
from copysift.model import tables
from copysift.model.values import Cluster, Group, Pair
from copysift.runs.checksums import count_rows, read_table
from copysift.runs.scan_run import TABLES, open_run, read_description
from copysift.runs.tables import cluster_of, collapse, members
from copysift.runtime.plurals import plural
from copysift.settings.corpus import CorpusSettings
from copysift.settings.declaration import make
from copysift.settings.index import Query
from copysift.settings.keywords import ReclusterKeywords
from copysift.workflows.run_query import RunLookup
from copysift.workflows.selection import equal_pairs

if TYPE_CHECKING:
    import pyarrow as pa

Place = str | os.PathLike[str]


class Clusters(tuple[Cluster, ...]):
    """The clusters of a run."""

    __slots__ = ()

    def __call__(self) -> Clusters:
        """Give itself: `clusters` was a method once."""
        warnings.warn("Run.clusters() is now Run.clusters", DeprecationWarning, stacklevel=2)
        return self


class Run(tables.Tabular):
    """A run of `copysift cluster` on disk; `seed` is the secret that it was made with.

    `described` is what its run.json says: settings, counts, sources, what was skipped.

    >>> result = copysift.cluster("essays", run="RUN")
    >>> run = copysift.Run("RUN")
    >>> run.cluster_of("essays/bread.txt")
    [('essays/bread.txt', 'representative'), ('essays/shouting.txt', 'lexically equivalent')]
    >>> run
    <Run RUN: 15 documents, 14 pairs (1 identical), 4 clusters>
    """

    def __init__(self, path: Place, *, seed: int | str = 0) -> None:
        self.path = Path(path)
        self._seed = make(CorpusSettings, {"seed": seed}).seed
        self.described: dict[str, object] = read_description(self.path)
        if self.described.get("made_by") != "cluster":
            raise RunError(f"{path} was not made by copysift cluster", hint="copysift.show opens it")

    @property
    def documents(self) -> tuple[Group, ...]:
        """The documents, in the order of input.

        >>> run.documents[0].name
        'essays/bees-rearranged.txt'
        """
        return self._counts.documents

    @property
    def pairs(self) -> Sequence[Pair]:
        """All pairs from the floor of the run on, best first, made when they are wanted.

        >>> run.pairs[0].left
        'essays/lighthouse.txt'
        """
        return ordered_pairs(self._counts)

    @cached_property
    def clusters(self) -> Clusters:
        """The clusters of two documents or more, in order of their first document."""
        return Clusters(Cluster(tuple(each)) for each in members(self.path).values())

    def to_arrow(self, table: tables.Table = "pairs") -> pa.Table:
        """Give a table of the run as it is on disk: pairs, documents or clusters.

        >>> run.to_arrow("clusters").num_rows
        10
        """
        files = dict(zip(("documents", "pairs", "clusters"), TABLES, strict=True))
        return read_table(self.path, files[tables.known_table(table)])

    def __repr__(self) -> str:
        return f"<Run {os.fspath(self.path)}: {self._summary()}>"

    def _repr_html_(self) -> str:
        heads = ("left", "right", "resemblance", "shared")
        rows = ([getattr(pair, name) for name in heads] for pair in self.pairs[: tables.SHOWN])
        return tables.html_table(f"{self.path}: {self._summary()}", heads, rows)

    def _summary(self) -> str:
        documents, pairs = (count_rows(self.path, name) for name in TABLES[:2])
        counts = {"document": documents, "pair": pairs, "cluster": len(self.clusters)}
        said = [plural(number, what) for what, number in counts.items()]
        described = self.described["counts"]
        equal = described["identical"] if isinstance(described, dict) else 0
        said[1] += f" ({equal:,} identical)" if equal else ""
        return ", ".join(said)

    def cluster_of(self, document: str) -> list[tuple[str, str]]:
        """Give the documents in the cluster of a document, each with how it joined.

        >>> run.cluster_of("essays/bread.txt")
        [('essays/bread.txt', 'representative'), ('essays/shouting.txt', 'lexically equivalent')]
        """
        found = cluster_of(self.path, document)
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

        >>> [(pair.right, pair.equal) for pair in run.query("essays/bread.txt")]
        [('essays/shouting.txt', True)]
        """
        if bool(document) == (text is not None):
            raise UsageError("name a document of the run, or give a text")
        content = text.encode("utf-8", "replace") if isinstance(text, str) else text
        query = make(Query, {"threshold": threshold, "measure": measure, "limit": limit}, "query")
        return self._asked.query(content, document, query.cut, query.limit or None, query.measure)

    def collapse(self, ranked: Iterable[str]) -> list[tuple[str, list[str]]]:
        """Fold a ranked list of documents: the first of every cluster, with its near-copies of the list.

        >>> run.collapse(["essays/bees.txt", "essays/bread.txt", "essays/shouting.txt"])
        [('essays/bees.txt', []), ('essays/bread.txt', ['essays/shouting.txt'])]
        """
        return collapse(self.path, list(ranked))

    def recluster(
        self,
        *,
        output: Place | None = None,
        **settings: Unpack[ReclusterKeywords],
    ) -> dict[str, int]:
        """Recompute the clusters and count them; with `output` in a Parquet file instead of the run.

        Settings are those of `copysift recluster`: threshold, measure, policy.

        >>> run.recluster(threshold=0.9)
        {'clusters': 4, 'clustered': 8, 'duplicates': 4}
        """
        made = make(CorpusSettings, settings, "recluster")
        counts = recluster(self.path, made, None if output is None else Path(output))
        self.described = read_description(self.path)
        self.__dict__.pop("clusters", None)
        return counts

    @cached_property
    def _asked(self) -> RunLookup:
        return RunLookup(self.path, self._seed)

    @cached_property
    def _counts(self) -> Counts:
        return open_run(self.path)


def ordered_pairs(counts: Counts) -> Pairs:
    """Give the pairs of a corpus: equal documents, then the others, best first."""
    ranking = Ranking(counts.pairs, lambda pairs: -pairs.resemblance)
    return Pairs(counts.documents, ranking, first=equal_pairs(counts), settings=counts.settings)
