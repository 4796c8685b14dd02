"""Every command of the README and how-tos on real trees: it ends in time and skips nothing without a reason.

Debian's packages of documentation and wheels from PyPI are fetched with the ordinary clients into the folder
that COPYSIFT_TREES names (default: build/trees), once. Without a network these tests are skipped. All of it
takes hours; COPYSIFT_TREES_SHARE=20 takes one file in 20 of each tree for the pages.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.program import ROOT, environment
from tests.real_trees import PACKAGES, Stage, fetched

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="needs Debian's packages")]
SECONDS = float(os.environ.get("COPYSIFT_TREES_SECONDS", "1800"))  # of one command
# Why a file of these trees may be left out; another reason is a defect, or a new line here.
REASONS = re.compile(
    r"shows no strings: it is a drawing|has no text on its|shows strings in an encoding of its own|"
    r"needs a password|pip install 'copysift\[|is not a regular file|is empty|"
    r"is a symbolic link|no document with text"
)
PAGES = ("files", "folders", "teachers", "index", "sweeps", "corpora", "check")
# Lines that cannot be run on a real tree, with the reason.
LEFT_OUT = {
    "copysift serve": "a server; tests/serve",
    "copysift completion bash >> ~/.bashrc": "no tree is read",
    "copysift browse run": "needs a terminal; tests/cli/test_browse.py",
    "copysift copies site.sift licence.txt --watch": "waits for the next sweep; tests/sweeps",
}
MADE_FIRST = {  # of a page that takes something up that another part of it, or of another page, has made
    "corpora": "copysift cluster gsm8k.jsonl -o TESTSET",
    "check": "copysift index add company.sift ../2023",
}


def lines(page: str) -> list[str]:
    """Give the commands of a page in order, without comments."""
    path = ROOT / "README.md" if page == "README" else ROOT / "docs" / f"howto-{page}.md"
    text = path.read_text(encoding="utf-8")
    found = re.findall(r"^(?:\$ |    )?((?:find .*|cat .*)?copysift .*?)(?:\s+#.*)?$", text, re.MULTILINE)
    return [line for line in found if not LEFT_OUT.keys() & {line}]


@pytest.fixture(scope="module", params=[*PACKAGES, "wheels"])
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """A folder to work in, with the program, and what the pages name, made of a real tree."""
    tree = fetched(request.param)
    folder = tree.parent / f"{request.param}.stage"  # hard links: on the same disk
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "bin").mkdir(parents=True)
    program = folder / "bin/copysift"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m copysift "$@"\n')
    program.chmod(0o755)
    stage = Stage(folder, tree)
    stage.make()
    yield stage
    shutil.rmtree(folder)


def run(stage: Stage, line: str, where: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", "-c", line], cwd=stage.folder / where, timeout=SECONDS, check=False,
        env=environment(PATH=f"{stage.folder / 'bin'}:/usr/bin:/bin"),
        capture_output=True, text=True, errors="replace",
    )  # fmt: skip


def judge(line: str, done: subprocess.CompletedProcess[str]) -> None:
    """See that a command ended well, and that what it skipped has a reason that is known."""
    allowed = (0, 1, 3, 123) if "xargs" in line else (0, 1, 3)
    assert done.returncode in allowed, (line, done.stderr[-2000:])
    assert "Traceback" not in done.stderr, (line, done.stderr[-2000:])
    assert "defect" not in done.stderr, (line, done.stderr[-2000:])
    skipped = re.findall(r"^copysift: skipped (.*)$", done.stderr, re.MULTILINE)
    assert [each for each in skipped if not REASONS.search(each)] == [], line
    assert done.returncode != 3 or skipped or "-q" in line, (line, done.stderr[-2000:])


@pytest.mark.parametrize("page", ["README", *PAGES])
def test_every_command_of_a_page_ends_on_a_real_tree_and_names_what_it_skips(place: Stage, page: str) -> None:
    where = "repository" if page == "check" else ""
    for left in ("*.sift", "run", "RUN", "TESTSET"):  # of another page
        for path in place.folder.glob(left):
            shutil.rmtree(path)
    if page in MADE_FIRST:
        judge(MADE_FIRST[page], run(place, MADE_FIRST[page], where))
    ran = 0
    for line in lines(page):
        for name in re.findall(r" (?:-o|--save) (\S+)", line):
            made = place.folder / where / name
            shutil.rmtree(made) if made.is_dir() else made.unlink(missing_ok=True)
        judge(line, run(place, line, where))
        ran += 1
    assert ran >= 4


def test_every_how_to_with_commands_on_files_is_run() -> None:
    pages = {path.stem.removeprefix("howto-") for path in (ROOT / "docs").glob("howto-*.md")}
    assert pages - {*PAGES} == {"server", "spark"}  # tests/serve and tests/spark run these
    assert sum(len(lines(page)) for page in ("README", *PAGES)) > 70


def test_every_file_of_a_real_tree_is_compared_or_named(place: Stage) -> None:
    done = run(place, "copysift scan FOLDER --no-containers --hidden --format json -o all.json -q")
    assert done.returncode in (0, 1, 3), done.stderr[-2000:]
    content = json.loads((place.folder / "all.json").read_text())
    named = {each["name"] for each in (*content["documents"], *content["skipped"])}
    inside = Path("FOLDER")
    there = {
        str(inside / path.relative_to(place.folder / inside))
        for path in (place.folder / inside).rglob("*")
        if path.is_file()
    }
    twins = {name for names in content["equal"] for name in names}
    assert there - named - twins == set()
