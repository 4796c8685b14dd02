"""Arrays in temporary files that have no name, mapped into memory: they may be larger than it.

The file goes with the last reference to its array. Only we write it, so it never shrinks: a
mapped file that shrinks would kill the process.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from copysift.errors import InputError, UsageError

AT_ONCE = 1 << 22  # values that are copied together
HINT = "Choose a folder with room by --tmp-dir, or a larger --memory."


class ArrayFile:
    """Takes values piece by piece and gives them as one array; values of different widths get the widest.

    Up to `room` bytes stay in memory.
    """

    def __init__(self, folder: Path | None = None, room: int = 0) -> None:
        self._folder, self._room = folder, room
        self._pieces: list[tuple[np.dtype[Any], int]] = []  # types and counts
        self._held: list[NDArray[Any]] = []
        self._file: IO[bytes] | None = None

    def __del__(self) -> None:
        if self._file is not None:
            self._file.close()

    def __len__(self) -> int:
        return sum(count for _, count in self._pieces)

    def append(self, values: NDArray[Any]) -> None:
        """Put values, which no longer change, at the end."""
        if not len(values):
            return
        if self._pieces and self._pieces[-1][0] == values.dtype:
            self._pieces[-1] = (values.dtype, self._pieces[-1][1] + len(values))
        else:
            self._pieces.append((values.dtype, len(values)))
        self._held.append(values)
        self._room -= values.nbytes
        if self._room < 0:
            self._write()

    def array(self, dtype: DTypeLike = np.uint8) -> NDArray[Any]:
        """Give all values; `dtype` is the type when there are none. Nothing may be appended after it."""
        if self._file is None:
            return np.concatenate(self._held) if self._held else np.empty(0, dtype)
        self._write()
        with self._file:  # a mapped file needs no descriptor
            if len(self._pieces) > 1:
                return self._widened(self._file).array()
            kind, count = self._pieces[0]
            return np.memmap(self._file, kind, "r", shape=(count,))

    def _write(self) -> None:
        try:
            if self._file is None:
                self._file = tempfile.TemporaryFile(prefix="copysift-", dir=self._folder)  # noqa: SIM115 - see array
            for values in self._held:
                self._file.write(np.ascontiguousarray(values).data)
            self._file.flush()
        except OSError as error:
            raise _failure(self._folder, error) from error
        self._held.clear()

    def _widened(self, file: IO[bytes]) -> ArrayFile:
        whole = ArrayFile(self._folder)
        widest = max((kind for kind, _ in self._pieces), key=lambda kind: kind.itemsize)
        file.seek(0)
        for kind, count in self._pieces:
            for start in range(0, count, AT_ONCE):
                many = min(AT_ONCE, count - start)
                whole.append(np.frombuffer(file.read(many * kind.itemsize), kind).astype(widest))
        return whole


class RecordFile:
    """Records of one type in a file: pieces are read, not mapped, and take no memory after that."""

    def __init__(self, dtype: DTypeLike, folder: Path | None = None) -> None:
        self.dtype, self._folder, self._count = np.dtype(dtype), folder, 0
        try:
            self._file = tempfile.TemporaryFile(prefix="copysift-", dir=folder, buffering=0)  # noqa: SIM115 - see __del__
        except OSError as error:
            raise _failure(folder, error) from error

    def __del__(self) -> None:
        if hasattr(self, "_file"):
            self._file.close()

    def __len__(self) -> int:
        return self._count

    def append(self, records: NDArray[Any]) -> None:
        """Put records at the end."""
        left = memoryview(np.ascontiguousarray(records).view(np.uint8).data)
        try:
            while left:
                left = left[self._file.write(left) :]
        except OSError as error:
            raise _failure(self._folder, error) from error
        self._count += len(records)

    def read(self, first: int, last: int) -> NDArray[Any]:
        """Give the records first .. last - 1."""
        records = np.empty(min(last, self._count) - first, self.dtype)
        left, offset = memoryview(records.view(np.uint8).data), first * self.dtype.itemsize
        while left:
            got = os.preadv(self._file.fileno(), [left], offset)
            if not got:
                raise InputError("a temporary file is truncated", hint=HINT)
            left, offset = left[got:], offset + got
        return records


def mapped_array(count: int, dtype: DTypeLike, folder: Path | None = None) -> NDArray[Any]:
    """Give an array to write to, in a file; its values are 0."""
    kind = np.dtype(dtype)
    try:
        with tempfile.TemporaryFile(prefix="copysift-", dir=folder) as file:
            file.truncate(max(count, 1) * kind.itemsize)
            return np.memmap(file, kind, "r+", shape=(max(count, 1),))[:count]
    except OSError as error:
        raise _failure(folder, error) from error


def spacious_array(count: int, dtype: DTypeLike, limit: int, folder: Path | None = None) -> NDArray[Any]:
    """Give an array to write to: in memory up to `limit` bytes, in a file if it is larger."""
    if count * np.dtype(dtype).itemsize <= limit:
        return np.empty(count, dtype)
    return mapped_array(count, dtype, folder)


def _failure(folder: Path | None, error: OSError) -> UsageError:
    place = folder or tempfile.gettempdir()
    return UsageError(f"cannot write temporary files in {place}: {error.strerror}", hint=HINT)
