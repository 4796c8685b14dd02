"""Decisions on pairs, as an HTML report exports them: reviewed, dismissed or a case, with a note."""

from __future__ import annotations

import json
from pathlib import Path

from copysift.errors import InputError

STATES = ("", "reviewed", "dismissed", "case")
HINT = "export them again from the page Pairs of a report"


def read_decisions(path: Path) -> tuple[dict[str, str], ...]:
    """Read a file of decisions; raise InputError unless it is one."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: {(error.strerror or str(error)).lower()}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: is not JSON", hint=HINT) from error
    if not isinstance(content, dict) or content.get("copysift") != "decisions":
        raise InputError(f"{path}: has no decisions of copysift", hint=HINT)
    rows = content.get("decisions")
    return tuple(_decision(path, row, number) for number, row in enumerate(rows if rows else (), 1))


def _decision(path: Path, row: object, number: int) -> dict[str, str]:
    fields = {"left": "", "right": "", "state": "", "note": "", "when": ""}
    if isinstance(row, dict):
        fields.update({name: row[name] for name in fields if isinstance(row.get(name), str)})
    if not fields["left"] or not fields["right"] or fields["state"] not in STATES:
        raise InputError(f"{path}: decision {number} names no pair or no known state", hint=HINT)
    return fields
