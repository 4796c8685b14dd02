"""What loses power: an index, a run, the jobs of a server; written as they are, or with a defect."""

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import copysift
from copysift.errors import CopysiftError
from copysift.runs.scan_run import open_run
from copysift.runs.tables import members
from copysift.serve.incoming import uploaded
from copysift.serve.jobs import Jobs
from copysift.serve.limits import Limits
from copysift.store.writer import Views, Writer
from tests.store.crashes import SETTINGS, SMALL, State, entry, fingerprints, found_in, postings_of, steps
from tests.store.power import Check, recorded, replayed

Tell = Callable[[], object]
WRONG = (CopysiftError, AssertionError, sqlite3.Error, OSError, KeyError, ValueError)


def write_index(top: Path, tell: Tell, commits: int) -> None:
    """Do some steps, each in a commit, and say so after each; close and open again in between."""
    every = list(steps())[:commits]
    Writer(top / "x.sift", SETTINGS, SMALL).close()
    tell()
    for part in (every[: commits // 2], every[commits // 2 :]):
        with Writer(top / "x.sift", SETTINGS, SMALL) as writer:
            for do, _ in part:
                do(writer)
                tell()


def check_index(spare: Path, told: int, grows: bool) -> str:
    """Say what is wrong with an index: it is sound, and has what was told and at most one commit more."""
    states: list[State] = [{}, *(state for _, state in steps())]
    folder = spare / "x.sift"
    try:
        state = found_in(folder)
    except WRONG as error:
        return f"{type(error).__name__}: {error}"[:300]
    # The first word is that the empty index is made; each later one is of a commit.
    allowed = states[max(0, told - 1) : told + 1] if told else [{}]
    if state not in allowed:
        return f"has {sorted(state)}"
    if not grows:
        return ""
    try:
        with Writer(folder, SETTINGS, SMALL) as writer:
            writer.put(entry("after", 99), Views(fingerprints(99)), lambda: [b"text of 99"])
            writer.commit()
        grown = found_in(folder)
    except WRONG as error:
        return f"then {type(error).__name__}: {error}"[:300]
    return "" if grown == state | postings_of({"after": 99}) else f"then has {sorted(grown)}"


TEXTS = [" ".join(f"word{number % 70}" for number in range(start, start + 90)) for start in (0, 5, 50)]


def write_run(top: Path, tell: Tell, commits: int) -> None:
    """Save a scan and cluster, in turn."""
    (top / "in").mkdir()
    for number, text in enumerate(TEXTS):
        (top / "in" / f"{number}.txt").write_text(text, encoding="utf-8")
    for number in range(commits):
        if number % 2:
            copysift.cluster(top / "in", run=top / f"run{number}")
        else:
            command = ["scan", str(top / "in"), "--save", str(top / f"run{number}"), "-q"]
            subprocess.run([sys.executable, "-m", "copysift", *command], check=False, capture_output=True)
        tell()


def check_run(spare: Path, told: int, grows: bool) -> str:
    """Say what is wrong with the runs that were told of."""
    try:
        for number in range(told):
            assert len(open_run(spare / f"run{number}").documents) == len(TEXTS)
            members(spare / f"run{number}")
    except WRONG as error:
        return f"{type(error).__name__}: {error}"[:300]
    return ""


LIMITS = Limits(job_bytes=1000, job_files=4, file_bytes=600, user_jobs=50, user_bytes=50000)


def write_jobs(top: Path, tell: Tell, commits: int) -> None:
    """Accept jobs, as the server does."""
    jobs = Jobs(top / "data", LIMITS)
    jobs.recover()
    for number in range(commits):
        with jobs.incoming("ann") as upload:
            upload.add("one.py", b"x = 1\n" * (number + 1))
            upload.add("kit.py", b"y", "base")
            jobs.accept(upload, "ann", "scan", {"settings": {}}, title=f"{number}")
        tell()
    jobs.close()


def check_jobs(spare: Path, told: int, grows: bool) -> str:
    """Say what is wrong with the jobs of a server: each that was accepted is there, with its files."""
    try:
        jobs = Jobs(spare / "data", LIMITS)
        try:
            jobs.recover()
            found = {job.title: job for job in jobs.listed("ann")}
            assert set(map(str, range(told))) <= set(found) <= set(map(str, range(told + 1))), sorted(found)
            for title, job in found.items():
                held = [(each.name, path.read_bytes()) for each, path in uploaded(jobs.folder(job.id) / "in")]
                assert held == [("one.py", b"x = 1\n" * (int(title) + 1)), ("kit.py", b"y")], held
        finally:
            jobs.close()
    except WRONG as error:
        return f"{type(error).__name__}: {error}"[:300]
    return ""


SUBJECTS: dict[str, tuple[Callable[[Path, Tell, int], None], Check]] = {
    "index": (write_index, check_index),
    "run": (write_run, check_run),
    "jobs": (write_jobs, check_jobs),
}
# Defects: files and folders that are not synced, by how their names end.
SKIPPED = {
    "segment": ".seg", "postings folder": "postings", "index folder": "x.sift", "sums": ".part",
    "table": ".parquet", "upload": "/1", "upload folder": "/incoming",
}  # fmt: skip


def break_writer(name: str) -> None:
    """Leave out syncs, as a mistake in the code would."""
    if name == "synchronous":
        connect = sqlite3.connect

        class Careless(sqlite3.Connection):
            def execute(self, statement: str, *values: object) -> sqlite3.Cursor:
                return super().execute(statement.replace("synchronous=FULL", "synchronous=NORMAL"), *values)

        # SQLAlchemy takes it from `dbapi2`, the others from the package.
        sqlite3.connect = sqlite3.dbapi2.connect = lambda *given, **named: connect(
            *given, **{**named, "factory": Careless}
        )
    elif name:
        fsync = os.fsync

        def some(descriptor: int) -> None:
            if not os.readlink(f"/proc/self/fd/{descriptor}").endswith(SKIPPED[name]):
                fsync(descriptor)

        os.fsync = some


def main() -> None:
    """Record a writer, with a defect if one is named, replay it, and print what was found."""
    place, way, subject, commits, name = Path(sys.argv[1]).resolve(), *sys.argv[2:6]
    top, told_in = place / "disk", place / "told"
    do, check = SUBJECTS[subject]
    if way == "write":
        break_writer(name)
        descriptor = os.open(told_in, os.O_WRONLY | os.O_APPEND)
        do(top, lambda: os.write(descriptor, b"."), int(commits))
        return
    top.mkdir()
    command = [sys.executable, "-m", "tests.store.outages", str(place), "write", subject, commits, name]
    changes = recorded(top, command, told_in)
    count, wrong = replayed(changes, top, place / "spare", int(sys.argv[6]), check)
    print(json.dumps({"changes": len(changes), "states": count, "wrong": wrong}))


if __name__ == "__main__":
    main()
