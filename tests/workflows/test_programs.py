"""When programs are compared by their tokens, and when as text."""

from __future__ import annotations

import copysift

PROGRAM = """
def total(values):
    result = 0
    for value in values:
        result += value
    return result
"""
RENAMED = PROGRAM.replace("value", "item").replace("result", "s").replace("total", "add_up")


def kinds(folder, **settings):
    return {document.kind for document in copysift.scan(folder, **settings).documents}


def fill(folder, names):
    folder.mkdir(exist_ok=True)
    for number, name in enumerate(names):
        (folder / name).write_text(RENAMED if number % 2 else PROGRAM)
    return folder


def test_a_folder_of_programs_in_one_language_is_compared_by_tokens(tmp_path):
    found = copysift.scan(fill(tmp_path / "class", ["ann.py", "bob.py"]))
    assert [pair.similarity > 0.9 for pair in found.pairs] == [True]


def test_a_tree_with_other_files_or_of_headers_is_compared_as_text(tmp_path):
    assert kinds(fill(tmp_path / "mixed", ["a.py", "b.txt", "c.txt"])) == {"text"}
    assert kinds(fill(tmp_path / "headers", ["a.h", "b.h", "c.c"])) == {"text"}


def test_whoever_says_submissions_or_code_gets_tokens(tmp_path):
    folder = fill(tmp_path / "mixed", ["a.py", "b.txt", "c.txt"])
    assert kinds(folder, kind="code") == {"code", "text"}
    (tmp_path / "all").mkdir()
    for name in ("ann", "bob"):
        fill(tmp_path / "all" / name, ["m.h"])
    assert kinds(tmp_path / "all", by="dir") == {"code"}
