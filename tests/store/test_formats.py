"""Indexes of every released format still open."""

import shutil
from pathlib import Path

import pytest

import copysift

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
        if folder.name != "v2":
            index.add([fourth])
        else:
            assert [sweep.date for sweep in index.sweeps()] == ["2026-01-01", "2026-02-01"]
            one, other = index.history("second").versions
            assert (one.last, other.to_previous is not None) == ("2026-01-01", True)
            assert index.locate("first").status == "here"
            texts = [(each.name, index.source(each.name)) for each in index.documents()]
            assert index.sweep([*texts, fourth], date="2026-03-01").unchanged == 3
        index.compact()
        assert index.check() == ([], [])
        assert len(list(index.documents())) == 4


def test_there_is_an_index_of_the_present_format():
    from copysift.store.catalog import VERSION

    assert f"v{VERSION}" in {folder.name for folder in FORMATS}
