"""The workers, from the server's side: started, woken, listened to, replaced when they die."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import logging
import os
import socket
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress

from sqlalchemy.exc import OperationalError

from copysift.serve.database import ENDED_JOB
from copysift.serve.events import event
from copysift.serve.job import Job
from copysift.serve.jobs import Jobs
from copysift.serve.worker import VARIABLE, Place

POLL = 2.0  # seconds between two looks, should a word of a worker be lost
PAUSE = 0.5  # before a dead worker is replaced
GRACE = 0.5  # seconds that a worker has to leave; its job starts again with the next server


class Workers:
    """A few processes that carry out jobs."""

    def __init__(
        self, jobs: Jobs, count: int, *, database: str = "", store: str = "", elsewhere: bool = False
    ) -> None:
        """`database` and `store` are addresses, for the processes; `elsewhere`: the server is not here."""
        self._jobs, self._count, self._database, self._store = jobs, count, database, store
        self._elsewhere = elsewhere
        self._listener = None if elsewhere else jobs.database.listen(ENDED_JOB)
        self._running: dict[str, asyncio.subprocess.Process] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self._ended: dict[str, asyncio.Event] = {}
        self._looks = asyncio.Event()
        self._closing = False
        self.ended: Callable[[Job], None] | None = None  # called with every job that has ended

    def start(self) -> None:
        """Start them; each is replaced when it dies, until `close`."""
        for number in range(self._count):
            name = f"{socket.gethostname()}:{os.getpid()}:{number + 1}"
            self._tasks.append(asyncio.create_task(self._keep(name)))
        if not self._elsewhere:
            self._tasks.append(asyncio.create_task(self._look()))
            self._hear()

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
                ended.clear()  # before the look: a word that comes during it counts
                job = await asyncio.to_thread(self._jobs.get, job.id)
                left = deadline - asyncio.get_running_loop().time()
                if job.over or left <= 0:
                    return job
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
        if self._listener is not None:
            self._listener.close()

    def _hear(self) -> None:
        """Wake up when PostgreSQL says that a job has ended somewhere."""
        if self._listener is None or self._listener.fileno() < 0:
            return
        number = self._listener.fileno()
        loop, listener = asyncio.get_running_loop(), self._listener

        def heard() -> None:
            words = listener.words()
            if listener.fileno() != number:
                loop.remove_reader(number)  # the connection is lost: `_look` makes another one
            self._wake_waiting(words)

        loop.add_reader(number, heard)

    def _wake_waiting(self, ids: Iterable[str]) -> None:
        for id_ in ids:
            for waiting, ended in self._ended.items():
                if id_ in ("", waiting):
                    ended.set()
        self._looks.set()

    async def _look(self) -> None:
        """Report the jobs that have ended: when there is a word, and from time to time."""
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._looks.wait(), POLL)
            self._looks.clear()
            try:
                if self._listener is not None and self._listener.fileno() < 0:
                    self._wake_waiting(await asyncio.to_thread(self._listener.words))
                    self._hear()
                for job in await asyncio.to_thread(self._jobs.unnoted):
                    self._note(job)
                lost = await asyncio.to_thread(self._jobs.lose_silent) if self._jobs.database.shared else 0
                if lost:
                    event("worker lost", logging.WARNING, worker="elsewhere")
            except OperationalError:
                event("database not available", logging.WARNING)

    async def _keep(self, name: str) -> None:
        while not self._closing:
            process = await self._start(name)
            self._running[name] = process
            assert process.stdout is not None
            async for line in process.stdout:
                self._wake_waiting([line.decode().strip()])
            code = await process.wait()
            self._running.pop(name, None)
            event("worker lost", logging.WARNING, worker=name, status=code)
            with suppress(OperationalError):  # else the silence of the worker is enough
                await asyncio.to_thread(self._jobs.lost, name)
            await asyncio.sleep(PAUSE)

    def _note(self, job: Job) -> None:
        """Log that a job has ended, and say so to who wants to know."""
        seconds = round((job.finished or 0) - (job.started or 0), 2) if job.started and job.finished else 0
        if self.ended is not None:
            self.ended(job)
        event(f"job {job.state}", job=job.id, user=job.owner, seconds=seconds, error=job.error)

    async def _start(self, name: str) -> asyncio.subprocess.Process:
        threads = max(1, (os.cpu_count() or 1) // self._count)
        place = Place(
            str(self._jobs.data), self._database, self._store, name, threads,
            dataclasses.asdict(self._jobs.limits), self._elsewhere,
        )  # fmt: skip
        told = {VARIABLE: json.dumps(dataclasses.asdict(place))}
        return await asyncio.create_subprocess_exec(
            sys.executable, "-m", "copysift.serve.worker_process",
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", **told},
        )  # fmt: skip
