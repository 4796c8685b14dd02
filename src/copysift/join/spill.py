"""Keys with a payload on disk, in ranges: what divide, compute, merge moves between the phases.

Each write is a block whose entries are in order of range; reading a span of ranges gathers the pieces of
all blocks in the order in which they were written. The table of blocks is kept apart, so that others can
read the file.
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
        self._file = path.open("rb" if blocks is not None else "w+b", buffering=0)
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

    def size(self, first: int, last: int) -> int:
        """Count the entries of the ranges first .. last - 1."""
        return sum(int(bounds[last] - bounds[first]) for _, bounds in self._blocks)

    def spans(self, entries: int, counts: Int64s | None = None) -> Iterator[tuple[int, int]]:
        """Give spans of ranges of about that many entries together; one range may pass it alone."""
        return spans_of(self.counts() if counts is None else counts, entries, 0)

    def read(self, first: int, last: int) -> tuple[UInt64s, UInt32s]:
        """Gather the entries of the ranges first .. last - 1."""
        total = self.size(first, last)
        keys, payload = np.empty(total, np.uint64), np.empty(total, np.uint32)
        self.read_into(keys, payload, first, last)
        return keys, payload

    def read_into(self, keys: UInt64s, payload: UInt32s, first: int, last: int) -> int:
        """Put the entries of the ranges first .. last - 1 at the front of arrays; give how many they are."""
        at = 0
        for offset, bounds in self._blocks:
            start, end = int(bounds[first]), int(bounds[last])
            to = slice(at, at + end - start)
            read_all(self._file.fileno(), keys[to], offset + 8 * start, self.path)
            read_all(self._file.fileno(), payload[to], offset + 8 * int(bounds[-1]) + 4 * start, self.path)
            at += end - start
        return at

    def table(self, prefix: str = "") -> dict[str, Int64s]:
        """Give the table of blocks as arrays: what `reopened` takes."""
        bounds = np.array([bounds for _, bounds in self._blocks], np.int64).reshape(-1, self.ranges + 1)
        offsets = np.array([offset for offset, _ in self._blocks], np.int64)
        return {f"{prefix}offsets": offsets, f"{prefix}bounds": bounds}

    @classmethod
    def reopened(cls, path: Path, offsets: Int64s, bounds: Int64s) -> Spill:
        """Open a complete file by its table, to read it."""
        return cls(path, bounds.shape[1] - 1, list(zip(offsets.tolist(), bounds, strict=True)))

    def __enter__(self) -> Spill:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class Spills:
    """Several files with the same ranges, read as one: their entries come in the order of the files."""

    def __init__(self, files: list[Spill]) -> None:
        self._files = files

    def counts(self) -> Int64s:
        """Count the entries of every range."""
        total = np.zeros(self._files[0].ranges if self._files else 0, np.int64)
        for file in self._files:
            total += file.counts()
        return total

    def spans(
        self, entries: int, first: int, last: int, counts: Int64s | None = None
    ) -> Iterator[tuple[int, int]]:
        """Give spans of the ranges first .. last - 1 as `Spill.spans` does."""
        return spans_of((self.counts() if counts is None else counts)[first:last], entries, first)

    def read(self, first: int, last: int) -> tuple[UInt64s, UInt32s]:
        """Gather the entries of the ranges first .. last - 1."""
        total = sum(file.size(first, last) for file in self._files)
        keys, payload = np.empty(total, np.uint64), np.empty(total, np.uint32)
        at = 0
        for file in self._files:
            at += file.read_into(keys[at:], payload[at:], first, last)
        return keys, payload

    def __enter__(self) -> Spills:
        return self

    def __exit__(self, *_: object) -> None:
        for file in self._files:
            file.close()


def spans_of(counts: Int64s, entries: int, first: int) -> Iterator[tuple[int, int]]:
    """Cut ranges from `first` on where their counts add up to `entries`; one range may pass it alone."""
    held = 0
    for number, count in enumerate(counts.tolist(), first):
        if held and held + count > entries:
            yield first, number
            first, held = number, 0
        held += count
        last = number + 1
    if held:
        yield first, last


def write_all(descriptor: int, array: NDArray[Any], path: Path) -> None:
    """Write an array at the end of a file."""
    view = memoryview(array.data).cast("B") if array.size else memoryview(b"")
    try:
        while view:
            view = view[os.write(descriptor, view) :]
    except OSError as error:
        raise RunError(
            f"cannot write {path}: {error.strerror}",
            hint="a run may need about twice the size of the texts; run the same command to continue",
        ) from error


def read_all(descriptor: int, into: NDArray[Any], offset: int, path: Path) -> None:
    """Fill an array from a place of a file."""
    view = memoryview(into.data).cast("B") if into.size else memoryview(b"")
    while view:
        got = os.preadv(descriptor, [view], offset)
        if not got:
            raise RunError(f"{path} is truncated", hint="recreate the run")
        view, offset = view[got:], offset + got
