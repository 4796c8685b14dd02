"""Sweeps read programs as every command does: as text and by their tokens."""

import copysift
from tests.cli.program import copysift as run
from tests.cli.program import write
from tests.workflows.test_programs import PROGRAM, RENAMED, essays


def test_a_renamed_copy_of_a_program_is_found_in_a_sweep(here):
    beside = {f"web/{name}": text for name, text in essays(3).items()}
    write(here, {"web/ann.py": PROGRAM, "web/bob.py": RENAMED, **beside})
    run(here, "sweep", "site.sift", "web", "--date", "2026-01-01", "--keep-text")
    with copysift.Index("site.sift") as index:
        (holder,) = index.copies("web/ann.py").holders
        assert (holder.uri, holder.state) == ("bob.py", "altered")
        assert index.check() == ([], [])
    assert "compared as text and by tokens" in run(here, "index", "info", "site.sift").out


def test_a_renamed_copy_is_not_called_whole_where_no_texts_are_stored(here):
    write(here, {"web/ann.py": PROGRAM, "web/bob.py": RENAMED})
    run(here, "sweep", "site.sift", "web", "--date", "2026-01-01")
    with copysift.Index("site.sift") as index:
        (holder,) = index.copies("web/ann.py").holders
        assert (holder.share, holder.state) == (1.0, "part or altered")


def test_tokens_of_programs_that_are_gone_leave_the_index_with_them(here):
    write(here, {"web/ann.py": PROGRAM, "web/e.txt": "only\n" * 30, "later/e.txt": "only\n" * 30})
    run(here, "sweep", "site.sift", "web", "--date", "2026-01-01")
    run(here, "sweep", "site.sift", "later", "--date", "2026-01-01", "--overwrite")
    run(here, "index", "compact", "site.sift")
    with copysift.Index("site.sift") as index:
        assert index.copies(RENAMED.encode()).holders == ()
        assert index.check() == ([], [])


def test_a_renamed_program_is_located_by_its_tokens(here):
    write(here, {"web/ann.py": PROGRAM, "web/e.txt": "other\n" * 30, "new.py": RENAMED})
    run(here, "sweep", "site.sift", "web", "--date", "2026-01-01")
    with copysift.Index("site.sift") as index:
        assert index.seen("new.py").now.uri == "ann.py"
        assert index.seen("new.py", kind="text").now is None


def test_a_renamed_program_is_found_in_a_submission_of_a_sweep(here):
    write(here, {"class/bob/a.py": RENAMED, "class/bob/b.py": "print(1)\n" * 9, "new.py": PROGRAM})
    run(here, "sweep", "class.sift", "class", "--by", "dir", "--date", "2026-01-01")
    with copysift.Index("class.sift") as index:
        assert [each.uri for each in index.copies("new.py").holders] == ["bob"]
