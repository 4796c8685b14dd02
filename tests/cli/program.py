"""Runs the program as a user does: a process of its own, in a folder of its own."""

import functools
import os
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

from tests.cli.forks import Forks

ROOT = Path(__file__).parents[2]
# Variables that Python and the libraries read when they start: with others, a process is started.
AT_START = (
    "PYTHON",
    "COPYSIFT",
    "LANG",
    "LC_",
    "LD_",
    "OMP",
    "OPENBLAS",
    "ARROW",
    "MALLOC",
    "TERM",
    "FORCE_COLOR",
)
one_at_a_time = threading.Lock()


@dataclass(frozen=True)
class Done:
    status: int
    out: str
    err: str


def environment(**extra: str) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("COPYSIFT", "NO_COLOR"))}
    return {**kept, "PYTHONPATH": str(ROOT / "src"), "PYTHONWARNINGS": "error", "COLUMNS": "100", **extra}


def copysift(
    folder: Path,
    *arguments: str | bytes,
    stdin: bytes = b"",
    timeout: float = 300,
    fresh: bool = False,
    **extra: str,
) -> Done:
    """Run the program; `fresh`: in a process that is started, not forked."""
    variables = environment(**extra)
    if fresh or os.environ.get("TEST_FRESH") or at_start(variables) != at_start(environment()):
        return started(folder, arguments, variables, stdin, timeout)
    if not one_at_a_time.acquire(blocking=False):
        return started(folder, arguments, variables, stdin, timeout)
    try:
        return decoded(*forks().run(arguments, folder, variables, stdin, timeout))
    finally:
        one_at_a_time.release()


@functools.cache
def forks() -> Forks:
    return Forks(environment())


def at_start(variables: dict[str, str]) -> dict[str, str]:
    return {key: value for key, value in variables.items() if key.startswith(AT_START)}


def started(
    folder: Path, arguments: tuple[str | bytes, ...], variables: dict[str, str], stdin: bytes, timeout: float
) -> Done:
    done = subprocess.run(
        [sys.executable, "-m", "copysift", *arguments],
        cwd=folder, input=stdin, capture_output=True, env=variables, timeout=timeout, check=False,
    )  # fmt: skip
    return decoded(done.returncode, done.stdout, done.stderr)


def decoded(status: int, out: bytes, err: bytes) -> Done:
    return Done(status, out.decode("utf-8", "surrogateescape"), err.decode("utf-8", "surrogateescape"))


def write(folder: Path, files: dict[str, str | bytes]) -> None:
    for name, content in files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())
