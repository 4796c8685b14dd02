"""A file of records gives its records in every command; a folder of such files is one corpus."""

import json
import os
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import copysift
from copysift.sources.inputs import Inputs
from copysift.sources.source import Reading
from tests.cli.program import copysift as run
from tests.cli.texts import prose

OLD = time.time() - 100
NOTE = "read as 4 record files with 20 records; --records no reads them as 4 texts"


def records():
    return [{"id": f"r{n}", "text": prose(n // 2) + f" number {n}"} for n in range(20)]


def jsonl(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    os.utime(path, (OLD, OLD))


def shards(folder, form="jsonl"):
    folder.mkdir()
    rows = records()
    for number in range(4):
        part = rows[5 * number : 5 * number + 5]
        if form == "jsonl":
            jsonl(folder / f"part-{number}.jsonl", part)
        else:
            pq.write_table(pa.Table.from_pylist(part), folder / f"part-{number}.parquet")
    (folder / "_SUCCESS").touch()
    (folder / "_metadata").write_text("not a document")
    (folder / ".part-0.jsonl.crc").write_bytes(b"crc")


def scanned(folder, *arguments):
    return json.loads(run(folder, "scan", *arguments, "--format", "json").out)


def test_scan_and_index_see_the_same_records(tmp_path):
    jsonl(tmp_path / "c.jsonl", records())
    content = scanned(tmp_path, "c.jsonl")
    assert [each["name"] for each in content["documents"]] == [f"r{n}" for n in range(20)]
    assert {each["read_as"] for each in content["documents"]} == {"record of JSON lines"}
    assert run(tmp_path, "index", "add", "i.sift", "c.jsonl").out == "20 added, 0 changed, 0 unchanged\n"
    with copysift.Index(tmp_path / "i.sift") as index:
        assert {each.name.rpartition("!")[2] for each in index.documents()} == {f"r{n}" for n in range(20)}


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_a_folder_of_record_files_is_one_corpus_in_every_command(tmp_path, form):
    shards(tmp_path / "in", form)
    done = run(tmp_path, "scan", "in", "--format", "json", "--hidden")
    assert NOTE in done.err
    assert len(json.loads(done.out)["documents"]) == 20
    done = run(tmp_path, "index", "add", "i.sift", "in")
    assert (done.out, NOTE in done.err) == ("20 added, 0 changed, 0 unchanged\n", True)
    done = run(tmp_path, "cluster", "in", "-o", "run", "--hidden")
    assert done.status == 0
    assert NOTE in done.err
    assert "20 documents, 10 clusters with 20 of them" in done.err
    done = run(tmp_path, "dedup", "in", "-o", "out.jsonl")
    assert (done.status, NOTE in done.err) == (0, True)
    assert len((tmp_path / "out.jsonl").read_text().splitlines()) == 10
    done = run(tmp_path, "sweep", "s.sift", "in", "--date", "2026-01-01")
    assert "20 documents: 20 new" in done.out
    done = run(tmp_path, "query", "i.sift", "in", "--format", "json")
    assert len(json.loads(done.out)["queries"]) == 20


def test_records_no_reads_record_files_as_texts(tmp_path):
    shards(tmp_path / "in")
    (tmp_path / "in/_metadata").unlink()
    (tmp_path / "in/_SUCCESS").unlink()
    assert len(scanned(tmp_path, "in", "--records", "no")["documents"]) == 4
    assert run(tmp_path, "index", "add", "i.sift", "in", "--records", "no").out.startswith("4 added")
    assert "4 documents" in run(tmp_path, "cluster", "in", "--records", "no", "-o", "run").err


def test_records_yes_reads_tables_and_lines_as_records(tmp_path):
    (tmp_path / "a.txt").write_text("".join(" ".join(prose(n).split()) + "\n" for n in range(3)))
    assert len(scanned(tmp_path, "a.txt")["documents"]) == 1
    assert len(scanned(tmp_path, "a.txt", "--records", "yes")["documents"]) == 3


def test_a_table_with_a_column_of_texts_is_records_whatever_the_command(tmp_path):
    (tmp_path / "in").mkdir()
    rows = "".join(f"{n},{prose(n // 2)}\n" for n in range(4))
    (tmp_path / "in/t.csv").write_text(f"id,text\n{rows}")
    (tmp_path / "in/other.csv").write_text("a,b\n1,2\n")
    assert len(scanned(tmp_path, "in")["documents"]) == 5
    assert "5 documents" in run(tmp_path, "cluster", "in", "-o", "run").err


def test_json_lines_without_a_text_are_one_text(tmp_path):
    jsonl(tmp_path / "in/log.jsonl", [{"level": "info", "message": prose(n)} for n in range(5)])
    content = scanned(tmp_path, "in")
    assert [each["name"] for each in content["documents"]] == ["in/log.jsonl"]
    assert content["skipped"] == []


def test_underscores_are_ordinary_names_beside_other_files(tmp_path):
    for name in ("pkg/__init__.py", "pkg/_private.py", "pkg/data.jsonl"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(json.dumps({"id": "x", "text": prose(1)}))
    names = {each["name"] for each in scanned(tmp_path, "pkg")["documents"]}
    assert names == {"pkg/__init__.py", "pkg/_private.py", "pkg/data.jsonl!x"}


def test_an_unchanged_file_of_records_is_not_opened_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    jsonl(tmp_path / "in/c.jsonl", records())
    with copysift.Index("i.sift") as index:
        assert index.add("in").added == 20
        monkeypatch.setattr(Inputs, "members", None)  # whoever opens it fails
        done = index.update()
        assert (done.unchanged, done.changed, done.removed) == (20, 0, 0)
        assert index.add("in").unchanged == 20


def test_records_that_disappeared_are_removed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    jsonl(tmp_path / "in/c.jsonl", records())
    with copysift.Index("i.sift") as index:
        index.add("in")
        jsonl(tmp_path / "in/c.jsonl", [*records()[:15], {"id": "new", "text": prose(99)}])
        os.utime("in/c.jsonl", (OLD + 1, OLD + 1))
        done = index.update()
        assert (done.added, done.unchanged, done.removed) == (1, 15, 5)
        names = {each.name for each in index.documents()}
        assert names == {"in/c.jsonl!new"} | {f"in/c.jsonl!r{n}" for n in range(15)}
        Path("in/c.jsonl").unlink()
        assert index.update().removed == 16
        assert list(index.documents()) == []


def test_removed_records_come_back_with_the_next_add(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    jsonl(tmp_path / "c.jsonl", records())
    with copysift.Index("i.sift") as index:
        index.add("c.jsonl")
        assert index.remove("c.jsonl") == 20
        assert index.add("c.jsonl").added == 20


def test_a_file_that_cannot_be_read_to_its_end_takes_nothing_out_of_an_index(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    jsonl(tmp_path / "c.jsonl", records())
    with copysift.Index("i.sift") as index:
        index.add("c.jsonl")
        content = Path("c.jsonl").read_bytes()
        Path("c.jsonl").write_bytes(content[: len(content) // 2])
        done = index.update()
        assert done.removed == 0
        assert [each.code for each in done.skipped] == ["cut"]
        assert len(list(index.documents())) == 20


def test_the_text_of_a_record_is_found_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    jsonl(tmp_path / "c.jsonl", records())
    with copysift.Index("i.sift") as index:
        index.add("c.jsonl")
        assert index.source("c.jsonl!r7").decode() == records()[7]["text"]
        hits = list(index.query("c.jsonl", passages=True, threshold=0.9, limit=1))
        assert len(hits) == 20
        assert all(hit.regions for hit in hits)


def test_a_language_and_a_file_name_of_a_record_are_hints(tmp_path):
    rows = [
        {"id": "a", "text": "x = 1", "language": "python"},
        {"id": "b", "text": "int x;", "path": "src/x.c"},
        {"id": "c", "text": "plain"},
    ]
    jsonl(tmp_path / "c.jsonl", rows)
    found = list(Inputs(Reading()).documents([tmp_path / "c.jsonl"]))
    assert [(each.hint.language, each.hint.file) for each in found] == [
        ("python", ""),
        ("", "src/x.c"),
        ("", ""),
    ]


@pytest.mark.parametrize("form", ["file", "stream"])
def test_an_arrow_table_of_anybody_gives_its_records(tmp_path, form):
    table = pa.Table.from_pylist([{"name": "n1", "body": prose(1)}, {"name": "n2", "body": prose(1)}])
    path = tmp_path / "t.arrow"
    make = pa.ipc.new_file if form == "file" else pa.ipc.new_stream
    with pa.OSFile(str(path), "wb") as sink, make(sink, table.schema) as writer:
        writer.write_table(table)
    asked = ("scan", "t.arrow", "--format", "json", "--id-field", "name", "--text-field", "body")
    assert [each["members"] for each in json.loads(run(tmp_path, *asked).out)["equal"]] == [["n1", "n2"]]
    refused = run(tmp_path, "scan", "t.arrow")
    assert (refused.status, "t.arrow has no column 'text'" in refused.err) == (2, True)


def test_an_arrow_file_is_known_by_its_content_and_a_cut_one_is_named(tmp_path):
    table = pa.Table.from_pylist([{"id": f"r{n}", "text": prose(n)} for n in range(3)])
    with pa.OSFile(str(tmp_path / "whole"), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    found = json.loads(run(tmp_path, "scan", "whole", "--format", "json").out)
    assert [each["name"] for each in found["documents"]] == ["r0", "r1", "r2"]
    (tmp_path / "cut").write_bytes((tmp_path / "whole").read_bytes()[:-200])
    done = run(tmp_path, "scan", "cut")
    assert (done.status, "cut is not an Arrow file or stream" in done.err) == (2, True)


def test_two_files_of_records_are_compared_record_by_record(tmp_path):
    jsonl(tmp_path / "old.jsonl", [{"id": "a", "text": prose(1)}, {"id": "b", "text": prose(2)}])
    jsonl(tmp_path / "new.jsonl", [{"id": "x", "text": prose(1)}, {"id": "b", "text": prose(2) + " more"}])
    found = json.loads(run(tmp_path, "compare", "old.jsonl", "new.jsonl", "--format", "json").out)
    assert found["equal"] == [{"left": "a", "right": "x"}]
    assert [(each["left"], each["right"]) for each in found["similar"]] == [("b", "b")]
    side = json.loads(
        run(tmp_path, "compare", "old.jsonl", "new.jsonl", "--records", "no", "--format", "json").out
    )
    assert [each["name"] for each in side["documents"]] == ["old.jsonl", "new.jsonl"]


def test_records_are_called_records(here):
    (here / "r.jsonl").write_text(
        "".join(json.dumps({"id": str(at), "text": "a text " * 20}) + "\n" for at in (1, 2))
    )
    done = run(here, "scan", "r.jsonl")
    assert "Equal records: 1 set" in done.out
    assert "2 records compared" in done.out
    assert run(here, "scan", "r.jsonl", "-o", "x.html").err.startswith(
        "copysift: 1 equal set, 0 similar pairs of 2 records"
    )
    page = (here / "x.html").read_text()
    assert ">Equal records</a>" in page
    assert ">Equal files</a>" not in page
