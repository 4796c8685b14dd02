"""Records for a scan: what `cluster` reads, `scan` reads, and how few fingerprints a long match can leave."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from copysift.read.records import Fields
from copysift.read.sources import holds_records
from copysift.read.spool import Spool
from copysift.read.walk import Entry
from copysift.settings import Settings
from copysift.values import Skipped

Place = str | os.PathLike[str]
WINDOWED = ("robust", "winnow", "open-closed")


def is_source(path: Place) -> bool:
    """Tell whether a path is a file of nothing but records, JSON lines for example."""
    place = os.fspath(path)
    return holds_records(place) and os.path.isfile(place)  # noqa: PTH113  (Path.is_file raises for long names)


def take_records(
    paths: Iterable[Place], settings: Settings, folder: Path | None
) -> tuple[list[Entry], list[Skipped]]:
    """Give the records of files of records as entries, and what was left out."""
    spool: Spool | None = None
    entries: list[Entry] = []
    skipped: list[Skipped] = []
    for path in paths:
        spool = spool or Spool(folder)
        for found in spool.entries(os.fspath(path), Fields(settings.id_field, settings.text_field)):
            if isinstance(found, Skipped):
                skipped.append(found)
            else:
                entries.append(found)
    return entries, skipped


def match_shares(
    length: int, kinds: Iterable[str], limits: Callable[[str], tuple[int, int]], least: int
) -> int:
    """Give how many fingerprints two documents share at least when they share a run of that length.

    A run of L symbols has L − k − w + 2 whole windows, and every w of them choose one; distinct ones are
    fewer only where the run repeats itself.
    """
    bounds = []
    for kind in kinds:
        noise, guarantee = limits(kind)
        window = guarantee - noise + 1
        bounds.append((length - noise - window + 2) // window)
    return max(least, min(bounds, default=least))
