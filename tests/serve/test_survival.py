"""What is left of a server, a worker or a job that is killed or stopped, and who notices."""

from __future__ import annotations

import contextlib
import http.client
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from copysift.serve import worker
from copysift.serve.jobs import Jobs
from copysift.serve.limits import Limits
from tests.serve.moss_client import submit
from tests.serve.running import Server, program


def descendants(pid: int) -> list[int]:
    """Give the processes below one: workers, and the jobs that they have forked."""
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            for child in map(int, task.read_text().split()):
                found += [child, *descendants(child)]
    return found


def killed(pid: int) -> bool:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
        return True
    return False


def alive(pid: int) -> bool:
    """Tell whether a process runs; one that nobody has waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def submitted(server: Server, number: int) -> str | None:
    """Submit a job; give its id if the server said that it has it."""
    texts = [{"name": f"{number}-{n}.py", "text": program(number * 10 + n % 3, 60)} for n in range(4)]
    try:
        status, job = server.ask("POST", "/api/v1/jobs", {"documents": texts})
    except (OSError, http.client.HTTPException):  # it died while it was asked
        return None
    return str(job["id"]) if status == 202 else None


def ends(server: Server) -> dict[str, tuple[str, int]]:
    with contextlib.closing(sqlite3.connect(server.data / "jobs.sqlite")) as db:
        return {row[0]: (row[1], row[2]) for row in db.execute("SELECT id, state, claim FROM jobs")}


def test_a_dead_worker_is_replaced_and_its_job_taken_up_again(tmp_path: Path) -> None:
    with Server(tmp_path / "data", "--workers", "1") as server:
        texts = [{"name": f"{n}.py", "text": program(n % 5, 900)} for n in range(8)]
        _, job = server.ask("POST", "/api/v1/jobs", {"documents": texts})
        deadline = time.monotonic() + 30
        while (
            server.ask("GET", f"/api/v1/jobs/{job['id']}")[1]["state"] == "queued"
            and time.monotonic() < deadline
        ):
            time.sleep(0.02)
        (worker,) = [pid for pid in descendants(server.pid) if pid in children(server.pid)]
        assert killed(worker)
        assert server.finished(job["id"])["state"] == "done"
        assert ends(server)[job["id"]][1] == 2


def test_a_word_to_stop_is_for_the_server_and_not_for_its_workers(tmp_path: Path) -> None:
    texts = [{"name": f"{n}.py", "text": program(n % 2)} for n in range(2)]
    with Server(tmp_path / "data", "--workers", "1") as server:
        for _ in range(2):
            _, job = server.ask("POST", "/api/v1/jobs", {"documents": texts})
            assert server.finished(job["id"])["state"] == "done"
            (worker,) = children(server.pid)
            os.kill(worker, signal.SIGTERM)  # as systemd does with all processes of a service
    assert "worker lost" not in server.log()


def children(pid: int) -> list[int]:
    return [
        int(child)
        for task in Path(f"/proc/{pid}/task").glob("*/children")
        for child in task.read_text().split()
    ]


def test_workers_leave_when_the_server_is_killed(tmp_path: Path) -> None:
    server = Server(tmp_path / "data").start()
    deadline = time.monotonic() + 60
    while len(below := descendants(server.pid)) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert len(below) >= 2
    server.kill()
    deadline = time.monotonic() + 30
    while any(map(alive, below)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(alive, below))


STARTER = """
import subprocess, sys, time
print(subprocess.Popen([sys.executable, "-m", "copysift.serve.worker_process"]).pid, flush=True)
time.sleep(3600)
"""


def test_a_worker_that_is_loading_leaves_when_its_server_dies(tmp_path: Path) -> None:
    loads = tmp_path / "sqlalchemy.py"  # what a worker loads, and never ends
    loads.write_text(
        "import time\nfrom pathlib import Path\nPath(__file__).with_name('begun').touch()\ntime.sleep(3600)\n"
    )
    command = [sys.executable, "-c", STARTER]
    # Standard input, which the worker has too, stays open: it is not what tells it.
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    ) as starter:  # fmt: skip
        assert starter.stdout is not None
        worker = int(starter.stdout.readline())
        try:
            deadline = time.monotonic() + 120
            while not (tmp_path / "begun").exists() and time.monotonic() < deadline:
                time.sleep(0.02)
            assert alive(worker)
            starter.kill()
            deadline = time.monotonic() + 60
            while alive(worker) and time.monotonic() < deadline:
                time.sleep(0.02)
            assert not alive(worker)
        finally:
            killed(worker)


def test_a_moss_client_that_waits_when_the_server_stops_is_let_go(tmp_path: Path) -> None:
    with Server(tmp_path / "data", "--workers", "1") as server:
        files = [(f"{n}.py", program(n % 5, 900).encode()) for n in range(8)]
        heard: list[tuple[str, str]] = []
        client = threading.Thread(target=lambda: heard.append(submit(server.moss_port, files)))
        client.start()
        deadline = time.monotonic() + 60
        while "origin=moss" not in server.log() and time.monotonic() < deadline:
            time.sleep(0.01)
        server.kill(signal.SIGTERM)
        client.join(60)
    assert heard == [("yes", "")]
    assert 'reason="the server stops"' in server.log()
    assert "Traceback" not in server.log()


def test_a_server_that_is_told_to_stop_does_not_wait_for_a_thread_that_hangs(tmp_path: Path) -> None:
    texts = [{"name": f"{n}.py", "text": program(n)} for n in range(2)]
    with Server(tmp_path / "data", "--workers", "1") as server:
        _, job = server.ask("POST", "/api/v1/jobs", {"documents": texts})
        assert server.finished(job["id"])["state"] == "done"
        page = server.data / "jobs" / job["id"] / f"out-{ends(server)[job['id']][1]}" / "page.json"
        kept = page.rename(page.with_name("kept"))
        os.mkfifo(page)  # a disk that does not answer

        def read() -> None:
            with contextlib.suppress(OSError, http.client.HTTPException):
                server.ask("GET", f"/checks/{job['id']}/report")

        reader = threading.Thread(target=read)
        reader.start()
        writer = None
        while writer is None:  # until the server waits for what is never written
            with contextlib.suppress(OSError):
                writer = os.open(page, os.O_WRONLY | os.O_NONBLOCK)
            time.sleep(0.02)
        server.kill(signal.SIGTERM)  # fails when the process is there after half a minute
        os.close(writer)
        reader.join(60)
        assert 'reason="requests did not end in time"' in server.log()
        page.unlink()
        kept.rename(page)
        server.start()
        assert server.ask("GET", f"/checks/{job['id']}/report")[0] == 200


def test_a_second_server_on_the_same_folder_is_refused(tmp_path: Path) -> None:
    with Server(tmp_path / "data", "--workers", "1") as server:
        with pytest.raises(AssertionError, match="is in use by another server"):
            Server(server.data).start()
        assert server.ask("GET", "/api/v1/health")[0] == 200


@pytest.mark.parametrize(
    ("error", "lacks"),
    [
        (MemoryError(), True),
        (SystemError("returned NULL without setting an exception"), True),
        (ImportError("x.so: failed to map segment from shared object"), True),
        (OSError(12, "Cannot allocate memory"), True),
        (ValueError("wrong"), False),
    ],
)
def test_what_a_joblacks_memory_by_is_recognised(error: Exception, lacks: bool) -> None:
    assert worker.lacks_memory(error) is lacks
    wrapped = RuntimeError("later")
    wrapped.__cause__ = error
    assert worker.lacks_memory(wrapped) is lacks


SLOW_START = """
import _thread, os, resource, sys, threading, time
from pathlib import Path
from copysift.serve import worker

def start(run, given):
    return _thread.start_new_thread(lambda: (time.sleep(1), run(*given)), ())

room, looks = map(int, sys.argv[1:])
worker.PATIENCE, worker.LOOKS = 0.1, looks
worker._watch_starts()
threading._start_new_thread = start
if room:
    taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (taken + room, taken + room))
thread = threading.Thread(target=print, args=("started",))
thread.start()
thread.join()
sys.stdout.flush()
os._exit(0)  # as a job ends
"""
MANY = 10**9


@pytest.mark.parametrize(
    ("room", "looks", "status"),
    [(0, MANY, 0), (2 << 30, MANY, 0), (32 << 20, MANY, worker.NO_MEMORY), (0, 2, worker.NO_MEMORY)],
)
def test_a_thread_that_starts_slowly_is_no_want_of_memory_while_there_is_some(
    room: int, looks: int, status: int
) -> None:
    command = [sys.executable, "-c", SLOW_START, str(room), str(looks)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (status, "" if status else "started\n"), done.stderr


def test_a_job_has_so_much_time_and_memory(tmp_path: Path) -> None:
    texts = [{"name": f"{n}.py", "text": program(n, 3000)} for n in range(10)]
    with Server(tmp_path / "data", "--workers", "1", "--job-seconds", "1") as server:
        _, job = server.ask(
            "POST", "/api/v1/jobs", {"documents": texts, "settings": {"scheme": "all", "threshold": 0}}
        )
        done = server.finished(job["id"])
        assert (done["state"], done["error"]) == ("failed", "it took longer than 1 seconds")
    with Server(tmp_path / "small", "--workers", "1", "--job-memory", "100MB") as server:
        _, job = server.ask("POST", "/api/v1/jobs", {"documents": texts, "settings": {"scheme": "all"}})
        done = server.finished(job["id"])
        assert (done["state"], done["error"]) == ("failed", "it needs more than 100,000,000 bytes of memory")
        assert server.ask("GET", "/api/v1/health")[1]["status"] == "ok"


def test_results_expire_and_a_moss_result_outlives_a_restart(tmp_path: Path) -> None:
    files = [(f"{n}.py", program(1).encode()) for n in range(2)]
    with Server(tmp_path / "data", "--workers", "1") as server:
        _, address = submit(server.moss_port, files)
        assert server.ask("GET", address.removeprefix(server.url))[0] == 200
        server.kill()
        server.start()
        path = address.removeprefix(server.url)
        assert server.ask("GET", path)[0] == 200
        jobs = Jobs(server.data, Limits())
        assert len(jobs.expire(time.time() + 15 * 86400)) == 1
        jobs.close()
        assert server.ask("GET", path)[0] == 404
