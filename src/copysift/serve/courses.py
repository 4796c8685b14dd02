"""Courses: teams, and checks by term and exercise.

Terms are ordered by name and start with the year. What a course checked in earlier terms is compared with
every check of a later one, and a team shares its checks, marks and notes.
"""

from __future__ import annotations

import json
import re
import sqlite3
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from copysift.errors import UsageError
from copysift.serve.database import Database
from copysift.serve.jobs import DONE, Job, job_of
from copysift.sources.exports import known_export

NAME = re.compile(r"[^\W_][\w .&'()+-]{0,79}")
TERM = re.compile(r"[0-9]{4}[A-Za-z0-9 _.-]{0,20}")
EXERCISE = re.compile(r"[^\W_][\w .&'()+-]{0,79}")
PAIRS_FILE = "pairs.json"  # the pairs of a check, without their passages


@dataclass(frozen=True, slots=True)
class Course:
    """A course and its team."""

    id: int
    name: str
    team: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a check belongs: nowhere, or to an exercise of a term of a course."""

    course: Course | None = None
    term: str = ""
    exercise: str = ""


NOWHERE = Place()


@dataclass(slots=True)
class Companions:
    """Two people whose submissions are similar: in which exercises, and how much."""

    left: str
    right: str
    similarity: dict[str, float] = field(default_factory=dict)  # by "term, exercise"

    @property
    def highest(self) -> float:
        """The highest similarity."""
        return max(self.similarity.values())


class Courses:
    """All courses of a data folder."""

    def __init__(self, database: Database, jobs: Path) -> None:
        """`jobs` is the folder of the jobs."""
        self._db, self._jobs = database, jobs

    def add(self, name: str, user: str) -> Course:
        """Make a course with a team of one."""
        name = name.strip()
        if not NAME.fullmatch(name):
            raise UsageError(
                f"invalid course name {name[:80]!r}",
                hint="start with a letter or digit",
            )
        try:
            with self._db.writing() as db:
                id_ = db.execute(
                    "INSERT INTO courses (name, created) VALUES (?, ?)", (name, time.time())
                ).lastrowid
                db.execute("INSERT INTO teams VALUES (?, ?)", (id_, user))
        except sqlite3.IntegrityError:
            raise UsageError(f"there is a course {name!r} already", hint="choose another name") from None
        return self.get(int(id_ or 0), user)

    def get(self, id_: int, user: str) -> Course:
        """Give a course; KeyError if there is none, or if the user is not in its team."""
        return self._found("id = ?", id_, user)

    def named(self, name: str, user: str) -> Course:
        """Give a course by its name; KeyError if there is none, or if the user is not in its team."""
        return self._found("name = ?", name, user)

    def _found(self, condition: str, value: object, user: str) -> Course:
        row = self._db.one(f"SELECT id, name FROM courses WHERE {condition}", (value,))
        course = None if row is None else Course(row["id"], row["name"], self._team(row["id"]))
        if course is None or user not in course.team:
            raise KeyError(value)
        return course

    def of(self, user: str) -> list[Course]:
        """Give the courses of a user by name."""
        rows = self._db.all(
            "SELECT id, name FROM courses JOIN teams ON course = id WHERE user = ? ORDER BY name", (user,)
        )
        return [Course(row["id"], row["name"], self._team(row["id"])) for row in rows]

    def _team(self, course: int) -> tuple[str, ...]:
        rows = self._db.all("SELECT user FROM teams WHERE course = ? ORDER BY user", (course,))
        return tuple(row["user"] for row in rows)

    def join(self, course: Course, user: str) -> None:
        """Put a user into the team."""
        with self._db.writing() as db:
            db.execute("INSERT OR IGNORE INTO teams VALUES (?, ?)", (course.id, user))

    def leave(self, course: Course, user: str) -> None:
        """Take a user out of the team; the last one stays."""
        if course.team == (user,):
            raise UsageError("the last member of a team cannot leave", hint="add another one first")
        with self._db.writing() as db:
            db.execute("DELETE FROM teams WHERE course = ? AND user = ?", (course.id, user))

    def place(self, user: str, course: str, term: str, exercise: str) -> Place:
        """Check where a check is to belong; empty words mean nowhere."""
        course, term, exercise = course.strip(), term.strip(), exercise.strip()
        if not course:
            if term or exercise:
                raise UsageError("term and exercise need a course", hint="choose one, or leave them empty")
            return NOWHERE
        try:
            found = self.named(course, user)
        except KeyError:
            raise UsageError(f"there is no course {course[:80]!r}", hint="see the page Courses") from None
        if not TERM.fullmatch(term):
            raise UsageError(
                f"invalid term {term[:40]!r}",
                hint="start with the year: terms are ordered by name",
            )
        if not EXERCISE.fullmatch(exercise):
            raise UsageError(f"invalid exercise {exercise[:80]!r}", hint="use a name such as Homework 3")
        return Place(found, term, exercise)

    def checks(self, course: Course) -> list[Job]:
        """Give the checks of a course: the newest term first, in it by exercise, the newest first."""
        rows = self._db.all(
            "SELECT * FROM jobs WHERE course = ? ORDER BY term DESC, exercise, created DESC",
            (course.id,),
        )
        return [job_of(row) for row in rows]

    def current(self, course: Course) -> list[Job]:
        """Give the last check that is done of every exercise of every term."""
        found: dict[tuple[str, str], Job] = {}
        for job in self.checks(course):
            if job.state == DONE:
                found.setdefault((job.term, job.exercise), job)
        return list(found.values())

    def earlier(self, course: Course, term: str) -> list[Job]:
        """Give the checks whose submissions are those of earlier terms."""
        return [job for job in self.current(course) if job.term < term]

    def companions(self, course: Course, term: str = "") -> list[Companions]:
        """Give similar people and the exercises of a term, or of all terms: most exercises first."""
        found: dict[tuple[str, str], Companions] = {}
        for job in self.current(course):
            if job.summary.get("anonymised") or (term and job.term != term):
                continue
            for left, right, similarity in self._pairs(job):
                one, other = sorted((person(left), person(right)))
                if one == other:
                    continue
                both = found.setdefault((one, other), Companions(one, other))
                where = f"{job.term}, {job.exercise}"
                both.similarity[where] = max(similarity, both.similarity.get(where, 0.0))
        return sorted(found.values(), key=lambda each: (-len(each.similarity), -each.highest, each.left))

    def _pairs(self, job: Job) -> list[tuple[str, str, float]]:
        try:
            content = (self._jobs / job.id / f"out-{job.claim}" / PAIRS_FILE).read_text(encoding="utf-8")
        except FileNotFoundError:
            return []
        return [tuple(each) for each in json.loads(content)]

    def forget(self, user: str) -> None:
        """Take a user out of all teams; a course without a team goes."""
        with self._db.writing() as db:
            db.execute("DELETE FROM teams WHERE user = ?", (user,))
            db.execute("UPDATE jobs SET course = NULL WHERE course NOT IN (SELECT course FROM teams)")
            db.execute("DELETE FROM courses WHERE id NOT IN (SELECT course FROM teams)")


def person(name: str) -> str:
    """Give who a submission is of, by its name: as a platform says, else the last folder or file."""
    known = known_export(name)
    if known is not None:
        return known.author
    leaf = re.split(r"[/\\!]", name.rstrip("/\\!"))[-1]
    return leaf.partition(".")[0] or leaf


def by_term(jobs: list[Job]) -> dict[str, list[Job]]:
    """Give checks by term."""
    found: dict[str, list[Job]] = defaultdict(list)
    for job in jobs:
        found[job.term].append(job)
    return dict(found)
