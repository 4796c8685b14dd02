"""Move a stopped server between SQLite and PostgreSQL, and its files between the data folder and a store.

Files go first and rows last, in one transaction: until that has ended the server is where it was. A move
that was interrupted is started again. The SQLite file that was left is renamed, so that nobody starts a
server on it by mistake; PostgreSQL must be empty, for two servers cannot be made one.
"""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Integer, Table, func, insert, select, text
from sqlalchemy.exc import DataError

from copysift.errors import StoreError
from copysift.serve.database import FILE, Database
from copysift.serve.job import DONE, RUNNING, Job, job_of, unguessable
from copysift.serve.jobs import Jobs
from copysift.serve.limits import Limits
from copysift.serve.store import Store
from copysift.serve.tables import METADATA, indexes, jobs
from copysift.store.snapshot import exists

MOVED = f"{FILE}.moved"
BATCH = 500  # rows that are written at once


def to_postgresql(data: Path, url: str, store: Store | None = None) -> Counter[str]:
    """Move what is in a data folder to PostgreSQL, and with a store its files there; count the rows."""
    if not (data / FILE).is_file():
        raise StoreError(f"{data} has no {FILE}", hint="give the folder of the server with --data")
    source, target = Database(data / FILE), Database(url)
    try:
        held = Jobs(data, Limits(), database=source)
        held.recover()
        _check_empty(target)
        versions = {}
        if store is not None:
            _put_jobs(held, store)
            versions = _put_indexes(held, store)
        moved = _copy_rows(source, target, versions)
    finally:
        source.close()
        target.close()
    for suffix in ("", "-wal", "-shm"):
        path = data / f"{FILE}{suffix}"
        if path.exists():
            path.replace(data / f"{MOVED}{suffix}")
    return moved


def to_sqlite(data: Path, url: str, store: Store | None = None) -> Counter[str]:
    """Move a server from PostgreSQL to a data folder, and from a store its files; count the rows."""
    path = data / FILE
    if path.exists():
        raise StoreError(f"{path} exists", hint="rename it, or give another --data")
    part = path.with_name(f"{FILE}.part")
    for suffix in ("", "-wal", "-shm"):
        part.with_name(f"{part.name}{suffix}").unlink(missing_ok=True)
    source, target = Database(url), Database(part)
    try:
        held = Jobs(data, Limits(), database=source, store=store)
        _check_stopped(source)
        if store is not None:
            _get_jobs(held)
            _get_indexes(held, store)
        moved = _copy_rows(source, target, {} if store is None else None)
        target.vacuum()  # brings everything into the one file that is renamed
    finally:
        source.close()
        target.close()
    part.chmod(0o600)
    part.replace(path)
    return moved


def _check_empty(target: Database) -> None:
    for table in METADATA.sorted_tables:
        if target.one(select(table).limit(1)) is not None:
            raise StoreError(
                f"{target.name} is not empty: it has {table.name}", hint="give a database of its own"
            )


def _check_stopped(source: Database) -> None:
    working = source.one(select(jobs.c.id).where(jobs.c.state == RUNNING, jobs.c.lease > source.now()))
    if working is not None:
        raise StoreError("workers are still running jobs", hint="stop the server and all workers first")


def _listed(held: Jobs) -> list[Job]:
    return [job_of(row) for row in held.database.all(select(jobs))]


def _put_jobs(held: Jobs, store: Store) -> None:
    for job in _listed(held):
        store.put_folder(f"jobs/{job.id}/in.tar", held.inputs(job.id))
        if job.state == DONE:
            out = held.output(job)
            store.put_folder(f"jobs/{job.id}/{out.name}.tar", out)


def _put_indexes(held: Jobs, store: Store) -> dict[str, str]:
    """Put every index into the store; give its version by its folder."""
    versions = {}
    for row in held.database.all(select(indexes.c.folder)):
        path = held.data / "indexes" / row.folder
        if exists(path):
            versions[row.folder] = unguessable()
            store.put_index(row.folder, path, versions[row.folder], "")
    return versions


def _get_jobs(held: Jobs) -> None:
    for job in _listed(held):
        held.folder(job.id).mkdir(mode=0o700, exist_ok=True)
        held.inputs(job.id)
        held.output(job)


def _get_indexes(held: Jobs, store: Store) -> None:
    for row in held.database.all(select(indexes.c.folder, indexes.c.version)):
        path = held.data / "indexes" / row.folder
        shutil.rmtree(path, ignore_errors=True)  # as it was when the server was here last
        if row.version:
            store.get_index(row.folder, row.version, path)


def _copy_rows(source: Database, target: Database, versions: dict[str, str] | None) -> Counter[str]:
    """Copy all rows; `versions` are those of indexes in the store, None: the target has no store."""
    moved: Counter[str] = Counter()
    try:
        with target.writing() as db:
            for table in METADATA.sorted_tables:
                rows = [dict(row._mapping) for row in source.all(select(table))]
                for row in rows:
                    _adapt(table, row, versions)
                for at in range(0, len(rows), BATCH):
                    db.execute(insert(table), rows[at : at + BATCH])
                moved[table.name] = len(rows)
                if db.execute(select(func.count()).select_from(table)).scalar_one() != len(rows):
                    raise StoreError(f"{target.name} has other {table.name} already", hint="use an empty one")
            if target.shared:
                _set_counters(db)
    except DataError as error:
        raise StoreError(f"{target.name} refuses a row: {str(error.orig).splitlines()[0]}") from None
    return moved


def _adapt(table: Table, row: dict[str, Any], versions: dict[str, str] | None) -> None:
    if table is indexes and versions is None:
        row["version"] = ""
    elif table is indexes:
        row["version"] = (versions or {}).get(row["folder"], row["version"])
    if table is jobs and row["state"] == RUNNING:  # its worker has ended
        row.update(state="queued", worker="")


def _set_counters(db: Connection) -> None:
    """Let PostgreSQL count on from the highest number of each table that numbers its rows."""
    for table in METADATA.sorted_tables:
        for column in table.primary_key:
            if isinstance(column.type, Integer) and not column.foreign_keys and len(table.primary_key) == 1:
                found = db.execute(select(func.max(column))).scalar()
                if found:
                    db.execute(
                        text("SELECT setval(pg_get_serial_sequence(:table, :column), :value)"),
                        {"table": table.name, "column": column.name, "value": found},
                    )
