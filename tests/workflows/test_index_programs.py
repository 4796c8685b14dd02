"""How an index reads programs: by the rule of `scan`, which its first documents settle for good."""

import pytest

import copysift
from copysift.errors import UsageError
from tests.cli.program import copysift as run
from tests.cli.program import write
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
RENAMED = PROGRAM.replace("items", "things").replace("result", "sum_of_all").replace("rate", "percentage")
CLASS = {"ann.py": PROGRAM, "bob.py": "print(1)\n", "eve.py": "import sys\nsys.exit(len(sys.argv))\n"}


def kinds(index):
    return {each.name: each.kind for each in index.documents()}


def test_a_class_of_programs_is_compared_by_tokens_as_in_a_scan(here):
    write(here, {**{f"d/{name}": text for name, text in CLASS.items()}, "new.py": RENAMED})
    with copysift.Index("x.sift") as index:
        assert index.add("d").programs == "code"
        assert set(kinds(index).values()) == {"code:python"}
        assert [hit.right for hit in index.query("new.py")] == ["d/ann.py"]
    with copysift.Index("x.sift") as index:  # it is remembered
        write(here, {"d/late.py": RENAMED, "d/essay.txt": prose(1), "d/more.txt": prose(2)})
        index.add("d")
        assert kinds(index)["d/late.py"] == "code:python"
        assert kinds(index)["d/essay.txt"] == "text"
        assert {pair.left for pair in index.pairs(threshold=0.9)} == {"d/ann.py"}
    result = run(here, "scan", "new.py", "--earlier", "x.sift")
    assert "d/ann.py" in result.out


def test_programs_of_a_mixed_tree_are_text_and_stay_so(here):
    write(here, {"d/a.py": PROGRAM, "d/b.txt": prose(1), "e/c.py": RENAMED})
    with copysift.Index("x.sift") as index:
        assert index.add("d").programs == "text"
        assert index.add("e").programs == "text"
        assert set(kinds(index).values()) == {"text"}
    with copysift.Index("y.sift") as index:
        assert index.add("d/b.txt").programs == ""


def test_documents_with_names_decide_too(here):
    with copysift.Index("x.sift") as index:
        index.add(iter(CLASS.items()))
        assert set(kinds(index).values()) == {"code:python"}
        data = RENAMED.encode()
        asked = copysift.Document("new.py", data, "", "new.py", len(data), lambda: iter([data]))
        assert [hit.right for hit in index.query(asked)] == ["ann.py"]


@pytest.mark.parametrize(("kind", "expected"), [("code", "code:python"), ("text", "text")])
def test_a_kind_that_is_given_decides(here, kind, expected):
    write(here, {"d/a.py": PROGRAM, "d/b.txt": prose(1)})
    with copysift.Index("x.sift", kind=kind) as index:
        assert index.add("d").programs == ""
        assert kinds(index)["d/a.py"] == expected


def test_what_has_no_name_may_be_said_to_be_a_program(here):
    write(here, {f"d/{name}": text for name, text in CLASS.items()})
    done = run(here, "index", "add", "x.sift", "d")
    assert (
        done.err
        == "copysift: a class of programs: compared by tokens (--kind text compares them as text)\n"
    )
    assert "programs      compared by tokens" in run(here, "index", "info", "x.sift").out
    asked = ("query", "x.sift", "-")
    assert run(here, *asked, stdin=RENAMED.encode()).status == 1
    done = run(here, *asked, "--language", "python", stdin=RENAMED.encode())
    assert (done.status, done.out.split()[-1]) == (0, "d/ann.py")
    done = run(here, "query", "x.sift", "--text", RENAMED, "--language", "python")
    assert (done.status, done.out.split()[-1]) == (0, "d/ann.py")


def test_a_language_is_refused_where_programs_are_text(here):
    with copysift.Index("x.sift", kind="text") as index:
        index.add([("a.py", PROGRAM)])
        with pytest.raises(UsageError, match="programs were read as text"):
            index.question(b"x = 1", language="python")
