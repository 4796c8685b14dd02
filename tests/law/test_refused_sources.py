"""The law for sources that a command cannot take: it says why, and leaves nothing behind."""

from __future__ import annotations

import json

import pytest

import copysift
from tests.law.contents import TEXTS, folder
from tests.law.test_table import run

A_RUN = "RUN: is a run, which keeps no texts: name the files that it was made of, or query it"
INPUT = "-: is standard input, which only cluster, dedup, sweep and query read: save it to a file"
REFUSED = {
    "scan RUN": A_RUN,
    "index add new.sift RUN": A_RUN,
    "query i.sift RUN": A_RUN,
    "compare RUN files": A_RUN,
    "cluster RUN -o new": f"nothing could be read: {A_RUN.replace(': is', ' is')}",
    "sweep new.sift RUN --date 2026-01-01": A_RUN,
    "scan files --earlier RUN": f"--earlier {A_RUN}",
    "scan -": INPUT,
    "index add new.sift -": INPUT,
    "compare - files/a.txt": INPUT,
    "order -": INPUT,
    "copies s.sift -": INPUT,
    "locate s.sift -": INPUT,
    "scan files --earlier -": f"--earlier {INPUT}",
    "order file://HERE/files": "is a URI, and an archiver reads files of this machine",
    "check file://HERE/files --earlier files": "is a URI, and check reads files of this machine",
    "check i.sift --earlier files": "i.sift is an index, and check reads files as they are",
    "check RUN --earlier files": "RUN is a run, and check reads files as they are",
    "dedup files --against SCAN -o new.jsonl": "SCAN was not made by copysift cluster",
    "query RUN files --base files/a.txt": "--base has no effect on a run, which reads and measures as it did",
    "scan i.sift --language python": "i.sift was created with --language none; you gave --language python",
    "copies s.sift nothing.txt": "nothing.txt: no such file, and no sweep has seen this address",
    "locate s.sift nothing.txt": "nothing.txt: no such file, and no sweep has seen this address",
    "copies s.sift http://nowhere/": "http://nowhere/: address never seen",
    "copies s.sift files": "files is a folder",
    "locate s.sift files": "files is a folder",
}


@pytest.fixture
def place(tmp_path, monkeypatch, capsys):
    folder(tmp_path, TEXTS)
    monkeypatch.chdir(tmp_path)
    with copysift.Index("i.sift") as index:
        index.add("files")
    with copysift.Index("s.sift", keep_text=True) as index:
        index.sweep("files", date="2026-01-01")
    copysift.cluster("files", run="RUN")
    run(capsys, "scan", "files", "--save", "SCAN", "-q")
    return tmp_path


@pytest.mark.parametrize("command", REFUSED)
def test_what_makes_no_sense_says_why(command, place, capsys):
    before = sorted(each.name for each in place.iterdir())
    status, out, err = run(capsys, *command.replace("HERE", str(place)).split())
    assert (status, out) == (2, "")
    assert REFUSED[command] in err
    assert sorted(each.name for each in place.iterdir()) == before


@pytest.mark.parametrize("source", ["files", "i.sift", "file://HERE/files"])
def test_a_run_is_asked_about_all_documents_of_a_source(source, place, capsys):
    status, out, err = run(capsys, "query", "RUN", source.replace("HERE", str(place)), "--format", "json")
    assert status == 0, err
    pairs = {(hit["left"][-5:], hit["right"][-5:]) for hit in json.loads(out)["hits"]}
    assert pairs == {
        (left, right) for left, right in [("a.txt", "b.txt"), ("b.txt", "a.txt")] + [(n, n) for n in TEXTS]
    }


def test_a_folder_that_is_a_submission_of_a_run_is_asked_for_by_its_id(place, capsys):
    for student, name in (("ann", "a.txt"), ("bob", "b.txt")):
        (place / "class" / student).mkdir(parents=True)
        (place / "class" / student / name).write_bytes(TEXTS[name])
    copysift.cluster("class", by="dir", run="BY")
    status, out, _ = run(capsys, "query", "BY", "class/ann", "--format", "json")
    found = json.loads(out)
    assert (status, [each["name"] for each in found["queries"]]) == (0, ["class/ann"])


def test_a_file_uri_is_looked_up_in_sweeps(place, capsys):
    for command in ("copies", "locate"):
        status, out, err = run(capsys, command, "s.sift", f"file://{place}/files/a.txt", "--format", "json")
        assert status == 0, err
        assert "b.txt" in out
