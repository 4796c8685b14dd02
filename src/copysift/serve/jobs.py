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
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from copysift.runtime import durable
from copysift.serve.database import Database
from copysift.serve.incoming import Incoming
from copysift.serve.limits import Limits
from copysift.serve.quotas import Held, Quotas
from copysift.serve.schema import JOBS_STEPS

QUEUED, RUNNING, DONE, FAILED, CANCELLED = STATES = ("queued", "running", "done", "failed", "cancelled")
ACTIVE = (QUEUED, RUNNING)
DAY = 86_400.0
PROGRESS = "progress.json"


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
    course: int | None = None
    term: str = ""
    exercise: str = ""

    @property
    def over(self) -> bool:
        """Whether it has reached its end."""
        return self.state not in ACTIVE


class Jobs:
    """All jobs of a data folder; threads may share it, processes open their own."""

    def __init__(self, data: Path, limits: Limits, keep_days: float = 14.0) -> None:
        self.data, self.limits, self.keep_days = data, limits, keep_days
        for folder in (data, data / "jobs", data / "incoming"):
            durable.make_folder(folder, 0o700)
        self.database = Database(data / "jobs.sqlite", JOBS_STEPS)
        self._quotas = Quotas(limits, self.held)

    def close(self) -> None:
        """Close the database."""
        self.database.close()

    # ---- accepting

    def incoming(self, owner: str) -> Incoming:
        """Start an upload of a user; raise LimitError when there is no space for it."""
        return Incoming(self.data / "incoming" / unguessable(), self.limits, self._quotas.enter(owner))

    def question(self) -> Incoming:
        """Begin an upload that is read at once and thrown away: one file, not a large one."""
        most = self.limits.text_bytes
        small = replace(self.limits, job_files=1, job_bytes=most, file_bytes=most, zip_bytes=most)
        return Incoming(self.data / "incoming" / unguessable(), small)

    def held(self, owner: str) -> Held:
        """Give how many jobs of a user wait or run, the bytes of all that are kept, and the quotas."""
        found = self.database.one(
            "SELECT sum(state IN (?, ?)) AS jobs, sum(bytes) AS bytes FROM jobs WHERE owner = ?",
            (*ACTIVE, owner),
        )
        quota = self.database.one("SELECT max_jobs, max_bytes FROM users WHERE name = ?", (owner,))
        assert found is not None, "a sum has a row"
        return Held(found["jobs"] or 0, found["bytes"] or 0, *(quota or ()))

    def accept(
        self, upload: Incoming, owner: str, kind: str, request: Mapping[str, Any], *, origin: str = "api",
        title: str = "", target: str = "", shared: bool = False, course: int | None = None, term: str = "",
        exercise: str = "",
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
            with self.database.writing() as db:
                self._quotas.check(owner, upload.bytes)  # here, where no other upload can be counted
                db.execute(
                    "INSERT INTO jobs (id, share, owner, kind, origin, title, request, target, state,"
                    " created, expires, files, bytes, course, term, exercise)"
                    " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
                    (
                        id_, numeric() if shared else None, owner, kind, origin, title,
                        json.dumps(request), target, QUEUED, now,
                        None if course else now + self.keep_days * DAY,  # later terms need those of a course
                        len(upload.files), upload.bytes, course, term, exercise,
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

    def get(self, id_: str, user: str | None = None) -> Job:
        """Give a job; KeyError when there is none, or when neither the user nor their team has it."""
        row = self.database.one("SELECT * FROM jobs WHERE id = ?", (id_,))
        if row is None or (user is not None and row["owner"] != user and not self._in_team(row, user)):
            raise KeyError(id_)
        return job_of(row)

    def _in_team(self, row: sqlite3.Row, user: str) -> bool:
        found = self.database.one("SELECT 1 FROM teams WHERE course = ? AND user = ?", (row["course"], user))
        return found is not None

    def shared(self, share: str) -> Job:
        """Give the job of a share link; KeyError when there is none."""
        row = self.database.one("SELECT * FROM jobs WHERE share = ?", (share,))
        if row is None:
            raise KeyError(share)
        return job_of(row)

    def count(self, owner: str, kind: str) -> int:
        """Give how many jobs of a kind a user has."""
        row = self.database.one("SELECT count(*) FROM jobs WHERE owner = ? AND kind = ?", (owner, kind))
        return int(row[0]) if row else 0

    def listed(self, owner: str, limit: int = 100, offset: int = 0, kind: str | None = None) -> list[Job]:
        """Give the jobs of a user, the newest first."""
        some = "" if kind is None else " AND kind = ?"
        rows = self.database.all(
            f"SELECT * FROM jobs WHERE owner = ?{some} ORDER BY created DESC, id LIMIT ? OFFSET ?",
            (owner, *(() if kind is None else (kind,)), limit, offset),
        )
        return [job_of(row) for row in rows]

    def counts(self) -> dict[str, int]:
        """Give how many jobs there are in every state."""
        found = dict.fromkeys(STATES, 0)
        found.update(
            (row[0], row[1])
            for row in self.database.all("SELECT state, count(*) FROM jobs GROUP BY state", ())
        )
        return found

    def by_owner(self) -> dict[str, tuple[int, int, int]]:
        """Give how many jobs every owner has, how many of them wait or run, and their bytes."""
        rows = self.database.all(
            "SELECT owner, count(*), sum(state IN (?, ?)), sum(bytes) FROM jobs GROUP BY owner", ACTIVE
        )
        return {row[0]: (row[1], row[2], row[3]) for row in rows}

    def queue(self, limit: int) -> list[Job]:
        """Give jobs that run or wait, the oldest first."""
        rows = self.database.all(
            "SELECT * FROM jobs WHERE state IN (?, ?) ORDER BY state DESC, created LIMIT ?", (*ACTIVE, limit)
        )
        return [job_of(row) for row in rows]

    def progress(self, job: Job) -> dict[str, Any]:
        """Give how far a running job is, as its worker last told."""
        try:
            told = json.loads((self.folder(job.id) / PROGRESS).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return told if isinstance(told, dict) and told.get("claim") == job.claim else {}

    def ahead(self, job: Job) -> int:
        """Give how many jobs are to be taken before this one, if no others come: users take turns."""
        row = self.database.one(
            "SELECT count(*) FROM jobs WHERE state = ? AND owner = ? AND (created, rowid) < "
            "(SELECT created, rowid FROM jobs WHERE id = ?)",
            (QUEUED, job.owner, job.id),
        )
        own = int(row[0]) if row else 0
        others = self.database.all(
            "SELECT owner, count(*) AS waiting, min(created) AS first, coalesce(last, 0) AS last FROM jobs "
            "LEFT JOIN turns USING (owner) WHERE state = ? GROUP BY owner",
            (QUEUED,),
        )
        turns = {each["owner"]: (each["last"], each["first"]) for each in others}
        mine = turns.get(job.owner, (0, job.created))
        before = [
            min(int(each["waiting"]), own + (turns[each["owner"]] < mine))
            for each in others
            if each["owner"] != job.owner
        ]
        return own + sum(before)

    # ---- working

    def claim(self, worker: str) -> Job | None:
        """Take the next job: the oldest one of the user whose last turn is longest ago.

        A job waits while another one writes to the same target.
        """
        with self.database.writing() as db:
            row = db.execute(
                "WITH ready AS (SELECT id, owner, created, rowid AS place, row_number() OVER"
                "  (PARTITION BY owner ORDER BY created, rowid) AS nth FROM jobs AS j"
                "  WHERE state = ? AND (target = '' OR NOT EXISTS"
                "   (SELECT 1 FROM jobs WHERE state = ? AND target = j.target)))"
                " UPDATE jobs SET state = ?, claim = claim + 1, worker = ?, started = ? WHERE id ="
                " (SELECT id FROM ready LEFT JOIN turns USING (owner) WHERE nth = 1"
                "  ORDER BY coalesce(last, 0), created, place LIMIT 1) RETURNING *",
                (QUEUED, RUNNING, RUNNING, worker, time.time()),
            ).fetchone()
            if row is not None:
                db.execute(
                    "INSERT INTO turns VALUES (?, (SELECT coalesce(max(last), 0) + 1 FROM turns))"
                    " ON CONFLICT(owner) DO UPDATE SET last = excluded.last",
                    (row["owner"],),
                )
        return None if row is None else job_of(row)

    def finish(
        self, job: Job, state: str, *, error: str = "", summary: Mapping[str, Any] | None = None
    ) -> bool:
        """End a job; False when it was cancelled, or is another worker's by now."""
        with self.database.writing() as db:
            done = db.execute(
                "UPDATE jobs SET state = ?, finished = ?, error = ?, summary = ?, worker = '' "
                "WHERE id = ? AND claim = ? AND state = ?",
                (state, time.time(), error, json.dumps(summary or {}), job.id, job.claim, RUNNING),
            ).rowcount
        return bool(done)

    def give_back(self, job: Job) -> None:
        """Let a claimed job wait again, which is no fault of it."""
        with self.database.writing() as db:
            db.execute(
                "UPDATE jobs SET state = ?, worker = '' WHERE id = ? AND claim = ? AND state = ?",
                (QUEUED, job.id, job.claim, RUNNING),
            )

    def lost(self, worker: str) -> None:
        """Take note that a worker died: its job waits again, or fails when that happened too often."""
        with self.database.writing() as db:
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
        with self.database.writing() as db:
            db.execute("UPDATE jobs SET state = ?, worker = '' WHERE state = ?", (QUEUED, RUNNING))
            known = {row[0]: row[1] for row in db.execute("SELECT id, claim FROM jobs")}
            for path in (self.data / "incoming").iterdir():
                shutil.rmtree(path, ignore_errors=True)
            for path in (self.data / "jobs").iterdir():
                if path.name not in known:
                    shutil.rmtree(path, ignore_errors=True)
        for row in self.database.all("SELECT * FROM jobs", ()):
            self.tidy(job_of(row))

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
        with self.database.writing() as db:
            done = db.execute(
                "UPDATE jobs SET state = ?, finished = ?, worker = '' WHERE id = ? AND state IN (?, ?)",
                (CANCELLED, time.time(), job.id, *ACTIVE),
            ).rowcount
        return bool(done)

    def delete(self, job: Job) -> None:
        """Remove a job and all that belongs to it."""
        with self.database.writing() as db:
            db.execute("DELETE FROM jobs WHERE id = ?", (job.id,))
            busy = (
                job.course
                and db.execute(
                    "SELECT 1 FROM jobs WHERE course = ? AND state = ?", (job.course, RUNNING)
                ).fetchone()
            )
        shutil.rmtree(self.folder(job.id), ignore_errors=True)
        if job.course and not busy:  # else the next check of the course removes what was in this one
            for path in (self.data / "indexes").glob(f"course-{job.course}-before-*"):
                shutil.rmtree(path, ignore_errors=True)

    def keep(self, job: Job, keep: bool) -> None:
        """Keep a job for good, or let it expire after the usual time from now."""
        expires = None if keep else time.time() + self.keep_days * DAY
        with self.database.writing() as db:
            db.execute("UPDATE jobs SET expires = ? WHERE id = ?", (expires, job.id))

    def share(self, job: Job, share: bool) -> str | None:
        """Make the link that anyone may read, or take it back; a new one is another one."""
        link = (job.share or numeric()) if share else None
        with self.database.writing() as db:
            db.execute("UPDATE jobs SET share = ? WHERE id = ?", (link, job.id))
        return link

    def expire(self, now: float | None = None) -> list[Job]:
        """Delete the jobs that have expired, and give them; one that has not ended does not expire."""
        rows = self.database.all(
            "SELECT * FROM jobs WHERE expires < ? AND state NOT IN (?, ?)", (now or time.time(), *ACTIVE)
        )
        expired = [job_of(row) for row in rows]
        for job in expired:
            self.delete(job)
        return expired


def unguessable() -> str:
    """Give a name with 128 random bits that can be part of an address."""
    while (made := secrets.token_urlsafe(16)).startswith("-"):
        pass  # a name that begins with a dash is a nuisance on a command line
    return made


def numeric() -> str:
    """Give a number of 39 digits, about 128 random bits: readers of MOSS results look for digits only."""
    return str(secrets.randbelow(9 * 10**38) + 10**38)


def job_of(row: sqlite3.Row) -> Job:
    """Make a job of its row."""
    names = Job.__dataclass_fields__
    values = {name: row[name] for name in row.keys() if name in names}  # noqa: SIM118  a row gives values
    values["request"], values["summary"] = json.loads(values["request"]), json.loads(values["summary"])
    return Job(**values)
