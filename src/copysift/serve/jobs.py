"""The jobs of the server: a table and a folder a job, so that what was accepted outlives any process.

A job is accepted when its row is committed, which is after its files are on the disk, or in the store where
there is one. Results are written beside the files under the number of a claim (`claims.py`) and count from
the commit that names them.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from sqlalchemy import delete, func, select, tuple_, update
from sqlalchemy.exc import OperationalError

from copysift.errors import StoreError
from copysift.runtime import durable
from copysift.serve.claims import Claims
from copysift.serve.database import ENDED_JOB, NEW_JOB, Database, open_database, repeated
from copysift.serve.incoming import IncomingFolder
from copysift.serve.job import (
    ACTIVE,
    CANCELLED,
    DONE,
    QUEUED,
    RUNNING,
    STATES,
    Job,
    job_of,
    numeric,
    unguessable,
)
from copysift.serve.limits import Limits
from copysift.serve.quotas import Held, Quotas
from copysift.serve.store import Store
from copysift.serve.tables import jobs, teams, turns, users

DAY = 86_400.0
PROGRESS = "progress.json"
SCRATCH = "data"  # folder of a job with what was brought from the store for it


class Jobs(Claims):
    """All jobs of a data folder; threads may share it, processes open their own."""

    def __init__(
        self, data: Path, limits: Limits, keep_days: float = 14.0, *, database: Database | None = None,
        store: Store | None = None,
    ) -> None:  # fmt: skip
        self.data, self.keep_days, self.store = data, keep_days, store
        for folder in (data, data / "jobs", data / "incoming"):
            durable.make_folder(folder, 0o700)
        super().__init__(database or open_database(data), limits)
        self._quotas = Quotas(limits, self.held)

    def close(self) -> None:
        """Close the database."""
        self.database.close()

    # ---- accepting

    def incoming(self, owner: str) -> IncomingFolder:
        """Start an upload of a user; raise LimitError when there is no space for it."""
        return IncomingFolder(self.data / "incoming" / unguessable(), self.limits, self._quotas.enter(owner))

    def question(self) -> IncomingFolder:
        """Start an upload that is read at once and thrown away: one file, not a large one."""
        most = self.limits.text_bytes
        small = replace(self.limits, job_files=1, job_bytes=most, file_bytes=most, zip_bytes=most)
        return IncomingFolder(self.data / "incoming" / unguessable(), small)

    def held(self, owner: str) -> Held:
        """Give how many jobs of a user wait or run, the bytes of all that are kept, and the quotas."""
        found = self.database.one(
            select(
                func.count().filter(jobs.c.state.in_(ACTIVE)), func.coalesce(func.sum(jobs.c.bytes), 0)
            ).where(jobs.c.owner == owner)
        )
        quota = self.database.one(select(users.c.max_jobs, users.c.max_bytes).where(users.c.name == owner))
        assert found is not None, "a sum has a row"
        return Held(int(found[0]), int(found[1]), *(quota or ()))

    def accept(
        self, upload: IncomingFolder, owner: str, kind: str, request: Mapping[str, Any], *,
        origin: str = "api", title: str = "", target: str = "", shared: bool = False,
        course: int | None = None, term: str = "", exercise: str = "",
    ) -> Job:  # fmt: skip
        """Take a job in; when this returns it will finish, whatever happens to the process."""
        upload.seal()
        id_ = upload.folder.name
        folder = self.folder(id_)
        now = time.time()
        try:
            folder.mkdir(mode=0o700)
            upload.folder.rename(folder / "in")
            durable.sync(folder)
            durable.sync(folder.parent)
            if self.store is not None:
                self.store.put_folder(f"jobs/{id_}/in.tar", folder / "in")
            self._insert(
                owner, upload.bytes,
                {
                    "id": id_, "share": numeric() if shared else None, "owner": owner, "kind": kind,
                    "origin": origin, "title": title, "request": json.dumps(request), "target": target,
                    "state": QUEUED, "created": now,
                    # later terms need the checks of a course
                    "expires": None if course else now + self.keep_days * DAY,
                    "files": len(upload.files), "bytes": upload.bytes, "course": course, "term": term,
                    "exercise": exercise, "noted": False,
                },
            )  # fmt: skip
        except OperationalError:  # it may have been accepted: the next start removes what was not
            upload.leave()
            raise
        except BaseException:
            self._remove_files(id_)
            upload.discard()
            raise
        upload.leave()
        return self.get(id_)

    @repeated
    def _insert(self, owner: str, size: int, values: dict[str, Any]) -> None:
        with self.database.writing() as db:
            self.database.lock(db, f"jobs of {owner}")
            if db.execute(select(jobs.c.id).where(jobs.c.id == values["id"])).first() is not None:
                return  # done before the connection was lost
            self._quotas.check(owner, size)  # here, where no other upload can be counted
            db.execute(self.database.insert(jobs).values(values))
            self.database.notify(db, NEW_JOB)

    # ---- files

    def folder(self, id_: str) -> Path:
        """Give the folder of a job; ids are made here and never contain a separator."""
        if not id_ or not id_.isascii() or not id_.replace("-", "").replace("_", "").isalnum():
            raise KeyError(id_)
        return self.data / "jobs" / id_

    def inputs(self, id_: str, data: Path | None = None) -> Path:
        """Give the folder of what a job was given, brought from the store if it is not below `data`."""
        folder = (data or self.data) / "jobs" / self.folder(id_).name / "in"
        if self.store is not None and not folder.is_dir():
            self.store.get_folder(f"jobs/{id_}/in.tar", folder)
        return folder

    def output(self, job: Job) -> Path:
        """Give the folder of the result of a finished job, brought from the store if it is not here."""
        folder = self._output(job)
        if self.store is not None and job.state == DONE and not folder.is_dir():
            self.store.get_folder(f"jobs/{job.id}/{folder.name}.tar", folder)
        return folder

    def _output(self, job: Job) -> Path:
        return self.folder(job.id) / f"out-{job.claim}"

    def tidy(self, job: Job) -> None:
        """Remove what earlier claims of a finished job left."""
        if job.over:
            for path in self.folder(job.id).glob("out-*"):
                if path != self._output(job) or job.state != DONE:
                    shutil.rmtree(path, ignore_errors=True)
            for name in ("work", SCRATCH):
                shutil.rmtree(self.folder(job.id) / name, ignore_errors=True)

    def _remove_files(self, id_: str) -> None:
        shutil.rmtree(self.folder(id_), ignore_errors=True)
        if self.store is not None:
            self.store.remove(f"jobs/{id_}")

    # ---- reading

    def get(self, id_: str, user: str | None = None) -> Job:
        """Give a job; KeyError when there is none, or when neither the user nor their team has it."""
        self.folder(id_)  # raises KeyError for what no id looks like
        row = self.database.one(select(jobs).where(jobs.c.id == id_))
        if row is None or (user is not None and row.owner != user and not self._in_team(row.course, user)):
            raise KeyError(id_)
        return job_of(row)

    def exists(self, id_: str) -> bool:
        """Say whether there is a job."""
        return self.database.one(select(jobs.c.id).where(jobs.c.id == id_)) is not None

    def _in_team(self, course: int | None, user: str) -> bool:
        if course is None:
            return False
        found = self.database.one(select(teams.c.user).where(teams.c.course == course, teams.c.user == user))
        return found is not None

    def shared(self, share: str) -> Job:
        """Give the job of a share link; KeyError when there is none."""
        self.folder(share)
        row = self.database.one(select(jobs).where(jobs.c.share == share))
        if row is None:
            raise KeyError(share)
        return job_of(row)

    def count(self, owner: str, kind: str) -> int:
        """Give how many jobs of a kind a user has."""
        row = self.database.one(
            select(func.count()).select_from(jobs).where(jobs.c.owner == owner, jobs.c.kind == kind)
        )
        return int(row[0]) if row else 0

    def listed(
        self, owner: str, limit: int | None = 100, offset: int = 0, kind: str | None = None
    ) -> list[Job]:
        """Give the jobs of a user, the newest first; a limit of None gives all."""
        query = select(jobs).where(jobs.c.owner == owner).order_by(jobs.c.created.desc(), jobs.c.id)
        if kind is not None:
            query = query.where(jobs.c.kind == kind)
        return [job_of(row) for row in self.database.all(query.limit(limit).offset(offset))]

    def counts(self) -> dict[str, int]:
        """Give how many jobs there are in every state."""
        found = dict.fromkeys(STATES, 0)
        rows = self.database.all(select(jobs.c.state, func.count()).group_by(jobs.c.state))
        found.update((row[0], row[1]) for row in rows)
        return found

    def by_owner(self) -> dict[str, tuple[int, int, int]]:
        """Give how many jobs every owner has, how many of them wait or run, and their bytes."""
        active = func.count().filter(jobs.c.state.in_(ACTIVE))
        rows = self.database.all(
            select(jobs.c.owner, func.count(), active, func.sum(jobs.c.bytes)).group_by(jobs.c.owner)
        )
        return {row[0]: (row[1], row[2], int(row[3])) for row in rows}

    def queue(self, limit: int) -> list[Job]:
        """Give jobs that run or wait, the oldest first."""
        query = select(jobs).where(jobs.c.state.in_(ACTIVE)).order_by(jobs.c.state.desc(), jobs.c.created)
        return [job_of(row) for row in self.database.all(query.limit(limit))]

    def progress(self, job: Job) -> dict[str, Any]:
        """Give how far a running job is, as its worker last said."""
        try:
            told = json.loads((self.folder(job.id) / PROGRESS).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return told if isinstance(told, dict) and told.get("claim") == job.claim else {}

    def ahead(self, job: Job) -> int:
        """Give how many jobs are to be taken before this one, if no others come: users take turns."""
        row = self.database.one(
            select(func.count())
            .select_from(jobs)
            .where(jobs.c.state == QUEUED, jobs.c.owner == job.owner)
            .where(tuple_(jobs.c.created, jobs.c.id) < tuple_(job.created, job.id))
        )
        own = int(row[0]) if row else 0
        others = self.database.all(
            select(
                jobs.c.owner, func.count().label("waiting"), func.min(jobs.c.created).label("first"),
                func.coalesce(func.max(turns.c.last), 0).label("last"),
            )
            .outerjoin(turns, turns.c.owner == jobs.c.owner)
            .where(jobs.c.state == QUEUED)
            .group_by(jobs.c.owner)
        )  # fmt: skip
        places = {each.owner: (each.last, each.first) for each in others}
        mine = places.get(job.owner, (0, job.created))
        before = [
            min(int(each.waiting), own + (places[each.owner] < mine))
            for each in others
            if each.owner != job.owner
        ]
        return own + sum(before)

    # ---- changing

    def recover(self) -> None:
        """Start after a crash: what ran waits again, and what belongs to no job is removed.

        Workers of other machines may still be running jobs: those that do not are found by their silence.
        """
        if not self.database.shared:
            with self.database.writing() as db:
                db.execute(update(jobs).where(jobs.c.state == RUNNING).values(state=QUEUED, worker=""))
        for path in (self.data / "incoming").iterdir():
            shutil.rmtree(path, ignore_errors=True)
        known = {row.id: job_of(row) for row in self.database.all(select(jobs))}
        for path in (self.data / "jobs").iterdir():
            if path.name not in known:
                shutil.rmtree(path, ignore_errors=True)
            else:
                self.tidy(known[path.name])
        if self.store is not None:
            self.store.remove_orphans(known.__contains__)

    @repeated
    def cancel(self, job: Job) -> bool:
        """Cancel a job that has not ended."""
        with self.database.writing() as db:
            done = db.execute(
                update(jobs)
                .where(jobs.c.id == job.id, jobs.c.state.in_(ACTIVE))
                .values(state=CANCELLED, finished=time.time(), worker="", noted=False)
            ).rowcount
            self.database.notify(db, ENDED_JOB, job.id)
        return bool(done)

    @repeated
    def delete(self, job: Job) -> None:
        """Remove a job and all that belongs to it."""
        with self.database.writing() as db:
            db.execute(delete(jobs).where(jobs.c.id == job.id))
            busy = (
                job.course is not None
                and db.execute(
                    select(jobs.c.id).where(jobs.c.course == job.course, jobs.c.state == RUNNING)
                ).first()
            )
        self._remove_files(job.id)
        if job.course and not busy:  # else the next check of the course removes what was in this one
            for path in (self.data / "indexes").glob(f"course-{job.course}-before-*"):
                shutil.rmtree(path, ignore_errors=True)

    @repeated
    def hold(self, job: Job) -> None:
        """Let no worker take a job while its files are changed; `requeue` lets it be done again."""
        with self.database.writing() as db:
            held = update(jobs).where(jobs.c.id == job.id, jobs.c.state != RUNNING)
            if not db.execute(held.values(state=CANCELLED, noted=True, summary="{}")).rowcount:
                raise StoreError("the job is running", hint="try again when it is done")

    def requeue(self, job: Job, values: Mapping[str, Any]) -> None:
        """Do a job again whose files have changed: without its result, with other words."""
        for path in self.folder(job.id).glob("out-*"):
            shutil.rmtree(path, ignore_errors=True)
        if self.store is not None:
            self.store.remove(f"jobs/{job.id}")
            self.store.put_folder(f"jobs/{job.id}/in.tar", self.folder(job.id) / "in")
        self._set(job, **values, state=QUEUED, started=None, finished=None, deaths=0, noted=False)

    def keep(self, job: Job, keep: bool) -> None:
        """Keep a job for good, or let it expire after the usual time from now."""
        self._set(job, expires=None if keep else time.time() + self.keep_days * DAY)

    def share(self, job: Job, share: bool) -> str | None:
        """Make the link that anyone may read, or take it back; a new one is another one."""
        link = (job.share or numeric()) if share else None
        self._set(job, share=link)
        return link

    @repeated
    def _set(self, job: Job, **values: object) -> None:
        with self.database.writing() as db:
            db.execute(update(jobs).where(jobs.c.id == job.id).values(values))

    def expire(self, now: float | None = None) -> list[Job]:
        """Delete the jobs that have expired, and give them; one that has not ended does not expire."""
        rows = self.database.all(
            select(jobs).where(jobs.c.expires < (now or time.time()), jobs.c.state.not_in(ACTIVE))
        )
        expired = [job_of(row) for row in rows]
        for job in expired:
            self.delete(job)
        return expired
