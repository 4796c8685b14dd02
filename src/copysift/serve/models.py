"""The values of the REST interface, with an example each: OpenAPI is made from them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from copysift.serve.job import DONE, Job
from copysift.serve.jobs import Jobs
from copysift.serve.requests import schema

Value = TypeVar("Value")
State = Literal["queued", "running", "done", "failed", "cancelled"]
Text = Field(min_length=0, max_length=1_000_000)


class Strict(BaseModel):
    """A value that takes no unknown fields."""

    model_config = ConfigDict(extra="forbid")


class Problem(Strict):
    """What went wrong, and what to do about it."""

    code: str = Field(examples=["not_found"])
    message: str = Field(examples=["job not found"])
    hint: str = Field(default="", examples=[""])


class ErrorOut(Strict):
    """The one shape of every error."""

    error: Problem


class JobOut(Strict):
    """A job and how far it is."""

    id: str = Field(examples=["Yb0n8yPpVv3T0g7y2zq1Gw"])
    kind: str = Field(examples=["scan"])
    title: str = Field(examples=["Homework 3"])
    state: State
    created: datetime
    started: datetime | None = None
    finished: datetime | None = None
    expires: datetime | None = Field(None, description="When it is deleted; null when it is kept.")
    files: int
    bytes: int
    owner: str = Field("", description="Who sent it.", examples=["ann"])
    course: str = Field("", description="Name of its course, if it belongs to one.")
    term: str = Field("", description="Term of its course, if it belongs to one.")
    exercise: str = ""
    ahead: int = Field(0, description="Jobs that wait before this one.")
    progress: dict[str, Any] = Field(
        default_factory=dict, examples=[{"phase": "reading", "done": 12, "total": 30}]
    )
    error: str = ""
    summary: dict[str, Any] = Field(
        default_factory=dict, examples=[{"pairs": 4, "documents": 30, "highest": 0.93}]
    )
    share: str | None = Field(None, description="The last part of the address that anyone may read.")


class JobsOut(Strict):
    """Jobs, the newest first."""

    jobs: list[JobOut]
    next: int | None = Field(None, description="Offset of the next page, if there is one.")


class MarkModel(Strict):
    """What a person thinks of a pair."""

    left: str = Field(max_length=5000, examples=["alice/sort.py"])
    right: str = Field(max_length=5000, examples=["bob/sort.py"])
    verdict: Literal["", "cleared", "suspicious", "confirmed"] = "suspicious"
    note: str = Field("", max_length=5000, examples=["same typo in both"])


class WrittenMark(MarkModel):
    """A mark with who wrote it, and when."""

    author: str = ""
    changed: datetime | None = None


class MarksOut(Strict):
    """The marks of a job."""

    marks: list[WrittenMark]


class TextIn(Strict):
    """A text with a name; the extension of the name decides the language."""

    name: str = Field("text.txt", max_length=1000, examples=["alice.py"])
    text: str = Field(max_length=1_000_000, examples=["def area(r):\n    return 3.14159 * r * r\n"])


Settings: Any = Field(
    default_factory=dict,
    json_schema_extra={**schema("compare"), "examples": [{}]},
    description="As `copysift compare` has them.",
)


class CompareIn(Strict):
    """Two texts."""

    left: TextIn
    right: TextIn
    settings: dict[str, Any] = Settings


class FingerprintsIn(Strict):
    """A text to fingerprint."""

    text: str = Field(max_length=1_000_000, examples=["A do run run run, a do run run"])
    name: str = Field("text.txt", max_length=1000)
    settings: dict[str, Any] = Settings


class FingerprintsOut(Strict):
    """Fingerprints in order of position; spans are half-open byte offsets of the UTF-8 text."""

    kind: str
    grams: int
    hashes: list[str] = Field(description="Sixteen hexadecimal digits each.", examples=[["00f3a1b2c4d5e6f7"]])
    starts: list[int]
    ends: list[int]


class HealthOut(Strict):
    """That the server works, and how much it has to do."""

    status: Literal["ok", "degraded"]
    version: str
    workers: int
    queued: int
    running: int
    uptime: float


def paged(found: Sequence[Value], limit: int, offset: int) -> tuple[Sequence[Value], int | None]:
    """Give a page of a list, and the offset of the next one, or None on the last."""
    end = offset + limit
    return found[offset:end], end if len(found) > end else None


def job_out(jobs: Jobs, job: Job) -> JobOut:
    """Give a job as the interface shows it."""
    told = jobs.progress(job) if job.state == "running" else {}
    told.pop("claim", None)
    values: dict[str, Any] = {
        name: None if (seconds := getattr(job, name)) is None else datetime.fromtimestamp(seconds, UTC)
        for name in ("created", "started", "finished", "expires")
    }
    plain = ("id", "kind", "title", "state", "files", "bytes", "error", "share", "term", "exercise", "owner")
    values |= {name: getattr(job, name) for name in plain}
    return JobOut(
        **values,
        course="" if job.course is None else job.request.get("course", {}).get("name", ""),
        ahead=jobs.ahead(job) if job.state == "queued" else 0,
        progress=told,
        summary=dict(job.summary) if job.state == DONE else {},
    )
