"""Cells of CSV files: names of files are strangers' words, and spreadsheets run what looks like a formula.

A cell that starts with =, +, -, @ or a tab gets an apostrophe in front, which spreadsheets take for "text";
numbers stay as they are. Controls and characters that change the order of text are spelled out.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable

_FORMULA = re.compile(r"'*[=+\-@\t\r].", re.DOTALL)  # a sign alone is none, such as - for standard input
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]*)?(e[+-]?[0-9]+)?")
_HIDDEN = re.compile("[\0-\x08\x0b\x0c\r\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def csv_lines(rows: Iterable[Iterable[object]]) -> str:
    """Give rows as lines of CSV."""
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows([cell(value) for value in row] for row in rows)
    return written.getvalue()


def cell(value: object) -> object:
    """Give a value as it is safe to open in a spreadsheet."""
    return as_text(_HIDDEN.sub(_spelled, value)) if isinstance(value, str) else value


def as_text(value: str) -> str:
    """Mark what a spreadsheet would take for a formula as text."""
    return f"'{value}" if _FORMULA.match(value) and not _NUMBER.fullmatch(value) else value


def from_text(value: str) -> str:
    """Undo `as_text`."""
    return value[1:] if value.startswith("'") and as_text(value[1:]) == value else value


def _spelled(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"
