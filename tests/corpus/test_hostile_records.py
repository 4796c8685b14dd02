"""Records that were made to stop a corpus: each is one named skip, and the others are compared."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest

from copysift.model.values import Skipped
from copysift.sources import csv_rows, delimited
from copysift.sources.fields import Fields
from copysift.sources.record_files import open_source
from copysift.sources.records import DEEPEST, TOO_DEEP
from copysift.sources.walk import WalkSettings
from tests.cli.program import copysift
from tests.corpus.texts import text

# How deep libraries go differs: orjson writes 254 and reads 1,024, json both up to some 980
DEPTHS = (DEEPEST, 253, 255, 900, 990, 1000, 1023, 1025, 100_000)


def nested(depth: int) -> str:
    """Give JSON with as many levels; a record that has it in a field has one more."""
    return "[" * depth + "]" * depth


@pytest.fixture
def deep(tmp_path: Path) -> Path:
    """Give a corpus of two copies, and records of all depths around them."""
    path = tmp_path / "c.jsonl"
    lines = [json.dumps({"id": each, "text": text(60, 0), "score": at}) for at, each in enumerate("ab")]
    deep = [f'{{"id": "d{depth}", "text": "{text(60, 1)}", "x": {nested(depth)}}}' for depth in DEPTHS]
    path.write_text("\n".join([lines[0], *deep, lines[1]]) + "\n")
    return path


@pytest.mark.parametrize(
    "command",
    [
        ["cluster", "c.jsonl", "-o", "run"],
        ["index", "add", "i.sift", "c.jsonl"],
        ["scan", "c.jsonl", "--save", "run"],
        ["dedup", "c.jsonl", "-o", "out.jsonl", "--keep", "best:score"],
        ["dedup", "c.jsonl", "-o", "out.parquet"],
        ["dedup", "c.jsonl", "-o", "out.csv"],
    ],
    ids=lambda command: " ".join(command),
)
def test_records_of_any_depth_are_named_and_cost_no_other(deep: Path, command: list[str]) -> None:
    done = copysift(deep.parent, *command)
    assert done.status == 3, done.err
    assert done.err.count(TOO_DEEP) == len(DEPTHS)
    assert "defect" not in done.err


def test_a_record_of_the_greatest_depth_is_taken_and_one_more_is_not(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    for depth, taken in ((DEEPEST - 1, True), (DEEPEST, False)):
        path.write_text(f'{{"id": "a", "text": "[[[", "x": {nested(depth)}}}\n')
        for whole in (False, True):
            found = list(open_source(str(path), "jsonl", Fields(whole=whole), WalkSettings()))
            assert [isinstance(each, Skipped) for each in found] == [not taken]


def test_many_brackets_beside_each_other_are_not_deep(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    path.write_text(json.dumps({"id": "a", "text": "[{" * 500, "x": [{"y": []}] * 500}) + "\n")
    (batch,) = open_source(str(path), "jsonl", Fields(), WalkSettings())
    assert batch["id"].to_pylist() == ["a"]


def test_columns_of_many_levels_become_json_so_that_parquet_can_be_read_again(tmp_path: Path) -> None:
    path, out = tmp_path / "c.jsonl", tmp_path / "out.parquet"
    path.write_text(f'{{"id": "a", "text": "{text(60, 0)}", "x": {nested(150)}, "y": {nested(20)}}}\n')
    assert copysift(tmp_path, "dedup", "c.jsonl", "-o", "out.parquet").status == 0
    (row,) = pq.read_table(out).to_pylist()
    assert json.loads(row["other"]) == {"x": json.loads(nested(150))}
    assert row["y"] == json.loads(nested(20))


def test_a_ranked_list_may_have_halves_of_characters_but_not_every_depth(tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_text(json.dumps({"id": "a", "text": text(60, 0)}) + "\n")
    assert copysift(tmp_path, "cluster", "c.jsonl", "-o", "run").status == 0
    half = r'"\ud800 x"'
    for ranked in (f'["a", {half}]', f'{{"id": {half}}}\n{{"id": "a"}}', 'a\n{"id": ' + nested(2000)):
        done = copysift(tmp_path, "collapse", "run", stdin=ranked.encode())
        assert done.status == 0, done.err
        assert "1 of 2 IDs is not in run" in done.err
    done = copysift(tmp_path, "collapse", "run", stdin=nested(100_000).encode())
    assert done.status == 2
    assert "standard input has too many lists in one another" in done.err


def lines_read(path: Path, content: str, monkeypatch: pytest.MonkeyPatch) -> tuple[int, list[str], list[str]]:
    """Give how many lines of a table were looked at, its texts, and what was named."""
    taken = 0
    sound = csv_rows._sound

    def counted(line: str) -> str:
        nonlocal taken
        taken += 1
        return sound(line)

    monkeypatch.setattr(csv_rows, "_sound", counted)
    path.write_text(content)
    texts, named = [], []
    for each in open_source(str(path), "csv", Fields(), WalkSettings()):
        if isinstance(each, Skipped):
            named.append(each.reason)
        else:
            texts += [text.decode() for text in each["text"].to_pylist()]
    return taken, texts, named


def test_lines_that_open_a_quote_and_leave_it_open_take_linear_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv_rows, "AGAIN_FIRST", 1000)
    count = 2000
    # in a quote and out of one, such a line ends in a quote
    taken, texts, named = lines_read(
        tmp_path / "c.csv", "id,text\n" + 'x"y,"z\n' * count + "1,plain\n", monkeypatch
    )
    assert taken < 20 * count  # it was count² / 2
    assert texts == ["plain"]
    assert named == [csv_rows.OPEN] * count


def test_a_row_has_no_more_than_some_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_rows, "MOST_LINES", 10)
    rows = '1,"' + "a\n" * 9 + '"\n' + '2,"' + "b\n" * 10 + '"\n' + "3,plain\n"
    _, texts, named = lines_read(tmp_path / "c.csv", "id,text\n" + rows, monkeypatch)
    assert texts == ["a\n" * 9, "plain"]
    assert csv_rows.OPEN in named


def shared(count: int, length: int, kind: pa.DataType) -> pa.Table:
    """Give a table of which every row refers to one text."""
    one = pa.DictionaryArray.from_arrays(pa.array([0] * count, pa.int32()), pa.array(["x" * length]))
    return pa.table({"id": [str(each) for each in range(count)], "text": one.cast(kind)})


DICTIONARY = pa.dictionary(pa.int32(), pa.string())


def written(path: Path, table: pa.Table) -> Path:
    if path.suffix == ".parquet":
        pq.write_table(table, path, compression="zstd")
    else:
        with pa.ipc.new_file(path, table.schema) as file:
            file.write_table(table)
    return path


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
def test_rows_that_share_one_long_text_are_a_named_skip_and_take_little_memory(
    tmp_path: Path, suffix: str
) -> None:
    table = shared(3000, 8 << 20, DICTIONARY)  # together 25 GB
    written(tmp_path / f"bomb{suffix}", table)
    for name in "ab":
        (tmp_path / f"{name}.txt").write_text(text(60, 0))
    done = copysift(tmp_path, "scan", ".", "--format", "json")
    assert done.status == 3, done.err
    found = json.loads(done.out)
    assert [(each["name"], "which may be an attack" in each["reason"]) for each in found["skipped"]] == [
        (f"./bomb{suffix}", True)
    ]
    assert {"./a.txt", "./b.txt"} <= {each["name"] for each in found["documents"]}


def test_few_bytes_that_claim_many_records_are_a_named_skip(tmp_path: Path) -> None:
    path = written(tmp_path / "c.parquet", shared(200_000, 3000, DICTIONARY).drop_columns("id"))
    assert path.stat().st_size < 50_000
    done = copysift(tmp_path, "dedup", "c.parquet", "-o", "out.jsonl")
    assert done.status == 3, done.err
    assert "c.parquet: unpacks to more than 67,108,864 bytes, which may be an attack" in done.err


@pytest.mark.parametrize(
    ("kind", "suffix"), [(pa.string(), ".parquet"), (DICTIONARY, ".arrow"), (pa.string_view(), ".arrow")]
)
def test_rows_are_the_same_however_few_are_read_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: pa.DataType, suffix: str
) -> None:
    table = shared(100, 50, DICTIONARY)
    texts = pa.chunked_array([pa.array(["x" * 50] * 100, kind)]) if kind != DICTIONARY else table["text"]
    path = written(tmp_path / f"c{suffix}", table.set_column(1, "text", texts))
    at_once: list[int] = []
    rows = delimited._rows

    def counted(batch: pa.RecordBatch) -> object:
        at_once.append(len(batch))
        return rows(batch)

    monkeypatch.setattr(delimited, "_rows", counted)
    for dense in (delimited.DENSE, 500, 1):
        monkeypatch.setattr(delimited, "DENSE", dense)
        at_once.clear()
        batches = list(open_source(str(path), "auto", Fields(), WalkSettings()))
        assert [name for each in batches for name in each["id"].to_pylist()] == [str(n) for n in range(100)]
        assert {row for each in batches for row in each["text"].to_pylist()} == {b"x" * 50}
        assert max(at_once) <= {500: 10, 1: 1}.get(dense, 100)


@pytest.mark.parametrize(
    ("head", "size"),
    [
        (b"\x15\x04\x15\x80\x01\x15", 64),
        (b"\x15\x00\x15\x80\x01\x15", 0),  # a page of values
        (b"\x05\x02\x04\x15\x80\x01", delimited.DENSE),  # the same in a longer form, which no writer uses
        (b"\x15\x84", delimited.DENSE),
        (b"", delimited.DENSE),
    ],
)
def test_the_head_of_a_page_says_how_long_its_texts_are(tmp_path: Path, head: bytes, size: int) -> None:
    path = written(tmp_path / "c.parquet", shared(3, 5, DICTIONARY))
    column = pq.ParquetFile(path).metadata.row_group(0).column(1)
    raw = io.BytesIO(bytes(column.dictionary_page_offset) + head)
    assert delimited._dictionary_bytes(column, raw) == size
    with path.open("rb") as file:
        assert delimited._dictionary_bytes(column, file) == 4 + 5  # a length and the text
