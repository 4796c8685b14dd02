"""The law for an index as a source: its documents are read as files are, or from the texts that it keeps."""

from __future__ import annotations

import json
import shutil

import pytest

import copysift
from tests.law.contents import CONTENTS, TEXTS, folder
from tests.law.test_table import cluster, dedup, options, run, stem, sweep

COMMANDS = {"cluster": cluster, "dedup": dedup, "sweep": sweep}


def index_of(place, kind, *, keep_text=False):
    """Make an index of the documents of a kind."""
    files = folder(place, CONTENTS[kind])
    with copysift.Index(place / "source.sift", kind=kind, keep_text=keep_text) as index:
        index.add([files])
    return place / "source.sift"


@pytest.mark.parametrize("kind", CONTENTS)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_finds_the_copy_in_an_index(command, kind, tmp_path, capsys):
    source = index_of(tmp_path, kind)
    assert COMMANDS[command](capsys, source, tmp_path, kind) == {("a", "b")}


@pytest.mark.parametrize("kind", ["auto", "code", "html"])
@pytest.mark.parametrize("command", COMMANDS)
def test_kept_texts_are_read_where_the_files_are_gone(command, kind, tmp_path, capsys):
    source = index_of(tmp_path, kind, keep_text=True)
    shutil.rmtree(tmp_path / "files")
    assert COMMANDS[command](capsys, source, tmp_path, kind) == {("a", "b")}


@pytest.mark.parametrize("kind", ["auto", "code", "bytes"])
def test_an_index_is_asked_about_all_documents_of_another(kind, tmp_path, capsys):
    source = index_of(tmp_path, kind)
    status, out, err = run(capsys, "query", source, source, "--format", "json", *options(kind))
    assert status == 0, err
    pairs = {(stem(hit["left"]), stem(hit["right"])) for hit in json.loads(out)["hits"]}
    assert pairs == {("a", "a"), ("b", "b"), ("c", "c"), ("a", "b"), ("b", "a")}


def test_documents_that_have_neither_file_nor_text_are_named(tmp_path, capsys):
    source = index_of(tmp_path, "auto")
    (tmp_path / "files" / "a.txt").unlink()
    (tmp_path / "files" / "b.txt").write_text("now it has another text")
    status, _, err = run(capsys, "cluster", source, "-o", tmp_path / "run")
    assert status == 3
    assert f"files/a.txt: no such file or folder, and {source} stores no texts" in err
    assert f"files/b.txt: it has changed, and {source} stores no texts" in err
    assert "1 document" in err


def test_filters_choose_among_the_documents_of_an_index(tmp_path, monkeypatch):
    index_of(tmp_path, "auto")
    monkeypatch.chdir(tmp_path)
    names = {}
    for option, glob in (("include", ["a.*"]), ("exclude", ["files/a.*"])):
        found = copysift.cluster("source.sift", run=option, **{option: glob})
        names[option] = [each.name for each in found.documents]
    assert names == {"include": ["files/a.txt"], "exclude": ["files/b.txt", "files/c.txt"]}


def test_the_submissions_of_an_index_are_those_of_a_corpus(tmp_path, monkeypatch, capsys):
    for name, student in (("a.txt", "ann"), ("b.txt", "bob"), ("c.txt", "bob")):
        (tmp_path / "class" / student).mkdir(parents=True, exist_ok=True)
        (tmp_path / "class" / student / name).write_bytes(TEXTS[name])
    monkeypatch.chdir(tmp_path)
    with copysift.Index("class.sift", by="dir") as index:
        index.add("class")
    found = [copysift.cluster(source, by="dir", run=f"run-{source}") for source in ("class", "class.sift")]
    assert [each.name for each in found[0].documents] == ["class/ann", "class/bob"]
    assert found[0].documents == found[1].documents
    assert found[0].pairs == found[1].pairs


@pytest.mark.parametrize("command", ["cluster", "dedup"])
def test_an_index_has_earlier_documents(command, tmp_path, monkeypatch):
    index_of(tmp_path, "auto")
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "d.txt").write_bytes(TEXTS["b.txt"] + b" and a few words more")
    monkeypatch.chdir(tmp_path)
    found = []
    for earlier in ("files", "source.sift"):
        if command == "dedup":
            found.append(copysift.dedup("new", earlier=[earlier]).to_arrow("kept").to_pylist())
        else:
            found.append(copysift.cluster("new", earlier=[earlier], run=f"run-{earlier}").pairs)
            assert found[-1]
    assert found[0] == found[1]


REFUSED = {
    "compare": (["compare", "source.sift", "files"], "is an index, whose documents have no place below it"),
    "index": (["index", "add", "new.sift", "source.sift"], "is an index, and its files are no documents"),
    "scan": (["scan", "files", "source.sift"], "source.sift is an index"),
    "containers": (["cluster", "source.sift", "--no-containers", "-o", "run"], "is an index, and its files"),
    "scan a run": (["scan", "RUN"], "is a run, which keeps no texts: name the files that it was made of"),
    "cluster a run": (["cluster", "RUN", "-o", "run"], "is a run, which keeps no texts"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_makes_no_sense_says_why(case, tmp_path, monkeypatch, capsys):
    index_of(tmp_path, "auto")
    monkeypatch.chdir(tmp_path)
    if "run" in case:
        copysift.cluster("files", run="RUN")
    arguments, message = REFUSED[case]
    status, _, err = run(capsys, *arguments)
    assert status in (2, 3)
    assert message in err


def test_a_run_below_a_folder_is_passed_over(tmp_path, monkeypatch, capsys):
    folder(tmp_path, TEXTS)
    monkeypatch.chdir(tmp_path)
    copysift.cluster("files", run="files/RUN")
    status, out, err = run(capsys, "scan", "files")
    assert (status, err) == (0, "")
    assert "3 files compared" in out


def test_a_server_opens_no_index_that_a_client_sent(tmp_path, monkeypatch, capsys):
    source = index_of(tmp_path, "auto")
    monkeypatch.setattr("copysift.sources.places._forbidden", True)
    status, _, err = run(capsys, "cluster", source, "-o", tmp_path / "run")
    assert status == 2
    assert "is an index, and its files are no documents" in err
