"""Commands of the README and of how-tos on real trees: each ends in time and skips nothing without a reason.

Debian's packages of documentation and wheels from PyPI are fetched with the ordinary clients into the folder
that COPYSIFT_TREES names (default: build/trees), once. Without a network these tests are skipped.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.program import ROOT, environment

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="needs Debian's packages")]
TREES = Path(os.environ.get("COPYSIFT_TREES", ROOT / "build/trees"))
SECONDS = float(os.environ.get("COPYSIFT_TREES_SECONDS", "1800"))  # of one command
PACKAGES = {
    "linux-doc": ("linux-doc-6.1",),
    "openjdk-doc": ("openjdk-17-doc",),
    "texlive-doc": ("texlive-latex-base-doc", "texlive-latex-recommended-doc", "texlive-metapost-doc"),
}
WHEELS = 200
# Why a file of these trees may be left out; another reason is a defect, or a new line here.
REASONS = re.compile(
    r"shows no strings: it is a drawing|has no text on its|shows strings in an encoding of its own|"
    r"needs a password|pip install 'copysift\[|is not a regular file|is empty|"
    r"is a symbolic link|no document with text"
)
# Commands as the README and the how-tos have them; TREE is a real tree, FILE and FOLDER are in it.
LINES = [
    "copysift scan TREE -q",
    "copysift scan TREE --passages 5 -q",
    "copysift scan TREE --save run --overwrite -q && copysift show run --threshold 50% --same-suffix",
    "copysift show run -o report.html",
    "copysift scan TREE --equal-only",
    "copysift scan TREE --folders --threshold 50%",
    "copysift scan TREE --sets --min-shared 20",
    "copysift scan TREE --groups --same-suffix",
    "copysift compare FOLDER FOLDER",
    "copysift index add all.sift TREE && copysift query all.sift FILE && copysift index check all.sift",
    "copysift index update all.sift TREE && copysift index info all.sift",
    "copysift index compact all.sift && copysift query all.sift FILE --format json -o found.json",
    "copysift cluster TREE -o corpus --overwrite && copysift show corpus && copysift query corpus FILE",
    "copysift recluster corpus --threshold .8",
    "copysift dedup TREE -o clean.jsonl --overwrite",
    "copysift dedup --from corpus -o again.jsonl --overwrite",
    "copysift sweep site.sift TREE --date 2026-11-01 && copysift locate site.sift FILE",
    "copysift order TREE",
]


def fetched(name: str) -> Path:
    """Give the folder of a tree, fetched if it is not there."""
    place = TREES / name
    if place.is_dir():
        return place
    part = TREES / f"{name}.part"
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    try:
        if name == "wheels":
            fetch_wheels(part)
        else:
            subprocess.run(
                ["apt-get", "download", *PACKAGES[name]],
                cwd=part,
                check=True,
                timeout=600,
                capture_output=True,
            )
            for package in part.glob("*.deb"):
                subprocess.run(["dpkg-deb", "-x", package, part], check=True, timeout=600)
                package.unlink()
    except (OSError, subprocess.SubprocessError) as error:
        pytest.skip(f"{name} cannot be fetched: {error}")
    part.rename(place)
    return place


def fetch_wheels(folder: Path) -> None:
    """Fetch wheels: what is installed here, and what that names, until there are enough."""
    import importlib.metadata as installed

    names = {each.metadata["Name"].lower() for each in installed.distributions()}
    for each in installed.distributions():
        names |= {re.split(r"[^\w.-]", required)[0].lower() for required in each.requires or ()}
    for name in sorted(names - {"copysift"}):
        if len(list(folder.iterdir())) >= WHEELS:
            return
        subprocess.run(  # some have no wheel
            [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:", "-d",
             folder, name],
            capture_output=True, timeout=600, check=False,
        )  # fmt: skip
    if len(list(folder.iterdir())) < WHEELS // 2:
        raise OSError("too few wheels")


@pytest.fixture(scope="module", params=[*PACKAGES, "wheels"])
def place(request, tmp_path_factory):
    """A folder to work in, with the program, and a link to a tree."""
    tree = fetched(request.param)
    folder = tmp_path_factory.mktemp(request.param)
    (folder / "bin").mkdir()
    program = folder / "bin/copysift"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m copysift "$@"\n')
    program.chmod(0o755)
    return folder, tree


def run(place: tuple[Path, Path], line: str) -> subprocess.CompletedProcess[str]:
    folder, tree = place
    files = sorted(path for path in tree.rglob("*") if path.is_file() and path.stat().st_size > 2000)
    inner = max(
        (path for path in tree.rglob("*") if path.is_dir()), key=lambda path: len(path.parts), default=tree
    )
    for word, path in (("TREE", tree), ("FILE", files[len(files) // 2]), ("FOLDER", inner)):
        line = re.sub(rf"\b{word}\b", f"'{path}'", line)
    return subprocess.run(
        ["sh", "-c", line], cwd=folder, env=environment(PATH=f"{folder / 'bin'}:/usr/bin:/bin"),
        capture_output=True, text=True, errors="replace", timeout=SECONDS, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("line", LINES)
def test_a_command_on_a_real_tree_ends_and_names_what_it_skips(place, line):
    done = run(place, line)
    assert done.returncode in (0, 1, 3), done.stderr[-2000:]
    assert "Traceback" not in done.stderr
    assert "defect" not in done.stderr
    skipped = re.findall(r"^copysift: skipped (.*)$", done.stderr, re.MULTILINE)
    assert [each for each in skipped if not REASONS.search(each)] == []
    assert done.returncode != 3 or skipped or "-q" in line


def test_every_file_of_a_real_tree_is_compared_or_named(place):
    done = run(place, "copysift scan TREE --no-containers --hidden --format json -o all.json -q")
    assert done.returncode in (0, 1, 3), done.stderr[-2000:]
    content = json.loads((place[0] / "all.json").read_text())
    named = {each["name"] for each in (*content["documents"], *content["skipped"])}
    there = {str(path) for path in place[1].rglob("*") if path.is_file() and not path.is_symlink()}
    twins = {name for names in content["equal"] for name in names}
    assert there - named - twins == set()
