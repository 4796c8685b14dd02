"""Databases have a version: older ones are migrated after a copy, newer ones are refused."""

from __future__ import annotations

import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from copysift.errors import StoreError
from copysift.serve.database import Database
from copysift.serve.jobs import Jobs
from copysift.serve.limits import Limits
from copysift.serve.marks import Marks
from copysift.serve.schema import JOBS_STEPS

OLD = JOBS_STEPS[0]  # the tables of version 0.1, which wrote no version
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


def test_a_new_database_needs_no_copy(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    Jobs(tmp_path / "data", Limits()).close()
    assert not list((tmp_path / "data").glob("*.bak"))


def test_a_migration_that_fails_changes_nothing(tmp_path: Path) -> None:
    path = old(tmp_path / "data")
    with pytest.raises(sqlite3.OperationalError):
        Database(path, (OLD, ("CREATE TABLE more (x)", "NONSENSE")))
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT name FROM sqlite_master WHERE name = 'more'").fetchall() == []
        assert db.execute("PRAGMA user_version").fetchone() == (0,)


def test_a_newer_database_is_refused_in_words(tmp_path: Path) -> None:
    Database(tmp_path / "x.sqlite", (*JOBS_STEPS, ("CREATE TABLE later (x)",))).close()
    with pytest.raises(StoreError, match="was written by a newer version of copysift"):
        Database(tmp_path / "x.sqlite", JOBS_STEPS)


def test_a_column_that_this_version_does_not_know_is_no_obstacle(tmp_path: Path) -> None:
    old(tmp_path / "data")
    jobs = Jobs(tmp_path / "data", Limits())
    with jobs.database.writing() as db:
        db.execute("ALTER TABLE jobs ADD COLUMN later TEXT")
    assert jobs.get("x").title == "Homework"
    jobs.close()
