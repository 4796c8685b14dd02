"""Build the sdist and a wheel from it, install the wheel as users do, and run it: ./dev package

The wheel is installed with pipx and with uv, each into a folder of its own below build/package, and must find
the copies in examples/essays. What it needs is downloaded once, by pip, for both. Prints the size of the
wheel, and how large and how quick an installation is.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
LOCK = ROOT / "requirements.lock"
MOST = 5_000_000  # bytes of a wheel


def main() -> int:
    """Build, install and run; the exit status is 1 if the wheel is too large or an installation fails."""
    place = ROOT / "build" / "package"
    shutil.rmtree(place, ignore_errors=True)
    # A URI, because pip splits the variable at blanks.
    locked = {**os.environ, "PIP_CONSTRAINT": LOCK.as_uri()}
    subprocess.run(
        [sys.executable, "-m", "build", "--outdir", place, ROOT],
        check=True,
        env=locked,
        stdout=subprocess.DEVNULL,
    )
    (wheel,) = place.glob("*.whl")
    print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB")
    if wheel.stat().st_size > MOST:
        print(f"the wheel is larger than {MOST / 1e6:.0f} MB")
        return 1
    needed = place / "needed"
    download = [sys.executable, "-m", "pip", "download", "--quiet", "--dest", needed, wheel]
    subprocess.run(download, check=True, env=locked)
    offline = ["--no-index", "--find-links", str(needed)]
    pipx = [sys.executable, "-m", "pipx", "install", f"--pip-args={shlex.join(offline)}", wheel]
    uv = [sys.executable, "-m", "uv", "tool", "install", "--python", sys.executable, *offline, wheel]
    tools = {"pipx": (pipx, "PIPX_HOME", "PIPX_BIN_DIR"), "uv": (uv, "UV_TOOL_DIR", "UV_TOOL_BIN_DIR")}
    for name, (command, home, programs) in tools.items():
        folder = place / name
        variables = {**locked, home: str(folder / "home"), programs: str(folder / "bin")}
        begun = time.perf_counter()
        subprocess.run(command, check=True, env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        seconds = time.perf_counter() - begun
        done = subprocess.run(
            [folder / "bin" / "copysift", "scan", ROOT / "examples" / "essays"],
            capture_output=True,
            text=True,
        )
        if done.returncode or "clusters" not in done.stdout:
            print(f"{name}: copysift does not run: {done.stderr}")
            return 1
        size = sum(path.stat().st_size for path in (folder / "home").rglob("*") if path.is_file())
        print(f"{name}: installed in {seconds:.0f} s, {size / 1e6:.0f} MB; {done.stdout.splitlines()[-1]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
