"""Make the small runs that tests keep of a version: `make_format_runs.py COPYSIFT NAME`.

They are made of the bundled essays, as records, with paths relative to the folder of the runs, so that later
versions can be tested on what an earlier one wrote.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "tests" / "runs" / "formats"
ESSAYS = ROOT / "examples" / "essays"


def main(copysift: str, name: str) -> None:
    """Write essays.jsonl, and scan-NAME and cluster-NAME made of it."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    texts = {path.stem: path.read_text(encoding="utf-8") for path in sorted(ESSAYS.glob("*.txt"))}
    lines = [json.dumps({"id": stem, "text": text}) for stem, text in texts.items()]
    (FOLDER / "essays.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for command, flag in (("scan", "--save"), ("cluster", "-o")):
        run = f"{command}-{name}"
        shutil.rmtree(FOLDER / run, ignore_errors=True)
        subprocess.run([copysift, command, "essays.jsonl", flag, run, "-q"], cwd=FOLDER, check=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
