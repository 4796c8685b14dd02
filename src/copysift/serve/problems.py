"""Errors of the server in one shape: JSON for the interface, a page for people."""

from __future__ import annotations

import logging
from collections.abc import Callable
from logging import WARNING
from typing import Any
from urllib.parse import urlencode

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, RedirectResponse, Response
from sqlalchemy.exc import OperationalError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from copysift.errors import CopysiftError, InputError, KernelError, StoreError
from copysift.serve.events import event
from copysift.serve.indexes import without_paths
from copysift.serve.limits import LimitError
from copysift.serve.state import LoginNeededError, state_of
from copysift.serve.views import root_of, show

log = logging.getLogger("copysift.serve")
API = "/api/"
CODES = {
    400: "bad_request", 401: "unauthorised", 403: "forbidden", 404: "not_found", 405: "method_not_allowed",
    408: "too_slow", 409: "conflict", 413: "too_large", 415: "unsupported_type", 422: "bad_request",
    429: "too_many", 500: "internal", 503: "unavailable",
}  # fmt: skip

PageOf = Callable[[Request, int, str, str], Response]


def body(status: int, message: str, hint: str = "") -> dict[str, Any]:
    """Give the one shape of an error."""
    return {"error": {"code": CODES.get(status, "error"), "message": message, "hint": hint}}


def error_page(request: Request, status: int, message: str, hint: str) -> Response:
    """Make the page of an error; a script of ours gets JSON."""
    if "application/json" in request.headers.get("accept", ""):
        return JSONResponse(body(status, message, hint), status)
    state = state_of(request)
    user = state.access.user(request.headers, request.cookies)
    return show(request, "problem.html.j2", {"message": message, "hint": hint}, user=user, status=status)


def install(app: FastAPI, page: PageOf) -> None:
    """Turn every error into an answer; `page` makes the one for people."""

    def answer(request: Request, status: int, message: str, hint: str = "", headers: Any = None) -> Response:
        if request.url.path.startswith(API):
            return JSONResponse(body(status, message, hint), status, headers)
        made = page(request, status, message, hint)
        made.headers.update(headers or {})
        return made

    def handled(kind: type[Exception]) -> Callable[[Any], Any]:
        return app.exception_handler(kind)

    @handled(HTTPException)
    async def _http(request: Request, error: HTTPException) -> Response:
        words = {404: "there is nothing here", 405: "that cannot be done here"}
        plain = error.detail in ("Not Found", "Method Not Allowed")
        message = words.get(error.status_code, error.detail) if plain else error.detail
        return answer(request, error.status_code, message, "", error.headers)

    @handled(RequestValidationError)
    async def _validation(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0] if error.errors() else {"loc": (), "msg": "the request is wrong"}
        where = ".".join(str(part) for part in first["loc"][1:])
        message = f"{where}: {first['msg']}" if where else str(first["msg"])
        return answer(request, 422, message.encode("utf-8", "replace").decode())

    @handled(CopysiftError)
    async def _ours(request: Request, error: CopysiftError) -> Response:
        status = error.status if isinstance(error, LimitError) else 400
        if isinstance(error, StoreError):
            status = 409
        if isinstance(error, KernelError):
            status = 500
        if isinstance(error, InputError):
            status = 422
        config = state_of(request).config
        named = without_paths(error.message, config.data, config.indexes)
        message = named.encode("utf-8", "backslashreplace").decode()
        retry = getattr(error, "retry", 0)
        if status == 429:
            event("request refused", WARNING, user=request.scope.get("copysift.user", "-"), reason=message)
        return answer(request, status, message, error.hint, {"Retry-After": f"{retry}"} if retry else None)

    @handled(KeyError)
    async def _missing(request: Request, error: KeyError) -> Response:
        return answer(request, 404, "there is nothing here")

    @handled(ClientDisconnect)
    async def _gone(request: Request, error: ClientDisconnect) -> Response:
        return answer(request, 400, "the body is truncated")

    @handled(LoginNeededError)
    async def _login(request: Request, error: LoginNeededError) -> Response:
        if request.method == "GET":
            query = f"?{urlencode({'next': error.next})}" if error.next else ""
            return RedirectResponse(f"{root_of(state_of(request))}/login{query}", 303)
        return answer(request, 401, "please log in again")

    @handled(OperationalError)
    async def _no_database(request: Request, error: OperationalError) -> Response:
        event("database not available", WARNING, reason=type(error.orig).__name__)
        return answer(request, 503, "the database is not available", "try again", {"Retry-After": "5"})

    @handled(Exception)
    async def _bug(request: Request, error: Exception) -> Response:
        log.exception("%s %s failed", request.method, request.url.path, exc_info=error)
        return answer(request, 500, "something went wrong inside the server")
