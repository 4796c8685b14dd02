"""Clients that lie, flood, stall and drop: each is refused while it talks, and costs nothing lasting."""

from __future__ import annotations

import contextlib
import io
import json
import os
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from tests.serve.conftest import TOKENS
from tests.serve.moss_client import raw
from tests.serve.running import Server, _opener, program
from tests.serve.test_api import BOUNDARY, documents, logged_in, multipart

BYTES, FILES, KEPT = 3_000_000, 200, 4_000_000
HEAD = b"moss 1\ndirectory 0\nX 0\nmaxmatches 10\nshow 250\nlanguage python\n"
PIECE = b"x" * 65536
ROOM = 100_000_000  # what a refused client may go on with, and what the sockets between us hold


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with small limits, so that the largest lie is soon told."""
    limits = ("--max-upload", str(BYTES), "--max-files", str(FILES), "--max-kept", str(KEPT))
    folder = tmp_path_factory.mktemp("small")
    times = ("--idle-seconds", "1", "--upload-seconds", "3")
    with Server(folder / "data", *limits, *times, "--workers", "1") as server:
        yield server


def stored(server: Server) -> int:
    """Give the bytes that stand in uploads and jobs."""
    total = 0
    for place in ("incoming", "jobs"):
        for folder, _, names in os.walk(server.data / place):  # what goes meanwhile is passed over
            for name in names:
                with contextlib.suppress(OSError):
                    total += (Path(folder) / name).stat().st_size
    return total


@contextlib.contextmanager
def costs_nothing(server: Server) -> Iterator[None]:
    """Check that what happens inside leaves the server and its disk as they were."""
    before = stored(server)
    yield
    deadline = time.monotonic() + 10
    while (stored(server) != before or any((server.data / "incoming").iterdir())) and (
        time.monotonic() < deadline
    ):
        time.sleep(0.05)
    assert stored(server) == before
    assert not any((server.data / "incoming").iterdir())
    assert server.ask("GET", "/api/v1/health")[1]["status"] == "ok"


def said(link: socket.socket) -> bytes:
    """Give all that comes until the server closes."""
    parts = []
    with contextlib.suppress(ConnectionError):
        while part := link.recv(65536):
            parts.append(part)
    return b"".join(parts)


def flooded(port: int, head: bytes, pieces: Iterable[bytes]) -> tuple[int, bytes]:
    """Send pieces until the server has had enough; give how many bytes went out, and what it said."""
    sent = 0
    with socket.create_connection(("127.0.0.1", port), 20) as link:
        try:
            link.sendall(head)
            for piece in pieces:
                link.sendall(piece)
                sent += len(piece)
        except ConnectionError:
            pass
        return sent, said(link)


def posted(server: Server, length: str, path: str = "/api/v1/jobs") -> bytes:
    return (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
        f"Content-Type: multipart/form-data; boundary={BOUNDARY}\r\n{length}\r\n\r\n"
    ).encode()


def part(name: str) -> bytes:
    return f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="files"; filename="{name}"\r\n\r\n'.encode()


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


def test_ten_gigabytes_are_refused_at_the_word_and_while_they_come(small: Server) -> None:
    with costs_nothing(small):
        sent, answer = flooded(small.port, posted(small, f"Content-Length: {10**10}"), [])
        assert b" 413 " in answer
        endless = (chunk(PIECE) for _ in range(10**10 // len(PIECE)))
        head = posted(small, "Transfer-Encoding: chunked") + chunk(part("a.py"))
        sent, answer = flooded(small.port, head, endless)
        assert sent < ROOM
        assert answer == b"" or b" 413 " in answer
        some = (chunk(PIECE) for _ in range(BYTES // len(PIECE) + 20))
        assert b" 413 " in flooded(small.port, head, some)[1]  # a client that stops gets to read why


def test_ten_gigabytes_over_moss_are_refused_at_the_word_and_while_they_come(small: Server) -> None:
    with costs_nothing(small):
        assert raw(small.moss_port, HEAD + b"file 1 python 10000000000 a.py\n") == (
            b"yes\nError: a file is larger than 20000000 bytes\n"
        )
        file = b"file 1 python %d a.py\n" % len(PIECE) + PIECE
        sent, answer = flooded(small.moss_port, HEAD, (file for _ in range(10**10 // len(PIECE))))
        refused = b"yes\nError: the files together are larger than 3000000 bytes\n"
        assert sent < ROOM
        assert answer in (b"", b"yes\n", refused)
        some = (file for _ in range(BYTES // len(PIECE) + 20))
        assert flooded(small.moss_port, HEAD, some)[1] == refused


def test_a_million_files_are_refused_while_they_come(small: Server) -> None:
    with costs_nothing(small):
        files = (b"file %d python 1 %d.py\nx" % (n, n) for n in range(1, 1_000_000))
        sent, answer = flooded(small.moss_port, HEAD, files)
        assert sent < ROOM
        assert answer in (b"", b"yes\n", b"yes\nError: more than 200 files\n")
        parts = (chunk(part(f"{n}.py") + b"x\r\n") for n in range(1_000_000))
        sent, answer = flooded(small.port, posted(small, "Transfer-Encoding: chunked"), parts)
        assert sent < ROOM
        assert answer == b"" or b" 413 " in answer


def test_an_archive_cannot_hold_more_than_it_may(small: Server) -> None:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("ann.py", program(1))
        archive.writestr("bob.py", program(1))
        with archive.open("bomb.py", "w", force_zip64=True) as bomb:
            for _ in range(600):
                bomb.write(b"\0" * 1_000_000)
    body, headers = multipart([("files", "class.zip", held.getvalue())])
    status, job = small.ask("POST", "/api/v1/jobs", body, headers)
    assert status == 202
    done = small.finished(job["id"])
    assert stored(small) < 5_000_000
    if done["state"] == "done":  # what is honest in it may be compared
        _, result = small.ask("GET", f"/api/v1/jobs/{job['id']}/result")
        assert [each["name"] for each in result["skipped"]]
    assert small.ask("DELETE", f"/api/v1/jobs/{job['id']}")[0] == 204


def test_names_of_any_bytes_never_become_paths(small: Server) -> None:
    names = ["../../../evil.py", "/etc/cron.d/evil", "a\\..\\b.py", "nul\\x00.py", "\x1b[2J.py", "..", "."]
    parts = [part(name) + program(1).encode() + b"\r\n" for name in names]
    parts.append(part("@@").replace(b"@@", b"\xff\xfe\x80.py") + program(1).encode() + b"\r\n")
    body = b"".join(parts) + f"--{BOUNDARY}--\r\n".encode()
    headers = {"content-type": f"multipart/form-data; boundary={BOUNDARY}"}
    status, job = small.ask("POST", "/api/v1/jobs", body, headers)
    assert status == 202
    done = small.finished(job["id"])
    assert (done["state"], done["summary"]["documents"]) == ("done", len(names) + 1)
    found = {path.name for path in (small.data / "jobs" / job["id"] / "in").iterdir()}
    assert found == {"files.json", *map(str, range(1, len(names) + 2))}
    assert not list(small.data.parent.rglob("*evil*"))
    _, result = small.ask("GET", f"/api/v1/jobs/{job['id']}/result")
    assert "../../../evil.py" in {each["name"] for each in result["documents"]}
    assert small.ask("DELETE", f"/api/v1/jobs/{job['id']}")[0] == 204


@pytest.mark.parametrize("rest", [b"", b"half of a fi"])
def test_a_browser_that_drops_in_the_middle_leaves_nothing(small: Server, rest: bytes) -> None:
    with costs_nothing(small), socket.create_connection(("127.0.0.1", small.port), 20) as link:
        link.sendall(posted(small, "Content-Length: 100000") + part("a.py") + rest)
        deadline = time.monotonic() + 5
        while not any((small.data / "incoming").iterdir()) and time.monotonic() < deadline:
            time.sleep(0.01)
        assert any((small.data / "incoming").iterdir())


def dripped(port: int, head: bytes, drop: bytes) -> float:
    """Send a little every now and then; give the seconds after which the server has closed."""
    begun = time.monotonic()
    with socket.create_connection(("127.0.0.1", port), 20) as link, contextlib.suppress(ConnectionError):
        link.sendall(head)
        link.settimeout(0.3)
        while time.monotonic() - begun < 40:
            link.sendall(drop)
            with contextlib.suppress(TimeoutError):
                if not link.recv(4096):
                    break
    return time.monotonic() - begun


def test_clients_that_send_slowly_or_nothing_are_let_go(small: Server) -> None:
    taken: dict[str, float] = {}
    conversations = {
        "silent": (small.port, b"", b""),
        "half a request": (small.port, b"GET / HTTP/1.1\r\n", b"X: y\r\n"),
        "a slow upload": (small.port, posted(small, "Content-Length: 100000") + part("a"), b"x"),
        "a slow login": (small.port, posted(small, "Content-Length: 90000", "/login"), b"x"),
        "MOSS, silent": (small.moss_port, b"", b""),
        "MOSS, a slow file": (small.moss_port, HEAD + b"file 1 python 1000 a.py\n", b"x"),
    }
    with costs_nothing(small):
        threads = [
            threading.Thread(target=lambda name=name, how=how: taken.update({name: dripped(*how)}))
            for name, how in conversations.items()
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert set(taken) == set(conversations)
    assert max(taken.values()) < 30, taken


def held(server: Server, link: socket.socket) -> bool:
    """Say whether the server's end of a connection is open, as the system sees it (1 is ESTABLISHED)."""
    ends = [f"0100007F:{port:04X}" for port in (server.port, link.getsockname()[1])]
    rows = (line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:])
    return any([*row[1:3]] == ends and int(row[3], 16) == 1 for row in rows)


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="connections are seen in /proc")
def test_a_client_that_does_not_read_its_answer_is_let_go(small: Server) -> None:
    texts = [program(n % 2, 60) * 30 for n in range(12)]
    _, job = small.ask("POST", "/api/v1/jobs", documents(*texts))
    assert small.finished(job["id"])["state"] == "done"
    place = f"/checks/{job['id']}/report"
    with socket.socket() as link:
        link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        link.settimeout(20)
        link.connect(("127.0.0.1", small.port))
        ask = f"GET {place} HTTP/1.1\r\nHost: 127.0.0.1:{small.port}\r\n\r\n".encode()
        link.sendall(ask * 400)  # 37 MB of answers: more than the sockets between us hold
        assert held(small, link)
        deadline = time.monotonic() + 60  # a busy machine fills the sockets slowly
        while held(small, link) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not held(small, link)
        taken = 0
        with contextlib.suppress(ConnectionError):
            while part := link.recv(1 << 20):
                taken += len(part)
    whole = len(small.ask("GET", place)[1])
    assert taken < 400 * whole
    assert small.ask("DELETE", f"/api/v1/jobs/{job['id']}")[0] == 204


def test_many_uploads_at_once_take_no_more_than_one_after_the_other(small: Server) -> None:
    links = []
    with costs_nothing(small):
        answers = []
        for number in range(3):  # each within its own limit, together above that of the user
            link = socket.create_connection(("127.0.0.1", small.port), 20)
            links.append(link)
            body = part(f"{number}.py") + b"x" * 1_900_000
            with contextlib.suppress(ConnectionError):
                link.sendall(posted(small, "Content-Length: 2000000") + body)
        for link in links:
            answers.append(said(link))
            link.close()
    assert [b" 429 " in answer for answer in answers].count(True) >= 1, answers
    assert all(b" 408 " in answer or b" 429 " in answer for answer in answers), answers


@pytest.mark.parametrize(
    "start",
    [
        b"GET /" + PIECE,
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: " + PIECE,
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n" + 9000 * b"X-Many: y\r\n",
        b"POST /api/v1/jobs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n0\r\n" + 9000 * b"X-Many: y\r\n",
    ],
    ids=["address", "header", "headers", "after the body"],
)
def test_headers_without_end_are_refused_while_they_come(small: Server, start: bytes) -> None:
    with costs_nothing(small), contextlib.suppress(ConnectionError):
        link = socket.create_connection(("127.0.0.1", small.port), timeout=20)
        sent = 0
        try:
            link.sendall(start)
            while sent < ROOM:
                link.sendall(PIECE)
                sent += len(PIECE)
        except ConnectionError:
            pass
        assert sent < ROOM, "it read on"
        answer = said(link)
        link.close()
        assert b" 431 " in answer or b" 400 " in answer or not answer, answer


def test_methods_that_nobody_knows_are_counted_as_one(small: Server) -> None:
    assert small.ask("MADE-UP", "/")[0] == 400
    for name in ("PROPFIND", "MKCOL", "PURGE"):
        assert small.ask(name, "/")[0] == 405
    text = small.ask("GET", "/api/v1/metrics")[1]
    assert not any(name in text for name in ("MADE-UP", "PROPFIND", "MKCOL", "PURGE"))
    assert 'method="other"' in text


def test_strangers_cannot_send_more_than_a_token_needs(guarded: Server) -> None:
    body = b"x" * 200_000
    for path in ("/api/v1/compare", "/api/v1/jobs", "/login", "/checks"):
        headers = {"content-type": "application/json"}
        assert guarded.ask("POST", path, body, headers)[0] == 413, path
    wanted = {"content-type": "application/json"}
    known = guarded.ask("POST", "/api/v1/compare", body, wanted, token=TOKENS["ann"])[0]
    assert known == 422  # it was read


def test_pages_of_a_user_are_not_there_for_another(guarded: Server) -> None:
    ann, bob = (logged_in(guarded, TOKENS[name]) for name in ("ann", "bob"))
    _, job = guarded.ask("POST", "/api/v1/jobs", documents(program(1), program(1)), token=TOKENS["ann"])
    guarded.finished(job["id"], token=TOKENS["ann"])
    place = f"/checks/{job['id']}"
    for path in ("", "/status", "/report", "/marks"):
        assert guarded.ask("GET", place + path, headers={"cookie": ann})[0] == 200
        assert guarded.ask("GET", place + path, headers={"cookie": bob})[0] == 404
        assert guarded.ask("GET", place + path)[0] == 303
    _, marks = guarded.ask("GET", f"{place}/marks", headers={"cookie": ann})
    form = {"content-type": "application/x-www-form-urlencoded"}
    for action in ("keep", "share", "cancel", "again", "delete"):
        for cookie, answer in ((bob, 403), ("", 401)):  # ann's form in bob's hands is no form of his
            body = urllib.parse.urlencode({"form_token": marks["form_token"]}).encode()
            assert guarded.ask("POST", f"{place}/{action}", body, {**form, "cookie": cookie})[0] == answer
    assert guarded.ask("GET", place, headers={"cookie": ann})[0] == 200


def test_behind_a_proxy_it_goes_by_its_public_address(tmp_path: Path) -> None:
    (tmp_path / "tokens").write_text(f"ann {TOKENS['ann']}\n")
    public = "https://school.example:8443/copysift"
    options = ("--token-file", str(tmp_path / "tokens"), "--public-url", public, "--workers", "1")
    server = Server(tmp_path / "data", *options, url=public)
    with socket.create_server(("127.0.0.1", 0)) as free:
        server.port = free.getsockname()[1]
    with server:
        assert server.url == public
        server.url = f"http://127.0.0.1:{server.port}"
        with pytest.raises(urllib.error.HTTPError) as moved:
            _opener.open(f"{server.url}/")
        with moved.value as answer:
            assert answer.headers["location"] == "/copysift/login"
        cookie = logged_in(server, TOKENS["ann"], whole=True)
        assert "Secure" in cookie
        assert "Path=/copysift" in cookie
        known = {"cookie": cookie.split(";")[0]}
        assert 'href="/copysift/ask"' in server.ask("GET", "/", headers=known)[1]
        form = {**known, "content-type": "application/x-www-form-urlencoded"}
        for origin, status in (("https://school.example:8443", 303), ("https://school.example", 403)):
            assert server.ask("POST", "/logout", b"", {**form, "origin": origin})[0] == status


def test_it_listens_for_others_only_with_tokens(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "copysift", "serve", "--data", str(tmp_path / "d"), "--port", "0"]
    done = subprocess.run([*command, "--host", "0.0.0.0"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert "would listen on 0.0.0.0 for everyone" in done.stderr
    assert "--token-file" in done.stderr
    (tmp_path / "short").write_text("ann tooshort\n")
    done = subprocess.run(
        [*command, "--token-file", str(tmp_path / "short")], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, "16 characters" in done.stderr) == (2, True)


def test_no_page_lets_anything_of_its_content_run(server: Server) -> None:
    evil = '"><script>alert(1)</script>'
    texts = {"documents": [{"name": f"{n}{evil}.py", "text": program(1) + evil} for n in range(2)]}
    _, job = server.ask("POST", "/api/v1/jobs", {**texts, "title": evil})
    assert server.finished(job["id"])["state"] == "done"
    for path in ("/", f"/checks/{job['id']}", f"/checks/{job['id']}/report", "/ask", "/indexes"):
        with urllib.request.urlopen(server.url + path) as answer:
            policy, content = answer.headers["content-security-policy"], answer.read().decode()
        scripts = policy.partition("script-src ")[2].partition(";")[0]
        assert "unsafe" not in scripts
        assert "default-src 'none'" in policy
        assert "<script>alert" not in content
    with urllib.request.urlopen(f"{server.url}/api/v1/jobs/{job['id']}/result") as answer:
        assert answer.headers["content-type"] == "application/json"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert evil in json.loads(answer.read())["documents"][0]["name"]
