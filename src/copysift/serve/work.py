"""What a job does, inside a process of its own: files in, a folder of results out."""

from __future__ import annotations

import dataclasses
import json
import time
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from copysift.model.values import Result
from copysift.report import json_report as records
from copysift.report import moss, page
from copysift.report.view import View
from copysift.runtime import durable
from copysift.serve import indexes
from copysift.serve.incoming import uploaded
from copysift.serve.requests import MOST_PAIRS, PAIRS
from copysift.serve.staging import stage
from copysift.settings.comparison import Settings
from copysift.settings.declaration import make
from copysift.workflows.scan import Scan

TOLD = 0.3  # seconds between two notes on progress


class Told:
    """Writes progress to a file that the page reads."""

    def __init__(self, path: Path, claim: int) -> None:
        self._path, self._claim = path, claim
        self._phase, self._total, self._done = "", None, 0  # type: tuple[str, int | None, int]
        self._last = 0.0

    def phase(self, name: str, total: int | None) -> None:
        """Begin a phase."""
        self._phase, self._total, self._done = name, total, 0
        self._tell()

    def advance(self, count: int = 1) -> None:
        """Note that so many steps are done."""
        self._done += count
        if time.monotonic() - self._last > TOLD:
            self._tell()

    def _tell(self) -> None:
        self._last = time.monotonic()
        told = {"claim": self._claim, "phase": self._phase, "done": self._done, "total": self._total}
        part = self._path.with_suffix(".part")
        part.write_text(json.dumps(told), encoding="utf-8")
        part.replace(self._path)


def scan(folder: Path, out: Path, request: Mapping[str, Any], told: Told, threads: int) -> dict[str, Any]:
    """Compare what was uploaded; write the result, the report and, for a MOSS client, its pages."""
    asked = dict(request["settings"])
    staged = stage(uploaded(folder / "in"), folder / "work", asked.pop("by", "auto"))
    settings = make(
        Settings,
        {
            **asked,
            "by": staged.by,
            "base": tuple(staged.base),
            "earlier": tuple(staged.earlier),
            "jobs": threads,
        },
    )
    most = settings.limit or PAIRS
    run = Scan(settings)
    # MOSS orders by matched tokens: more pairs than it shows are matched to find those that have the most.
    matched = min(MOST_PAIRS, 2 * most + 50) if request.get("moss") else most
    result = run.run(staged.paths, regions=True, most=matched, progress=told)
    told.phase("writing the report", None)
    shown = _without_paths(staged.renamed(result), request["settings"])
    view = View(
        limit=most,
        title=request.get("title", ""),
        date=f"{date.today():%-d %B %Y}",
        source=lambda name, start, end: run.source(staged.path(name), start, end),
        base=lambda name: run.base(staged.path(name)),
        holders=lambda name, *place: run.holders(staged.path(name), *place),
    )
    _write(out / "result.json", records.report(shown, view))
    _write(out / "page.json", json.dumps(page.contents(shown, view)))
    if request.get("moss"):
        pages = out / "moss"
        pages.mkdir()
        query = request["moss"]
        asked_for = moss.Query(**query) if isinstance(query, dict) else None  # jobs of version 0.1 have none
        for name, content in moss.report(shown, view, asked_for).items():
            _write(pages / name, content)
    return {
        "pairs": min(most, len(shown.pairs)),
        "documents": len(shown.documents),
        "highest": max((pair.similarity for pair in shown.pairs), default=0.0),
        "skipped": len(shown.skipped),
        "clusters": len(shown.clusters),
    }


KINDS: dict[str, Callable[[Path, Path, Mapping[str, Any], Told, int], dict[str, Any]]] = {
    "scan": scan,
    "index": indexes.add,
}


def _without_paths(result: Result, asked: Mapping[str, Any]) -> Result:
    """Give a result whose settings name no path of the server."""
    kept = {name: value for name, value in result.settings.items() if name not in ("base", "earlier")}
    return dataclasses.replace(result, settings=kept)


def _write(path: Path, content: str) -> None:
    with path.open("w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(content)
    durable.sync(path)
