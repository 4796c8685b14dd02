"""The scores that other tools give to the pairs of a class: SIM, copydetect and, where they are there, Dolos.

Each is called as its documentation says, at its defaults, in an environment of its own: SIM is Debian's
package similarity-tester; copydetect is installed below the folder of the experiments' data.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from data import cache

Scores = dict[frozenset[str], float]  # by the names of two files
COPYDETECT = """
import glob, json, sys, copydetect
detector = copydetect.CopyDetector(display_t=0, silent=True)
for name in sorted(glob.glob(sys.argv[1] + "/*.java")): detector.add_file(name)
detector.run()
rows = detector.get_copied_code_list()
print(json.dumps([[str(row[2]), str(row[3]), float(max(row[0], row[1]))] for row in rows]))
"""


def sim(folder: Path) -> Scores:
    """Give the larger of the two shares that sim_java prints for a pair.

    `-e` compares each file with each: else a passage is counted for one of the files that have it.
    """
    names = sorted(map(str, folder.glob("*.java")))
    done = subprocess.run(
        ["sim_java", "-p", "-e", "-t", "1", *names], capture_output=True, text=True, check=True
    )
    found: Scores = {}
    for one, share, other in re.findall(r"^(.+) consists for (\d+) % of (.+) material$", done.stdout, re.M):
        pair = frozenset((Path(one).name, Path(other).name))
        found[pair] = max(found.get(pair, 0.0), int(share) / 100)
    return found


def copydetect(folder: Path) -> Scores:
    """Give the larger of the two shares of copydetect."""
    python = environment("copydetect") / "bin" / "python"
    done = subprocess.run([python, "-c", COPYDETECT, str(folder)], capture_output=True, text=True, check=True)
    rows = json.loads(done.stdout.strip().splitlines()[-1])
    return {frozenset((Path(one).name, Path(other).name)): score for one, other, score in rows}


def environment(package: str) -> Path:
    """Give the environment of a package; make it where it is missing."""
    place = cache() / "tools" / package
    if not (place / "installed").exists():
        shutil.rmtree(place, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
        subprocess.run([place / "bin" / "python", "-m", "pip", "install", "-q", package], check=True)
        (place / "installed").touch()
    return place


TOOLS: dict[str, Callable[[Path], Scores]] = {"SIM": sim, "copydetect": copydetect}
