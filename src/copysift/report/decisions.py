"""Decisions on pairs, as an HTML report exports them: reviewed, dismissed or a case, with a note."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from copysift.errors import InputError
from copysift.model.values import Submission

STATES = ("", "reviewed", "dismissed", "case")
FIELDS = ("left", "right", "left_author", "right_author", "state", "note", "when")
HINT = "export them again from the page Pairs of a report"


class CarriedDecisions(NamedTuple):
    """Decisions under the names of this class, and those that name somebody who is not in it."""

    found: tuple[dict[str, str], ...]
    absent: tuple[dict[str, str], ...]


def carried(decisions: Iterable[dict[str, str]], submissions: Sequence[Submission]) -> CarriedDecisions:
    """Find the submissions that decisions on an earlier report of the class mean.

    A class that is downloaded again is often in another archive or folder. So a submission is known by its
    name, else by the last part of it, else by its author; what two submissions have names neither.
    """
    known = [_by(key, submissions) for key in (_name, lambda each: _last(each.name), _author)]
    found, absent = [], []
    for row in decisions:
        left, right = (
            known[0].get(row[side]) or known[1].get(_last(row[side])) or known[2].get(row[f"{side}_author"])
            for side in ("left", "right")
        )
        if left and right and left != right:
            found.append(row | {"left": left, "right": right})
        else:
            absent.append(row)
    return CarriedDecisions(tuple(found), tuple(absent))


def _by(key: Callable[[Submission], str], submissions: Iterable[Submission]) -> Mapping[str, str | None]:
    """Give the names of submissions by a key; None where several have it."""
    found: dict[str, str | None] = {}
    for each in submissions:
        if key(each):
            found[key(each)] = None if key(each) in found else each.name
    return found


def _name(each: Submission) -> str:
    return each.name


def _author(each: Submission) -> str:
    return each.author


def _last(name: str) -> str:
    """Give the last part of a path, also of one inside an archive."""
    return re.split(r"[!/]", name.rstrip("!/"))[-1]


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
    fields = dict.fromkeys(FIELDS, "")
    if isinstance(row, dict):
        fields.update({name: row[name] for name in fields if isinstance(row.get(name), str)})
    if not fields["left"] or not fields["right"] or fields["state"] not in STATES:
        raise InputError(f"{path}: decision {number} names no pair or no known state", hint=HINT)
    return fields
