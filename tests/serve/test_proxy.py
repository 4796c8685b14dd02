"""The nginx page of the docs, tried: TLS ends there, and everything works behind it."""

from __future__ import annotations

import re
import shutil
import socket
import ssl
import subprocess
import time
import urllib.parse
from collections.abc import Iterator
from http.client import HTTPResponse, HTTPSConnection
from pathlib import Path

import pytest

from tests.serve.conftest import TOKENS
from tests.serve.running import Server, program
from tests.serve.test_options import multipart

DOCS = Path(__file__).parents[2] / "docs" / "howto-server.md"
pytestmark = pytest.mark.skipif(
    not shutil.which("nginx") or not shutil.which("openssl"), reason="nginx and openssl are not installed"
)


def free_port() -> int:
    with socket.socket() as link:
        link.bind(("127.0.0.1", 0))
        return int(link.getsockname()[1])


@pytest.fixture(scope="module")
def proxied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, int]]:
    folder = tmp_path_factory.mktemp("proxy")
    port = free_port()
    (folder / "tokens").write_text("".join(f"{name} {token}\n" for name, token in TOKENS.items()))
    public = f"https://localhost:{port}"
    server = Server(
        folder / "data", "--token-file", str(folder / "tokens"), "--public-url", public, "--moss-port", "-1",
        url=public,
    )  # fmt: skip
    server.port = free_port()
    block = re.search(r"## Behind nginx.*?```nginx\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    assert block
    key, certificate = folder / "copysift.key", folder / "copysift.pem"
    words = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-days",
        "2",
        "-subj",
        "/CN=localhost",
    ]
    subprocess.run([*words, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    site = block[1].replace("443", f"127.0.0.1:{port}").replace("/etc/ssl", str(folder))
    site = site.replace("8690", str(server.port)).replace("copysift.example.org", "localhost")
    (folder / "logs").mkdir()
    places = "".join(
        f"{name}_temp_path {folder}/{name};\n"
        for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (folder / "nginx.conf").write_text(
        f"daemon off;\npid {folder}/pid;\nerror_log {folder}/logs/error.log;\nevents {{}}\n"
        f"http {{\naccess_log off;\n{places}{site}}}\n"
    )
    nginx = subprocess.Popen(["nginx", "-p", str(folder), "-c", str(folder / "nginx.conf")])
    try:
        with server:
            for _ in range(100):
                with socket.socket() as link:
                    if link.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.1)
            yield server, port
    finally:
        nginx.terminate()
        nginx.wait(20)


def ask(port: int, method: str, path: str, body: bytes = b"", **headers: str) -> tuple[HTTPResponse, str]:
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    connection = HTTPSConnection("localhost", port, timeout=60, context=context)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, body or None, named)
    answer = connection.getresponse()
    content = answer.read().decode()
    connection.close()
    return answer, content


def test_a_browser_logs_in_and_checks_behind_nginx(proxied: tuple[Server, int]) -> None:
    _, port = proxied
    origin = f"https://localhost:{port}"
    form = {"content_type": "application/x-www-form-urlencoded", "origin": origin}
    body = urllib.parse.urlencode({"token": TOKENS["ann"]}).encode()
    answer, _ = ask(port, "POST", "/login", body, **form)
    assert answer.status == 303
    cookie = answer.headers["set-cookie"]
    assert "Secure" in cookie
    assert "HttpOnly" in cookie
    cookie = cookie.partition(";")[0]
    answer, page = ask(port, "GET", "/", cookie=cookie)
    assert answer.status == 200
    token = re.search(r'name="form_token" value="([^"]+)"', page)
    assert token
    files = [("files", f"{at}.py", program(at).encode()) for at in range(2)]
    sent, headers = multipart([*files, ("form_token", "", token[1].encode())])
    answer, _ = ask(
        port, "POST", "/checks", sent, cookie=cookie, origin=origin, content_type=headers["content-type"]
    )
    assert answer.status == 303
    assert answer.headers["location"].startswith("/checks/")
    answer, _ = ask(port, "POST", "/login", body, **{**form, "origin": "https://evil.example"})
    assert answer.status == 403


def test_the_log_has_the_address_of_the_client_and_strangers_get_no_metrics(
    proxied: tuple[Server, int],
) -> None:
    server, port = proxied
    form = {"content_type": "application/x-www-form-urlencoded", "x_forwarded_for": "203.0.113.9"}
    answer, _ = ask(port, "POST", "/login", b"token=wrong-token-0123456789", **form)
    assert answer.status == 403
    assert "login failed peer=127.0.0.1" in server.log()  # what nginx saw, not what the client claims
    assert "203.0.113.9" not in server.log()
    assert ask(port, "GET", "/api/v1/metrics")[0].status == 401
    assert ask(port, "GET", "/api/v1/metrics", authorization=f"Bearer {TOKENS['ann']}")[0].status == 200
