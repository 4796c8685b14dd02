"""The jobs of the server: a SQLite table and a folder a job, so that what was accepted outlives any process.

A job is accepted when its row is committed, which is after its files are on the disk. It is claimed
by one worker at a time, under a number that grows with every claim; only the holder of the latest
number can finish it, so that a job ends once, whatever dies when. Results are written beside the
files under that number and count from the commit that names them.
"""

from __future__ import annotations

import json
import secrets
import shutil
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from copysift.runtime import durable
from copysift.serve.incoming import Incoming
from copysift.serve.limits import Limits
from copysift.serve.room import Room

QUEUED, RUNNING, DONE, FAILED, CANCELLED = STATES = ("queued", "running", "done", "failed", "cancelled")
ACTIVE = (QUEUED, RUNNING)
DAY = 86_400.0
PROGRESS = "progress.json"

_SCHEMA = """
CREATE TABLE IF NOT EXISTS jobs (
  id TEXT PRIMARY KEY, share TEXT UNIQUE, owner TEXT NOT NULL, kind TEXT NOT NULL, origin TEXT NOT NULL,
  title TEXT NOT NULL, request TEXT NOT NULL, target TEXT NOT NULL DEFAULT '', state TEXT NOT NULL,
  created REAL NOT NULL, started REAL, finished REAL, expires REAL, files INTEGER NOT NULL,
  bytes INTEGER NOT NULL, claim INTEGER NOT NULL DEFAULT 0, deaths INTEGER NOT NULL DEFAULT 0,
  worker TEXT NOT NULL DEFAULT '', error TEXT NOT NULL DEFAULT '', summary TEXT NOT NULL DEFAULT '{}'
);
CREATE INDEX IF NOT EXISTS jobs_by_state ON jobs(state, created);
CREATE INDEX IF NOT EXISTS jobs_by_owner ON jobs(owner, created);
CREATE TABLE IF NOT EXISTS marks (
  job TEXT NOT NULL REFERENCES jobs(id) ON DELETE CASCADE, left TEXT NOT NULL, right TEXT NOT NULL,
  verdict TEXT NOT NULL, note TEXT NOT NULL, PRIMARY KEY (job, left, right)
);
"""


@dataclass(frozen=True, slots=True)
class Job:
    """One row; times are seconds since 1970."""

    id: str
    share: str | None
    owner: str
    kind: str
    origin: str
    title: str
    request: Mapping[str, Any]
    target: str
    state: str
    created: float
    started: float | None
    finished: float | None
    expires: float | None
    files: int
    bytes: int
    claim: int
    deaths: int
    worker: str
    error: str
    summary: Mapping[str, Any]

    @property
    def over(self) -> bool:
        """Whether it has reached its end."""
        return self.state not in ACTIVE


@dataclass(frozen=True, slots=True)
class Mark:
    """What a person thinks of a pair."""

    left: str
    right: str
    verdict: str
    note: str


class Jobs:
    """All jobs of a data folder; threads may share it, processes open their own."""

    def __init__(self, data: Path, limits: Limits, keep_days: float = 14.0) -> None:
        self.data, self.limits, self.keep_days = data, limits, keep_days
        for folder in (data, data / "jobs", data / "incoming"):
            durable.make_folder(folder, 0o700)
        self._lock = threading.RLock()
        self._room = Room(limits, self.held)
        self._db = sqlite3.connect(
            data / "jobs.sqlite", timeout=30, isolation_level=None, check_same_thread=False
        )
        self._db.row_factory = sqlite3.Row
        with self._lock:
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=FULL")
            self._db.execute("PRAGMA foreign_keys=ON")
            self._db.executescript(_SCHEMA)

    def close(self) -> None:
        """Close the database."""
        self._db.close()

    # ---- accepting

    def incoming(self, owner: str) -> Incoming:
        """Begin an upload of a user; raise LimitError when there is no room for it."""
        return Incoming(self.data / "incoming" / unguessable(), self.limits, self._room.enter(owner))

    def question(self) -> Incoming:
        """Begin an upload that is read at once and thrown away: one file, not a large one."""
        most = self.limits.text_bytes
        small = replace(self.limits, job_files=1, job_bytes=most, file_bytes=most, zip_bytes=most)
        return Incoming(self.data / "incoming" / unguessable(), small)

    def held(self, owner: str) -> tuple[int, int]:
        """Give how many jobs of a user wait or run, and the bytes of all that are kept."""
        row = self._one("SELECT sum(state IN (?, ?)), sum(bytes) FROM jobs WHERE owner = ?", (*ACTIVE, owner))
        return (row[0] or 0, row[1] or 0) if row else (0, 0)

    def accept(
        self, upload: Incoming, owner: str, kind: str, request: Mapping[str, Any], *, origin: str = "api",
        title: str = "", target: str = "", shared: bool = False,
    ) -> Job:  # fmt: skip
        """Take a job in; when this returns it will finish, whatever happens to the process."""
        upload.seal()
        id_ = upload.folder.name
        folder = self.folder(id_)
        try:
            folder.mkdir(mode=0o700)
            upload.folder.rename(folder / "in")
            durable.sync(folder)
            durable.sync(folder.parent)
            now = time.time()
            with self._writing() as db:
                self._room.check(owner, upload.bytes)  # here, where nobody else can take the room
                db.execute(
                    "INSERT INTO jobs (id, share, owner, kind, origin, title, request, target, state,"
                    " created, expires, files, bytes) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)",
                    (
                        id_, numeric() if shared else None, owner, kind, origin, title,
                        json.dumps(request), target, QUEUED, now, now + self.keep_days * DAY,
                        len(upload.files), upload.bytes,
                    ),
                )  # fmt: skip
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            upload.discard()
            raise
        upload.leave()
        return self.get(id_)

    # ---- reading

    def folder(self, id_: str) -> Path:
        """Give the folder of a job; ids are made here and never contain a separator."""
        if not id_ or not id_.isascii() or not id_.replace("-", "").replace("_", "").isalnum():
            raise KeyError(id_)
        return self.data / "jobs" / id_

    def output(self, job: Job) -> Path:
        """Give the folder of the result of a finished job."""
        return self.folder(job.id) / f"out-{job.claim}"

    def get(self, id_: str, owner: str | None = None) -> Job:
        """Give a job; KeyError when there is none, or when it is another user's."""
        row = self._one("SELECT * FROM jobs WHERE id = ?", (id_,))
        if row is None or (owner is not None and row["owner"] != owner):
            raise KeyError(id_)
        return _job(row)

    def shared(self, share: str) -> Job:
        """Give the job of a share link; KeyError when there is none."""
        row = self._one("SELECT * FROM jobs WHERE share = ?", (share,))
        if row is None:
            raise KeyError(share)
        return _job(row)

    def listed(self, owner: str, limit: int = 100, offset: int = 0, kind: str | None = None) -> list[Job]:
        """Give the jobs of a user, the newest first."""
        some = "" if kind is None else " AND kind = ?"
        rows = self._all(
            f"SELECT * FROM jobs WHERE owner = ?{some} ORDER BY created DESC, id LIMIT ? OFFSET ?",
            (owner, *(() if kind is None else (kind,)), limit, offset),
        )
        return [_job(row) for row in rows]

    def counts(self) -> dict[str, int]:
        """Give how many jobs there are in every state."""
        found = dict.fromkeys(STATES, 0)
        found.update(
            (row[0], row[1]) for row in self._all("SELECT state, count(*) FROM jobs GROUP BY state", ())
        )
        return found

    def progress(self, job: Job) -> dict[str, Any]:
        """Give how far a running job is, as its worker last told."""
        try:
            told = json.loads((self.folder(job.id) / PROGRESS).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return told if isinstance(told, dict) and told.get("claim") == job.claim else {}

    def ahead(self, job: Job) -> int:
        """Give how many jobs wait before this one."""
        row = self._one("SELECT count(*) FROM jobs WHERE state = ? AND created < ?", (QUEUED, job.created))
        return int(row[0]) if row else 0

    # ---- working

    def claim(self, worker: str) -> Job | None:
        """Take the job that waits longest, unless another one writes to the same target now."""
        with self._writing() as db:
            row = db.execute(
                "UPDATE jobs SET state = ?, claim = claim + 1, worker = ?, started = ? WHERE id = ("
                " SELECT id FROM jobs AS j WHERE state = ? AND (target = '' OR NOT EXISTS"
                "  (SELECT 1 FROM jobs WHERE state = ? AND target = j.target))"
                " ORDER BY created, rowid LIMIT 1) RETURNING *",
                (RUNNING, worker, time.time(), QUEUED, RUNNING),
            ).fetchone()
        return None if row is None else _job(row)

    def finish(
        self, job: Job, state: str, *, error: str = "", summary: Mapping[str, Any] | None = None
    ) -> bool:
        """End a job; False when it was cancelled, or is another worker's by now."""
        with self._writing() as db:
            done = db.execute(
                "UPDATE jobs SET state = ?, finished = ?, error = ?, summary = ?, worker = '' "
                "WHERE id = ? AND claim = ? AND state = ?",
                (state, time.time(), error, json.dumps(summary or {}), job.id, job.claim, RUNNING),
            ).rowcount
        return bool(done)

    def give_back(self, job: Job) -> None:
        """Let a claimed job wait again, which is no fault of it."""
        with self._writing() as db:
            db.execute(
                "UPDATE jobs SET state = ?, worker = '' WHERE id = ? AND claim = ? AND state = ?",
                (QUEUED, job.id, job.claim, RUNNING),
            )

    def lost(self, worker: str) -> None:
        """Take note that a worker died: its job waits again, or fails when that happened too often."""
        with self._writing() as db:
            db.execute(
                "UPDATE jobs SET deaths = deaths + 1 WHERE worker = ? AND state = ?", (worker, RUNNING)
            )
            db.execute(
                "UPDATE jobs SET state = ?, finished = ?, worker = '', error = ? "
                "WHERE worker = ? AND state = ? AND deaths >= ?",
                (FAILED, time.time(), f"its worker died {self.limits.attempts} times", worker, RUNNING,
                 self.limits.attempts),
            )  # fmt: skip
            db.execute(
                "UPDATE jobs SET state = ?, worker = '' WHERE worker = ? AND state = ?",
                (QUEUED, worker, RUNNING),
            )

    def recover(self) -> None:
        """Begin after a crash: what ran waits again, and what belongs to no job is removed."""
        with self._writing() as db:
            db.execute("UPDATE jobs SET state = ?, worker = '' WHERE state = ?", (QUEUED, RUNNING))
            known = {row[0]: row[1] for row in db.execute("SELECT id, claim FROM jobs")}
            for path in (self.data / "incoming").iterdir():
                shutil.rmtree(path, ignore_errors=True)
            for path in (self.data / "jobs").iterdir():
                if path.name not in known:
                    shutil.rmtree(path, ignore_errors=True)
        for row in self._all("SELECT * FROM jobs", ()):
            self.tidy(_job(row))

    def tidy(self, job: Job) -> None:
        """Remove what earlier claims of a finished job left."""
        if job.over:
            for path in self.folder(job.id).glob("out-*"):
                if path != self.output(job) or job.state != DONE:
                    shutil.rmtree(path, ignore_errors=True)
            shutil.rmtree(self.folder(job.id) / "work", ignore_errors=True)

    # ---- changing

    def cancel(self, job: Job) -> bool:
        """Cancel a job that has not ended."""
        with self._writing() as db:
            done = db.execute(
                "UPDATE jobs SET state = ?, finished = ?, worker = '' WHERE id = ? AND state IN (?, ?)",
                (CANCELLED, time.time(), job.id, *ACTIVE),
            ).rowcount
        return bool(done)

    def delete(self, job: Job) -> None:
        """Remove a job and all that belongs to it."""
        with self._writing() as db:
            db.execute("DELETE FROM jobs WHERE id = ?", (job.id,))
        shutil.rmtree(self.folder(job.id), ignore_errors=True)

    def keep(self, job: Job, keep: bool) -> None:
        """Keep a job for good, or let it expire after the usual time from now."""
        expires = None if keep else time.time() + self.keep_days * DAY
        with self._writing() as db:
            db.execute("UPDATE jobs SET expires = ? WHERE id = ?", (expires, job.id))

    def share(self, job: Job, share: bool) -> str | None:
        """Make the link that anyone may read, or take it back; a new one is another one."""
        link = (job.share or numeric()) if share else None
        with self._writing() as db:
            db.execute("UPDATE jobs SET share = ? WHERE id = ?", (link, job.id))
        return link

    def expire(self, now: float | None = None) -> int:
        """Delete what has expired; what has not ended yet does not expire."""
        rows = self._all(
            "SELECT * FROM jobs WHERE expires < ? AND state NOT IN (?, ?)", (now or time.time(), *ACTIVE)
        )
        for row in rows:
            self.delete(_job(row))
        return len(rows)

    def mark(self, job: Job, mark: Mark) -> None:
        """Write down what a person thinks of a pair; no verdict and no note is no mark."""
        with self._writing() as db:
            if mark.verdict or mark.note:
                db.execute(
                    "INSERT OR REPLACE INTO marks VALUES (?, ?, ?, ?, ?)",
                    (job.id, mark.left, mark.right, mark.verdict, mark.note),
                )
            else:
                db.execute(
                    "DELETE FROM marks WHERE job = ? AND left = ? AND right = ?",
                    (job.id, mark.left, mark.right),
                )

    def marks(self, job: Job) -> list[Mark]:
        """Give the marks of a job."""
        rows = self._all(
            "SELECT left, right, verdict, note FROM marks WHERE job = ? ORDER BY rowid", (job.id,)
        )
        return [Mark(*row) for row in rows]

    def copy_marks(self, job: Job, other: Job) -> None:
        """Take the marks of a job over to another one of the same files."""
        with self._writing() as db:
            db.execute(
                "INSERT OR IGNORE INTO marks SELECT ?, left, right, verdict, note FROM marks WHERE job = ?",
                (other.id, job.id),
            )

    # ---- inside

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    def _one(self, sql: str, values: tuple[object, ...]) -> sqlite3.Row | None:
        with self._lock:
            row: sqlite3.Row | None = self._db.execute(sql, values).fetchone()
            return row

    def _all(self, sql: str, values: tuple[object, ...]) -> list[sqlite3.Row]:
        with self._lock:
            return self._db.execute(sql, values).fetchall()


def unguessable() -> str:
    """Give a name with 128 random bits that may stand in an address."""
    while (made := secrets.token_urlsafe(16)).startswith("-"):
        pass  # a name that begins with a dash is a nuisance on a command line
    return made


def numeric() -> str:
    """Give a number of 39 digits, about 128 random bits: readers of MOSS results look for digits only."""
    return str(secrets.randbelow(9 * 10**38) + 10**38)


def _job(row: sqlite3.Row) -> Job:
    values = dict(row)
    values["request"], values["summary"] = json.loads(values["request"]), json.loads(values["summary"])
    return Job(**values)
