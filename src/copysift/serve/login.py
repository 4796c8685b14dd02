"""A browser sends its token once, or logs in at the identity provider, and gets a cookie for it."""

from __future__ import annotations

import asyncio
import re
from logging import WARNING

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import RedirectResponse, Response

from copysift.serve.access import COOKIE
from copysift.serve.events import event
from copysift.serve.guard import client_of
from copysift.serve.oidc import LIFE, LoginError
from copysift.serve.state import ServerState, State
from copysift.serve.users import SESSION_SECONDS
from copysift.serve.views import root_of, show

router = APIRouter()
STARTED = "copysift-login"  # cookie of a login on its way
PAUSE = 0.5  # seconds before a wrong token is answered
_NEXT = re.compile(r"/results/[A-Za-z0-9_-]+(/[A-Za-z0-9.-]*)?")  # never another host


@router.get("/login")
def login_page(request: Request, state: ServerState) -> Response:
    """Request a token."""
    next_ = _next(request.query_params.get("next"))
    if state.access.user(request.headers, request.cookies) is not None:
        return RedirectResponse(f"{root_of(state)}{next_ or '/'}", 303)
    return _asked(request, state, next_)


def _asked(request: Request, state: State, next_: str, problem: str = "", status: int = 200) -> Response:
    provider = "" if state.oidc is None else state.oidc.name
    values = {"problem": problem, "next": next_, "provider": provider}
    return show(request, "login.html.j2", values, user=None, status=status)


@router.get("/login/provider")
def to_provider(request: Request, state: ServerState) -> Response:
    """Send the browser to the identity provider."""
    next_ = _next(request.query_params.get("next"))
    if state.oidc is None:
        raise HTTPException(404)
    try:
        begun = state.oidc.begin(next_)
    except LoginError as error:
        return _failed(request, state, error, next_)
    answer = RedirectResponse(begun.address, 303)
    answer.set_cookie(
        STARTED, begun.cookie, max_age=LIFE, path=f"{root_of(state)}/login", httponly=True, samesite="lax",
        secure=state.access.secure,
    )  # fmt: skip
    return answer


@router.get("/login/back")
def from_provider(request: Request, state: ServerState) -> Response:
    """Take the answer of the identity provider and set the cookie.

    The page that follows is loaded by a page of ours: browsers do not send strict cookies after a redirect
    that began elsewhere.
    """
    if state.oidc is None:
        raise HTTPException(404)
    asked, cookie = request.query_params, request.cookies.get(STARTED, "")
    try:
        if "code" not in asked:
            raise LoginError("the identity provider refused the login", hint="try again")
        user, digest, next_ = state.oidc.finish(cookie, asked.get("state", ""), asked["code"])
    except LoginError as error:
        return _failed(request, state, error, "")
    event("login", user=user, peer=client_of(request.scope, state), by="provider")
    to = f"{root_of(state)}{next_ or '/'}"
    answer = show(request, "entered.html.j2", {"to": to}, user=None)
    _set_session(answer, state, state.access.session_of(digest))
    answer.delete_cookie(STARTED, path=f"{root_of(state)}/login")
    return answer


def _failed(request: Request, state: State, error: LoginError, next_: str) -> Response:
    state.metrics.count("logins_failed")
    event("login failed", WARNING, peer=client_of(request.scope, state))
    words = f"{error.message[:1].upper()}{error.message[1:]}." + (f" {error.hint}." if error.hint else "")
    return _asked(request, state, next_, words, 403)


def _set_session(answer: Response, state: State, session: str) -> None:
    answer.set_cookie(
        COOKIE, session, max_age=SESSION_SECONDS, path=root_of(state) or "/", httponly=True,
        samesite="strict", secure=state.access.secure,
    )  # fmt: skip


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
        return _asked(request, state, next_, "Unknown token.", 403)
    event("login", user=user, peer=peer)
    answer = RedirectResponse(f"{root_of(state)}{next_ or '/'}", 303)
    _set_session(answer, state, state.access.session(token))
    return answer


@router.post("/logout")
def logout(request: Request, state: ServerState) -> Response:
    """Forget the cookie, and what a login at the provider has stored."""
    state.users.leave(state.access.digest_of_session(request.cookies.get(COOKIE, "")))
    answer = RedirectResponse(f"{root_of(state)}/login", 303)
    answer.delete_cookie(COOKIE, path=root_of(state) or "/")
    return answer


def _next(given: object) -> str:
    """Give the page to show after the login, if it is one of ours that a link leads to."""
    return str(given) if _NEXT.fullmatch(str(given)) else ""
