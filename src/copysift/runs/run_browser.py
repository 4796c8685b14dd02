"""Look around in the clusters of a run, page by page: what a door shows to someone who browses."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from copysift.runs.checksums import read_table
from copysift.runs.scan_run import TABLES, read_description


@dataclass(frozen=True, slots=True)
class ListedDocument:
    """A cluster by its first document, and how many it has."""

    cluster: str
    documents: int


@dataclass(frozen=True, slots=True)
class Member:
    """A document of a cluster, how it joined, and its resemblance to the first if the run has that pair."""

    document: str
    joined: str
    resemblance: float | None


class RunBrowser:
    """The clusters of one run, the largest first, held in memory; pairs are read when they are shown."""

    def __init__(self, path: Path) -> None:
        self._path = path
        described = read_description(path)
        table = read_table(path, TABLES[2], ["cluster", "document", "joined"])
        heads = table["cluster"].combine_chunks().dictionary_encode()
        self._codes = np.asarray(heads.indices.to_numpy(zero_copy_only=False), dtype=np.int64)
        self._heads = heads.dictionary
        sizes = np.bincount(self._codes, minlength=len(self._heads))
        self._order = np.lexsort((np.arange(len(sizes)), -sizes))
        self._sizes = sizes
        self._documents, self._joined = table["document"].combine_chunks(), table["joined"].combine_chunks()
        self.documents, self.pairs = int(described["counts"]["documents"]), int(described["counts"]["pairs"])
        self.clusters, self.clustered = len(self._heads), len(table)

    def listed(self, words: str, offset: int, limit: int) -> tuple[list[ListedDocument], int]:
        """Give some clusters that have a document with these words in its name, and how many there are."""
        order = self._order
        if words:
            met = pc.match_substring(self._documents, words, ignore_case=True).to_numpy(zero_copy_only=False)
            order = order[np.isin(order, self._codes[met])]
        some = order[offset : offset + limit]
        names = self._heads.take(pa.array(some)).to_pylist()
        return [ListedDocument(*each) for each in zip(names, self._sizes[some].tolist(), strict=True)], len(
            order
        )

    def members(self, cluster: str, offset: int, limit: int) -> tuple[list[Member], int]:
        """Give some documents of a cluster, and how many it has; none when the cluster does not exist."""
        code = pc.index(self._heads, cluster).as_py()
        inside = np.flatnonzero(self._codes == code) if code >= 0 else np.zeros(0, np.int64)
        some = pa.array(inside[offset : offset + limit])
        names = self._documents.take(some).to_pylist()
        near = self._near(cluster, names)
        how = self._joined.take(some).to_pylist()
        found = [Member(name, word, near.get(name)) for name, word in zip(names, how, strict=True)]
        return found, len(inside)

    def _near(self, first: str, names: list[str]) -> dict[str, float]:
        """Give the resemblance of documents to the first of their cluster, where the run has the pair."""
        others = pa.array(names, pa.string())
        found: dict[str, float] = {}
        for one, other in (("left", "right"), ("right", "left")):
            wanted = (pc.field(one) == first) & pc.field(other).isin(others)
            pairs = read_table(self._path, TABLES[1], [other, "resemblance"], wanted)
            found |= dict(zip(pairs[other].to_pylist(), pairs["resemblance"].to_pylist(), strict=True))
        return found
