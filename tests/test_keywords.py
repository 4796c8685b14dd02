"""Keywords of the Python functions are checked by mypy, and are those of the declarations."""

import runpy
import subprocess
import sys

import pytest

from tests.cli.program import ROOT

SNIPPET = """
import copysift

copysift.scan("x", threshold="40%", measure="resemblance", base=["starter"])
copysift.scan("x", treshold=3)
copysift.scan("x", measure="distance")
copysift.cluster(["a", "b"], threshold=0.5, shingle=5)
copysift.cluster(["a", "b"], same_suffix=True)
copysift.resemblance("a", "b", shingle=5)
copysift.resemblance("a", "b", limit=3)
copysift.dedup(["a", "b"], features=lambda record: record["text"].split(), keep="longest").append("c")
copysift.dedup("a.jsonl", output="b.jsonl").to_arrow("kept")
copysift.dedup(["a", "b"], passages="snip")
index = copysift.Index("x.sift", noise=20)
index.sweep([("a", "b")], date="2026-01-01")
index.sweep("folder", noise=20)
copysift.Index("x.sift", nois=20)
index.copies("a", threshold="50%", treshold=3)
"""


def test_the_keywords_are_those_of_the_declarations():
    module = runpy.run_path(str(ROOT / "scripts" / "make_keywords.py"))["module"]
    assert (ROOT / "src/copysift/settings/keywords.py").read_text(encoding="utf-8") == module()


def test_a_misspelled_keyword_is_a_type_error(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "snippet.py").write_text(SNIPPET)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", "", "--follow-imports", "silent",
         "--ignore-missing-imports", "--cache-dir", str(tmp_path / "cache"), "snippet.py"],
        cwd=tmp_path, env={"MYPYPATH": str(ROOT / "src"), "PATH": "/usr/bin:/bin"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    wrong = [line.partition(": error")[0] for line in done.stdout.splitlines() if ": error" in line]
    assert wrong == [
        "snippet.py:5",
        "snippet.py:6",
        "snippet.py:8",
        "snippet.py:10",
        "snippet.py:13",
        "snippet.py:16",
        "snippet.py:17",
        "snippet.py:18",
    ], done.stdout
