"""Pages: courses, their teams, checks by term, and which people are similar how often."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, HTTPException, Query, Request
from fastapi.responses import RedirectResponse, Response

from copysift.serve.courses import Course, by_term
from copysift.serve.events import event
from copysift.serve.pages import form_of
from copysift.serve.state import PageUser, ServerState, State
from copysift.serve.teams import change_team, teachers_only
from copysift.serve.users import ASSISTANT
from copysift.serve.views import root_of, show

router = APIRouter()
SHOWN, FIRST = 200, 25  # pairs of people, and how many of them are not folded


def _course(state: State, user: str, id_: int) -> Course:
    try:
        return state.courses.get(id_, user)
    except KeyError:
        raise HTTPException(404, "course not found") from None


@router.get("/courses")
def list_page(request: Request, state: ServerState, user: PageUser) -> Response:
    """Show the courses of a user, and the form that makes one."""
    values = {"courses": state.courses.of(user), "teacher": state.users.role(user) != ASSISTANT}
    return show(request, "courses.html.j2", values, user=user)


@router.post("/courses")
async def add(request: Request, state: ServerState, user: PageUser) -> Response:
    """Make a course."""
    fields = await form_of(request, state, user)
    teachers_only(state, user)
    made = await asyncio.to_thread(state.courses.add, fields.get("name", ""), user)
    event("course added", course=made.name, user=user)
    return RedirectResponse(f"{root_of(state)}/courses/{made.id}", 303)


@router.get("/courses/{id_}")
def course_page(
    id_: int, request: Request, state: ServerState, user: PageUser,
    term: Annotated[str, Query(max_length=40)] = "",
) -> Response:  # fmt: skip
    """Show a course: its checks by term, similar people, and its team."""
    course = _course(state, user, id_)
    checks = state.courses.checks(course)
    found = state.courses.companions(course, term)
    values = {
        "course": course,
        "terms": by_term(checks),
        "term": term,
        "companions": found[:SHOWN],
        "first": FIRST,
        "more": max(0, len(found) - SHOWN),
        "teacher": state.users.role(user) != ASSISTANT,
        "roles": {name: state.users.role(name) for name in course.team},
    }
    return show(request, "course.html.j2", values, user=user)


@router.post("/courses/{id_}/{action}")
async def act(id_: int, action: str, request: Request, state: ServerState, user: PageUser) -> Response:
    """Change the team."""
    fields = await form_of(request, state, user)
    course = _course(state, user, id_)
    member = fields.get("user", "").strip()
    await asyncio.to_thread(change_team, state, user, course, action, member)
    away = action == "leave" and member == user
    return RedirectResponse(f"{root_of(state)}/courses" + ("" if away else f"/{course.id}"), 303)
