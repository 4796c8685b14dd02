"""A number has one meaning: table, note, JSON, page and saved run count a comparison in the same way."""

import json
import re

import pytest

from tests.cli.program import ROOT, copysift

CASES = {
    "class": (ROOT / "examples" / "homework", ("submissions", "--by", "dir", "--base", "starter")),
    "class with earlier years": (
        ROOT / "examples" / "homework",
        ("submissions", "--by", "dir", "--base", "starter", "--earlier", "earlier/2025"),
    ),
    "files": (ROOT / "examples", ("essays",)),
}


def of_table(text):
    """Give units, sets of equal ones, similar pairs and clusters of the line that sums a table up."""
    line = text.strip().splitlines()[-1]
    found = re.search(
        r"^(\d+) \w+ compared .*: (\d+) equal sets?, (\d+) similar pairs?.*, (\d+) clusters?", line
    )
    assert found, line
    return tuple(map(int, found.groups()))


def of_json(text):
    found = json.loads(text)
    units = {each["group"] for each in found["documents"]} | {
        each["name"] for each in found.get("submissions", ())
    }
    similar = sum(not each["equal"] for each in found["pairs"])
    return len(units), len(found["equal"]), similar, len(found["clusters"])


def of_page(path):
    text = path.read_text(encoding="utf-8")
    found = re.search(r'id="data-overview"[^>]*>(.*?)</script>', text, re.DOTALL)
    assert found
    data = json.loads(found[1])
    return len(data["submissions"]), data["equalSets"], data["similar"], len(data["clusters"])


def of_note(text):
    found = re.search(r"(\d+) equal sets?, (\d+) similar pairs? of (\d+) ", text)
    assert found, text
    equal, similar, units = map(int, found.groups())
    return units, equal, similar


@pytest.mark.parametrize("case", CASES)
def test_every_output_of_a_comparison_counts_the_same(case, tmp_path):
    folder, options = CASES[case]

    def scan(*more):
        done = copysift(folder, "scan", *options, *more)
        assert done.status == 0, done.err
        return done

    expected = of_table(scan().out)
    assert expected[1] > 0
    assert of_table(scan("--limit", "2").out) == expected
    assert of_json(scan("--format", "json").out) == expected
    for name, limit in {"whole.html": (), "limited.html": ("--limit", "2")}.items():
        note = scan("-o", str(tmp_path / name), *limit).err
        assert of_page(tmp_path / name) == expected
        assert of_note(note) == expected[:3]
    scan("--save", str(tmp_path / "run"))
    shown = copysift(tmp_path, "show", "run", "-o", "shown.html")
    assert of_page(tmp_path / "shown.html") == expected
    assert of_note(shown.err) == expected[:3]
    assert of_table(copysift(tmp_path, "show", "run").out) == expected
    assert of_json(copysift(tmp_path, "show", "run", "--format", "json").out) == expected


def test_a_saved_class_is_shown_as_the_class_was(tmp_path):
    folder, options = CASES["class with earlier years"]
    more = ("--metadata", "submissions.csv", "--save", str(tmp_path / "run"))
    scanned = copysift(folder, "scan", *options, *more)
    assert "Similar submissions" in scanned.out
    assert "of earlier years" in scanned.out
    assert "Mira Berg" in scanned.out
    assert copysift(tmp_path, "show", "run").out == scanned.out


def test_a_saved_scan_knows_the_sizes_of_files_and_how_they_were_read(tmp_path):
    scanned = copysift(
        ROOT / "examples", "scan", "essays", "--save", str(tmp_path / "run"), "--format", "json"
    )
    shown = copysift(tmp_path, "show", "run", "--format", "json")
    ours, theirs = (json.loads(each.out)["documents"] for each in (scanned, shown))
    assert ours == theirs
