"""The application: routes, guards and errors put together."""

from __future__ import annotations

from fastapi import FastAPI, Request
from fastapi.responses import Response
from starlette.middleware.errors import ServerErrorMiddleware
from starlette.middleware.exceptions import ExceptionMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from copysift._version import __version__
from copysift.serve import (
    admin_pages,
    api,
    api_courses,
    api_indexes,
    ask,
    course_pages,
    help_pages,
    login,
    over_time,
    pages,
    problems,
    runs,
    shared,
)
from copysift.serve.guard import Guard
from copysift.serve.problems import error_page
from copysift.serve.state import State
from copysift.serve.views import static_router
from copysift.sources.places import forbid

DESCRIPTION = """
Finds what was copied. A **job** compares files with each other; an **index** finds where else a text appears.

Every error has one shape: `{"error": {"code", "message", "hint"}}`. With users, every request but
`health` needs `Authorization: Bearer TOKEN`.
"""


def make_app(state: State) -> ASGIApp:
    """Make the application of a server; its process fetches nothing that a client names by a URI."""
    forbid()
    app = FastAPI(
        title="copysift",
        version=__version__,
        description=DESCRIPTION,
        openapi_url="/api/v1/openapi.json",
        docs_url=None,  # its page fetches scripts from elsewhere
        redoc_url=None,
    )
    app.state.copysift = state
    app.include_router(api.router)
    app.include_router(api_indexes.router)
    app.include_router(api_courses.router)
    app.include_router(course_pages.router, include_in_schema=False)
    app.include_router(admin_pages.router, include_in_schema=False)
    app.include_router(ask.router, include_in_schema=False)
    app.include_router(over_time.router, include_in_schema=False)
    app.include_router(pages.router, include_in_schema=False)
    app.include_router(runs.router, include_in_schema=False)
    app.include_router(help_pages.router, include_in_schema=False)
    app.include_router(login.router, include_in_schema=False)
    app.include_router(shared.router, include_in_schema=False)
    app.include_router(static_router, include_in_schema=False)

    def page(request: Request, status: int, message: str, hint: str) -> Response:
        return error_page(request, status, message, hint)

    problems.install(app, page)
    app.add_middleware(Guard, state=state)
    return _Ways(app, state)


class _Ways:
    """Leads queries of an index straight to their answer, and all else through FastAPI.

    Programs send a thousand queries a second, and FastAPI's way to a route takes a tenth of the time of one.
    Guard and errors are the same on both ways.
    """

    def __init__(self, app: FastAPI, state: State) -> None:
        self._app = app
        handlers = dict(app.exception_handlers)
        bug = handlers.pop(Exception)
        guarded = Guard(ExceptionMiddleware(_answer_query, handlers), state)
        self._query = ServerErrorMiddleware(guarded, bug)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] == "POST" and api_indexes.asked_index(scope["path"]):
            scope["app"] = self._app
            await self._query(scope, receive, send)
        else:
            await self._app(scope, receive, send)


async def _answer_query(scope: Scope, receive: Receive, send: Send) -> None:
    answer = await api_indexes.query(api_indexes.asked_index(scope["path"]), Request(scope, receive))
    await answer(scope, receive, send)
