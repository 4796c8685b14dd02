"""A run of a corpus read back: ids, the representative of each document by number, and pairs part by part.

A run may have many more pairs than documents: whoever can takes them in parts, as they are on disk.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from copysift.clusters.classes import ALONE, IDENTICAL
from copysift.clusters.classes import WORDS as SAME
from copysift.errors import RunError
from copysift.match.sets import MeasuredPairs
from copysift.runs.checksums import RECREATE, batches_of, read_table, verify_table
from copysift.runs.columns import digests, taken
from copysift.runs.scan_run import TABLES, read_description
from copysift.runs.tables import MEASURES, ROWS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Int64s = NDArray[np.int64]


class Numbers:
    """Finds the numbers of ids, by digests: Arrow would put all ids into a table again for every part."""

    def __init__(self, ids: pa.StringArray) -> None:
        self._ids = ids
        known = digests(ids)
        self._order = np.argsort(known, kind="stable").astype(np.uint32)
        self._known = known[self._order]

    def of(self, names: pa.StringArray) -> Int64s:
        """Give the numbers of ids, −1 for unknown ones."""
        if not len(self._known):
            return np.full(len(names), -1)
        place = np.searchsorted(self._known, digests(names))
        found: Int64s = self._order[np.minimum(place, len(self._known) - 1)].astype(np.int64)
        if not taken(self._ids, found).equals(names):  # some are unknown, or null, or two have one digest
            return numbers_of(self._ids, names)
        return found


class StoredRun:
    """A run read back: ids by number, who represents which and how, pairs, and run.json."""

    def __init__(self, path: Path, described: dict[str, Any]) -> None:
        self.path, self.described = path, described
        verify_table(path, TABLES[0])
        try:
            names = pq.read_schema(path / TABLES[0]).names
        except (pa.ArrowException, OSError) as error:
            raise RunError(f"{path} is damaged: {error}", hint=RECREATE) from None
        more = [name for name in ("same_as", "same") if name in names]
        documents = read_table(path, TABLES[0], ["document", *more])
        self.ids: pa.StringArray = _whole(documents["document"])
        self._numbers = Numbers(self.ids)
        self.first: Int64s = np.arange(len(self.ids))
        self.how: NDArray[np.uint8] = np.full(len(self.ids), ALONE, np.uint8)
        if more:
            known = _whole(documents["same_as"])
            some = np.flatnonzero(known.is_valid().to_numpy(zero_copy_only=False))
            self.first[some] = self._numbers.of(known.drop_null())
            codes = numbers_of(pa.array(SAME, pa.string()), _whole(documents["same"]))
            self.how = np.where(codes < 0, ALONE, codes).astype(np.uint8)
        else:
            for table, left, right in self._tables():
                same = table["equal"].to_numpy(zero_copy_only=False)
                self.first[right[same]], self.how[right[same]] = left[same], IDENTICAL

    def numbers(self, ids: list[str]) -> Int64s:
        """Give the numbers of ids, −1 for unknown ones."""
        return numbers_of(self.ids, pa.array(ids, pa.string()))

    @cached_property
    def pairs(self) -> MeasuredPairs:
        """All measured pairs; those of documents that are the same as another are left out."""
        return MeasuredPairs.joined(list(self.parts))

    @property
    def parts(self) -> StoredParts:
        """The same pairs in parts, which are read again by every loop over them."""
        return StoredParts(self)

    def _tables(self) -> Iterator[tuple[pa.RecordBatch, Int64s, Int64s]]:
        """Give the table of pairs in parts, and the numbers of the documents of each."""
        columns = ["left", "right", "shared", *MEASURES, "equal"]
        for batch in batches_of(self.path, TABLES[1], columns, ROWS):
            yield batch, self._numbers.of(batch["left"]), self._numbers.of(batch["right"])

    def measured(self) -> Iterator[MeasuredPairs]:
        """Give the pairs of `parts` once."""
        for table, left, right in self._tables():
            numbers = (table[name].to_numpy() for name in ("shared", *MEASURES))
            found = MeasuredPairs(left, right, *numbers)
            yield found.take(self.how[right] == ALONE)


class StoredParts:
    """The pairs of a run on disk, part by part."""

    def __init__(self, run: StoredRun) -> None:
        self._run = run

    def __iter__(self) -> Iterator[MeasuredPairs]:
        return self._run.measured()


def open_corpus(path: Path) -> StoredRun:
    """Read a run back for look-ups and for the last phase; runs of `scan --save` are fine too."""
    return StoredRun(path, read_description(path))


def numbers_of(ids: pa.StringArray, names: pa.StringArray) -> Int64s:
    """Give the places of names among ids, −1 for unknown ones."""
    import pyarrow.compute as pc  # takes long to load

    found = pc.index_in(names, value_set=ids)
    return np.asarray(found.fill_null(-1).to_numpy(zero_copy_only=False), dtype=np.int64)


def _whole(chunks: pa.ChunkedArray) -> pa.Array:
    whole = chunks.combine_chunks()
    return whole.combine_chunks() if isinstance(whole, pa.ChunkedArray) else whole
