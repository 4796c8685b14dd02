"""A browser sends its token once and gets a cookie for it."""

from __future__ import annotations

import asyncio
import re
from logging import WARNING

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from copysift.serve.access import COOKIE, SESSION
from copysift.serve.events import event
from copysift.serve.guard import client_of
from copysift.serve.state import ServerState
from copysift.serve.views import root_of, show

router = APIRouter()
PAUSE = 0.5  # seconds before a wrong token is answered
_NEXT = re.compile(r"/results/[A-Za-z0-9_-]+(/[A-Za-z0-9.-]*)?")  # never another host


@router.get("/login")
def login_page(request: Request, state: ServerState) -> Response:
    """Ask for a token."""
    next_ = _next(request.query_params.get("next"))
    if state.access.user(request.headers, request.cookies) is not None:
        return RedirectResponse(f"{root_of(state)}{next_ or '/'}", 303)
    return show(request, "login.html.j2", {"wrong": False, "next": next_}, user=None)


@router.post("/login")
async def login(request: Request, state: ServerState) -> Response:
    """Take a token and set the cookie."""
    form = await request.form()
    token, next_ = str(form.get("token", "")).strip(), _next(form.get("next"))
    user = state.access.by_token(token)
    peer = client_of(request.scope, state)
    if user is None:
        state.metrics.count("logins_failed")
        event("login failed", WARNING, peer=peer)
        await asyncio.sleep(PAUSE)
        return show(request, "login.html.j2", {"wrong": True, "next": next_}, user=None, status=403)
    event("login", user=user, peer=peer)
    answer = RedirectResponse(f"{root_of(state)}{next_ or '/'}", 303)
    answer.set_cookie(
        COOKIE, state.access.session(token), max_age=SESSION, path=root_of(state) or "/", httponly=True,
        samesite="strict", secure=state.access.secure,
    )  # fmt: skip
    return answer


@router.post("/logout")
def logout(state: ServerState) -> Response:
    """Forget the cookie."""
    answer = RedirectResponse(f"{root_of(state)}/login", 303)
    answer.delete_cookie(COOKIE, path=root_of(state) or "/")
    return answer


def _next(given: object) -> str:
    """Give the page to show after the login, if it is one of ours that a link leads to."""
    return str(given) if _NEXT.fullmatch(str(given)) else ""
