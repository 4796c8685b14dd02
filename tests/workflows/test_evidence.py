"""Programs end to end: what raises their similarity, and what leaves it alone."""

import json
from pathlib import Path

import pytest

import copysift

SOURCE = """
int total(int[] values, int limit) {
    int sum = 0;
    for (int i = 0; i < values.length; i++) {
        if (values[i] > limit) { sum += values[i] * 3; }
    }
    System.out.println("the total of what is above the limit: " + sum);
    return sum;
}
int largest(int[] values) {
    int best = values[0];
    for (int v : values) { best = Math.max(best, v); }
    return best;
}
"""
OTHER = """
class Queue {
    private Node head, tail;
    void push(Object item) {
        Node n = new Node(item);
        if (tail == null) head = n; else tail.next = n;
        tail = n;
    }
    Object pop() {
        Object item = head.item;
        head = head.next;
        if (head == null) { tail = null; }
        return item;
    }
    boolean isEmpty() { return head == null; }
}
"""


def scan(folder: Path, files: dict[str, str], **settings: object) -> dict[frozenset[str], copysift.Pair]:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    result = copysift.scan(folder, threshold=0, **settings)
    assert not result.skipped
    return {frozenset((Path(pair.left).name, Path(pair.right).name)): pair for pair in result.pairs}


def renamed(text: str) -> str:
    for old, new in (
        ("values", "xs"),
        ("sum", "acc"),
        ("limit", "bound"),
        ("best", "top"),
        ("total", "addUp"),
    ):
        text = text.replace(old, new)
    return "/* mine */\n" + text.replace("    ", "\t").replace("the addUp of what", "the total of what")


def test_a_renamed_copy_has_the_same_fingerprints_and_scores_just_below_one(tmp_path):
    pair = scan(tmp_path, {"a.java": SOURCE, "b.java": renamed(SOURCE), "c.java": OTHER})[
        frozenset({"a.java", "b.java"})
    ]
    assert (pair.resemblance, pair.containment_left, pair.containment_right) == (1, 1, 1)
    assert 0.98 <= pair.similarity < 1


def test_the_same_but_for_layout_and_comments_scores_one(tmp_path):
    copy = "// mine\n" + SOURCE.replace(" + ", "+").replace("\n    ", "\n\t\t")
    pair = scan(tmp_path, {"a.java": SOURCE, "b.java": copy, "c.java": OTHER})[
        frozenset({"a.java", "b.java"})
    ]
    assert pair.similarity == 1
    assert not pair.equal


def test_inserted_statements_do_not_hide_a_copy(tmp_path):
    padded = SOURCE.replace(";\n", ";\n    int unused = 7;\n    unused = unused * 2;\n")
    pair = scan(tmp_path, {"a.java": SOURCE, "b.java": padded, "c.java": OTHER})[
        frozenset({"a.java", "b.java"})
    ]
    assert pair.similarity > 0.9
    assert max(pair.containment_left, pair.containment_right) < 0.8


def test_strings_can_only_raise_the_similarity(tmp_path):
    kept = scan(
        tmp_path / "1",
        {"a.java": SOURCE, "b.java": SOURCE.replace("* 3", "- 1 / 3 + limit"), "c.java": OTHER},
    )
    changed = SOURCE.replace("* 3", "- 1 / 3 + limit").replace("the total of what is above the limit", "?")
    lost = scan(tmp_path / "2", {"a.java": SOURCE, "b.java": changed, "c.java": OTHER})
    both = frozenset({"a.java", "b.java"})
    assert kept[both].similarity > lost[both].similarity
    assert kept[both].resemblance == lost[both].resemblance


def test_what_was_handed_out_is_left_out_of_statements_and_strings_too(tmp_path):
    (tmp_path / "base").mkdir()
    (tmp_path / "base" / "x.java").write_text(SOURCE)
    mine = SOURCE + "int mine(int q) { return q << 3 ^ q; }"
    yours = SOURCE + "boolean yours(long z) { while (z > 9) z /= 10; return z == 1; }"
    files = {"one/a.java": mine, "two/b.java": yours}
    assert scan(tmp_path / "class", files, by="dir", base=(str(tmp_path / "base"),)) == {}


def test_programs_of_two_languages_share_keywords_and_operators(tmp_path):
    text = "while (a < b) { a = a + b; if (a == 5) { break; } }\n" * 3
    pair = scan(tmp_path, {"a.c": text, "b.java": text + "x = 1;"}, regions=True)[
        frozenset({"a.c", "b.java"})
    ]
    assert pair.containment_left == 1
    assert pair.regions


def test_a_language_that_was_named_holds_for_every_file(tmp_path):
    files = {"a.txt": SOURCE, "b.txt": renamed(SOURCE)}
    pair = scan(tmp_path, files, language="java")[frozenset({"a.txt", "b.txt"})]
    assert pair.resemblance == 1
    with pytest.raises(copysift.UsageError, match="no language 'jova'"):
        copysift.scan(tmp_path, language="jova")
    with pytest.raises(copysift.UsageError, match="exclude each other"):
        copysift.scan(tmp_path, language="java", kind="text")


def test_notebooks_are_compared_cell_by_cell_and_without_outputs(tmp_path):
    code = "def mean(xs):\n    total = 0\n    for x in xs:\n        total += x\n    return total / len(xs)\n"

    def notebook(source: str, output: str) -> str:
        cell = {
            "cell_type": "code",
            "source": source.splitlines(keepends=True),
            "outputs": [{"text": output * 50}],
        }
        prose = {
            "cell_type": "markdown",
            "source": ["We compute the mean of a list of numbers, one by one.\n"],
        }
        return json.dumps(
            {"cells": [prose, cell], "metadata": {"kernelspec": {"language": "python"}}, "nbformat": 4}
        )

    files = {
        "a.ipynb": notebook(code, "1"),
        "b.ipynb": notebook(code.replace("total", "s"), "2"),
        "c.py": code,
    }
    pairs = scan(tmp_path, files, regions=True)
    pair = pairs[frozenset({"a.ipynb", "b.ipynb"})]
    assert pair.resemblance == 1
    assert pair.regions
    assert pair.regions[0].left.first_line == 2
    assert pairs[frozenset({"a.ipynb", "c.py"})].containment_right > 0.9


def test_a_broken_notebook_is_text(tmp_path):
    (tmp_path / "a.ipynb").write_text('{"cells": [')
    result = copysift.scan(tmp_path)
    assert [each.kind for each in result.documents] == ["text"]


def test_a_program_that_only_pygments_knows_is_code(tmp_path):
    text = 'const std = @import("std");\npub fn add(a: i32, b: i32) i32 { return a + b; } // sum\n' * 3
    files = {"a.zig": text, "b.zig": text.replace("add", "plus").replace("// sum", "// é other")}
    both = frozenset({"a.zig", "b.zig"})
    assert both not in scan(tmp_path, files)  # Pygments is slow: only where code is asked for
    assert scan(tmp_path, files, kind="code")[both].resemblance == 1


def test_the_seed_changes_nothing_in_the_answer(tmp_path):
    files = {"a.java": SOURCE, "b.java": renamed(SOURCE), "c.java": OTHER}
    plain = scan(tmp_path, files)
    keyed = scan(tmp_path, files, seed="secret")
    both = frozenset({"a.java", "b.java"})
    assert plain[both].similarity == pytest.approx(keyed[both].similarity, abs=0.01)
