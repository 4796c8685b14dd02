"""Past one machine: a server and workers that share PostgreSQL and a store; whatever dies, jobs end once."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType

import pytest

from tests.serve.postgresql import PostgreSQL
from tests.serve.running import Server, program

KEYS = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_EC2_METADATA_DISABLED": "true"}


class RemoteWorker:
    """`copysift worker` in a process group of its own, with nothing of the server but two addresses."""

    def __init__(self, folder: Path, *options: str) -> None:
        self._folder, self._options = folder, options

    def __enter__(self) -> RemoteWorker:
        self._folder.mkdir(exist_ok=True)
        self._log = (self._folder / "log").open("a+")
        command = [sys.executable, "-m", "copysift", "worker", "--workers", "1", *self._options]
        self.process = subprocess.Popen(
            command, cwd=self._folder, stdout=subprocess.PIPE, stderr=self._log, text=True,
            start_new_session=True, env={**os.environ, "TMPDIR": str(self._folder), "PYTHONUNBUFFERED": "1"},
        )  # fmt: skip
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert "copysift works for" in line, (self._folder / "log").read_text()
        return self

    def kill(self) -> None:
        """Kill it with all processes that it has started, as a machine that loses its power does."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(30)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(30)
        assert self.process.stdout is not None
        self.process.stdout.close()
        self._log.close()


@pytest.fixture(scope="module")
def bucket(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A bucket of a local S3 server; what to open it with is in the environment."""
    pytest.importorskip("moto", reason="moto is not installed")
    pytest.importorskip("flask", reason="moto[server] is not installed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = (tmp_path_factory.mktemp("s3") / "log").open("w")
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    process = subprocess.Popen(command, stdout=log, stderr=log, env={**os.environ, **KEYS})
    with pytest.MonkeyPatch.context() as patch:
        for name, value in KEYS.items():
            patch.setenv(name, value)
        deadline = time.monotonic() + 60
        while True:
            try:
                request = urllib.request.Request(f"http://127.0.0.1:{port}/jobs-bucket", method="PUT")
                urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=5).close()
                break
            except OSError:
                assert time.monotonic() < deadline, "the S3 server did not start"
                time.sleep(0.2)
        yield f"s3://jobs-bucket/copysift?endpoint_override=127.0.0.1:{port}&scheme=http&region=us-east-1"
    process.terminate()
    process.wait(30)
    log.close()


@pytest.fixture(params=["folder", "bucket"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return str(tmp_path / "shared") if request.param == "folder" else str(request.getfixturevalue("bucket"))


def upload(server: Server, number: int) -> str:
    documents = [{"name": f"{number}-{at}.py", "text": program(number * 10 + at)} for at in range(4)]
    status, job = server.ask("POST", "/api/v1/jobs", {"documents": documents, "title": f"Check {number}"})
    assert status == 202, job
    return str(job["id"])


def test_a_server_and_three_workers_killed_in_turn_end_every_job_once(
    tmp_path: Path, postgresql: PostgreSQL, store: str
) -> None:
    shared = ("--database", postgresql.database(), "--store", store, "--worker-seconds", "2")
    with ExitStack() as stack:
        server = stack.enter_context(Server(tmp_path / "data", "--workers", "-1", *shared))
        workers = [stack.enter_context(RemoteWorker(tmp_path / f"w{at}", *shared)) for at in range(3)]
        ids: list[str] = []
        for turn, worker in enumerate(workers):
            ids += [upload(server, turn * 4 + at) for at in range(4)]
            time.sleep(0.3)
            worker.kill()
            stack.enter_context(RemoteWorker(tmp_path / f"new{turn}", *shared))
        ids += [upload(server, 12)]
        ended = [server.finished(id_, 120) for id_ in ids]
        assert [job["state"] for job in ended] == ["done"] * 13, ended
        for id_ in ids:  # the server was never given them but by the store
            status, result = server.ask("GET", f"/api/v1/jobs/{id_}/result")
            assert status == 200
            assert len(result["pairs"]) == 6
            assert server.ask("GET", f"/checks/{id_}/report")[0] == 200
        log = server.log()
        for id_ in ids:
            assert len(re.findall(rf"job done job={id_}", log)) == 1, log
        assert server.ask("DELETE", f"/api/v1/jobs/{ids[0]}")[0] == 204
        left = [path for at in range(3) for path in (tmp_path / f"new{at}").rglob("jobs/*")]
        assert left == []  # workers keep nothing of what they have done


def test_an_index_in_the_store_is_made_queried_changed_and_used_by_checks(
    tmp_path: Path, postgresql: PostgreSQL, store: str
) -> None:
    shared = ("--database", postgresql.database(), "--store", store)
    text = "The keeper of the lighthouse wound the clock at dusk and wrote the hour into the long book. " * 3
    with (
        Server(tmp_path / "data", "--workers", "-1", *shared) as server,
        RemoteWorker(tmp_path / "w", *shared),
    ):
        for name in ("tides.txt", "other.txt"):
            body = {"documents": [{"name": name, "text": text if name == "tides.txt" else program(3)}]}
            _, job = server.ask("POST", "/api/v1/indexes/essays/documents", body)
            assert server.finished(job["id"])["state"] == "done"
        _, found = server.ask("POST", "/api/v1/indexes/essays/query", {"text": text, "name": "mine.txt"})
        assert [hit["right"] for hit in found["hits"]] == ["tides.txt"], found
        body = {"documents": [{"name": "new.txt", "text": text}], "earlier_index": "essays"}
        _, job = server.ask("POST", "/api/v1/jobs", body)
        assert server.finished(job["id"])["state"] == "done"
        _, result = server.ask("GET", f"/api/v1/jobs/{job['id']}/result")
        assert result["pairs"], result
        assert server.ask("DELETE", "/api/v1/indexes/essays/documents?document=tides.txt")[1] == {
            "removed": 1
        }
        _, listed = server.ask("GET", "/api/v1/indexes/essays/documents")
        assert [each["name"] for each in listed["documents"]] == ["other.txt"]
        assert server.ask("DELETE", "/api/v1/indexes/essays")[0] == 204


def test_lost_connections_to_the_database_lose_no_job_and_none_ends_twice(
    tmp_path: Path, postgresql: PostgreSQL
) -> None:
    url = postgresql.database()
    name = url.partition("?")[0].rpartition("/")[2]
    options = ("--workers", "2", "--database", url, "--worker-seconds", "2")
    cut = (
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
        f" WHERE datname = '{name}' AND pid <> pg_backend_pid()"
    )
    with Server(tmp_path / "data", *options) as server:
        ids = []
        for number in range(20):
            ids.append(upload(server, number))
            postgresql.ask(cut)
        ended = [server.finished(id_, 120) for id_ in ids]
        assert [job["state"] for job in ended] == ["done"] * 20
        assert len(set(ids)) == 20
        _, listed = server.ask("GET", "/api/v1/jobs")
        assert len(listed["jobs"]) == 20
        deadline = time.monotonic() + 20
        while server.log().count("job done") < 20 and time.monotonic() < deadline:
            time.sleep(0.2)
        assert server.log().count("job done") == 20


def test_a_worker_without_a_database_or_files_says_what_it_needs(tmp_path: Path) -> None:
    for options, words in (
        ((), "a worker needs the database of its server"),
        (("--database", "postgresql://x@/y"), "is not the folder of a server"),
        (
            ("--database", "mysql://x@/y", "--store", "s"),
            "--database takes the address of a PostgreSQL database",
        ),
    ):
        command = [sys.executable, "-m", "copysift", "worker", *options]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
        assert done.returncode == 2
        assert words in done.stderr


def test_a_password_is_neither_logged_nor_among_the_arguments_of_workers(
    tmp_path: Path, postgresql: PostgreSQL
) -> None:
    url = postgresql.database().replace("copysift@", "copysift:hunter2secret@")
    with Server(tmp_path / "data", "--workers", "1", "-v", "--database", "", "--database", url) as server:
        children = Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text().split()
        arguments = [Path(f"/proc/{pid}/cmdline").read_text() for pid in children]
        assert any("copysift.serve.worker" in each for each in arguments)
        assert not any("hunter2secret" in each for each in arguments)
    assert "hunter2secret" not in server.log()
