"""Records for a scan: what `cluster` reads, `scan` reads."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from copysift.model.values import Skipped
from copysift.settings.comparison import Settings
from copysift.sources.formats import holds_records
from copysift.sources.walk import Entry

Place = str | os.PathLike[str]
WINDOWED = ("robust", "winnow", "open-closed")


def is_source(path: Place) -> bool:
    """Tell whether a path is a file of nothing but records, JSON lines for example."""
    place = os.fspath(path)
    return holds_records(place) and os.path.isfile(place)


def take_records(
    paths: Iterable[Place], settings: Settings, folder: Path | None
) -> tuple[list[Entry], list[Skipped]]:
    """Give the records of files of records as entries, and what was left out."""
    places = list(paths)
    entries: list[Entry] = []
    skipped: list[Skipped] = []
    if not places:
        return entries, skipped
    from copysift.sources.records import Fields  # with Arrow, which most scans do not need
    from copysift.sources.spool import Spool

    spool = Spool(folder)
    for path in places:
        for found in spool.entries(os.fspath(path), Fields(settings.id_field, settings.text_field)):
            if isinstance(found, Skipped):
                skipped.append(found)
            else:
                entries.append(found)
    return entries, skipped
