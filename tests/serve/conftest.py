"""One server for all tests that do not harm it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from copysift.serve.database import Database
from tests.serve.postgresql import PostgreSQL, running
from tests.serve.running import Server

TOKENS = {"ann": "ann-token-0123456789", "bob": "bob-token-0123456789"}


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("server") / "data", "--idle-seconds", "3") as running:
        yield running


@pytest.fixture(scope="session")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with two users, as behind a proxy."""
    folder = tmp_path_factory.mktemp("guarded")
    lines = [f"{name} {token}  # a comment\n" for name, token in TOKENS.items()]
    (folder / "tokens").write_text("# name token\n\n" + "".join(lines))
    (folder / "users").write_text("123 ann\n456\n")
    options = ("--token-file", str(folder / "tokens"), "--moss-users", str(folder / "users"))
    with Server(folder / "data", "--workers", "1", *options) as running:
        yield running


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgreSQL]:
    """A PostgreSQL server; its socket needs a short path."""
    with (
        TemporaryDirectory(prefix="pg-", ignore_cleanup_errors=True) as folder,
        running(Path(folder)) as server,
    ):
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """A new database of each kind: what holds for one holds for the other."""
    if request.param == "sqlite":
        made = Database(tmp_path / "jobs.sqlite")
    else:
        made = Database(request.getfixturevalue("postgresql").database())
    yield made
    made.close()
