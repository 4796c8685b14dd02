"""Erase a student from checks, marks and indexes: what is there of one, and how it goes.

A check with the student's files is done again without them, so that every result is as if they had never
been sent. What cannot be taken out of an upload (an archive inside an archive, a tar) goes with its check.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from typing import Any

from sqlalchemy import delete, select, update

from copysift.errors import StoreError
from copysift.model.document import Document, Memory
from copysift.report.wording import plural
from copysift.serve.courses import Course
from copysift.serve.indexes import Held
from copysift.serve.job import DONE, RUNNING, Job, job_of, unguessable
from copysift.serve.pseudonyms import KEY
from copysift.serve.requests import allowed
from copysift.serve.state import State
from copysift.serve.student_files import Share, Student, clean, share_of, take_out
from copysift.serve.tables import indexes, jobs, marks
from copysift.workflows.index import Index


@dataclass(frozen=True, slots=True)
class ErasedCheck:
    """A check that has something of a student: in its files, or in its result only."""

    job: Job
    share: Share

    @property
    def goes(self) -> bool:
        """Whether all of it is deleted."""
        return self.share.whole or self.job.kind != "scan"

    @property
    def words(self) -> str:
        """What is done to it."""
        if self.goes:
            return "deleted"
        files = plural(len(self.share.files), "file")
        return f"{files} removed, checked again" if self.share.files else "checked again"


@dataclass(frozen=True, slots=True)
class ErasedIndex:
    """An index that has documents of a student."""

    owner: str
    held: Held
    documents: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Erasure:
    """All that is known of a student; `left` are indexes of the operator, which the server cannot change."""

    student: Student
    course: Course | None
    checks: tuple[ErasedCheck, ...]
    indexes: tuple[ErasedIndex, ...]
    left: tuple[str, ...]

    @property
    def empty(self) -> bool:
        """Whether nothing is known."""
        return not (self.checks or self.indexes or self.left)


def find(state: State, name: str, course: Course | None = None) -> Erasure:
    """Find what the server has of a student: everywhere, or in one course."""
    student = Student(name)
    query = select(jobs) if course is None else select(jobs).where(jobs.c.course == course.id)
    checks = []
    for row in state.jobs.database.all(query.order_by(jobs.c.created)):
        job = job_of(row)
        share = share_of(state.jobs.inputs(job.id), student)
        told = student.in_words(f"{job.title} {json.dumps(job.request, ensure_ascii=False)} {job.error}")
        if share.files or told or _is_in_result(state, job, student):
            checks.append(ErasedCheck(job, share))
    if course is not None:
        return Erasure(student, course, tuple(checks), (), ())
    own = [ErasedIndex(*each) for each in _in_indexes(state, student)]
    public = [held for held in state.indexes.listed("") if not held.own and _documents(state, held, student)]
    return Erasure(student, None, tuple(checks), tuple(own), tuple(held.name for held in public))


def carry_out(state: State, erasure: Erasure) -> None:
    """Erase a student; raise StoreError while one of the checks is running."""
    if any(each.job.state == RUNNING for each in erasure.checks):
        raise StoreError("a check with this student is running", hint="try again when it is done")
    student = erasure.student
    for each in erasure.indexes:
        _rebuild(state, each)
    courses = {each.job.course for each in erasure.checks if each.job.course is not None}
    for number in courses:  # what a course keeps of earlier terms is made again when it is needed
        for path in (state.config.data / "indexes").glob(f"course-{number}-before-*"):
            shutil.rmtree(path, ignore_errors=True)
    for found in erasure.checks:
        if found.goes:
            state.jobs.cancel(found.job)
            state.jobs.delete(found.job)
        else:
            _check_again(state, found, student)
    state.jobs.database.vacuum()
    state.jobs.database.remove_copies(state.config.data)
    state.workers.wake()


def _is_in_result(state: State, job: Job, student: Student) -> bool:
    """Say whether a result names the student, who may be of an earlier term."""
    if job.state != DONE or job.kind != "scan":
        return False
    folder = state.jobs.output(job)
    key = folder / KEY
    if key.exists() and any(
        map(student.has, key.read_text(encoding="utf-8").replace(",", "\n").splitlines())
    ):
        return True
    result = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    authors = [each.get("author", "") for each in result.get("submissions", ())]
    return any(student.has(each["name"]) for each in result["documents"]) or any(map(student.named, authors))


def _in_indexes(state: State, student: Student) -> list[tuple[str, Held, tuple[str, ...]]]:
    owners = [row.owner for row in state.jobs.database.all(select(indexes.c.owner).distinct())]
    every = [(owner, held) for owner in owners for held in state.indexes.listed(owner) if held.own]
    found = [(owner, held, tuple(_documents(state, held, student))) for owner, held in every]
    return [each for each in found if each[2]]


def _documents(state: State, held: Held, student: Student) -> list[str]:
    if not held.made:
        return []
    return [each.name for each in state.indexes.opened(held).documents() if student.has(each.name)]


def _rebuild(state: State, found: ErasedIndex) -> None:
    """Make an index again without documents, for its files keep what was removed until they are reused."""
    old = state.indexes.opened(found.held)
    stored = old.stored()
    given: dict[str, Any] = {name: stored[name] for name in allowed("index") if stored.get(name)}
    gone = set(found.documents)
    folder = f"{unguessable()}.sift"
    path = state.config.data / "indexes" / folder
    with Index(path, keep_text=True, **given) as index:
        kept = [each.name for each in old.documents() if each.name not in gone]
        index.add(Document(name, Memory(old.source(name))) for name in kept)
        index.info()
    state.indexes.exchange(found.owner, found.held, path)


def _check_again(state: State, found: ErasedCheck, student: Student) -> None:
    """Take a student out of the files and words of a check, and let it be done again without them."""
    job = found.job
    state.jobs.hold(job)
    folder = state.jobs.inputs(job.id)
    kept = take_out(folder, student)
    with state.jobs.database.writing() as db:
        for row in db.execute(select(marks).where(marks.c.job == job.id)).all():
            same = (marks.c.job == row.job, marks.c.left == row.left, marks.c.right == row.right)
            if student.has(row.left) or student.has(row.right):
                db.execute(delete(marks).where(*same))
            elif student.in_words(row.note):
                db.execute(update(marks).where(*same).values(note=student.without(row.note)))
    if not any(each.role == "file" for each in kept):
        state.jobs.delete(job)
        return
    words = {
        "title": student.without(job.title), "request": json.dumps(clean(job.request, student)),
        "error": student.without(job.error),
    }  # fmt: skip
    state.jobs.requeue(job, {**words, "files": len(kept), "bytes": sum(each.bytes for each in kept)})
