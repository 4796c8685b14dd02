"""Members of archives, unpacked once: their bytes wait in a temporary file without a name."""

from __future__ import annotations

import hashlib
import tempfile
import threading
from collections.abc import Container, Sequence
from pathlib import Path
from typing import IO

from copysift.model.values import Skipped
from copysift.sources.files import DIGEST, Loaded, load, load_many
from copysift.sources.walk import Entry


class Stored:
    """Loads entries: members of archives from the temporary file, all others from their own."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._places: dict[str, tuple[int, int]] = {}
        self._file: IO[bytes] | None = None
        self._lock = threading.Lock()

    def __del__(self) -> None:
        if self._file is not None:
            self._file.close()

    def keep(self, loaded: Loaded) -> Entry:
        """Keep the bytes of a member and give the entry that stands for it."""
        with self._lock:
            if self._file is None:
                self._file = tempfile.TemporaryFile(prefix="copysift-", dir=self._folder)  # noqa: SIM115 - lives as long as this
            offset = self._file.seek(0, 2)
            self._file.write(loaded.data or b"")
            self._places[loaded.entry.path] = (offset, loaded.size)
        return loaded.entry

    def load_many(self, entries: Sequence[Entry], lonely: Container[int] = ()) -> list[Loaded | Skipped]:
        """Read entries together, in their order; those of a `lonely` size may have no checksum."""
        files = [entry for entry in entries if entry.inode]  # neither members of archives nor records
        if len(files) == len(entries):
            return load_many(files, lonely)
        loaded = iter(load_many(files, lonely))
        return [next(loaded) if entry.inode else self.load(entry) for entry in entries]

    def load(self, entry: Entry) -> Loaded | Skipped:
        """Read an entry, or say why it cannot be read."""
        if entry.inode or entry.path not in self._places:
            return load(entry)
        offset, size = self._places[entry.path]
        with self._lock:
            assert self._file is not None  # a place was given by `keep`
            self._file.seek(offset)
            data = self._file.read(size)
        checksum = hashlib.blake2b(data, digest_size=DIGEST).digest()
        return Loaded(entry, data, size, checksum, entry.mtime_ns)
