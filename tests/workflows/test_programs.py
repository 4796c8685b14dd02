"""Programs are compared as text and by their tokens, whatever lies beside them."""

from __future__ import annotations

import json

import pytest

import copysift
from copysift.workflows.channels import FLOOR
from tests.cli.texts import prose

PROGRAM = """def total(items, rate):
    result = 0
    for item in items:
        if item.price > rate:
            result += item.price * rate - item.discount
        else:
            result -= item.count * (rate + 1)
    return result / len(items) + rate ** 2
"""
RENAMED = PROGRAM.replace("item", "thing").replace("result", "s").replace("rate", "percentage")
SMALL = "def add(a, b):\n    return a + b\n\nprint(add(1, 2))\n"
CELLS = json.dumps({"cells": [{"cell_type": "code", "source": RENAMED}]})


def put(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def essays(count, first=1):
    return {f"essay{number}.txt": prose(number) for number in range(first, first + count)}


def others(count):
    """Give programs that have nothing to do with each other."""
    return {
        f"p{number}.py": "\n".join(
            f"class C{line}:\n    x{line} = {'[' * (1 + (number + line) % 4)}{number * line}"
            f"{']' * (1 + (number + line) % 4)}{' + y' * (number % 5)}"
            for line in range(5 + number)
        )
        for number in range(count)
    }


def found(folder, **settings):
    result = copysift.scan(folder, **settings)
    return {
        frozenset((pair.left.rpartition("/")[2], pair.right.rpartition("/")[2])): pair
        for pair in result.pairs
    }


BOTH = frozenset({"ann.py", "bob.py"})


@pytest.mark.parametrize(
    "beside", [{}, essays(10), {**essays(10), **others(7)}], ids=["none", "texts", "both"]
)
def test_a_renamed_program_is_found_whatever_lies_beside_it(tmp_path, beside):
    pair = found(put(tmp_path, {"ann.py": PROGRAM, "bob.py": RENAMED, **beside}))[BOTH]
    assert pair.similarity > 0.95
    assert (pair.channel, pair.resemblance) == ("code", 1.0)


def test_another_file_does_not_change_how_two_are_compared(tmp_path):
    alone = found(put(tmp_path, {"ann.py": PROGRAM, "bob.py": RENAMED}), regions=True)[BOTH]
    for more in (essays(1), essays(30), others(5)):
        beside = found(put(tmp_path, more), regions=True)[BOTH]
        assert (beside.channel, beside.resemblance, beside.regions) == (
            alone.channel, alone.resemblance, alone.regions,
        )  # fmt: skip


def test_a_notebook_is_a_program(tmp_path):
    pairs = found(put(tmp_path, {"ann.py": PROGRAM, "bob.ipynb": CELLS, **essays(5)}))
    assert pairs[frozenset({"ann.py", "bob.ipynb"})].channel == "code"


def test_a_program_is_a_text_too(tmp_path):
    files = {"ann.py": f'"""{prose(1)}"""\n' + PROGRAM, "essay.txt": prose(1), **essays(3, first=2)}
    pair = found(put(tmp_path, files), regions=True)[frozenset({"ann.py", "essay.txt"})]
    assert (pair.channel, pair.containment_right > 0.9) == ("text", True)
    assert pair.regions[0].left.start == 3


def test_few_shared_tokens_say_nothing_in_a_tree_of_any_files(tmp_path):
    renamed = SMALL.replace("add", "sum_up").replace("a", "x")
    folder = put(tmp_path, {"a/ann.py": SMALL, "b/bob.py": renamed})
    assert found(folder) == {}
    for settings in ({"kind": "code"}, {"by": "dir"}, {"threshold": 0}):
        pairs = found(folder, **settings)
        assert [pair.channel for pair in pairs.values()] == ["code"], settings
    assert FLOOR.founded > copysift.scan(folder, kind="code").documents[0].fingerprints / 2


def test_what_only_pygments_lexes_is_a_text_unless_code_is_asked_for(tmp_path):
    names = ["c.zig", "d.zig"]
    folder = put(tmp_path, {name: (RENAMED if at % 2 else PROGRAM) for at, name in enumerate(names)})
    assert {each.kind for each in copysift.scan(folder).documents} == {"text"}
    assert {each.kind for each in copysift.scan(folder, kind="code").documents} == {"code"}


def test_of_equal_files_of_two_kinds_the_program_is_still_one(tmp_path):
    files = {"ann.txt": PROGRAM, "ann.py": PROGRAM, "bob.py": RENAMED}
    result = copysift.scan(put(tmp_path, files), regions=True)
    (equal, pair) = result.pairs
    assert equal.equal
    assert (pair.channel, pair.resemblance) == ("code", 1.0)
    assert pair.regions[0].right.file.endswith("bob.py")


def test_a_saved_run_keeps_the_channel_of_a_pair(tmp_path):
    from pathlib import Path

    from copysift.settings.comparison import Settings
    from copysift.workflows.scan import Scan

    folder = put(tmp_path / "in", {"ann.py": PROGRAM, "bob.py": RENAMED, **essays(2)})
    scan = Scan(Settings())
    scan.run([folder], keep=True)
    scan.save(Path(tmp_path / "run"))
    (pair,) = copysift.show(tmp_path / "run").pairs
    assert pair.channel == "code"
