"""Make docs/report.png: the report of examples/homework in Chromium, side by side."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.browser.chromium import chromium, open_page  # noqa: E402 - the path is set above
from tests.cli.program import environment  # noqa: E402

SCAN = (
    "scan", "submissions", "--by", "dir", "--base", "starter", "--earlier", "earlier/2025",
    "--metadata", "submissions.csv", "--quiet",
)  # fmt: skip


def main() -> None:
    """Make the report, open its first pair, and keep what is seen."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.html"
        command = [sys.executable, "-m", "copysift", *SCAN, "-o", str(report)]
        subprocess.run(command, cwd=ROOT / "examples" / "homework", env=environment(), check=True)
        with chromium(width=1180, height=760) as driver:
            open_page(driver, report, "#/pair/0")
            driver.find_element("tag name", "body").send_keys("j")
            driver.save_screenshot(str(ROOT / "docs" / "report.png"))


if __name__ == "__main__":
    main()
