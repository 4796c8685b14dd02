"""Results that anyone with the link may read: our report, and MOSS's pages for those who parse them."""

from __future__ import annotations

import re

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse, RedirectResponse, Response

from copysift.serve.jobs import DONE, Job
from copysift.serve.pages import report_page
from copysift.serve.state import ServerState, State
from copysift.serve.views import root_of, show

router = APIRouter()
_MATCH = re.compile(r"match[0-9]{1,6}(-top|-0|-1)?\.html")
# Old pages: colours as attributes, frames of the same place, nothing that runs.
_MOSS_POLICY = (
    "default-src 'none'; frame-src 'self'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'self'"
)


def _found(state: State, share: str) -> Job:
    try:
        return state.jobs.shared(share)
    except (KeyError, UnicodeEncodeError):
        raise HTTPException(404, "there is no such result, or it is no longer there") from None


@router.get("/results/{share}")
@router.get("/results/{share}/")
def result(share: str, request: Request, state: ServerState) -> Response:
    """Give a result: MOSS's index to those who came by MOSS, else our report."""
    job = _found(state, share)
    if job.state != DONE:
        status = 200 if not job.over else 410
        return show(request, "waiting.html.j2", {"job": job}, user=None, status=status)
    if not job.request.get("moss"):
        return RedirectResponse(f"{root_of(state)}/results/{share}/report", 303)
    index = (state.jobs.output(job) / "moss" / "index.html").read_text(encoding="utf-8")
    address = state.result_address(job)
    index = index.replace('HREF="match', f'HREF="{address}/match')
    index = index.replace(
        "<HR>", f'<A HREF="{address}/report">The same in the report of copysift</A>\n<HR>', 1
    )
    return HTMLResponse(index, headers={"content-security-policy": _MOSS_POLICY})


@router.get("/results/{share}/report")
def report(share: str, state: ServerState) -> Response:
    """Give our report, to be read only."""
    return report_page(state, _found(state, share))


@router.get("/results/{share}/marks")
def marks(share: str, state: ServerState) -> Response:
    """Give no marks: what their owner thinks of pairs is not shared."""
    _found(state, share)
    return JSONResponse({"editable": False, "marks": []})


@router.get("/results/{share}/{name}")
def match(share: str, name: str, state: ServerState) -> Response:
    """Give one of MOSS's pages of a pair."""
    job = _found(state, share)
    path = state.jobs.output(job) / "moss" / name
    if job.state != DONE or not _MATCH.fullmatch(name) or not path.is_file():
        raise HTTPException(404)
    headers = {"content-security-policy": _MOSS_POLICY}
    return FileResponse(path, media_type="text/html; charset=utf-8", headers=headers)
