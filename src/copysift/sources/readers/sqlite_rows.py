"""SQLite databases by rows: each table is a document, with a line for each row."""

from __future__ import annotations

from copysift.sources.container_limits import Budget
from copysift.sources.readers.reader import (
    Extracted,
    Member,
    TextLimits,
    TextReader,
    UnreadableError,
    definition,
)
from copysift.sources.readers.xml_parts import Output, plural
from copysift.sources.source import MEMBERS

_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"


class DatabaseReader(TextReader):
    """The rows of tables, values separated by tabs; blobs that are no text are left out."""

    traits = definition("sqlite", "SQLite databases", gives=MEMBERS)
    says = "SQLite database"
    separate = True

    def extract(self, data: bytes, limits: TextLimits, budget: Budget) -> Extracted:
        """Give a document for each table; the journal beside a database is not read."""
        import sqlite3  # in the separate process only

        database = sqlite3.connect(":memory:")
        members = []
        try:
            database.deserialize(_without_journal(data))
            database.execute("PRAGMA trusted_schema = OFF")
            database.text_factory = lambda value: value.decode("utf-8", "replace")
            for (name,) in database.execute(_TABLES).fetchall():
                budget.member()
                members.append(_table(database, name, limits, budget))
        except sqlite3.DatabaseError as error:
            raise UnreadableError(f"is damaged: {error}") from None
        finally:
            database.close()
        return Extracted(None, plural(len(members), "table"), tuple(members))


def _without_journal(data: bytes) -> bytes:
    """Give a database that was written with a write-ahead log as one that was not: memory has no log."""
    return data[:18] + b"\1\1" + data[20:] if data[18:20] == b"\2\2" else data


def _table(database: object, name: str, limits: TextLimits, budget: Budget) -> Member:
    output, count = Output(limits), 0
    quoted = name.replace('"', '""')
    for row in database.execute(f'SELECT * FROM "{quoted}"'):  # type: ignore[attr-defined]
        values = [str(value) for value in row if value is not None and not isinstance(value, bytes)]
        output.add("\t".join(values) + "\n")
        count += 1
    text = output.text()
    budget.unpack(len(text))
    return Member(f"{name}.tsv.txt" if "." in name else name, text, f"rows of SQLite, {plural(count, 'row')}")


SQLITE = DatabaseReader()
