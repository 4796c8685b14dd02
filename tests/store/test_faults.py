"""Every call may fail: a command then ends with a line and status 2, and what was committed stays."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import copysift
from tests.cli.program import write
from tests.cli.texts import prose

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(
        sys.platform != "linux" or shutil.which("cc") is None, reason="needs Linux and a C compiler"
    ),
]
FIRST = {f"first/{at}.txt": prose(at) for at in range(4)}
SECOND = {f"second/{at}.txt": prose(10 + at) for at in range(40)}
COMMANDS = {
    "index": ("index", "add", "x.sift", "second", "--keep-text"),
    "save": ("scan", "second", "--save", "saved", "--overwrite"),
    "cluster": ("cluster", "second", "-o", "run", "--overwrite"),
}
SOME = 3  # calls that fail in the short test, spread over all of them


@cache
def library() -> str:
    """Compile what makes calls fail."""
    folder = Path(os.environ.get("TMPDIR", "/tmp")) / f"copysift-faults-{os.getuid()}"
    folder.mkdir(exist_ok=True)
    made = folder / f"faults-{os.getpid()}.so"
    source = Path(__file__).with_name("faults.c")
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", made, source, "-ldl"], check=True)
    return str(made)


def run(folder: Path, command: tuple[str, ...], call: str, under: str, at: int) -> tuple[int, str, int]:
    """Run a command in which one call fails; give its status, what it said, and how many calls there were."""
    tally = folder.parent / "calls"
    tally.unlink(missing_ok=True)
    done = subprocess.run(
        [sys.executable, "-m", "copysift", *command, "-j", "1"],
        cwd=folder, capture_output=True, text=True, timeout=300, check=False,
        env={
            **os.environ, "LD_PRELOAD": library(), "COPYSIFT_FAULT": call, "COPYSIFT_FAULT_UNDER": under,
            "COPYSIFT_FAULT_AT": str(at), "COPYSIFT_FAULT_COUNT": str(tally), "PYTHONMALLOC": "malloc",
        },
    )  # fmt: skip
    return done.returncode, done.stderr, int(tally.read_text()) if tally.exists() else 0


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index, a saved scan and a run of four documents, and forty documents to add."""
    here = tmp_path_factory.mktemp("ground")
    write(here, FIRST | SECOND)
    os.chdir(here)
    with copysift.Index("x.sift", keep_text=True) as index:
        index.add("first")
    for command in (("scan", "first", "--save", "saved"), ("cluster", "first", "-o", "run")):
        subprocess.run([sys.executable, "-m", "copysift", *command, "-q"], cwd=here, check=False)
    return here


def places(here: Path) -> dict[str, str]:
    return {"index": f"{here}/x.sift", "save": f"{here}/", "cluster": f"{here}/run"}


def held(here: Path, command: str) -> int:
    """Count the documents of what a command writes, which must be sound."""
    if command == "index":
        with copysift.Index(here / "x.sift") as index:
            assert not index.check()[0]
            names = {"/".join(each.name.split("/")[-2:]) for each in index.documents()}
            assert {*FIRST} <= names
            assert len(list(index.query(prose(1).encode()))) >= 1
            return len(names)
    if command == "save":
        return len(copysift.show(here / "saved").documents)
    return len(copysift.Run(here / "run").documents)


def spread(calls: int, most: int) -> list[int]:
    """Choose calls to fail, the first and the last among them."""
    return sorted({1 + round(at * (calls - 1) / (most - 1)) for at in range(most)}) if calls else []


def attempt(ground: Path, here: Path, command: str, call: str, under: str, most: int) -> int:
    """Let calls fail, one in each run; give how many runs ended with an error."""
    shutil.copytree(ground, here, dirs_exist_ok=True)
    before = held(here, command)
    status, said, calls = run(here, COMMANDS[command], call, under, 0)
    assert status in (0, 1), said
    after, failures = held(here, command), 0
    assert before == 4
    assert after == (44 if command == "index" else 40)
    for number in spread(calls, most):
        shutil.rmtree(here)
        shutil.copytree(ground, here)
        status, said, _ = run(here, COMMANDS[command], call, under, number)
        assert "Traceback" not in said, (number, said)
        assert status in (0, 1, 2), (number, status, said)
        if status == 2:
            failures += 1
            assert said.count("copysift: ") >= 1, (number, said)
            assert held(here, command) in (before, after), number
        else:  # it went on without the call, which must not show
            assert held(here, command) == after, number
        again, said, _ = run(here, COMMANDS[command], "none", under, 0)
        assert again in (0, 1), (number, said)
        assert held(here, command) == after, number
    return failures


@pytest.mark.parametrize(
    ("command", "call"),
    [("index", "write"), ("index", "fsync"), ("save", "rename"), ("cluster", "fsync"), ("cluster", "rename")],
)
def test_a_call_on_a_file_that_fails_is_an_error_in_a_line(ground, tmp_path, command, call):
    here = tmp_path / "here"
    assert attempt(ground, here, command, call, places(here)[command], SOME) >= 1


def test_a_mapping_that_fails_is_an_error_in_a_line(ground, tmp_path):
    here = tmp_path / "here"
    attempt(ground, here, "index", "mmap", places(here)["index"], SOME)


@pytest.mark.parametrize("command", COMMANDS)
def test_an_allocation_of_a_kernel_that_fails_is_an_error_in_a_line(ground, tmp_path, command):
    here = tmp_path / "here"
    attempt(ground, here, command, "malloc", "/copysift/kernels/", SOME)


def test_an_allocation_of_sqlite_that_fails_is_an_error_in_a_line(ground, tmp_path):
    attempt(ground, tmp_path / "here", "index", "malloc", "libsqlite3", 2 * SOME)


@pytest.mark.slow
@pytest.mark.parametrize("call", ["write", "fsync", "rename", "mmap", "malloc", "sqlite"])
@pytest.mark.parametrize("command", COMMANDS)
def test_every_call_may_fail(ground, tmp_path, command, call):
    here = tmp_path / "here"
    under = {"malloc": "/copysift/kernels/", "sqlite": "libsqlite3"}.get(call, places(here)[command])
    attempt(ground, here, command, call.replace("sqlite", "malloc"), under, 400)
