"""No score rests on one fingerprint of a short file, or on a negligible part of a unit."""

import json
from pathlib import Path

import pytest

import copysift
from tests.cli.texts import prose
from tests.workflows.test_programs import PROGRAM, RENAMED, found, put

LICENCE = "/* SPDX-License-Identifier: GPL-2.0 */\n"
SCRIPT = "for name in names:\n    print(name.strip().lower(), len(name), sep='; ')\n"


@pytest.mark.parametrize("scheme", ["robust", "winnow", "open-closed"])
def test_two_line_files_are_compared_by_all_their_k_grams(tmp_path, scheme):
    folder = put(
        tmp_path,
        {
            "a.h": f"{LICENCE}#include <asm/paravirt.h>\n",
            "b.h": f"{LICENCE}#include <asm/string_32.h>\n",
            "c.h": f"{LICENCE}\n\n#include  <asm/paravirt.h>\n",
        },
    )
    pairs = found(folder, scheme=scheme, threshold=0)
    assert pairs[frozenset({"a.h", "c.h"})].resemblance == 1.0
    apart = pairs[frozenset({"a.h", "b.h"})]
    assert apart.containment_left == pytest.approx(12 / 21)
    assert apart.similarity < 0.6


def test_a_short_part_of_a_long_text_is_still_found_whole(tmp_path):
    text = prose(1)
    pair = found(put(tmp_path, {"a.txt": text, "part.txt": text[200:400]}))[frozenset({"a.txt", "part.txt"})]
    assert pair.containment_right == 1.0


def unit(name, first, script):
    """Give a folder of essays of its own, with one small script."""
    essays = {f"{name}/essay{number}.txt": prose(number) for number in range(first, first + 6)}
    return {**essays, f"{name}/run.py": script}


@pytest.mark.parametrize("kind", ["auto", "code"])
@pytest.mark.parametrize("copied", [SCRIPT, PROGRAM], ids=["script", "program"])
def test_one_small_script_does_not_make_two_folders_the_same(tmp_path, kind, copied):
    folder = put(
        tmp_path, {**unit("ann", 1, copied), **unit("bob", 20, copied), **unit("eve", 40, "x = 1\n")}
    )
    pairs = found(folder, by="dir", kind=kind, threshold=0)
    assert 0 < pairs[frozenset({"ann", "bob"})].similarity < 0.2


def test_a_program_that_is_most_of_a_folder_counts_in_full(tmp_path):
    files = {"ann/a.py": PROGRAM, "ann/notes.txt": prose(1)[:200], "bob/b.py": RENAMED, "bob/n.txt": "no"}
    pairs = found(put(tmp_path, files), by="dir")
    assert pairs[frozenset({"ann", "bob"})].similarity > 0.9
    assert copysift.scan(tmp_path, by="dir").pairs[0].channel == "code"


def test_a_part_of_a_folder_that_is_all_of_another_counts_in_full(tmp_path):
    folder = put(tmp_path, {**unit("ann", 1, PROGRAM), "bob/main.py": RENAMED})
    pairs = found(folder, by="dir")
    assert pairs[frozenset({"ann", "bob"})].similarity > 0.9


STACK = """class Stack:
    def __init__(self):
        self.items = []

    def push(self, item):
        self.items.append(item)
        return self

    def pop(self):
        if not self.items:
            raise IndexError("empty")
        return self.items.pop()
"""
SUM = "".join(
    f"if seen[{number}] != {number}:\n    print('wrong', seen, file=errors)\n" for number in range(9)
)


def test_tokens_decide_pairs_of_programs_in_a_class(tmp_path):
    """A comment that both kept is not what two students wrote; of any other files the text says most."""
    comment = "".join(f"# {word}\n" for word in prose(1).split())
    files = {"ann/main.py": f"{comment}{STACK}{PROGRAM}", "bob/main.py": f"{comment}{SUM}{PROGRAM}"}
    folder = put(tmp_path, files)
    (any_files,) = copysift.scan(folder, threshold=0.01).pairs
    (of_a_class,) = copysift.scan(folder, threshold=0.01, by="dir").pairs
    assert (any_files.channel, of_a_class.channel) == ("text", "code")
    assert of_a_class.similarity < 0.8 < any_files.similarity


def test_text_decides_where_one_of_two_units_of_a_class_is_not_a_program(tmp_path):
    text = "".join(f"# {word}\n" for word in prose(1).split())
    files = {
        "ann/main.py": f"{text}{STACK}{PROGRAM}",
        "bob/main.py": f"{SUM}{PROGRAM}",
        "bob/notes.txt": text,
    }
    (pair,) = copysift.scan(put(tmp_path, files), threshold=0.01, by="dir").pairs
    assert pair.channel == "text"


@pytest.mark.parametrize("extra", [[], [RENAMED]])
def test_what_two_programs_say_in_comments_counts_at_no_threshold(tmp_path, extra):
    """Their tokens decide, whatever is listed: else the score of a pair jumps when its code is less alike."""
    comment = "".join(f"// {line}\n" for line in prose(1, 900).splitlines())
    programs = Path(__file__).parent / "programs" / "c"
    sources = [each.read_text() for each in sorted(programs.iterdir())] + extra
    put(tmp_path, {f"p{at}/main.c": comment + source for at, source in enumerate(sources)})
    every = {
        frozenset((pair.left, pair.right)): pair
        for pair in copysift.scan(tmp_path, by="dir", threshold=0).pairs
    }
    assert {pair.channel for pair in every.values()} == {"code"}
    for threshold in (0.05, 0.25, 0.5):
        listed = copysift.scan(tmp_path, by="dir", threshold=threshold).pairs
        assert len(listed) == sum(pair.similarity >= threshold for pair in every.values())
        for pair in listed:
            assert pair.similarity == every[frozenset((pair.left, pair.right))].similarity


def test_the_text_of_web_pages_and_notebooks_counts_beside_their_tokens(tmp_path):
    essay = prose(1, 300).splitlines()
    page = (
        "<table>"
        + "".join(f"<tr><td class=c{at}>{line}</td></tr>" for at, line in enumerate(essay))
        + "</table>"
    )
    other = (
        "<html><body><h1>An essay</h1>" + "".join(f"<p>{line}<br></p>" for line in essay) + "</body></html>"
    )
    cells = [{"cell_type": "markdown", "source": "\n".join(essay)}]
    books = [
        json.dumps({"cells": [*cells, {"cell_type": "code", "source": source}]})
        for source in (PROGRAM, SCRIPT)
    ]
    put(
        tmp_path,
        {"p/ann/a.html": page, "p/bob/b.html": other, "n/ann/a.ipynb": books[0], "n/bob/b.ipynb": books[1]},
    )
    for folder in ("p", "n"):
        for threshold in (0, 0.25):
            (pair,) = copysift.scan(tmp_path / folder, by="dir", threshold=threshold).pairs
            assert (pair.channel, pair.similarity > 0.9) == ("text", True)


def test_short_programs_of_an_index_count_as_they_do_in_its_folder(tmp_path):
    """Those with so few tokens that no pair of theirs is listed make no token common either."""
    put(tmp_path, {f"d/{at}.py": SCRIPT + f"print({at}, name)\n" * at for at in range(5)})
    put(tmp_path, {"d/ann.py": PROGRAM + SCRIPT, "d/bob.py": RENAMED + SCRIPT})
    with copysift.Index(tmp_path / "x.sift") as index:
        index.add(tmp_path / "d")
    for more in ({}, {"min_match": 20}):
        files, stored = (
            copysift.scan(tmp_path / source, threshold=0.1, **more) for source in ("d", "x.sift")
        )
        assert files.pairs
        assert list(files.pairs) == list(stored.pairs)
