"""Cost by size: time a MB of a scan at 20 MB and at 200 MB of one tree: python benches/growth.py TREE"""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def sample(tree: Path, folder: Path, wanted: int) -> int:
    """Copy files, drawn at random, until they make `wanted` bytes."""
    files = [p for p in sorted(tree.rglob("*")) if p.is_file() and not p.is_symlink()]
    random.Random(1997).shuffle(files)
    total = 0
    for number, path in enumerate(files):
        if total >= wanted:
            break
        target = folder / str(number % 100) / f"{number}{path.suffix}"
        target.parent.mkdir(exist_ok=True)
        shutil.copyfile(path, target)
        total += path.stat().st_size
    return total


def main() -> None:
    tree, program = Path(sys.argv[1]), str(Path(sys.executable).with_name("copysift"))
    rates = []
    for wanted in (20_000_000, 200_000_000):
        with tempfile.TemporaryDirectory() as folder:
            size = sample(tree, Path(folder), wanted)
            best = float("inf")
            for _ in range(3):
                start = time.perf_counter()
                subprocess.run([program, "scan", folder], capture_output=True)
                best = min(best, time.perf_counter() - start)
        rates.append(best / size * 1e6)
        print(f"{size / 1e6:6.0f} MB  {best:6.2f} s  {rates[-1] * 1000:6.2f} ms a MB")
    print(f"ratio {rates[1] / rates[0]:.2f}")


if __name__ == "__main__":
    main()
