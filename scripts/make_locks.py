"""Write requirements.lock and the lock file of each reader again: ./dev lock

requirements.lock has an exact version of every package that a ./dev command installs: what pyproject.toml
names and what that needs, for every Python and system that copysift supports. `pip install --constraint`
reads it. Versions that are in the file stay while they fit; `./dev lock --upgrade` takes the newest of all.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
LOCK = ROOT / "requirements.lock"
READERS = ROOT / "tests" / "serve" / "readers"


def main(options: list[str]) -> int:
    """Write every lock file; `options` go to uv."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    requirements = project["build-system"]["requires"]
    options_of_all = ["--all-extras", "--annotation-style", "line", "pyproject.toml"]
    compile_lock(LOCK, requirements, [*options, *options_of_all])
    READERS.mkdir(exist_ok=True)
    for line in READERS.with_suffix(".txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith("npm:"):
            requirements = line.split()
            name = requirements[0].partition("==")[0]
            compile_lock(READERS / f"{name}.lock", requirements, [*options, "--no-annotate"])
    return 0


def compile_lock(lock: Path, requirements: list[str], options: list[str]) -> None:
    """Write the versions of `requirements` and of all that they need into `lock`."""
    command = [sys.executable, "-m", "uv", "pip", "compile", "--quiet"]
    command += ["--universal", "--python-version", "3.11", "--fork-strategy", "fewest"]
    command += ["--strip-extras", "--custom-compile-command", "./dev lock"]
    command += ["--output-file", str(lock.relative_to(ROOT)), *options, "-"]
    subprocess.run(command, check=True, cwd=ROOT, input="\n".join(requirements), text=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
