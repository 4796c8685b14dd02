"""The class list of an upload: who handed in what, by the names that the files of the upload had."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from copysift.errors import UsageError
from copysift.model.values import Skipped
from copysift.serve.staging import StagedScan
from copysift.sources.metadata import COLUMNS, read_metadata


def write_class_list(source: Path, name: str, target: Path, staged: StagedScan) -> list[Skipped]:
    """Write a table that names the files as the scan sees them; give what was noted on the way.

    Rows keep their lines, so that a message about a line is about that of the upload. A name that fits no
    file, or several, is left as it is: it may be inside an archive, else the scan says so.
    """
    try:
        read = read_metadata(str(source))
    except UsageError as error:
        raise UsageError(error.message.replace(str(source), name), hint=error.hint) from None
    places = _places(staged)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    line = 2
    for row in read.rows:
        out.write("\n" * (row.line - line))
        fits = places.get(row.name.removeprefix("./").rstrip("/"), set())
        shown = next(iter(fits)) if len(fits) == 1 else row.name
        cells = (shown, row.label, row.author, row.team, row.time, row.attempt)
        writer.writerow([" ".join(cell.splitlines()) for cell in cells])
        line = row.line + 1
    target.write_text(out.getvalue(), encoding="utf-8", errors="surrogateescape")
    staged.rename_lines(str(target), name)
    return [Skipped(each.name.replace(str(source), name), each.reason) for each in read.skipped]


def _places(staged: StagedScan) -> dict[str, set[str]]:
    """Give the staged submissions by every end of their names, with suffix and without."""
    found: dict[str, set[str]] = {}
    for path, name in staged.submissions():
        parts = name.replace("\\", "/").strip("/").split("/")
        for first in range(len(parts)):
            found.setdefault("/".join(parts[first:]), set()).add(path)
        stem = parts[-1].partition(".")[0]
        if stem:
            found.setdefault(stem, set()).add(path)
    return found
