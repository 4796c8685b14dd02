"""How a document that is looked up is read: --kind and --language in query, locate and copies."""

import pytest

import copysift
from copysift.errors import UsageError
from tests.cli.program import copysift as run
from tests.cli.program import write
from tests.cli.texts import prose
from tests.workflows.test_programs import PROGRAM, RENAMED


def swept(here, kind=""):
    """Make an index of one sweep, of a program and a text."""
    write(here, {"site/ann.py": PROGRAM, "site/b.txt": prose(2), "new": RENAMED})
    given = ("--kind", kind) if kind else ()
    assert run(here, "sweep", "s.sift", "site", "--date", "2026-01-01", "--keep-text", *given).status == 0


def test_a_kind_decides_how_a_file_is_looked_up(here):
    write(here, {"d/ann.py": PROGRAM, "d/b.txt": prose(2), "new.py": RENAMED})
    with copysift.Index("x.sift") as index:
        index.add("d")
        assert [hit.right for hit in index.query("new.py")] == ["d/ann.py"]
        assert [hit.right for hit in index.query("new.py", kind="code")] == ["d/ann.py"]
        assert list(index.query("new.py", kind="text")) == []
    assert run(here, "query", "x.sift", "new.py", "--kind", "text").status == 1
    assert run(here, "query", "x.sift", "new.py", "--kind", "code").out.split()[-1] == "d/ann.py"


def test_a_program_that_is_asked_for_is_looked_up_by_its_tokens_alone(here):
    page = "<p>" + prose(1) + "</p>\n"
    write(here, {"d/a.txt": PROGRAM, "d/ann.py": PROGRAM + "x = 1\n", "d/p.html": page, "q": page})
    with copysift.Index("x.sift") as index:
        index.add("d")
        both = {hit.right: hit.channel for hit in index.query(PROGRAM + "\n", text=True, language="python")}
        assert both == {"d/ann.py": "code"}  # a.txt has no tokens
        assert [hit.right for hit in index.query("q", kind="html")] == ["d/p.html"]


def test_a_kind_that_the_index_does_not_have_is_refused_with_what_it_has(here):
    write(here, {"d/a.txt": prose(1)})
    run(here, "index", "add", "words.sift", "d", "--kind", "words")
    done = run(here, "query", "words.sift", "d/a.txt", "--kind", "text")
    assert done.status == 2
    assert "words.sift has no documents read as text: it was created with --kind words" in done.err
    assert "choose --kind words or html-words, or leave it out" in done.err
    assert run(here, "query", "words.sift", "d/a.txt", "--kind", "words").status == 0
    assert run(here, "query", "words.sift", "d/a.txt", "--kind", "auto").status == 0
    run(here, "index", "add", "x.sift", "d")
    done = run(here, "query", "x.sift", "d/a.txt", "--kind", "words")
    assert "choose --kind text, html, code, bytes or executable, or leave it out" in done.err
    with copysift.Index("x.sift") as index, pytest.raises(UsageError, match="no documents read as words"):
        index.query("d/a.txt", kind="words")


@pytest.mark.parametrize("command", ["locate", "copies"])
def test_a_language_makes_a_file_without_a_name_a_program_in_sweeps(here, command):
    swept(here, "code")
    file = ("--file",) if command == "locate" else ()
    assert run(here, command, "s.sift", "new", *file).status == 1
    done = run(here, command, "s.sift", "new", *file, "--language", "python")
    assert (done.status, "ann.py" in done.out) == (0, True), done.err
    with copysift.Index("s.sift") as index:
        assert index.seen("new", language="python").now.uri.endswith("ann.py")
        (holder,) = index.copies("new", language="python").holders
        assert holder.uri.endswith("ann.py")


@pytest.mark.parametrize("command", ["locate", "copies"])
@pytest.mark.parametrize("asked", [("--language", "python"), ("--kind", "code", "--language", "python")])
def test_sweeps_know_the_tokens_of_programs_beside_texts(here, command, asked):
    swept(here)
    file = ("--file",) if command == "locate" else ()
    done = run(here, command, "s.sift", "new", *file, *asked)
    assert (done.status, "ann.py" in done.out) == (0, True), done.err
    assert run(here, command, "s.sift", "new", *file, "--kind", "text").status == 1


@pytest.mark.parametrize("command", ["locate", "copies"])
def test_how_an_address_is_read_cannot_be_chosen(here, command):
    swept(here)
    done = run(here, command, "s.sift", "b.txt", "--kind", "text")
    assert (done.status, "--kind says how a file is read" in done.err) == (2, True), done.err


def test_a_document_of_the_same_bytes_is_whole_in_the_other_though_it_is_read_otherwise(here):
    page = "<p>" + prose(1) + "</p><script>var a = 1</script>\n"
    write(here, {"d/a.html": page, "q.txt": page})
    with copysift.Index("x.sift") as index:
        index.add("d")
        (hit,) = index.query("q.txt")
        assert (hit.equal, hit.resemblance, hit.containment_left, hit.containment_right) == (
            True,
            1.0,
            1.0,
            1.0,
        )
