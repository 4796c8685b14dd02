"""kill -9 of server, worker or database connection, and stop and start: every accepted job ends once."""

from __future__ import annotations

import random
import re
import signal
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.serve.postgresql import PostgreSQL
from tests.serve.running import Server
from tests.serve.test_cluster import RemoteWorker
from tests.serve.test_survival import alive, descendants, ends, killed, submitted

SIZES = pytest.mark.parametrize(
    ("jobs", "kills"), [(8, 3), pytest.param(100, 12, marks=pytest.mark.slow)], ids=["8 jobs", "100 jobs"]
)
CUT = """
SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
WHERE datname = '{}' AND application_name = 'copysift'
"""


State = Callable[[], dict[str, tuple[str, int]]]  # state and claim of every job, from the database


def accepted_under(
    server: Server, jobs: int, states: State, harm: Callable[[int], None], harms: int
) -> list[str]:
    """Submit jobs while harm is done; give the ids of those that the server said it has.

    Jobs come in portions, one for each harm, so that some are under way at each. Most harms wait until
    a job runs: a slow machine would else be harmed before its workers have begun.
    """
    chance = random.Random(7)
    accepted: list[str] = []
    wanted = threading.Semaphore(0)
    stop = threading.Event()

    def send() -> None:
        while len(accepted) < jobs and not stop.is_set():
            if not wanted.acquire(timeout=0.1):
                continue
            while not stop.is_set():
                if (id_ := submitted(server, len(accepted))) is not None:
                    accepted.append(id_)
                    break
                time.sleep(0.05)

    sender = threading.Thread(target=send)
    sender.start()
    try:
        for number in range(harms):
            wanted.release(jobs * (number + 1) // harms - jobs * number // harms)
            deadline = time.monotonic() + 60
            while number % 5 and not running(states()) and time.monotonic() < deadline:
                time.sleep(0.01)
            time.sleep(chance.uniform(0.0, 0.3))
            harm(number)
        sender.join(300)
    finally:
        stop.set()
        sender.join(120)
    assert len(accepted) == jobs
    return accepted


def running(states: dict[str, tuple[str, int]]) -> bool:
    return any(state == "running" for state, _ in states.values())


def reported(server: Server, id_: str) -> int:
    return len(re.findall(rf"job done job={id_}\b", server.log()))


def assert_each_ended_once(server: Server, accepted: list[str], held: dict[str, tuple[str, int]]) -> None:
    """Every job that was accepted is done, reported at most once, and has one result: of its last claim."""
    assert set(accepted) <= set(held)
    assert {state for state, _ in held.values()} == {"done"}
    for id_, (_, claim) in held.items():
        assert reported(server, id_) <= 1
        folder = server.data / "jobs" / id_
        assert [path.name for path in folder.glob("out-*")] == [f"out-{claim}"]
        assert (folder / f"out-{claim}" / "result.json").is_file()
    assert {path.name for path in (server.data / "jobs").iterdir()} == set(held)
    assert not list((server.data / "incoming").iterdir())


@SIZES
def test_jobs_survive_kills_of_server_worker_and_job(tmp_path: Path, jobs: int, kills: int) -> None:
    chance = random.Random(7)
    with Server(tmp_path / "data") as server:

        def harm(number: int) -> None:
            below = [pid for pid in descendants(server.pid) if alive(pid)]
            if number % 4 and below:
                killed(chance.choice(below))
            else:
                server.kill()
                server.start()

        accepted = accepted_under(server, jobs, lambda: ends(server), harm, kills)
        for id_ in accepted:
            assert server.finished(id_, 300)["state"] == "done"
        server.kill(signal.SIGTERM)
    held = ends(server)
    assert_each_ended_once(server, accepted, held)
    assert kills < 10 or any(claim > 1 for _, claim in held.values())  # some were hit


@SIZES
def test_jobs_survive_kills_of_remote_workers_and_of_database_connections(
    tmp_path: Path, postgresql: PostgreSQL, jobs: int, kills: int
) -> None:
    chance = random.Random(5)
    url = postgresql.database()
    name = url.partition("?")[0].rpartition("/")[2]
    options = ("--database", url, "--store", str(tmp_path / "store"), "--worker-seconds", "2")
    cut = CUT.format(name)

    def held() -> dict[str, tuple[str, int]]:
        rows = postgresql.ask("SELECT id, state, claim FROM jobs", name)
        return {str(id_): (str(state), int(str(claim))) for id_, state, claim in rows}

    with ExitStack() as stack:
        server = stack.enter_context(Server(tmp_path / "data", "--workers", "-1", *options))
        workers = [stack.enter_context(RemoteWorker(tmp_path / f"w{at}", *options)) for at in range(2)]

        def harm(number: int) -> None:
            if number % 3 == 0:
                at = chance.randrange(2)
                workers[at].kill()
                workers[at] = stack.enter_context(RemoteWorker(tmp_path / f"new{number}", *options))
            elif number % 3 == 1:
                postgresql.ask(cut)
            else:
                server.kill()
                server.start()

        accepted = accepted_under(server, jobs, held, harm, kills)
        for number, id_ in enumerate(accepted):
            assert server.finished(id_, 300)["state"] == "done"
            status, result = server.ask("GET", f"/api/v1/jobs/{id_}/result")
            assert status == 200
            found = {frozenset((pair["left"], pair["right"])) for pair in result["pairs"]}
            assert {f"{number}-0.py", f"{number}-3.py"} in found  # equal texts
    assert set(accepted) <= set(held())
    assert {state for state, _ in held().values()} == {"done"}
    assert {id_ for id_ in held() if reported(server, id_) > 1} == set()
    assert kills < 10 or any(claim > 1 for _, claim in held().values())  # some were hit


@pytest.mark.parametrize(("jobs", "stops"), [(24, 3), pytest.param(100, 6, marks=pytest.mark.slow)])
def test_stop_and_start_while_uploads_and_jobs_are_under_way_loses_nothing(
    tmp_path: Path, jobs: int, stops: int
) -> None:
    busy: list[bool] = []
    with Server(tmp_path / "data") as server:

        def harm(number: int) -> None:
            busy.append(any(state in ("queued", "running") for state, _ in ends(server).values()))
            server.kill(signal.SIGTERM)
            server.start()

        accepted = accepted_under(server, jobs, lambda: ends(server), harm, stops)
        for id_ in accepted:
            assert server.finished(id_, 300)["state"] == "done"
        server.kill(signal.SIGTERM)
    assert any(busy)
    assert_each_ended_once(server, accepted, ends(server))
    assert "Traceback" not in server.log()
