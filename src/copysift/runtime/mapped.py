"""Arrays in temporary files that have no name, mapped into memory: they may be larger than it.

The file goes with the last reference to its array. Only we write it, so it is never cut short: a
mapped file that shrinks would kill the process.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from copysift.errors import UsageError

AT_ONCE = 1 << 22  # values that are copied together
HINT = "Choose a folder with room by --tmp-dir, or a larger --memory."


class ArrayFile:
    """Takes values piece by piece and gives them as one array; values of different widths get the widest."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._pieces: list[tuple[np.dtype[Any], int]] = []  # types and counts
        try:
            self._file = tempfile.TemporaryFile(prefix="copysift-", dir=folder)  # noqa: SIM115 - lives as long as this
        except OSError as error:
            raise self._failure(error) from error

    def __del__(self) -> None:
        if hasattr(self, "_file"):
            self._file.close()

    def __len__(self) -> int:
        return sum(count for _, count in self._pieces)

    def append(self, values: NDArray[Any]) -> None:
        """Put values at the end."""
        if not len(values):
            return
        try:
            self._file.write(np.ascontiguousarray(values).data)
        except OSError as error:
            raise self._failure(error) from error
        if self._pieces and self._pieces[-1][0] == values.dtype:
            self._pieces[-1] = (values.dtype, self._pieces[-1][1] + len(values))
        else:
            self._pieces.append((values.dtype, len(values)))

    def array(self, dtype: DTypeLike = np.uint8) -> NDArray[Any]:
        """Give all values; `dtype` is the type when there are none. Nothing may be appended after it."""
        with self._file:  # a mapped file needs no descriptor
            if not self._pieces:
                return np.empty(0, dtype)
            if len(self._pieces) > 1:
                return self._widened().array()
            self._flush()
            kind, count = self._pieces[0]
            return np.memmap(self._file, kind, "r", shape=(count,))

    def _widened(self) -> ArrayFile:
        self._flush()
        whole = ArrayFile(self._folder)
        widest = max((kind for kind, _ in self._pieces), key=lambda kind: kind.itemsize)
        offset = 0
        for kind, count in self._pieces:
            for start in range(0, count, AT_ONCE):
                many = min(AT_ONCE, count - start)
                self._file.seek(offset)
                whole.append(np.frombuffer(self._file.read(many * kind.itemsize), kind).astype(widest))
                offset += many * kind.itemsize
        return whole

    def _flush(self) -> None:
        try:
            self._file.flush()
        except OSError as error:
            raise self._failure(error) from error

    def _failure(self, error: OSError) -> UsageError:
        return _failure(self._folder, error)


def mapped_array(count: int, dtype: DTypeLike, folder: Path | None = None) -> NDArray[Any]:
    """Give an array to write to, in a file; its values are 0."""
    kind = np.dtype(dtype)
    try:
        with tempfile.TemporaryFile(prefix="copysift-", dir=folder) as file:
            file.truncate(max(count, 1) * kind.itemsize)
            return np.memmap(file, kind, "r+", shape=(max(count, 1),))[:count]
    except OSError as error:
        raise _failure(folder, error) from error


def _failure(folder: Path | None, error: OSError) -> UsageError:
    place = folder or tempfile.gettempdir()
    return UsageError(f"cannot write temporary files in {place}: {error.strerror}", hint=HINT)
