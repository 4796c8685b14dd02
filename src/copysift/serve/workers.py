"""The workers, from the server's side: started, woken, listened to, replaced when they die."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import logging
import os
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress

from copysift.serve.events import event
from copysift.serve.jobs import Job, Jobs

POLL = 2.0  # seconds between two looks, should a word of a worker be lost
PAUSE = 0.5  # before a dead worker is replaced
GRACE = 0.5  # seconds that a worker has to leave; its job starts again with the next server


class Workers:
    """A few processes that carry out jobs."""

    def __init__(self, jobs: Jobs, count: int) -> None:
        self._jobs, self._count = jobs, count
        self._running: dict[str, asyncio.subprocess.Process] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self._ended: dict[str, asyncio.Event] = {}
        self._closing = False
        self.ended: Callable[[Job], None] | None = None  # called with every job that has ended

    def start(self) -> None:
        """Start them; each is replaced when it dies, until `close`."""
        for number in range(self._count):
            self._tasks.append(asyncio.create_task(self._keep(f"worker-{number + 1}")))

    def wake(self) -> None:
        """Let them look for a new job."""
        for process in self._running.values():
            if process.stdin is not None and not process.stdin.is_closing():
                process.stdin.write(b".")

    async def wait(self, job: Job, seconds: float) -> Job:
        """Wait until a job is over, at most this long, and give it as it is then."""
        ended = self._ended.setdefault(job.id, asyncio.Event())
        deadline = asyncio.get_running_loop().time() + seconds
        try:
            while True:
                job = await asyncio.to_thread(self._jobs.get, job.id)
                left = deadline - asyncio.get_running_loop().time()
                if job.over or left <= 0:
                    return job
                ended.clear()
                with suppress(TimeoutError):
                    await asyncio.wait_for(ended.wait(), min(left, POLL))
        finally:
            self._ended.pop(job.id, None)

    def processes(self) -> Iterable[int]:
        """Give the process numbers of the workers that run."""
        return [process.pid for process in self._running.values()]

    async def close(self) -> None:
        """End them; what they were doing waits for the next start."""
        self._closing = True
        for task in self._tasks:
            task.cancel()
        for process in list(self._running.values()):
            if process.stdin is not None:
                process.stdin.close()
        for process in list(self._running.values()):
            try:
                await asyncio.wait_for(process.wait(), GRACE)
            except TimeoutError:  # it is still loading, or a job does not let go
                process.kill()
                await process.wait()
        self._running.clear()

    async def _keep(self, name: str) -> None:
        while not self._closing:
            process = await self._start(name)
            self._running[name] = process
            assert process.stdout is not None
            async for line in process.stdout:
                id_ = line.decode().strip()
                ended = self._ended.get(id_)
                if ended is not None:
                    ended.set()
                await self._note(id_)
            code = await process.wait()
            self._running.pop(name, None)
            event("worker lost", logging.WARNING, worker=name, status=code)
            await asyncio.to_thread(self._jobs.lost, name)
            await asyncio.sleep(PAUSE)

    async def _note(self, id_: str) -> None:
        """Log that a job has ended."""
        with suppress(KeyError):  # deleted meanwhile
            job = await asyncio.to_thread(self._jobs.get, id_)
            seconds = round((job.finished or 0) - (job.started or 0), 2) if job.finished else 0
            if self.ended is not None and job.over:
                self.ended(job)
            event(f"job {job.state}", job=id_, user=job.owner, seconds=seconds, error=job.error)

    async def _start(self, name: str) -> asyncio.subprocess.Process:
        limits = json.dumps(dataclasses.asdict(self._jobs.limits))
        threads = str(max(1, (os.cpu_count() or 1) // self._count))
        return await asyncio.create_subprocess_exec(
            sys.executable, "-m", "copysift.serve.worker", str(self._jobs.data), name, limits, threads,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
        )  # fmt: skip
