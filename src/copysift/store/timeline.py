"""What an index knows of earlier times: sweeps, addresses, and which content was where from when to when.

A swept index is of format 3, or of format 2 if it does not know its boilerplate. A version is a content
at an address (URI) over a run of sweeps: from `first` to `last`, both included, `last` NULL as long as
the newest sweep has it. What `documents` is to a plain index, a table, is a view here: the versions of
the newest sweep. Times are seconds since 1970, UTC. `alike` has the pairs of contents that share enough,
`clusters` what they join (Broder et al. 1997, section 6.2). `boilerplate` has hashes that do not count,
`templated` how many of them a content has, and whether it has nothing else.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from copysift.store.catalog import VERSION, Catalog, short
from copysift.store.catalog_rows import DocumentRow

TABLES = """
CREATE TABLE sweeps (at INTEGER PRIMARY KEY, source TEXT NOT NULL, documents INTEGER NOT NULL);
CREATE TABLE uris (number INTEGER PRIMARY KEY, short INTEGER NOT NULL, uri BLOB NOT NULL);
CREATE INDEX uris_short ON uris (short);
CREATE TABLE versions (
  uri INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER, content INTEGER NOT NULL,
  PRIMARY KEY (uri, first)
) WITHOUT ROWID;
CREATE INDEX versions_content ON versions (content);
CREATE TABLE alike (
  content INTEGER NOT NULL, other INTEGER NOT NULL, shared INTEGER NOT NULL,
  PRIMARY KEY (content, other)
) WITHOUT ROWID;
CREATE TABLE clusters (content INTEGER PRIMARY KEY, cluster INTEGER NOT NULL);
CREATE INDEX clusters_cluster ON clusters (cluster);
DROP TABLE documents;
CREATE VIEW documents AS
  SELECT v.uri AS number, u.short AS short, u.uri AS name, v.content AS content, 0 AS file, 0 AS mtime
  FROM versions v JOIN uris u ON u.number = v.uri WHERE v.last IS NULL;
"""
BOILERPLATE = """
CREATE TABLE boilerplate (hash INTEGER PRIMARY KEY, base INTEGER NOT NULL);
CREATE TABLE templated (content INTEGER PRIMARY KEY, hashes INTEGER NOT NULL, bare INTEGER NOT NULL);
"""


class SweepRow(NamedTuple):
    """One sweep: when, of what, and how many documents it met."""

    at: int
    source: str
    documents: int


class VersionRow(NamedTuple):
    """A content at an address from sweep `first` to sweep `last`; None: the newest sweep has it."""

    uri: int
    first: int
    last: int | None
    content: int


def is_swept(catalog: Catalog) -> bool:
    """Say whether an index has sweeps."""
    return catalog.has_table("sweeps")


def holders(catalog: Catalog, content: int) -> list[DocumentRow]:
    """Give the documents that have a content, or had it in any sweep."""
    if not is_swept(catalog):
        return list(catalog.documents(content))
    rows = catalog.rows(
        "SELECT DISTINCT u.number, u.uri FROM versions v JOIN uris u ON u.number = v.uri "
        "WHERE v.content = ? ORDER BY 1",
        (content,),
    )
    return [DocumentRow(number, os.fsdecode(uri), content, False, 0) for number, uri in rows]


_REFERRING = (
    ("versions", "content"), ("alike", "content"), ("alike", "other"), ("templated", "content"),
)  # fmt: skip


def renumber(catalog: Catalog, old: int, new: int) -> None:
    """Let documents, versions and pairs refer to a content by another number."""
    if not is_swept(catalog):
        catalog.run("UPDATE documents SET content = ? WHERE content = ?", (new, old))
        return
    for table, column in _REFERRING:
        if catalog.has_table(table):
            catalog.run(f"UPDATE {table} SET {column} = ? WHERE {column} = ?", (new, old))
    cluster = catalog.one("SELECT cluster FROM clusters WHERE content = ?", (old,))
    catalog.run("UPDATE clusters SET content = ? WHERE content = ?", (new, old))
    if cluster is not None:
        least = catalog.one("SELECT min(content) FROM clusters WHERE cluster = ?", (cluster,))
        catalog.run("UPDATE clusters SET cluster = ? WHERE cluster = ?", (least, cluster))


def adopt(catalog: Catalog) -> bool:
    """Make an empty plain index one of sweeps that knows its boilerplate, inside a transaction.

    Says whether it had sweeps before, which then must be related again: those of format 2.
    """
    swept = is_swept(catalog)
    for tables in ([] if swept else [TABLES]) + [BOILERPLATE]:
        catalog.arrange(tables)
    catalog.set_about("version", VERSION)
    return swept


class Timeline:
    """Asks a catalog about earlier times; the catalog has its snapshot, or its transaction."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog

    def sweeps(self) -> list[SweepRow]:
        """Give the sweeps, oldest first."""
        return [SweepRow(*row) for row in self.catalog.rows("SELECT * FROM sweeps ORDER BY at")]

    def latest(self) -> int | None:
        """Give the time of the newest sweep."""
        found: int | None = self.catalog.one("SELECT max(at) FROM sweeps")
        return found

    def number_of(self, uri: str) -> int | None:
        """Give the number of an address, None if no sweep met it."""
        raw = os.fsencode(uri)
        for number, name in self.catalog.rows("SELECT number, uri FROM uris WHERE short = ?", (short(raw),)):
            if name == raw:
                return int(number)
        return None

    def uris(self, numbers: Iterable[int]) -> dict[int, str]:
        """Give addresses by number."""
        return {
            number: os.fsdecode(uri)
            for number, uri in self._chosen("SELECT number, uri FROM uris WHERE number", numbers)
        }

    def versions_of(self, uri: int) -> list[VersionRow]:
        """Give what was at an address, oldest first."""
        rows = self.catalog.rows("SELECT * FROM versions WHERE uri = ? ORDER BY first", (uri,))
        return [VersionRow(*row) for row in rows]

    def places_of(self, contents: Iterable[int]) -> list[VersionRow]:
        """Give where some contents were, oldest first."""
        rows = self._chosen("SELECT * FROM versions WHERE content", contents)
        return sorted((VersionRow(*row) for row in rows), key=lambda row: (row.first, row.uri))

    def versions(self) -> Iterator[VersionRow]:
        """Give every version, by address and time."""
        return (VersionRow(*row) for row in self.catalog.rows("SELECT * FROM versions ORDER BY uri, first"))

    def alike(self, content: int) -> dict[int, int]:
        """Give the contents that share enough with one, and how many hashes each shares."""
        rows = self.catalog.rows("SELECT other, shared FROM alike WHERE content = ?", (content,))
        return {row[0]: row[1] for row in rows}

    def shared(self, one: int, other: int) -> int | None:
        """Give how many hashes two contents share; None if it was too few to be kept."""
        found: int | None = self.catalog.one(
            "SELECT shared FROM alike WHERE content = ? AND other = ?", (one, other)
        )
        return found

    def cluster(self, content: int) -> list[int]:
        """Give the contents of the cluster that one belongs to, itself included."""
        found = self.catalog.one("SELECT cluster FROM clusters WHERE content = ?", (content,))
        if found is None:
            return [content]
        rows = self.catalog.rows("SELECT content FROM clusters WHERE cluster = ? ORDER BY 1", (found,))
        return [row[0] for row in rows]

    def clusters(self, contents: Iterable[int]) -> dict[int, int]:
        """Give the clusters of some contents; those that are alone have none."""
        rows = self._chosen("SELECT content, cluster FROM clusters WHERE content", contents)
        return {row[0]: row[1] for row in rows}

    def sizes(self, contents: Iterable[int]) -> dict[int, int]:
        """Give the distinct hashes of some contents."""
        rows = self._chosen("SELECT number, hashes FROM contents WHERE number", contents)
        return {row[0]: row[1] for row in rows}

    def templated(self, contents: Iterable[int]) -> dict[int, tuple[int, bool]]:
        """Give how many hashes of some contents are boilerplate, and whether they have nothing else."""
        if not self.catalog.has_table("templated"):
            return {}
        rows = self._chosen("SELECT content, hashes, bare FROM templated WHERE content", contents)
        return {row[0]: (row[1], bool(row[2])) for row in rows}

    def _chosen(self, statement: str, numbers: Iterable[int]) -> Iterator[tuple[Any, ...]]:
        every = list(numbers)
        for at in range(0, len(every), 500):
            part = every[at : at + 500]
            yield from self.catalog.rows(f"{statement} IN ({','.join('?' * len(part))})", part)
