"""A worker: takes one job after the other, each in a forked process with limits on time and memory.

It hears of new jobs on standard input, or from PostgreSQL, and leaves when standard input ends, which it
does when the server dies, or the `copysift worker` that started it. On standard output it says that a job
has ended. The fork costs milliseconds, for everything is loaded.
"""

from __future__ import annotations

import ctypes
import json
import logging
import os
import resource
import select
import shutil
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from sqlalchemy.exc import OperationalError

from copysift.errors import CopysiftError
from copysift.runtime import durable
from copysift.serve import work
from copysift.serve.claims import NewVersion
from copysift.serve.database import NEW_JOB, open_database
from copysift.serve.indexes import without_paths
from copysift.serve.job import DONE, FAILED, RUNNING, Job
from copysift.serve.jobs import PROGRESS, SCRATCH, Jobs
from copysift.serve.limits import Limits
from copysift.serve.rehearsal import rehearse
from copysift.serve.store import Store
from copysift.serve.transfer import bring, data_of, leave
from copysift.serve.worker_process import PR_SET_PDEATHSIG
from copysift.sources.places import forbid

log = logging.getLogger("copysift.serve")
OUTCOME = "outcome.json"
VARIABLE = "COPYSIFT_WORKER"
CONTROL = 0  # standard input
LOOK = 0.4  # seconds between two looks at whether a running job was cancelled
IDLE = 5.0  # seconds after which an idle worker looks for itself
NO_MEMORY = 3  # status of a job that could not even say so
PATIENCE = 3  # seconds between two looks at a thread that is being started
LOOKS = 20  # after which it has ended without a word, whatever the memory is by then
THREAD = 64 << 20  # bytes that a thread may want to start: its stack, and a piece of memory of its own


@dataclass(frozen=True, slots=True)
class Place:
    """Where a worker finds jobs and files, as its server says."""

    data: str
    database: str
    store: str
    name: str
    threads: int
    limits: dict[str, float]
    elsewhere: bool = False  # not beside the server: keeps no files but those of its job

    def open(self) -> Jobs:
        """Open the jobs."""
        data = Path(self.data)
        limits = Limits(**self.limits)  # type: ignore[arg-type]
        store = Store(self.store) if self.store else None
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        return Jobs(data, limits, database=open_database(data, self.database), store=store)


def main() -> None:
    """Run a worker; where, it reads from a variable, for everyone can see the arguments of a process."""
    forbid()
    place = Place(**json.loads(os.environ.pop(VARIABLE)))
    for number in (signal.SIGINT, signal.SIGTERM):  # Ctrl-C and systemd tell all; the server then ends us
        signal.signal(number, signal.SIG_IGN)
    with suppress(OSError):
        os.nice(5)  # the page comes first
    worker = Worker(place.open(), place)
    signal.signal(signal.SIGHUP, worker.hang_up)
    worker.run()


class Worker:
    """Takes jobs until standard input ends; a byte there is a word to look."""

    def __init__(self, jobs: Jobs, place: Place) -> None:
        self._jobs, self._place = jobs, place
        self._rehearsing = False
        self._listener = jobs.database.listen(NEW_JOB)

    def run(self) -> None:
        """Work until it is time to leave; a database that is away is waited for."""
        rehearsed = False
        while self._listen(0):  # a worker whose server died while it was loading takes nothing
            try:
                job = self._jobs.claim(self._place.name)
                if job is None and self._jobs.database.shared:
                    self._jobs.lose_silent()
            except OperationalError:
                log.warning("the database is not available")
                job = None
            if job is None and not rehearsed:
                rehearsed = True
                self._rehearse()
                continue
            if job is None:
                if not self._listen(IDLE):
                    return
                continue
            self._carry_out(job)
            print(job.id, flush=True)

    def hang_up(self, _number: int, _frame: FrameType | None) -> None:
        """Leave a rehearsal: the server has ended. Between jobs and during them, standard input says so."""
        if self._rehearsing:
            sys.exit(0)

    def _rehearse(self) -> None:
        self._rehearsing = True
        try:
            rehearse()
        except Exception:  # the first job will be slower, or say what is wrong
            log.warning("the rehearsal of a job failed", exc_info=True)
        finally:
            self._rehearsing = False

    def _listen(self, seconds: float) -> bool:
        """Wait for a word; False when it is time to leave."""
        heard = [CONTROL]
        if self._listener is not None:
            if self._listener.words():
                seconds = 0
            if self._listener.fileno() >= 0:
                heard.append(self._listener.fileno())
        ready, _, _ = select.select(heard, [], [], seconds)
        return CONTROL not in ready or bool(os.read(CONTROL, 4096))

    def _carry_out(self, job: Job) -> None:
        jobs, folder = self._jobs, self._jobs.folder(job.id)
        out = folder / f"out-{job.claim}"
        for path in (*folder.glob("out-*"), folder / "work", folder / SCRATCH):
            shutil.rmtree(path, ignore_errors=True)
        if jobs.store is not None:
            folder.mkdir(mode=0o700, exist_ok=True)
        with suppress(FileNotFoundError):  # deleted meanwhile
            out.mkdir(mode=0o700)
        state, error, index = DONE, "", None
        summary: dict[str, object] = {}
        try:
            with _renewed(jobs, job):
                index = bring(jobs, job)
        except (CopysiftError, OSError) as problem:
            state, error = FAILED, f"its files could not be read: {problem}"
        if state == DONE:
            state, error, summary = self._forked(job, folder, out, index)
        if state == RUNNING:  # it died, and nobody meant it to
            _until_done(lambda: jobs.lost(job.worker))
        else:
            _until_done(lambda: jobs.finish(job, state, error=error, summary=summary, index=index))
        try:
            current = jobs.get(job.id)
            jobs.tidy(current)
            if index is not None and current.state == DONE and jobs.store is not None:
                jobs.store.prune_index(index.folder, index.before, index.after)
            if jobs.store is not None and self._place.elsewhere:
                shutil.rmtree(folder, ignore_errors=True)
        except (KeyError, CopysiftError, OSError, OperationalError):
            # deleted meanwhile: nothing of it may stay, whatever was written last
            shutil.rmtree(folder, ignore_errors=True)

    def _forked(
        self, job: Job, folder: Path, out: Path, index: NewVersion | None
    ) -> tuple[str, str, dict[str, object]]:
        """Run a job in a process of its own and give its end; the store has its results then."""
        child = os.fork()
        if child == 0:
            _child(job, folder, out, self._jobs.limits, self._place.threads)
        with _renewed(self._jobs, job):
            state, error = self._watch(job, child)
            if state != DONE:
                return state, error, {}
            try:
                outcome = json.loads((out / OUTCOME).read_text(encoding="utf-8"))
                if outcome["state"] == DONE:
                    leave(self._jobs, job, out, index)
            except (OSError, ValueError, CopysiftError):
                log.exception("the results of a job could not be kept")
                return FAILED, "its results are gone", {}
            return outcome["state"], outcome["error"], outcome["summary"]

    def _watch(self, job: Job, child: int) -> tuple[str, str]:
        """Wait for the child; end it when its time is over, it was cancelled, or it is time to leave."""
        jobs = self._jobs
        deadline = time.monotonic() + jobs.limits.seconds
        watched = os.pidfd_open(child)
        try:
            while True:
                ready, _, _ = select.select([watched, CONTROL], [], [], LOOK)
                if watched in ready:
                    _, status = os.waitpid(child, 0)
                    if os.waitstatus_to_exitcode(status) == NO_MEMORY:
                        return FAILED, _memory(jobs.limits)
                    return (DONE, "") if status == 0 else (RUNNING, "")
                if CONTROL in ready and not os.read(CONTROL, 4096):
                    _end(child)
                    jobs.give_back(job)  # the next server may be there already
                    sys.exit(0)
                if time.monotonic() > deadline:
                    _end(child)
                    return FAILED, f"it took longer than {jobs.limits.seconds} seconds"
                if not self._is_ours(job):
                    _end(child)
                    return FAILED, ""
        finally:
            os.close(watched)

    def _is_ours(self, job: Job) -> bool:
        """Say whether a job was neither cancelled nor given to another worker; yes while nobody knows."""
        try:
            current = self._jobs.get(job.id)
        except KeyError:
            return False
        except OperationalError:
            return True
        return current.state == RUNNING and current.claim == job.claim


@contextmanager
def _renewed(jobs: Jobs, job: Job) -> Iterator[None]:
    """Say that the worker of a job lives, while the block runs. No thread is left for a fork to copy."""
    over = threading.Event()

    def renew() -> None:
        while not over.wait(jobs.limits.silence / 4):
            with suppress(OperationalError):
                jobs.renew(job)

    thread = threading.Thread(target=renew, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _until_done(act: Callable[[], object]) -> None:
    """Write the end of a job down, as soon as there is a database again."""
    while True:
        try:
            act()
            return
        except OperationalError:
            log.warning("the database is not available: a job waits for its end")
            time.sleep(1)


def _end(child: int) -> None:
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def _child(job: Job, folder: Path, out: Path, limits: Limits, threads: int) -> None:
    """Do the job and leave; what it finds is in `out`, and that it is whole in the outcome."""
    status = 1
    try:
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        resource.setrlimit(resource.RLIMIT_AS, (limits.memory, limits.memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        sys.unraisablehook = _unraisable
        _watch_starts()
        os.dup2(os.open(os.devnull, os.O_RDWR), 0)
        _outcome(out, *_done(job, folder, out, threads, limits))
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def _done(
    job: Job, folder: Path, out: Path, threads: int, limits: Limits
) -> tuple[str, str, dict[str, object]]:
    told = work.Told(folder / PROGRESS, job.claim)
    try:
        request = {**job.request, "title": job.title, "read_seconds": limits.read_seconds}
        return DONE, "", work.KINDS[job.kind](folder, out, request, told, threads)
    except CopysiftError as error:
        message = without_paths(error.message, data_of(folder))
        return FAILED, message + (f" ({error.hint})" if error.hint else ""), {}
    except Exception as error:
        if lacks_memory(error):
            return FAILED, _memory(limits), {}
        traceback.print_exc()
        return FAILED, f"something went wrong: {type(error).__name__}", {}


def lacks_memory(error: BaseException | None) -> bool:
    """Say whether an error comes from the limit; C code may give up without a reason, or fail to load."""
    while error is not None:
        if isinstance(error, MemoryError | SystemError) or "allocate memory" in str(error):
            return True
        if isinstance(error, ImportError) and "failed to map" in str(error):
            return True
        error = error.__cause__ or error.__context__
    return False


def _memory(limits: Limits) -> str:
    return f"it needs more than {limits.memory:,} bytes of memory"


def _watch_starts() -> None:
    """End a job whose thread ended for want of memory before it could say so: `start` would wait for ever.

    On a busy machine a thread may take seconds to start: while there is memory left, it has a minute.
    """
    last: threading.Thread | None = None
    looks = 0  # at which it was starting

    def look(_: int, frame: FrameType | None) -> None:
        nonlocal last, looks
        while frame is not None and frame.f_code is not threading.Thread.start.__code__:
            frame = frame.f_back
        starting = None if frame is None else frame.f_locals["self"]
        looks = looks + 1 if starting is not None and starting is last else 0
        if looks and (looks >= LOOKS or _used_up()):
            os._exit(NO_MEMORY)
        last = starting

    signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE, PATIENCE)


def _used_up() -> bool:
    """Say whether the limit on memory leaves too little for a thread."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    return limit != resource.RLIM_INFINITY and taken + THREAD > limit


def _unraisable(told: sys.UnraisableHookArgs) -> None:
    """End a job in which a thread found no memory to start with: who waits for that thread waits for ever."""
    if issubclass(told.exc_type, MemoryError):
        os._exit(NO_MEMORY)
    sys.__unraisablehook__(told)


def _outcome(out: Path, state: str, error: str, summary: dict[str, object]) -> None:
    told = {"state": state, "error": error, "summary": summary}
    durable.replace(out / OUTCOME, json.dumps(told).encode())
