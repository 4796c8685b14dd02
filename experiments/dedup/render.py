"""Write the table of results.json into README.md."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import pages

HERE = Path(__file__).resolve().parent


def share(row: dict[str, Any], figure: str) -> str:
    low, high = row[f"{figure}_interval"]
    return f"{row[figure]:.3f} ({low:.3f}–{high:.3f})"


def main() -> None:
    results = json.loads((HERE / "results.json").read_text())
    rows = [
        (
            f"{row['tool']} ({row['version']})",
            f"{row['threshold']:.0%}",
            *(share(row, figure) for figure in ("recall", "precision")),
            row["missed"],
            row["wrong"],
        )
        for row in results["rows"]
    ]
    head = ("tool", "from", "recall", "precision", "missed", "wrong")
    copies = results["copies"]
    data = (
        f"{results['date']}: {results['documents']:,} pages ({', '.join(results['sources'])}); "
        f"{copies['0.5']:,} have a near-copy at 50 %, {copies['0.8']:,} at 80 %."
    )
    absent = "".join(f"\n\nNot run: {tool} ({why})." for tool, why in results["missing"].items())
    pages.write(HERE / "README.md", quality=f"{data}\n\n{pages.table(head, *rows)}{absent}")


if __name__ == "__main__":
    main()
