"""What the routes share: one object for the whole server, held by the application."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Annotated, cast

from fastapi import Depends, HTTPException, Request, Security
from fastapi.security import HTTPBearer

from copysift.serve.access import Access, bearer
from copysift.serve.config import Config
from copysift.serve.courses import Courses
from copysift.serve.events import event
from copysift.serve.indexes import Indexes
from copysift.serve.job import Job
from copysift.serve.jobs import Jobs
from copysift.serve.marks import Marks
from copysift.serve.metrics import Metrics
from copysift.serve.oidc import OpenIdConnect
from copysift.serve.shared_runs import Runs
from copysift.serve.users import Users
from copysift.serve.workers import Workers


@dataclass(slots=True)
class State:
    """Everything that lives as long as the server does; `base` is the address that clients are given."""

    config: Config
    jobs: Jobs
    workers: Workers
    access: Access
    metrics: Metrics
    indexes: Indexes
    runs: Runs
    users: Users
    marks: Marks
    courses: Courses
    base: str
    oidc: OpenIdConnect | None = None
    started: float = field(default_factory=time.time)

    def result_address(self, job: Job) -> str:
        """Give the address of a shared result."""
        base = self.config.moss_url.rstrip("/") if job.origin == "moss" else ""
        return f"{base or self.base}/results/{job.share}"

    def needs_login(self, job: Job) -> bool:
        """Say whether the link of a shared result is not enough to read it."""
        return job.origin == "moss" and self.config.moss_results == "private"

    def accepted(self, job: Job) -> None:
        """Log and count a job that was accepted, and let a worker take it."""
        note_accepted(job, self.metrics, self.workers)


def note_accepted(job: Job, metrics: Metrics, workers: Workers) -> None:
    """Log and count a job that was accepted, and let a worker take it."""
    event("job accepted", job=job.id, user=job.owner, kind=job.kind, origin=job.origin, files=job.files)
    metrics.accepted(job.origin, job.bytes)
    workers.wake()


class LoginNeededError(Exception):
    """Raised when a page needs a user and the browser has none; `next` is the page to show then."""

    def __init__(self, next_: str = "") -> None:
        super().__init__()
        self.next = next_


def state_of(request: Request) -> State:
    """Give the state of the server that a request came to."""
    return cast(State, request.app.state.copysift)


async def given_state(request: Request) -> State:
    """Give the state to a route; as a coroutine, for a plain function costs a thread."""
    return state_of(request)


_BEARER = HTTPBearer(auto_error=False, description="A token of `copysift serve token add`.")


async def api_user(
    request: Request,
    described: Annotated[object, Security(_BEARER)] = None,  # for OpenAPI only
) -> str:
    """Give the user of a REST request; raise 401 if there is none. Cookies do not count here."""
    user = state_of(request).access.user(request.headers, {})
    if user is None:
        message = "a token is needed" if bearer(request.headers) is None else "this token is not valid"
        raise HTTPException(401, message, {"WWW-Authenticate": "Bearer"})
    return user


async def page_user(request: Request) -> str:
    """Give the user of a page; raise LoginNeededError if there is none."""
    user = state_of(request).access.user(request.headers, request.cookies)
    if user is None:
        raise LoginNeededError
    return user


ServerState = Annotated[State, Depends(given_state)]
ApiUser = Annotated[str, Depends(api_user)]
PageUser = Annotated[str, Depends(page_user)]
