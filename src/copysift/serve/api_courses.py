"""REST: courses, their teams and checks, and which people are similar how often."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, HTTPException, Query
from fastapi.responses import Response
from pydantic import Field

from copysift.serve.api import ERRORS, Limit, Offset
from copysift.serve.courses import Course
from copysift.serve.events import event
from copysift.serve.models import JobsOut, Strict, job_out, paged
from copysift.serve.state import ApiUser, ServerState, State
from copysift.serve.teams import change_team, teachers_only

router = APIRouter(prefix="/api/v1/courses", responses=ERRORS, tags=["courses"])
Term = Annotated[str, Query(max_length=40, description="Only this term.")]


class CourseIn(Strict):
    """A course to make."""

    name: str = Field(max_length=80, examples=["Programming 1"])


class CourseOut(Strict):
    """A course and its team."""

    name: str = Field(examples=["Programming 1"])
    team: list[str] = Field(examples=[["ann", "bob"]])


class CoursesOut(Strict):
    """The courses that you are in the team of, by name."""

    courses: list[CourseOut]
    next: int | None = Field(None, description="Offset of the next page, if there is one.")


class PairOut(Strict):
    """Two people whose submissions are similar."""

    left: str = Field(examples=["ann"])
    right: str = Field(examples=["eve"])
    similarity: dict[str, float] = Field(
        description="By term and exercise.", examples=[{"2026-1, Homework 3": 0.93}]
    )


class PairsOut(Strict):
    """Similar people: those with the most exercises first."""

    pairs: list[PairOut]
    next: int | None = Field(None, description="Offset of the next page, if there is one.")


@router.get("")
def list_courses(state: ServerState, user: ApiUser, limit: Limit = 1000, offset: Offset = 0) -> CoursesOut:
    """List the courses that you are in the team of."""
    shown, following = paged(state.courses.of(user), limit, offset)
    return CoursesOut(courses=[_out(each) for each in shown], next=following)


@router.post("", status_code=201)
def add_course(given: CourseIn, state: ServerState, user: ApiUser) -> CourseOut:
    """Make a course with yourself as its team; only teachers and admins can."""
    teachers_only(state, user)
    made = state.courses.add(given.name, user)
    event("course added", course=made.name, user=user)
    return _out(made)


@router.get("/{name}")
def get_course(name: str, state: ServerState, user: ApiUser) -> CourseOut:
    """Show a course and its team."""
    return _out(_course(state, user, name))


@router.put("/{name}/team/{member}")
def join(name: str, member: str, state: ServerState, user: ApiUser) -> CourseOut:
    """Add a user to the team of a course."""
    change_team(state, user, _course(state, user, name), "join", member)
    return _out(_course(state, user, name))


@router.delete("/{name}/team/{member}", status_code=204)
def leave(name: str, member: str, state: ServerState, user: ApiUser) -> Response:
    """Remove a user from the team of a course."""
    change_team(state, user, _course(state, user, name), "leave", member)
    return Response(status_code=204)


@router.get("/{name}/jobs")
def list_checks(
    name: str, state: ServerState, user: ApiUser, term: Term = "", limit: Limit = 100, offset: Offset = 0
) -> JobsOut:
    """List the checks of a course, whoever of the team sent them: the newest term first."""
    found = [job for job in state.courses.checks(_course(state, user, name)) if not term or job.term == term]
    shown, following = paged(found, limit, offset)
    return JobsOut(jobs=[job_out(state.jobs, job) for job in shown], next=following)


@router.get("/{name}/pairs")
def list_pairs(
    name: str, state: ServerState, user: ApiUser, term: Term = "", limit: Limit = 1000, offset: Offset = 0
) -> PairsOut:
    """List similar people with the exercises of a term, or of all terms."""
    found, following = paged(state.courses.companions(_course(state, user, name), term), limit, offset)
    listed = [PairOut(left=each.left, right=each.right, similarity=each.similarity) for each in found]
    return PairsOut(pairs=listed, next=following)


def _course(state: State, user: str, name: str) -> Course:
    try:
        return state.courses.named(name, user)
    except KeyError:
        raise HTTPException(404, "course not found") from None


def _out(course: Course) -> CourseOut:
    return CourseOut(name=course.name, team=list(course.team))
