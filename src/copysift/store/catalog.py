"""The catalog of an index: settings, documents, contents, segments, in one SQLite database.

A document is a name; a content is what is behind it. Documents of the same bytes and kind share
a content, and postings refer to contents, by numbers that are never used again. A content without
documents is dead: its row goes at once, its postings at the next merge.

Write-ahead logging lets readers work on their snapshot while a writer commits; `synchronous=FULL`
makes a commit durable before it returns.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from copysift.errors import StoreError
from copysift.runtime.durable import step
from copysift.store.catalog_rows import ContentRow, DocumentRow, SegmentRow, ViewRow
from copysift.store.guard import RESTORE, Guard
from copysift.store.presence import CATALOG
from copysift.store.segment import file_name

# Formats: 1, documents as they are now; 2, sweeps without boilerplate; 3, views and submissions; 4, hashes of
# 42 bits; 5, of 36 bits. What an index has is decided by its tables and settings, not by the number.
VERSION = 5
FOLDER = "postings"

_TABLES = """
CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE contents (
  number INTEGER PRIMARY KEY, short INTEGER NOT NULL, checksum BLOB NOT NULL, kind TEXT NOT NULL,
  bytes INTEGER NOT NULL, fingerprints INTEGER NOT NULL, hashes INTEGER NOT NULL, grams INTEGER NOT NULL
);
CREATE INDEX contents_short ON contents (short);
CREATE TABLE documents (
  number INTEGER PRIMARY KEY, short INTEGER NOT NULL, name BLOB NOT NULL, content INTEGER NOT NULL,
  file INTEGER NOT NULL, mtime INTEGER NOT NULL
);
CREATE INDEX documents_short ON documents (short);
CREATE INDEX documents_content ON documents (content);
CREATE TABLE texts (piece INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE removed (content INTEGER PRIMARY KEY, postings INTEGER NOT NULL);
CREATE TABLE segments (
  number INTEGER PRIMARY KEY, run INTEGER NOT NULL, low INTEGER NOT NULL, high INTEGER NOT NULL,
  postings INTEGER NOT NULL, live INTEGER NOT NULL, bytes INTEGER NOT NULL, target INTEGER
);
CREATE TABLE merges (run INTEGER PRIMARY KEY, reached INTEGER NOT NULL);
CREATE TABLE views (
  number INTEGER PRIMARY KEY, content INTEGER NOT NULL, channel TEXT NOT NULL,
  fingerprints INTEGER NOT NULL, hashes INTEGER NOT NULL, grams INTEGER NOT NULL
);
CREATE INDEX views_content ON views (content);
"""
LOG = 4 << 20  # bytes of the write-ahead log after which a commit empties it
PIECES = 1 << 12  # pieces of a kept text: 4 GiB in pieces of 1 MiB


def short(value: bytes) -> int:
    """Give 48 bits of a name or checksum, to be found by: whole names twice would double the catalog."""
    return int.from_bytes(hashlib.blake2b(value, digest_size=6).digest(), "little")


class Catalog:
    """One connection; every read happens inside a transaction, and so sees one snapshot."""

    def __init__(self, folder: Path, *, write: bool) -> None:
        self.folder = folder
        self.path = folder / CATALOG
        self._guard = Guard(self.path, write=write)
        self._tables: frozenset[str] | None = None  # of this transaction; only `arrange` changes them
        try:
            self._connection = _connect(self.path, write, self._guard)
        except BaseException:
            self._guard.close()
            raise

    def close(self) -> None:
        """End the snapshot, or drop what was not committed."""
        with suppress(sqlite3.Error, StoreError, OSError):
            if self._connection.in_transaction:
                self._connection.rollback()
            self._guard.settle(self._connection)
        self._connection.close()
        self._guard.close()

    def begin(self) -> None:
        """Take a snapshot."""
        self.run("BEGIN")
        self._tables = self._found_tables()  # the snapshot is taken by this first read

    def begin_write(self) -> None:
        """Take a snapshot that can be changed."""
        self.run("BEGIN IMMEDIATE")
        self._tables = None

    def has_tables(self) -> bool:
        """Say whether the tables are there; a crash may leave an empty database."""
        return self.has_table("about")

    def has_table(self, name: str) -> bool:
        """Say whether there is a table: some belong to indexes of sweeps or of submissions only."""
        if self._tables is None:
            self._tables = self._found_tables()
        return name in self._tables

    def _found_tables(self) -> frozenset[str]:
        return frozenset(row[0] for row in self.rows("SELECT name FROM sqlite_master"))

    def arrange(self, statements: str) -> None:
        """Make or drop tables, inside a transaction: statements on lines of their own."""
        self._tables = None
        for statement in statements.strip().split(";\n"):
            self.run(statement.rstrip(";"))

    def commit(self) -> None:
        """Make everything since `begin` visible and durable, or nothing of it."""
        self.set_about("commit", (self.about("commit") or 0) + 1)
        step("commit")
        try:
            self._connection.commit()
            step("committed")
            self._guard.settle(self._connection, most=LOG)
        except sqlite3.Error as error:
            raise self._failed(error) from error

    def damaged_pages(self) -> list[int]:
        """Give the pages of the catalog that are not as they were written, kept texts included."""
        return self._guard.damaged(wholly=True)

    def rollback(self) -> None:
        """Forget everything since `begin`."""
        self._tables = None
        with suppress(sqlite3.Error):
            self._connection.rollback()

    def run(self, statement: str, values: Iterable[Any] = ()) -> sqlite3.Cursor:
        """Run one statement."""
        try:
            return self._connection.execute(statement, tuple(values))
        except sqlite3.Error as error:
            raise self._failed(error) from error

    def run_many(self, statement: str, rows: Iterable[tuple[Any, ...]]) -> None:
        """Run a statement for every row."""
        try:
            self._connection.executemany(statement, rows)
        except sqlite3.Error as error:
            raise self._failed(error) from error

    def rows(self, statement: str, values: Iterable[Any] = ()) -> Iterator[tuple[Any, ...]]:
        """Give the rows of a question, as they come."""
        try:
            # Not `yield from`: left unfinished, it would close a cursor whose database may be closed already.
            for row in self._connection.execute(statement, tuple(values)):  # noqa: UP028
                yield row
        except sqlite3.Error as error:
            raise self._failed(error) from error

    def one(self, statement: str, values: Iterable[Any] = ()) -> Any:
        """Give the first value of the first row, or None."""
        row = next(self.rows(statement, values), None)
        return None if row is None else row[0]

    # ---- about

    def create(self, settings: dict[str, Any]) -> None:
        """Make the tables, inside a transaction."""
        self.arrange(_TABLES)
        values = {
            "version": VERSION,
            "settings": settings,
            "next": {"content": 1, "document": 1, "segment": 1, "run": 1},
        }
        self.run_many(
            "INSERT INTO about VALUES (?, ?)", ((key, json.dumps(value)) for key, value in values.items())
        )

    def about(self, key: str) -> Any:
        """Give what the index says of itself under a key, or None."""
        value = self.one("SELECT value FROM about WHERE key = ?", (key,))
        try:
            return None if value is None else json.loads(value)
        except (ValueError, TypeError):
            raise StoreError(f"{self.path} is damaged: {key} cannot be read", hint=RESTORE) from None

    def set_about(self, key: str, value: Any) -> None:
        """Say something of the index."""
        self.run("INSERT OR REPLACE INTO about VALUES (?, ?)", (key, json.dumps(value)))

    # ---- contents and documents

    def content_of(self, checksum: bytes, size: int, kind: str) -> ContentRow | None:
        """Find a content by its bytes and kind."""
        for row in self.contents_of(checksum, size):
            if row.kind == kind:
                return row
        return None

    def contents_of(self, checksum: bytes, size: int) -> list[ContentRow]:
        """Find the contents of these bytes, under whatever kind."""
        rows = self.rows(f"SELECT {_CONTENT} FROM contents WHERE short = ?", (short(checksum),))
        return [row for row in map(_content, rows) if row.checksum == checksum and row.bytes == size]

    def contents(self, numbers: Iterable[int]) -> dict[int, ContentRow]:
        """Give live contents by number; dead ones are left out."""
        found = {}
        for chunk in _chunks(numbers):
            marks = ",".join("?" * len(chunk))
            for row in self.rows(f"SELECT {_CONTENT} FROM contents WHERE number IN ({marks})", chunk):
                found[row[0]] = _content(row)
        return found

    def all_contents(self) -> Iterator[ContentRow]:
        """Give every live content in order of number."""
        return map(_content, self.rows(f"SELECT {_CONTENT} FROM contents ORDER BY number"))

    @property
    def has_views(self) -> bool:
        """Say whether contents may have further views: not in indexes of formats 1 and 2."""
        return self.has_table("views")

    def views(self, numbers: Iterable[int] | None = None, column: str = "number") -> Iterator[ViewRow]:
        """Give further views in order of number: all, or those with one of the numbers of a column."""
        if not self.has_views:
            return
        if numbers is None:
            yield from map(ViewRow._make, self.rows("SELECT * FROM views ORDER BY number"))
            return
        for chunk in _chunks(numbers):
            marks = ",".join("?" * len(chunk))
            found = self.rows(f"SELECT * FROM views WHERE {column} IN ({marks}) ORDER BY number", chunk)
            yield from map(ViewRow._make, found)

    def document(self, name: str) -> DocumentRow | None:
        """Find a document by its name."""
        raw = os.fsencode(name)
        rows = self.rows(f"SELECT {_DOCUMENT} FROM documents WHERE short = ?", (short(raw),))
        return next((row for row in map(_document, rows) if row.name == name), None)

    def documents(self, content: int | None = None) -> Iterator[DocumentRow]:
        """Give every document in the order of adding, or those of one content."""
        if content is None:
            return map(_document, self.rows(f"SELECT {_DOCUMENT} FROM documents ORDER BY number"))
        found = self.rows(f"SELECT {_DOCUMENT} FROM documents WHERE content = ? ORDER BY number", (content,))
        return map(_document, found)

    def listed(self) -> Iterator[tuple[DocumentRow, ContentRow]]:
        """Give every document with its content, in the order of adding."""
        columns = ", ".join(
            [
                *(f"d.{name}" for name in _DOCUMENT.split(", ")),
                *(f"c.{name}" for name in _CONTENT.split(", ")),
            ]
        )
        for row in self.rows(
            f"SELECT {columns} FROM documents d JOIN contents c ON c.number = d.content ORDER BY d.number"
        ):
            yield _document(row[:5]), _content(row[5:])

    def segments(self) -> list[SegmentRow]:
        """Give the live segments."""
        return [SegmentRow(*row) for row in self.rows("SELECT * FROM segments ORDER BY number")]

    def segment_path(self, number: int) -> Path:
        """Give the file of a segment."""
        return self.folder / FOLDER / file_name(number)

    def _failed(self, error: sqlite3.Error) -> StoreError:
        if "malformed" in str(error) or "not a database" in str(error):
            return StoreError(
                f"{self.path} is damaged: {error}",
                hint=RESTORE,
            )
        return StoreError(
            f"{self.path}: {error}", hint="nothing was changed since the last commit; run it again"
        )


_CONTENT = "number, checksum, kind, bytes, fingerprints, hashes, grams"
_DOCUMENT = "number, name, content, file, mtime"


def _content(row: tuple[Any, ...]) -> ContentRow:
    return ContentRow(*row)


def _document(row: tuple[Any, ...]) -> DocumentRow:
    number, name, content, file, mtime = row
    return DocumentRow(number, os.fsdecode(name), content, bool(file), mtime)


def _chunks(numbers: Iterable[int], size: int = 500) -> Iterator[list[int]]:
    every = list(numbers)
    for at in range(0, len(every), size):
        yield every[at : at + size]


def _connect(path: Path, write: bool, guard: Guard) -> sqlite3.Connection:
    """Open the database; without a right to write to its folder it is read as it is."""
    modes = ["mode=rwc"] if write else ["mode=rw", "mode=ro", "mode=ro&immutable=1"]
    place = path.absolute().as_uri()
    for mode in modes:
        connection = None
        if "immutable" in mode and guard.logged():
            raise StoreError(
                f"{path} has commits in its write-ahead log, which cannot be read here",
                hint="copy the index to a folder that you can write to, and open it there",
            )
        try:
            connection = sqlite3.connect(
                f"{place}?{mode}", uri=True, isolation_level=None, check_same_thread=False, timeout=10
            )
            guard.verify(connection)
            if write:
                connection.execute("PRAGMA journal_mode=WAL")
                connection.execute("PRAGMA synchronous=FULL")
                connection.execute("PRAGMA wal_autocheckpoint=0")  # the guard does it
                connection.execute("PRAGMA cache_size=-65536")  # 64 MiB: a sweep looks every address up
            else:
                connection.execute("PRAGMA query_only=1")
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            guard.attach()
            return connection
        except sqlite3.Error as error:
            if connection is not None:
                connection.close()
            if mode == modes[-1] or "malformed" in str(error) or "not a database" in str(error):
                raise StoreError(
                    f"{path} cannot be opened: {error}", hint="is it an index of copysift?"
                ) from error
        except BaseException:
            if connection is not None:
                connection.close()
            raise
    raise AssertionError("unreachable")
