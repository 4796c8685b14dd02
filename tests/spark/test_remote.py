"""Sources named by URIs: the answer of the local engine to the same files, whoever reads them."""

import gzip
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

pytest.importorskip("pyspark", reason="pyspark is not installed: pip install 'copysift[spark]'")

from copysift.cli.main import main
from copysift.engines.spark.streams import Lines, splits
from copysift.errors import InputError, UsageError
from tests.corpus.test_sources import warc
from tests.corpus.texts import mixed, rows, run, text, write_jsonl
from tests.spark.test_runs import TABLES, spark_run


def at(path):
    return f"file://{path}"


def plainly(value):
    """Give an answer with paths instead of addresses."""
    return json.loads(json.dumps(value).replace("file:///", "/"))


def told(path):
    found = json.loads((path / "run.json").read_text())
    return {name: found[name] for name in ("counts", "reasons", "skipped")}


def compared(names, tmp_path, addresses=None, **settings):
    run([str(name) for name in names], tmp_path / "local", **settings)
    spark_run(addresses or [at(name) for name in names], tmp_path / "run", **settings)
    for name in TABLES:
        assert plainly(rows(tmp_path / "run", name)) == rows(tmp_path / "local", name)
    assert plainly(told(tmp_path / "run")) == told(tmp_path / "local")
    return told(tmp_path / "local")


def broken(tmp_path, name):
    """Lines with records that are left out, renamed or named by their line."""
    records = mixed(50, seed=21)
    records[7]["id"] = records[3]["id"]
    del records[30]["id"]
    source = write_jsonl(tmp_path / name, records)
    good = source.read_bytes().splitlines(keepends=True)
    good[10:10] = [b"broken\n", b'{"id": "no text"}\n', b"\n", b'{"id": "bad \xff", "text": "a b c"}\n']
    source.write_bytes(b"".join(good) + b'{"id": "cut')
    return source


@pytest.mark.slow
def test_json_lines_text_and_warc_are_read_as_by_the_local_engine(spark, tmp_path, monkeypatch):
    pytest.importorskip("fastwarc")
    monkeypatch.setattr("copysift.engines.spark.remote.SPLIT", 20_000)
    first = broken(tmp_path, "a b%41.jsonl")
    packed = tmp_path / "packed.jsonl.gz"
    packed.write_bytes(gzip.compress(first.read_bytes()[:60_000].rpartition(b"\n")[0] + b"\n"))
    lines = tmp_path / "lines.txt"
    lines.write_bytes("".join(text(40, n % 9) + "\n" * (1 + n % 2) for n in range(60)).encode() + b"\xfe end")
    crawl = tmp_path / "c.warc.gz"
    crawl.write_bytes(warc(6)[:-20])
    answer = compared([first, packed, lines, crawl], tmp_path)
    assert {reason.split(":")[0] for reason in answer["reasons"]} >= {"broken JSON", "has no field 'text'"}
    assert any("and the file ends in it" in reason for reason in answer["reasons"])
    assert answer["counts"]["documents"] > 100


@pytest.mark.slow
def test_tables_zstandard_and_folders_are_read_as_by_the_local_engine(spark, tmp_path, monkeypatch):
    monkeypatch.setattr("copysift.engines.spark.listings.LARGE", 100)
    records = [record | {"path": "x", "key": n} for n, record in enumerate(mixed(40, seed=23))]
    records[5]["text"] = None
    del records[6]["id"]
    table = tmp_path / "t.parquet"
    pq.write_table(pa.Table.from_pylist(records), table, row_group_size=7)
    folder = tmp_path / "folder"
    folder.mkdir()
    one = write_jsonl(folder / "1.jsonl", records[:9])
    packed = folder / "2.jsonl.zst"
    with pa.CompressedOutputStream(str(packed), "zstd") as file:
        file.write("".join(json.dumps(record) + "\n" for record in records[9:20]).encode())
    (folder / "3.csv").write_text('id,text\nx,"two\nlines of ""text"""\ny\n')
    (folder / "_SUCCESS").write_text("")
    names = [table, one, packed, folder / "3.csv"]
    if pytest.importorskip("fastwarc"):
        (folder / "4.warc.gz").write_bytes(warc(5))
        names.append(folder / "4.warc.gz")
    answer = compared(names, tmp_path, [at(table), at(folder)])
    assert answer["reasons"]["has 1 fields instead of 2"] == 1


@pytest.mark.slow
def test_dedup_of_addresses_writes_the_files_of_the_local_engine(spark, tmp_path, monkeypatch):
    monkeypatch.setattr("copysift.engines.spark.remote.SPLIT", 20_000)
    monkeypatch.setattr("copysift.engines.spark.limits.SENT", 0)
    source = broken(tmp_path, "c.jsonl")
    shards = ["--shards", "2", "-q", "-o"]
    assert main(["dedup", str(source), *shards, str(tmp_path / "here.jsonl")]) == 3
    there = ["dedup", at(source), "--engine", "spark", *shards, str(tmp_path / "there.jsonl")]
    assert main(there) == 3
    for name in ("-00000-of-00002", "-00001-of-00002", ".removed"):
        here, other = (tmp_path / f"{stem}{name}.jsonl" for stem in ("here", "there"))
        assert other.read_text().replace("file:///", "/") == here.read_text()


def test_what_no_reader_knows_is_refused_by_name(spark, tmp_path):
    (tmp_path / "notes.md").write_text("x")
    with pytest.raises(UsageError, match=r"no format for file:.*notes\.md"):
        spark_run([at(tmp_path / "notes.md")], tmp_path / "run")
    with pytest.raises(InputError, match="no such file"):
        spark_run([at(tmp_path / "none.jsonl")], tmp_path / "run")
    (tmp_path / "x.jsonl").write_text('{"id": 1, "text": "x"}\n')
    with pytest.raises(UsageError, match="do not go together"):
        spark_run([at(tmp_path / "x.jsonl"), str(tmp_path / "x.jsonl")], tmp_path / "run")


@pytest.mark.parametrize("room", [1, 4, 100])
def test_lines_come_back_as_the_stream_that_they_were(room):
    def batch(key, *lines):
        return pa.RecordBatch.from_pydict({"__key": [key] * len(lines), "value": list(lines)})

    given = [batch(1, "one", ""), batch(1, "two"), batch(2), batch(2, "three"), batch(3, "", "four")]
    given[3] = pa.Table.from_batches([given[3], given[4]]).combine_chunks().to_batches()[0]
    found = {}
    for key, some in splits(iter(given[:4])):
        stream, buffer, held = Lines(some, open_end=key == 3), bytearray(room), b""
        while got := stream.readinto(memoryview(buffer)):
            held += buffer[:got]
        found[key] = held
    assert found == {1: b"one\n\ntwo\n", 2: b"three\n", 3: b"\nfour"}
