import contextlib
import io
import json

import pytest

from copysift.model.values import Skipped
from copysift.sources import jsonl as sources
from copysift.sources.jsonl import id_and_text
from copysift.sources.records import Fields

PLAIN = [
    {"id": f"d{number}", "text": f'line\n"{number}" naïve 中文 \u0000 \U0001f600'} for number in range(50)
]
BAD = [
    b'{"id": "a", "text": "x"}{"id": "b", "text": "y"}',
    b'{"id": "a", "text": null}',
    b'{"id": "", "text": "x"}',
    b'{"id": 5, "text": "x"}',
    b'{"id": "a"}',
    b'{"text": "x"}',
    b'{"id": "a", "text": "x", "more": 1}',
    b'{"id": "a", "text": "x", "text": "y"}',
    b'{"id": "a", "text": {"x": "y"}}',
    b'{"id": "a", "text": "x"',
    b'{"id": "a", "text": "\xff\xfe"}',
    b'{"id": "\xff", "text": "x"}',
    b'{"id": "a", "text": "\\ud800"}',
    b'{"id": "a", "text": "tab\tinside"}',
    b"{}",
    b"[]",
    b'"text"',
    b"",
    b"   ",
    b"nonsense",
    b'{"id": "a", "text": "x"} trailing',
]


def block(rows):
    return b"\n".join(row if isinstance(row, bytes) else json.dumps(row).encode() for row in rows)


def read(data, monkeypatch=None):
    """Give the records and notes of JSON lines; with monkeypatch, line by line only."""
    if monkeypatch is not None:
        monkeypatch.setattr(sources, "id_and_text", lambda *_: None)
    found, notes = [], []
    for each in sources.jsonl("x", io.BytesIO(data), Fields()):
        if isinstance(each, Skipped):
            notes.append(each)
        else:
            found += each.to_pylist()
    return found, notes


def test_ids_and_texts_come_as_columns():
    rows = id_and_text(block(PLAIN), "id", "text").to_pylist()
    assert [(row["id"], row["text"].decode()) for row in rows] == [(row["id"], row["text"]) for row in PLAIN]
    turned = [{"body": row["text"], "name": row["id"]} for row in PLAIN]
    rows = id_and_text(block(turned), "name", "body").to_pylist()
    assert [row["text"].decode() for row in rows] == [row["text"] for row in PLAIN]


@pytest.mark.parametrize("line", BAD)
@pytest.mark.parametrize("place", [0, 1, 3])
def test_a_line_of_another_shape_is_left_to_the_reader_of_lines(line, place, monkeypatch):
    rows = [*PLAIN[:place], line, *PLAIN[place:3]]
    found = id_and_text(block(rows), "id", "text")
    data = block(rows)
    ours = read(data)
    assert ours == read(data, monkeypatch)
    if found is not None:
        assert [row["id"] for row in found.to_pylist()] == [row["id"] for row in ours[0]]


def test_a_blank_line_does_not_hide_two_records_on_one_line():
    rows = [b'{"id": "a", "text": "x"}{"id": "b", "text": "y"}', b"", PLAIN[0]]
    assert id_and_text(block(rows), "id", "text") is None


@pytest.mark.parametrize("size", [1, 7, 64, 1 << 20])
@pytest.mark.parametrize("end", [b"", b"\n", b"\n\n", b"\r\n"])
def test_blocks_are_whole_lines(size, end):
    data = b"one\ntwo\n\nfour\r\n" + b"5" * 100 + end
    found = [line for lines in sources.blocks(io.BytesIO(data), size) for line in bytes(lines).split(b"\n")]
    wanted = data.split(b"\n")
    if not wanted[-1]:
        wanted.pop()
    assert found == wanted


class _InDrops(io.BytesIO):
    """Gives few bytes with every read, as what unpacks files does; then an error, if one is asked for."""

    def __init__(self, data: bytes, *, damaged: bool) -> None:
        super().__init__(data)
        self.damaged = damaged

    def readinto1(self, into):
        got = super().readinto1(memoryview(into)[:100])
        if self.damaged and not got:
            raise EOFError
        return got


@pytest.mark.parametrize("damaged", [False, True])
def test_blocks_are_large_however_little_a_read_gives(damaged):
    data = b"".join(b"line %d\n" % number for number in range(5000))
    found = []
    with pytest.raises(EOFError) if damaged else contextlib.nullcontext():
        found.extend(bytes(each) for each in sources.blocks(_InDrops(data, damaged=damaged), 10_000))
    assert b"\n".join(found) + b"\n" == data
    assert len(found) <= len(data) // 5000 + 1
