"""The experiments of sif: python experiments/sif/run.py [FOLDER…]

Without a folder the tree is two versions of Debian's kernel headers. Writes results.json beside this file.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from data import unpacked
from random_test import files_of, random_test

HERE = Path(__file__).resolve().parent


def header_packages() -> list[str]:
    """Name two versions of the kernel headers, as far apart as apt has them."""
    named = subprocess.run(
        ["apt-cache", "pkgnames", "linux-headers-6.1.0-"], capture_output=True, text=True
    ).stdout
    found = [each for each in named.split() if each.endswith("-common") and each.count("-") == 4]
    found.sort(key=lambda each: int(each.split("-")[3]))
    return [found[0], found[-1]]


def timed(*arguments: str | Path) -> float:
    """Run copysift and give its CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([sys.executable, "-m", "copysift", *map(str, arguments)], stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1, 3):
        raise SystemExit(f"copysift {' '.join(map(str, arguments))} failed")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def groups(run: Path, folder: Path, threshold: str) -> dict[str, object]:
    """Count sif's groups, each around a reference file, and the sets of equal files."""
    out = folder / "shown.txt"
    seconds = timed("show", run, "--threshold", threshold, "--format", "sif", "-o", out, "-q")
    lines = out.read_text(errors="surrogateescape").splitlines()
    similar = sum(line.startswith("R100 ") for line in lines)
    listed = folder / "shown.json"
    timed("show", run, "--threshold", "100%", "--limit", "1", "--no-regions", "-o", listed, "-q")
    return {"groups": similar, "equal": len(json.loads(listed.read_text())["equal"]), "seconds": seconds}


def size(folder: Path) -> int:
    return sum(each.stat().st_size for each in folder.rglob("*") if each.is_file())


def main() -> None:
    trees = [Path(each) for each in sys.argv[1:]] or [unpacked(each) for each in header_packages()]
    files = [path for tree in trees for path in files_of(tree)]
    total = sum(path.stat().st_size for path in files)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run, index = folder / "run", folder / "index.sift"
        scan = timed("scan", *trees, "--save", run, "--limit", "1", "-q")
        indexed = timed(
            "index", "add", index, *trees, "--scheme", "mod", "--modulus", "256", "--noise", "50", "-q"
        )
        results = {
            "random_test": random_test(trees),
            "tree": {"files": len(files), "bytes": total, "scan_seconds": scan, "index_seconds": indexed},
            "at_25": groups(run, folder, "25%"),
            "at_50": groups(run, folder, "50%"),
            "index_bytes": size(index),
        }
    (HERE / "results.json").write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
