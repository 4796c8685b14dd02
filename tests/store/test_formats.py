"""Indexes of every released format still open."""

import shutil
from pathlib import Path

import pytest

import copysift
from copysift.store.catalog import VERSION

FORMATS = sorted((Path(__file__).parent / "formats").iterdir())
HUNDRED = " ".join(f"word{number}" for number in range(100))


@pytest.mark.parametrize("folder", FORMATS, ids=lambda folder: folder.name)
def test_an_index_of_an_old_format_answers_and_grows(folder, tmp_path):
    shutil.copytree(folder / "tiny.sift", tmp_path / "tiny.sift")
    with copysift.Index(tmp_path / "tiny.sift") as index:
        assert index.check() == ([], [])
        assert [each.name for each in index.documents()] == ["first", "second", "third"]
        first, second = index.query(HUNDRED, text=True, passages=True)
        assert (first.right, first.equal, first.shared) == ("first", True, 32)
        assert (second.right, second.equal, second.longest) == ("second", False, 590)
        fourth = ("fourth", "something that was not there before, said at some length " * 3)
        if folder.name == "v1":
            index.add([fourth])
        else:
            assert [sweep.date for sweep in index.sweeps()] == ["2026-01-01", "2026-02-01"]
            one, other = index.history("second").versions
            assert (one.last, other.to_previous is not None) == ("2026-01-01", True)
            assert index.locate("first").status == "here"
            assert index.info()["version"] == int(folder.name[1:])
            texts = [(each.name, index.source(each.name)) for each in index.documents()]
            assert index.sweep([*texts, fourth], date="2026-03-01").unchanged == 3
            assert index.info()["version"] == VERSION
        index.compact()
        assert index.check() == ([], [])
        assert len(list(index.documents())) == 4


def test_an_index_of_submissions_knows_them_and_grows(tmp_path):
    shutil.copytree(FORMATS[2] / "units.sift", tmp_path / "units.sift")
    (tmp_path / "class/eve").mkdir(parents=True)
    (tmp_path / "class/eve/new.txt").write_text(HUNDRED + " and more", encoding="utf-8")
    with copysift.Index(tmp_path / "units.sift", by="dir") as index:
        assert index.check() == ([], [])
        units = {Path(each.name).name: Path(each.unit).name for each in index.documents()}
        assert units == {"one.txt": "bob", "two.txt": "ada"}
        assert index.add(tmp_path / "class").added == 1
        assert index.check() == ([], [])
        found = index.scan()
        named = {Path(each.name).name: (each.author, each.label) for each in found.submissions}
        assert named == {"ada": ("Ada", "first"), "bob": ("", ""), "eve": ("", "")}
        assert {(Path(each.left).name, Path(each.right).name) for each in found.pairs} == {("ada", "eve")}


def test_there_is_an_index_of_the_present_format():
    assert f"v{VERSION}" in {folder.name for folder in FORMATS}
