"""How older databases become those of `tables.py`. A released step never changes: another one comes after it.

The first two steps are of versions that only had SQLite. From the third on, a step works for both databases.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from sqlalchemy import Connection
from sqlalchemy.schema import CreateIndex, CreateTable

from copysift.serve import tables

Step = Callable[[Connection, Path | None], None]

JOBS = """CREATE TABLE IF NOT EXISTS jobs (
  id TEXT PRIMARY KEY, share TEXT UNIQUE, owner TEXT NOT NULL, kind TEXT NOT NULL, origin TEXT NOT NULL,
  title TEXT NOT NULL, request TEXT NOT NULL, target TEXT NOT NULL DEFAULT '', state TEXT NOT NULL,
  created REAL NOT NULL, started REAL, finished REAL, expires REAL, files INTEGER NOT NULL,
  bytes INTEGER NOT NULL, claim INTEGER NOT NULL DEFAULT 0, deaths INTEGER NOT NULL DEFAULT 0,
  worker TEXT NOT NULL DEFAULT '', error TEXT NOT NULL DEFAULT '', summary TEXT NOT NULL DEFAULT '{}'
)"""
MARKS = """CREATE TABLE IF NOT EXISTS marks (
  job TEXT NOT NULL REFERENCES jobs(id) ON DELETE CASCADE, left TEXT NOT NULL, right TEXT NOT NULL,
  verdict TEXT NOT NULL, note TEXT NOT NULL, PRIMARY KEY (job, left, right)
)"""
USERS = """CREATE TABLE users (
  name TEXT PRIMARY KEY, role TEXT NOT NULL, created REAL NOT NULL, max_jobs INTEGER, max_bytes INTEGER
)"""
TOKENS = """CREATE TABLE tokens (
  digest TEXT PRIMARY KEY, user TEXT NOT NULL REFERENCES users(name) ON DELETE CASCADE, created REAL NOT NULL
)"""
TURNS = "CREATE TABLE turns (owner TEXT PRIMARY KEY, last INTEGER NOT NULL)"
COURSES = """CREATE TABLE courses (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, created REAL NOT NULL
)"""
TEAMS = """CREATE TABLE teams (
  course INTEGER NOT NULL REFERENCES courses(id) ON DELETE CASCADE, user TEXT NOT NULL,
  PRIMARY KEY (course, user)
)"""
FIRST = (  # version 0.1
    JOBS,
    "CREATE INDEX IF NOT EXISTS jobs_by_state ON jobs(state, created)",
    "CREATE INDEX IF NOT EXISTS jobs_by_owner ON jobs(owner, created)",
    MARKS,
)
SECOND = (  # users, turns of a fair queue, courses
    USERS,
    TOKENS,
    TURNS,
    COURSES,
    TEAMS,
    "ALTER TABLE jobs ADD COLUMN course INTEGER REFERENCES courses(id)",
    "ALTER TABLE jobs ADD COLUMN term TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE jobs ADD COLUMN exercise TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE marks ADD COLUMN author TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE marks ADD COLUMN changed REAL NOT NULL DEFAULT 0",
    "CREATE INDEX jobs_by_kind ON jobs(owner, kind, created)",
    "CREATE INDEX jobs_by_course ON jobs(course, term, created)",
)


def run(statements: tuple[str, ...]) -> Step:
    """Make a step of statements."""

    def step(db: Connection, _: Path | None) -> None:
        for statement in statements:
            db.exec_driver_sql(statement)

    return step


def _third(db: Connection, path: Path | None) -> None:
    """Add leases of workers, and take the table of indexes in, which SQLite had in a file of its own."""
    for statement in (
        "ALTER TABLE jobs ADD COLUMN lease DOUBLE PRECISION NOT NULL DEFAULT 0",
        "ALTER TABLE jobs ADD COLUMN noted BOOLEAN NOT NULL DEFAULT true",
    ):
        db.exec_driver_sql(statement)
    db.exec_driver_sql("UPDATE jobs SET state = 'queued', worker = '' WHERE state = 'running'")
    for table in (tables.indexes, tables.stamps):
        db.execute(CreateTable(table))
    for index in (tables.ALONE, tables.UNNOTED):
        db.execute(CreateIndex(index))
    old = None if path is None else path.with_name("indexes.sqlite")
    if old is not None and old.exists():
        import sqlite3

        with closing(sqlite3.connect(old)) as source:
            if source.execute("SELECT 1 FROM sqlite_master WHERE name = 'indexes'").fetchone():
                for row in source.execute("SELECT owner, name, folder, created FROM indexes"):
                    db.exec_driver_sql(
                        "INSERT INTO indexes (owner, name, folder, created) VALUES (?, ?, ?, ?)", tuple(row)
                    )


STEPS: tuple[Step, ...] = (run(FIRST), run(SECOND), _third)
