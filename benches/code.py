"""One assignment in C++: copysift beside copydetect and dolos-lib, in one run.

    python benches/code.py [--files 1000] [--own 20%] [--folder DIR] [--dolos] [--copydetect] [--scale]

Every file is one student's answer to the same assignment, about 4 KB (assignment.py says how they are made):
a share --own of the statements is the student's, the rest is idiom, and one file in fifty is a copy. The
bench prints how many k-grams of a file a tenth of the class has, too, and half of it, and how many of the
copies are found. Each tool compares all with all in a process of its own; CPU time and largest memory are
those of that process. --dolos and --copydetect install those tools into a folder below --folder first, once.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from assignment import COPY_EVERY, OWN, write

COPYSIFT = """
import sys, copysift
result = copysift.scan(sys.argv[1])
print(len(result.pairs), sum(int(pair.right[-9:-4]) % 50 == 49 for pair in result.pairs[:int(sys.argv[2])]))
"""
COPYDETECT = """
import sys, glob, logging
import copydetect
detector = copydetect.CopyDetector(noise_t=25, guarantee_t=50, display_t=0.25, silent=True)
for name in sorted(glob.glob(sys.argv[1] + "/*.cpp")): detector.add_file(name)
detector.run()
print(len(detector.get_copied_code_list()))
"""
DOLOS = """
import { Dolos } from "@dodona/dolos-lib";
import { readdirSync } from "node:fs";
const folder = process.argv[2];
const report = await new Dolos({ language: "cpp" }).analyzePaths(
  readdirSync(folder).sort().map((f) => folder + "/" + f));
console.log(report.allPairs().filter((p) => p.similarity >= 0.25).length);
"""


def timed(command: list[str], **options: object) -> tuple[float, float, str]:
    """Run a process; give seconds of CPU, largest memory in MB and what it printed last."""
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, **options
    )  # type: ignore[call-overload]
    assert process.stdout is not None
    printed = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = usage.ru_utime + usage.ru_stime
    last = printed.strip().splitlines()[-1] if printed.strip() else f"failed ({process.returncode})"
    return seconds, usage.ru_maxrss / 1000, last


def made(folder: Path, files: int, own: float) -> None:
    """Write a class, and say what it is."""
    import copysift

    write(folder, files, own)
    paths = sorted(folder.iterdir())
    size = sum(path.stat().st_size for path in paths) / files
    grams = [
        np.unique(
            copysift.fingerprint(
                path.read_bytes(), kind="code", language="cpp", scheme="all", guarantee=8
            ).hashes
        )
        for path in paths
    ]
    _, place, holders = np.unique(np.concatenate(grams), return_inverse=True, return_counts=True)
    held = holders[place] / files
    print(
        f"{files} files of {size:,.0f} bytes; of the 8-grams of a file {np.mean(held > 0.5):.0%} stand in"
        f" over half of the class, {np.mean(held > 0.1):.0%} in over a tenth,"
        f" {np.mean(held * files < 2):.0%} in no other"
    )


def copydetect(folder: Path) -> str:
    """Install copydetect into an environment of its own and give its Python."""
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "copydetect"], check=True)
    return str(python)


def dolos(folder: Path) -> Path:
    """Install dolos-lib and give the script that runs it; its grammars are compiled on the way."""
    folder.mkdir(exist_ok=True)
    if not (folder / "node_modules").exists():
        subprocess.run(
            ["npm", "install", "--no-audit", "--no-fund", "@dodona/dolos-lib"], cwd=folder, check=True
        )
    script = folder / "bench.mjs"
    script.write_text(DOLOS)
    return script


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--own", type=float, default=OWN, help="share of the statements that nobody else has")
    parser.add_argument("--folder", type=Path, help="where programs and tools are put")
    parser.add_argument("--dolos", action="store_true")
    parser.add_argument("--copydetect", action="store_true")
    parser.add_argument("--scale", action="store_true", help="also five times the files")
    given = parser.parse_args()
    folder = given.folder or Path(tempfile.mkdtemp())
    made(folder / "once", given.files, given.own)
    found: dict[str, tuple[float, float, str]] = {}

    def run(name: str, command: list[str], **options: object) -> None:
        found[name] = seconds, memory, pairs = timed(command, **options)
        factor = seconds / next(iter(found.values()))[0]
        print(f"{name:<32} {seconds:8.2f} s {memory:8.0f} MB {factor:6.1f} x  {pairs} pairs", flush=True)

    copies = given.files // COPY_EVERY
    run("copysift (pairs, copies first)", [sys.executable, "-c", COPYSIFT, str(folder / "once"), str(copies)])
    if given.scale:
        made(folder / "five", 5 * given.files, given.own)
        run("five times the files", [sys.executable, "-c", COPYSIFT, str(folder / "five"), str(5 * copies)])
    if given.copydetect:
        run("copydetect", [copydetect(folder / "copydetect"), "-c", COPYDETECT, str(folder / "once")])
    if given.dolos:
        script = dolos(folder / "dolos")
        run("dolos-lib", ["node", str(script), str(folder / "once")], cwd=str(script.parent))


if __name__ == "__main__":
    main()
