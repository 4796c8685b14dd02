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
    write(place, {"bad.jsonl": '{"text": "a"}\n{"uri": "b"}\n'})
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
    assert done.out == "2026-01-01T12:00:00Z: 2 documents, identical to the sweep of that date\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["sweep", "x.sift", "1.jsonl"], "a sweep needs a date"),
        (["sweep", "x.sift", "1.jsonl", "--date", "soon"], "--date needs a date, not 'soon'"),
        (["changes", "x.sift", "--since", "soon"], "--since needs a date, not 'soon'"),
        (["changes", "x.sift", "--until", "soon"], "--until needs a date, not 'soon'"),
        (["copies", "x.sift", "new.txt", "--threshold", "much"], "--threshold needs a share, not 'much'"),
        (["sweep", "x.sift", "2.jsonl", "--date", "2026-01-01"], "there is a sweep of 2026-01-01 already"),
        (["sweep", "x.sift", "none", "--date", "2026-05-01"], "none: no such file or folder"),
        (
            ["sweep", "x.sift", "x.sift", "--date", "2026-05-01"],
            "x.sift is the index that the sweep goes into",
        ),
        (["sweep", "x.sift", ".", "--date", "2026-05-01", "--revision", "HEAD"], None),
        (["sweep", "x.sift", "1.jsonl", "--date", "2026-05-01", "--kind", "words"], "x.sift was created"),
        (["locate", "x.sift", "http://nowhere/"], "http://nowhere/: address never seen"),
        (
            ["locate", "x.sift", "http://a.example/stay", "--threshold", "10%"],
            "--threshold is 10%, but the index stores",
        ),
        (["locate", "none.sift", "a"], "none.sift is not an index"),
        (["sweep", "x.sift", "1.jsonl", "--revision", "HEAD"], "1.jsonl is not a folder"),
        (
            ["sweep", "x.sift", "bad.jsonl", "--date", "2026-05-01"],
            "bad.jsonl has no documents that can be read: bad.jsonl:1 has no field 'uri', and 1 more",
        ),
        (["history", "x.sift", "a\x1b[31m"], None),
        (["changes", "x.sift", "--since", "2030-01-01"], "no sweep between these dates"),
        (["changes", "x.sift", "--format", "moss"], "changes has no format 'moss'"),
        (["copies", "x.sift", "http://nowhere/"], "http://nowhere/: address never seen"),
        (["index", "add", "x.sift", "news.txt"], "x.sift is an index of sweeps: only dated sweeps change"),
        (["index", "resample", "x.sift", "--new-seed-file", "none"], "cannot read the seed file none"),
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
    assert next(line for line in lines if line.startswith("  2026-02")).split()[:3] == [
        "2026-02-01",
        "to",
        "now",
    ]
    assert any(line.startswith("    + ") for line in lines)


def test_changes_come_as_table_json_and_page(folder):
    table = copysift(folder, "changes", "x.sift").out.splitlines()
    assert table[1].split() == ["2026-02-01", "11", "1", "0", "1", "0", "0", "1", "8"]
    content = json.loads(copysift(folder, "changes", "x.sift", "--format", "json").out)
    assert set(content) == {"version", "turns", "resemblances", "lives", "days_lived", "moves"}
    assert copysift(folder, "changes", "x.sift", "-o", "changes.html").status == 0
    page = (folder / "changes.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 2
    assert "prefers-color-scheme: dark" in page
    assert "<script" not in page
    assert "http://b.example/paper" in page


def test_holders_come_as_table_csv_and_json(folder):
    done = copysift(folder, "copies", "x.sift", "news.txt")
    assert done.status == 0
    assert "a.example\n" in done.out
    assert "(altered, since 2026-01-01)" in done.out
    (row,) = csv.DictReader(
        io.StringIO(copysift(folder, "copies", "x.sift", "news.txt", "--format", "csv").out)
    )
    assert (row["uri"], row["state"], row["new"]) == ("http://a.example/news", "altered", "False")
    done = copysift(folder, "copies", "x.sift", "news.txt", "--watch")
    assert (done.status, done.out) == (1, "news.txt: 0 holders new or changed since 2026-02-01\n")


def test_those_who_hold_it_no_more_are_told_with_both_dates(tmp_path):
    write(tmp_path, {"1/o.txt": web.ONE, "1/x/a.txt": web.ONE, "2/o.txt": web.ONE, "3/o.txt": web.ONE})
    for number, date in enumerate(("2026-01-01", "2026-02-01"), 1):
        copysift(tmp_path, "sweep", "x.sift", str(number), "--date", date)
    done = copysift(tmp_path, "copies", "x.sift", "1/o.txt")
    assert done.out.splitlines()[2:] == [
        "copies that are gone",
        "  x/a.txt  (gone since 2026-02-01, last seen on 2026-01-01)",
    ]
    (row,) = csv.DictReader(
        io.StringIO(copysift(tmp_path, "copies", "x.sift", "1/o.txt", "--format", "csv").out)
    )
    told = [row[name] for name in ("group", "uri", "state", "gone_since", "last_seen")]
    assert told == ["x/", "x/a.txt", "gone", "2026-02-01", "2026-01-01"]
    copysift(tmp_path, "sweep", "x.sift", "3", "--date", "2026-03-01")
    assert "no more" not in copysift(tmp_path, "copies", "x.sift", "1/o.txt").out


def test_the_numbers_of_an_index_are_those_of_all_its_sweeps(folder):
    lines = copysift(folder, "index", "info", "x.sift").out.splitlines()
    assert lines[:3] == [
        "sweeps        3, 2026-01-01 to 2026-03-01",
        "documents     10 in the newest",
        "contents      13 in all sweeps",
    ]
    numbers = json.loads(copysift(folder, "index", "info", "x.sift", "--format", "json").out)
    every = {text for pages in web.sweeps()[:3] for text in pages.values()}
    assert numbers["contents_bytes"] == sum(len(text) for text in every)
    stored = numbers["postings_bytes"] + numbers["catalog_bytes"]
    assert f"share         {stored / numbers['contents_bytes']:.1%} of the text" in lines
    assert f"fingerprints  {numbers['postings']:,}" in lines


@pytest.mark.parametrize(
    ("command", "formats"),
    [
        ("locate", "json table"),
        ("history", "json table"),
        ("holders", "csv json table"),
        ("changes", "html json table"),
    ],
)
def test_the_help_names_the_formats_that_a_command_takes(folder, command, formats):
    told = copysift(folder, command, "--help").out
    line = next(line for line in told.splitlines() if "--format" in line)
    assert {name for name in ("table", "json", "csv", "html", "sif", "moss") if name in line} == set(
        formats.split()
    )
    what = {
        "changes": [],
        "locate": ["http://a.example/stay"],
        "history": ["http://a.example/stay"],
        "holders": ["news.txt"],
    }
    for name in formats.split():
        assert copysift(folder, command, "x.sift", *what[command], "--format", name).status == 0


def test_the_old_name_of_copies_and_its_options_work_and_print_a_note(folder):
    done = copysift(folder, "holders", "x.sift", "news.txt", "--by", "folder")
    assert done.err == "copysift: holders is now copies\ncopysift: --by is now --group-by\n"
    assert done.out == copysift(folder, "copies", "x.sift", "news.txt", "--group-by", "folder").out
    done = copysift(folder, "changes", "x.sift", "--from", "2026-02-01")
    assert done.err == "copysift: --from is now --since\n"
    assert done.out == copysift(folder, "changes", "x.sift", "--since", "2026-02-01").out


def test_history_can_be_limited_to_some_sweeps(folder):
    asked = ("history", "x.sift", "http://a.example/edit", "--format", "json")
    every = json.loads(copysift(folder, *asked).out)["versions"]
    assert len(every) == 2
    late = json.loads(copysift(folder, *asked, "--since", "2026-02-01").out)["versions"]
    assert [each["checksum"] for each in late] == [every[1]["checksum"]]
    early = json.loads(copysift(folder, *asked, "--until", "2026-01-15").out)["versions"]
    assert [each["checksum"] for each in early] == [every[0]["checksum"]]
    assert copysift(folder, *asked, "--since", "2030-01-01").status == 2
