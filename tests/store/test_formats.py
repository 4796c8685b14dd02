"""Indexes of every released format still open."""

import shutil
from pathlib import Path

import pytest

import copysift
from copysift.settings.index import Query
from copysift.store.catalog import VERSION

FORMATS = sorted((Path(__file__).parent / "formats").iterdir())
HUNDRED = " ".join(f"word{number}" for number in range(100))


TINY = [*(folder / "tiny.sift" for folder in FORMATS), FORMATS[2] / "sweeps.sift"]
UNITS = FORMATS[2] / "units.sift"


@pytest.mark.parametrize("made", TINY, ids=lambda made: f"{made.parent.name}-{made.stem}")
def test_an_index_of_an_old_format_answers_and_grows(made, tmp_path):
    shutil.copytree(made, tmp_path / "tiny.sift")
    with copysift.Index(tmp_path / "tiny.sift") as index:
        assert index.check() == ([], [])
        assert index.info()["version"] == int(made.parent.name[1:])
        assert [each.name for each in index.documents()] == ["first", "second", "third"]
        first, second = index.query(HUNDRED, text=True, passages=True)
        assert (first.right, first.equal, first.shared) == ("first", True, 32)
        assert (second.right, second.equal, second.longest) == ("second", False, 590)
        fourth = ("fourth", "something that was not there before, said at some length " * 3)
        if not index.swept:
            index.add([fourth])
        else:
            assert [sweep.date for sweep in index.sweeps()] == ["2026-01-01", "2026-02-01"]
            one, other = index.history("second").versions
            assert (one.last, other.to_previous is not None) == ("2026-01-01", True)
            assert index.locate("first").status == "here"
            texts = [(each.name, index.source(each.name)) for each in index.documents()]
            assert index.sweep([*texts, fourth], date="2026-03-01").unchanged == 3
            assert index.info()["version"] == VERSION
        index.compact()
        assert index.check() == ([], [])
        assert len(list(index.documents())) == 4


def test_an_index_of_submissions_knows_them_and_grows(tmp_path):
    shutil.copytree(UNITS, tmp_path / "units.sift")
    (tmp_path / "class/eve").mkdir(parents=True)
    (tmp_path / "class/eve/new.txt").write_text(HUNDRED + " and more", encoding="utf-8")
    with copysift.Index(tmp_path / "units.sift", by="dir") as index:
        assert index.check() == ([], [])
        units = [(Path(each.name).name, Path(each.unit).name) for each in index.documents()]
        assert sorted(units) == [
            ("one.txt", "ada"),
            ("one.txt", "bob"),
            ("sum.py", "bob"),
            ("two.txt", "ada"),
        ]
        assert index.add(tmp_path / "class").added == 1
        assert index.check() == ([], [])
        found = index.scan()
        named = {Path(each.name).name: (each.author, each.label) for each in found.submissions}
        assert named == {"ada": ("Ada", "first"), "bob": ("", ""), "eve": ("", "")}
        assert {(Path(each.left).name, Path(each.right).name) for each in found.pairs} == {("ada", "eve")}


def test_a_program_of_an_index_is_found_by_its_tokens(tmp_path):
    shutil.copytree(UNITS, tmp_path / "units.sift")
    renamed = """\
def add(them, top):
    s = 0
    for one in them:
        if one < top:
            s += one * one
        else:
            s -= top
    return s


def mean(them, top):
    if not them:
        return None
    return add(them, top) / len(them)
"""
    with copysift.Index(tmp_path / "units.sift") as index:
        question = index.question(renamed.encode(), name="renamed.py")
        hits, _ = index.ask(question, Query(threshold=0.5))
    assert [(Path(hit.right).name, hit.channel) for hit in hits] == [("sum.py", "code")]


def test_there_is_an_index_of_the_present_format():
    assert f"v{VERSION}" in {folder.name for folder in FORMATS}
