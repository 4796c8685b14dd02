"""An index remembers the lexers that read its programs; after another version, it says what to do."""

from __future__ import annotations

import shutil
import zipfile

import pytest

import copysift
from copysift import kinds
from copysift.kinds import lextable
from copysift.settings.index import Query
from copysift.workflows import opened_index


@pytest.fixture
def other_lexer(monkeypatch):
    """Give a function after which the lexer is that of another version."""

    def change():
        monkeypatch.setattr(lextable, "LEXER", 0)

    return change


@pytest.fixture
def programs(tmp_path):
    folder = tmp_path / "programs"
    folder.mkdir()
    body = "\n".join(f"    int value{at} = compute({at}) + other(value, {at});" for at in range(20))
    (folder / "a.java").write_text(f"class A {{\n  void run() {{\n{body}\n  }}\n}}\n")
    (folder / "b.py").write_text(
        "\n".join(f"def f{at}(x):\n    return x * {at} + g(x)\n" for at in range(20))
    )
    (folder / "c.txt").write_text("An essay about bees and their ways of finding flowers in the spring. " * 9)
    return folder


def notes(index, path):
    return [
        note for note in copysift.scan(path, earlier=[str(index.path)]).notes if "another version" in note
    ]


def test_an_index_of_this_version_has_nothing_to_say(tmp_path, programs):
    with copysift.Index(tmp_path / "index") as index:
        assert index.add(programs).notes == ()
        assert notes(index, programs) == []
        assert index.update().unchanged == 3


def test_a_digest_changes_with_the_table_and_with_the_lexer(other_lexer):
    java, python = (kinds.languages().find(name).table for name in ("java", "python"))
    before = java.digest()
    assert before == java.digest() != python.digest()
    other_lexer()
    assert java.digest() != before


@pytest.mark.parametrize("forgotten", [False, True])
def test_programs_of_another_lexer_are_named_and_read_again(tmp_path, programs, other_lexer, forgotten):
    """`forgotten`: the index was made before lexers were remembered."""
    with copysift.Index(tmp_path / "index") as index:
        index.add(programs)
        if forgotten:
            writer = index._writing()
            writer.catalog.run("DELETE FROM about WHERE key = 'lexers'")
            writer.changed = True
            writer.commit()
    if not forgotten:
        other_lexer()
    with copysift.Index(tmp_path / "index") as index:
        (note,) = notes(index, programs)
        assert "java, python" in note
        assert "copysift index update" in note
        asked = index.answer(index.questions(programs / "a.java"), Query())
        assert note in asked.notes
        done = index.update()
        assert (done.changed, done.unchanged, done.notes) == (2, 1, ())
        assert notes(index, programs) == []
        assert [hit.right for hit in index.query(programs / "a.java")] == [str(programs / "a.java")]


def test_what_is_added_later_does_not_hide_what_was_read_before(tmp_path, programs, other_lexer):
    with copysift.Index(tmp_path / "index") as index:
        index.add(programs)
    other_lexer()
    shutil.copy(programs / "a.java", programs / "again.java")
    with (programs / "again.java").open("a") as file:
        file.write("class More { int more; }\n")
    with copysift.Index(tmp_path / "index") as index:
        assert "java, python" in index.add(programs / "again.java").notes[0]
        (programs / "b.py").unlink()
        index.update(programs)
        assert notes(index, programs) == []


def test_programs_in_archives_are_read_again(tmp_path, programs, other_lexer):
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        for path in programs.iterdir():
            archive.write(path, path.name)
    with copysift.Index(tmp_path / "index") as index:
        index.add(tmp_path / "all.zip")
    other_lexer()
    with copysift.Index(tmp_path / "index") as index:
        assert index.update().changed == 2
        assert notes(index, programs) == []


def test_programs_whose_files_are_gone_stay_and_are_named(tmp_path, programs, other_lexer):
    with copysift.Index(tmp_path / "index") as index:
        index.add([("kept.java", (programs / "a.java").read_text()), ("b", "A note. " * 50)])
        index.add(programs / "b.py")
    other_lexer()
    with copysift.Index(tmp_path / "index") as index:
        (note,) = index.update().notes
        assert "java:" in note
        assert len(list(index.documents())) == 3


def test_the_lexers_are_looked_up_once_for_many_queries(programs, monkeypatch):
    looked = []
    monkeypatch.setattr(opened_index, "read_otherwise", lambda *given: looked.append(1) or ("old",))
    with copysift.Index(programs.parent / "x.sift") as index:
        index.add(programs)
        for _ in range(3):
            assert index.answer(index.questions(programs / "b.py"), Query()).notes == ("old",)
        assert len(looked) == 1
        index.refresh()
        index.answer(index.questions(programs / "b.py"), Query())
        assert len(looked) == 2
