"""Records of CSV and TSV files, whose first row names the columns.

A quote that is never closed would make one record of all that follows: what a row has swallowed by such a
quote is given back, the row is named, and the lines after its first one are read on their own.
"""

from __future__ import annotations

import csv
import io
import re
from collections import deque
from collections.abc import Iterator
from typing import IO

import orjson
import pyarrow as pa

from copysift.errors import InputError
from copysift.model.values import REPLACED, Skipped
from copysift.sources.compressed import DAMAGED
from copysift.sources.fields import Fields
from copysift.sources.records import Builder, add_record

LONGEST = 1 << 28  # characters of a cell
MOST_LINES = 1 << 20  # of a row
# Characters that rows may give back for each that was read, and at first; then every row is a line. Otherwise
# lines of which each opens a quote and closes none would be read as often as there are of them.
AGAIN, AGAIN_FIRST = 4, 1 << 20
OPEN = "a quote is not closed: the row is left out, the lines after it are read as rows"
_ESCAPED = re.compile("[\udc80-\udcff]")  # bytes that are no UTF-8


def csv_records(
    place: str, stream: IO[bytes], fields: Fields, limit: int, delimiter: str
) -> Iterator[pa.RecordBatch | Skipped]:
    """Give the rows of a CSV file."""
    built = Builder(limit=limit)
    try:
        yield from _rows(place, stream, fields, delimiter, built)
    except DAMAGED:
        yield from built.give()
        raise
    yield from built.give()


class _Lines:
    """Lines to parse, those of the present row at hand so that they can be given back."""

    def __init__(self, text: Iterator[str]) -> None:
        self._text, self._back = text, deque[str]()
        self.taken: list[str] = []
        self.number = 0  # of the last line that was taken
        self._room = AGAIN_FIRST

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        if len(self.taken) >= (1 if self.single else MOST_LINES):
            raise StopIteration
        if self._back:
            line = self._back.popleft()
        else:
            line = next(self._text)
            self._room += AGAIN * len(line)
        self.number += 1
        self.taken.append(line)
        return _sound(line)

    def give_back(self) -> None:
        """Take the lines of the row again, but for the first."""
        self._room -= sum(map(len, self.taken[1:]))
        self._back.extendleft(reversed(self.taken[1:]))
        self.number -= len(self.taken) - 1
        self.taken = []

    @property
    def single(self) -> bool:
        """Whether a row is no more than a line, because too much was given back."""
        return self._room < 0

    @property
    def damaged(self) -> bool:
        """Whether a line of the row is not UTF-8."""
        return any(not line.isascii() and _ESCAPED.search(line) for line in self.taken)


def _sound(line: str) -> str:
    line = line.replace("\0", "")
    if line.isascii() or not _ESCAPED.search(line):
        return line
    return line.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _rows(
    place: str, stream: IO[bytes], fields: Fields, delimiter: str, built: Builder
) -> Iterator[pa.RecordBatch | Skipped]:
    csv.field_size_limit(LONGEST)
    spelled = _in_order if fields.whole else _sorted
    with io.TextIOWrapper(stream, "utf-8-sig", errors="surrogateescape", newline="") as text:
        lines = _Lines(text)
        names = next(csv.reader(lines, delimiter=delimiter), None)
        if names is None:  # an empty file has no records, and no columns to miss
            return
        if fields.text not in names and not fields.features:
            raise InputError(
                f"{place} has no column {fields.text!r}",
                hint=f"choose one by --text-field: {', '.join(names)}",
            )
        while True:
            lines.taken = []
            row = _row(lines, delimiter)
            if not lines.taken:
                return
            if row is None:
                lines.give_back()
                yield Skipped(f"{place}:{lines.number}", OPEN)
                continue
            here = f"{place}:{lines.number}"
            if len(row) != len(names):
                if row:
                    yield Skipped(here, f"has {len(row)} fields instead of {len(names)}")
                continue
            note = add_record(built, dict(zip(names, row, strict=True)), fields, here, spelled)
            if note is not None or lines.damaged:
                yield note or Skipped(here, REPLACED)
            if built.full:
                yield from built.give()


def _row(lines: _Lines, delimiter: str) -> list[str] | None:
    """Give the next row; None if it has a quote that is not closed, or only by that of another row."""
    try:
        row = next(csv.reader(lines, delimiter=delimiter), [])
    except csv.Error:
        return None
    several = len(lines.taken) > 1  # which must be as the format demands
    if several or lines.single or (lines.taken and lines.taken[0].count('"') % 2):
        try:
            next(csv.reader(map(_sound, lines.taken), delimiter=delimiter, strict=True), None)
        except csv.Error as error:
            if several or "end of data" in str(error):
                return None
    return row


def _in_order(rest: dict[str, str]) -> str:
    return orjson.dumps(rest).decode()


def _sorted(rest: dict[str, str]) -> str:
    return orjson.dumps(rest, option=orjson.OPT_SORT_KEYS).decode()
