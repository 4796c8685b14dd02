"""The workers, from the server's side."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from copysift.serve import workers as module
from copysift.serve.job import CANCELLED, Job
from copysift.serve.jobs import Jobs
from copysift.serve.limits import Limits
from copysift.serve.workers import Workers


@pytest.fixture
def jobs(tmp_path: Path) -> Iterator[Jobs]:
    made = Jobs(tmp_path / "data", Limits())
    yield made
    made.close()


def test_a_job_that_ends_while_it_is_looked_at_is_not_waited_for(
    jobs: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "POLL", 60.0)
    with jobs.incoming("ann") as upload:
        upload.add("one.py", b"x = 1\n")
        job = jobs.accept(upload, "ann", "scan", {"settings": {}})
    get = jobs.get

    async def waited() -> Job:
        workers, loop = Workers(jobs, 1), asyncio.get_running_loop()

        def ends_meanwhile(id_: str) -> Job:
            found = get(id_)
            if jobs.cancel(found):
                loop.call_soon_threadsafe(workers._wake_waiting, [id_])
            return found

        monkeypatch.setattr(jobs, "get", ends_meanwhile)
        return await workers.wait(job, 20)

    begun = time.monotonic()
    assert asyncio.run(waited()).state == CANCELLED
    assert time.monotonic() - begun < 10
