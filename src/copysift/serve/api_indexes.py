"""REST: indexes. Make, add, remove, query."""

from __future__ import annotations

import asyncio
from functools import lru_cache
from itertools import islice
from typing import Annotated, Any

import orjson
from fastapi import APIRouter, HTTPException, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from pydantic import Field, ValidationError

from copysift.errors import UsageError
from copysift.report import hits
from copysift.serve import requests, uploads
from copysift.serve.api import ERRORS, Limit, Offset, decoded, upload_schema
from copysift.serve.incoming import IncomingFolder
from copysift.serve.indexes import Held
from copysift.serve.job import Job
from copysift.serve.limits import LimitError
from copysift.serve.models import JobOut, Strict, job_out, paged
from copysift.serve.quotas import LATER
from copysift.serve.state import ApiUser, ServerState, State, api_user, state_of
from copysift.settings.declaration import make
from copysift.settings.index import Query as Asked

router = APIRouter(prefix="/api/v1/indexes", responses=ERRORS, tags=["indexes"])
NOTHING = {"documents": 0, "fingerprints": 0}
ROLES = ("file",)
ASKED = ("threshold", "measure", "min_shared", "limit", "window", "quick", "kind", "language", "max_shared")
Many = Annotated[int, Query(ge=1, le=10_000, description="Size of a page.")]
_BELOW, _QUERY_END = f"{router.prefix}/", "/query"
SHORT = 20_000  # characters of a query that is answered at once


class IndexOut(Strict):
    """An index and how much it holds; the numbers of an empty one are left out."""

    name: str = Field(examples=["essays"])
    own: bool = Field(description="Whether you may change it.")
    documents: int
    fingerprints: int
    kind: str = Field("", description="How documents are read; empty until something was added.")
    language: str = Field("", description="The language of all programs, if one was chosen.")


class IndexesOut(Strict):
    """The indexes that you may query."""

    indexes: list[IndexOut]
    next: int | None = Field(None, description="Offset of the next page, if there is one.")


class DocumentsOut(Strict):
    """Documents of an index, in the order of adding."""

    documents: list[dict[str, Any]] = Field(examples=[[{"name": "tides.txt", "kind": "text", "bytes": 825}]])
    next: int | None = Field(None, description="Offset of the next page, if there is one.")


class RemovedOut(Strict):
    """How many documents were removed."""

    removed: int


class QueryIn(Strict):
    """A query: where else does this text appear?"""

    text: str = Field(
        max_length=1_000_000, examples=["The keeper of the lighthouse wound the clock at dusk."]
    )
    name: str = Field(
        "query", max_length=1000, description="Its extension decides the language of a program."
    )
    passages: bool = Field(False, description="Whether hits come with the passages that they share.")
    threshold: float | None = Field(
        None, ge=0, description="As of copysift query: a share, .25 if not given."
    )
    measure: str = Field("containment-left", examples=["containment-left"])
    min_shared: int = Field(2, ge=1)
    limit: int = Field(100, ge=1, le=1000)
    window: int | None = Field(None, ge=1, le=8192)
    quick: int | None = Field(None, ge=1)
    kind: str = Field(
        "auto", max_length=100, description="How to read the text: auto, or a kind of the index."
    )
    language: str = Field("", max_length=100, description="Treat the text as a program in this language.")
    max_shared: int | float = Field(1000, description="Ignore what more documents, or a share, have.")


def held(state: State, user: str, name: str, own: bool = False) -> Held:
    """Give an index of a user; 404 when there is none, 403 when it is not the user's to change."""
    try:
        found = state.indexes.get(user, name)
    except (KeyError, UnicodeEncodeError):
        raise HTTPException(404, "index not found") from None
    if own and not found.own:
        raise HTTPException(403, "this index can only be read")
    return found


def index_out(state: State, found: Held) -> IndexOut:
    """Give an index as the interface shows it."""
    numbers: dict[str, Any] = (
        state.indexes.opened(found).info() if found.made else {**NOTHING, "settings": {}}
    )
    about = numbers["settings"]
    return IndexOut(
        name=found.name, own=found.own, documents=numbers["documents"], fingerprints=numbers["fingerprints"],
        kind=about.get("kind", ""), language=about.get("language", ""),
    )  # fmt: skip


@router.get("")
def list_indexes(state: ServerState, user: ApiUser, limit: Limit = 1000, offset: Offset = 0) -> IndexesOut:
    """List the indexes that you may query: your own first."""
    shown, following = paged(state.indexes.listed(user), limit, offset)
    return IndexesOut(indexes=[index_out(state, each) for each in shown], next=following)


@router.get("/{name}")
def info(name: str, state: ServerState, user: ApiUser) -> IndexOut:
    """Show the size and settings of an index."""
    return index_out(state, held(state, user, name))


@router.delete("/{name}", status_code=204)
def drop(name: str, state: ServerState, user: ApiUser) -> Response:
    """Remove an index and all that it holds."""
    state.indexes.drop(user, held(state, user, name, own=True))
    return Response(status_code=204)


@router.get("/{name}/documents")
def list_documents(
    name: str, state: ServerState, user: ApiUser, limit: Many = 1000, offset: Offset = 0
) -> DocumentsOut:
    """List the documents of an index."""
    found = documents(state, held(state, user, name), limit + 1, offset)
    shown, following = paged(found, limit, 0)
    return DocumentsOut(documents=list(shown), next=None if following is None else offset + limit)


def documents(state: State, found: Held, limit: int, offset: int) -> list[dict[str, Any]]:
    """Give some documents of an index."""
    if not found.made:
        return []
    listed = islice(state.indexes.opened(found).documents(), offset, offset + limit)
    return [
        {"name": each.name, "kind": each.kind, "bytes": each.bytes, "fingerprints": each.fingerprints}
        for each in listed
    ]


@router.post("/{name}/documents", status_code=202, openapi_extra=upload_schema("index"))
async def add_documents(name: str, request: Request, state: ServerState, user: ApiUser) -> JobOut:
    """Add documents; the index is made if it is not there. One of a name that it has replaces that one."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in ("application/json", "multipart/form-data"):
        raise HTTPException(415, "send multipart/form-data or application/json")
    with await asyncio.to_thread(state.jobs.incoming, user) as upload:
        if kind == "application/json":
            given: dict[str, Any] = await uploads.documents(request, upload, state.config.limits, ROLES)
        else:
            given = await uploads.form(request, upload, state.config.limits, roles=ROLES)
            given["settings"] = decoded(given.get("settings", ""))
        for field in given:
            if field not in ("settings", "title"):
                raise UsageError(f"there is no field {field!r}", hint="fields: settings, title")
        settings = given.get("settings") or {}
        if not isinstance(settings, dict):
            raise UsageError("settings must be an object")
        job = await accept(state, user, name, upload, "api", settings)
    return await asyncio.to_thread(job_out, state.jobs, job)


async def accept(
    state: State, user: str, name: str, upload: IncomingFolder, origin: str, settings: dict[str, Any]
) -> Job:
    """Accept a job that adds documents to an index; the settings are those of a new one."""
    if not upload.files:
        raise UsageError("nothing to add", hint="send at least one file")
    asked = requests.checked(settings, "index")
    await asyncio.to_thread(upload.check_archives)
    most = state.config.limits.user_bytes
    if await asyncio.to_thread(state.indexes.bytes, user) >= most:
        raise LimitError(
            f"your indexes take {most:,} bytes already", hint="delete some", status=429, retry=LATER
        )
    found = await asyncio.to_thread(state.indexes.make, user, name)
    if not found.own:
        raise HTTPException(403, "this index can only be read")
    job = await asyncio.to_thread(
        state.jobs.accept, upload, user, "index",
        {"folder": found.folder, "name": found.name, "settings": asked}, origin=origin,
        title=f"Add to {found.name}", target=found.folder,
    )  # fmt: skip
    state.accepted(job)
    return job


@router.delete("/{name}/documents")
def remove_document(
    name: str, document: Annotated[str, Query(max_length=5000)], state: ServerState, user: ApiUser
) -> RemovedOut:
    """Remove a document by its name."""
    found = held(state, user, name, own=True)
    removed = state.indexes.remove(found, document) if found.made else 0
    if not removed:
        raise HTTPException(404, "the index has no such document")
    return RemovedOut(removed=removed)


# The body is read by the route itself, so its model and an example are given here.
_QUERY = {
    "schema": QueryIn.model_json_schema(),
    "example": {"text": QueryIn.model_fields["text"].examples[0]},  # type: ignore[index]  # it has one
}


@router.post(
    "/{name}/query",
    response_model=dict[str, Any],
    openapi_extra={
        "requestBody": {
            "required": True, "content": {"application/json": _QUERY}
        },
        "security": [{"HTTPBearer": []}],
    },
)  # fmt: skip
async def query(name: str, request: Request) -> Response:
    """Find where else a text appears: the JSON of `copysift query --format json`."""
    state, user = state_of(request), await api_user(request)
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise HTTPException(415, "send application/json")
    try:
        given = QueryIn.model_validate_json(await request.body())
    except ValidationError as error:
        found = [{**each, "loc": ("body", *each["loc"])} for each in error.errors(include_input=False)]
        raise RequestValidationError(found) from None
    if len(given.text) <= SHORT and not given.passages and not state.config.shared:
        return _answer(name, given, state, user)  # under a millisecond: a thread would cost more than that
    return await asyncio.to_thread(_answer, name, given, state, user)


def asked_index(path: str) -> str:
    """Give the name of the index that a path of `query` is about; of any other path, nothing."""
    name = (
        path[len(_BELOW) : -len(_QUERY_END)] if path.startswith(_BELOW) and path.endswith(_QUERY_END) else ""
    )
    return "" if "/" in name else name


def _answer(name: str, given: QueryIn, state: State, user: str) -> Response:
    found = held(state, user, name)
    try:
        index = state.indexes.opened(found)
    except KeyError:
        raise HTTPException(404, "nothing was added to this index yet") from None
    asked = _asked(
        given.threshold, given.measure, given.min_shared, given.limit, given.window, given.quick, given.kind,
        given.language, given.max_shared,
    )  # fmt: skip
    question = index.question(given.text.encode("utf-8", "surrogatepass"), name=given.name, asked=asked)
    answer = index.answer([question], asked, passages=given.passages)
    return Response(orjson.dumps(hits.content(answer)), media_type="application/json")


@lru_cache(256, typed=True)
def _asked(*values: object) -> Asked:
    """Check the options of a query once for all queries that have the same ones."""
    return make(Asked, dict(zip(ASKED, values, strict=True)))
