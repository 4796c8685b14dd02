"""`copysift browse`, driven by Textual's pilot."""

import asyncio
import csv
import zipfile

import pytest

pytest.importorskip("textual")

from textual.widgets import DataTable, Static

from copysift.cli.browser import Browser
from copysift.settings.comparison import Settings
from copysift.workflows.show import show
from tests.cli.program import copysift, write
from tests.cli.texts import prose

A, B = prose(1, words=200), prose(2, words=200)


def browse(tmp_path, monkeypatch, drive):
    write(tmp_path, {"a.txt": A, "b.txt": A + "more", "c [red].txt": A[:-300], "x.txt": B, "y.txt": B})
    assert copysift(tmp_path, "scan", ".", "--save", "run").status == 0
    monkeypatch.chdir(tmp_path)
    app = Browser(show(tmp_path / "run", Settings()), Settings(), tmp_path / "marked.csv")

    async def run():
        async with app.run_test(size=(140, 40)) as pilot:
            await pilot.pause()
            await drive(app, pilot)

    asyncio.run(run())


def rows(app, name):
    table = app.query_one(name, DataTable)
    return [[str(cell) for cell in table.get_row_at(at)] for at in range(table.row_count)]


def preview(app):
    return str(app.query_one("#preview", Static).render())


def test_groups_pairs_and_passages_are_shown(tmp_path, monkeypatch):
    async def drive(app, pilot):
        assert [row[0] for row in rows(app, "#groups")] == ["3", "2"]
        assert len(rows(app, "#pairs")) == 3
        assert "./c [red].txt" in {row[3] for row in rows(app, "#pairs")}  # not taken for markup
        assert A[:30] in preview(app)
        await pilot.press("down")
        await pilot.pause()
        assert [row[1:] for row in rows(app, "#pairs")] == [["equal", "./x.txt", "./y.txt"]]
        assert B[:30] in preview(app)

    browse(tmp_path, monkeypatch, drive)


def test_marked_pairs_are_exported(tmp_path, monkeypatch):
    async def drive(app, pilot):
        await pilot.press("tab", "down", "space", "e")
        await pilot.pause()
        assert [row[0] for row in rows(app, "#pairs")] == [" ", "●", " "]
        await pilot.press("space", "down", "space", "e")
        await pilot.pause()
        assert [row[0] for row in rows(app, "#pairs")] == [" ", " ", "●"]

    browse(tmp_path, monkeypatch, drive)
    with (tmp_path / "marked.csv").open() as file:
        (found,) = csv.DictReader(file)
    assert found["relation"] == "similar"
    assert {found["left"], found["right"]} < {"./a.txt", "./b.txt", "./c [red].txt"}


def test_enter_goes_to_the_pairs_of_a_group(tmp_path, monkeypatch):
    async def drive(app, pilot):
        await pilot.press("down", "enter", "space", "e")
        await pilot.pause()
        assert app.focused.id == "pairs"
        assert {each.message for each in app._notifications} == {f"1 pair written to {app.output}"}

    browse(tmp_path, monkeypatch, drive)


def test_a_file_that_is_gone_is_named_and_nothing_stops(tmp_path, monkeypatch):
    async def drive(app, pilot):
        (tmp_path / "x.txt").unlink()
        await pilot.press("down")
        await pilot.pause()
        assert "Cannot be shown" in preview(app)

    browse(tmp_path, monkeypatch, drive)


def test_the_passages_of_members_of_archives_are_shown(tmp_path, monkeypatch):
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr("p.txt", A)
        archive.writestr("q.txt", A + "more")

    async def drive(app, pilot):
        inside = [at for at, pair in enumerate(app.listed) if "x.zip!" in pair.left + pair.right]
        app.query_one("#pairs", DataTable).move_cursor(row=inside[-1])
        await pilot.pause()
        assert "Cannot be shown" not in preview(app)
        assert A[:30] in preview(app)

    browse(tmp_path, monkeypatch, drive)


def test_without_a_terminal_nothing_waits_for_keys(tmp_path):
    """An input that has ended was read again and again, for ever."""
    write(tmp_path, {"a.txt": A, "b.txt": A})
    assert copysift(tmp_path, "scan", ".", "--save", "run").status == 0
    done = copysift(tmp_path, "browse", "run", timeout=100)
    assert (done.status, done.out) == (2, "")
    assert "browse needs a terminal" in done.err
