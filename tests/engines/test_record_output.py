"""Outputs of dedup: compressed, CSV, and Parquet with the schema that it came with."""

import bz2
import csv
import gzip
import io
import json
import lzma
from datetime import UTC, datetime

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from copysift import dedup as copydedup
from copysift.engines.dedup_steps import dedup
from copysift.engines.record_writers import name_parts
from copysift.settings.corpus import CorpusSettings
from copysift.settings.declaration import make
from tests.cli.program import copysift
from tests.corpus.texts import text, write_jsonl

RECORDS = [
    {"id": str(number), "text": text(40, number % 3), "n": number, "tags": ["a"]} for number in range(5)
]


@pytest.mark.parametrize("shards", [1, 2])
@pytest.mark.parametrize("suffix", [".jsonl.gz", ".jsonl.zst", ".csv", ".csv.gz"])
def test_output_is_compressed_as_its_name_says_and_can_be_read_again(tmp_path, suffix, shards):
    source = write_jsonl(tmp_path / "c.jsonl", RECORDS)
    target = tmp_path / f"out{suffix}"
    done = dedup([str(source)], target, CorpusSettings(), shards=shards)
    assert done.kept == 3
    names = [target] if shards == 1 else sorted(tmp_path.glob(f"out-0000?-of-00002{suffix}"))
    assert len(names) == shards
    assert (tmp_path / f"out.removed{suffix}").exists()
    again = dedup([str(name) for name in names], tmp_path / "again.jsonl", CorpusSettings())
    assert (again.kept, again.removed) == (3, 0)
    rows = [json.loads(line) for line in (tmp_path / "again.jsonl").read_text().splitlines()]
    assert [row["text"] for row in rows] == [record["text"] for record in RECORDS[:3]]
    if suffix.endswith(".gz"):
        assert names[0].read_bytes()[:2] == b"\x1f\x8b"


def test_csv_has_a_column_for_each_field_and_json_for_lists(tmp_path):
    source = write_jsonl(tmp_path / "c.jsonl", RECORDS)
    dedup([str(source)], tmp_path / "out.csv.gz", CorpusSettings())
    with gzip.open(tmp_path / "out.csv.gz", "rt", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["n"], json.loads(row["tags"])) for row in rows] == [
        (str(number), ["a"]) for number in range(3)
    ]
    assert list(rows[0]) == ["id", "text", "n", "tags"]


def test_fields_that_come_late_go_to_a_column_of_their_own_in_csv(tmp_path):
    many = [{"id": str(n), "text": f"only {n} here"} for n in range(5000)]
    many[-1]["late"] = "x"
    source = write_jsonl(tmp_path / "c.jsonl", many)
    dedup([str(source)], tmp_path / "out.csv", CorpusSettings())
    with (tmp_path / "out.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 5000
    assert json.loads(rows[-1]["other"]) == {"late": "x"}


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".csv.xz", ".tsv.bz2"])
@pytest.mark.parametrize("count", [3, 5000])
def test_a_table_of_text_keeps_its_columns(tmp_path, suffix, count):
    sign = "\t" if suffix.startswith(".tsv") else ","
    source, target = tmp_path / f"c{suffix[:4]}", tmp_path / f"out{suffix}"
    lines = [f'{n}{sign}"only, {n}\there"{sign}{n % 7}' for n in range(count)]
    source.write_text("\n".join([f"id{sign}text{sign}other", *lines, ""]))
    dedup([str(source)], target, CorpusSettings())
    unpack = {".xz": lzma.decompress, ".bz2": bz2.decompress}.get(target.suffix, bytes)
    text = unpack(target.read_bytes()).decode()
    rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=sign))
    assert rows == [
        ["id", "text", "other"],
        *([str(n), f"only, {n}\there", str(n % 7)] for n in range(count)),
    ]


def test_json_is_written_as_one_array(tmp_path):
    source = write_jsonl(tmp_path / "c.jsonl", RECORDS)
    dedup([str(source)], tmp_path / "out.json", CorpusSettings())
    assert json.loads((tmp_path / "out.json").read_bytes()) == RECORDS[:3]
    dedup([str(tmp_path / "out.json")], tmp_path / "again.json", CorpusSettings())
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "out.json").read_bytes()


def test_standard_output_gets_the_records_and_nothing_else(tmp_path):
    source = write_jsonl(tmp_path / "c.jsonl", RECORDS)
    done = copysift(tmp_path, "dedup", str(source), "-o", "-")
    assert [json.loads(line) for line in done.out.splitlines()] == RECORDS[:3]
    assert "5 documents: 3 kept, 2 removed" in done.err
    assert [path.name for path in tmp_path.iterdir()] == ["c.jsonl"]
    cut = copysift(tmp_path, "dedup", "-", "-o", "-", "--passages", "cut", stdin=source.read_bytes())
    assert [json.loads(line)["id"] for line in cut.out.splitlines()] == ["0", "1", "2"]
    assert [path.name for path in tmp_path.iterdir()] == ["c.jsonl"]


def shards(folder):
    """Make files of every format in a folder and one below it: each has an own text and one that all have."""
    (folder / "b").mkdir(parents=True)

    def of(name):
        return [{"id": f"{name}{n}", "text": text(40, f"{name}{n}"), "n": n} for n in range(2)] + [
            {"id": f"{name} again", "text": text(40, "everywhere"), "n": 9}
        ]

    write_jsonl(folder / "a.jsonl", of("a"))
    with gzip.open(folder / "b" / "a.jsonl.gz", "wt") as file:
        file.writelines(json.dumps(each) + "\n" for each in of("b"))
    (folder / "c.json").write_text(json.dumps(of("c"), indent=1))
    pq.write_table(pa.Table.from_pylist(of("d")).replace_schema_metadata({"k": "v"}), folder / "d.parquet")
    table = pa.Table.from_pylist(of("e"))
    with pa.ipc.new_stream(folder / "e.arrow", table.schema) as stream:
        stream.write_table(table)
    pyarrow.csv.write_csv(pa.Table.from_pylist(of("f")), folder / "f.csv")
    return folder


def test_a_folder_gets_a_file_of_the_same_name_for_every_file(tmp_path):
    source = shards(tmp_path / "in")
    done = copysift(tmp_path, "dedup", "in", "-o", "out/")
    assert "18 documents: 13 kept, 5 removed" in done.out
    made = tmp_path / "out"
    names = sorted(str(path.relative_to(made)) for path in made.rglob("*") if path.is_file())
    assert names == ["a.jsonl", "b/a.jsonl.gz", "c.json", "d.parquet", "e.arrow", "f.csv"]
    assert (made / "a.jsonl").read_bytes() == (source / "a.jsonl").read_bytes()
    with gzip.open(made / "b" / "a.jsonl.gz", "rt") as file:
        assert [json.loads(line)["id"] for line in file] == ["b0", "b1"]
    assert [each["id"] for each in json.loads((made / "c.json").read_bytes())] == ["c0", "c1"]
    assert pq.read_schema(made / "d.parquet").equals(
        pq.read_schema(source / "d.parquet"), check_metadata=True
    )
    assert pa.ipc.open_stream((made / "e.arrow").read_bytes()).read_all()["id"].to_pylist() == ["e0", "e1"]
    assert (made / "f.csv").read_text().splitlines()[0] == "id,text,n"
    removed = [json.loads(line) for line in (tmp_path / "out.removed.jsonl").read_text().splitlines()]
    assert [each["document"] for each in removed] == [f"{name} again" for name in "bcdef"]


def test_files_of_the_same_name_can_be_made_of_a_run_and_with_passages_cut(tmp_path):
    shards(tmp_path / "in")
    copysift(tmp_path, "cluster", "in", "-o", "run")
    (tmp_path / "out").mkdir()
    copysift(tmp_path, "dedup", "--from", "run", "-o", "out", "--passages", "cut")
    found = [json.loads(line)["id"] for line in (tmp_path / "out" / "a.jsonl").read_text().splitlines()]
    assert found == ["a0", "a1", "a again"]
    assert pq.read_table(tmp_path / "out" / "d.parquet")["id"].to_pylist() == ["d0", "d1"]
    assert (tmp_path / "out.passages.jsonl").exists()


def test_a_folder_is_refused_where_it_cannot_have_the_same_names(tmp_path):
    source = shards(tmp_path / "in")
    (tmp_path / "out").mkdir()
    for sources, target, reason in (
        ([source / "a.jsonl", source / "b" / "a.jsonl.gz"], "out", ""),
        ([source], "in", "is one of the sources"),
        ([source / "a.jsonl", tmp_path / "text"], "out", "has no records"),
        ([source / "a.jsonl"], "out", "out/a.jsonl exists already"),
    ):
        (tmp_path / "text").mkdir(exist_ok=True)
        (tmp_path / "text" / "note.md").write_text("a text")
        done = copysift(tmp_path, "dedup", *map(str, sources), "-o", target)
        assert done.status == (2 if reason else 0), done.err
        assert reason in done.err
    (tmp_path / "x").mkdir()
    write_jsonl(tmp_path / "x" / "a.jsonl", RECORDS)
    done = copysift(tmp_path, "dedup", "in/a.jsonl", "x/a.jsonl", "-o", "out", "--overwrite")
    assert done.status == 2
    assert "would be written to one file" in done.err


def test_a_saved_data_set_stays_one(tmp_path):
    folder = tmp_path / "in" / "train"
    folder.mkdir(parents=True)
    table = pa.Table.from_pylist(RECORDS).replace_schema_metadata({"huggingface": "{}"})
    with pa.ipc.new_stream(folder / "data-00000-of-00001.arrow", table.schema) as stream:
        stream.write_table(table)
    state = {"_data_files": [{"filename": "data-00000-of-00001.arrow"}], "_fingerprint": "0123"}
    (folder / "state.json").write_text(json.dumps(state))
    (folder / "dataset_info.json").write_text('{"features": {}}')
    (tmp_path / "in" / "dataset_dict.json").write_text('{"splits": ["train"]}')
    copysift(tmp_path, "dedup", "in", "-o", "out/")
    made = tmp_path / "out" / "train"
    found = pa.ipc.open_stream((made / "data-00000-of-00001.arrow").read_bytes()).read_all()
    assert found.schema.equals(table.schema, check_metadata=True)
    assert found.to_pylist() == RECORDS[:3]
    again = json.loads((made / "state.json").read_bytes())
    assert again["_data_files"] == state["_data_files"]
    assert again["_fingerprint"] != "0123"
    assert (tmp_path / "out" / "dataset_dict.json").exists()


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
def test_passages_are_cut_out_of_fields_inside_of_fields(tmp_path, suffix):
    shared = text(30, "shared")
    said = [{"role": "user", "content": f"{text(9, 1)} {shared}"}, {"role": "bot", "content": None}]
    nested = [
        {"id": "a", "messages": [*said, {"role": "bot", "content": text(50, 2)}]},
        {"id": "b", "messages": [{"role": "user", "content": text(50, 3)}, *said]},
    ]
    source, target = tmp_path / f"c{suffix}", tmp_path / f"out{suffix}"
    if suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(nested), source)
    else:
        write_jsonl(source, nested)
    settings = make(CorpusSettings, {"text_field": "messages[*].content"}, "dedup")
    dedup([str(source)], target, settings, passages="cut")
    made = pq.read_table(target).to_pylist() if suffix == ".parquet" else rows_of(target)
    assert made[0] == nested[0]
    assert [(each["content"] or "").strip() for each in made[1]["messages"]] == [text(50, 3), "", ""]
    left = copydedup([dict(each) for each in nested], passages="cut", text_field="messages[*].content")
    assert left == (rows_of(target) if suffix == ".jsonl" else left)
    if suffix == ".parquet":
        assert pq.read_schema(target).equals(pq.read_schema(source), check_metadata=True)


def rows_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def table() -> pa.Table:
    when = [datetime(2024, 1, 1, tzinfo=UTC)] * 5
    columns = {
        "id": pa.array([record["id"] for record in RECORDS], pa.large_string()),
        "text": pa.array([record["text"] for record in RECORDS]).dictionary_encode(),
        "when": pa.array(when, pa.timestamp("ns", "UTC")),
        "raw": pa.array([b"\xff\x00"] * 5, pa.binary()),
        "meta": pa.array([{"a": 1, "b": [1.5, None]}] * 5),
        "small": pa.array([1, None, 3, 4, 5], pa.int8()),
    }
    made = pa.table(columns)
    schema = made.schema.with_metadata({b"made": b"by hand"})
    return made.replace_schema_metadata(schema.metadata)


@pytest.mark.parametrize("passages", ["", "cut"])
def test_parquet_out_has_the_schema_of_parquet_in(tmp_path, passages):
    given = table()
    null = given.slice(0, 1).set_column(1, "text", pa.array([None], pa.string()).dictionary_encode())
    folder = tmp_path / "shards"
    folder.mkdir()
    pq.write_table(pa.concat_tables([null, given.slice(0, 2)]), folder / "a.parquet")
    pq.write_table(given.slice(2), folder / "b.parquet")
    done = dedup([str(folder)], tmp_path / "out.parquet", CorpusSettings(), passages=passages)
    assert done.kept == 3
    found = pq.read_table(tmp_path / "out.parquet")
    wanted = pq.read_table(folder / "a.parquet").schema
    assert found.schema.equals(wanted, check_metadata=True)
    assert found.cast(given.schema).to_pylist() == given.slice(0, 3).to_pylist()


def test_names_of_outputs_keep_their_whole_suffix(tmp_path):
    assert name_parts(tmp_path / "a.b.jsonl.gz") == ("a.b", ".jsonl.gz")
    assert name_parts(tmp_path / "a.parquet") == ("a", ".parquet")


@pytest.mark.parametrize("codec", ["zstd", "gzip", "none"])
@pytest.mark.parametrize("output", ["out.parquet", "out"])
def test_parquet_out_is_compressed_as_parquet_in(tmp_path, codec, output):
    folder = tmp_path / "shards"
    folder.mkdir()
    nested = pa.array([{"url": "u", "tags": ["a", "b"]}] * 4)
    kinds = dict.fromkeys(("id", "text", "meta.url", "meta.tags.list.element"), codec) | {"text": "snappy"}
    rows = pa.table({"id": list("abcd"), "text": ["one text", "two", "three", "four"], "meta": nested})
    pq.write_table(rows, folder / "a.parquet", compression=kinds)
    if output == "out":
        (tmp_path / output).mkdir()
    dedup([str(folder)], tmp_path / output, CorpusSettings())
    made = tmp_path / output if output != "out" else tmp_path / output / "a.parquet"

    def codecs(path):
        group = pq.read_metadata(path).row_group(0)
        return [group.column(at).compression for at in range(group.num_columns)]

    assert codecs(made) == codecs(folder / "a.parquet")
    assert len(set(codecs(made))) == 2
