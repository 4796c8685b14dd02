"""Courses: teams, and checks by term and exercise.

Terms are ordered by name and start with the year. What a course checked in earlier terms is compared with
every check of a later one, and a team shares its checks, marks and notes.
"""

from __future__ import annotations

import itertools
import json
import re
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import ColumnElement, delete, select, update
from sqlalchemy.exc import IntegrityError

from copysift.errors import UsageError
from copysift.serve.database import Database, repeated
from copysift.serve.job import DONE, Job, job_of
from copysift.serve.tables import courses, jobs, teams
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

    def __init__(self, database: Database, output: Callable[[Job], Path]) -> None:
        """`output` gives the folder of the result of a job."""
        self._db, self._output = database, output

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
                made = self._db.insert(courses).values(name=name, created=time.time()).returning(courses.c.id)
                id_ = db.execute(made).scalar_one()
                db.execute(self._db.insert(teams).values(course=id_, user=user))
        except IntegrityError:
            raise UsageError(f"there is a course {name!r} already", hint="choose another name") from None
        return self.get(id_, user)

    def get(self, id_: int, user: str) -> Course:
        """Give a course; KeyError if there is none, or if the user is not in its team."""
        return self._found(courses.c.id == id_, user)

    def named(self, name: str, user: str) -> Course:
        """Give a course by its name; KeyError if there is none, or if the user is not in its team."""
        if not NAME.fullmatch(name):
            raise KeyError(name)
        return self._found(courses.c.name == name, user)

    def _found(self, condition: ColumnElement[bool], user: str) -> Course:
        row = self._db.one(select(courses.c.id, courses.c.name).where(condition))
        course = None if row is None else Course(row.id, row.name, self._team(row.id))
        if course is None or user not in course.team:
            raise KeyError
        return course

    def of(self, user: str) -> list[Course]:
        """Give the courses of a user by name."""
        rows = self._db.all(
            select(courses.c.id, courses.c.name)
            .join(teams, teams.c.course == courses.c.id)
            .where(teams.c.user == user)
            .order_by(courses.c.name)
        )
        return [Course(row.id, row.name, self._team(row.id)) for row in rows]

    def _team(self, course: int) -> tuple[str, ...]:
        rows = self._db.all(select(teams.c.user).where(teams.c.course == course).order_by(teams.c.user))
        return tuple(row.user for row in rows)

    @repeated
    def join(self, course: Course, user: str) -> None:
        """Put a user into the team."""
        with self._db.writing() as db:
            db.execute(self._db.insert(teams).values(course=course.id, user=user).on_conflict_do_nothing())

    @repeated
    def leave(self, course: Course, user: str) -> None:
        """Take a user out of the team; the last one stays."""
        if course.team == (user,):
            raise UsageError("the last member of a team cannot leave", hint="add another one first")
        with self._db.writing() as db:
            db.execute(delete(teams).where(teams.c.course == course.id, teams.c.user == user))

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
            select(jobs)
            .where(jobs.c.course == course.id)
            .order_by(jobs.c.term.desc(), jobs.c.exercise, jobs.c.created.desc())
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
            for left, right, similarity, *who in self._pairs(job):
                one, other = sorted(who or (person(left), person(right)))
                if one == other:
                    continue
                both = found.setdefault((one, other), Companions(one, other))
                where = f"{job.term}, {job.exercise}"
                both.similarity[where] = max(similarity, both.similarity.get(where, 0.0))
        return sorted(found.values(), key=lambda each: (-len(each.similarity), -each.highest, each.left))

    def _pairs(self, job: Job) -> list[list[Any]]:
        """Give names, similarity and, of checks since they are kept, the two people of every pair."""
        try:
            content = (self._output(job) / PAIRS_FILE).read_text(encoding="utf-8")
        except FileNotFoundError:
            return []
        pairs: list[list[Any]] = json.loads(content)
        return pairs

    @repeated
    def forget(self, user: str) -> None:
        """Take a user out of all teams; a course without a team goes."""
        left = select(teams.c.course)
        with self._db.writing() as db:
            db.execute(delete(teams).where(teams.c.user == user))
            db.execute(update(jobs).where(jobs.c.course.not_in(left)).values(course=None))
            db.execute(delete(courses).where(courses.c.id.not_in(left)))


def person(name: str) -> str:
    """Give who a submission is of, by its name: as a platform says, else the last folder or file."""
    known = known_export(name)
    if known is not None and known.author:
        return known.author
    leaf = re.split(r"[/\\!]", name.rstrip("/\\!"))[-1]
    return leaf.partition(".")[0] or leaf


def people(names: Iterable[str], authors: Mapping[str, str]) -> dict[str, str]:
    """Give who each submission is of: its author where one is known, else by its name.

    Clones of GitHub Classroom start with the exercise (`homework-1-ann`). What all names of one folder start
    with, up to a dash, is left out.
    """
    found = {name: authors.get(name) or person(name) for name in names}
    folders: dict[str, list[str]] = defaultdict(list)
    for name in found:
        if not authors.get(name) and known_export(name) is None:
            folders[name.rstrip("/").rpartition("/")[0]].append(name)
    for members in folders.values():
        first, last = min(found[name] for name in members), max(found[name] for name in members)
        same = itertools.takewhile(lambda both: both[0] == both[1], zip(first, last, strict=False))
        task, dash, _ = "".join(letter for letter, _ in same).rpartition("-")
        if dash and len(members) > 2:
            found |= {name: found[name].removeprefix(task + dash) or found[name] for name in members}
    return found


def by_term(jobs: list[Job]) -> dict[str, list[Job]]:
    """Give checks by term."""
    found: dict[str, list[Job]] = defaultdict(list)
    for job in jobs:
        found[job.term].append(job)
    return dict(found)
