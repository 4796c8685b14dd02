"""One address cannot take what all need: connections to MOSS and HTTP, and time before the first line."""

from __future__ import annotations

import asyncio
import http.client
import os
import socket
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from copysift.serve.incoming import IncomingFolder
from copysift.serve.jobs import Jobs
from copysift.serve.limits import Limits
from copysift.serve.metrics import Metrics
from copysift.serve.moss_server import MossServer
from copysift.serve.workers import Workers
from tests.serve.running import Server

MANY, FIRST = 30, 3
IDLE = 3600  # what is only idle is kept: whatever ends before has passed the time for the first line
SOON = 240  # seconds until a test gives up: a busy machine takes its time
OTHER = ("127.0.0.2", 0)  # another address of this machine


@pytest.fixture(scope="module")
def busy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    limits = ("--max-connections", str(MANY), "--first-seconds", str(FIRST), "--idle-seconds", str(IDLE))
    with Server(tmp_path_factory.mktemp("busy") / "data", *limits, "--workers", "1") as server:
        yield server


def opened(stack: ExitStack, port: int, count: int, data: bytes) -> list[socket.socket]:
    links = []
    for _ in range(count):
        links.append(stack.enter_context(socket.create_connection(("127.0.0.1", port), SOON)))
        links[-1].sendall(data)
    return links


def answer(link: socket.socket, seconds: float) -> bytes:
    """Read until the other side closes; b"" too when it aborts."""
    link.settimeout(seconds)
    found = b""
    try:
        while data := link.recv(4096):
            found += data
    except ConnectionError:
        pass
    return found


def status(server: Server, source: tuple[str, int] | None = None) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=SOON, source_address=source)
    try:
        connection.request("GET", "/api/v1/health")
        return connection.getresponse().status
    finally:
        connection.close()


def test_half_requests_of_one_address_leave_room_for_others_and_end_soon(busy: Server) -> None:
    with ExitStack() as stack:
        links = opened(stack, busy.port, MANY + 20, b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Half: ")
        assert answer(links[-1], SOON).startswith(b"HTTP/1.1 503 ")
        assert status(busy, OTHER) == 200
        assert answer(links[0], SOON) == b""
    deadline = time.monotonic() + SOON  # until the server has seen that all are closed
    while status(busy) != 200 and time.monotonic() < deadline:
        time.sleep(0.1)
    assert status(busy) == 200


def drip(link: socket.socket) -> None:
    for piece in (b"GET / HTTP/1.1\r\n", *[b"X"] * 4 * SOON):
        link.sendall(piece)
        time.sleep(0.25)


def test_bytes_that_drip_do_not_lengthen_the_time_for_headers(busy: Server) -> None:
    with socket.create_connection(("127.0.0.1", busy.port), SOON) as link:
        begun = time.monotonic()
        with pytest.raises(ConnectionError):
            drip(link)
        assert time.monotonic() - begun > FIRST - 1


def test_the_next_request_of_a_kept_connection_has_its_own_time(busy: Server) -> None:
    with socket.create_connection(("127.0.0.1", busy.port), SOON) as link:
        request = b"GET /api/v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        for pause in (FIRST + 1, 0):  # idle, and no request has started
            link.sendall(request)
            found = b""
            while b'"uptime"' not in found:
                found += link.recv(4096)
            assert found.startswith(b"HTTP/1.1 200 ")
            time.sleep(pause)
        link.sendall(b"GET /half")
        begun = time.monotonic()
        assert answer(link, SOON) == b""
        assert time.monotonic() - begun > FIRST - 1


def test_moss_connections_of_one_address_leave_room_for_others(busy: Server) -> None:
    with ExitStack() as stack:
        links = opened(stack, busy.moss_port, MANY + 1, b"m")
        words = b"Error: too many connections from your address; try again later\n"
        assert answer(links[-1], SOON) == words
        other = stack.enter_context(socket.create_connection(("127.0.0.1", busy.moss_port), SOON, OTHER))
        other.sendall(b"moss 1\ndirectory 0\nX 0\nmaxmatches 10\nshow 250\nlanguage c\n")
        assert other.recv(64) == b"yes\n"
        for _ in range(8):  # a byte now and then is not a first line
            time.sleep(0.2)
            links[0].sendall(b"o")
        assert b"silent or slow" in answer(links[0], SOON)
        other.sendall(b"end\n")


def test_only_this_machine_is_known_to_moss_without_a_list(tmp_path_factory: pytest.TempPathFactory) -> None:
    data = tmp_path_factory.mktemp("known") / "data"
    jobs = Jobs(data, Limits())
    known = MossServer(jobs, Workers(jobs, 1), lambda job: "", None, Metrics(), "local")
    assert known.owner("123", "127.0.0.1") == "local"
    assert known.owner("123", "::ffff:127.0.0.1") == "local"
    assert known.owner("123", "10.0.0.7") is None
    assert known.owner("123", "") is None
    listed = MossServer(jobs, Workers(jobs, 1), lambda job: "", {"123": "ann"}, Metrics(), None)
    assert listed.owner("123", "10.0.0.7") == "ann"
    assert listed.owner("456", "127.0.0.1") is None
    jobs.close()


def test_between_two_files_of_moss_clients_others_have_their_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns, turn_of = 0, []
    begin = IncomingFolder.begin

    def noted(self: IncomingFolder, name: str, role: str = "file") -> None:
        turn_of.append(turns)
        begin(self, name, role)

    monkeypatch.setattr(IncomingFolder, "begin", noted)

    async def client(port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"moss 1\ndirectory 0\nX 0\nmaxmatches 10\nshow 250\nlanguage c\n")
        writer.write(b"".join(b"file %d c 2 %d.c\nx\n" % (number, number) for number in range(1, 41)))
        writer.write(b"end\n")
        assert await reader.readline() == b"yes\n"
        await reader.read()
        writer.close()

    async def all_of_them() -> None:
        nonlocal turns
        moss = MossServer(jobs, Workers(jobs, 1), lambda job: "", None, Metrics(), "local")
        port = await moss.start("127.0.0.1", 0)
        clients = asyncio.gather(*(client(port) for _ in range(5)))
        while not clients.done():
            turns += 1
            await asyncio.sleep(0)
        await clients
        await moss.close()

    jobs = Jobs(tmp_path / "data", Limits())
    asyncio.run(all_of_them())
    jobs.close()
    assert len(turn_of) == 5 * 40
    assert max(Counter(turn_of).values()) <= 2


@pytest.mark.parametrize("header", ["Host: [::1", "Host: 127.0.0.1\r\nOrigin: http://["])
def test_a_host_or_origin_that_is_no_address_is_a_bad_request(server: Server, header: str) -> None:
    with socket.create_connection(("127.0.0.1", server.port), SOON) as link:
        link.sendall(f"POST /api/v1/jobs HTTP/1.1\r\n{header}\r\nConnection: close\r\n\r\n".encode())
        assert answer(link, SOON).startswith(b"HTTP/1.1 400 ")


def test_too_many_jobs_are_refused_with_the_time_to_wait(tmp_path_factory: pytest.TempPathFactory) -> None:
    data = tmp_path_factory.mktemp("limited") / "data"
    with Server(data, "--max-kept", "10", "--moss-port", "-1") as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=SOON)
        body = b'{"documents": [{"name": "a", "text": "more than ten bytes"}]}'
        connection.request("POST", "/api/v1/jobs", body, {"content-type": "application/json"})
        answered = connection.getresponse()
        assert (answered.status, answered.headers["retry-after"]) == (429, "3600")
        answered.read()
        connection.close()


def processor_seconds(pid: int) -> float:
    """Give what a process has used of processors so far: other programs do not change it."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
def test_the_start_page_is_fast_with_ten_thousand_checks(server: Server) -> None:
    jobs = Jobs(server.data, Limits())
    with jobs.database.writing() as db:
        db.exec_driver_sql(
            "INSERT INTO jobs (id, owner, kind, origin, title, request, state, created, files, bytes,"
            " summary) VALUES (?, 'local', 'scan', 'api', ?, '{}', 'done', ?, 1, 0,"
            ' \'{"pairs": 1, "highest": 1}\')',
            [(f"many-{at}", f"Check {at}", at) for at in range(10_000)],
        )
    jobs.close()
    try:
        server.ask("GET", "/")
        begun = processor_seconds(server.pid)
        for page in (1, 100, 200):
            shown, content = server.ask("GET", f"/?page={page}")
            assert shown == 200
        assert processor_seconds(server.pid) - begun < 3
        assert "page 200 of 20" in content
        assert 'rel="prev"' in content
        assert content.count("/checks/many-") == 50
        _, listed = server.ask("GET", "/api/v1/jobs?limit=1000&offset=1000")
        assert (len(listed["jobs"]), listed["next"]) == (1000, 2000)
    finally:
        jobs = Jobs(server.data, Limits())
        with jobs.database.writing() as db:
            db.exec_driver_sql("DELETE FROM jobs WHERE id LIKE 'many-%'")
        jobs.close()
