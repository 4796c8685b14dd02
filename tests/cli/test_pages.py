"""Reports with sources: the HTML page, MOSS's folder, pseudonyms."""

import json
import re

import pytest

from tests.cli.program import copysift, write
from tests.cli.test_submissions import KIT, A, B, C

HOMEWORK = {
    "hw/ann/x.txt": KIT + A, "hw/bob/x.txt": KIT + A + C, "hw/cleo/x.txt": KIT + B, "kit.txt": KIT,
}  # fmt: skip


@pytest.fixture
def homework(tmp_path):
    write(tmp_path, HOMEWORK)
    return tmp_path


def scan(folder, *arguments):
    return copysift(folder, "scan", "hw", "--by", "dir", "--base", "kit.txt", "--kind", "text", *arguments)


def overview(page):
    return json.loads(re.search(r'id="data-overview">(.*?)</script>', page, re.DOTALL)[1])


def test_the_suffix_html_makes_the_page(homework):
    done = scan(homework, "-o", "report.html")
    assert (done.status, done.out, done.err) == (
        0,
        "",
        "copysift: 0 equal sets, 1 similar pair of 3 submissions: report.html\n",
    )
    assert scan(homework, "-q", "-o", "report.html").err == ""
    page = (homework / "report.html").read_text()
    assert [each["name"] for each in overview(page)["submissions"]] == ["hw/ann", "hw/bob", "hw/cleo"]
    assert len(overview(page)["pairs"]) == 1
    assert len(page) < 1_600_000


def test_compare_makes_the_page_of_two_files(homework):
    done = copysift(homework, "compare", "hw/ann/x.txt", "hw/bob/x.txt", "-o", "two.html")
    assert done.status == 0, done.err
    assert overview((homework / "two.html").read_text())["pairs"][0]["regions"]


def test_a_saved_run_makes_a_page_without_sources(homework):
    scan(homework, "--save", "run")
    done = copysift(homework, "show", "run", "-o", "again.html")
    assert done.status == 0, done.err
    assert overview((homework / "again.html").read_text())["pairs"]


def test_moss_writes_its_folder_and_only_over_its_own(homework):
    assert scan(homework, "--format", "moss", "-o", "out").status == 0
    assert sorted(each.name for each in (homework / "out").iterdir()) == [
        "index.html", "match0-0.html", "match0-1.html", "match0-top.html", "match0.html",
    ]  # fmt: skip
    assert scan(homework, "--format", "moss", "-o", "out", "--threshold", "99.9%").status == 0
    (homework / "out/notes.txt").write_text("mine")
    done = scan(homework, "--format", "moss", "-o", "out")
    assert done.status == 2
    assert done.err == "copysift: out exists and is not a report\nhint: choose another folder, or remove it\n"
    assert (homework / "out/notes.txt").read_text() == "mine"


def test_moss_needs_a_folder(homework):
    done = scan(homework, "--format", "moss")
    assert (done.status, done.err) == (
        2,
        "copysift: --format moss writes a folder\nhint: add -o DIR\n",
    )


def test_pseudonyms_stand_for_names_and_the_key_is_kept(homework):
    done = scan(homework, "--anonymise", "-o", "report.html")
    assert done.err == (
        "copysift: the pseudonyms are listed in report.key.csv\n"
        "copysift: 0 equal sets, 1 similar pair of 3 submissions: report.html\n"
    )
    key = (homework / "report.key.csv").read_text()
    assert sorted(line.partition(",")[2] for line in key.splitlines()) == [
        "hw/ann",
        "hw/bob",
        "hw/cleo",
        "name",
    ]
    page = (homework / "report.html").read_text()
    assert sorted(each["name"] for each in overview(page)["submissions"]) == ["S01", "S02", "S03"]
    assert not {"hw/ann", "ann/x.txt", "kit.txt"} & set(re.findall(r"[\w./]+", page))
    write(homework, {"hw/zoe/x.txt": A})
    again = scan(homework, "--anonymise", "--key-file", "report.key.csv", "--format", "json")
    assert {each["group"] for each in json.loads(again.out)["documents"]} == {"S01", "S02", "S03", "S04"}
    assert (homework / "report.key.csv").read_text() == key + "S04,hw/zoe\n"


def test_a_file_that_is_no_key_is_never_overwritten(homework):
    write(homework, {"grades.csv": "name,grade\nann,1\n"})
    done = scan(homework, "--anonymise", "--key-file", "grades.csv")
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("copysift: grades.csv exists and is not a key of pseudonyms\n")
    assert (homework / "grades.csv").read_text() == "name,grade\nann,1\n"
