"""Import by URL: off by default, from listed servers only, never from the own network, whatever names are."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from copysift.errors import CopysiftError, UsageError
from copysift.serve import remote_files
from copysift.serve.incoming import IncomingFolder, uploaded
from copysift.serve.limits import LimitError, Limits
from copysift.serve.remote_files import addresses_of, import_file, is_allowed, is_public
from tests.serve.running import Server

LIMITS = Limits(file_bytes=1000, job_bytes=1000)


class Site:
    """A web server of a test; `answers` are status, headers and body by path."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site.asked.append(f"{self.headers['host']}{self.path}")
                if self.path.startswith("/to/"):
                    self.send_response(302)
                    self.send_header("location", self.path.removeprefix("/to/"))
                    self.end_headers()
                    return
                data = b"x" * 5000 if self.path == "/large" else b"a = 1\n"
                self.send_response(200 if self.path != "/missing" else 404)
                if self.path == "/named":
                    self.send_header("content-disposition", 'attachment; filename="../../etc/work.py"')
                self.send_header("content-length", str(len(data) + (9 if self.path == "/cut" else 0)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *given: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def site() -> Iterator[Site]:
    made = Site()
    yield made
    made.close()


@pytest.fixture
def public(site: Site, monkeypatch: pytest.MonkeyPatch) -> str:
    """A name that the public internet has for the site, as far as the importer can see."""
    monkeypatch.setattr(remote_files, "addresses_of", lambda host, port: ["127.0.0.1"])
    return f"git.example.org:{site.port}"


def fetched(tmp_path: Path, url: str, *hosts: str) -> list[tuple[str, bytes]]:
    with IncomingFolder(tmp_path / "in", LIMITS) as upload:
        import_file(url, upload, hosts, LIMITS)
        upload.seal()
        return [(each.name, path.read_bytes()) for each, path in uploaded(upload.folder)]


def test_a_file_of_a_listed_server_is_brought_under_its_name(tmp_path: Path, public: str, site: Site) -> None:
    assert fetched(tmp_path, f"http://{public}/class/work.py?raw=1", public) == [("work.py", b"a = 1\n")]
    assert site.asked == [f"{public}/class/work.py?raw=1"]


def test_the_name_that_a_server_gives_never_has_folders(tmp_path: Path, public: str) -> None:
    assert fetched(tmp_path, f"http://{public}/named", public) == [("work.py", b"a = 1\n")]


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/missing", "answers 404"),
        ("/large", "a file is larger than 1,000 bytes"),
        ("/cut", "ended too early|the connection broke"),
        ("/to//to//to//to//to//to//to/x", "more than 5 redirects"),
        ("/to/http://169.254.169.254/latest", "files cannot be imported from 169.254.169.254"),
        ("/to/file:///etc/passwd", "only plain http: and https: addresses"),
    ],
)
def test_what_cannot_be_brought_leaves_nothing(tmp_path: Path, public: str, path: str, words: str) -> None:
    with pytest.raises(CopysiftError, match=words):
        fetched(tmp_path, f"http://{public}{path}", public)
    assert not (tmp_path / "in").exists()


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "::1", "10.0.0.1", "192.168.1.1", "172.16.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0",
     "::ffff:127.0.0.1", "fe80::1", "fc00::1", "224.0.0.1", "2002:7f00:1::", "::", "255.255.255.255"],
)  # fmt: skip
def test_addresses_of_the_own_network_are_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["140.82.121.4", "2606:50c0:8000::153"])
def test_addresses_of_the_internet_are_public(address: str) -> None:
    assert is_public(address)


def test_a_name_with_one_private_address_among_others_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [(2, 1, 6, "", ("140.82.121.4", 443)), (2, 1, 6, "", ("10.0.0.1", 443))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *given, **named: found)
    with pytest.raises(UsageError, match="is not on the public internet"):
        addresses_of("git.example.org", 443)


def test_a_name_that_means_another_machine_the_second_time_is_not_asked_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lookups: list[str] = []
    connected: list[object] = []

    def look(host: str, *given: object, **named: object) -> list[object]:
        lookups.append(host)
        address = "140.82.121.4" if len(lookups) == 1 else "127.0.0.1"
        return [(2, 1, 6, "", (address, 80))]

    def connect(address: object, timeout: float) -> socket.socket:
        connected.append(address)
        raise OSError("no network in tests")

    monkeypatch.setattr(socket, "getaddrinfo", look)
    monkeypatch.setattr(socket, "create_connection", connect)
    with pytest.raises(UsageError, match="does not answer"):
        fetched(tmp_path, "http://rebind.example.org/x", "rebind.example.org")
    assert connected == [("140.82.121.4", 80)]
    assert lookups == ["rebind.example.org"]


@pytest.mark.parametrize(
    ("host", "port", "listed", "allowed"),
    [
        ("git.example.org", 443, ("git.example.org",), True),
        ("git.example.org", 8443, ("git.example.org",), False),
        ("git.example.org", 8443, ("git.example.org:8443",), True),
        ("a.example.org", 443, ("*.example.org",), True),
        ("example.org", 443, ("*.example.org",), False),
        ("evilexample.org", 443, ("*.example.org",), False),
        ("git.example.org.evil.net", 443, ("git.example.org",), False),
        ("git.example.org", 443, (), False),
    ],
)
def test_the_list_has_names_and_ports(host: str, port: int, listed: tuple[str, ...], allowed: bool) -> None:
    assert is_allowed(host, port, "https", listed) is allowed


def test_a_server_imports_nothing_unless_it_is_allowed_and_never_from_itself(
    server: Server, tmp_path: Path, site: Site
) -> None:
    body = {"documents": [{"name": "a.py", "text": "x = 1\n"}], "url": f"http://127.0.0.1:{site.port}/x"}
    status, answer = server.ask("POST", "/api/v1/jobs", body)
    assert (status, answer["error"]["message"]) == (400, "this server imports no files")
    hosts = ("--import-from", f"127.0.0.1:{site.port}", "--import-from", f"localhost:{site.port}")
    with Server(tmp_path / "data", "--workers", "1", *hosts) as allowing:
        for name in ("127.0.0.1", "localhost"):
            status, answer = allowing.ask(
                "POST", "/api/v1/jobs", {**body, "url": f"http://{name}:{site.port}/x"}
            )
            assert status == 400
            assert answer["error"]["message"] == f"{name} is not on the public internet"
        assert 'name="url"' in allowing.ask("GET", "/")[1]
    assert site.asked == []
    assert 'name="url"' not in server.ask("GET", "/")[1]


def test_an_import_is_limited_like_an_upload(tmp_path: Path, public: str) -> None:
    with IncomingFolder(tmp_path / "in", LIMITS) as upload:
        upload.add("first", b"x" * 998)
        with pytest.raises(LimitError, match="the upload is larger than 1,000 bytes"):
            import_file(f"http://{public}/work.py", upload, (public,), LIMITS)
