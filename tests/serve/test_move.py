"""A server moves to PostgreSQL and back with everything that it has."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import insert, select, update

from copysift.errors import StoreError
from copysift.serve import indexes as users_indexes
from copysift.serve.database import FILE, Database
from copysift.serve.job import DONE, RUNNING
from copysift.serve.jobs import Jobs
from copysift.serve.limits import Limits
from copysift.serve.move import MOVED, to_postgresql, to_sqlite
from copysift.serve.store import Store
from copysift.serve.tables import METADATA, courses, jobs, marks, teams
from copysift.serve.users import Users
from copysift.workflows.index import Index
from tests.serve.postgresql import PostgreSQL

Rows = dict[str, list[tuple[object, ...]]]


def rows(where: Path | str) -> Rows:
    database = Database(where)
    try:
        return {
            table.name: sorted(map(tuple, database.all(select(table))), key=repr)
            for table in METADATA.sorted_tables
        }
    finally:
        database.close()


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder with a finished and a running job, marks, users, a course and an index."""
    folder = tmp_path / "data"
    held = Jobs(folder, Limits())
    Users(held.database).add("ann")
    with held.database.writing() as db:
        db.execute(insert(courses), [{"id": 7, "name": "Programming", "created": 1.5}])
        db.execute(insert(teams), [{"course": 7, "user": "ann"}])
    for name in ("first", "second"):
        upload = held.incoming("ann")
        upload.add(f"{name}.py", b"x = 1\n")
        held.accept(upload, "ann", "scan", {"settings": {}}, origin="web", title=f"Übung {name}")
    one = held.claim("worker")
    assert one is not None
    out = held.folder(one.id) / f"out-{one.claim}"
    out.mkdir()
    (out / "result.json").write_text('{"pairs": []}')
    assert held.finish(one, DONE, summary={"pairs": 0})
    assert held.claim("worker") is not None  # runs, as far as the database knows
    with held.database.writing() as db:
        db.execute(
            insert(marks),
            [{"job": one.id, "left": "a", "right": "b", "verdict": "copied", "note": "", "author": "ann"}],
        )
    index = users_indexes.Indexes(folder, {}, held.database).make("ann", "essays")
    with Index(index.path, keep_text=True) as opened:
        opened.add([("bees.txt", "Bees keep the temperature of the hive within a degree. " * 9)])
    held.close()
    return folder


def waiting(before: Rows) -> Rows:
    """Give rows in which no job runs."""
    at = list(jobs.c.keys())
    changed = []
    for row in before["jobs"]:
        values = dict(zip(at, row, strict=True))
        if values["state"] == RUNNING:
            values |= {"state": "queued", "worker": ""}
        changed.append(tuple(values.values()))
    return {**before, "jobs": sorted(changed, key=repr)}


def test_rows_are_the_same_there_and_back_again(data: Path, postgresql: PostgreSQL) -> None:
    before, url = waiting(rows(data / FILE)), postgresql.database()
    moved = to_postgresql(data, url)
    assert rows(url) == before
    assert (moved["jobs"], moved["marks"], moved["courses"]) == (2, 1, 1)
    assert not (data / FILE).exists()  # a server that is started on it by mistake would be another one
    assert (data / MOVED).exists()
    assert to_sqlite(data, url) == moved
    assert rows(data / FILE) == before


def test_postgresql_counts_on_from_the_highest_number(data: Path, postgresql: PostgreSQL) -> None:
    url = postgresql.database()
    to_postgresql(data, url)
    database = Database(url)
    with database.writing() as db:
        made = db.execute(insert(courses).values(name="Logic", created=2.0).returning(courses.c.id))
        assert made.scalar_one() == 8
    database.close()


def test_files_go_to_the_store_and_back(data: Path, postgresql: PostgreSQL, tmp_path: Path) -> None:
    url, store = postgresql.database(), Store(str(tmp_path / "store"))
    to_postgresql(data, url, store)
    elsewhere = tmp_path / "elsewhere"
    held = Jobs(elsewhere, Limits(), database=Database(url), store=store)
    done = next(job for job in held.listed("ann", 10) if job.state == DONE)
    assert (held.output(done) / "result.json").read_text() == '{"pairs": []}'
    assert (held.inputs(done.id) / "1").read_bytes() == b"x = 1\n"
    found = users_indexes.Indexes(elsewhere, {}, held.database, store)
    assert found.opened(found.get("ann", "essays")).info()["documents"] == 1
    held.close()
    back = tmp_path / "back"
    back.mkdir()
    to_sqlite(back, url, store)
    held = Jobs(back, Limits())
    assert (held.output(held.get(done.id)) / "result.json").exists()
    own = users_indexes.Indexes(back, {}, held.database).get("ann", "essays")
    assert (own.version, own.made) == ("", True)
    held.close()


def test_two_servers_are_not_mixed(data: Path, postgresql: PostgreSQL) -> None:
    url = postgresql.database()
    database = Database(url)
    Users(database).add("bob")
    database.close()
    with pytest.raises(StoreError, match="is not empty"):
        to_postgresql(data, url)
    assert (data / FILE).exists()
    with pytest.raises(StoreError, match="exists"):
        to_sqlite(data, url)


def test_a_server_whose_workers_run_is_not_moved(data: Path, postgresql: PostgreSQL, tmp_path: Path) -> None:
    url = postgresql.database()
    to_postgresql(data, url)
    database = Database(url)
    with database.writing() as db:
        db.execute(update(jobs).values(state=RUNNING, lease=database.now() + 60))
    with pytest.raises(StoreError, match="still running"):
        to_sqlite(data, url)
    assert not (data / FILE).exists()
    database.close()
