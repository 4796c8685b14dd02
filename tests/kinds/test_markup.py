"""Markup is blanked in place as the HTML5 tokenizer reads it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copysift import kernels
from copysift.kinds import blank_markup, canonicaliser
from copysift.kinds.kind import stream
from copysift.kinds.positions import Characters, Widened


def shown(source: str | bytes) -> str:
    """The text that is left, joiners gone, runs of spaces as one."""
    data = source.encode() if isinstance(source, str) else source
    blanked = blank_markup(data)
    assert len(blanked) == len(data)
    return " ".join(blanked.replace(b"\x7f", b"").decode().split())


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<p>one<p>two", "one two"),
        ("f<b>o</b>o<span class='x'>bar</span>", "foobar"),
        ("foo<br>bar<td>baz<IMG SRC=x>", "foo bar baz"),
        ("a<!-- > -- -->b<!---->c<!-->d<!--->e<!-- x --!>f", "abcdef"),
        ("a<!DOCTYPE html PUBLIC \"x\">b<?xml version='1.0'?>c<![CDATA[x]]>d</ x>e</>f", "abcdef"),
        ("1 < 2 <3 a<>b <", "1 < 2 <3 a<>b <"),
        ("a</", "a</"),
        ("<a title='x > y' href=\">\" b=>shown</a>", "shown"),
        ('<a ="x>shown', "shown"),
        ("<a b='>' / c=\"'>\" d = '>'e>shown", "shown"),
        ("<a href=x'>shown", "shown"),
        ("text<div class='unclosed > ", "text"),
        ("text<b", "text"),
        ("a<script>if (a < b) '</scrip>' </SCRIPT x>b", "a b"),
        ("a<script><!-- <script> </script> hidden --></script>b", "a b"),
        ("a<script><!-- </script>b", "a b"),
        ("a<script><!--></script>b", "a b"),
        ("a<style>p{}</styles></style\n>b<noscript><p>x</noscript>c<iframe>y</iframe>d", "a b c d"),
        ("a<template>x<template>y</template>&eacute;z</template>b</template>c", "a b c"),
        ("<title>A <b> &amp; C</title>D", "A <b> & C D"),
        ("<textarea></text></textarea>x<xmp>&lt;<b></xmp>", "</text> x &lt;<b>"),
        ("a<plaintext><b></plaintext>&amp;", "a <b></plaintext>&amp;"),
        ("<custom-element-of-any-length data='>'>x", "x"),
        ("caf&eacute; &#233;&#xE9;&#XE9 &eacute &AMP;&lt;b&gt;&nbsp;x&hellip;", "café ééé é &<b> x…"),
        ("&notit; &notin; &nosuch; &;& &#; &#x; &#xg; &am", "¬it; ∉ &nosuch; &;& &#; &#x; &#xg; &am"),
        ("&#0; &#xD800; &#x110000; &#99999999999999999999; &#128;", "� � � � €"),
        ("&#" + "0" * 70 + "65;", "&#" + "0" * 70 + "65;"),
        ("&#" + "0" * 50 + "65;", "A"),
    ],
)
def test_what_is_left_of(source, expected):
    assert shown(source) == expected


def test_inline_tags_do_not_part_words_and_block_tags_do():
    words = canonicaliser("html-words").whole
    assert words(b"f<b>o</b>o&shy;bar<!-- c -->baz").symbols.tolist() == words(b"foobarbaz").symbols.tolist()
    assert len(words(b"foo<p>bar<li>baz<br/>x").symbols) == 4


def test_the_span_of_a_reference_is_all_of_it():
    found = canonicaliser("html").whole(b"<p>caf&eacute;s &nGt;")
    assert bytes(found.symbols[:4].astype("u1")) == b"cafe"
    assert found.starts.tolist() == [3, 4, 5, 6, 6, 14, 16]
    assert found.ends.tolist() == [4, 5, 6, 14, 14, 15, 21]


@given(st.text("<>&;#-!/'\"= aé", max_size=80))
def test_the_length_never_changes_and_what_is_shown_keeps_its_place(source):
    data = source.encode()
    blanked = blank_markup(data)
    assert len(blanked) == len(data)
    assert all(b in (a, 0x20, 0x7F) for a, b in zip(data, blanked, strict=True) if b"&" not in data)


@pytest.mark.parametrize(
    "unit", [b"<", b"&", b"<!-", b"<a b='", b"&#x", b"</script", b"<script>", b"<template>", b"-"]
)
def test_hostile_repetitions_take_linear_time(unit):
    data = unit * (2_000_000 // len(unit))
    assert len(blank_markup(data)) == len(data)
    assert len(blank_markup(b"<script><!--" + data)) == len(data) + 12


PARTS = ["a", " ", "é", "가", "\u11a8", "中", "<b>", "&eacute;", "&#4520;", "&#44032;", "&nvlt;", "&nGt;",
         "&amp;", "&#65;", "&#x00000000000000000000000000000004e2d;", "&fjlig;"]  # fmt: skip


@given(st.lists(st.sampled_from(PARTS), max_size=40).map("".join))
def test_a_reference_is_one_character_wherever_its_symbols_are(source):
    """Masks that take references as characters give the spans that are moved one by one."""
    blanked, starts, ends, *_ = kernels.text.markup_block(source.encode(), 0, 0, True)
    found = canonicaliser("html").whole(source.encode())
    inner = canonicaliser("text").whole(blanked).positions
    expected = Widened(inner, starts, ends) if len(starts) else inner
    assert isinstance(found.positions, Widened) is False
    assert found.starts.tolist() == expected.starts.tolist()
    assert found.ends.tolist() == expected.ends.tolist()


@given(st.lists(st.lists(st.sampled_from(PARTS), max_size=6).map("".join), max_size=20), st.integers(1, 60))
def test_a_reference_at_the_edge_of_a_block_is_still_one_character(chunks, size):
    source = "".join(chunks).encode()
    whole = canonicaliser("html").whole(source)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(stream, "__defaults__", (size + 70, False))
        blocks = list(canonicaliser("html").blocks([chunk.encode() for chunk in chunks]))
    for name in ("symbols", "starts", "ends"):
        found = [each for block in blocks for each in getattr(block, name).tolist()]
        assert found == getattr(whole, name).tolist()


def test_references_of_a_large_page_take_no_search():
    page = b"<p>&copy; caf&eacute; 1999" * 9
    assert isinstance(canonicaliser("html").whole(page).positions, Characters)
