"""The submissions of an index: units of several documents, with what is known of their authors.

A document that belongs to no unit is compared by itself. An index with units is of format 3.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from copysift.store.catalog import VERSION, Catalog

TABLES = """
CREATE TABLE units (
  number INTEGER PRIMARY KEY, name BLOB NOT NULL UNIQUE, label TEXT NOT NULL, author TEXT NOT NULL,
  team TEXT NOT NULL, time TEXT NOT NULL, attempt TEXT NOT NULL, author_key TEXT NOT NULL,
  team_key TEXT NOT NULL
);
CREATE TABLE members (document INTEGER PRIMARY KEY, unit INTEGER NOT NULL);
CREATE INDEX members_unit ON members (unit);
"""
_COLUMNS = "name, label, author, team, time, attempt, author_key, team_key"


class UnitRow(NamedTuple):
    """A unit; those of one `author_key`, or of one `team_key`, are not compared with each other."""

    name: str
    label: str = ""
    author: str = ""
    team: str = ""
    time: str = ""
    attempt: str = ""
    author_key: str = ""
    team_key: str = ""


def has_units(catalog: Catalog) -> bool:
    """Say whether an index has submissions."""
    return catalog.has_table("units")


def units(catalog: Catalog) -> dict[int, UnitRow]:
    """Give the units by number, in the order of adding."""
    if not has_units(catalog):
        return {}
    rows = catalog.rows(f"SELECT number, {_COLUMNS} FROM units ORDER BY number")
    return {row[0]: UnitRow(os.fsdecode(row[1]), *row[2:]) for row in rows}


def members(catalog: Catalog) -> dict[int, int]:
    """Give the unit of each document that belongs to one, by numbers."""
    if not has_units(catalog):
        return {}
    return {row[0]: row[1] for row in catalog.rows("SELECT document, unit FROM members")}


def unit_of(catalog: Catalog, document: int) -> str:
    """Give the name of the unit that a document belongs to, empty for none."""
    if not has_units(catalog):
        return ""
    name = catalog.one(
        "SELECT name FROM units WHERE number = (SELECT unit FROM members WHERE document = ?)", (document,)
    )
    return "" if name is None else os.fsdecode(name)


def unit_below(catalog: Catalog, prefix: str) -> int:
    """Give the number of the unit of a document whose name has a prefix; 0 if no such one is in a unit."""
    known = members(catalog)
    rows = (row for row in catalog.documents() if row.number in known and row.name.startswith(prefix))
    return next((known[row.number] for row in rows), 0)


def put_unit(catalog: Catalog, row: UnitRow) -> int:
    """File a unit, or what is known of one of its name now, inside a transaction; give its number."""
    if not has_units(catalog):
        catalog.arrange(TABLES)
        catalog.set_about("version", VERSION)
    name = os.fsencode(row.name)
    known = catalog.one("SELECT number FROM units WHERE name = ?", (name,))
    if known is not None:
        assignments = ", ".join(f"{column} = ?" for column in _COLUMNS.split(", "))
        catalog.run(f"UPDATE units SET {assignments} WHERE number = ?", (name, *row[1:], known))
        return int(known)
    number = int(catalog.one("SELECT ifnull(max(number), 0) + 1 FROM units"))
    catalog.run(
        f"INSERT INTO units (number, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", (number, name, *row[1:])
    )
    return number


def assign(catalog: Catalog, document: int, unit: int) -> bool:
    """Put a document into a unit, 0 for none; say whether it was in another one."""
    if not has_units(catalog):
        return False
    before = catalog.one("SELECT unit FROM members WHERE document = ?", (document,)) or 0
    if before == unit:
        return False
    if unit:
        catalog.run("INSERT OR REPLACE INTO members VALUES (?, ?)", (document, unit))
    else:
        catalog.run("DELETE FROM members WHERE document = ?", (document,))
    if before and catalog.one("SELECT 1 FROM members WHERE unit = ?", (before,)) is None:
        catalog.run("DELETE FROM units WHERE number = ?", (before,))
    return True


def forget_members(catalog: Catalog) -> None:
    """Drop the members and units of addresses that no sweep has."""
    if has_units(catalog):
        catalog.run("DELETE FROM members WHERE document NOT IN (SELECT number FROM uris)")
        catalog.run("DELETE FROM units WHERE number NOT IN (SELECT unit FROM members)")
