"""Databases have a version: older ones are migrated after a copy, newer ones are refused."""

from __future__ import annotations

import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import inspect
from sqlalchemy.exc import OperationalError

from copysift.errors import StoreError
from copysift.serve.database import Database
from copysift.serve.indexes import Indexes
from copysift.serve.jobs import Jobs
from copysift.serve.limits import Limits
from copysift.serve.marks import Marks
from copysift.serve.schema import FIRST, STEPS, run
from copysift.serve.tables import METADATA
from copysift.serve.users import Users
from tests.serve.postgresql import PostgreSQL

OLD = FIRST  # the tables of version 0.1, which wrote no version
ROW = (
    "INSERT INTO jobs (id, owner, kind, origin, title, request, state, created, files, bytes, summary)"
    " VALUES ('x', 'ann', 'scan', 'api', 'Homework', '{}', 'done', 1, 1, 1, '{\"pairs\": 3}')"
)


def old(folder: Path) -> Path:
    """Make the database of a server of version 0.1."""
    folder.mkdir()
    with closing(sqlite3.connect(folder / "jobs.sqlite")) as db, db:
        for statement in (*OLD, ROW, "INSERT INTO marks VALUES ('x', 'a', 'b', 'cleared', 'no')"):
            db.execute(statement)
    return folder / "jobs.sqlite"


def test_a_database_of_version_0_1_is_migrated_and_a_copy_is_kept(tmp_path: Path) -> None:
    path = old(tmp_path / "data")
    jobs = Jobs(tmp_path / "data", Limits())
    job = jobs.get("x")
    assert (job.title, job.summary, job.course, job.term) == ("Homework", {"pairs": 3}, None, "")
    assert [(each.verdict, each.note) for each in Marks(jobs.database).of(job)] == [("cleared", "no")]
    jobs.close()
    copy = path.with_name("jobs.sqlite.version-0.bak")
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    with closing(sqlite3.connect(copy)) as db:
        assert db.execute("SELECT title FROM jobs").fetchall() == [("Homework",)]
        assert len(db.execute("PRAGMA table_info(marks)").fetchall()) == 5
    before = copy.stat().st_mtime_ns
    Jobs(tmp_path / "data", Limits()).close()
    assert copy.stat().st_mtime_ns == before


@pytest.mark.parametrize("version", range(1, len(STEPS)))
def test_a_database_of_every_later_version_is_migrated_with_its_rows(tmp_path: Path, version: int) -> None:
    path = tmp_path / "data" / "jobs.sqlite"
    path.parent.mkdir()
    Database(path, STEPS[:version]).close()
    with closing(sqlite3.connect(path)) as db, db:
        assert db.execute("PRAGMA user_version").fetchone() == (version,)
        db.execute(ROW)
        if version > 1:
            db.execute("INSERT INTO users VALUES ('ann', 'admin', 1, 5, NULL)")
            db.execute("UPDATE jobs SET state = 'running', term = '2026-1'")
    jobs = Jobs(tmp_path / "data", Limits())
    job = jobs.get("x")
    assert (job.title, job.state) == ("Homework", "done" if version == 1 else "queued")
    known = [(user.name, user.role, user.max_jobs) for user in Users(jobs.database).listed()]
    assert (job.term, known) == (("", []) if version == 1 else ("2026-1", [("ann", "admin", 5)]))
    jobs.close()
    assert path.with_name(f"jobs.sqlite.version-{version}.bak").exists()


def test_a_new_database_needs_no_copy(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    Jobs(tmp_path / "data", Limits()).close()
    assert not list((tmp_path / "data").glob("*.bak"))


def test_a_migration_that_fails_changes_nothing(tmp_path: Path) -> None:
    path = old(tmp_path / "data")
    with pytest.raises(OperationalError):
        Database(path, (*STEPS[:1], run(("CREATE TABLE more (x)", "NONSENSE"))))
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT name FROM sqlite_master WHERE name = 'more'").fetchall() == []
        assert db.execute("PRAGMA user_version").fetchone() == (0,)


def test_a_newer_database_is_refused_in_words(tmp_path: Path) -> None:
    Database(tmp_path / "x.sqlite", (*STEPS, run(("CREATE TABLE later (x)",)))).close()
    with pytest.raises(StoreError, match="was written by a newer version of copysift"):
        Database(tmp_path / "x.sqlite")


def test_a_column_that_this_version_does_not_know_is_no_obstacle(tmp_path: Path) -> None:
    old(tmp_path / "data")
    jobs = Jobs(tmp_path / "data", Limits())
    with jobs.database.writing() as db:
        db.exec_driver_sql("ALTER TABLE jobs ADD COLUMN later TEXT")
    assert jobs.get("x").title == "Homework"
    jobs.close()


def test_the_steps_of_sqlite_lead_to_the_tables_that_postgresql_starts_with(database: Database) -> None:
    with database.writing() as db:
        found = inspect(db)
        for table in METADATA.tables.values():
            columns = {each["name"]: each["nullable"] for each in found.get_columns(table.name)}
            primary = set(found.get_pk_constraint(table.name)["constrained_columns"])
            assert set(columns) == {each.name for each in table.columns}, table.name
            assert primary == {each.name for each in table.primary_key}, table.name
            for each in table.columns:
                assert columns[each.name] == each.nullable or each.primary_key, (table.name, each.name)
            named = {each["name"] for each in found.get_indexes(table.name)}
            assert {str(each.name) for each in table.indexes} <= named, table.name


def test_a_migration_of_postgresql_keeps_the_tables_as_they_were(
    postgresql: PostgreSQL, tmp_path: Path
) -> None:
    url = postgresql.database()
    name = url.partition("?")[0].rpartition("/")[2]
    first = Database(url)
    Users(first).add("ann")
    first.close()
    more = run(("ALTER TABLE users ADD COLUMN later TEXT", "UPDATE users SET role = 'teacher'"))
    Database(url, (*STEPS, more)).close()
    kept = f"copysift_version_{len(STEPS)}"
    assert postgresql.ask(f"SELECT name, role FROM {kept}.users", name) == [("ann", "admin")]
    assert postgresql.ask("SELECT name, role, later FROM users", name) == [("ann", "teacher", None)]
    with pytest.raises(StoreError, match="was written by a newer version of copysift"):
        Database(url)
    latest = Database(url, (*STEPS, more))
    assert latest.remove_copies(tmp_path) == 1  # for who is erased is in them
    assert postgresql.ask(f"SELECT 1 FROM pg_namespace WHERE nspname = '{kept}'", name) == []
    latest.close()


def test_the_list_of_indexes_of_earlier_versions_is_taken_in(tmp_path: Path) -> None:
    old(tmp_path / "data")
    with closing(sqlite3.connect(tmp_path / "data" / "indexes.sqlite")) as db, db:
        db.execute(
            "CREATE TABLE indexes (owner TEXT NOT NULL, name TEXT NOT NULL, folder TEXT NOT NULL,"
            " created REAL NOT NULL, PRIMARY KEY (owner, name))"
        )
        db.execute("INSERT INTO indexes VALUES ('ann', 'essays', 'abc.sift', 5)")
    jobs = Jobs(tmp_path / "data", Limits())
    held = Indexes(tmp_path / "data", {}, jobs.database).get("ann", "essays")
    assert (held.folder, held.version, held.path) == ("abc.sift", "", tmp_path / "data/indexes/abc.sift")
    jobs.close()
