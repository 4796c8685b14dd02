import itertools
import json
import random

import pytest

from copysift.kernels import _jsonl as compiled
from copysift.kernels.reference import jsonl as readable

ODD = [
    '{"id": "a", "text": "b"}',
    '{"text":"b","id":"a"}',
    '{ "id"\t:  "a" ,\r"text" : "" } ',
    '{"id": "", "text": "b"}',
    '{"id": "a", "text": null}',
    '{"id": 7, "text": "b"}',
    '{"id": "a"}',
    '{"id": "a", "text": "b", "more": 1}',
    '{"id": "a", "id": "b"}',
    '{"text": "a", "text": "b"}',
    '{"id": "a", "text": "b"},',
    '{"id": "a", "text": "b"} {"id": "a", "text": "b"}',
    ' {"id": "a", "text": "b"}',
    '{"id": "a", "text": "b"',
    '{"id": "a", "text": "b}',
    '{"i\\u0064": "a", "text": "b"}',
    '{"id": "a", "text": {"text": "b"}}',
    "",
    "[]",
    '{"id": "a" "text": "b"}',
    "{'id': 'a', 'text': 'b'}",
]
PIECES = [
    "plain words ",
    "\\n",
    '\\"',
    "\\\\",
    "\\/",
    "\\b\\f\\r\\t",
    "\\u00e9",
    "\\u4E2d",
    "\\ud83d\\ude00",
    "\\uD83D",
    "\\ude00",
    "\\ud83d\\u0041",
    "\\u12g4",
    "\\x",
    "\\",
    "\\u12",
    "é",
    "中文",
    "😀",
    "\x1f",
    "\x7f",
    "\x00",
    "x" * 31,
    "x" * 32,
    "y" * 70,
]


def same(block):
    wanted = readable.two_strings(block, b"id", b"text")
    for avx2 in (True, False):
        compiled.use_avx2(avx2)
        found = compiled.two_strings(block, b"id", b"text")
        if wanted is None:
            assert found is None, block
            continue
        assert found is not None, block
        for place in (0, 2):
            assert found[place + 1].tolist() == wanted[place + 1].tolist()
            assert found[place][: wanted[place + 1][-1]].tobytes() == wanted[place].tobytes()
    compiled.use_avx2(True)
    return wanted


@pytest.mark.parametrize("line", ODD)
def test_a_line_that_is_odd_is_read_or_refused_as_in_the_definition(line):
    plain = '{"id": "x", "text": "y"}'
    for lines in ([line], [plain, line], [line, plain], [plain, line, plain]):
        same("\n".join(lines).encode())


def test_pieces_of_strings_are_unescaped_as_in_the_definition_and_by_json():
    read = 0
    for pieces in itertools.product(PIECES, repeat=2):
        line = '{"id": "n", "text": "' + "".join(pieces) + '"}'
        found = same(line.encode())
        if found is not None:
            read += 1
            assert found[2].tobytes().decode() == json.loads(line)["text"]
    assert read > 100


def test_what_is_no_utf8_is_refused():
    for bad in (b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xc0\xaf", b"\xf4\x90\x80\x80", b"\xe4\xb8"):
        assert same(b'{"id": "n", "text": "' + bad + b'"}') is None
        assert same(b'{"id": "n' + bad + b'x", "text": "t"}') is None


def test_any_damage_is_refused_as_in_the_definition():
    chance = random.Random(3)
    whole = "\n".join(
        json.dumps({"id": f"n{n}", "text": "one “two”\n\tthree \\ 中 " * n}, ensure_ascii=n % 2 == 0)
        for n in range(1, 4)
    ).encode()
    assert same(whole) is not None
    for _ in range(3000):
        block = bytearray(whole)
        for _ in range(chance.randint(1, 2)):
            at = chance.randrange(len(block))
            block[at : at + chance.randint(0, 1)] = bytes([chance.choice(b'{}",:\\ \n\ru\xc3a')])
        same(bytes(block))
