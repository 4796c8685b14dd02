import csv
import io
import json

import pytest

from tests.cli.program import copysift, write
from tests.cli.texts import prose
from tests.sweeps import web
from tests.sweeps.test_sweep import state


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """An index of three sweeps, made by the command."""
    place = tmp_path_factory.mktemp("commands")
    for number, pages in enumerate(web.sweeps()[:3], 1):
        lines = (json.dumps({"uri": uri, "text": text}) for uri, text in pages.items())
        write(place, {f"{number}.jsonl": "\n".join(lines)})
        done = copysift(
            place, "sweep", "x.sift", f"{number}.jsonl", "--date", f"2026-0{number}-01", "--keep-text"
        )
        assert (done.status, done.err) == (0, "")
    write(place, {"news.txt": web.edited(web.NEWS, 0.1, 7), "new.txt": prose(400)})
    return place


def test_sweep_tells_what_it_did(tmp_path):
    write(tmp_path, {"a/x.txt": prose(1), "b/x.txt": prose(2), "b/y.txt": prose(1)})
    done = copysift(tmp_path, "sweep", "x.sift", "a", "--date", "2026-01-01")
    assert done.out == "2026-01-01: 1 document: 1 new, 0 changed, 0 unchanged, 0 gone; 1 sketched\n"
    done = copysift(tmp_path, "sweep", "x.sift", "b", "--date", "2026-01-01T12:00")
    assert (
        done.out == "2026-01-01T12:00:00Z: 2 documents: 1 new, 1 changed, 0 unchanged, 0 gone; 1 sketched\n"
    )
    done = copysift(tmp_path, "sweep", "x.sift", "b", "--date", "2026-01-01T12:00")
    assert done.out == "2026-01-01T12:00:00Z: 2 documents, all as the sweep of that date has them\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["sweep", "x.sift", "1.jsonl"], "a sweep needs a date"),
        (["sweep", "x.sift", "1.jsonl", "--date", "soon"], "--date needs a date, not 'soon'"),
        (["sweep", "x.sift", "2.jsonl", "--date", "2026-01-01"], "there is a sweep of 2026-01-01 already"),
        (["sweep", "x.sift", "none", "--date", "2026-05-01"], "none: there is no such file or folder"),
        (["sweep", "x.sift", "x.sift", "--date", "2026-05-01"], "x.sift has no documents"),
        (["sweep", "x.sift", ".", "--date", "2026-05-01", "--revision", "HEAD"], None),
        (["sweep", "x.sift", "1.jsonl", "--date", "2026-05-01", "--kind", "words"], "x.sift was made with"),
        (["locate", "x.sift", "http://nowhere/"], "http://nowhere/: no sweep has met this address"),
        (["locate", "x.sift", "http://a.example/stay", "--threshold", "10%"], "--threshold is 0.1, but must"),
        (["locate", "none.sift", "a"], "none.sift is not an index"),
        (["history", "x.sift", "a\x1b[31m"], None),
        (["changes", "x.sift", "--from", "2030-01-01"], "there is no sweep between these dates"),
        (["changes", "x.sift", "--format", "moss"], "there is no format 'moss' here"),
        (["holders", "x.sift", "http://nowhere/"], "http://nowhere/: no sweep has met this address"),
        (["index", "add", "x.sift", "news.txt"], "x.sift is an index of sweeps"),
        (["index", "resample", "x.sift", "--resample", "none"], "cannot read the seed file none"),
    ],
)
def test_what_cannot_be_is_a_message_and_changes_nothing(folder, arguments, message):
    before = state(folder / "x.sift")
    done = copysift(folder, *arguments)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(f"copysift: {message}" if message else "copysift: ")
    assert "Traceback" not in done.err
    assert state(folder / "x.sift") == before


def test_locate_prints_places_and_has_a_status(folder):
    done = copysift(folder, "locate", "x.sift", "http://a.example/old/guide")
    assert done.status == 0
    assert done.out == (
        "http://a.example/old/guide: gone since 2026-03-01, and now at\n"
        "  http://a.example/new/guide  (identical, confidence 100%, there since 2026-03-01)\n"
        "addresses\n"
        "  2026-01-01 to 2026-02-01  http://a.example/old/guide\n"
        "  2026-03-01 to now  http://a.example/new/guide\n"
    )
    assert copysift(folder, "locate", "x.sift", "http://a.example/dead").status == 1
    done = copysift(folder, "locate", "x.sift", "new.txt")
    assert (done.status, done.out) == (1, "new.txt: no sweep has seen it\n")
    found = json.loads(copysift(folder, "locate", "x.sift", "news.txt", "--format", "json").out)
    assert (found["status"], found["now"]["uri"]) == ("found", "http://a.example/news")


def test_history_prints_versions_and_changes(folder):
    done = copysift(folder, "history", "x.sift", "http://a.example/edit", "--diff")
    lines = done.out.splitlines()
    assert lines[0] == "http://a.example/edit: 2 versions"
    assert lines[2].split()[:3] == ["2026-01-01", "to", "2026-01-01"]
    assert lines[3].split()[-1] == lines[3].split()[-2]
    assert any(line.startswith("    + ") for line in lines)


def test_changes_come_as_table_json_and_page(folder):
    table = copysift(folder, "changes", "x.sift").out.splitlines()
    assert table[1].split() == ["2026-02-01", "11", "1", "0", "1", "0", "0", "1", "8"]
    content = json.loads(copysift(folder, "changes", "x.sift", "--format", "json").out)
    assert set(content) == {"version", "turns", "resemblances", "lives", "days_lived", "moves"}
    assert copysift(folder, "changes", "x.sift", "-o", "changes.html").status == 0
    page = (folder / "changes.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 2
    assert "<script" not in page
    assert "http://b.example/paper" in page


def test_holders_come_as_table_csv_and_json(folder):
    done = copysift(folder, "holders", "x.sift", "news.txt")
    assert done.status == 0
    assert "a.example\n" in done.out
    assert "(altered, since 2026-01-01)" in done.out
    (row,) = csv.DictReader(
        io.StringIO(copysift(folder, "holders", "x.sift", "news.txt", "--format", "csv").out)
    )
    assert (row["uri"], row["state"], row["new"]) == ("http://a.example/news", "altered", "False")
    done = copysift(folder, "holders", "x.sift", "news.txt", "--watch")
    assert (done.status, done.out) == (1, "news.txt: 0 holders new since 2026-02-01\n")
