"""How the commands about sweeps choose a format and write."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from copysift.cli import console
from copysift.errors import UsageError
from copysift.settings.comparison import Door

SUFFIXES = {".json": "json", ".html": "html", ".htm": "html", ".csv": "csv", ".txt": "table"}


def shown(formats: Mapping[str, Callable[[Any, Any], str]], found: object, door: Door) -> None:
    """Write an answer in the format that was asked for, or that the name of the file tells."""
    from copysift.report.view import View

    view = View(width=console.width(door), color=console.color(door), quiet=door.quiet)
    console.write(formats[chosen(formats, door)](found, view), door)


def chosen(formats: Mapping[str, object], door: Door) -> str:
    """Give the format that was asked for."""
    named = door.format or SUFFIXES.get(Path(door.output).suffix.lower(), "") or "table"
    if named not in formats:
        raise UsageError(f"there is no format {named!r} here", hint=f"choose one of {', '.join(formats)}")
    return named


def must_exist(index: str) -> None:
    """Raise StoreError unless an index stands there."""
    from copysift.store.snapshot import Snapshot, exists

    if not exists(Path(index)):
        Snapshot(Path(index))
