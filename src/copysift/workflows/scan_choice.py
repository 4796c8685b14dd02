"""Which scan is wanted: of files, or of an index; what an index needs is loaded only for one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from copysift.settings.comparison import Settings
from copysift.store.presence import has_catalog
from copysift.workflows.scan import Scan
from copysift.workflows.submissions import check_paths


def scan_of(places: Sequence[str], settings: Settings, given: Mapping[str, object]) -> tuple[Scan, list[str]]:
    """Make the scan that is wanted, and give the files that it reads; none if it scans an index alone.

    `given` are the settings that were given: an index that is scanned alone, or is the first among the
    earlier documents, has the others. An earlier one is compared with the new files, and not with itself;
    the documents of any other index are read like files.
    """
    check_paths(places)
    if not any(has_catalog(Path(place)) for place in (*places, *settings.earlier)):
        return Scan(settings), list(places)
    from copysift.store.snapshot import exists  # loads SQLite, which most scans do not need
    from copysift.workflows.index_scan import index_scan

    indexes = [place for place in places if exists(Path(place))]
    past = [path for path in settings.earlier if exists(Path(path))]
    # Read as documents: a file comes before the index that has it, too.
    read = [*(place for place in places if place not in indexes), *indexes]
    if indexes and not past and len(places) == 1:
        return index_scan(Path(indexes[0]), given, apart=False), []
    if not past:
        return Scan(settings), read
    given = {name: value for name, value in given.items() if name not in ("earlier", "against")}
    others = tuple(path for path in settings.earlier if path != past[0])
    return index_scan(Path(past[0]), {**given, "earlier": others}, apart=True), read
