"""How commands choose a format and write."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from copysift.cli import console
from copysift.errors import UsageError
from copysift.settings.output import FORMATS, Door

SUFFIXES = {".json": "json", ".html": "html", ".htm": "html", ".csv": "csv", ".sif": "sif"}


def shown(command: str, reports: Mapping[str, Callable[[Any, Any], str]], found: object, door: Door) -> None:
    """Write an answer in the chosen format."""
    from copysift.report.view import View

    view = View(width=console.width(door), color=console.color(door), quiet=door.quiet)
    console.write(reports[chosen(command, door)](found, view), door)


def chosen(command: str, door: Door) -> str:
    """Give the format: that of --format, else by the extension of the output file, else table."""
    formats = FORMATS[command]
    named = door.format or SUFFIXES.get(Path(door.output).suffix.lower(), "") or "table"
    if named not in formats:
        name = command.replace("-list", " list").replace("-info", " info")
        raise UsageError(f"{name} has no format {named!r}", hint=f"choose one of {', '.join(formats)}")
    return named


def must_exist(index: str) -> None:
    """Raise StoreError unless there is an index."""
    from copysift.store.snapshot import Snapshot, exists

    if not exists(Path(index)):
        Snapshot(Path(index))
