"""Which scan is wanted: of files, or of an index; what an index needs is loaded only for one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from copysift.errors import UsageError
from copysift.settings.comparison import Settings
from copysift.store.presence import has_catalog
from copysift.workflows.scan import Scan
from copysift.workflows.submissions import check_paths


def scan_of(places: Sequence[str], settings: Settings, given: Mapping[str, object]) -> tuple[Scan, list[str]]:
    """Make the scan that is wanted, and give the files that it reads; none if it scans an index alone.

    `given` are the settings that were given: an index has the others. An index among the earlier documents is
    compared with the new files, and not with itself.
    """
    check_paths(places)
    if not any(has_catalog(Path(place)) for place in (*places, *settings.earlier)):
        return Scan(settings), list(places)
    from copysift.store.snapshot import exists  # loads SQLite, which most scans do not need
    from copysift.workflows.index_scan import index_scan

    indexes = [place for place in places if exists(Path(place))]
    past = [path for path in settings.earlier if exists(Path(path))]
    if not indexes and not past:
        return Scan(settings), list(places)
    if indexes and (past or len(places) > 1):
        raise UsageError(f"{indexes[0]} is an index", hint="scan it alone, or use --earlier")
    if len(past) > 1:
        raise UsageError(
            f"{past[0]} and {past[1]} are indexes, and --earlier takes only one",
            hint="add all earlier documents to one index",
        )
    if not past:
        return index_scan(Path(indexes[0]), given, apart=False), []
    given = {name: value for name, value in given.items() if name not in ("earlier", "against")}
    files = tuple(path for path in settings.earlier if path not in past)
    return index_scan(Path(past[0]), {**given, "earlier": files}, apart=True), list(places)
