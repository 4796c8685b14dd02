"""The law for an index as a source: its documents are read as files are, or from the texts that it keeps."""

from __future__ import annotations

import json
import shutil
import zipfile

import pytest

import copysift
from tests.law.contents import CONTENTS, TEXTS, folder
from tests.law.test_table import cluster, compare, dedup, index, options, query, run, stem, sweep
from tests.sources.samples import docx

COMMANDS = {
    "cluster": cluster, "dedup": dedup, "sweep": sweep, "index": index, "query": query, "compare": compare,
}  # fmt: skip


def index_of(place, kind, *, keep_text=False):
    """Make an index of the documents of a kind."""
    files = folder(place, CONTENTS[kind])
    with copysift.Index(place / "source.sift", kind=kind, keep_text=keep_text) as index:
        index.add([files])
    return place / "source.sift"


def both(place, kind, *, keep_text=False):
    """Make an index of the documents of a kind, and in `less` one without the first of them."""
    less = place / "less"
    less.mkdir()
    (less / "files").mkdir()
    for name, data in list(CONTENTS[kind].items())[1:]:
        (less / "files" / name).write_bytes(data)
    with copysift.Index(less / "source.sift", kind=kind, keep_text=keep_text) as index:
        index.add([less / "files"])
    return index_of(place, kind, keep_text=keep_text)


@pytest.mark.parametrize("kind", CONTENTS)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_finds_the_copy_in_an_index(command, kind, tmp_path, capsys):
    source = both(tmp_path, kind)
    assert COMMANDS[command](capsys, source, tmp_path, kind) == {("a", "b")}


@pytest.mark.parametrize("kind", CONTENTS)
@pytest.mark.parametrize("command", COMMANDS)
def test_kept_texts_are_read_where_the_files_are_gone(command, kind, tmp_path, capsys):
    source = both(tmp_path, kind, keep_text=True)
    shutil.rmtree(tmp_path / "files")
    shutil.rmtree(tmp_path / "less" / "files")
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


def test_an_index_is_compared_with_the_folder_that_it_was_made_of(tmp_path, monkeypatch):
    index_of(tmp_path, "auto", keep_text=True)
    (tmp_path / "files" / "a.txt").write_bytes(TEXTS["a.txt"] + b" and a few words more")
    (tmp_path / "files" / "c.txt").unlink()
    monkeypatch.chdir(tmp_path)
    for sides, gone in (("source.sift", "files"), "gone"), (("files", "source.sift"), "new"):
        found = copysift.compare_folders(*sides)
        relations = {max(each.left or each.right): each.relation for each in found.changes}
        assert relations == {"a.txt": "changed", "b.txt": "same", "c.txt": gone}


def test_base_code_is_ignored_where_an_index_is_compared(tmp_path, monkeypatch):
    index_of(tmp_path, "auto")
    (tmp_path / "files" / "c.txt").write_bytes(TEXTS["c.txt"] + b" and a few words more")
    (tmp_path / "kit.txt").write_bytes(TEXTS["c.txt"])
    monkeypatch.chdir(tmp_path)
    found = copysift.compare_folders("source.sift", "files", base=["kit.txt"])
    assert {"a.txt", "b.txt"} <= {name for each in found.changes for name in (*each.left, *each.right)}


def test_the_sides_of_a_comparison_by_submission_may_be_indexes(tmp_path, monkeypatch):
    index_of(tmp_path, "auto")
    monkeypatch.chdir(tmp_path)
    pair = copysift.compare("source.sift", "files", by="dir")
    assert (pair.left, pair.right, pair.resemblance) == ("source.sift", "files", 1.0)


def test_an_index_is_scanned_with_files_and_other_indexes(tmp_path, monkeypatch):
    index_of(tmp_path, "auto", keep_text=True)
    (tmp_path / "files" / "c.txt").write_bytes(TEXTS["c.txt"] + b" and a few words more")
    (tmp_path / "d.txt").write_bytes(TEXTS["b.txt"] + b" and other words")
    monkeypatch.chdir(tmp_path)
    with copysift.Index("other.sift") as index:
        index.add("d.txt")
    found = copysift.scan(["source.sift", "other.sift", "files"])
    files = ["files/a.txt", "files/b.txt", "files/c.txt"]
    assert [each.name for each in found.documents] == [*files, "source.sift!files/c.txt", "d.txt"]
    pairs = {tuple(sorted((pair.left, pair.right))) for pair in found.pairs}
    assert ("files/c.txt", "source.sift!files/c.txt") in pairs
    assert ("d.txt", "files/b.txt") in pairs
    assert len(pairs) == 4


def test_several_indexes_have_earlier_documents(tmp_path, monkeypatch):
    index_of(tmp_path, "auto")
    (tmp_path / "d.txt").write_bytes(TEXTS["b.txt"] + b" and other words")
    (tmp_path / "new.txt").write_bytes(TEXTS["a.txt"] + b" and words that are new")
    monkeypatch.chdir(tmp_path)
    with copysift.Index("other.sift") as index:
        index.add("d.txt")
    found = copysift.scan("new.txt", earlier=["source.sift", "other.sift"])
    assert {pair.right for pair in found.pairs} == {"files/a.txt", "files/b.txt", "d.txt"}


class TestAddingToAnotherIndex:
    def test_its_files_are_kept_up_to_date_like_others(self, tmp_path, monkeypatch):
        index_of(tmp_path, "auto")
        monkeypatch.chdir(tmp_path)
        with copysift.Index("new.sift") as index:
            assert index.add("source.sift").added == 3
            assert index.add("source.sift").unchanged == 3
            assert index.add("files").unchanged == 3
            (tmp_path / "files" / "c.txt").unlink()
            done = index.update()
            assert (done.unchanged, done.removed) == (2, 1)

    def test_a_kept_text_stays_where_its_file_is_gone(self, tmp_path, monkeypatch):
        index_of(tmp_path, "auto", keep_text=True)
        shutil.rmtree(tmp_path / "files")
        monkeypatch.chdir(tmp_path)
        with copysift.Index("new.sift", keep_text=True) as index:
            index.add("source.sift")
            assert index.update().removed == 0
            assert sorted(each.name for each in index.documents()) == [f"files/{name}" for name in TEXTS]
            assert index.source("files/a.txt") == TEXTS["a.txt"]

    def test_a_kept_text_does_not_replace_the_file_as_it_is_now(self, tmp_path, monkeypatch):
        index_of(tmp_path, "auto", keep_text=True)
        (tmp_path / "files" / "a.txt").write_bytes(TEXTS["c.txt"] + b" a later text")
        monkeypatch.chdir(tmp_path)
        with copysift.Index("new.sift") as index:
            index.add("files")
            done = index.add("source.sift")
            assert [each.name for each in done.skipped] == ["files/a.txt"]
            assert index.source("files/a.txt").endswith(b"a later text")

    def test_its_submissions_come_with_their_authors(self, tmp_path, monkeypatch):
        for name, student in (("a.txt", "ann"), ("b.txt", "bob"), ("c.txt", "bob")):
            (tmp_path / "class" / student).mkdir(parents=True, exist_ok=True)
            (tmp_path / "class" / student / name).write_bytes(TEXTS[name])
        (tmp_path / "who.csv").write_text("name,author\nann,Kim\nbob,Lee\n")
        monkeypatch.chdir(tmp_path)
        with copysift.Index("class.sift", by="dir", metadata="who.csv") as index:
            index.add("class")
        with copysift.Index("years.sift", by="dir") as index:
            index.add("class.sift")
            assert {each.unit for each in index.documents()} == {"class/ann", "class/bob"}
            (pair,) = index.scan(by="dir").pairs
        assert {pair.left, pair.right} == {"class/ann", "class/bob"}
        (tmp_path / "who.csv").write_text("name,author\nann,Kim\nbob,Kim\n")  # whose works are not compared
        with copysift.Index("same.sift", by="dir", metadata="who.csv") as index:
            index.add("class.sift")
            assert not index.scan(by="dir").pairs
        with copysift.Index("one.sift", by="dir") as index:
            index.add("same.sift")
            assert not index.scan(by="dir").pairs

    def test_filters_choose_among_its_documents(self, tmp_path, monkeypatch, capsys):
        index_of(tmp_path, "auto")
        monkeypatch.chdir(tmp_path)
        assert run(capsys, "index", "add", "new.sift", "source.sift", "--exclude", "c.*", "-q")[0] == 0
        with copysift.Index("new.sift") as index:
            assert [each.name for each in index.documents()] == ["files/a.txt", "files/b.txt"]


def left(out):
    return [json.loads(line)["id"] for line in out.read_text().splitlines()]


@pytest.mark.parametrize("against", ["known.sift", "known", "known.jsonl", "RUN"])
def test_what_any_source_has_is_removed(against, tmp_path, monkeypatch, capsys):
    (tmp_path / "known").mkdir()
    (tmp_path / "known" / "x.txt").write_bytes(TEXTS["a.txt"])
    (tmp_path / "known.jsonl").write_text(json.dumps({"id": "x", "text": TEXTS["a.txt"].decode()}) + "\n")
    folder(tmp_path, TEXTS)
    monkeypatch.chdir(tmp_path)
    with copysift.Index("known.sift") as index:
        index.add("known")
    copysift.cluster("known", run="RUN")
    status, _, err = run(capsys, "dedup", "files", "--against", against, "-o", "out.jsonl", "-q")
    assert status == 0, err
    assert left(tmp_path / "out.jsonl") == ["files/c.txt"]
    assert len(copysift.dedup([text.decode() for text in TEXTS.values()], against=against)) == 1
    texts = copysift.dedup([text.decode() for text in TEXTS.values()], against=against, passages="cut")
    assert [len(text) > 20 for text in texts] == [True, True] if len(texts) == 2 else [False, True, True]


def test_a_source_that_has_everything_is_named_in_the_message(tmp_path, monkeypatch, capsys):
    index_of(tmp_path, "auto")
    monkeypatch.chdir(tmp_path)
    words = ["dedup", "files/a.txt", "--against", "source.sift", "--passages", "cut", "-o", "out.jsonl"]
    status, _, err = run(capsys, *words)
    assert status == 2
    assert "nothing would be left: source.sift has the text of every document" in err


REFUSED = {
    "compare a run": (["compare", "RUN", "files"], "is a run, which keeps no texts"),
    "update": (["index", "update", "source.sift", "other.sift"], "does not say what was removed from it"),
    "itself": (["index", "add", "source.sift", "source.sift"], "source.sift is the index itself"),
    "no containers": (["index", "add", "new.sift", "source.sift", "--no-containers"], "is an index, and its"),
    "spark": (
        ["dedup", "files", "--engine", "spark", "--against", "source.sift", "-o", "x.jsonl"],
        "--engine spark takes --against only as a run",
    ),
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
    if case == "update":
        shutil.copytree("source.sift", "other.sift")
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


@pytest.mark.parametrize("kind", ["bytes", "text"])
def test_raw_bytes_of_an_index_are_those_of_its_files(kind, tmp_path):
    """The index has the texts of documents; who compares bytes compares the files."""
    files = tmp_path / "files"
    files.mkdir()
    for name, author in (("a", "Ann"), ("b", "Bob")):
        (files / f"{name}.docx").write_bytes(docx(TEXTS["a.txt"].decode()))
        with zipfile.ZipFile(files / f"{name}.docx", "a") as archive:
            archive.writestr("docProps/core.xml", f"<author>{author}</author>")
    with copysift.Index(tmp_path / "source.sift") as index:
        index.add([files])
    found = []
    for source in (files, tmp_path / "source.sift"):
        result = copysift.cluster(source, kind=kind, threshold=0.2)
        found.append([(pair.equal, pair.resemblance, pair.shared) for pair in result.pairs])
    assert found[0] == found[1]
    assert (found[0][0][1] == 1.0) == (kind == "text")
