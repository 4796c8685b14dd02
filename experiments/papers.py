"""Reproduce the papers: python experiments/papers.py [winnowing|broder|sif|plagiarism|dedup] [FOLDER…]"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAPERS = ("winnowing", "broder", "sif", "plagiarism", "dedup")
SCRIPTS = {"plagiarism": ("compare.py", "render.py")}


def main() -> None:
    wanted, folders = sys.argv[1:2], sys.argv[2:]
    if wanted and wanted[0] not in PAPERS:
        raise SystemExit(
            f"there is no experiment {wanted[0]!r}: choose one of {', '.join(PAPERS)}, or none for all"
        )
    for paper in wanted or PAPERS:
        start = time.monotonic()
        for script in SCRIPTS.get(paper, ("run.py", "render.py")):
            arguments = [] if script == "render.py" else folders
            subprocess.run([sys.executable, str(HERE / paper / script), *arguments], check=True)
        print(f"experiments/{paper}/README.md is written ({time.monotonic() - start:.0f} s)")


if __name__ == "__main__":
    main()
