"""Readers take each byte a few times, whatever it is: files that once took for ever, or lost their text."""

from __future__ import annotations

from copysift.kinds.webpage import parts
from copysift.sources.json_array import elements
from copysift.sources.readers.epub import _without_head
from copysift.sources.readers.known import reader_name
from copysift.sources.readers.markdown import blank_markdown
from copysift.sources.readers.troff import blank_troff
from copysift.sources.vendored import vendored


def test_a_head_of_blank_lines_is_no_mail_and_does_not_hang() -> None:
    head = (b"Subject: b\r\n" + b" \r\n" * 200)[:512]
    assert reader_name("letter", head) == ""


def test_mail_is_known_by_three_headers_with_folded_lines() -> None:
    head = b"Received: from a\r\n\tby b\r\nMessage-ID: <1@b>\r\nSubject: two\r\n lines\r\n\r\nText\r\n"
    assert reader_name("letter", head) == "mail"


def test_text_after_the_definition_of_a_link_is_read() -> None:
    assert blank_markdown(b"One\n\n[x]: http://a.b 'T'\nTwo words\n[y]: c\nThree\n").split() == [
        b"One", b"Two", b"words", b"Three",
    ]  # fmt: skip


def test_fences_are_blocks_of_code_whatever_their_length() -> None:
    made = blank_markdown(b"````c\n[x](y)\n```\n````\n[z](y)\n")
    assert b"[x](y)" in made
    assert b"(y)\n" not in made[20:]


def test_the_width_of_a_list_item_is_no_text() -> None:
    assert blank_troff(b".IP foo\t 8n \n.IP 8\n.TP\n.IP a8\n").split() == [b"foo", b"a8"]


def test_definitions_that_never_end_are_looked_for_a_few_times() -> None:
    made = blank_troff(b"".join(b".de m e%d\n" % number for number in range(5000)) + b"text\n")
    assert made.split() == [b"text"]


def test_a_definition_that_ends_hides_its_text() -> None:
    assert blank_troff(b".de m end\nhidden\n.end\nshown\n").split() == [b"shown"]


def test_scripts_of_a_page_are_found_behind_tags_that_nothing_closes() -> None:
    page = b"<script " * 3000
    assert list(parts(page)) == [("html", 0, len(page))]
    page = b"<p><SCRIPT a='1'>x = 1</script><style>b</style><!-- <script> -->"
    assert [(name, page[start:end]) for name, start, end in parts(page)] == [
        ("html", b"<p><SCRIPT a='1'>"), ("javascript", b"x = 1"), ("html", b"</script><style>"),
        ("css", b"b"), ("html", b"</style><!-- <script> -->"),
    ]  # fmt: skip


def test_the_head_of_a_page_is_left_out_if_it_is_closed() -> None:
    assert _without_head(b"<html><HEAD id=a><title>T</title></head ><body>B") == b"<html> <body>B"
    assert _without_head(b"<head " * 3000) == b"<head " * 3000


def test_line_breaks_of_an_array_go_and_blanks_stay() -> None:
    found = list(elements(b'[{"a": "b  c",\n   "d":   1}, {"e": 2}]', lambda size: b""))
    assert [each.data for each in found] == [b'{"a": "b  c","d":   1}', b'{"e": 2}']


def test_generated_files_are_known_by_the_end_of_a_long_name() -> None:
    assert vendored(["moc_" * 20_000]) == ""
    assert vendored(["a" * 70_000 + ".min.js"]) == "minified file"
    assert vendored(["moc_window.cpp"]) == "generated file"
