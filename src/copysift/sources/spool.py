"""Members of containers and records, read once: their bytes wait in a temporary file without a name."""

from __future__ import annotations

import io
import os
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import IO, BinaryIO

from copysift.runtime.lazy_dataclass import dataclass


class Spool:
    """A temporary file; it is removed with the last reference to it."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._file: IO[bytes] | None = None
        self._end = 0
        self._lock = threading.Lock()

    def __del__(self) -> None:
        if self._file is not None:
            self._file.close()

    def keep(self, data: bytes | memoryview) -> SpooledContent:
        """Keep some bytes and give them as a content."""
        with self._lock:
            if self._file is None:
                self._file = tempfile.TemporaryFile(prefix="copysift-", dir=self._folder)  # noqa: SIM115 - lives as long as this
            self._file.write(data)
            start = self._end
            self._end += len(data)
        return SpooledContent(self, start, len(data))

    def read(self, start: int, size: int) -> bytes:
        """Give bytes that were kept."""
        with self._lock:
            assert self._file is not None  # a place was given by `keep`
            self._file.flush()
        return os.pread(self._file.fileno(), size, start)


@dataclass(frozen=True, slots=True)
class SpooledContent:
    """Content in a spool."""

    spool: Spool
    start: int
    size: int

    @property
    def data(self) -> bytes:
        """The bytes, read again each time."""
        return self.spool.read(self.start, self.size)

    def chunks(self) -> Iterator[bytes]:
        """Give the bytes."""
        if self.size:
            yield self.data

    def open(self) -> BinaryIO:
        """Open the bytes as a stream."""
        return io.BytesIO(self.data)
