"""What every request passes: foreign pages, sizes, silence, times, and the headers of every answer."""

from __future__ import annotations

import asyncio
import time
from logging import WARNING

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from copysift.serve.access import is_loopback
from copysift.serve.events import event, public_path
from copysift.serve.limits import LimitError
from copysift.serve.problems import API, body
from copysift.serve.state import State

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",  # without any, browsers send forms with the origin null
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
}
FORM_EXTRA = 1_000_000  # bytes of a form besides its files


class Guard:
    """Wraps the application."""

    def __init__(self, app: ASGIApp, state: State) -> None:
        self._app, self._state = app, state

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = time.perf_counter()
        status = 500
        path, state = scope["path"], self._state

        async def answered(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                own = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    own.setdefault(name, value)
            await send(message)

        headers = Headers(scope=scope)
        try:
            most = self._most(scope, headers)
            refused, code = self._refused(scope, headers, most)
            if refused:
                event("request refused", WARNING, peer=client_of(scope, state), reason=refused)
                answer = (
                    JSONResponse(body(code, refused), code)
                    if path.startswith(API)
                    else PlainTextResponse(f"{refused}\n", code)
                )
                await answer(scope, receive, answered)
            else:
                await self._app(scope, self._bounded(most, receive), answered)
        finally:
            seconds = time.perf_counter() - begun
            state.metrics.request(scope["method"], status, seconds)
            if status == 401 and "authorization" in headers:  # a wrong token is a failed login, too
                state.metrics.count("logins_failed")
                event("login failed", WARNING, peer=client_of(scope, state))
            event(
                "request", peer=client_of(scope, state), user=scope.get("copysift.user", "-"),
                method=scope["method"], path=public_path(path), status=status, ms=round(seconds * 1000, 1),
            )  # fmt: skip

    def _refused(self, scope: Scope, headers: Headers, most: int) -> tuple[str, int]:
        if not scope["query_string"].isascii():  # no library would take it, some with an error
            return "the query of the address is not ASCII", 400
        refusal = self._state.access.refusal(scope["method"], headers)
        if refusal:
            return refusal
        length = headers.get("content-length", "")
        if length.isascii() and length.isdigit() and int(length) > most:
            return f"the body is larger than {most:,} bytes", 413
        return "", 0

    def _most(self, scope: Scope, headers: Headers) -> int:
        """Give how large a body may be; of someone who is not known, not more than a token needs."""
        limits = self._state.config.limits
        user = self._state.access.user(headers, cookies_of(headers))
        if user is None:
            return limits.field_bytes
        scope["copysift.user"] = user
        form = headers.get("content-type", "").lower().startswith("multipart/")
        return limits.job_bytes + FORM_EXTRA if form else limits.json_bytes

    def _bounded(self, most: int, receive: Receive) -> Receive:
        """Count the bytes of a body while they come, and wait for each piece for a limited time."""
        limits = self._state.config.limits
        loop = asyncio.get_running_loop()
        deadline = loop.time() + limits.upload
        taken, whole = 0, False

        async def bounded() -> Message:
            nonlocal taken, whole
            if whole:
                return await receive()
            try:
                async with asyncio.timeout_at(min(loop.time() + limits.idle, deadline)):
                    message = await receive()
            except TimeoutError:
                raise LimitError("the client was silent or slow for too long", status=408) from None
            if message["type"] == "http.request":
                taken += len(message.get("body", b""))
                whole = not message.get("more_body", False)
                if taken > most:
                    raise LimitError(f"the body is larger than {most:,} bytes")
            return message

        return bounded


def client_of(scope: Scope, state: State) -> str:
    """Give the address of a client for the log: behind a proxy, the one that the proxy says."""
    peer = str((scope.get("client") or ("",))[0])
    if state.config.public_url and is_loopback(peer):
        forwarded = Headers(scope=scope).get("x-forwarded-for", "").rpartition(",")[2].strip()
        return forwarded[:64] or peer
    return peer


def cookies_of(headers: Headers) -> dict[str, str]:
    """Give the cookies of a request."""
    return cookie_parser(headers["cookie"]) if "cookie" in headers else {}
