"""Encodings and kinds are told by the first bytes."""

from __future__ import annotations

import os
import random
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copysift.kinds import detect_kind, languages, looks_binary, to_utf8, transcode
from copysift.kinds.choice import kind_among_texts, kind_of_text
from copysift.kinds.executable import LISTING
from copysift.runtime.encoding import SAMPLE, is_damaged, known_utf8

GERMAN = "Die Straße führt über die Brücke; schöne Grüße an Käthe und Jürgen, die Tür öffnet später."
FRENCH = "Le garçon a mangé une pêche à côté de la forêt, où les élèves étaient déjà arrivés très tôt."
RUSSIAN = "Привет, как дела? Это просто русский текст для проверки кодировки."
JAPANESE = "日本語のテキストを書いています。これはテストです。"
CHINESE = "中文测试文本，这里有一些汉字需要检测编码。"
GREEK = "Καλημέρα σας, αυτό είναι ένα απλό ελληνικό κείμενο για δοκιμή."


@pytest.mark.parametrize("text", [GERMAN, FRENCH, RUSSIAN, JAPANESE, CHINESE, GREEK, "plain", ""])
def test_utf_8_is_left_as_it_is(text):
    data = text.encode()
    assert to_utf8(data) == (data, "utf-8")
    assert to_utf8(b"\xef\xbb\xbf" + data) == (b"\xef\xbb\xbf" + data, "utf-8")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", [GERMAN, "ab\n" * 40, FRENCH * 1000])
def test_wide_encodings_are_known_with_and_without_a_mark(encoding, text):
    data, found = to_utf8(text.encode(encoding))
    assert data.decode() == text
    assert found == encoding


@pytest.mark.parametrize("text", [RUSSIAN, JAPANESE])
def test_utf_16_of_other_scripts_is_known_by_its_mark(text):
    assert to_utf8(text.encode("utf-16"))[0].decode() == text


@pytest.mark.parametrize(
    ("text", "encoding"),
    [(GERMAN, "cp1252"), (FRENCH, "latin-1"), (RUSSIAN, "cp1251"), (JAPANESE, "shift_jis"),
     (JAPANESE, "euc-jp"), (CHINESE, "gb18030"), (GREEK, "cp1253"), ("naïve", "latin-1"),
     ("x" * 200_000 + GERMAN, "latin-1")],
)  # fmt: skip
def test_encodings_of_before_unicode_are_transcoded(text, encoding):
    assert to_utf8(text.encode(encoding))[0].decode() == text


def test_a_few_damaged_bytes_do_not_make_utf_8_something_else():
    data = GERMAN.encode() * 3 + b"\xff" + FRENCH.encode()
    assert to_utf8(data) == (data, "utf-8")


@given(st.binary(max_size=300))
def test_no_bytes_ever_raise(data):
    text, encoding = to_utf8(data)
    assert (text == data) if encoding in (None, "utf-8") else isinstance(text.decode(), str)
    kinds = ("executable",) if text.startswith(LISTING) else ("text", "html", "bytes")
    assert detect_kind("x", data) in kinds


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "shift_jis", "utf-8", "cp1252"])
def test_chunks_are_transcoded_wherever_they_are_cut(encoding):
    text = GERMAN if encoding == "cp1252" else JAPANESE
    data = text.encode(encoding)
    for size in (1, 2, 3, 5, 1000):
        chunks = [data[i : i + size] for i in range(0, len(data), size)]
        assert b"".join(transcode(chunks, encoding)).decode() == text


def test_binary_data_is_never_text():
    chance = random.Random(7)
    numbers = struct.pack("<500i", *range(500))
    shorts = struct.pack("<500h", *range(500))
    program = Path(sys.executable).read_bytes()[:4096]
    for data in (chance.randbytes(4000), chance.randbytes(200), numbers, shorts, program, bytes(100),
                 b"\x7fELF\x02\x01\x01" + bytes(9), b"%PDF-1.4\nabc", b"text\0text"):  # fmt: skip
        assert looks_binary(data)
        assert to_utf8(data) == (data, None)
        assert detect_kind("notes.html", data) == "bytes"


def test_text_is_never_binary():
    for data in (
        b"",
        b"a",
        b"\x1b[31mred\x1b[0m\r\n\f",
        GERMAN.encode("latin-1"),
        GERMAN.encode("utf-16-le"),
    ):
        assert not looks_binary(data)


@pytest.mark.parametrize(
    ("name", "head", "kind"),
    [
        ("a.html", b"just text", "html"), ("A.HTM", b"", "html"), ("a.txt", b"just text", "text"),
        ("", b"", "text"), ("a.txt", b"<htmlx>", "text"),
        ("page", b"<!DOCTYPE html><p>", "html"), ("page", b"\n <!-- c --> <HTML lang=en>", "html"),
        ("page", b"\xef\xbb\xbf<?xml version='1.0'?>\n<!doctype HTML>", "html"),
        ("page", "<html>".encode("utf-16"), "html"), ("a.txt", b"I like <html>", "text"),
        ("page", b"<!-- a --><!-- b -->\n<?XML?><!-- --><body>", "html"), ("page", b"<!-- <html>", "text"),
        ("page", b"<?xml <html", "text"), ("page", b"<!-- --> text <html>", "text"),
    ],
)  # fmt: skip
def test_the_kind_is_told_by_content_and_name(name, head, kind):
    assert detect_kind(name, head) == kind


def test_charset_normalizer_is_not_imported_before_it_is_needed():
    code = (
        "import sys; from copysift.kinds import to_utf8; to_utf8(b'abc'); to_utf8('\\u00e9'.encode());"
        "sys.exit('charset_normalizer' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, env={**os.environ}).returncode == 0


@pytest.mark.parametrize("head", [b"<!doctype html><p>one", b"<?php echo 1;", b"plain words", b"{}"])
@pytest.mark.parametrize("name", ["", "a", "a.b.txt", "a.c", "a.PHP", "a.html", "a.rkt", "a.ipynb"])
def test_among_texts_a_program_is_text_and_all_else_as_ever(name, head):
    kind = kind_of_text(name, head, languages())
    program = kind.startswith("code:") and kind != "code:ipynb"
    assert kind_among_texts(name, head, languages) == ("text" if program else kind)


@given(st.binary(max_size=200), st.sampled_from([b"", b"a" * SAMPLE, b"plain text "]), st.booleans())
def test_what_is_known_to_be_utf_8_is_what_is_left_as_it_is(tail, head, marked):
    data = (b"\xef\xbb\xbf" if marked else b"") + head + tail
    if known_utf8([data]) == [True]:
        assert to_utf8(data) == (data, "utf-8")


@pytest.mark.parametrize(
    "text", [GERMAN, FRENCH, RUSSIAN, JAPANESE, CHINESE, GREEK, "plain", "", "x" * 70_000 + "é"]
)
def test_ordinary_utf_8_is_known_at_once(text):
    assert known_utf8([text.encode()]) == [True]


@pytest.mark.parametrize(
    "data",
    [b"%PDF-1.7", b"nul\0", b"\x01\x02\x03", GERMAN.encode("cp1252"), "ab".encode("utf-16"), b"caf\xc3"],
)
def test_what_is_not_so_plain_is_left_to_be_judged(data):
    assert known_utf8([b"plain", data, b"plain"]) == [True, False, True]


def test_only_what_is_taken_as_utf_8_can_be_damaged_utf_8():
    sound = "Grüße aus Köln, Übung macht den Meister, schöne Brücke. ".encode() * 3
    assert not is_damaged(sound)
    assert is_damaged(sound + b"\xff")
    assert is_damaged(b"x" * SAMPLE + sound + b"\xff")
    assert is_damaged(b"\xef\xbb\xbfcaf\xe9")
    assert not any(is_damaged(GERMAN.encode(each)) for each in ("latin-1", "utf-16", "utf-16-le", "utf-32"))
