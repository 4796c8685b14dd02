"""Measured pairs on disk, in chunks: a corpus may have more of them than fit into memory.

A chunk is the number of its pairs and five columns: the two documents, the shingles that they share, and
how many each has. The measures are computed from these when a chunk is read.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from copysift.join.spill import read_all, write_all
from copysift.match.sets import MeasuredPairs, measures, sizes_of

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import NDArray

CHUNK = 1 << 17  # pairs that are held at a time
SUFFIX = "pairs"
COLUMNS = ("left", "right", "shared", "size_left", "size_right")
HEAD, WIDTH = 8, 4  # bytes of the number of pairs, and of a number in a column


class PairWriter:
    """Writes pairs to a file in the order in which they come."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = path.open("wb", buffering=0)
        self._parts: list[MeasuredPairs] = []
        self._held = 0

    def write(self, pairs: MeasuredPairs) -> None:
        """Add pairs."""
        if len(pairs):
            self._parts.append(pairs)
            self._held += len(pairs)
        if self._held >= CHUNK:
            self._flush()

    def _flush(self) -> None:
        pairs = MeasuredPairs.joined(self._parts)
        write_all(self._file.fileno(), np.array([len(pairs)], np.uint64), self._path)
        for column in (pairs.left, pairs.right, pairs.shared, *sizes_of(pairs)):
            write_all(self._file.fileno(), column.astype(np.uint32), self._path)
        self._parts, self._held = [], 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None and self._parts:
            self._flush()
        self._file.close()


class StoredPairs:
    """The pairs of some files, one after another; every loop over them reads them again."""

    def __init__(self, paths: Iterable[Path]) -> None:
        self._paths = list(paths)

    def __iter__(self) -> Iterator[MeasuredPairs]:
        for columns in self._chunks(COLUMNS):
            yield measures(*(column.astype(np.int64) for column in columns))

    def __len__(self) -> int:
        return sum(len(left) for (left,) in self._chunks(COLUMNS[:1]))

    def columns(self, *names: str) -> Iterator[NDArray[Any]]:
        """Give these columns of every chunk in turn."""
        for columns in self._chunks(names):
            yield from columns

    def _chunks(self, names: tuple[str, ...]) -> Iterator[list[NDArray[np.uint32]]]:
        for path in self._paths:
            with path.open("rb", buffering=0) as file:
                at, end = 0, os.fstat(file.fileno()).st_size
                while at < end:
                    head = np.empty(1, np.uint64)
                    read_all(file.fileno(), head, at, path)
                    count = int(head[0])
                    found = [np.empty(count, np.uint32) for _ in names]
                    for name, column in zip(names, found, strict=True):
                        start = at + HEAD + WIDTH * count * COLUMNS.index(name)
                        read_all(file.fileno(), column, start, path)
                    yield found
                    at += HEAD + WIDTH * count * len(COLUMNS)
