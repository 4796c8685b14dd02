"""Records as entries: their texts lie in a temporary file, so that they can be read like files."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from copysift.model.values import Skipped
from copysift.sources.detection import open_source
from copysift.sources.records import Fields
from copysift.sources.walk import Entry, WalkSettings


class Spool:
    """A temporary file without a name; it goes with the last reference to it."""

    def __init__(self, folder: Path | None = None) -> None:
        self._file = tempfile.TemporaryFile(prefix="copysift-", dir=folder)  # noqa: SIM115 - lives as long as this
        self._end = 0
        self._taken: dict[str, int] = {}

    def entries(self, place: str, fields: Fields) -> Iterator[Entry | Skipped]:
        """Take the records of a source and give them as entries, named by their ids."""
        for batch in open_source(place, "auto", fields, WalkSettings()):
            if isinstance(batch, Skipped):
                yield batch
                continue
            for name, text in zip(batch["id"].to_pylist(), batch["text"], strict=True):
                data = text.as_buffer()
                self._file.write(data)
                yield Entry(self._unique(name), data.size, 0, 0, 0, place, False, self, self._end)
                self._end += data.size
        self._file.flush()

    def read(self, offset: int, size: int) -> bytes:
        """Give the text of a record."""
        return os.pread(self._file.fileno(), size, offset)

    def _unique(self, name: str) -> str:
        number = self._taken[name] = self._taken.get(name, 0) + 1
        return name if number == 1 else self._unique(f"{name}~{number}")
