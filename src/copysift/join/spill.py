"""Keys with a payload on disk, in ranges: what divide, compute, merge moves between the phases.

Each write is a block whose entries are in order of range; reading a span of ranges gathers the pieces of
all blocks in the order in which they were written. The table of blocks can be saved, so that a later run
goes on from it.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from copysift.errors import RunError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Int64s = NDArray[np.int64]
    UInt32s = NDArray[np.uint32]
    UInt64s = NDArray[np.uint64]

ENTRY = 12  # bytes of a key and its payload


class Spill:
    """A file of (uint64 key, uint32 payload) blocks; threads may read it, one writes it."""

    def __init__(self, path: Path, ranges: int, blocks: list[tuple[int, Int64s]] | None = None) -> None:
        self.path = path
        self.ranges = ranges
        self._blocks = blocks or []
        self._file = path.open("r+b" if blocks is not None else "w+b", buffering=0)
        self._end = self._file.seek(0, os.SEEK_END)
        self._lock = threading.Lock()

    def write(self, keys: UInt64s, payload: UInt32s, bounds: Int64s) -> None:
        """Add a block; range i is keys[bounds[i]:bounds[i + 1]]."""
        if not len(keys):
            return
        with self._lock:
            for column in (keys, payload):
                write_all(self._file.fileno(), np.ascontiguousarray(column), self.path)
            self._blocks.append((self._end, np.asarray(bounds, np.int64)))
            self._end += ENTRY * len(keys)

    def counts(self) -> Int64s:
        """Count the entries of every range."""
        total = np.zeros(self.ranges, np.int64)
        for _, bounds in self._blocks:
            total += np.diff(bounds)
        return total

    def spans(self, entries: int, counts: Int64s | None = None) -> Iterator[tuple[int, int]]:
        """Give spans of ranges of about that many entries together; one range may pass it alone."""
        first, held = 0, 0
        for number, count in enumerate((self.counts() if counts is None else counts).tolist()):
            if held and held + count > entries:
                yield first, number
                first, held = number, 0
            held += count
        if held:
            yield first, self.ranges

    def read(self, first: int, last: int) -> tuple[UInt64s, UInt32s]:
        """Gather the entries of the ranges first .. last - 1."""
        total = sum(int(bounds[last] - bounds[first]) for _, bounds in self._blocks)
        keys, payload = np.empty(total, np.uint64), np.empty(total, np.uint32)
        at = 0
        for offset, bounds in self._blocks:
            start, end = int(bounds[first]), int(bounds[last])
            to = slice(at, at + end - start)
            read_all(self._file.fileno(), keys[to], offset + 8 * start, self.path)
            read_all(self._file.fileno(), payload[to], offset + 8 * int(bounds[-1]) + 4 * start, self.path)
            at += end - start
        return keys, payload

    def save(self, path: Path) -> None:
        """Write the table of blocks."""
        bounds = np.array([bounds for _, bounds in self._blocks], np.int64).reshape(-1, self.ranges + 1)
        np.savez(path, offsets=np.array([offset for offset, _ in self._blocks], np.int64), bounds=bounds)

    @classmethod
    def open(cls, path: Path, table: Path) -> Spill:
        """Open a file again by its table."""
        with np.load(table) as loaded:
            offsets, bounds = loaded["offsets"].tolist(), loaded["bounds"]
        return cls(path, bounds.shape[1] - 1, list(zip(offsets, bounds, strict=True)))

    def __enter__(self) -> Spill:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


def write_all(descriptor: int, array: NDArray[Any], path: Path) -> None:
    """Write an array at the end of a file."""
    view = memoryview(array.data).cast("B") if array.size else memoryview(b"")
    try:
        while view:
            view = view[os.write(descriptor, view) :]
    except OSError as error:
        raise RunError(
            f"cannot write {path}: {error.strerror}",
            hint="a run needs about 1.5 times the size of the texts; run the same command to continue",
        ) from error


def read_all(descriptor: int, into: NDArray[Any], offset: int, path: Path) -> None:
    """Fill an array from a place of a file."""
    view = memoryview(into.data).cast("B") if into.size else memoryview(b"")
    while view:
        got = os.preadv(descriptor, [view], offset)
        if not got:
            raise RunError(f"{path} is truncated", hint="recreate the run")
        view, offset = view[got:], offset + got
