"""What people think of pairs: verdicts and notes, each with who wrote it and when."""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import delete, literal, select, update

from copysift.serve.database import Database, repeated
from copysift.serve.job import Job
from copysift.serve.tables import marks

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

    @repeated
    def put(self, job: Job, mark: Mark) -> None:
        """Write a mark down; one without a verdict and a note is removed."""
        pair = {"job": job.id, "left": mark.left, "right": mark.right}
        said = {"verdict": mark.verdict, "note": mark.note, "author": mark.author, "changed": time.time()}
        with self._db.writing() as db:
            if mark.verdict or mark.note:
                new = self._db.insert(marks).values(**pair, **said)
                db.execute(new.on_conflict_do_update(index_elements=list(pair), set_=said))
            else:
                db.execute(delete(marks).where(*(marks.c[name] == value for name, value in pair.items())))

    def of(self, job: Job) -> list[Mark]:
        """Give the marks of a job in the order of writing."""
        columns = [marks.c[name] for name in COLUMNS]
        query = select(*columns).where(marks.c.job == job.id).order_by(marks.c.changed, *columns[:2])
        return [Mark(*row) for row in self._db.all(query)]

    @repeated
    def forget(self, author: str) -> None:
        """Remove the name of an author; the marks are the team's and stay."""
        with self._db.writing() as db:
            db.execute(update(marks).where(marks.c.author == author).values(author=""))

    @repeated
    def copy(self, job: Job, other: Job) -> None:
        """Copy the marks of a job to another one of the same files."""
        columns = [marks.c[name] for name in COLUMNS]
        source = select(literal(other.id), *columns).where(marks.c.job == job.id)
        with self._db.writing() as db:
            new = self._db.insert(marks).from_select(["job", *COLUMNS], source)
            db.execute(new.on_conflict_do_nothing())
