"""What a user may still send: jobs that wait or run, bytes that are kept, and what is on its way."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from copysift.serve.limits import LimitError, Limits

SOON, LATER = 15, 3600  # seconds after which to try again: when a job has ended, when something was deleted


class Held(NamedTuple):
    """What a user has, and may have: jobs that wait or run, bytes of all jobs."""

    jobs: int
    bytes: int
    max_jobs: int | None = None  # None: as all users
    max_bytes: int | None = None


class Quotas:
    """Counts uploads while they come, so that many at once take no more than one after the other."""

    def __init__(self, limits: Limits, held: Callable[[str], Held]) -> None:
        self._limits, self._held = limits, held
        self._lock = threading.Lock()
        self._uploads: Counter[str] = Counter()
        self._bytes: Counter[str] = Counter()

    def check(self, owner: str, more: int = 0) -> None:
        """Raise LimitError when a user has as many jobs, or bytes in them, as one may."""
        held = self._held(owner)
        with self._lock:
            self._check_jobs(held, 0)
            self._check_bytes(held, more)

    def enter(self, owner: str) -> Account:
        """Start an upload of a user; the account must be closed."""
        held = self._held(owner)
        with self._lock:
            self._check_jobs(held, self._uploads[owner])
            self._check_bytes(held, self._bytes[owner])
            self._uploads[owner] += 1
        return Account(self, owner, held)

    def spend(self, owner: str, held: Held, count: int) -> None:
        """Count bytes that have come; raise LimitError when they are too many."""
        with self._lock:
            self._bytes[owner] += count
            self._check_bytes(held, self._bytes[owner])

    def leave(self, owner: str, count: int) -> None:
        """Note that an upload is over: it was thrown away, or is a job's."""
        with self._lock:
            self._uploads[owner] -= 1
            self._bytes[owner] -= count
            for counter in (self._uploads, self._bytes):
                if not counter[owner]:
                    del counter[owner]

    def _check_jobs(self, held: Held, more: int) -> None:
        if held.jobs + more >= (held.max_jobs if held.max_jobs is not None else self._limits.user_jobs):
            raise LimitError(
                f"{held.jobs + more} jobs are waiting or running already", hint="wait until some are done",
                status=429, retry=SOON,
            )  # fmt: skip

    def _check_bytes(self, held: Held, more: int) -> None:
        if held.bytes + more > (held.max_bytes if held.max_bytes is not None else self._limits.user_bytes):
            raise LimitError(
                f"the kept jobs take {held.bytes:,} bytes already", hint="delete some of them", status=429,
                retry=LATER,
            )  # fmt: skip


class Account:
    """What one upload has taken so far."""

    def __init__(self, quotas: Quotas, owner: str, held: Held) -> None:
        self._quotas, self._owner, self._held = quotas, owner, held
        self._taken = 0
        self._open = True

    def spend(self, count: int) -> None:
        """Count more bytes."""
        self._taken += count
        self._quotas.spend(self._owner, self._held, count)

    def close(self) -> None:
        """Return everything, once."""
        if self._open:
            self._open = False
            self._quotas.leave(self._owner, self._taken)
