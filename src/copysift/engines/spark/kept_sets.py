"""The sets of a part as a run keeps them: written by the task that sketches the part, read by those after it.

So they need not travel through the tables of the phases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING
from uuid import uuid4

import numpy as np
import pyarrow as pa

from copysift.engines.spark.columns import Batches, numbers, packed, unpacked
from copysift.join.spill import write_all
from copysift.runs.sets import Sets
from copysift.runs.sketches import Places, SketchedPart, write_facts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Int64s = NDArray[np.int64]
    UInt64s = NDArray[np.uint64]

PIECE = 1 << 21  # shingles that are read at a time, about
FACTS = pa.schema(
    [(name, pa.string()) for name in ("id", "date", "other", "kind")]
    + [(name, pa.int64()) for name in ("bytes", "words", "places", "shingles")]
    + [(name, pa.uint64()) for name in ("content", "lexical", "sets")]
)


class SetsWriter:
    """Writes one part of the sets; a part whose task is repeated is written again, the same."""

    def __init__(self, folder: Path, part: int) -> None:
        sets = Sets(folder)
        self._paths = {name: sets.path(name, part) for name in ("order", "shingles", "documents")}
        own = uuid4().hex  # a task may run twice at once
        self._parts = {name: path.with_suffix(f".{own}.part") for name, path in self._paths.items()}
        self._files = {name: self._parts[name].open("wb", buffering=0) for name in ("order", "shingles")}
        self._tables: list[pa.Table] = []

    def add(self, sketched: SketchedPart) -> None:
        """Write the shingles of some documents; their facts are held, which are small."""
        for name, array in (("order", sketched.order), ("shingles", sketched.values)):
            write_all(self._files[name].fileno(), array, self._paths[name])
        self._tables.append(sketched.table.select(FACTS.names).cast(FACTS))

    def __enter__(self) -> SetsWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for name, file in self._files.items():
            file.close()
            if kind is None:
                self._parts[name].replace(self._paths[name])
        if kind is None:
            table = pa.concat_tables(self._tables) if self._tables else FACTS.empty_table()
            write_facts(table, self._parts["documents"], self._paths["documents"])
        else:
            for part in self._parts.values():
                part.unlink(missing_ok=True)


def sets_of(batches: Batches, folder: str) -> Iterator[tuple[pa.Array, UInt64s, Int64s]]:
    """Give numbers of documents and their sets: from their column, or by their rows from a folder."""
    reader = _Reader(folder) if folder else None
    for batch in batches:
        if reader is None:
            yield batch["number"], *unpacked(batch["values"], np.uint64)
            continue
        for first, last, values, bounds in reader.some(numbers(batch["row"])):
            yield batch["number"].slice(first, last - first), values, bounds


def values_task(folder: str) -> Callable[[Batches], Batches]:
    """Give documents the column of their sets."""

    def task(batches: Batches) -> Batches:
        for named, values, bounds in sets_of(batches, folder):
            yield pa.RecordBatch.from_pydict({"number": named, "values": packed(values, bounds)})

    return task


class _Reader:
    """Reads sets by the rows of documents, `part << 32 | place`, which mostly come in order."""

    def __init__(self, folder: str) -> None:
        self._sets = Sets(Path(folder))
        self._part = -1
        self._places = Places.of(np.zeros(0, np.uint64), np.zeros(1, np.int64))

    def some(self, rows: Int64s) -> Iterator[tuple[int, int, UInt64s, Int64s]]:
        """Give first:last of the rows with their sets, not too many at a time."""
        parts, inside = rows >> 32, rows & 0xFFFFFFFF
        for first, last in pairwise([*np.flatnonzero(np.diff(parts, prepend=-1)).tolist(), len(rows)]):
            if parts[first] != self._part:
                self._part = int(parts[first])
                self._places = self._sets.places(self._part)
            wanted = self._places.some(inside[first:last])
            held = np.concatenate([[0], np.cumsum(wanted.ends - wanted.starts)])
            at = 0
            while first + at < last:
                count = max(int(np.searchsorted(held, held[at] + PIECE, side="right")) - 1 - at, 1)
                yield first + at, first + at + count, *wanted.some(np.arange(at, at + count)).gathered()
                at += count
