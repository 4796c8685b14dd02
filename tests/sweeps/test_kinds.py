"""A sweep takes the kinds, languages, schemes and base code of a scan, and they mean the same."""

from pathlib import Path

import pytest

import copysift
from tests.cli.program import copysift as program
from tests.cli.program import write
from tests.cli.texts import prose
from tests.sweeps.web import edited
from tests.workflows.disguises import disguised

PROGRAMS = sorted((Path(__file__).parents[1] / "workflows/programs/c").rglob("*.c"))
BEFORE, AFTER = "2026-01-01", "2026-02-01"


def sources():
    return {f"src/{path.name}": path.read_text(encoding="utf-8") for path in PROGRAMS[:8]}


@pytest.mark.parametrize("settings", [{"kind": "code"}, {"language": "c"}])
def test_a_program_that_moved_and_had_its_names_changed_is_located(tmp_path, settings):
    before = sources()
    (name, text), *others = before.items()
    after = {**dict(others), "lib/other.c": disguised(text, ".c", ["rename"])}
    with copysift.Index(tmp_path / "x.sift", **settings) as index:
        index.sweep(before.items(), date=BEFORE)
        index.sweep(after.items(), date=AFTER)
        found = index.locate(name)
        assert (found.status, found.now.uri) == ("moved", "lib/other.c")
        assert found.now.confidence > 0.8


@pytest.mark.parametrize("scheme", ["robust", "winnow", "open-closed", "mod", "safe-mod", "all"])
@pytest.mark.parametrize("kind", ["text", "words", "bytes"])
def test_every_scheme_and_kind_that_an_index_takes_locates_a_page(tmp_path, scheme, kind):
    pages = {f"http://a/{number}": prose(number, 600) for number in range(4)}
    more = {"noise": 20, "guarantee": 40} if kind == "bytes" else {}
    with copysift.Index(tmp_path / "x.sift", kind=kind, scheme=scheme, **more) as index:
        index.sweep(pages.items(), date=BEFORE)
        pages["http://b/"] = edited(pages.pop("http://a/0"), 0.1, 3)
        index.sweep(pages.items(), date=AFTER)
        assert index.locate("http://a/0").now.uri == "http://b/"
        assert index.locate("http://a/1").copies == ()


def test_base_code_makes_no_page_a_version_of_another(tmp_path):
    kit = prose(1, 400)
    write(tmp_path, {"kit/kit.txt": kit, "one/a.txt": kit + prose(2, 60), "one/b.txt": kit + prose(3, 60)})
    write(tmp_path, {"two/b.txt": kit + prose(3, 60), "two/c.txt": kit + edited(prose(4, 60), 0.1, 1)})
    write(tmp_path, {"one/d.txt": kit + prose(4, 60)})
    for index, base in (("plain.sift", ()), ("based.sift", ("--base", "kit"))):
        for folder, date in (("one", BEFORE), ("two", AFTER)):
            done = program(tmp_path, "sweep", index, folder, "--date", date, *base)
            assert (done.status, done.err) == (0, "")
    with copysift.Index(tmp_path / "plain.sift") as plain, copysift.Index(tmp_path / "based.sift") as based:
        assert plain.locate("a.txt").now is not None
        assert based.locate("a.txt").now is None
        assert based.locate("d.txt").now.uri == "c.txt"
        assert based.check() == ([], [])


def test_base_code_that_is_told_later_counts_for_earlier_sweeps_too(tmp_path):
    kit = prose(1, 400)
    write(tmp_path, {"kit.txt": kit})
    pages = {"a": kit + prose(2, 60), "b": kit + prose(3, 60)}
    with copysift.Index(tmp_path / "x.sift") as index:
        index.sweep(pages.items(), date=BEFORE)
        assert index.locate("a").copies
    with copysift.Index(tmp_path / "x.sift", base=str(tmp_path / "kit.txt")) as index:
        index.sweep(pages.items(), date=BEFORE)
        assert index.locate("a").copies == ()
        assert index.seen(kit + prose(9, 60), text=True).status == "unseen"
