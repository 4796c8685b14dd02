"""Make docs/scan.svg: what `copysift scan examples/essays` prints, in colour."""

import contextlib
import io
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

from copysift.report import table
from copysift.report.view import View

ROOT = Path(__file__).parents[1]
WIDTH = 112
COMMAND = "copysift scan essays"


def picture() -> str:
    """Scan the example and give the picture of the answer."""
    import copysift

    with contextlib.chdir(ROOT / "examples"):
        result = copysift.scan("essays")
    shown = table.report(result, View(width=WIDTH, color=True))
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    console.print(Text.from_ansi(f"\x1b[1m$ {COMMAND}\x1b[0m\n{shown}"), soft_wrap=False)
    return console.export_svg(title=COMMAND, unique_id="copysift-scan")


if __name__ == "__main__":
    target = ROOT / "docs" / "scan.svg"
    made = picture()
    if "--check" in sys.argv:
        sys.exit(target.read_text(encoding="utf-8") != made)
    target.write_text(made, encoding="utf-8")
