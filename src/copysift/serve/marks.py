"""What people think of pairs: verdicts and notes, each with who wrote it and when."""

from __future__ import annotations

import time
from dataclasses import dataclass

from copysift.serve.database import Database
from copysift.serve.jobs import Job

VERDICTS = ("", "cleared", "suspicious", "confirmed")


@dataclass(frozen=True, slots=True)
class Mark:
    """What a person thinks of a pair; `changed` is seconds since 1970."""

    left: str
    right: str
    verdict: str
    note: str
    author: str = ""
    changed: float = 0.0


class Marks:
    """The marks of all jobs."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def put(self, job: Job, mark: Mark) -> None:
        """Write a mark down; one without a verdict and a note is removed."""
        with self._db.writing() as db:
            if mark.verdict or mark.note:
                db.execute(
                    "INSERT OR REPLACE INTO marks (job, left, right, verdict, note, author, changed)"
                    " VALUES (?, ?, ?, ?, ?, ?, ?)",
                    (job.id, mark.left, mark.right, mark.verdict, mark.note, mark.author, time.time()),
                )
            else:
                db.execute(
                    "DELETE FROM marks WHERE job = ? AND left = ? AND right = ?",
                    (job.id, mark.left, mark.right),
                )

    def of(self, job: Job) -> list[Mark]:
        """Give the marks of a job in the order of writing."""
        rows = self._db.all(
            "SELECT left, right, verdict, note, author, changed FROM marks WHERE job = ? ORDER BY rowid",
            (job.id,),
        )
        return [Mark(*row) for row in rows]

    def copy(self, job: Job, other: Job) -> None:
        """Copy the marks of a job to another one of the same files."""
        with self._db.writing() as db:
            db.execute(
                "INSERT OR IGNORE INTO marks (job, left, right, verdict, note, author, changed)"
                " SELECT ?, left, right, verdict, note, author, changed FROM marks WHERE job = ?",
                (other.id, job.id),
            )
