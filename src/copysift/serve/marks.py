"""What people think of pairs: verdicts and notes, each with who wrote it and when."""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from copysift.serve.database import Database
from copysift.serve.jobs import Job

COLUMNS = ("left", "right", "verdict", "note", "author", "changed")
FORMULA = ("=", "+", "-", "@")


@dataclass(frozen=True, slots=True)
class Mark:
    """What a person thinks of a pair; `changed` is seconds since 1970."""

    left: str
    right: str
    verdict: str
    note: str
    author: str = ""
    changed: float = 0.0


def csv_table(marks: Iterable[Mark]) -> str:
    """Give marks as CSV; no cell is a formula to a spreadsheet."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    for mark in marks:
        when = datetime.fromtimestamp(mark.changed, UTC).isoformat(timespec="seconds") if mark.changed else ""
        cells = (mark.left, mark.right, mark.verdict, mark.note, mark.author, when)
        writer.writerow([f"'{cell}" if cell.lstrip()[:1] in FORMULA else cell for cell in cells])
    return out.getvalue()


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

    def forget(self, author: str) -> None:
        """Remove the name of an author; the marks are the team's and stay."""
        with self._db.writing() as db:
            db.execute("UPDATE marks SET author = '' WHERE author = ?", (author,))

    def copy(self, job: Job, other: Job) -> None:
        """Copy the marks of a job to another one of the same files."""
        with self._db.writing() as db:
            db.execute(
                "INSERT OR IGNORE INTO marks (job, left, right, verdict, note, author, changed)"
                " SELECT ?, left, right, verdict, note, author, changed FROM marks WHERE job = ?",
                (other.id, job.id),
            )
