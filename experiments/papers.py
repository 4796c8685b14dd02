"""Reproduce the papers: python experiments/papers.py [PAPER [FOLDER|WARC…]]

PAPER is winnowing, broder, sif, plagiarism or dedup; without it all are done. The plots that the
documentation shows are copied there.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAPERS = ("winnowing", "broder", "sif", "plagiarism", "dedup")
SHOWN = {"winnowing": "densities.svg", "broder": "errors.svg"}  # in the documentation, too
SCRIPTS = {"plagiarism": ("compare.py", "schemes.py", "render.py")}


def main() -> None:
    wanted, folders = sys.argv[1:2], sys.argv[2:]
    if wanted and wanted[0] not in PAPERS:
        raise SystemExit(
            f"there is no experiment {wanted[0]!r}: choose one of {', '.join(PAPERS)}, or none for all"
        )
    for paper in wanted or PAPERS:
        start, before = time.monotonic(), _processor()
        for script in SCRIPTS.get(paper, ("run.py", "render.py")):
            arguments = [] if script == "render.py" else folders
            subprocess.run([sys.executable, str(HERE / paper / script), *arguments], check=True)
        if paper in SHOWN:
            shutil.copyfile(HERE / paper / SHOWN[paper], HERE.parent / "docs" / "images" / SHOWN[paper])
        elapsed, used = time.monotonic() - start, _processor() - before
        print(
            f"experiments/{paper}/README.md is written ({elapsed:.0f} s, processors {used:.0f} s)", flush=True
        )


def _processor() -> float:
    """Give the processor seconds of the scripts so far; the clock says little on a busy machine."""
    times = os.times()
    return times.children_user + times.children_system


if __name__ == "__main__":
    main()
