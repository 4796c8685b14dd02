"""How an index reads programs: as text and by their tokens, as a scan does."""

import shutil
from pathlib import Path

import pytest

import copysift
from copysift.errors import UsageError
from copysift.settings.contents import LookUp
from tests.cli.program import copysift as run
from tests.cli.program import write
from tests.cli.texts import prose
from tests.workflows.test_programs import CELLS, PROGRAM, RENAMED, essays

CLASS = {"ann.py": PROGRAM, "bob.py": "print(1)\n", "eve.py": "import sys\nsys.exit(len(sys.argv))\n"}


def kinds(index):
    return {each.name: each.kind for each in index.documents()}


@pytest.mark.parametrize("beside", [{}, essays(3), essays(10)], ids=["alone", "few", "many"])
def test_a_renamed_program_is_found_whatever_lies_beside_it(here, beside):
    write(here, {**{f"d/{name}": text for name, text in (CLASS | beside).items()}, "new.py": RENAMED})
    with copysift.Index("x.sift") as index:
        index.add("d")
        assert kinds(index)["d/ann.py"] == "code:python"
        (hit,) = index.query("new.py", passages=True)
        assert (hit.right, hit.channel, hit.resemblance) == ("d/ann.py", "code", 1.0)
        assert [region.right.start for region in hit.regions] == [0]
        assert index.check() == ([], [])
    result = run(here, "scan", "new.py", "--earlier", "x.sift")
    assert "d/ann.py" in result.out


def test_programs_of_an_index_are_compared_with_each_other_and_with_texts(here):
    write(
        here, {"d/ann.py": PROGRAM, "d/bob.py": RENAMED, "d/nb.ipynb": CELLS, "d/e.txt": PROGRAM + prose(1)}
    )
    with copysift.Index("x.sift") as index:
        index.add("d")
        pairs = {(pair.left, pair.right): pair.channel for pair in index.pairs()}
    files = {(pair.left, pair.right): pair.channel for pair in copysift.scan("d").pairs}
    assert pairs == files
    assert pairs["d/ann.py", "d/bob.py"] == "code"
    assert pairs["d/ann.py", "d/e.txt"] == "text"
    assert ("d/ann.py", "d/nb.ipynb") in pairs


def test_what_was_removed_or_replaced_is_found_in_no_channel(here):
    write(here, {"d/ann.py": PROGRAM, "new.py": RENAMED})
    with copysift.Index("x.sift") as index:
        index.add("d")
        write(here, {"d/ann.py": "print(1)\n" * 20})
        index.add("d")
        assert list(index.query("new.py")) == []
        write(here, {"d/ann.py": RENAMED})
        index.add("d")
        assert len(list(index.query("new.py"))) == 1
        index.remove("d/ann.py")
        assert list(index.query("new.py")) == []
        index.compact()
        assert index.check() == ([], [])
        assert index.info()["postings"] == 0


def test_another_sample_has_both_channels(here):
    write(here, {"d/ann.py": PROGRAM, "new.py": RENAMED})
    with copysift.Index("x.sift", keep_text=True) as index:
        index.add("d")
        index.resample("secret")
        assert [hit.right for hit in index.query("new.py")] == ["d/ann.py"]
        assert index.check() == ([], [])


def test_short_documents_of_an_index_are_compared_by_all_their_k_grams(here):
    licence = "/* SPDX-License-Identifier: GPL-2.0 */\n"
    write(here, {"d/a.h": f"{licence}#include <asm/paravirt.h>\n"})
    write(
        here,
        {"b.h": f"{licence}#include <asm/string_32.h>\n", "same.h": f"{licence}#include <asm/paravirt.h>"},
    )
    with copysift.Index("x.sift") as index:
        index.add("d")
        (hit,) = index.query("b.h")
        assert 0.3 < hit.containment_left < 0.7
        (hit,) = index.query("same.h")
        assert hit.containment_left == 1.0


def test_documents_with_names_are_programs_too(here):
    with copysift.Index("x.sift") as index:
        index.add(iter(CLASS.items()))
        assert set(kinds(index).values()) == {"code:python"}
        data = RENAMED.encode()
        asked = copysift.Document.of("new.py", data)
        assert [hit.right for hit in index.query(asked)] == ["ann.py"]


@pytest.mark.parametrize(("kind", "expected"), [("code", "code:python"), ("text", "text")])
def test_a_kind_that_is_given_decides(here, kind, expected):
    write(here, {"d/a.py": PROGRAM, "d/b.txt": prose(1), "new.py": RENAMED})
    with copysift.Index("x.sift", kind=kind) as index:
        index.add("d")
        assert kinds(index)["d/a.py"] == expected
        assert len(list(index.query("new.py"))) == (kind == "code")


def test_what_has_no_name_may_be_said_to_be_a_program(here):
    write(here, {f"d/{name}": text for name, text in CLASS.items()})
    run(here, "index", "add", "x.sift", "d")
    assert "programs      compared as text and by tokens" in run(here, "index", "info", "x.sift").out
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
            index.question(b"x = 1", asked=LookUp(language="python"))


def test_an_index_of_version_1_keeps_reading_programs_as_it_did(here):
    sample = Path(__file__).parents[1] / "store" / "formats" / "v1" / "tiny.sift"
    shutil.copytree(sample, here / "old.sift")
    write(here, {"d/ann.py": PROGRAM, "new.py": RENAMED})
    with copysift.Index("old.sift") as index:
        index.add("d")
        assert kinds(index)["d/ann.py"] == "text"
        assert list(index.query("new.py")) == []
        assert index.check() == ([], [])


def test_an_index_and_the_folder_that_it_was_made_of_are_the_same_earlier_years(here):
    """Statements and strings of programs count in both."""
    homework = Path(__file__).parents[2] / "examples/homework/submissions"
    names = sorted(each.name for each in homework.iterdir() if each.is_dir())
    for at, name in enumerate(names):
        shutil.copytree(homework / name, here / ("new" if at % 2 else "old") / name)
    with copysift.Index("old.sift", by="dir") as index:
        index.add("old")
    folder, index = (
        {
            (pair.left, pair.right): (round(pair.similarity, 9), round(pair.resemblance, 9), pair.shared)
            for pair in copysift.scan("new", by="dir", earlier=[earlier], threshold=0.05).pairs
        }
        for earlier in ("old", "old.sift")
    )
    assert folder == index
    assert any(left.startswith("new") and right.startswith("old") for left, right in folder)
    for path in (here / "old").rglob("*.py"):
        path.write_text("pass\n")
    found = copysift.scan("new", by="dir", earlier=["old.sift"])
    assert any("programs of the index are gone or have changed" in note for note in found.notes)


def test_the_files_of_an_index_are_no_documents_of_a_folder(here):
    write(here, {"d/ann.py": PROGRAM, "d/bob.py": RENAMED})
    assert run(here, "index", "add", "d/x.sift", "d").status == 0
    found = run(here, "scan", "d")
    assert "2 files compared" in found.out
    assert found.err == ""
    done = run(here, "index", "add", "y.sift", "d/x.sift")
    assert done.status == 0
    assert done.out.startswith("2 added")


def test_short_documents_have_as_many_fingerprints_in_an_index_as_in_its_folder(here):
    """Also those that are equal: they are compared by all their k-grams."""
    write(
        here,
        {f"d/{name}.txt": "a short note that two of them have in common, word for word" for name in "ab"},
    )
    with copysift.Index("x.sift") as index:
        index.add("d")
    files, stored = (copysift.scan(source) for source in ("d", "x.sift"))
    assert files.pairs[0].shared == stored.pairs[0].shared > 8
    assert [each.fingerprints for each in files.documents] == [each.fingerprints for each in stored.documents]
