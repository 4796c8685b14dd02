"""Write the figures beside those of the other tools as Markdown tables.

Without an argument the tables of README.md are written from results.json; with the results of run.py they are
printed.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import pages

HERE = Path(__file__).resolve().parent


def table(results: dict[str, Any]) -> str:
    """Make the two tables: IR-Plag with the other tools, and the disguises."""
    others = json.loads((HERE / "paper.json").read_text())
    rows = [*others["tools"], {"name": "**copysift**", **results["IR-Plag"]}]
    rows.sort(key=lambda row: -row["roc_auc"])
    lines = [
        f"{others['set']} ({results['IR-Plag']['pairs']} pairs)",
        "",
        "| tool | ROC-AUC | average precision |",
    ]
    lines += ["|---|---|---|"]
    lines += [f"| {row['name']} | {row['roc_auc']:.3f} | {row['average_precision']:.3f} |" for row in rows]
    lines += ["", "Disguised copies among independent solutions", ""]
    lines += ["| disguise | ROC-AUC | average precision | pairs |", "|---|---|---|---|"]
    for name, row in results.items():
        if name != "IR-Plag":
            lines.append(
                f"| {name} | {row['roc_auc']:.3f} | {row['average_precision']:.3f} | {row['pairs']} |"
            )
    return "\n".join(lines)


def beside(found: dict[str, Any]) -> str:
    """Make the table of IR-Plag: what is measured here, with intervals, and what was measured before."""
    rows = [
        (
            row["tool"],
            row["version"],
            *(
                f"{row[each]:.3f} ({row[each + '_interval'][0]:.3f}–{row[each + '_interval'][1]:.3f})"
                for each in ("roc_auc", "average_precision")
            ),
        )
        for row in sorted(found["tools"], key=lambda row: -row["roc_auc"])
    ]
    earlier = json.loads((HERE / "paper.json").read_text())["tools"]
    here = {row["tool"].partition(",")[0] for row in found["tools"]}
    rows += [
        (f"{row['name']} (measured before)", "", f"{row['roc_auc']:.3f}", f"{row['average_precision']:.3f}")
        for row in earlier
        if row["name"] not in here
    ]
    absent = "".join(f"\n\nNot run: {tool} ({why})." for tool, why in found["missing"].items())
    head = ("tool", "version", "ROC-AUC", "average precision")
    when = f"{found['date']}, one run; rows without an interval were measured before:"
    return f"{when}\n\n{pages.table(head, *rows)}{absent}"


def schemes(found: dict[str, Any]) -> str:
    """Make the table of the two schemes: what each reaches and keeps, and how far they differ."""
    judged = found["IR-Plag"]
    rows = [
        (
            name,
            *(f"{score:.3f}" for score in judged[figure]),
            "{:+.3f} ({:+.3f} to {:+.3f})".format(
                judged[figure][1] - judged[figure][0], *judged[f"{figure}_gain"]
            ),
        )
        for name, figure in (("ROC-AUC", "roc_auc"), ("average precision", "average_precision"))
    ]
    for name in ("reported without copies", "fingerprints"):
        old, new = found[name]
        rows.append((name, f"{old:,}", f"{new:,}", f"{new / old - 1:+.0%}"))
    return pages.table(("", *found["schemes"], "difference"), *rows)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(table(json.loads(Path(sys.argv[1]).read_text())))
    else:
        found = json.loads((HERE / "schemes.json").read_text())
        irplag = beside(json.loads((HERE / "results.json").read_text()))
        pages.write(HERE / "README.md", irplag=irplag, schemes=schemes(found))
