"""Results that anyone with the link may read: our report, and MOSS's pages for those who parse them."""

from __future__ import annotations

import re
from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse, RedirectResponse, Response

from copysift.serve.job import DONE, Job
from copysift.serve.pages import report_page
from copysift.serve.state import LoginNeededError, ServerState
from copysift.serve.views import root_of, show

router = APIRouter()
_MATCH = re.compile(r"match[0-9]{1,6}(-top|-0|-1)?\.html")
# Old pages: colours as attributes, frames of the same place, nothing that runs.
_MOSS_POLICY = (
    "default-src 'none'; frame-src 'self'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'self'"
)


def _found(request: Request, state: ServerState, share: str) -> Job:
    """Give the job of a link; raise LoginNeededError where that is not enough to read it."""
    try:
        job = state.jobs.shared(share)
    except (KeyError, UnicodeEncodeError):
        raise HTTPException(404, "result not found, or no longer available") from None
    if state.needs_login(job) and state.access.user(request.headers, request.cookies) is None:
        raise LoginNeededError(request.url.path)
    return job


Shared = Annotated[Job, Depends(_found)]


@router.get("/results/{share}")
@router.get("/results/{share}/")
def result(job: Shared, request: Request, state: ServerState) -> Response:
    """Give a result: MOSS's index to those who came by MOSS, else our report."""
    if job.state != DONE:
        status = 200 if not job.over else 410
        return show(request, "waiting.html.j2", {"job": job}, user=None, status=status)
    if not job.request.get("moss"):
        return RedirectResponse(f"{root_of(state)}/results/{job.share}/report", 303)
    index = (state.jobs.output(job) / "moss" / "index.html").read_text(encoding="utf-8")
    # Links are absolute as MOSS's own, which some readers need, but below a slash relative ones work, and
    # other readers look for those; where --moss-url names the address to expect, that is the one to print.
    if not request.url.path.endswith("/") or state.config.moss_url:
        index = index.replace('HREF="match', f'HREF="{state.result_address(job)}/match')
    # Without a host: readers that download all pages below the address leave it alone.
    report = f'<A HREF="{root_of(state)}/results/{job.share}/report" TARGET="_top"> The copysift report</A>'
    index = index.replace("<HR>\n[ ", f"<HR>\n[ {report} | ", 1)
    return HTMLResponse(index, headers={"content-security-policy": _MOSS_POLICY})


@router.get("/results/{share}/report")
def report(job: Shared, state: ServerState) -> Response:
    """Give our report, to be read only."""
    return report_page(state, job)


@router.get("/results/{share}/marks")
def marks(job: Shared) -> Response:
    """Give no marks: what their owner thinks of pairs is not shared."""
    return JSONResponse({"editable": False, "marks": []})


@router.get("/results/{share}/{name}")
def match(name: str, job: Shared, state: ServerState) -> Response:
    """Give one of MOSS's pages of a pair."""
    path = state.jobs.output(job) / "moss" / name
    if job.state != DONE or not _MATCH.fullmatch(name) or not path.is_file():
        raise HTTPException(404)
    headers = {"content-security-policy": _MOSS_POLICY}
    return FileResponse(path, media_type="text/html; charset=utf-8", headers=headers)
