"""A server in a process of its own, on free ports of loopback, for the tests."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from types import TracebackType
from typing import Any


class Server:
    """Start it, talk to it, kill it, start it again on the same folder."""

    def __init__(self, data: Path, *options: str, url: str = "", cwd: Path | None = None) -> None:
        self.data, self.options, self._public, self._cwd = data, options, url, cwd
        self.port = self.moss_port = 0
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> Server:
        command = [
            sys.executable, "-m", "copysift", "serve", "--data", str(self.data), "--port", str(self.port),
            "--moss-port", str(self.moss_port), *self.options,
        ]  # fmt: skip
        log = (self.data.parent / f"{self.data.name}.log").open("a")
        self._process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            cwd=self._cwd,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        log.close()
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if found := re.search(r"MOSS clients reach it at .*, port (\d+)", line):
                self.moss_port = int(found[1])
            if found := re.search(r"serves (\S+)/ from", line):
                self.url = found[1]
                self.port = int(self.url.rpartition(":")[2]) if not self._public else self.port
                return self
        self._process.wait(30)
        self._process.stdout.close()
        raise AssertionError(f"the server did not start: {self.log()}")

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def log(self) -> str:
        return (self.data.parent / f"{self.data.name}.log").read_text()

    def kill(self, number: signal.Signals = signal.SIGKILL) -> None:
        assert self._process is not None
        self._process.send_signal(number)
        self._process.wait(30)
        if self._process.stdout is not None:
            self._process.stdout.close()

    def __enter__(self) -> Server:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is not None and self._process.poll() is None:
            self.kill(signal.SIGTERM)

    def ask(
        self,
        method: str,
        path: str,
        content: Any = None,
        headers: dict[str, str] | None = None,
        token: str = "",
    ) -> tuple[int, Any]:
        """Give the status and what was answered, JSON decoded."""
        data = content if isinstance(content, bytes) or content is None else json.dumps(content).encode()
        request = urllib.request.Request(self.url + path, data, method=method)
        if data is not None and not isinstance(content, bytes):
            request.add_header("content-type", "application/json")
        for name, value in {
            **(headers or {}),
            **({"authorization": f"Bearer {token}"} if token else {}),
        }.items():
            request.add_header(name, value)
        try:
            with _opener.open(request, timeout=60) as answer:
                return answer.status, _decoded(answer)
        except urllib.error.HTTPError as answer:
            with answer:
                return answer.code, _decoded(answer)

    def finished(self, id_: str, seconds: float = 60, token: str = "") -> dict[str, Any]:
        """Wait until a job is over and give it."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            _, job = self.ask("GET", f"/api/v1/jobs/{id_}", token=token)
            if job["state"] not in ("queued", "running"):
                return dict(job)
            time.sleep(0.1)
        raise AssertionError(f"the job did not end: {job}; {self.log()}")


class _Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *given: Any, **named: Any) -> None:
        return None


_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), _Stay)


def _decoded(answer: Any) -> Any:
    content = answer.read()
    kind = answer.headers.get("content-type", "")
    return json.loads(content) if kind.startswith("application/json") else content.decode()


def program(number: int, lines: int = 30) -> str:
    """Give a program that is its own but for the half that all share."""
    shared = "".join(
        f"def shared_{at}(first, second):\n    return first * {at} + second\n\n" for at in range(lines // 6)
    )
    own = "".join(
        f"value_{number}_{at} = compute_{number}('{number * 7919 + at}')\n" for at in range(lines // 2)
    )
    return shared + own
