"""Pages: find where a text appears, and maintain indexes."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import RedirectResponse, Response

from copysift.errors import CopysiftError, UsageError
from copysift.model.document import Document
from copysift.serve import api_indexes, forms, uploads
from copysift.serve.events import event
from copysift.serve.incoming import uploaded
from copysift.serve.indexes import passages
from copysift.serve.pages import check_form, form_of
from copysift.serve.state import PageUser, ServerState, State
from copysift.serve.views import root_of, show
from copysift.settings.declaration import make
from copysift.settings.index import Query
from copysift.sources.inputs import documents_in

router = APIRouter()
HITS = 20  # of an index that a page shows
PASSAGES = 3  # of a hit
LISTED = 500


@router.get("/ask")
def ask_page(request: Request, state: ServerState, user: PageUser) -> Response:
    """Show the form."""
    values = {
        "indexes": state.indexes.listed(user),
        "answers": None,
        "text": "",
        "chosen": "",
        "threshold": "",
    }
    return show(request, "ask.html.j2", values, user=user)


@router.post("/ask")
async def ask(request: Request, state: ServerState, user: PageUser) -> Response:
    """Answer: in each index, the documents that share most, with passages side by side."""
    with await asyncio.to_thread(state.jobs.question) as upload:
        limits = state.config.limits
        fields = await uploads.form(request, upload, limits, limits.text_bytes, ("file",))
        check_form(request, state, user, fields.pop("form_token", ""))
        _check_fields(fields, ("text", "index", "threshold"))
        name, content = "your text", fields.get("text", "").encode()
        if upload.files:
            upload.seal()
            (file, path), *_ = uploaded(upload.folder)
            name = file.name
            content = await asyncio.to_thread(_text, name, path.read_bytes(), limits.read_seconds)
            upload.discard()
    if not content.strip():
        raise UsageError("nothing to look up", hint="paste a text or choose a file")
    wanted = fields.get("index", "")
    chosen = [each for each in state.indexes.listed(user) if each.made and wanted in ("", each.name)]
    query = make(Query, {"threshold": fields.get("threshold") or "25%", "limit": HITS, "min_shared": 1})
    answers = [await asyncio.to_thread(_answered, state, each, name, content, query) for each in chosen]
    values = {
        "indexes": state.indexes.listed(user),
        "answers": answers,
        "text": fields.get("text", ""),
        "chosen": wanted,
        "threshold": fields.get("threshold", ""),
    }
    return show(request, "ask.html.j2", values, user=user)


def _text(name: str, data: bytes, seconds: float) -> bytes:
    """Give the text of an uploaded file, whatever its format; of a container that of the first file in it."""
    found = next(documents_in(name, data, seconds), None)
    if isinstance(found, Document):
        return b"".join(found.content.chunks())
    raise UsageError(f"{name} {found.reason if found else 'is empty'}")


def _check_fields(fields: Iterable[str], known: tuple[str, ...]) -> None:
    for name in fields:
        if name not in known:
            raise UsageError(f"there is no field {name!r}", hint="load the page again")


def _answered(state: State, held: Any, name: str, content: bytes, query: Query) -> dict[str, Any]:
    try:
        index = state.indexes.opened(held)
        question = index.question(content, name=name)
        found, _ = index.ask(question, query, passages=True)
        hits = [{"hit": hit, "passages": passages(index, question.source, hit, PASSAGES)} for hit in found]
        problem = "part of this index is damaged, and was not searched" if index.damages else ""
        return {
            "index": held.name, "hits": hits, "short": bool(index.too_short([question])), "problem": problem
        }  # fmt: skip
    except CopysiftError as error:
        return {"index": held.name, "hits": [], "short": False, "problem": error.message}


@router.get("/indexes")
def list_page(request: Request, state: ServerState, user: PageUser) -> Response:
    """Show the indexes, and the form that makes one."""
    shown = [api_indexes.index_out(state, each) for each in state.indexes.listed(user)]
    values = {"indexes": shown, "form": forms.form_for("index")}
    return show(request, "indexes.html.j2", values, user=user)


@router.post("/indexes")
async def add(request: Request, state: ServerState, user: PageUser) -> Response:
    """Add files to an index, made if it is not there."""
    with await asyncio.to_thread(state.jobs.incoming, user) as upload:
        limits = state.config.limits
        fields = await uploads.form(request, upload, limits, limits.text_bytes, ("file",))
        check_form(request, state, user, fields.pop("form_token", ""))
        name, text = fields.pop("name", "").strip(), fields.pop("text", "")
        document = fields.pop("document", "").strip() or "text"
        if text.strip():
            upload.add(document, text.encode())
        settings = forms.settings_of_form(fields, "index")
        await api_indexes.accept(state, user, name, upload, "web", settings)
    return RedirectResponse(f"{root_of(state)}/indexes/{name}", 303)


@router.get("/indexes/{name}")
def index_page(name: str, request: Request, state: ServerState, user: PageUser) -> Response:
    """Show what an index holds, and what is being added to it."""
    found = api_indexes.held(state, user, name)
    jobs = [job for job in state.jobs.listed(user, 100, kind="index") if job.target == found.folder]
    values = {
        "index": api_indexes.index_out(state, found),
        "documents": api_indexes.documents(state, found, LISTED, 0),
        "adding": [job for job in jobs if not job.over],
        "failed": [job for job in jobs[:3] if job.state == "failed"],
        "added": next((job for job in jobs if job.state == "done"), None),
        "swept": found.made and state.indexes.opened(found).swept,
    }
    return show(request, "index.html.j2", values, user=user)


@router.post("/indexes/{name}/{action}")
async def act(name: str, action: str, request: Request, state: ServerState, user: PageUser) -> Response:
    """Remove a document, or a whole index."""
    fields = await form_of(request, state, user)
    found = api_indexes.held(state, user, name, own=True)
    if action == "delete":
        await asyncio.to_thread(state.indexes.drop, user, found)
        event("index deleted", index=name, user=user)
        return RedirectResponse(f"{root_of(state)}/indexes", 303)
    if action != "remove":
        raise HTTPException(404)
    await asyncio.to_thread(state.indexes.remove, found, fields.get("document", ""))
    event("document removed", index=name, user=user)
    return RedirectResponse(f"{root_of(state)}/indexes/{name}", 303)
