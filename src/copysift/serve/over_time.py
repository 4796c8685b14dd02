"""Pages of a swept index: the timeline of a document, and how the collection changed."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response
from markupsafe import Markup

from copysift.engine.indexing import Index
from copysift.errors import InputError
from copysift.report import changing, timeline
from copysift.serve import api_indexes
from copysift.serve.state import PageUser, ServerState
from copysift.serve.views import show

router = APIRouter()


@router.get("/indexes/{name}/changes")
def changes_page(name: str, request: Request, state: ServerState, user: PageUser) -> Response:
    """Show what appeared, died, moved and changed."""
    with Index(api_indexes.held(state, user, name).path) as index:
        body = changing.body(index.changes())
    return show(request, "over_time.html.j2", {"name": name, "uri": "", "body": Markup(body)}, user=user)


@router.get("/indexes/{name}/timeline")
def timeline_page(name: str, request: Request, state: ServerState, user: PageUser, uri: str = "") -> Response:
    """Show where a document was and is, and how it changed; without an address, ask for one."""
    values: dict[str, Any] = {"name": name, "uri": uri, "body": ""}
    with Index(api_indexes.held(state, user, name).path) as index:
        if uri:
            try:
                found, versions = index.locate(uri), index.history(uri)
                diffs = index.history(uri, diff=True) if versions.kept else versions
                values["body"] = Markup(timeline.body(found, diffs, index.sweeps()))
            except InputError as error:
                values["body"] = error.message
        else:
            index.sweeps()  # raises StoreError where there are none
    return show(request, "over_time.html.j2", values, user=user)
