"""Decisions that a report exports go into the next one."""

import json

import pytest

from copysift.errors import InputError
from copysift.report.decisions import read_decisions
from tests.cli.program import ROOT, copysift

HOMEWORK = ROOT / "examples" / "homework"
ONE = {
    "left": "submissions/a",
    "right": "submissions/b",
    "state": "case",
    "note": "same bug",
    "when": "2026-03-01",
}


def written(path, content):
    path.write_text(json.dumps(content))
    return path


def test_decisions_are_read(tmp_path):
    path = written(
        tmp_path / "d.json", {"copysift": "decisions", "version": 1, "decisions": [ONE, {**ONE, "x": 1}]}
    )
    assert read_decisions(path) == (ONE, ONE)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"decisions": [ONE]}, "has no decisions of copysift"),
        ([], "has no decisions of copysift"),
        (
            {"copysift": "decisions", "decisions": [{"left": "a", "state": "case"}]},
            "decision 1 names no pair",
        ),
        ({"copysift": "decisions", "decisions": [ONE, {**ONE, "state": "guilty"}]}, "decision 2 names"),
    ],
)
def test_other_files_are_refused(tmp_path, content, message):
    with pytest.raises(InputError, match=message):
        read_decisions(written(tmp_path / "d.json", content))
    (tmp_path / "e.json").write_text("{")
    with pytest.raises(InputError, match="is not JSON"):
        read_decisions(tmp_path / "e.json")
    with pytest.raises(InputError, match="no such file"):
        read_decisions(tmp_path / "missing.json")


def test_decisions_are_in_the_page_and_in_no_other_format(tmp_path):
    path = written(tmp_path / "d.json", {"copysift": "decisions", "decisions": [ONE]})
    page = tmp_path / "r.html"
    done = copysift(HOMEWORK, "scan", "submissions", "--by", "dir", "--decisions", str(path), "-o", str(page))
    assert done.status == 0, done.err
    assert "same bug" in page.read_text()
    refused = copysift(HOMEWORK, "scan", "submissions", "--by", "dir", "--decisions", str(path))
    assert refused.status == 2
    assert "--decisions goes into the HTML report, not into table" in refused.err
