"""Templates and static files of the pages; nothing is ever fetched from elsewhere."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import FileResponse, HTMLResponse, Response
from jinja2 import Environment, PackageLoader, StrictUndefined

from copysift._version import __version__
from copysift.report.units import Totals
from copysift.report.wording import percent, plural, size, visible
from copysift.serve.state import State, state_of
from copysift.serve.users import ADMIN

static_router = APIRouter()
_OURS = ("server.css", "site.js", "check.js", "progress.js", "ask.js", "icon.svg")
_YEAR = "public, max-age=31536000, immutable"


@cache
def environment() -> Environment:
    """Give the environment of the templates."""
    made = Environment(
        loader=PackageLoader("copysift.serve", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(percent=percent, size=size, ago=ago, day=day, visible=visible)
    made.globals.update(plural=plural, version=__version__, found_by=found_by)
    return made


def root_of(state: State) -> str:
    """Give the path of all pages behind a proxy: empty, or /path."""
    return urlsplit(state.config.public_url).path.rstrip("/")


def show(
    request: Request, template: str, values: Mapping[str, Any], *, user: str | None, status: int = 200
) -> HTMLResponse:
    """Make a page."""
    state = state_of(request)
    text = (
        environment()
        .get_template(template)
        .render(
            root=root_of(state),
            user=user,
            alone=state.access.open,
            form_token=state.access.form_token(user) if user is not None else "",
            keep_days=state.config.keep_days,
            here=request.url.path,
            with_runs=bool(state.config.runs),
            admin=user is not None and state.users.role(user) == ADMIN,
            **values,
        )
    )
    return HTMLResponse(text.encode("utf-8", "backslashreplace"), status)


@cache
def static_files() -> dict[str, Path]:
    """Give the static files by name: ours, the style of the report, the library of the charts."""
    import bokeh

    here, report = Path(str(files("copysift.serve"))), Path(str(files("copysift.report")))
    found = {name: here / "static" / name for name in _OURS}
    found["page.css"] = report / "static" / "page.css"
    found["bokeh.js"] = Path(bokeh.__file__).parent / "server" / "static" / "js" / "bokeh.min.js"
    return found


@static_router.get("/static/{version}/{name}")
def static(version: str, name: str) -> Response:
    """Give a static file."""
    path = static_files().get(name)
    if path is None or version != __version__:
        raise HTTPException(404)
    return FileResponse(path, headers={"cache-control": _YEAR})


def found_by(summary: Mapping[str, Any]) -> Totals:
    """Give what a check has found, as its report counts it; checks of older versions counted files only."""
    return Totals(
        summary.get("unit", "file"),
        summary.get("units", summary.get("documents", 0)),
        summary.get("earlier_units", 0),
        summary.get("equal_sets", 0),
        summary.get("similar", summary["pairs"]),
        summary.get("clusters", 0),
    )


def ago(seconds: float | None) -> str:
    """Spell how long ago something was."""
    if seconds is None:
        return ""
    past = time.time() - seconds
    for unit, each in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if past >= each:
            return f"{plural(int(past // each), unit)} ago"
    return "just now"


def day(seconds: float | None) -> str:
    """Spell a date."""
    return "" if seconds is None else time.strftime("%-d %B %Y", time.localtime(seconds))
