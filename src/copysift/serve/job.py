"""A job as the database has it, and the names that are made for jobs."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from copysift.serve.database import AnyRow

QUEUED, RUNNING, DONE, FAILED, CANCELLED = STATES = ("queued", "running", "done", "failed", "cancelled")
ACTIVE = (QUEUED, RUNNING)


@dataclass(frozen=True, slots=True)
class Job:
    """One row; times are seconds since 1970."""

    id: str
    share: str | None
    owner: str
    kind: str
    origin: str
    title: str
    request: Mapping[str, Any]
    target: str
    state: str
    created: float
    started: float | None
    finished: float | None
    expires: float | None
    files: int
    bytes: int
    claim: int
    deaths: int
    worker: str
    error: str
    summary: Mapping[str, Any]
    course: int | None = None
    term: str = ""
    exercise: str = ""

    @property
    def over(self) -> bool:
        """Whether it has reached its end."""
        return self.state not in ACTIVE


def job_of(row: AnyRow) -> Job:
    """Make a job of its row."""
    names = Job.__dataclass_fields__
    values = {name: value for name, value in row._mapping.items() if name in names}
    values["request"], values["summary"] = json.loads(values["request"]), json.loads(values["summary"])
    return Job(**values)


def unguessable() -> str:
    """Give a name with 128 random bits that can be part of an address."""
    while (made := secrets.token_urlsafe(16)).startswith("-"):
        pass  # a name that begins with a dash is a nuisance on a command line
    return made


def numeric() -> str:
    """Give a number of 39 digits, about 128 random bits: readers of MOSS results look for digits only."""
    return str(secrets.randbelow(9 * 10**38) + 10**38)
