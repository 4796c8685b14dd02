"""A browser shows its token once and gets a cookie for it."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from copysift.serve.access import COOKIE, SESSION
from copysift.serve.state import ServerState
from copysift.serve.views import root_of, show

router = APIRouter()
PAUSE = 0.5  # seconds before a wrong token is answered


@router.get("/login")
def login_page(request: Request, state: ServerState) -> Response:
    """Ask for a token."""
    if state.access.user(request.headers, request.cookies) is not None:
        return RedirectResponse(f"{root_of(state)}/", 303)
    return show(request, "login.html.j2", {"wrong": False}, user=None)


@router.post("/login")
async def login(request: Request, state: ServerState) -> Response:
    """Take a token and set the cookie."""
    token = str((await request.form()).get("token", "")).strip()
    user = state.access.by_token(token)
    if user is None:
        await asyncio.sleep(PAUSE)
        return show(request, "login.html.j2", {"wrong": True}, user=None, status=403)
    answer = RedirectResponse(f"{root_of(state)}/", 303)
    answer.set_cookie(
        COOKIE, state.access.session(user), max_age=SESSION, path=root_of(state) or "/", httponly=True,
        samesite="strict", secure=state.access.secure,
    )  # fmt: skip
    return answer


@router.post("/logout")
def logout(state: ServerState) -> Response:
    """Forget the cookie."""
    answer = RedirectResponse(f"{root_of(state)}/login", 303)
    answer.delete_cookie(COOKIE, path=root_of(state) or "/")
    return answer
