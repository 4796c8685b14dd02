"""On-the-fly resemblance (section 6.1): one document, known or new, against all of a run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from copysift.engines.option_files import option_files
from copysift.engines.phases import sketch
from copysift.errors import RunError, UsageError
from copysift.match.sets import measures
from copysift.model.values import Group, Hit, Pair
from copysift.runs.postings import Inverted
from copysift.runs.scan_run import _read_description
from copysift.runs.sets import Sets
from copysift.runs.tables import ids_of
from copysift.settings.corpus import from_stored
from copysift.sources.records import Builder
from copysift.workflows.selection import seed_check

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Int64s = NDArray[np.int64]


def query(
    path: Path, text: bytes | None, name: str, threshold: float, seed: int = 0, limit: int | None = None
) -> list[Pair]:
    """Ask a run for one document: see `Asked.query`."""
    return Asked(path, seed).query(text, name, threshold, limit)


class Asked:
    """A run that is asked for documents, one after the other."""

    def __init__(self, path: Path, seed: int = 0) -> None:
        described = _read_description(path)
        self._path, self._settings, self._seed = path, described["settings"], seed
        settings = self._settings
        if described.get("made_by") != "cluster":
            raise RunError(f"{path} was not made by copysift cluster", hint="query an index instead")
        if settings.get("seed") != seed_check(seed):
            raise UsageError(f"{path} was created with another seed", hint="use the seed it was created with")
        self._sets = Sets(path / "sketches")
        self._common = self._sets.common()
        self._files = option_files(from_stored(settings), self._sets.folder)
        self._inverted = Inverted(self._sets)
        self._ids = ids_of(path)

    def query(
        self,
        text: bytes | None,
        name: str,
        threshold: float,
        limit: int | None = None,
        measure: str = "containment-left",
    ) -> list[Pair]:
        """Give the documents of the run whose measure with the text reaches a threshold.

        Without a text the document of that name is looked up in the run. The best come first: by the
        measure, then by resemblance and the larger containment.
        """
        hits, found, _ = self._ranked(text, name, threshold, limit, measure)
        rows = zip(self._ids.take(hits).to_pylist(), *(each.tolist() for each in found), strict=True)
        return [
            Pair(name, other, r == 1.0, max(left, right), r, left, right, shared)
            for other, shared, r, left, right in rows
        ]

    def answer(
        self,
        text: bytes | None,
        name: str,
        threshold: float,
        limit: int | None = None,
        measure: str = "containment-left",
    ) -> tuple[Group, list[Hit]]:
        """Give what was asked for and the same documents as an index gives them.

        A set has every shingle once, so sif's share of occurrences is that of the set.
        """
        hits, found, (size, shingles) = self._ranked(text, name, threshold, limit, measure)
        sizes = self._sets.column("bytes")[hits].tolist()
        rows = zip(self._ids.take(hits).to_pylist(), sizes, *(each.tolist() for each in found), strict=True)
        made = [
            Hit(name, other, r == 1.0, r, left, right, left, shared, bytes_)
            for other, bytes_, shared, r, left, right in rows
        ]
        return Group(name, name, "words", size, shingles), made

    def _ranked(
        self, text: bytes | None, name: str, threshold: float, limit: int | None, measure: str
    ) -> tuple[Int64s, tuple[NDArray[Any], ...], tuple[int, int]]:
        """Give numbers of documents with shared, r and both containments; bytes and shingles of the asked."""
        if text is not None and self._settings.get("features"):
            raise UsageError(
                f"{self._path} compares features, not texts", hint="use the ID of one of its documents"
            )
        number = self._ids.index(name).as_py() if text is None else -1
        if text is None and number < 0:
            raise UsageError(f"{self._path} has no document {name}", hint="use one of its IDs, or a file")
        if text is None:
            mine, _ = self._sets.some(np.array([number]))
            size = int(self._sets.column("bytes")[number])
        else:
            size = len(text)
            settings = replace(from_stored(self._settings), seed=self._seed)
            found = sketch(_file(name, text), settings, files=self._files)
            words, places = (found.table[each].to_numpy() for each in ("words", "places"))
            ends = np.array([0, len(found.values)])
            less = self._common.without(found.values, ends, words, places, found.order)
            mine = less.values if len(less.changed) else found.values
        hits, shared = self._inverted.holders(mine)
        others = hits != number
        hits, shared = hits[others], shared[others]
        sizes = self._sets.column("compared")[hits]
        measured = measures(np.zeros(len(hits), np.int64), hits, shared, np.full(len(hits), len(mine)), sizes)
        # A set has every shingle once, so sif's share of occurrences is that of the set.
        chosen = getattr(measured, {"sif": "containment_left"}.get(measure, measure.replace("-", "_")))
        close = np.flatnonzero(chosen >= threshold - 1e-12)
        keys = (hits, -measured.containment, -measured.resemblance, -chosen)
        order = close[np.lexsort([key[close] for key in keys])][:limit]
        columns = (
            measured.shared,
            measured.resemblance,
            measured.containment_left,
            measured.containment_right,
        )
        return hits[order], tuple(each[order] for each in columns), (size, len(mine))


def _file(name: str, text: bytes) -> pa.RecordBatch:
    """Give a file as a batch of one document, which is read as it would be in a corpus."""
    built = Builder(raw=True)
    built.add(name, text)
    return next(built.give())
