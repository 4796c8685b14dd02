"""Who works on which job: one worker at a time claims it, under a number that grows with every claim.

Only the holder of the latest number can finish a job, so that it ends once, whatever dies when. A claim is
valid for some seconds and is renewed while the worker lives; the job of a worker that is silent waits again.

PostgreSQL's workers skip rows that another one is claiming (SKIP LOCKED). Queues made for PostgreSQL, such as
procrastinate, need a database of their own beside SQLite's and take jobs by age or priority: here users take
turns, and the same statements work for both databases.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, and_, exists, func, or_, select, update
from sqlalchemy.exc import IntegrityError

from copysift.serve.database import ENDED_JOB, NEW_JOB, Database, repeated
from copysift.serve.job import ACTIVE, FAILED, QUEUED, RUNNING, Job, job_of
from copysift.serve.limits import Limits
from copysift.serve.tables import indexes, jobs, turns


class NewVersion(NamedTuple):
    """What a job made of an index in the store: current from the moment at which the job is done."""

    folder: str
    before: str
    after: str


class Claims:
    """The jobs from the side of those who work on them."""

    def __init__(self, database: Database, limits: Limits) -> None:
        self.database, self.limits = database, limits

    @repeated
    def claim(self, worker: str) -> Job | None:
        """Take the next job: the oldest one of the user whose last turn is longest ago.

        A job waits while another one writes to the same target.
        """
        other = jobs.alias()
        busy = exists().where(other.c.state == RUNNING, other.c.target == jobs.c.target)
        next_ = (
            select(jobs.c.id)
            .outerjoin(turns, turns.c.owner == jobs.c.owner)
            .where(jobs.c.state == QUEUED, or_(jobs.c.target == "", ~busy))
            .order_by(func.coalesce(turns.c.last, 0), jobs.c.created, jobs.c.id)
            .limit(1)
            .with_for_update(of=jobs, skip_locked=True)
        )
        try:
            with self.database.writing() as db:
                id_ = db.execute(next_).scalar()
                if id_ is None:
                    return None
                row = db.execute(
                    update(jobs)
                    .where(jobs.c.id == id_, jobs.c.state == QUEUED)
                    .values(
                        state=RUNNING, claim=jobs.c.claim + 1, worker=worker, started=time.time(),
                        lease=self._lease(),
                    )
                    .returning(*jobs.c)
                ).one()  # fmt: skip
                last = select(func.coalesce(func.max(turns.c.last), 0) + 1).scalar_subquery()
                turn = self.database.insert(turns).values(owner=row.owner, last=last)
                values = {"last": turn.excluded.last}
                db.execute(turn.on_conflict_do_update(index_elements=["owner"], set_=values))
        except IntegrityError:  # another worker took a job of the same target at the same moment
            return None
        return job_of(row)

    @repeated
    def renew(self, job: Job) -> bool:
        """Say that the worker of a job lives; False when another worker has the job by now."""
        with self.database.writing() as db:
            return bool(db.execute(update(jobs).where(_held(job)).values(lease=self._lease())).rowcount)

    @repeated
    def finish(
        self, job: Job, state: str, *, error: str = "", summary: Mapping[str, Any] | None = None,
        index: NewVersion | None = None,
    ) -> bool:  # fmt: skip
        """End a job; False when it was cancelled, is another worker's by now, or has to be done again."""
        with self.database.writing() as db:
            values = {"state": state, "finished": time.time(), "error": error, "worker": "", "noted": False}
            kept = json.dumps(summary or {})
            done = db.execute(update(jobs).where(_held(job)).values(**values, summary=kept)).rowcount
            if done and index is not None:
                same = (indexes.c.folder == index.folder, indexes.c.version == index.before)
                if not db.execute(update(indexes).where(*same).values(version=index.after)).rowcount:
                    # Something else has changed the index, or removed it: what was made is of the old one.
                    again = {"state": QUEUED, "finished": None, "summary": "{}"}
                    db.execute(update(jobs).where(jobs.c.id == job.id).values(again))
                    done = 0
            self.database.notify(db, ENDED_JOB, job.id)
            if job.target:  # another one may have waited for it
                self.database.notify(db, NEW_JOB)
        return bool(done)

    @repeated
    def give_back(self, job: Job) -> None:
        """Let a claimed job wait again, which is not its fault."""
        with self.database.writing() as db:
            db.execute(update(jobs).where(_held(job)).values(state=QUEUED, worker=""))
            self.database.notify(db, NEW_JOB)

    def lost(self, worker: str) -> None:
        """Take note that a worker ended: its job waits again, or fails when that happened too often."""
        self._lose(jobs.c.worker == worker)

    def lose_silent(self) -> int:
        """Take note of the workers that did not renew their claims; give how many jobs that concerns."""
        return self._lose(jobs.c.lease < self.database.now())

    @repeated
    def _lose(self, which: ColumnElement[bool]) -> int:
        with self.database.writing() as db:
            found = db.execute(
                select(jobs.c.id, jobs.c.claim, jobs.c.deaths)
                .where(jobs.c.state == RUNNING, which)
                .with_for_update(skip_locked=True)
            ).all()
            for id_, claim, deaths in found:
                values: dict[str, Any] = {"deaths": deaths + 1, "worker": "", "state": QUEUED}
                if deaths + 1 >= self.limits.attempts:
                    error = f"its worker died {self.limits.attempts} times"
                    values |= {"state": FAILED, "error": error, "finished": time.time(), "noted": False}
                db.execute(update(jobs).where(jobs.c.id == id_, jobs.c.claim == claim).values(values))
            if found:
                self.database.notify(db, NEW_JOB)
                self.database.notify(db, ENDED_JOB)
        return len(found)

    @repeated
    def unnoted(self) -> list[Job]:
        """Give the jobs that have ended since the last call, each once."""
        ended = (jobs.c.noted.is_(False), jobs.c.state.not_in(ACTIVE))
        if self.database.one(select(jobs.c.id).where(*ended).limit(1)) is None:
            return []
        with self.database.writing() as db:
            rows = db.execute(update(jobs).where(*ended).values(noted=True).returning(*jobs.c)).all()
        return [job_of(row) for row in rows]

    def _lease(self) -> ColumnElement[float]:
        return self.database.now() + self.limits.silence


def _held(job: Job) -> ColumnElement[bool]:
    """Give the condition that a claim is still the latest one."""
    return and_(jobs.c.id == job.id, jobs.c.claim == job.claim, jobs.c.state == RUNNING)
