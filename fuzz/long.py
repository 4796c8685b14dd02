"""Run the native targets in turn for a long time, and count: fuzz/long.py [--minutes M] [--turn S].

Counts are added to fuzz/inputs.json after each turn: one number for each target, of inputs that sanitizers
watched. A finding stops its target and is kept in build/fuzz/findings.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
OUT = ROOT / "build/fuzz"
COUNTS = ROOT / "fuzz/inputs.json"
PAGE = ROOT / "docs/reliability.md"
BEGIN, END = "<!-- inputs: fuzz/long.py --docs -->", "<!-- end of inputs -->"
ODD = {"alike": " <!-- words: name of a kernel -->"}  # names that are not plain words


def turn(target: str, seconds: int) -> tuple[int, bool]:
    """Run a target for some seconds; give the number of inputs, and whether it found something."""
    corpus = OUT / "corpus" / f"native-{target}"
    corpus.mkdir(parents=True, exist_ok=True)
    (OUT / "findings").mkdir(exist_ok=True)
    done = subprocess.run(
        [
            str(OUT / "native" / target), f"-max_total_time={seconds}", "-max_len=512",
            "-print_final_stats=1",
            f"-artifact_prefix={OUT}/findings/native-{target}-", "-timeout=60", str(corpus),
        ],
        capture_output=True, check=False,
    )  # fmt: skip
    counted = re.findall(rb"number_of_executed_units: (\d+)", done.stderr)
    if done.returncode:
        sys.stderr.write(f"{target}: {done.stderr.decode(errors='replace')[-3000:]}\n")
    return int(counted[-1]) if counted else 0, done.returncode != 0


def write_table() -> None:
    """Put the counts into the page on reliability."""
    counts = json.loads(COUNTS.read_text())
    rows = [f"| `{target}`{ODD.get(target, '')} | {count:,} |" for target, count in sorted(counts.items())]
    rows.append(f"| all | {sum(counts.values()):,} |")
    table = "\n".join(["| kernel | inputs |", "| --- | ---: |", *rows])
    page = PAGE.read_text()
    page = re.sub(f"(?s){BEGIN}.*?{END}", lambda _: f"{BEGIN}\n\n{table}\n\n{END}", page)
    PAGE.write_text(page)


def main() -> None:
    """Go round the targets until the time is over."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--turn", type=int, default=30, help="seconds of one target")
    parser.add_argument("--target", action="append", help="only this one")
    parser.add_argument("--docs", action="store_true", help="only write the counts to docs/reliability.md")
    given = parser.parse_args()
    if given.docs:
        write_table()
        return
    made = {path.name for path in (OUT / "native").iterdir() if not path.suffix}
    targets = sorted(made & set(given.target or made))
    end, failed = time.monotonic() + 60 * given.minutes, set()
    while time.monotonic() < end and len(failed) < len(targets):
        counts = json.loads(COUNTS.read_text()) if COUNTS.exists() else {}
        for target in sorted(targets, key=lambda target: counts.get(target, 0)):  # the fewest first
            if target in failed or time.monotonic() >= end:
                continue
            inputs, found = turn(target, given.turn)
            failed |= {target} if found else set()
            counts = json.loads(COUNTS.read_text()) if COUNTS.exists() else {}
            counts[target] = counts.get(target, 0) + inputs
            COUNTS.write_text(json.dumps(counts, indent=1, sort_keys=True) + "\n")
    print(f"findings in: {', '.join(sorted(failed)) or 'none'}")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
