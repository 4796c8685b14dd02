"""A PostgreSQL server of the tests' own, from Debian's packages: in a temporary folder, on a socket there."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

USER = "copysift"
_numbers = count(1)


def _programs() -> Path | None:
    """Give the folder of initdb and pg_ctl: of the newest version that is installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    which = shutil.which("initdb")
    return found[-1].parent if found else Path(which).resolve().parent if which else None


class PostgreSQL:
    """A running server; each test gets a database."""

    def __init__(self, folder: Path, programs: Path) -> None:
        self.folder, self._programs = folder, programs
        # It refuses to run as root: Debian's package has made a user for it.
        self._as = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []

    def run(self, program: str, *arguments: str) -> None:
        command = [*self._as, str(self._programs / program), *arguments]
        done = subprocess.run(command, cwd="/", capture_output=True, text=True)
        assert done.returncode == 0, (command, done.stdout, done.stderr)

    def make(self) -> None:
        if self._as:
            shutil.chown(self.folder, "postgres")
        self.run(
            "initdb", "-D", str(self.folder / "data"), "-U", USER, "-A", "trust", "-E", "UTF8", "--no-sync"
        )

    def start(self) -> None:
        set_ = (
            "listen_addresses=''",
            f"unix_socket_directories={self.folder}",
            "max_connections=200",
            "fsync=off",
        )
        options = " ".join(f"-c {each}" for each in set_)
        log = str(self.folder / "log")
        self.run("pg_ctl", "-D", str(self.folder / "data"), "-w", "-l", log, "-o", options, "start")

    def stop(self, mode: str = "fast") -> None:
        self.run("pg_ctl", "-D", str(self.folder / "data"), "-w", "-m", mode, "stop")

    def url(self, name: str = "postgres") -> str:
        return f"postgresql://{USER}@/{name}?host={self.folder}"

    def ask(self, statement: str, name: str = "postgres") -> list[tuple[object, ...]]:
        import psycopg

        with psycopg.connect(self.url(name), autocommit=True) as db:
            found = db.execute(statement)
            return found.fetchall() if found.description else []

    def database(self) -> str:
        """Make a new database and give its address."""
        name = f"test_{next(_numbers)}"
        self.ask(f"CREATE DATABASE {name}")
        return self.url(name)


@contextmanager
def running(folder: Path) -> Iterator[PostgreSQL]:
    """Run a server; skip the test where there is none."""
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    programs = _programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed: apt install postgresql")
    for path in (folder, *folder.parents[:-2]):
        if path.stat().st_uid == os.geteuid():
            path.chmod(path.stat().st_mode | 0o755 if path == folder else path.stat().st_mode | 0o011)
    server = PostgreSQL(folder, programs)
    server.make()
    server.start()
    try:
        yield server
    finally:
        server.stop("immediate")
