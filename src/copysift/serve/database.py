"""A SQLite file with a version, brought up to date when it is opened, after a copy of it is made."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from copysift.errors import StoreError
from copysift.runtime import durable

Statements = tuple[str, ...]


class Database:
    """One connection that threads share; other processes open their own."""

    def __init__(self, path: Path, migrations: Sequence[Statements]) -> None:
        """Open a file; `migrations` take it from each version to the next, the first from nothing."""
        self.path = path
        self._lock = threading.RLock()
        self._db = sqlite3.connect(path, timeout=30, isolation_level=None, check_same_thread=False)
        self._db.row_factory = sqlite3.Row
        with self._lock:
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=FULL")
            self._db.execute("PRAGMA foreign_keys=ON")
            try:
                self._upgrade(migrations)
            except BaseException:
                self._db.close()
                raise

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Change something: all of the block or nothing."""
        with self._lock:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    def one(self, sql: str, values: tuple[object, ...] = ()) -> sqlite3.Row | None:
        """Give the first row of a query."""
        with self._lock:
            row: sqlite3.Row | None = self._db.execute(sql, values).fetchone()
            return row

    def all(self, sql: str, values: tuple[object, ...] = ()) -> list[sqlite3.Row]:
        """Give the rows of a query."""
        with self._lock:
            return self._db.execute(sql, values).fetchall()

    def vacuum(self) -> None:
        """Write the file again without anything that was deleted, and empty its log."""
        with self._lock:
            self._db.execute("VACUUM")
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def changed_elsewhere(self) -> int:
        """Give a number that is another one after another connection has changed the file."""
        with self._lock:
            return int(self._db.execute("PRAGMA data_version").fetchone()[0])

    def _version(self) -> int:
        return int(self._db.execute("PRAGMA user_version").fetchone()[0])

    def _upgrade(self, migrations: Sequence[Statements]) -> None:
        found = self._version()
        if found == len(migrations):
            return
        if found < len(migrations) and self._db.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone():
            self._back_up(found)
        with self.writing() as db:
            found = self._version()  # another process may have been first
            if found > len(migrations):
                raise StoreError(
                    f"{self.path} was written by a newer version of copysift",
                    hint="use that version, or restore a backup",
                )
            for statements in migrations[found:]:
                for statement in statements:
                    db.execute(statement)
            db.execute(f"PRAGMA user_version = {len(migrations)}")

    def _back_up(self, version: int) -> None:
        """Copy the file as it was before a migration, whole or not at all."""
        copy = self.path.with_name(f"{self.path.name}.version-{version}.bak")
        part = copy.with_name(f"{copy.name}.part")
        part.unlink(missing_ok=True)
        with closing(sqlite3.connect(part)) as target:
            part.chmod(0o600)
            self._db.backup(target)
        durable.sync(part)
        part.replace(copy)
        durable.sync(copy.parent)
