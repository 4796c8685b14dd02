"""Runs the program as a user does: a process of its own, in a folder of its own."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Done:
    status: int
    out: str
    err: str


def environment(**extra: str) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("COPYSIFT", "NO_COLOR"))}
    return {**kept, "PYTHONPATH": str(ROOT / "src"), "PYTHONWARNINGS": "error", "COLUMNS": "100", **extra}


def copysift(
    folder: Path, *arguments: str | bytes, stdin: bytes = b"", timeout: float = 300, **extra: str
) -> Done:
    done = subprocess.run(
        [sys.executable, "-m", "copysift", *arguments],
        cwd=folder,
        input=stdin,
        capture_output=True,
        env=environment(**extra),
        timeout=timeout,
        check=False,
    )
    decoded = (stream.decode("utf-8", "surrogateescape") for stream in (done.stdout, done.stderr))
    return Done(done.returncode, *decoded)


def write(folder: Path, files: dict[str, str | bytes]) -> None:
    for name, content in files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())
