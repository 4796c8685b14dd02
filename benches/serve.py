"""The server under load: many MOSS clients, the query endpoint, kill -9 over a hundred jobs.

    python benches/serve.py moss --clients 50 --files 30
    python benches/serve.py query --documents 100000 --seconds 20      (needs wrk)
    python benches/serve.py query --keep /tmp/many      (the index stays there; the next run uses it)
    python benches/serve.py moss --clients 1 --files 800
    python benches/serve.py kill --jobs 100
    python benches/serve.py kill --jobs 100 --postgresql

Everything runs on loopback; the load comes from the same machine. With --first (Linux, as root) server and
load come before all other programs of the machine, as on an idle one.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.serve.moss_client import submit
from tests.serve.postgresql import PostgreSQL, running
from tests.serve.running import Server
from tests.serve.test_survival import alive, descendants, ends, submitted

WORDS = (
    "amber",
    "basin",
    "cedar",
    "delta",
    "ember",
    "flint",
    "grove",
    "heron",
    "inlet",
    "jetty",
    "knoll",
    "larch",
)
KILLS = 30
SCRIPT = """
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
local bodies = {}
for line in io.lines("%s") do bodies[#bodies + 1] = line end
local at = 0
request = function() at = at %% #bodies + 1; return wrk.format(nil, "%s", nil, bodies[at]) end
"""


def source(chance: random.Random, lines: int = 60) -> str:
    """Give a program of about 2 KB that is like no other."""
    made = []
    for number in range(lines // 3):
        a, b, c = (chance.choice(WORDS) for _ in range(3))
        test = f"{chance.choice(('while', 'if'))} x {chance.choice('<>')} {chance.randrange(999)}"
        items = ", ".join(map(str, chance.sample(range(99), chance.randint(1, 6))))
        made.append(f"def {a}_{b}_{number}({c}, x):\n    {test}:\n")
        made.append(f"        {c} = {c} {chance.choice('+-*')} [{items}]\n")
    return "".join(made)


def processor(pid: int) -> float:
    """Give the seconds of processor time that a process has had, and those of its children that ended."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))] * 1000


def moss(clients: int, files: int) -> None:
    with tempfile.TemporaryDirectory() as folder, Server(Path(folder) / "data") as server:
        for _ in range(4):  # until every worker has loaded what it needs
            submit(server.moss_port, [(f"{n}.py", source(random.Random(n)).encode()) for n in range(2)])
        answers: dict[int, tuple[float, str]] = {}

        def client(number: int) -> None:
            chance = random.Random(number)
            made = [(f"c{number}-{n}.py", source(chance).encode()) for n in range(files)]
            made[-1] = (made[-1][0], made[0][1])  # one copy, to be found
            begun = time.perf_counter()
            answers[number] = (0.0, submit(server.moss_port, made, timeout=900)[1])
            answers[number] = (time.perf_counter() - begun, answers[number][1])

        times: list[float] = []
        stop = threading.Event()

        def look() -> None:
            while not stop.is_set():
                begun = time.perf_counter()
                with urllib.request.urlopen(f"{server.url}/") as answer:
                    answer.read()
                times.append(time.perf_counter() - begun)
                time.sleep(0.05)

        processes = [server.pid, *descendants(server.pid)]
        spent = [processor(pid) for pid in processes]
        looking = threading.Thread(target=look)
        threads = [threading.Thread(target=client, args=(number,)) for number in range(clients)]
        begun = time.perf_counter()
        looking.start()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        whole = time.perf_counter() - begun
        web, *jobs = (processor(pid) - before for pid, before in zip(processes, spent, strict=True))
        stop.set()
        looking.join()
        wrong = 0
        for number, (_, address) in answers.items():
            status, index = server.ask("GET", address.removeprefix(server.url))
            first = re.search(r'match0\.html">(\S+) \(100%\)</A>\s+<TD><A HREF="\S+">(\S+) \(100%\)', index)
            copies = {f"c{number}-0.py", f"c{number}-{files - 1}.py"}
            good = status == 200 and first and set(first.groups()) == copies
            wrong += not good
        slowest = max(seconds for seconds, _ in answers.values())
        print(f"{clients} MOSS clients with {files} files each: {len(answers)} answered, {wrong} wrong, "
              f"{whole:.1f} s in all, slowest client {slowest:.1f} s")  # fmt: skip
        print(f"processor time a client: {web / clients:.2f} s to take the files and serve the page, "
              f"{sum(jobs) / clients:.2f} s to compare")  # fmt: skip
        print(f"page meanwhile ({len(times)} requests): p50 {percentile(times, .5):.0f} ms, "
              f"p99 {percentile(times, .99):.0f} ms, worst {max(times) * 1000:.0f} ms")  # fmt: skip


def collection(place: Path, documents: int) -> list[str]:
    """Make the index `many.sift` and a file of questions, unless they are there; give the questions."""
    bodies = place / "bodies"
    if bodies.exists():
        return [json.loads(line)["text"] for line in bodies.read_text().splitlines()]
    from copysift import Index

    chance = random.Random(1)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(chance.choices(letters, k=chance.randint(3, 9))) for _ in range(20_000)]
    begun = time.perf_counter()
    questions = []

    def text() -> str:
        return " ".join(chance.choices(words, k=150))

    def all_of_them() -> Iterator[tuple[str, str]]:
        for number in range(documents):
            made = text()
            if number % (documents // 200) == 0:
                questions.append(f"{text()} {made} {text()}")
            yield f"document {number}", made

    with Index(place / "many.sift") as index:
        index.add(all_of_them())
        numbers = index.info()
    print(f"index: {numbers['documents']:,} documents, {numbers['fingerprints']:,} fingerprints, "
          f"made in {time.perf_counter() - begun:.0f} s")  # fmt: skip
    bodies.write_text("".join(json.dumps({"text": each, "threshold": 0.2}) + "\n" for each in questions))
    return questions


def query(documents: int, seconds: int, keep: Path | None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = keep or Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        questions = collection(place, documents)
        bodies = place / "bodies"
        with Server(
            Path(folder) / "data", "--index", str(place / "many.sift"), "--moss-port", "-1"
        ) as server:
            path = "/api/v1/indexes/many/query"
            _, answer = server.ask("POST", path, {"text": questions[3], "threshold": 0.2})
            assert len(answer["hits"]) == 1, answer
            for each in questions:  # a server that has run for a while
                server.ask("POST", path, {"text": each, "threshold": 0.2})
            script = place / "query.lua"
            script.write_text(SCRIPT % (bodies, path))
            for connections in (2, 8):
                shape = ["-t1", f"-c{connections}", f"-d{seconds}s", "--latency"]
                command = ["wrk", *shape, "-s", str(script), server.url]
                before = processor(server.pid)
                said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
                taken = processor(server.pid) - before
                total = int(re.search(r"(\d+) requests in", said)[1])
                rate = re.search(r"Requests/sec:\s+(\S+)", said)
                late = dict(re.findall(r"(50|99)%\s+(\S+)", said))
                bad = re.search(r"Non-2xx.*: (\d+)", said)
                print(
                    f"wrk, {connections} connections, {len(questions[0]) / 1000:.1f} kB a question: "
                    f"{rate and rate[1]} queries/s, p50 {late.get('50')}, p99 {late.get('99')}, "
                    f"errors {bad[1] if bad else 0}; processor time {taken / total * 1000:.2f} ms a query"
                )


@contextlib.contextmanager
def database(wanted: bool) -> Iterator[PostgreSQL | None]:
    """Run a PostgreSQL server if one is wanted."""
    if not wanted:
        yield None
        return
    place = tempfile.TemporaryDirectory(prefix="pg-", ignore_cleanup_errors=True)
    with place as folder, running(Path(folder)) as postgresql:
        yield postgresql


CUT = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'copysift'"


def states_of(server: Server, postgresql: PostgreSQL | None) -> dict[str, tuple[str, int]]:
    """Give state and claim of every job, from the database itself."""
    if postgresql is None:
        return ends(server)
    rows = postgresql.ask("SELECT id, state, claim FROM jobs")
    return {str(row[0]): (str(row[1]), int(str(row[2]))) for row in rows}


def kill(jobs: int, postgres: bool) -> None:
    with tempfile.TemporaryDirectory() as folder, database(postgres) as postgresql:
        options = () if postgresql is None else ("--database", postgresql.url(), "--worker-seconds", "3")
        server = Server(Path(folder) / "data", *options).start()
        chance = random.Random(3)
        accepted: list[str] = []

        def send() -> None:
            while len(accepted) < jobs:
                made = submitted(server, len(accepted))
                accepted.extend([made] if made else [])
                time.sleep(0.02 if made else 0.2)

        sender = threading.Thread(target=send)
        sender.start()
        killed = {"server": 0, "worker or job": 0, "stop and start": 0, "database connections": 0}
        begun = time.perf_counter()
        while sender.is_alive() or any(
            state in ("queued", "running") for state, _ in states_of(server, postgresql).values()
        ):
            time.sleep(chance.uniform(0.2, 6))
            below = [pid for pid in descendants(server.pid) if alive(pid)]
            if sum(killed.values()) >= KILLS:
                continue  # the last ones may end in peace
            if postgresql is not None and chance.random() < 0.4:
                postgresql.ask(CUT)
                killed["database connections"] += 1
            elif chance.random() < 0.25:
                server.kill(signal.SIGTERM)
                server.start()
                killed["stop and start"] += 1
            elif chance.random() < 0.6 and below:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(chance.choice(below), signal.SIGKILL)
                killed["worker or job"] += 1
            else:
                server.kill()
                server.start()
                killed["server"] += 1
        server.kill(signal.SIGTERM)
        held = states_of(server, postgresql)
        events = server.log()
        reported = [events.count(f"job done job={id_}") for id_ in held]
        lost = [each for each in accepted if each not in held]
        states = {state: sum(each == state for each, _ in held.values()) for state, _ in held.values()}
        whole = all(len(list((server.data / "jobs" / id_).glob("out-*"))) == 1 for id_ in held)
        print(f"kill -9 of {killed} over {len(accepted)} accepted jobs, {time.perf_counter() - begun:.0f} s: "
              f"{len(lost)} lost, {states}, one result each: {whole}, "
              f"ends reported twice: {sum(count > 1 for count in reported)}")  # fmt: skip


def _take_priority() -> None:
    """Put a new session before all others: it is a scheduling group, and `nice` orders one group only."""
    Path("/proc/self/autogroup").write_text("-20")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("part", choices=("moss", "query", "kill"))
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--files", type=int, default=30)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--keep", type=Path, help="folder of the index that is queried")
    parser.add_argument("--jobs", type=int, default=100)
    parser.add_argument(
        "--postgresql", action="store_true", help="kill connections to a PostgreSQL server too"
    )
    parser.add_argument("--first", action="store_true", help="take priority over all other programs")
    given = parser.parse_args()
    if given.first:
        command = [sys.executable, *(word for word in sys.argv if word != "--first")]
        sys.exit(
            subprocess.run(command, start_new_session=True, preexec_fn=_take_priority, check=False).returncode
        )
    print(f"load average before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    if given.part == "moss":
        moss(given.clients, given.files)
    elif given.part == "query":
        query(given.documents, given.seconds, given.keep)
    else:
        kill(given.jobs, given.postgresql)


if __name__ == "__main__":
    main()
