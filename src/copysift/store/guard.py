"""Compares the file of a catalog with its checksums before SQLite reads it, and keeps these current."""

from __future__ import annotations

import sqlite3
import time
from contextlib import suppress
from pathlib import Path
from typing import ClassVar

from copysift.errors import StoreError
from copysift.store.lock import WriterLock
from copysift.store.sums import (
    NAME,
    PageReader,
    Sums,
    completed,
    damaged_pages,
    differing,
    logged_pages,
    read_sums,
    without,
    write_sums,
)

RESTORE = "restore the index from a copy, or recreate it with copysift index add"
ATTEMPTS = 50  # a writer may be at work on file and checksums while they are compared
PAUSE = 0.02  # seconds between them
_COMMIT = "SELECT value FROM about WHERE key = 'commit'"
_VERSION = "SELECT value FROM about WHERE key = 'version'"
SUMMED = (
    3  # the first version that has checksums: version 0.1 writes older ones, and would not keep them current
)

State = tuple[object, ...]


class Guard:
    """The checksums of one catalog, for one connection."""

    _sound: ClassVar[
        dict[tuple[int, int], State]
    ] = {}  # what was compared in this process, by device and inode

    def __init__(self, path: Path, *, write: bool) -> None:
        self._path, self._folder, self._write = path, path.parent, write
        self._log = path.with_name(f"{path.name}-wal")
        self._reader: PageReader | None = None
        self.attach()

    def attach(self) -> None:
        """Hold the file as long as the connection does; a new one is there once SQLite has made it."""
        if self._reader is None:
            with suppress(FileNotFoundError):
                self._reader = PageReader(self._path)

    def close(self) -> None:
        """Close the file; the connection is closed before."""
        if self._reader is not None:
            self._reader.close()
            self._reader = None

    def logged(self) -> bool:
        """Say whether the write-ahead log has something."""
        try:
            return self._log.stat().st_size > 0
        except OSError:
            return False

    def verify(self, connection: sqlite3.Connection) -> None:
        """Raise StoreError if a page of the catalog is not as it was written, or a commit is lost."""
        self._prepare()
        for attempt in range(ATTEMPTS):
            before = self._state()
            if self._reader is None or self._sound.get(self._reader.key) == before:
                return
            damaged = self.damaged(wholly=False)
            lost = False if damaged else self._lost(connection)
            if not damaged and not lost:
                self._sound[self._reader.key] = before
                return
            if attempt + 1 < ATTEMPTS and self._state() != before:
                time.sleep(PAUSE)
                continue
            what = _pages(damaged) if damaged else "its last commit is lost"
            raise StoreError(f"{self._path} is damaged: {what}", hint=RESTORE)

    def damaged(self, wholly: bool) -> list[int]:
        """Give the pages that are not as they were written."""
        sums = read_sums(self._folder)
        if sums is None or self._reader is None:
            return []
        return damaged_pages(self._reader, sums, logged_pages(self._log), wholly)

    def settle(self, connection: sqlite3.Connection, most: int = 0) -> None:
        """Empty a log of more than `most` bytes into the file, and note the checksums of its pages."""
        try:
            if not self._write or self._log.stat().st_size <= most:
                return
        except OSError:
            return
        if self._reader is None:
            return
        sums = self._marked()
        row = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        if row[0] or row[1] != row[2]:  # a reader needs what the file had before; the next writer does it
            return
        commit, version = (connection.execute(each).fetchone() for each in (_COMMIT, _VERSION))
        if commit is not None and version is not None and int(version[0]) >= SUMMED:
            write_sums(self._folder, completed(self._reader, sums, int(commit[0])))

    def _marked(self) -> Sums | None:
        """Mark the pages that a checkpoint will change as unknown."""
        sums = read_sums(self._folder)
        changing = differing(sums, logged_pages(self._log)) if sums is not None else []
        if sums is None or not changing:
            return sums
        marked = without(sums, changing)
        write_sums(self._folder, marked)
        return marked

    def _prepare(self) -> None:
        """Mark pages for a writer that was stopped: whoever closes the catalog last empties its log."""
        sums = read_sums(self._folder) if self.logged() else None
        if sums is None or not differing(sums, logged_pages(self._log)):
            return
        if self._write:  # has the lock
            self._marked()
            return
        try:
            lock = WriterLock(self._folder)
        except (StoreError, OSError):
            return  # a writer is at work and does it, or nobody can write here
        try:
            self._marked()
        finally:
            lock.release()

    def _lost(self, connection: sqlite3.Connection) -> bool:
        """Say whether the checksums are of a later commit than the catalog has."""
        sums = read_sums(self._folder)
        if sums is None:
            return False
        found = connection.execute(_COMMIT).fetchone()
        return found is None or int(found[0]) < sums.commit

    def _state(self) -> State:
        found: list[object] = []
        for path in (self._path, self._folder / NAME):
            with suppress(OSError):
                about = path.stat()
                found += [about.st_ino, about.st_size, about.st_mtime_ns]
        return tuple(found)


def _pages(damaged: list[int]) -> str:
    named = ", ".join(str(page + 1) for page in damaged[:5])
    if len(damaged) == 1:
        return f"page {named} fails its checksum"
    more = f" and {len(damaged) - 5:,} others" if len(damaged) > 5 else ""
    return f"pages {named}{more} fail their checksums"
