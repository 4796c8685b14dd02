"""A message to a program of the operator when a job has ended: chat, e-mail, a learning platform.

Only the operator names the address. A message that cannot be delivered is tried three times and then
logged; nothing waits for it, and it has no names of files.
"""

from __future__ import annotations

import asyncio
import json
import logging
import urllib.error
import urllib.request
from datetime import UTC, datetime
from typing import Any

from copysift.serve.events import event
from copysift.serve.job import Job

ATTEMPTS, PAUSE, TIMEOUT = 3, 2.0, 10.0
WAITING = 1000  # messages; more than this are dropped, and logged
_OWN = ("pairs", "documents", "highest", "skipped", "clusters", "added", "changed", "unchanged")


class Webhook:
    """Sends messages one after the other, in the background."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._queue: asyncio.Queue[Job] = asyncio.Queue(WAITING)

    def send(self, job: Job) -> None:
        """Send a message about a job, soon."""
        try:
            self._queue.put_nowait(job)
        except asyncio.QueueFull:
            event("webhook dropped", logging.WARNING, job=job.id)

    async def run(self) -> None:
        """Send what is waiting, until cancelled."""
        while True:
            job = await self._queue.get()
            for attempt in range(ATTEMPTS):
                try:
                    await asyncio.to_thread(self._post, message(job))
                    break
                except (OSError, ValueError) as error:
                    reason = getattr(error, "code", None) or type(error).__name__  # the address may be secret
                    event("webhook failed", logging.WARNING, job=job.id, attempt=attempt + 1, reason=reason)
                    await asyncio.sleep(PAUSE * 2**attempt)

    def _post(self, content: dict[str, Any]) -> None:
        request = urllib.request.Request(self._url, json.dumps(content).encode(), method="POST")
        request.add_header("Content-Type", "application/json")
        with urllib.request.urlopen(request, timeout=TIMEOUT):
            pass


def message(job: Job) -> dict[str, Any]:
    """Give what is sent about a job."""
    finished = None if job.finished is None else datetime.fromtimestamp(job.finished, UTC).isoformat()
    return {
        "event": "job ended", "id": job.id, "kind": job.kind, "state": job.state, "user": job.owner,
        "origin": job.origin, "finished": finished,
        "summary": {name: job.summary[name] for name in _OWN if name in job.summary},
    }  # fmt: skip
