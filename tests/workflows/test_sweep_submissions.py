"""Sweeps of submissions (--by dir): a submission is an address, and its content is all its files."""

from __future__ import annotations

import os
import subprocess
import zipfile
from pathlib import Path

import pytest

import copysift
from copysift.errors import InputError
from copysift.workflows.submission_content import MIXED
from tests.cli.program import write
from tests.cli.submissions import essay

PAGE = f"<html><body><p>{essay(30)}</p></body></html>"


@pytest.fixture
def term(tmp_path: Path) -> Path:
    write(tmp_path, {
        "d/ann/one.txt": essay(1), "d/ann/two.txt": essay(2), "d/bob/a.txt": essay(2),
        "d/bob/b.txt": essay(1),
        "d/cem/three.txt": essay(3), "d/cem/deep/four.txt": essay(4, 200),
        "d/dee/x.txt": essay(3) + essay(9, 40), "d/dee/deep/y.txt": essay(4, 200),
        "who.csv": "name,author\ncem,Kim\ndee,Kim\nnobody,Lee\n",
    })  # fmt: skip
    return tmp_path


def names(index: copysift.Index) -> list[str]:
    return [each.name for each in index.documents()]


def pairs(index: copysift.Index) -> set[tuple[str, str]]:
    return {(each.left, each.right) for each in index.scan().pairs}


def test_a_submission_is_one_address_with_all_its_files(term):
    with copysift.Index(term / "s.sift", by="dir", keep_text=True) as index:
        done = index.sweep(term / "d", date="2026-01-01")
        assert (done.documents, names(index)) == (4, ["ann", "bob", "cem", "dee"])
        assert index.source("cem") == (essay(4, 200) + essay(3)).encode()
        assert [each.uri for each in index.copies_of("cem").holders] == ["dee"]
        assert index.history("dee").versions[0].bytes == len(essay(3) + essay(9, 40) + essay(4, 200))


def test_submissions_with_the_same_files_are_equal_whatever_their_names(term):
    with copysift.Index(term / "s.sift", by="dir", keep_text=True) as index:
        assert index.sweep(term / "d", date="2026-01-01").sketched == 3
        assert [(each.uri, each.state) for each in index.copies_of("ann").holders] == [("bob", "identical")]
        os.rename(term / "d/ann/one.txt", term / "d/ann/other.txt")
        assert index.sweep(term / "d", date="2026-02-01").unchanged == 4


def test_a_submission_changes_when_one_of_its_files_does(term):
    with copysift.Index(term / "s.sift", by="dir", keep_text=True) as index:
        index.sweep(term / "d", date="2026-01-01")
        (term / "d/cem/deep/four.txt").unlink()
        done = index.sweep(term / "d", date="2026-02-01")
        assert (done.changed, done.unchanged) == (1, 3)
        _, second = index.history("cem", diff=True).versions
        assert second.changes
        assert second.to_previous < 0.6


def test_what_counts_as_one_document_is_remembered_by_later_sweeps(term):
    with copysift.Index(term / "s.sift", by="dir") as index:
        index.sweep(term / "d", date="2026-01-01")
    with copysift.Index(term / "s.sift") as index:
        assert index.sweep(term / "d", date="2026-02-01").unchanged == 4


def test_no_fingerprint_spans_two_files_of_a_submission(tmp_path):
    whole = essay(5)
    cut = len(whole) // 2
    write(tmp_path, {"d/a/1.txt": whole[:cut], "d/a/2.txt": whole[cut:], "d/b/1.txt": whole})
    with copysift.Index(tmp_path / "s.sift", by="dir", scheme="all") as index:
        index.sweep(tmp_path / "d", date="2026-01-01")
        found = {each.name: each.fingerprints for each in index.documents()}
    assert found["b"] - found["a"] == 24  # of 25 characters each


def test_passages_of_a_submission_are_where_its_text_has_them(tmp_path):
    shared = essay(7)
    write(tmp_path, {"d/a/1.txt": essay(6), "d/a/2.txt": shared, "d/b/1.txt": shared})
    with copysift.Index(tmp_path / "s.sift", by="dir", keep_text=True) as index:
        index.sweep(tmp_path / "d", date="2026-01-01")
        (pair,) = index.scan(regions=True).pairs
        left = next(each for each in pair.regions or () if each.length > 200).left
        source = index.source("a")
        assert source[left.start : left.end].decode().split()[:3] == shared.split()[:3]


def test_works_of_one_author_are_not_compared(term):
    with copysift.Index(term / "s.sift", by="dir", keep_text=True, metadata=str(term / "who.csv")) as index:
        done = index.sweep(term / "d", date="2026-01-01")
        assert "'nobody' names no submission" in done.skipped[0].reason
        assert index.copies_of("cem").holders == ()
        assert index.check() == ([], [])
    with copysift.Index(term / "s.sift") as index:
        assert ("cem", "dee") not in pairs(index)
    with copysift.Index(term / "plain.sift", by="dir", keep_text=True) as index:
        index.sweep(term / "d", date="2026-01-01")
        assert ("cem", "dee") in pairs(index)


def test_metadata_are_of_single_addresses_too(term):
    write(term, {"files.csv": "name,author\ncem/three.txt,Kim\ndee/x.txt,Kim\n"})
    with copysift.Index(term / "s.sift", keep_text=True, metadata=str(term / "files.csv")) as index:
        index.sweep(term / "d", date="2026-01-01")
        assert index.copies_of("cem/three.txt").holders == ()
        assert [each.uri for each in index.copies_of("cem/deep/four.txt").holders] == ["dee/deep/y.txt"]


def test_an_author_whose_address_is_forgotten_is_forgotten(term):
    with copysift.Index(term / "s.sift", by="dir", metadata=str(term / "who.csv")) as index:
        index.sweep(term / "d", date="2026-01-01")
        (term / "d/dee/x.txt").unlink()
        (term / "d/dee/deep/y.txt").unlink()
        (term / "d/dee/deep").rmdir()
        (term / "d/dee").rmdir()
        index.sweep(term / "d", date="2026-01-01", overwrite=True)
        assert index.check() == ([], [])
        assert index.info()["units"] == 1


def test_a_submission_of_several_kinds_keeps_the_fingerprints_of_each(tmp_path):
    write(tmp_path, {"d/a/p.html": PAGE, "d/a/t.txt": essay(31), "d/b/p.html": PAGE, "d/b/u.txt": essay(32)})
    with copysift.Index(tmp_path / "s.sift", by="dir", keep_text=True) as index:
        index.sweep(tmp_path / "d", date="2026-01-01")
        assert {each.kind for each in index.documents()} == {MIXED}
        assert pairs(index) == {("a", "b")}
        assert [each.uri for each in index.copies(tmp_path / "d/a/t.txt").holders] == ["a"]
        with pytest.raises(InputError, match="several kinds"):
            index.copies_of("a")


def test_archives_revisions_and_documents_in_memory_have_the_same_submissions(term):
    for name in ("ann", "cem"):
        with zipfile.ZipFile(term / f"{name}.zip", "w") as archive:
            for file in sorted((term / "d" / name).rglob("*.txt")):
                archive.write(file, file.relative_to(term / "d" / name))
    (term / "zips").mkdir()
    for name in ("ann", "cem"):
        os.rename(term / f"{name}.zip", term / "zips" / f"{name}.zip")
    git = ["git", "-C", str(term / "d"), "-c", "user.name=n", "-c", "user.email=n@x"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "x"]):
        subprocess.run([*git, *command], check=True, capture_output=True)
    given = [
        (path.relative_to(term / "d").as_posix(), path.read_text())
        for path in sorted((term / "d").rglob("*.txt"))
    ]
    with copysift.Index(term / "s.sift", by="dir", keep_text=True) as index:
        index.sweep(term / "d", date="2026-01-01")
        assert index.sweep(term / "d", date="2026-02-01", revision="HEAD").unchanged == 4
        assert index.sweep(given, date="2026-03-01").unchanged == 4
        done = index.sweep(term / "zips", date="2026-04-01")
        assert (done.new, done.gone, done.sketched) == (2, 4, 0)


def test_a_submission_that_cannot_be_read_stays_as_it_was(term):
    with copysift.Index(term / "s.sift", by="dir", max_bytes_per_file=100_000) as index:
        index.sweep(term / "d", date="2026-01-01")
        for name in ("three.txt", "deep/four.txt"):
            (term / "d/cem" / name).write_text("x" * 200_000)
        done = index.sweep(term / "d", date="2026-02-01")
        assert done.gone == 0
        assert "cem" in names(index)
        assert any(each.name == "cem" for each in done.skipped)
