"""Submissions, authors and earlier work in cluster and dedup."""

import json

import pyarrow.parquet as pq
import pytest

from copysift.cli.main import main
from tests.cli.program import write
from tests.cli.submissions import essay
from tests.workflows.test_programs import PROGRAM, RENAMED

CLASS = {
    "class/ann/a.py": PROGRAM, "class/ann/t.txt": essay(1), "class/bob/b.py": RENAMED,
    "class/bob/u.txt": essay(1) + "a word more", "class/cem/c.txt": essay(5), "class/dan/c.txt": essay(5),
    "class/eve/z.txt": essay(6), "old/x/c.txt": essay(6), "old/y/c.txt": essay(6),
    "who.csv": "name,author\nann,Kim\nbob,Kim\n", "twins.csv": "name,author\ncem,Lee\ndan,Lee\n",
}  # fmt: skip


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, CLASS)
    return tmp_path


def clusters(capsys, *arguments):
    assert main(["cluster", *arguments, "-o", "run", "--overwrite", "-q"]) == 0
    return shown(capsys)


def shown(capsys):
    capsys.readouterr()
    assert main(["show", "run", "--format", "json"]) == 0
    return [each["members"] for each in json.loads(capsys.readouterr().out)["clusters"]]


def kept(capsys, here, *arguments):
    assert main(["dedup", *arguments, "-o", "out.jsonl", "-q"]) == 0
    lines = (here / "out.jsonl").read_text().splitlines()
    removed = (here / "out.removed.jsonl").read_text().splitlines()
    return [json.loads(each)["id"] for each in lines], {
        row["document"]: row["kept"] for row in map(json.loads, removed)
    }


def test_a_submission_is_one_document_of_a_cluster(here, capsys):
    assert clusters(capsys, "class", "--by", "dir") == [
        ["class/ann", "class/bob"], ["class/cem", "class/dan"]
    ]  # fmt: skip


def test_dedup_keeps_or_removes_whole_submissions(here, capsys):
    stay, removed = kept(capsys, here, "class", "--by", "dir")
    assert stay == ["class/ann/a.py", "class/ann/t.txt", "class/cem/c.txt", "class/eve/z.txt"]
    assert removed == {"class/bob": "class/ann", "class/dan": "class/cem"}


def test_works_of_one_author_are_not_compared(here, capsys):
    assert clusters(capsys, "class", "--by", "dir", "--metadata", "who.csv") == [["class/cem", "class/dan"]]
    assert kept(capsys, here, "class", "--by", "dir", "--metadata", "who.csv")[1] == {
        "class/dan": "class/cem"
    }


def test_a_run_has_no_pair_of_works_of_one_author(here, capsys):
    for metadata, expected in ((), [("class/ann", "class/bob"), ("class/cem", "class/dan")]), (
        ("--metadata", "who.csv"), [("class/cem", "class/dan")]
    ):  # fmt: skip
        clusters(capsys, "class", "--by", "dir", *metadata)
        found = pq.read_table(here / "run" / "pairs.parquet", columns=["left", "right"]).to_pylist()
        assert sorted((row["left"], row["right"]) for row in found) == expected


def test_equal_works_of_one_author_stay(here, capsys):
    assert clusters(capsys, "class", "--by", "dir", "--metadata", "twins.csv") == [["class/ann", "class/bob"]]
    assert kept(capsys, here, "class", "--by", "dir", "--metadata", "twins.csv")[1] == {
        "class/bob": "class/ann"
    }


def test_metadata_that_names_nobody_is_named(here, capsys):
    write(here, {"no.csv": "name,author\nzoe,Kim\n"})
    assert main(["cluster", "class", "--by", "dir", "--metadata", "no.csv", "-o", "run"]) == 3
    assert "no.csv, line 2: 'zoe' names no submission" in capsys.readouterr().err


@pytest.mark.parametrize("by", ["dir", "file"])
def test_earlier_documents_are_compared_but_not_with_each_other(here, capsys, by):
    found = clusters(capsys, "class", "--by", by, "--earlier", "old")
    leaf = "" if by == "dir" else "/c.txt"
    new = "class/eve" if by == "dir" else "class/eve/z.txt"
    assert sorted([f"old/x{leaf}", f"old/y{leaf}", new]) in [sorted(each) for each in found]
    write(here, {"class/eve/z.txt": essay(7)})
    assert not any("old" in each for each in str(clusters(capsys, "class", "--by", by, "--earlier", "old")))


def test_dedup_removes_what_earlier_documents_have_and_does_not_write_these(here, capsys):
    stay, removed = kept(capsys, here, "class", "--by", "dir", "--earlier", "old", "--keep", "longest")
    assert stay == ["class/bob/b.py", "class/bob/u.txt", "class/cem/c.txt"]
    assert removed == {"class/ann": "class/bob", "class/dan": "class/cem", "class/eve": "old/x"}


def test_earlier_documents_may_be_a_run(here, capsys):
    assert main(["cluster", "old", "--by", "dir", "-o", "known", "-q"]) == 0
    assert ["old/x", "old/y", "class/eve"] in clusters(capsys, "class", "--by", "dir", "--earlier", "known")


def test_a_run_is_reclustered_and_applied_as_it_was_made(here, capsys):
    clusters(capsys, "class", "--by", "dir", "--metadata", "twins.csv", "--earlier", "old")
    assert main(["recluster", "run", "--threshold", ".6"]) == 0
    found = shown(capsys)
    assert ["class/cem", "class/dan"] not in found
    assert len(found) == 2
    assert main(["dedup", "--from", "run", "-o", "applied.jsonl", "-q"]) == 0
    ids = [json.loads(each)["id"] for each in (here / "applied.jsonl").read_text().splitlines()]
    assert ids == ["class/ann/a.py", "class/ann/t.txt", "class/cem/c.txt", "class/dan/c.txt"]


def test_passages_of_submissions_are_refused_with_a_reason(here, capsys):
    assert main(["dedup", "class", "--by", "dir", "--passages", "cut", "-o", "o.jsonl"]) == 2
    assert "passages are cut out of single documents" in capsys.readouterr().err
