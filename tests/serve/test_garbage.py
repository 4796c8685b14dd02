"""What connections leave behind is freed: the server runs for months, in a process that commands share."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from tests.serve.running import Server

REQUESTS = 1000
MOST = 500  # connections that are over and not freed yet: Python looks for them after some 250
# Runs in the server when Python starts: on a signal it writes how many connections are in memory.
PROBE = """
import gc, os, signal

def count(*_):
    found = sum(type(each).__name__ == "TimedProtocol" for each in gc.get_objects())
    with open(os.environ["COUNTED"] + ".new", "w") as file:
        file.write(str(found))
    os.replace(file.name, os.environ["COUNTED"])

signal.signal(signal.SIGUSR1, count)
"""


def test_connections_that_are_over_are_freed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counted = tmp_path / "counted"
    (tmp_path / "probe").mkdir()
    (tmp_path / "probe" / "sitecustomize.py").write_text(PROBE)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "probe"))
    monkeypatch.setenv("COUNTED", str(counted))
    with Server(tmp_path / "data", "--workers", "1") as server:
        for _ in range(REQUESTS):  # each on a connection of its own
            assert server.ask("GET", "/api/v1/jobs/none")[0] == 404
        os.kill(server.pid, signal.SIGUSR1)
        deadline = time.monotonic() + 30
        while not counted.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        assert int(counted.read_text()) <= MOST
