"""Read what a teacher knows of the submissions: a table of labels, authors, teams, times and attempts."""

from __future__ import annotations

import io
from collections.abc import Iterator

from copysift.errors import UsageError
from copysift.model.values import Skipped
from copysift.runtime.lazy_dataclass import dataclass
from copysift.runtime.small_files import read_small

COLUMNS = ("name", "label", "author", "team", "time", "attempt")
_ALSO = {"file": "name", "filename": "name", "path": "name"}
_HINT = f"columns: file or name, and any of {', '.join(COLUMNS[1:])}, in any order"


@dataclass(frozen=True, slots=True)
class Row:
    """One row; `line` is where it is in the file."""

    line: int
    name: str
    label: str = ""
    author: str = ""
    team: str = ""
    time: str = ""
    attempt: str = ""


@dataclass(frozen=True, slots=True)
class Metadata:
    """The rows of a table, and a note if it has columns that look mistyped; others are the teacher's own."""

    rows: tuple[Row, ...] = ()
    skipped: tuple[Skipped, ...] = ()


def read_metadata(path: str) -> Metadata:
    """Read the table of a CSV file; separators are commas, semicolons or tabs."""
    try:
        content = read_small(path)
    except OSError as error:
        raise UsageError(f"cannot read the metadata {path}: {error.strerror}") from None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise UsageError(f"{path}, line {line}: is not UTF-8", hint="save it as CSV in UTF-8") from None
    unknown: list[str] = []
    rows = tuple(_rows(path, text, unknown))
    if not unknown:
        return Metadata(rows)
    reason = f"no use is made of the columns {', '.join(unknown)}; {_HINT}"
    return Metadata(rows, (Skipped(f"{path}, line 1", reason),))


def _rows(path: str, text: str, unknown: list[str]) -> Iterator[Row]:
    import csv  # most commands have no metadata to read

    head = text.partition("\n")[0]
    separator = max(",;\t", key=head.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        heads = next(reader, [])
        columns = _columns(path, heads, unknown)
        line = reader.line_num + 1
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield _row(path, line, cells, heads, columns)
            line = reader.line_num + 1
    except csv.Error as error:
        raise UsageError(f"{path}, line {reader.line_num}: is not CSV: {error}") from None


def _columns(path: str, heads: list[str], unknown: list[str]) -> dict[str, int]:
    """Give the place of every known column; mistyped ones go to `unknown`."""
    import difflib

    found: dict[str, int] = {}
    words = [head.strip().lower() for head in heads]
    missing = set(COLUMNS) - {_ALSO.get(word, word) for word in words}
    for place, head in enumerate(heads):
        name = _ALSO.get(words[place], words[place])
        if name not in COLUMNS:
            near = difflib.get_close_matches(words[place], missing, 1)
            unknown += [f"{head.strip()!r} (did you mean {each}?)" for each in near]
            continue
        if name in found:
            raise UsageError(
                f"{path}, line 1, column {place + 1}: a second column {head.strip()!r}", hint=_HINT
            )
        found[name] = place
    if "name" not in found:
        raise UsageError(f"{path}, line 1: no column file or name", hint=_HINT)
    return found


def _row(path: str, line: int, cells: list[str], heads: list[str], columns: dict[str, int]) -> Row:
    if len(cells) > len(heads):
        raise UsageError(
            f"{path}, line {line}, column {len(heads) + 1}: line 1 has {len(heads)} columns only",
            hint="quote cells that hold a separator",
        )
    values = {name: cells[place].strip() if place < len(cells) else "" for name, place in columns.items()}
    if not values["name"]:
        raise UsageError(f"{path}, line {line}, column {columns['name'] + 1}: no name of a submission")
    attempt = values.get("attempt", "")
    if attempt and not attempt.isdecimal():
        raise UsageError(
            f"{path}, line {line}, column {columns['attempt'] + 1}: {attempt!r} is not an attempt number"
        )
    return Row(line, **values)
