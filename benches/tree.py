"""A tree of files, all against all, beside ssdeep; and what is found of the files known to be copies.

    python benches/tree.py TREE [LEFT RIGHT]

LEFT and RIGHT are two versions of one tree inside TREE (two kernel-headers packages): a file that
stands in both under the same path, changed but at least 25 % alike, must be found. How alike two
files are is judged by the exact mode: all k-grams, no sampling.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from copysift.kernels import selection
from copysift.kinds import canonicaliser

K = 25


def measured(command: list[str]) -> tuple[float, float, str]:
    """Seconds, peak resident MB and output of a command."""
    start = time.perf_counter()
    done = subprocess.run(
        ["/usr/bin/env", "python3", "-c", _WATCH, *command], capture_output=True, text=True, errors="replace"
    )
    seconds = time.perf_counter() - start
    peak = int(done.stderr.strip().splitlines()[-1]) / 1024
    return seconds, peak, done.stdout


_WATCH = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
"""


def exact_containment(left: Path, right: Path) -> float:
    """The larger containment over all k-grams."""
    kinds = [canonicaliser("html" if path.suffix == ".html" else "text") for path in (left, right)]
    grams = [
        np.unique(selection.hashes(kind.whole(path.read_bytes()).symbols, K))
        for kind, path in zip(kinds, (left, right), strict=True)
    ]
    smaller = min(len(grams[0]), len(grams[1]))
    return len(np.intersect1d(*grams, assume_unique=True)) / smaller if smaller else 0.0


def changed_files(tree: Path, left: str, right: str) -> set[tuple[str, str]]:
    found = set()
    for path in sorted((tree / left).rglob("*")):
        other = tree / right / path.relative_to(tree / left)
        if path.is_symlink() or not path.is_file() or other.is_symlink() or not other.is_file():
            continue
        if path.read_bytes() != other.read_bytes() and exact_containment(path, other) >= 0.25:
            found.add((str(path), str(other)))
    return found


def ssdeep(tree: Path) -> float | None:
    if not shutil.which("ssdeep"):
        return None
    with tempfile.TemporaryDirectory() as folder:
        hashes = Path(folder) / "hashes"
        start = time.perf_counter()
        with hashes.open("w") as out:
            subprocess.run(["ssdeep", "-r", "-b", str(tree)], stdout=out, stderr=subprocess.DEVNULL)
        subprocess.run(["ssdeep", "-x", str(hashes)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return time.perf_counter() - start


def main() -> None:
    tree = Path(sys.argv[1]).resolve()
    size = sum(os.lstat(p).st_size for p in tree.rglob("*") if p.is_file() and not p.is_symlink())
    program = str(Path(sys.executable).with_name("copysift"))
    subprocess.run([program, "scan", str(tree)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    runs = [measured([program, "scan", str(tree)]) for _ in range(3)]
    seconds, peak = min(run[0] for run in runs), max(run[1] for run in runs)
    print(f"copysift scan   {seconds:7.1f} s  {size / seconds / 1e6:6.0f} MB/s  peak {peak:.0f} MB")
    if len(sys.argv) > 3:
        with tempfile.TemporaryDirectory() as folder:
            run = str(Path(folder) / "run")
            subprocess.run(
                [program, "scan", str(tree), "--save", run, "-q"],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )  # fmt: skip
            shown = subprocess.run(
                [program, "show", run, "--threshold", "25%", "--measure", "containment", "--format", "json"],
                capture_output=True, text=True,
            )  # fmt: skip
        pairs = {frozenset((p["left"], p["right"])) for p in json.loads(shown.stdout)["pairs"]}
        truth = changed_files(tree, sys.argv[2], sys.argv[3])
        found = sum(frozenset(pair) in pairs for pair in truth)
        print(f"changed files   {found} of {len(truth)} found: {found / len(truth):.2%}")
    other = ssdeep(tree)
    if other is None:
        print("ssdeep is not installed: no ratio")
    else:
        print(f"ssdeep          {other:7.1f} s  ratio {other / seconds:.1f}")


if __name__ == "__main__":
    main()
