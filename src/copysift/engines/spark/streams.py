"""Rows that Spark reads from files, split by split, as streams for the readers of the local engine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from copysift.engines.spark.columns import Batches, numbers
from copysift.sources.gunzip import ForwardStream


def splits(batches: Batches) -> Iterator[tuple[int, Batches]]:
    """Give the rows of each split, which come together, by `__key`; read them before asking for the next."""
    feed = _Feed(batches)
    while (key := feed.key()) is not None:
        yield key, feed.rows(key)


class _Feed:
    def __init__(self, batches: Batches) -> None:
        self._batches = iter(batches)
        self._held: pa.RecordBatch | None = None

    def key(self) -> int | None:
        """Give the key of the next row; None after the last."""
        while self._held is None or not len(self._held):
            self._held = next(self._batches, None)
            if self._held is None:
                return None
        found: int = self._held["__key"][0].as_py()
        return found

    def rows(self, key: int) -> Batches:
        """Give the next rows while they have this key."""
        while self.key() == key:
            assert self._held is not None
            other = np.flatnonzero(numbers(self._held["__key"]) != key)
            end = int(other[0]) if len(other) else len(self._held)
            some, self._held = self._held.slice(0, end), self._held.slice(end)
            yield some.drop_columns("__key")


class Lines(ForwardStream):
    """The lines of a split as the stream that they were; `open_end`: the last has no line end."""

    def __init__(self, rows: Batches, open_end: bool) -> None:
        self._rows = rows
        self._open_end = open_end
        self._held = memoryview(b"")
        self._next: bytes | None = b""

    def readinto(self, into: Any) -> int:
        """Read on."""
        while not self._held and self._next is not None:
            given, self._next = self._next, self._joined()
            if self._next is None and self._open_end:
                given = given[:-1]
            self._held = memoryview(given)
        got = min(len(into), len(self._held))
        into[:got] = self._held[:got]
        self._held = self._held[got:]
        self._given += got
        return got

    def _joined(self) -> bytes | None:
        batch = next(self._rows, None)
        if batch is None:
            return None
        return b"".join(line + b"\n" for line in batch["value"].cast(pa.binary()).to_pylist())
