"""Write the figures of a run beside those of the other tools as a Markdown table."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


def table(results: dict[str, Any]) -> str:
    """Make the two tables: IR-Plag with the other tools, and the disguises."""
    others = json.loads(Path(__file__).with_name("others.json").read_text())
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


if __name__ == "__main__":
    print(table(json.loads(Path(sys.argv[1]).read_text())))
