"""The documentation site: tutorials run, every public name has a place, no link is broken."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import copysift

ROOT = Path(__file__).parents[1]
TUTORIALS = [*sorted((ROOT / "docs").glob("tutorial-*.md")), ROOT / "docs" / "migration.md"]
BLOCK = re.compile(r"^```(console|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run(block: str, place: Path) -> None:
    """Run the commands of a console block; each must find something."""
    for line in re.sub(r"\\\n *", "", block).splitlines():
        assert line.startswith("$ "), f"a console block holds commands only, not {line!r}"
        environment = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
        done = subprocess.run(
            line[2:], shell=True, cwd=place, env=environment, capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, f"{line}: {done.returncode} {done.stderr}"


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_a_tutorial_runs_from_top_to_bottom(page, tmp_path):
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    blocks = BLOCK.findall(page.read_text())
    assert blocks or page.stem == "tutorial-server", "a tutorial has something to run"
    for kind, block in blocks:
        if kind == "console":
            run(block, tmp_path)
        else:
            subprocess.run([sys.executable, "-c", block], cwd=tmp_path, check=True, timeout=120)


def test_every_public_name_is_on_the_page_of_python():
    named = set(re.findall(r"^::: copysift\.(\w+)$", (ROOT / "docs/api.md").read_text(), re.MULTILINE))
    assert named == {name for name in copysift.__all__ if not name.startswith("_")}


def test_every_page_is_in_the_navigation():
    listed = set(re.findall(r"[\w-]+\.md", (ROOT / "mkdocs.yml").read_text()))
    assert listed == {page.name for page in (ROOT / "docs").glob("*.md")}


def test_the_site_builds_without_a_broken_link(tmp_path):
    pytest.importorskip("material", reason="mkdocs-material is not installed")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)],
        cwd=ROOT, capture_output=True, text=True, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "scan" in (tmp_path / "api/index.html").read_text()
