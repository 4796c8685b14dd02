"""How much room a user has left: jobs that wait or run, bytes that are kept, and what is on its way."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable

from copysift.serve.limits import LimitError, Limits

Held = Callable[[str], tuple[int, int]]  # the jobs of a user that wait or run, and the bytes of all


class Room:
    """Counts uploads while they come, so that many at once take no more than one after the other."""

    def __init__(self, limits: Limits, held: Held) -> None:
        self._limits, self._held = limits, held
        self._lock = threading.Lock()
        self._uploads: Counter[str] = Counter()
        self._bytes: Counter[str] = Counter()

    def check(self, owner: str, more: int = 0) -> None:
        """Raise LimitError when a user has as many jobs, or bytes in them, as one may."""
        active, held = self._held(owner)
        with self._lock:
            self._check_jobs(active)
            self._check_bytes(held, more)

    def enter(self, owner: str) -> Account:
        """Begin an upload of a user; the account must be closed."""
        active, held = self._held(owner)
        with self._lock:
            self._check_jobs(active + self._uploads[owner])
            self._check_bytes(held, self._bytes[owner])
            self._uploads[owner] += 1
        return Account(self, owner, held)

    def spend(self, owner: str, held: int, count: int) -> None:
        """Take note of bytes that have come; raise LimitError when they are too many."""
        with self._lock:
            self._bytes[owner] += count
            self._check_bytes(held, self._bytes[owner])

    def leave(self, owner: str, count: int) -> None:
        """Take note that an upload is over: it was thrown away, or is a job's."""
        with self._lock:
            self._uploads[owner] -= 1
            self._bytes[owner] -= count
            for counter in (self._uploads, self._bytes):
                if not counter[owner]:
                    del counter[owner]

    def _check_jobs(self, active: int) -> None:
        if active >= self._limits.user_jobs:
            raise LimitError(
                f"{active} jobs are waiting or running already", hint="wait until some are done", status=429
            )

    def _check_bytes(self, held: int, more: int) -> None:
        if held + more > self._limits.user_bytes:
            raise LimitError(
                f"the kept jobs take {held:,} bytes already", hint="delete some of them", status=429
            )


class Account:
    """What one upload has taken so far."""

    def __init__(self, room: Room, owner: str, held: int) -> None:
        self._room, self._owner, self._held = room, owner, held
        self._taken = 0
        self._open = True

    def spend(self, count: int) -> None:
        """Take so many bytes more."""
        self._taken += count
        self._room.spend(self._owner, self._held, count)

    def close(self) -> None:
        """Give everything back, once."""
        if self._open:
            self._open = False
            self._room.leave(self._owner, self._taken)
