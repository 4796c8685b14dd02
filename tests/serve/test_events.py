"""The log: one line per event, as text or JSON, nothing secret in it."""

from __future__ import annotations

import json
import logging
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from copysift.serve.events import JsonLines, TextLines, public_path
from tests.serve.conftest import TOKENS
from tests.serve.moss_client import submit
from tests.serve.running import Server, program


def record(message: str, **fields: object) -> logging.LogRecord:
    made = logging.LogRecord("x", logging.INFO, "", 0, message, (), None)
    made.fields = fields
    return made


def test_a_line_of_text_cannot_be_forged_by_a_name() -> None:
    line = TextLines().format(record("login\nfailed", user='x" ok\n2026 INFO login', peer="::1"))
    assert "\n" not in line
    assert line.endswith('login?failed user="x\\" ok\\n2026 INFO login" peer=::1')


def test_a_line_of_json_has_the_fields() -> None:
    found = json.loads(JsonLines().format(record("login", user="a\nb", peer="::1")))
    assert (found["event"], found["level"], found["user"], found["peer"]) == ("login", "info", "a\nb", "::1")


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/results/123456/match0.html", "/results/…/match0.html"),
        ("/x/results/12", "/x/results/…"),
        ("/", "/"),
    ],
)
def test_the_address_of_a_result_is_not_logged(path: str, shown: str) -> None:
    assert public_path(path) == shown


def test_access_logins_refusals_jobs_and_deletions_are_logged_without_secrets(tmp_path: Path) -> None:
    (tmp_path / "tokens").write_text("".join(f"{name} {token}\n" for name, token in TOKENS.items()))
    (tmp_path / "users").write_text("123 ann\n")
    scrape = "metrics-token-0123456789"
    (tmp_path / "metrics").write_text(scrape)
    options = (
        "--log-format", "json", "--token-file", str(tmp_path / "tokens"), "--moss-users",
        str(tmp_path / "users"), "--metrics-token-file", str(tmp_path / "metrics"), "--max-jobs", "1000",
    )  # fmt: skip
    documents = {"documents": [{"name": f"{at}.py", "text": program(at)} for at in range(2)]}
    with Server(tmp_path / "data", *options) as server:
        _, job = server.ask("POST", "/api/v1/jobs", documents, token=TOKENS["ann"])
        server.finished(job["id"], token=TOKENS["ann"])
        pair = {"left": "a.py", "right": "b.py", "verdict": "cleared", "note": "talked to them"}
        assert server.ask("PUT", f"/api/v1/jobs/{job['id']}/marks", pair, token=TOKENS["ann"])[0] == 200
        server.ask("DELETE", f"/api/v1/jobs/{job['id']}", token=TOKENS["ann"])
        form = {"content-type": "application/x-www-form-urlencoded"}
        server.ask("POST", "/login", b"token=a-wrong-secret-0123", form)
        server.ask("POST", "/login", f"token={TOKENS['bob']}".encode(), form)
        server.ask("POST", "/login", b"x", {"origin": "http://evil.example"})
        server.ask("GET", "/api/v1/jobs?secret=0123456789")
        _, address = submit(server.moss_port, [("a.py", b"x = 1\n")], user="123")
        assert server.ask("GET", f"/results/{address.rpartition('/')[2]}")[0] == 200
        submit(server.moss_port, [("a.py", b"x = 1\n")], user="999")
        status, metrics = server.ask("GET", "/api/v1/metrics", token=scrape)
        assert status == 200
        assert server.ask("GET", "/api/v1/metrics")[0] == 200  # this machine
        assert server.ask("GET", "/api/v1/metrics", token="wrong-token-0123456789")[0] == 401
        assert server.ask("GET", "/api/v1/jobs", token=scrape)[0] == 401
    assert 'copysift_jobs_accepted_total{origin="moss"} 1' in metrics
    assert 'copysift_jobs_accepted_total{origin="api"} 1' in metrics
    assert "copysift_logins_failed_total 1" in metrics
    lines = [json.loads(line) for line in server.log().splitlines()]
    events = [line["event"] for line in lines]
    for name in (
        "started", "request", "login", "login failed", "request refused", "job accepted", "job done",
        "job deleted", "pair marked", "MOSS client refused", "stopped",
    ):  # fmt: skip
        assert name in events, (name, events)
    ours = next(line for line in lines if line["event"] == "job accepted")
    assert (ours["user"], ours["origin"], ours["job"]) == ("ann", "api", job["id"])
    failed = [line for line in lines if line["event"] == "login failed"]
    assert len(failed) == 3  # a form, and two wrong tokens of REST
    secrets = (
        "talked to them",
        *TOKENS.values(),
        scrape,
        "a-wrong-secret",
        "secret=",
        address.rpartition("/")[2],
    )
    assert not [each for each in secrets if each in server.log()]


class Receiver(BaseHTTPRequestHandler):
    """Refuses the first message and takes the others."""

    found: ClassVar[list[dict[str, Any]]] = []
    refused = False

    def do_POST(self) -> None:
        content = self.rfile.read(int(self.headers["content-length"]))
        if not Receiver.refused:
            Receiver.refused = True
            self.send_error(500)
            return
        Receiver.found.append(json.loads(content))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *given: object) -> None:
        return


def test_a_webhook_is_called_when_a_job_has_ended_and_again_if_that_fails(tmp_path: Path) -> None:
    with HTTPServer(("127.0.0.1", 0), Receiver) as receiver:
        threading.Thread(target=receiver.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{receiver.server_port}/hook?secret=abc123"
        with Server(tmp_path / "data", "--webhook", url, "--moss-port", "-1") as server:
            documents = [{"name": f"secret-name-{at}.py", "text": program(at)} for at in range(2)]
            _, job = server.ask("POST", "/api/v1/jobs", {"documents": documents})
            server.finished(job["id"])
            deadline = time.monotonic() + 30
            while not Receiver.found and time.monotonic() < deadline:
                time.sleep(0.1)
        receiver.shutdown()
    (found,) = Receiver.found
    assert (found["id"], found["state"], found["kind"]) == (job["id"], "done", "scan")
    assert found["summary"]["documents"] == 2
    assert "secret-name" not in json.dumps(found)
    assert "webhook failed" in server.log()
    assert "abc123" not in server.log()
