"""Outputs of dedup: compressed, CSV, and Parquet with the schema that it came with."""

import csv
import gzip
import json
from datetime import UTC, datetime

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from copysift.engines.dedup_steps import dedup
from copysift.engines.record_output import name_parts
from copysift.settings.corpus import CorpusSettings
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
    assert [(row["n"], json.loads(row["tags"]), row["other"]) for row in rows] == [
        (str(number), ["a"], "") for number in range(3)
    ]


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
