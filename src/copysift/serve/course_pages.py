"""Pages: courses, their teams, checks by term, and which people are similar how often."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query, Request
from fastapi.responses import RedirectResponse, Response

from copysift.errors import UsageError
from copysift.serve.courses import Course, by_term
from copysift.serve.events import event
from copysift.serve.pages import form_of
from copysift.serve.state import ApiUser, PageUser, ServerState, State
from copysift.serve.users import ASSISTANT, NAME
from copysift.serve.views import root_of, show

router = APIRouter()
SHOWN = 200  # pairs of people


def _course(state: State, user: str, id_: int, *, change: bool = False) -> Course:
    try:
        course = state.courses.get(id_, user)
    except KeyError:
        raise HTTPException(404, "course not found") from None
    if change:
        _teachers_only(state, user)
    return course


def _teachers_only(state: State, user: str) -> None:
    if state.users.role(user) == ASSISTANT:
        raise HTTPException(403, "only teachers can change courses")


@router.get("/courses")
def list_page(request: Request, state: ServerState, user: PageUser) -> Response:
    """Show the courses of a user, and the form that makes one."""
    values = {"courses": state.courses.of(user), "teacher": state.users.role(user) != ASSISTANT}
    return show(request, "courses.html.j2", values, user=user)


@router.post("/courses")
async def add(request: Request, state: ServerState, user: PageUser) -> Response:
    """Make a course."""
    fields = await form_of(request, state, user)
    _teachers_only(state, user)
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
        "more": max(0, len(found) - SHOWN),
        "teacher": state.users.role(user) != ASSISTANT,
        "roles": {name: state.users.role(name) for name in course.team},
    }
    return show(request, "course.html.j2", values, user=user)


@router.post("/courses/{id_}/{action}")
async def act(id_: int, action: str, request: Request, state: ServerState, user: PageUser) -> Response:
    """Change the team."""
    fields = await form_of(request, state, user)
    course = _course(state, user, id_, change=True)
    member = fields.get("user", "").strip()
    if not NAME.fullmatch(member) and member not in course.team:
        raise UsageError(f"invalid user name {member[:80]!r}", hint="use the name that the user logs in with")
    if action == "join":
        if not state.access.open and member not in {each.name for each in state.users.listed()}:
            raise UsageError(f"there is no user {member!r}", hint="an admin can add users")
        await asyncio.to_thread(state.courses.join, course, member)
    elif action == "leave":
        await asyncio.to_thread(state.courses.leave, course, member)
    else:
        raise HTTPException(404)
    event(f"team {action}", course=course.name, member=member, user=user)
    away = action == "leave" and member == user
    return RedirectResponse(f"{root_of(state)}/courses" + ("" if away else f"/{course.id}"), 303)


api_router = APIRouter(prefix="/api/v1/courses", tags=["courses"])


@api_router.get("")
def list_courses(state: ServerState, user: ApiUser) -> dict[str, Any]:
    """List the courses that you are in the team of."""
    return {"courses": [{"name": each.name, "team": list(each.team)} for each in state.courses.of(user)]}


@api_router.get("/{name}/pairs")
def list_pairs(
    name: str, state: ServerState, user: ApiUser, term: Annotated[str, Query(max_length=40)] = ""
) -> dict[str, Any]:
    """List similar people with the exercises of a term, or of all terms."""
    try:
        course = state.courses.named(name, user)
    except KeyError:
        raise HTTPException(404, "course not found") from None
    found = state.courses.companions(course, term)
    return {
        "pairs": [{"left": each.left, "right": each.right, "similarity": each.similarity} for each in found]
    }
