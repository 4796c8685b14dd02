"""The pages of a check: start it, watch it, read its report, mark its pairs, keep, share and delete it."""

from __future__ import annotations

import asyncio
import json
import shutil
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query, Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from copysift._version import __version__
from copysift.errors import UsageError
from copysift.report import page
from copysift.serve import api, checks, forms, requests, uploads
from copysift.serve.cleared_passages import BEFORE, Before
from copysift.serve.courses import Place
from copysift.serve.events import event
from copysift.serve.incoming import uploaded
from copysift.serve.job import Job
from copysift.serve.models import MarkModel, job_out
from copysift.serve.pseudonyms import KEY
from copysift.serve.state import PageUser, ServerState, State
from copysift.serve.users import ASSISTANT
from copysift.serve.views import environment, root_of, show

router = APIRouter()
FORM_TOKEN = "x-form-token"
LISTED = 50


async def form_of(request: Request, state: State, user: str) -> dict[str, str]:
    """Read a small form that must come from a page of ours."""
    if request.headers.get("content-type", "").startswith("multipart/"):
        raise HTTPException(415, "this form takes no files")
    fields = {key: str(value) for key, value in (await request.form()).items()}
    check_form(request, state, user, fields.get("form_token", ""))
    return fields


def check_form(request: Request, state: State, user: str, token: str = "") -> None:
    """Refuse what did not come from a page that this server made for the user."""
    if not state.access.form_is_genuine(user, token or request.headers.get(FORM_TOKEN, "")):
        raise HTTPException(403, "the form is too old, or not ours: load the page again")


def prepare() -> None:
    """Load what the first page would wait for: it would come while others wait for theirs."""
    for name in environment().list_templates():
        environment().get_template(name)
    for command in ("scan", "index"):
        forms.form_for(command)


@router.get("/")
def start(
    request: Request, state: ServerState, user: PageUser, page: Annotated[int, Query(ge=1, le=10**6)] = 1
) -> Response:
    """Show the form that starts a check, and the checks, the newest first."""
    count = state.jobs.count(user, "scan")
    values = {
        "jobs": state.jobs.listed(user, LISTED, (page - 1) * LISTED, kind="scan"),
        "page": page,
        "pages": max(1, -(-count // LISTED)),
        "form": forms.form_for("scan"),
        "courses": state.courses.of(user),
        "chosen": {name: request.query_params.get(name, "")[:80] for name in api.PLACE},
        "indexes": [each.name for each in state.indexes.listed(user) if each.made],
        "limits": state.config.limits,
        "import_from": state.config.import_from,
    }
    return show(request, "start.html.j2", values, user=user)


@router.post("/checks")
async def create(request: Request, state: ServerState, user: PageUser) -> Response:
    """Accept a check: a form with files."""
    if request.headers.get(FORM_TOKEN):
        check_form(request, state, user)  # before the upload, where a script sends it
    with await asyncio.to_thread(state.jobs.incoming, user) as upload:
        fields = await uploads.form(request, upload, state.config.limits)
        check_form(request, state, user, fields.pop("form_token", ""))
        title, earlier = fields.pop("title", ""), fields.pop("earlier_index", "")
        await checks.bring(state, upload, fields.pop("url", ""))
        words = [fields.pop(name, "") for name in api.PLACE]
        place = await asyncio.to_thread(state.courses.place, user, *words)
        asked = requests.checked(forms.settings_of_form(fields, "scan"))
        job = await checks.accept(state, user, upload, checks.Check(asked, title, earlier, place), "web")
    return _moved(request, state, job)


def _moved(request: Request, state: State, job: Job) -> Response:
    place = f"{root_of(state)}/checks/{job.id}"
    if "application/json" in request.headers.get("accept", ""):
        return JSONResponse({"location": place}, 201)
    return RedirectResponse(place, 303)


@router.get("/checks/{id_}")
def check(id_: str, request: Request, state: ServerState, user: PageUser) -> Response:
    """Show a check: how far it is, or what came of it."""
    job = api.own(state, user, id_)
    if job.kind != "scan":
        raise HTTPException(404, "check not found")
    values = {
        "job": job,
        "shown": job_out(state.jobs, job),
        "marks": state.marks.of(job),
        "address": state.result_address(job),
        "course": None if job.course is None else state.courses.get(job.course, user),
        "may_change": job.owner == user or state.users.role(user) != ASSISTANT,
        "private": state.needs_login(job),
    }
    return show(request, "check.html.j2", values, user=user)


@router.get("/checks/{id_}/status")
def status(id_: str, state: ServerState, user: PageUser) -> Response:
    """Let the page's script know how far a check is."""
    return JSONResponse(job_out(state.jobs, api.own(state, user, id_)).model_dump(mode="json"))


@cache
def served(root: str) -> page.ServedPage:
    """Give what the report needs when a server gives it."""
    script = (files("copysift.serve") / "static" / "marks.js").read_text(encoding="utf-8")
    return page.ServedPage(f"{root}/static/{__version__}/bokeh.js", (script,))


def report_page(state: State, job: Job) -> Response:
    """Make the report of a job."""
    path = api.result_file(state, job, "page.json")
    held = page.Contents(*json.loads(path.read_text(encoding="utf-8")))
    how = served(root_of(state))
    policy = f"{page.policy(how)}; frame-ancestors 'none'"
    return HTMLResponse(page.rendered(held, how), headers={"content-security-policy": policy})


@router.get("/checks/{id_}/report")
def report(id_: str, state: ServerState, user: PageUser) -> Response:
    """Show the report; its owner can mark pairs in it."""
    return report_page(state, api.own(state, user, id_))


@router.get("/checks/{id_}/marks")
def marks(id_: str, state: ServerState, user: PageUser) -> Response:
    """Give the report's script the marks, and what it needs to change them."""
    job = api.own(state, user, id_)
    listed = api.marks_out(state, job).model_dump(mode="json")["marks"]
    return JSONResponse({"editable": True, "form_token": state.access.form_token(user), "marks": listed})


@router.get("/checks/{id_}/marks.csv")
def marks_table(id_: str, state: ServerState, user: PageUser) -> Response:
    """Give the marks as CSV."""
    return api.marks_csv(state, api.own(state, user, id_))


@router.get("/checks/{id_}/marks.json")
def marks_list(id_: str, state: ServerState, user: PageUser) -> Response:
    """Give the marks as JSON."""
    found = api.marks_out(state, api.own(state, user, id_)).model_dump(mode="json")
    return JSONResponse(found, headers={"content-disposition": 'attachment; filename="marks.json"'})


@router.post("/checks/{id_}/marks")
def mark(id_: str, given: MarkModel, request: Request, state: ServerState, user: PageUser) -> Response:
    """Mark a pair."""
    check_form(request, state, user)
    job = api.own(state, user, id_)
    api.put_mark_of(state, user, job, given)
    return JSONResponse({})


@router.post("/checks/{id_}/base")
async def base(id_: str, request: Request, state: ServerState, user: PageUser) -> Response:
    """Turn a passage into base code and check the same files again."""
    check_form(request, state, user)
    job = api.own(state, user, id_)
    given = await uploads.json_body(request, state.config.limits)
    text, name = given.get("text"), given.get("name")
    if not isinstance(text, str) or not isinstance(name, str) or not text.strip():
        raise UsageError("a passage needs a text and a name")
    return _moved(request, state, await _again(state, user, job, (name, text)))


async def _again(state: State, user: str, job: Job, passage: tuple[str, str] | None = None) -> Job:
    """Check the same files again, with the same marks and pseudonyms."""
    with await asyncio.to_thread(state.jobs.incoming, user) as upload:
        for file, path in uploaded(state.jobs.inputs(job.id)):
            upload.adopt(path, file)
        if passage is not None:
            name, text = passage
            upload.add(name, text.encode("utf-8", "surrogatepass"), "base")
        key = state.jobs.output(job) / KEY
        if key.exists():
            shutil.copyfile(key, upload.folder / KEY)
        await asyncio.to_thread(_keep_before, state, job, upload.folder, passage is not None)
        earlier = job.request.get("earlier_index", {}).get("name", "")
        course = None if job.course is None else await asyncio.to_thread(state.courses.get, job.course, user)
        place = Place(course, job.term, job.exercise)
        check = checks.Check(dict(job.request["settings"]), job.title, earlier, place)
        again = await checks.accept(state, user, upload, check, "web")
    await asyncio.to_thread(state.marks.copy, job, again)
    return again


def _keep_before(state: State, job: Job, folder: Path, cleared: bool) -> None:
    """Let a check with passages that are base code know what the first one without them found."""
    known = state.jobs.inputs(job.id) / BEFORE
    if known.exists():
        shutil.copyfile(known, folder / BEFORE)
    elif cleared:
        result = json.loads(api.result_file(state, job, "result.json").read_text(encoding="utf-8"))
        (folder / BEFORE).write_text(Before.of(result).written(), encoding="utf-8")


@router.get("/checks/{id_}/pseudonyms")
def pseudonyms(id_: str, state: ServerState, user: PageUser) -> Response:
    """Give the names behind the pseudonyms of an anonymised check, as CSV."""
    return api.pseudonyms(state, api.own(state, user, id_), user)


@router.post("/checks/{id_}/{action}")
async def act(id_: str, action: str, request: Request, state: ServerState, user: PageUser) -> Response:
    """Keep, share, cancel, delete or repeat a check."""
    await form_of(request, state, user)
    jobs = state.jobs
    if action == "again":
        return _moved(request, state, await _again(state, user, api.own(state, user, id_)))
    job = api.to_change(state, user, id_)
    actions: dict[str, Any] = {
        "keep": lambda: jobs.keep(job, True),
        "unkeep": lambda: jobs.keep(job, False),
        "share": lambda: jobs.share(job, True),
        "unshare": lambda: jobs.share(job, False),
        "cancel": lambda: jobs.cancel(job),
        "delete": lambda: jobs.delete(job),
    }
    if action not in actions:
        raise HTTPException(404)
    await asyncio.to_thread(actions[action])
    event(f"job {action}", job=job.id, user=user)
    place = f"{root_of(state)}/" if action == "delete" else f"{root_of(state)}/checks/{job.id}"
    return RedirectResponse(place, 303)
