"""Pages of a swept index: the timeline of a document, and how the collection changed."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, quote

from fastapi import APIRouter, Request
from fastapi.responses import Response
from markupsafe import Markup

from copysift.errors import InputError
from copysift.report import changes as changing
from copysift.report import timeline
from copysift.report.wording import visible
from copysift.serve import api_indexes
from copysift.serve.state import PageUser, ServerState, State
from copysift.serve.views import root_of, show
from copysift.workflows.index import Index

router = APIRouter()


@router.get("/indexes/{name}/changes")
def changes_page(name: str, request: Request, state: ServerState, user: PageUser) -> Response:
    """Show what appeared, disappeared, moved and changed."""
    with Index(api_indexes.held(state, user, name).path) as index:
        body = changing.body(index.changes(), lambda uri: address(state, name, uri))
    return show(request, "over_time.html.j2", {"name": name, "uri": "", "body": Markup(body)}, user=user)


@router.get("/indexes/{name}/timeline")
def timeline_page(name: str, request: Request, state: ServerState, user: PageUser, uri: str = "") -> Response:
    """Show where a document was and is, and how it changed; without an address, request one."""
    values: dict[str, Any] = {"name": name, "uri": uri, "body": ""}
    uri = _exact(request) or uri
    with Index(api_indexes.held(state, user, name).path) as index:
        if uri:
            try:
                found, versions = index.locate(uri), index.history(uri)
                diffs = index.history(uri, diff=True) if versions.kept else versions
                values["body"] = Markup(
                    timeline.body(found, diffs, index.sweeps(), lambda other: address(state, name, other))
                )
            except InputError as error:
                values["body"] = visible(error.message)
        else:
            values["body"] = Markup(timeline.listed(index.sweeps()))
    return show(request, "over_time.html.j2", values, user=user)


def _exact(request: Request) -> str:
    """Give the address that was wanted, with those of its bytes that are no UTF-8."""
    query: str = request.scope["query_string"].decode("latin-1")
    return parse_qs(query, errors="surrogateescape").get("uri", [""])[-1]


def address(state: State, name: str, uri: str) -> str:
    """Give the address of the timeline of a document."""
    return (
        f"{root_of(state)}/indexes/{quote(name)}/timeline?uri={quote(uri, safe='', errors='surrogateescape')}"
    )
