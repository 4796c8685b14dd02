"""A worker: takes one job after the other, each in a forked process with limits on time and memory.

It is told of new jobs on standard input and leaves when that ends, which it does when the server dies.
On standard output it says which job has ended. The fork costs milliseconds, for everything is loaded.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import select
import shutil
import signal
import sys
import threading
import time
import traceback
from contextlib import suppress
from pathlib import Path
from types import FrameType

from copysift.errors import CopysiftError
from copysift.runtime import durable
from copysift.serve.jobs import DONE, FAILED, PROGRESS, RUNNING, Job, Jobs
from copysift.serve.limits import Limits

OUTCOME = "outcome.json"
LOOK = 0.4  # seconds between two looks at whether a running job was cancelled
IDLE = 5.0  # seconds after which an idle worker looks for itself
PR_SET_PDEATHSIG = 1
NO_MEMORY = 3  # status of a job that could not even say so
PATIENCE = 3  # seconds between two looks at a thread that is being started


def main(arguments: list[str]) -> None:
    """Run a worker: data folder, its name, limits as JSON, threads a job."""
    data, name, limits, threads = arguments
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which then ends us
    with suppress(OSError):
        os.nice(5)  # the page comes first
    jobs = Jobs(Path(data), Limits(**json.loads(limits)))
    from copysift.serve import work  # loaded once, here, and not in every job

    assert work.KINDS
    while _listen(0):  # a worker whose server died while it was loading takes nothing
        job = jobs.claim(name)
        if job is None:
            if not _listen(IDLE):
                return
            continue
        _carry_out(jobs, job, int(threads))
        print(job.id, flush=True)


def _listen(seconds: float) -> bool:
    """Wait for a word of the server; False when the server is gone."""
    ready, _, _ = select.select([0], [], [], seconds)
    return not ready or bool(os.read(0, 4096))


def _carry_out(jobs: Jobs, job: Job, threads: int) -> None:
    folder = jobs.folder(job.id)
    out = folder / f"out-{job.claim}"
    for path in (*folder.glob("out-*"), folder / "work"):
        shutil.rmtree(path, ignore_errors=True)
    with suppress(FileNotFoundError):  # deleted meanwhile
        out.mkdir(mode=0o700)
    child = os.fork()
    if child == 0:
        _child(job, folder, out, jobs.limits, threads)
    state, error = _watch(jobs, job, child)
    summary = {}
    if state == DONE:
        try:
            outcome = json.loads((out / OUTCOME).read_text(encoding="utf-8"))
            state, error, summary = outcome["state"], outcome["error"], outcome["summary"]
        except (OSError, ValueError):
            state, error = FAILED, "its results are gone"
    if state == RUNNING:  # it died, and nobody meant it to
        jobs.lost(job.worker)
    else:
        jobs.finish(job, state, error=error, summary=summary)
    try:
        jobs.tidy(jobs.get(job.id))
    except KeyError:  # deleted meanwhile: nothing of it may stay, whatever was written last
        shutil.rmtree(folder, ignore_errors=True)


def _watch(jobs: Jobs, job: Job, child: int) -> tuple[str, str]:
    """Wait for the child; end it when its time is over, when it was cancelled or when the server is gone."""
    deadline = time.monotonic() + jobs.limits.seconds
    watched = os.pidfd_open(child)
    try:
        while True:
            ready, _, _ = select.select([watched, 0], [], [], LOOK)
            if watched in ready:
                _, status = os.waitpid(child, 0)
                if os.waitstatus_to_exitcode(status) == NO_MEMORY:
                    return FAILED, _memory(jobs.limits)
                return (DONE, "") if status == 0 else (RUNNING, "")
            if 0 in ready and not os.read(0, 4096):
                _end(child)
                jobs.give_back(job)  # the next server may be there already
                sys.exit(0)
            if time.monotonic() > deadline:
                _end(child)
                return FAILED, f"it took longer than {jobs.limits.seconds} seconds"
            try:
                current = jobs.get(job.id)
            except KeyError:
                current = None
            if current is None or current.state != RUNNING or current.claim != job.claim:
                _end(child)
                return FAILED, ""
    finally:
        os.close(watched)


def _end(child: int) -> None:
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def _child(job: Job, folder: Path, out: Path, limits: Limits, threads: int) -> None:
    """Do the job and leave; what it finds stands in `out`, and that it is whole in the outcome."""
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
    from copysift.serve import work

    told = work.Told(folder / PROGRESS, job.claim)
    try:
        return DONE, "", work.KINDS[job.kind](folder, out, {**job.request, "title": job.title}, told, threads)
    except CopysiftError as error:
        return FAILED, error.message + (f" ({error.hint})" if error.hint else ""), {}
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
    """End a job whose thread died of want of memory before it could say so: `start` waits for it for ever."""
    last: threading.Thread | None = None

    def look(_: int, frame: FrameType | None) -> None:
        nonlocal last
        while frame is not None and frame.f_code is not threading.Thread.start.__code__:
            frame = frame.f_back
        starting = None if frame is None else frame.f_locals["self"]
        if starting is not None and starting is last:
            os._exit(NO_MEMORY)
        last = starting

    signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE, PATIENCE)


def _unraisable(told: sys.UnraisableHookArgs) -> None:
    """End a job in which a thread found no memory to begin with: who waits for that thread waits for ever."""
    if issubclass(told.exc_type, MemoryError):
        os._exit(NO_MEMORY)
    sys.__unraisablehook__(told)


def _outcome(out: Path, state: str, error: str, summary: dict[str, object]) -> None:
    told = {"state": state, "error": error, "summary": summary}
    durable.replace(out / OUTCOME, json.dumps(told).encode())


if __name__ == "__main__":
    main(sys.argv[1:])
