"""The scores that other tools give to the pairs of a class: SIM, copydetect, compare50 and Dolos.

Each is called as its documentation says, at its defaults. SIM is Debian's package similarity-tester; the
others are installed from PyPI and npm, each into an environment of its own below the experiments' data.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benches"))
import dolos as npm
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
COMPARE50 = """
import json, pathlib, sys
from compare50 import _api, _data, passes
preprocessor = _data.Preprocessor(passes.structure.preprocessors)
paths = sorted(pathlib.Path(sys.argv[1]).glob("*.java"))
files = [_data.Submission(path.parent, [path.name], preprocessor=preprocessor) for path in paths]
scores = _api.rank(files, [], set(), passes.structure, n=len(files) ** 2)
name = lambda submission: str(submission.files[0].name)
print(json.dumps([[name(each.sub_a), name(each.sub_b), float(each.score)] for each in scores]))
"""
DOLOS = """
import { readdirSync } from "node:fs";
import { Dolos } from "@dodona/dolos-lib";
const folder = process.argv[2];
const names = readdirSync(folder).filter((name) => name.endsWith(".java")).sort();
const report = await new Dolos().analyzePaths(names.map((name) => `${folder}/${name}`));
const share = (covered, total) => (total ? covered / total : 0);
console.log(JSON.stringify(report.allPairs().map((pair) => [
  pair.leftFile.path, pair.rightFile.path, pair.similarity || 0,
  Math.max(share(pair.leftCovered, pair.leftTotal), share(pair.rightCovered, pair.rightTotal)),
])));
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
    return printed([environment("copydetect") / "bin" / "python", "-c", COPYDETECT, folder])


def compare50(seed: int) -> Callable[[Path], Scores]:
    """Give the score by which compare50 ranks: no share, it grows with the length of the match.

    It chooses fingerprints by Python's hash of strings, so its answer depends on the seed of that hash.
    """
    python = environment("compare50") / "bin" / "python"
    return lambda folder: printed([python, "-c", COMPARE50, folder], seed=seed)


def dolos(column: int) -> Callable[[Path], Scores]:
    """Give a column of Dolos: 2 is the similarity by which it ranks, 3 the larger of the two shares."""
    return lambda folder: printed(["node", dolos_script(), folder], column)


def printed(command: list[str | Path], column: int = 2, seed: int = 0) -> Scores:
    """Run a command whose last line is JSON: rows of two names and numbers; give one of the numbers."""
    seeded = os.environ | {"PYTHONHASHSEED": str(seed)}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=seeded)
    rows = json.loads(done.stdout.strip().splitlines()[-1])
    return {frozenset((Path(row[0]).name, Path(row[1]).name)): row[column] for row in rows}


def environment(package: str) -> Path:
    """Give the environment of a package; make it where it is missing."""
    place = cache() / "tools" / package
    if not (place / "installed").exists():
        shutil.rmtree(place, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
        subprocess.run([place / "bin" / "python", "-m", "pip", "install", "-q", package], check=True)
        (place / "installed").touch()
    return place


def dolos_script() -> Path:
    """Give the script that calls Dolos; install Dolos where it is missing."""
    place = cache() / "tools" / "dolos"
    if not (place / "installed").exists():
        npm.install(place, "java")
        (place / "score.mjs").write_text(DOLOS)
        (place / "installed").touch()
    return place / "score.mjs"


def version(tool: str) -> str:
    """Give the version of a tool that is installed."""
    if tool == "Dolos":
        about = cache() / "tools" / "dolos" / "node_modules" / npm.PACKAGE / "package.json"
        return str(json.loads(about.read_text())["version"])
    if tool == "SIM":
        command: list[str | Path] = ["dpkg-query", "-W", "-f", "${Version}", "similarity-tester"]
    else:
        script = f"from importlib.metadata import version; print(version({tool!r}))"
        command = [environment(tool) / "bin" / "python", "-c", script]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return said.strip().partition("-")[0]


TOOLS: dict[str, Callable[[Path], Scores]] = {
    "SIM": sim,
    "copydetect": copydetect,
    **{f"compare50, hash seed {seed}": lambda folder, s=seed: compare50(s)(folder) for seed in range(5)},
    "Dolos": dolos(2),
    "Dolos, larger share": dolos(3),
}
