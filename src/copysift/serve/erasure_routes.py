"""Erase a student: a page that lists what would go before it goes, and REST."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import Response
from pydantic import Field

from copysift.errors import UsageError
from copysift.serve import erasure
from copysift.serve.api import ERRORS
from copysift.serve.courses import Course
from copysift.serve.erasure import Erasure
from copysift.serve.events import event
from copysift.serve.models import Strict
from copysift.serve.pages import form_of
from copysift.serve.state import ApiUser, PageUser, ServerState, State
from copysift.serve.users import ADMIN, ASSISTANT
from copysift.serve.views import show

router = APIRouter(prefix="/api/v1/erasures", responses=ERRORS, tags=["courses"])
pages = APIRouter()


class ErasureIn(Strict):
    """A student to erase; without a course everywhere, which needs an admin."""

    name: str = Field(max_length=200, description="As in the class list or in file names.", examples=["eve"])
    course: str = Field("", max_length=80, examples=["Programming 1"])
    dry_run: bool = Field(True, description="List what would go, and change nothing.")


class ErasedOut(Strict):
    """A check or an index that has something of the student."""

    kind: str = Field(examples=["check"])
    name: str
    id: str
    owner: str
    action: str = Field(description="What is done to it.", examples=["2 files removed, checked again"])
    files: list[str] = Field(description="The student's files in it.")


class ErasureOut(Strict):
    """What the server has, or had, of a student."""

    erased: bool
    found: list[ErasedOut]


@router.post("")
def erase(given: ErasureIn, state: ServerState, user: ApiUser) -> ErasureOut:
    """Erase a student from all checks, marks and indexes, or list what would go."""
    found = _found(state, user, given.name, given.course)
    if not given.dry_run:
        _erase(state, user, found)
    return ErasureOut(erased=not given.dry_run, found=listed(found))


@pages.post("/erase")
async def erase_page(request: Request, state: ServerState, user: PageUser) -> Response:
    """Show what would go, or erase the student whose name was written twice."""
    fields = await form_of(request, state, user)
    name, course = fields.get("name", "").strip(), fields.get("course", "")
    found = await asyncio.to_thread(_found, state, user, name, course)
    again = fields.get("again", "").strip()
    if again and again != name:
        raise UsageError("to erase a student, write the same name twice")
    if again:
        await asyncio.to_thread(_erase, state, user, found)
    values = {"name": name, "course": course, "found": listed(found), "erased": bool(again)}
    return show(request, "erase.html.j2", values, user=user)


def _found(state: State, user: str, name: str, course: str) -> Erasure:
    return erasure.find(state, name, _course(state, user, course))


def _course(state: State, user: str, name: str) -> Course | None:
    """Give the course that a user may erase students from; None: everywhere."""
    role = state.users.role(user)
    if not name:
        if role != ADMIN:
            raise HTTPException(403, "only an admin can erase a student everywhere")
        return None
    if role == ASSISTANT:
        raise HTTPException(403, "only teachers can erase a student")
    try:
        return state.courses.named(name, user)
    except KeyError:
        raise HTTPException(404, "course not found") from None


def _erase(state: State, user: str, found: Erasure) -> None:
    erasure.carry_out(state, found)
    where = found.course.name if found.course else "everywhere"
    event("student erased", by=user, course=where, checks=len(found.checks), indexes=len(found.indexes))


def listed(found: Erasure) -> list[ErasedOut]:
    """Give what goes as the interface shows it."""
    checks = [
        ErasedOut(
            kind="check" if each.job.kind == "scan" else "upload to an index", name=each.job.title,
            id=each.job.id, owner=each.job.owner, action=each.words, files=list(each.share.files),
        )
        for each in found.checks
    ]  # fmt: skip
    held = [
        ErasedOut(
            kind="index", name=each.held.name, id="", owner=each.owner, action="made again without them",
            files=list(each.documents),
        )
        for each in found.indexes
    ]  # fmt: skip
    words = "not changed: use copysift index remove"
    left = [
        ErasedOut(kind="index", name=name, id="", owner="", action=words, files=[]) for name in found.left
    ]
    return [*checks, *held, *left]
