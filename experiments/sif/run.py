"""The experiments of sif: python experiments/sif/run.py [FOLDER|WARC…]

Without a source the tree is two versions of Debian's kernel headers, and the small files are those of the
package ansible; of a source that you name they are its own. Writes results.json beside this file.
"""

from __future__ import annotations

import json
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import copysift

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from data import named, unpacked
from random_test import files_of, random_test

HERE = Path(__file__).resolve().parent
THRESHOLDS = (10, 25, 40, 50, 60, 75, 90)  # percent
SMALL = 8192  # bytes at most: a mean of about 3 KB, as the paper's README files have


def header_packages() -> list[str]:
    """Name two versions of the kernel headers, as far apart as apt has them."""
    listed = subprocess.run(
        ["apt-cache", "pkgnames", "linux-headers-6.1.0-"], capture_output=True, text=True
    ).stdout
    found = [each for each in listed.split() if each.endswith("-common") and each.count("-") == 4]
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


def groups(run: Path, folder: Path) -> list[dict[str, float]]:
    """Count sif's groups, each around a reference file, at each threshold."""
    rows = []
    out = folder / "shown.txt"
    for percent in THRESHOLDS:
        seconds = timed("show", run, "--threshold", f"{percent}%", "--format", "sif", "-o", out, "-q")
        lines = out.read_text(errors="surrogateescape").splitlines()
        found = sum(line.startswith("R100 ") for line in lines)
        rows.append({"threshold": percent / 100, "groups": found, "seconds": seconds})
    return rows


def equal_sets(run: Path, folder: Path) -> int:
    """Count the sets of equal files."""
    listed = folder / "shown.json"
    timed("show", run, "--threshold", "100%", "--limit", "1", "--no-regions", "-o", listed, "-q")
    return len(json.loads(listed.read_text())["equal"])


def all_against_all(trees: list[Path], folder: Path) -> dict[str, object]:
    """Compare the files of some trees with each other."""
    files = [path for tree in trees for path in files_of(tree)]
    run = folder / "run"
    scan = timed("scan", *trees, "--save", run, "--limit", "1", "-q", "--overwrite")
    return {
        "files": len(files),
        "bytes": sum(path.stat().st_size for path in files),
        "scan_seconds": scan,
        "equal": equal_sets(run, folder),
        "similar": groups(run, folder),
    }


def pairs_by_scheme(trees: list[Path]) -> dict[str, int]:
    """Count the pairs that a scan reports with two schemes, and with all k-grams, which estimate nothing."""
    return {
        scheme: len(copysift.scan([*map(str, trees)], scheme=scheme).pairs)
        for scheme in ("robust", "open-closed", "all")
    }


def small_files(trees: list[Path], folder: Path) -> Path:
    """Copy the small files of some trees, with their names, into one."""
    place = folder / "small"
    for number, tree in enumerate(trees):
        for path in files_of(tree):
            if 0 < path.stat().st_size <= SMALL:
                to = place / str(number) / path.relative_to(tree)
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, to)
    return place


def size(folder: Path) -> int:
    return sum(each.stat().st_size for each in folder.rglob("*") if each.is_file())


def main() -> None:
    own = named(sys.argv[1:], ())
    trees = own or [unpacked(each) for each in header_packages()]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        index = folder / "index.sift"
        timed("index", "add", index, *trees, "--scheme", "mod", "--modulus", "256", "--noise", "50", "-q")
        results = {
            "random_test": random_test(trees),
            "tree": all_against_all(trees, folder),
            "small": all_against_all([small_files(own or [unpacked("ansible")], folder)], folder),
            "index_bytes": size(index),
            "pairs": pairs_by_scheme(trees),
        }
    (HERE / "results.json").write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
