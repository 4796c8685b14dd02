"""IR-Plag by every tool that is there, with confidence intervals: python experiments/plagiarism/compare.py

Writes results.json beside this file. The data is IR-Plag: irplag.zip in the folder of the experiments' data
(experiments/data.py), or the file that you name.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import numpy as np

import copysift

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from bootstrap import interval
from data import cache
from judge import average_precision, roc_auc
from rivals import TOOLS, Scores, version
from run import cases, scores_of

HERE = Path(__file__).parent
SCHEMES = ("robust", "open-closed")


def own(scheme: str) -> Callable[[Path], Scores]:
    """Scan a class at the defaults, all pairs listed."""

    def scores(folder: Path) -> Scores:
        score = scores_of(copysift.scan(str(folder), threshold=0, scheme=scheme))
        names = sorted(path.name for path in folder.iterdir())
        return {frozenset(pair): score(*pair) for pair in combinations(names, 2)}

    return scores


def judged(classes: list, tool: Callable[[Path], Scores]) -> dict[str, object]:
    """Score the pairs of all classes with a tool; give the figures, each with its interval."""
    values, labels, strata = [], [], []
    for number, (files, pairs) in enumerate(classes):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for file, text in files.items():
                (folder / file).write_text(text, "utf-8")
            scores = tool(folder)
        values += [scores.get(frozenset(pair[:2]), 0.0) for pair in pairs]
        labels += [pair[2] for pair in pairs]
        strata += [2 * number + pair[2] for pair in pairs]
    score, truth = np.array(values), np.array(labels)
    row: dict[str, object] = {"pairs": len(truth)}
    for figure in (roc_auc, average_precision):
        row[figure.__name__] = figure(values, labels)
        row[f"{figure.__name__}_interval"] = interval(
            lambda drawn, f=figure: f(score[drawn], truth[drawn]), strata
        )
    return row


def main() -> None:
    archive = Path(sys.argv[1]) if len(sys.argv) > 1 else cache() / "irplag.zip"
    if not archive.exists():
        print(f"plagiarism: {archive} is missing, the results that are there are kept", file=sys.stderr)
        return
    classes = list(cases(archive))
    tools = {f"copysift, {scheme}": own(scheme) for scheme in SCHEMES} | TOOLS
    rows, missing = [], {}
    for name, tool in tools.items():
        try:
            row = judged(classes, tool)
            kind = name.partition(",")[0]
            row["version"] = copysift.__version__ if kind == "copysift" else version(kind)
            rows.append({"tool": name, **row})
        except (OSError, ValueError, subprocess.CalledProcessError) as error:
            missing[name] = f"{type(error).__name__}: {error}"[:200]
    found = {"date": time.strftime("%-d %B %Y"), "tools": rows, "missing": missing}
    (HERE / "results.json").write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
