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
        index.add([("fourth", "something that was not there before, said at some length " * 3)])
        index.compact()
        assert index.check() == ([], [])
        assert len(list(index.documents())) == 4


def test_there_is_an_index_of_the_present_format():
    from copysift.index.catalog import VERSION

    assert f"v{VERSION}" in {folder.name for folder in FORMATS}
