"""Decisions that a report exports go into the next one."""

import json

import pytest

from copysift.errors import InputError
from copysift.model.values import Submission
from copysift.report.decisions import carried, read_decisions
from tests.cli.program import ROOT, copysift

HOMEWORK = ROOT / "examples" / "homework"
ONE = {
    "left": "submissions/a",
    "right": "submissions/b",
    "left_author": "",
    "right_author": "Bea",
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
    assert f"copysift: 1 decision of {path} on submissions that are not here\n" in done.err


@pytest.mark.parametrize(
    ("names", "meant"),
    [
        ({"submissions/a": "", "submissions/b": ""}, ("submissions/a", "submissions/b")),
        ({"again (1).zip!a": "", "again (1).zip!b": ""}, ("again (1).zip!a", "again (1).zip!b")),
        ({"new/a": "", "new/b_2": "Bea"}, ("new/a", "new/b_2")),
        ({"new/a": "", "old/a": "", "new/b": ""}, None),  # two are called a
        ({"new/a": "", "new/c": ""}, None),
        ({"new/a": "Bea", "new/c": ""}, None),  # one submission is no pair
    ],
)
def test_decisions_follow_a_class_to_another_archive(names, meant):
    found = carried([ONE], [Submission(name, author=author) for name, author in names.items()])
    assert found == (((), (ONE,)) if meant is None else (({**ONE, "left": meant[0], "right": meant[1]},), ()))


def test_a_report_under_pseudonyms_names_nobody_in_its_decisions(tmp_path):
    rows = [
        {
            "left": "submissions/mira",
            "right": "submissions/nele",
            "state": "case",
            "note": "ask Mira",
            "when": "",
        },
        {
            "left": "submissions/mira",
            "right": "submissions/gone",
            "state": "case",
            "note": "other",
            "when": "",
        },
    ]
    path = written(tmp_path / "d.json", {"copysift": "decisions", "decisions": rows})
    page = tmp_path / "r.html"
    done = copysift(
        HOMEWORK, "scan", "submissions", "--by", "dir", "--decisions", str(path), "--anonymise",
        "--key-file", str(tmp_path / "key.csv"), "-o", str(page),
    )  # fmt: skip
    assert done.status == 0, done.err
    inside = page.read_text().partition('"decisions":')[2].partition("]")[0]
    assert "ask ****" in inside
    for name in ("mira", "nele", "gone"):
        assert name not in inside.lower()
