"""An hour of mixed clients with restarts loses nothing; memory and open files stay level, no answer is a 500.

COPYSIFT_SOAK_MINUTES makes it shorter or longer than an hour. What was counted is printed at the end, and
written to COPYSIFT_SOAK_OUT as JSON.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import signal
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import pytest

from tests.serve.moss_client import submit
from tests.serve.running import Server, program
from tests.serve.test_survival import descendants, ends

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="memory and open files are read from /proc"),
]
MINUTES = float(os.environ.get("COPYSIFT_SOAK_MINUTES", "60"))
CLIENTS = 4
LIVES = 4  # of the server: killed, or stopped, and started again between them
ROOM = 48 << 20  # bytes that memory may grow between the middle and the end of a life
FILES = 40  # open files that may be more at its end: three indexes have one for each segment


class Crowd:
    """Clients that do all kinds of things until they are told to stop."""

    def __init__(self, server: Server) -> None:
        self.server, self.stop, self.pause = server, threading.Event(), threading.Event()
        self.away, self.restarts = threading.Event(), 0
        self.counts: Counter[str] = Counter()
        self.accepted: list[str] = []
        self.wrong: list[str] = []
        self.busy = threading.Semaphore(CLIENTS)
        self._lock = threading.Lock()

    def run(self, number: int) -> None:
        """Be one client."""
        chance = random.Random(number)
        acts = (self.scan, self.moss, self.compare, self.index, self.query, self.page, self.nonsense)
        while not self.stop.is_set():
            if self.pause.is_set():
                time.sleep(0.05)
                continue
            act = chance.choice(acts)
            with self.busy:
                restarts = self.restarts
                try:
                    act(chance)
                except (OSError, http.client.HTTPException) as error:
                    self.broken_off(act.__name__, error, restarted=self.restarts != restarts)
                    time.sleep(0.5)
                else:
                    self.count(act.__name__)
            time.sleep(chance.uniform(0, 0.1))

    def restart(self, number: signal.Signals) -> None:
        """Stop the server and start it again; meanwhile acts are broken off."""
        self.away.set()
        self.server.kill(number)
        self.server.start()
        self.restarts += 1
        self.away.clear()

    def broken_off(self, act: str, error: Exception, *, restarted: bool) -> None:
        """Count an act that got no answer: that is wrong unless the server was stopped meanwhile."""
        reason = getattr(error, "reason", error)  # urllib wraps what the socket said
        if restarted or self.away.is_set():
            self.count(f"broken off by a restart: {type(reason).__name__}")
            return
        self.count(f"broken off without a restart: {type(reason).__name__}")
        with self._lock:
            self.wrong.append(f"{act} was broken off without a restart: {reason!r}")

    def count(self, what: str) -> None:
        with self._lock:
            self.counts[what] += 1

    def ask(self, method: str, path: str, content: object = None, allowed: tuple[int, ...] = ()) -> object:
        """Ask; an answer is 200, accepted, a try-later, or one that is expected."""
        status, answer = self.server.ask(method, path, content)
        if status not in (200, 202, 204, 429, 503, *allowed):
            with self._lock:
                self.wrong.append(f"{method} {path}: {status} {str(answer)[:200]}")
        if status == 202 and isinstance(answer, dict):
            with self._lock:
                self.accepted.append(str(answer["id"]))
            self.wait(str(answer["id"]))
        return answer

    def wait(self, id_: str) -> None:
        """Wait for a job, as a user does, but no longer than until a rest or the end."""
        while not self.stop.is_set() and not self.pause.is_set():
            status, job = self.server.ask("GET", f"/api/v1/jobs/{id_}")
            if status == 200 and job["state"] not in ("queued", "running"):
                return
            time.sleep(0.2)

    def scan(self, chance: random.Random) -> None:
        first = chance.randrange(50)
        texts = [{"name": f"{n}.py", "text": program(first + n % 3, 60)} for n in range(4)]
        self.ask("POST", "/api/v1/jobs", {"documents": texts})

    def moss(self, chance: random.Random) -> None:
        files = [(f"{n}.py", program(chance.randrange(20), 60).encode()) for n in range(3)]
        said, address = submit(self.server.moss_port, files)
        if said == "yes" and not address.startswith(("http", "Error")) and address:
            with self._lock:
                self.wrong.append(f"MOSS: {address[:200]}")

    def compare(self, chance: random.Random) -> None:
        left, right = (
            {"name": f"{side}.py", "text": program(chance.randrange(9), 90)} for side in ("a", "b")
        )
        self.ask("POST", "/api/v1/compare", {"left": left, "right": right})

    def index(self, chance: random.Random) -> None:
        number = chance.randrange(40)
        texts = [{"name": f"{number}.py", "text": program(number + chance.randrange(3), 60)}]
        self.ask("POST", f"/api/v1/indexes/x{number % 3}/documents", {"documents": texts})

    def query(self, chance: random.Random) -> None:
        text = program(chance.randrange(40), 60)
        self.ask("POST", f"/api/v1/indexes/x{chance.randrange(3)}/query", {"text": text}, (404,))

    def page(self, chance: random.Random) -> None:
        done = self.accepted[-20:]
        paths = ["/", "/api/v1/jobs?limit=5", "/api/v1/health", *(f"/api/v1/jobs/{id_}" for id_ in done)]
        self.ask("GET", chance.choice(paths))

    def nonsense(self, chance: random.Random) -> None:
        self.ask("POST", "/api/v1/compare", chance.randbytes(40), (400, 411, 415, 422))
        self.ask("GET", f"/api/v1/jobs/{chance.randrange(1 << 40):x}", None, (404,))


def held(pid: int) -> tuple[int, int]:
    """Give memory in bytes that only this process has, and its open files."""
    rows = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    own = sum(int(row.split()[1]) << 10 for row in rows if row.startswith(("Private_", "Swap:")))
    return own, len(list(Path(f"/proc/{pid}/fd").iterdir()))


def rested(crowd: Crowd) -> dict[str, tuple[int, int]]:
    """Wait until nothing is being done, and measure the server and its workers."""
    crowd.pause.set()
    for _ in range(CLIENTS):
        assert crowd.busy.acquire(timeout=300)
    for id_ in crowd.accepted[-30:]:
        assert crowd.server.finished(id_, 600)["state"] == "done"
    time.sleep(2)
    found = {"server": held(crowd.server.pid)}
    for number, pid in enumerate(sorted(descendants(crowd.server.pid))):
        found[f"worker {number}"] = held(pid)
    for _ in range(CLIENTS):
        crowd.busy.release()
    crowd.pause.clear()
    return found


def test_an_hour_of_mixed_clients_with_restarts_loses_nothing_and_stays_level(tmp_path: Path) -> None:
    seconds = 60 * MINUTES / LIVES
    with Server(tmp_path / "data") as server:
        crowd = Crowd(server)
        clients = [threading.Thread(target=crowd.run, args=(number,)) for number in range(CLIENTS)]
        for client in clients:
            client.start()
        levels = []
        try:
            for life in range(LIVES):
                time.sleep(seconds / 2)
                middle = rested(crowd)
                time.sleep(seconds / 2)
                levels.append((middle, rested(crowd)))
                crowd.restart(signal.SIGKILL if life % 2 else signal.SIGTERM)
        finally:
            crowd.stop.set()
            for client in clients:
                client.join(300)
        for id_ in crowd.accepted:
            assert server.finished(id_, 600)["state"] == "done"
        for number in range(3):
            server.ask("POST", f"/api/v1/indexes/x{number}/query", {"text": program(number, 60)})
        server.kill(signal.SIGTERM)
    counted = {"minutes": MINUTES, "acts": dict(crowd.counts), "jobs": len(crowd.accepted), "levels": levels}
    print(json.dumps(counted))
    if out := os.environ.get("COPYSIFT_SOAK_OUT"):
        Path(out).write_text(json.dumps(counted, indent=1) + "\n")
    assert not crowd.wrong
    assert "Traceback" not in server.log()
    assert {state for state, _ in ends(server).values()} == {"done"}
    assert not list((server.data / "incoming").iterdir())
    for middle, end in levels:
        for who in middle.keys() & end.keys():
            assert end[who][0] <= middle[who][0] + ROOM, (who, levels)
            assert end[who][1] <= middle[who][1] + FILES, (who, levels)
    assert len(crowd.accepted) >= 10 * LIVES
