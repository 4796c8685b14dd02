"""The law for --earlier: earlier documents give the same answer as a folder and as an index."""

from __future__ import annotations

import json

import pytest

import copysift
from tests.cli.program import copysift as program
from tests.cli.program import write
from tests.cli.submissions import essay
from tests.workflows.test_programs import PROGRAM, RENAMED


def page(words: str, script: str) -> str:
    """Give a page with a script, whose markup counts in a class."""
    return f"<html><head><script>{script}</script></head><body><p>{words}</p></body></html>"


SCRIPT = "".join(
    f"function f{at}(a, b) {{ return a * {at} + b.items[{at}] - 'x{at}'; }}\n" for at in range(30)
)
NEW = {
    "texts": {"a/t.txt": essay(1), "b/u.txt": essay(2) + essay(3, 60)},
    "programs": {"a/p.py": PROGRAM, "b/q.py": RENAMED + "print(1)\n"},
    "pages": {"a/p.html": page(essay(4), SCRIPT), "b/q.html": page(essay(5), SCRIPT.replace("f", "g"))},
}
OLD = {
    "texts": {"x/t.txt": essay(1) + essay(9, 50), "y/u.txt": essay(3, 60)},
    "programs": {"x/p.py": RENAMED, "y/q.py": PROGRAM + "import os\n"},
    "pages": {
        "x/p.html": page(essay(4).replace("a", "e"), SCRIPT),
        "y/q.html": page(essay(5) + essay(6), SCRIPT[:900]),
    },
}


@pytest.mark.parametrize("by", ["dir", "file"])
@pytest.mark.parametrize("kind", NEW)
def test_earlier_documents_give_the_same_as_a_folder_and_as_an_index(kind, by, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for top, contents in (("new", NEW), ("old", OLD)):
        write(tmp_path, {f"{top}/{name}": text for name, text in contents[kind].items()})
    with copysift.Index("old.sift", by=by) as index:
        index.add(["old"])
    found = [
        copysift.scan("new", by=by, earlier=earlier, threshold=0.05, regions=True)
        for earlier in ("old", "old.sift")
    ]
    assert found[0].pairs
    assert found[0].pairs == found[1].pairs
    assert [each.earlier for each in found[0].submissions] == [each.earlier for each in found[1].submissions]


def test_an_index_with_another_scheme_than_the_default_keeps_it_in_every_command(tmp_path, monkeypatch):
    """Indexes that earlier versions made have `robust`; nobody has to say so again."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path, {"old/x/a.txt": essay(1, 300), "more/y/b.txt": essay(2, 300)})
    write(tmp_path, {"new/z/c.txt": essay(1, 200)})
    assert program(tmp_path, "index", "add", "old.sift", "old", "--scheme", "robust").status == 0
    for command in (("index", "add", "old.sift", "more"), ("query", "old.sift", "more/y/b.txt")):
        done = program(tmp_path, *command)
        assert (done.status, done.err) == (0, "")
    earlier = [
        json.loads(program(tmp_path, "scan", "new", "--format", "json", "--earlier", *given).out)
        for given in (("old.sift",), ("old", "--scheme", "robust"))
    ]
    assert [each["settings"]["scheme"] for each in earlier] == ["robust", "robust"]
    shared = [[pair["shared"] for pair in each["pairs"]] for each in earlier]
    assert shared[0]
    assert shared[0] == shared[1]
    with copysift.Index("old.sift") as index:
        for place in ("old/x/a.txt", "more/y/b.txt"):
            robust = copysift.fingerprint((tmp_path / place).read_text(), kind="text", scheme="robust").hashes
            assert [hit.shared for hit in index.query(place) if hit.equal] == [len(set(robust.tolist()))]
    for date, scheme in (("2026-01-01", ("--scheme", "robust")), ("2026-02-01", ())):
        done = program(tmp_path, "sweep", "web.sift", "old", "--date", date, *scheme)
        assert (done.status, done.err) == (0, "")
