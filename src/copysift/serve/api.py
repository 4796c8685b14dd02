"""REST: jobs, compare, fingerprints, health, metrics."""

from __future__ import annotations

import asyncio
import json
import time
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query, Request
from fastapi.responses import FileResponse, PlainTextResponse, Response

from copysift._version import __version__
from copysift.errors import UsageError
from copysift.report.json_report import record
from copysift.serve import requests, uploads
from copysift.serve.checks import Check, accept, bring
from copysift.serve.events import event
from copysift.serve.incoming import ROLES
from copysift.serve.job import DONE, Job
from copysift.serve.marks import Mark, csv_table
from copysift.serve.models import (
    CompareIn,
    ErrorOut,
    FingerprintsIn,
    FingerprintsOut,
    HealthOut,
    JobOut,
    JobsOut,
    MarkModel,
    MarksOut,
    TextIn,
    WrittenMark,
    job_out,
)
from copysift.serve.pseudonyms import KEY
from copysift.serve.staging import suffix_of
from copysift.serve.state import ApiUser, ServerState, State
from copysift.serve.users import ASSISTANT
from copysift.settings.comparison import Settings
from copysift.settings.declaration import make
from copysift.sources.replacement import mended
from copysift.workflows.compare import compare_files
from copysift.workflows.reading import Reader

ERRORS: dict[int | str, dict[str, Any]] = {
    code: {"model": ErrorOut, "description": words}
    for code, words in {
        400: "the request is wrong", 401: "a token is needed", 403: "refused", 404: "not found",
        405: "not possible here", 408: "too slow", 409: "not now", 413: "too large", 415: "wrong type",
        422: "the request is wrong", 429: "too many: see Retry-After", 503: "not available",
    }.items()
}  # fmt: skip
Limit = Annotated[int, Query(ge=1, le=1000, description="Size of a page.")]
Offset = Annotated[int, Query(ge=0, le=10**9, description="Where the page starts: next of the last one.")]
PLACE = ("course", "term", "exercise")
FIELDS = ("title", "settings", "earlier_index", "url", *PLACE)
_CSV: dict[int | str, dict[str, Any]] = {200: {"content": {"text/csv": {}}}}
router = APIRouter(prefix="/api/v1", responses=ERRORS)

_DOCUMENT = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "text": {"type": "string"},
        "role": {"type": "string", "enum": list(ROLES), "default": "file"},
    },
    "required": ["text"],
}
_EARLIER = {"type": "string", "description": "Name of an index with the documents of earlier years."}
_PLACE = {
    "course": {"type": "string", "description": "Name of a course: its team shares the check."},
    "term": {"type": "string", "description": "Term, such as 2026-1; earlier ones are compared too."},
    "exercise": {"type": "string", "description": "Exercise, such as Homework 3."},
}
_URL = {"type": "string", "description": "Address of a file or archive on a server of --import-from."}
_FILES = {"type": "array", "items": {"type": "string", "format": "binary"}}


def upload_schema(command: str) -> dict[str, Any]:
    """Describe an upload for OpenAPI: as JSON, or as a form with files."""
    return {
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {
                    "schema": {
                        "type": "object",
                        "required": ["documents"],
                        "properties": {
                            "title": {"type": "string"},
                            "settings": requests.schema(command),
                            "documents": {"type": "array", "items": _DOCUMENT},
                            "earlier_index": _EARLIER,
                            "url": _URL,
                            **_PLACE,
                        },
                        "additionalProperties": False,
                    },
                    "example": {
                        "title": "Homework 3",
                        "settings": {"threshold": 0.2},
                        "documents": [
                            {"name": "alice.py", "text": "def area(r):\n    return 3.14159 * r * r\n"},
                            {"name": "bob.py", "text": "def surface(x):\n    return 3.14159 * x * x\n"},
                        ],
                    },
                },
                "multipart/form-data": {
                    "schema": {
                        "type": "object",
                        "properties": {
                            "files": {
                                **_FILES,
                                "description": "Files or archives; names may have folders.",
                            },
                            "base": {**_FILES, "description": "Starter code to ignore."},
                            "earlier": {**_FILES, "description": "Submissions of earlier years."},
                            "metadata": {"type": "string", "format": "binary", "description": "Class list."},
                            "earlier_index": _EARLIER,
                            "url": _URL,
                            **_PLACE,
                            "title": {"type": "string"},
                            "settings": {"type": "string", "description": "The settings as JSON."},
                        },
                        "required": ["files"],
                    }
                },
            },
        }
    }


@router.post("/jobs", status_code=202, tags=["jobs"], openapi_extra=upload_schema("scan"))
async def create_job(request: Request, state: ServerState, user: ApiUser) -> JobOut:
    """Compare files with each other: every file with every file, or every folder with every folder."""
    job = await create(request, state, user, "api")
    return await asyncio.to_thread(job_out, state.jobs, job)


async def create(request: Request, state: State, user: str, origin: str) -> Job:
    """Accept an upload as a job."""
    jobs = state.jobs
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in ("application/json", "multipart/form-data"):
        raise HTTPException(415, "send multipart/form-data or application/json")
    with await asyncio.to_thread(jobs.incoming, user) as upload:
        if kind == "application/json":
            given: dict[str, Any] = await uploads.documents(request, upload, jobs.limits)
        else:
            given = await uploads.form(request, upload, jobs.limits)
            given["settings"] = decoded(given.get("settings", ""))
        for name in given:
            if name not in FIELDS:
                raise UsageError(f"there is no field {name!r}", hint=f"fields: {', '.join(FIELDS)}")
        settings, title = given.get("settings") or {}, given.get("title") or ""
        earlier = given.get("earlier_index") or ""
        if not isinstance(settings, dict) or not isinstance(title, str) or not isinstance(earlier, str):
            raise UsageError("settings must be an object, title and earlier_index strings")
        asked = requests.checked(settings)
        words = [given.get(name) or "" for name in PLACE]
        if not all(isinstance(each, str) for each in words):
            raise UsageError(f"{', '.join(PLACE)} must be strings")
        place = await asyncio.to_thread(state.courses.place, user, *words)
        url = given.get("url") or ""
        if not isinstance(url, str):
            raise UsageError("url must be a string")
        await bring(state, upload, url)
        return await accept(state, user, upload, Check(asked, title, earlier, place), origin)


def decoded(settings: str) -> Any:
    """Decode the field `settings` of a form."""
    try:
        return mended(json.loads(settings)) if settings.strip() else {}
    except (ValueError, RecursionError):
        raise UsageError("settings is not JSON") from None


@router.get("/jobs", tags=["jobs"])
def list_jobs(state: ServerState, user: ApiUser, limit: Limit = 100, offset: Offset = 0) -> JobsOut:
    """List your jobs, the newest first; `next` is the offset of the next page, null on the last one."""
    found = state.jobs.listed(user, limit + 1, offset)
    shown = [job_out(state.jobs, job) for job in found[:limit]]
    return JobsOut(jobs=shown, next=offset + limit if len(found) > limit else None)


@router.get("/jobs/{id}", tags=["jobs"])
def get_job(id: str, state: ServerState, user: ApiUser) -> JobOut:  # noqa: A002  the name in the address
    """Show how far a job is."""
    return job_out(state.jobs, own(state, user, id))


@router.get("/jobs/{id}/result", tags=["jobs"], response_model=dict[str, Any])
def get_result(id: str, state: ServerState, user: ApiUser) -> Response:  # noqa: A002
    """Give the result: the JSON of `copysift scan --format json`."""
    job = own(state, user, id)
    return FileResponse(result_file(state, job, "result.json"), media_type="application/json")


@router.get("/jobs/{id}/pseudonyms", tags=["jobs"], response_model=None, responses=_CSV)
def get_pseudonyms(id: str, state: ServerState, user: ApiUser) -> Response:  # noqa: A002
    """Give the names behind the pseudonyms of an anonymised job, as CSV."""
    return pseudonyms(state, own(state, user, id), user)


def pseudonyms(state: State, job: Job, user: str) -> Response:
    """Give the key to the pseudonyms of a job; 404 when it has none."""
    path = result_file(state, job, KEY)
    if not path.exists():
        raise HTTPException(404, "this job is not anonymised")
    event("pseudonyms read", job=job.id, user=user)
    return FileResponse(path, media_type="text/csv; charset=utf-8", filename=KEY)


@router.post("/jobs/{id}/cancel", tags=["jobs"])
def cancel_job(id: str, state: ServerState, user: ApiUser) -> JobOut:  # noqa: A002
    """Cancel a job; one that has ended stays as it is."""
    job = to_change(state, user, id)
    state.jobs.cancel(job)
    return job_out(state.jobs, own(state, user, id))


@router.delete("/jobs/{id}", status_code=204, tags=["jobs"])
def delete_job(id: str, state: ServerState, user: ApiUser) -> Response:  # noqa: A002
    """Delete a job, its files and its result."""
    job = to_change(state, user, id)
    state.jobs.delete(job)
    event("job deleted", job=job.id, user=user)
    return Response(status_code=204)


@router.get("/jobs/{id}/marks", tags=["jobs"])
def get_marks(id: str, state: ServerState, user: ApiUser) -> MarksOut:  # noqa: A002
    """List the marks of a job."""
    return marks_out(state, own(state, user, id))


@router.get("/jobs/{id}/marks.csv", tags=["jobs"], response_model=None, responses=_CSV)
def get_marks_csv(id: str, state: ServerState, user: ApiUser) -> Response:  # noqa: A002
    """List the marks of a job as CSV."""
    return marks_csv(state, own(state, user, id))


@router.put("/jobs/{id}/marks", tags=["jobs"])
def put_mark(id: str, mark: MarkModel, state: ServerState, user: ApiUser) -> MarksOut:  # noqa: A002
    """Note what you think of a pair: cleared, suspicious or confirmed; no verdict and no note removes it."""
    job = own(state, user, id)
    put_mark_of(state, user, job, mark)
    return marks_out(state, job)


@router.post("/compare", tags=["texts"])
def compare(given: CompareIn, state: ServerState, user: ApiUser) -> dict[str, Any]:
    """Compare two texts: the measures of the pair and its passages."""
    settings = _settings(given.settings, state)
    with TemporaryDirectory(dir=state.config.data / "incoming") as folder:
        sides = [
            _laid(Path(folder), side, each) for side, each in (("left", given.left), ("right", given.right))
        ]
        result, _ = compare_files(sides[0], sides[1], settings)
        names = dict(zip(sides, (given.left.name, given.right.name), strict=True))
        found = record(result.pairs[0])
    text = json.dumps(found)
    for path, name in names.items():
        text = text.replace(json.dumps(path), json.dumps(name))
    compared: dict[str, Any] = json.loads(text)
    return compared


@router.post("/fingerprints", tags=["texts"])
def fingerprints(given: FingerprintsIn, state: ServerState, user: ApiUser) -> FingerprintsOut:
    """Give the fingerprints of a text."""
    reader = Reader(_settings(given.settings, state))
    data = given.text.encode("utf-8", "surrogatepass")
    kind = reader.kind_of(data)
    found = reader.fingerprints_of(data, kind)
    return FingerprintsOut(
        kind=kind,
        grams=found.grams,
        hashes=[f"{value:016x}" for value in found.hashes.tolist()],
        starts=found.starts.tolist(),
        ends=found.ends.tolist(),
    )


@router.get("/health", tags=["server"])
def health(state: ServerState) -> HealthOut:
    """Say that the server works; needs no token."""
    counts = state.jobs.counts()
    workers = len(list(state.workers.processes()))
    well = workers or not state.config.workers  # without any of its own, those of other machines work
    return HealthOut(
        status="ok" if well else "degraded", version=__version__, workers=workers, queued=counts["queued"],
        running=counts["running"], uptime=round(time.time() - state.started, 1),
    )  # fmt: skip


_PLAIN: dict[int | str, dict[str, Any]] = {200: {"content": {"text/plain": {}}}}


@router.get("/metrics", tags=["server"], response_model=None, responses=_PLAIN)
def metrics(request: Request, state: ServerState) -> Response:
    """Give counters in Prometheus' text form: to users, to the metrics token, and to this machine."""
    peer = request.client.host if request.client else ""
    if not state.access.may_measure(request.headers, peer):
        raise HTTPException(401, "a token is needed", {"WWW-Authenticate": "Bearer"})
    return PlainTextResponse(state.metrics.text(state.jobs.counts()))


def own(state: State, user: str, id_: str) -> Job:
    """Give a job of a user or their team; 404 when there is none, or when it is another's."""
    try:
        return state.jobs.get(id_, user)
    except (KeyError, UnicodeEncodeError):
        raise HTTPException(404, "job not found") from None


def to_change(state: State, user: str, id_: str) -> Job:
    """Give a job that a user may delete, share or cancel: of their own, or as a teacher of their team."""
    job = own(state, user, id_)
    if job.owner != user and state.users.role(user) == ASSISTANT:
        raise HTTPException(403, "only its owner and the teachers of the team can do that")
    return job


def result_file(state: State, job: Job, name: str) -> Path:
    """Give a file of the result of a job; 409 when there is none yet."""
    if job.kind != "scan":
        raise HTTPException(404, "this job has no result of its own")
    if job.state != DONE:
        raise HTTPException(409, f"the job is {job.state}" + (f": {job.error}" if job.error else ""))
    return state.jobs.output(job) / name


def put_mark_of(state: State, user: str, job: Job, mark: MarkModel) -> None:
    """Write a mark of a user down."""
    left, right, verdict, note = map(clean, (mark.left, mark.right, mark.verdict, mark.note))
    state.marks.put(job, Mark(left, right, verdict, note, user))
    event("pair marked", job=job.id, user=user, verdict=verdict or "none")  # without names of people


def marks_out(state: State, job: Job) -> MarksOut:
    """Give the marks of a job as the interface shows them."""
    found = state.marks.of(job)
    return MarksOut(
        marks=[
            WrittenMark(
                left=m.left, right=m.right, verdict=m.verdict, note=m.note, author=m.author,  # type: ignore[arg-type]
                changed=datetime.fromtimestamp(m.changed, UTC) if m.changed else None,
            )
            for m in found
        ]
    )  # fmt: skip


def marks_csv(state: State, job: Job) -> Response:
    """Give the marks of a job as a table."""
    found = csv_table(state.marks.of(job))
    headers = {"content-disposition": 'attachment; filename="marks.csv"'}
    return Response(found.encode("utf-8", "replace"), media_type="text/csv; charset=utf-8", headers=headers)


def clean(text: str) -> str:
    """Give a text that SQLite and JSON can hold."""
    return text.encode("utf-8", "replace").decode()


def _settings(given: dict[str, Any], state: State) -> Settings:
    return make(Settings, {**requests.checked(given, "compare"), "jobs": 1})


def _laid(folder: Path, side: str, text: TextIn) -> str:
    path = folder / f"{side}{suffix_of(text.name)}"
    path.write_bytes(text.text.encode("utf-8", "surrogatepass"))
    return str(path)
