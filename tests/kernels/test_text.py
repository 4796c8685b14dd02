"""The compiled text kernel equals its readable twin: on every small case, then on random ones."""

import functools
import html.entities
import itertools
import random
import unicodedata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from copysift.kernels import _text
from copysift.kernels.reference import markup as reference_markup
from copysift.kernels.reference import text as reference
from tests.kernels.remembered import MOST, Remembered

NASTY = [0x00, 0x20, 0x7F, 0x80, 0xA9, 0xC3, 0xE4, 0xB8, 0xAD, 0xF0, 0xED, 0xFF, *b"AzZ9_<>&;#-!"]
MARKUP = b'<>&;#-!/"= a'
same_unicode = pytest.mark.skipif(
    _text.UNICODE_VERSION != reference.UNICODE_VERSION,
    reason=f"the tables are of Unicode {_text.UNICODE_VERSION}, Python has {reference.UNICODE_VERSION}",
)
PIECES = [
    b"a", b"Z", b"9", b"_", b" ", b"\0", b"\x7f", b"\n", "é".encode(), "e\u0301".encode(), "ß".encode(),
    "中".encode(), "が".encode(), "か\u3099".encode(), "각".encode(), "가".encode(), "\u1100".encode(),
    "\u1161".encode(), "\u11a8".encode(), "“".encode(), "😀".encode(), "≠".encode(), "ΐ".encode(),
    "\u00ad".encode(), "𐐀".encode(), b"\xff", b"\xe4\xb8", b"\xed\xa0\x80", b"\xc0\xaf",
    b"\xf4\x90\x80\x80", b"plain ascii words, several of them; ",
]  # fmt: skip
TAGS = [
    b"<", b">", b"&", b";", b"-", b"--", b"!", b"/", b"'", b'"', b"=", b" ", b"b", b"<b>", b"</b>", b"<p>",
    b"<!--", b"-->", b"--!>", b"<script", b"</script", b"<ScRiPt>", b"</STYLE >", b"<style>", b"<title>",
    b"</title>", b"<template>", b"</template>", b"&amp;", b"&eacute;", b"&eacute", b"&notit;", b"&#233;",
    b"&#x2014", b"&#0;", b"&nGt;", b"&nosuch;", b"<a href='>'", b"<?php", b"<![CDATA[", b"]]>",
    b"<textarea>", b"<plaintext>", b"<xmp>", b"<verylongname", b"\xc3", b"\xa9",
]  # fmt: skip


def same(one, two):
    if one is None or two is None:
        return one is two
    return all(
        np.array_equal(a, b) and a.dtype == b.dtype if isinstance(a, np.ndarray) else a == b
        for a, b in zip(one, two, strict=True)
    )


twin = Remembered(reference)


def agree(data, offset=0, final=True):
    assert same(_text.plain_block(data, final), twin.plain_block(data, final)), data
    agree_unicode(data, offset, final)
    assert same(_text.words_block(data, offset, final), twin.words_block(data, offset, final)), data


def agree_unicode(data, offset, final):
    """The compiled block equals the twin's, and the spans that are resolved are those of the definition."""
    found = _text.unicode_block(data, final)
    assert same(found, twin.unicode_block(data, final)), data
    every = np.arange(len(found[0]))
    starts, ends = _text.character_spans(*found[1:5], offset, every, every)
    expected = spans_of(data[: found[5]])
    assert list(zip(found[0].tolist(), starts.tolist(), ends.tolist(), strict=True)) == [
        (symbol, start + offset, end + offset) for symbol, start, end in expected
    ], data


@functools.lru_cache(MOST)
def spans_of(data):
    """Each symbol with its span, by the simplest means."""
    symbols = []
    for part, start, end in reference._kept(bytes(data)):
        syllable = reference._compose(symbols[-1][0], part) if symbols and symbols[-1][2] == start else None
        if syllable is None:
            symbols.append((part, start, end))
        else:
            symbols[-1] = (syllable, symbols[-1][1], end)
    return symbols


def agree_markup(data, offset=0, state=0, final=True):
    found = _text.markup_block(data, offset, state, final)
    assert same(found, twin.markup_block(data, offset, state, final)), (data, state, final)
    return found


@pytest.fixture(params=["avx512", "avx2", "portable"], autouse=True)
def edition(request):
    if request.param == "avx512" and not _text.has_avx512():
        pytest.skip("this processor has no AVX-512")
    if request.param == "avx2" and not _text.has_avx2():
        pytest.skip("this processor has no AVX2")
    _text.use_avx2(request.param != "portable")
    _text.use_avx512(request.param == "avx512")
    yield request.param
    _text.use_avx2(True)
    _text.use_avx512(True)


@same_unicode
def test_every_code_point_folds_as_unicodedata_says():
    points, expected = [], []
    for point in itertools.chain(range(0xD800), range(0xE000, 0x110000)):
        points.append(point)
        if unicodedata.category(chr(point)) not in ("Cn", "Co"):
            parts = reference.folded(point)
            expected += [part for part in parts if unicodedata.category(chr(part))[0] in "LMN"]
    assert _text.unicode_block(" ".join(map(chr, points)).encode(), True)[0].tolist() == expected


@same_unicode
def test_every_code_point_of_the_basic_plane_makes_the_words_that_it_should():
    points = [point for point in range(0x10000) if not 0xD800 <= point < 0xE000]
    agree("".join(chr(point) + "a-a" for point in points).encode())


@same_unicode
def test_every_character_near_the_ideographs_makes_the_words_that_it_should_beside_its_like():
    """Two and three in a row, then a mark: ideographs are taken together, what is beside them is not."""
    points = [*range(0x3000, 0x3100), *range(0x4D00, 0x4F00), *range(0x9F00, 0xA200)]
    agree("".join(f"{chr(point) * 2} {chr(point) * 3}\u3099" for point in points).encode())
    agree("".join(f"\u4e00{chr(point) * 2}\u9fff{chr(point)}\u3099" for point in points).encode())


@same_unicode
def test_what_follows_a_row_of_ideographs_is_a_mark_or_is_not():
    """Rows of every length, then a character of any sort, in texts long enough for vectors."""
    after = ["", "a", "_", " ", ".", "\x7f", "é", "、", "々", "\u302a", "\u3020", "（", "１", "，", "\u200d",
             "\u2040", "\u3099", "\ufe00", "𠀀", "か", "\ufffd"]  # fmt: skip
    long = "、中" * 12  # a run of bytes that are not ASCII
    for length in range(1, 36):
        row = "".join(chr(0x4E00 + 977 * at % 0x51FF) for at in range(length))
        data = "".join(f"{row}{each}{row[:2]}b {each}{row}{each}{long}" for each in after).encode()
        for end in (b"", row.encode(), b"a" * 70):
            for final in (True, False):
                found, expected = (every.words_block(data + end, 5, final) for every in (_text, reference))
                assert same(found, expected), (length, end)


def test_well_known_code_points_fold_whatever_the_version_of_unicode():
    cases = {"É": "e\u0301", "ς": "σ", "ß": "ss", "ẞ": "ss", "İ": "i\u0307", "ı": "ı", "I": "i", "Ⅳ": "ⅳ",
             "²": "²", "각": "각", "\u1100\u1161\u11a8": "각", "ﬁ": "fi", "Å": "a\u030a", "“x”": "x",
             "中": "中", "漢": "漢", "_": "", "😀": "", "≠": "\u0338", "٣": "٣", "𐐀": "𐐨"}  # fmt: skip
    for source, expected in cases.items():
        found = _text.unicode_block(source.encode(), True)[0]
        assert "".join(map(chr, found)) == expected, source


def test_every_string_of_up_to_two_bytes_agrees():
    agree(b"")
    for byte in range(256):
        agree(bytes([byte]))
        agree(bytes([byte]), 9, False)
    agree(b" ".join(map(bytes, itertools.product(range(256), repeat=2))))


@pytest.mark.parametrize("final", [True, False])
def test_every_nasty_string_of_three_bytes_agrees(final):
    for data in itertools.product(NASTY, repeat=3):
        agree(bytes(data), 7, final)
        agree_markup(bytes(data), 7, 0, final)


@pytest.mark.thorough
def test_every_nasty_string_of_four_bytes_agrees_in_one_long_text():
    cases = [bytes(data) for data in itertools.product(NASTY, repeat=4)]
    agree(b" ".join(cases))


@same_unicode
def test_characters_at_the_edges_of_windows_agree():
    """Vectors take 64 bytes at a time: two characters of every sort at each place around their end."""
    pieces = ["a", " ", "é", "ß", "×", "ŉ", "ΐ", "я", "中", "。", "が", "각", "가", "\u1100", "\u1161",
              "\u11a8", "“", "ệ", "ᾂ", "ẞ", "豈", "😀", "ǖ", "שׁ", "\ufb2c", "\ufffd"]  # fmt: skip
    for lead in range(58, 66):
        for one, two in itertools.product(pieces, repeat=2):
            agree_unicode(b"a" * lead + (one + two).encode() + "äb".encode() * 30, 3, lead % 2 == 0)


def test_bytes_that_are_not_utf_8_at_the_edges_of_windows_agree():
    for lead in (60, 61, 62, 63):
        for data in itertools.product([0x61, 0x80, 0xBF, 0xC3, 0xE0, 0xE4, 0xED, 0xF0, 0xFF], repeat=3):
            agree_unicode(b"b" * (lead - 4) + "äö".encode() + bytes(data) + b"c" * 66, 0, True)


def test_random_characters_agree_in_texts_of_many_windows():
    """Pages of every sort in turn, mostly well-formed, so that windows of vectors follow one another."""
    chance = random.Random(3)
    scripts = ["äöüßéŉΐ", "яжЙё", "中文字。，", "がぎパー、", "한국가어", "“” –…", "אבשׁ", "ệờạ", "ǖᾂ", "😀",
               "\u1100\u1161"]  # fmt: skip
    for case in range(200):
        letters = "".join(chance.sample(scripts, 1 + case % 3)) + "aZ 9."
        data = "".join(chance.choices(letters, k=chance.randrange(1, 400))).encode()
        if case % 10 == 0:
            data = data[: len(data) // 2] + b"\x80" + data[len(data) // 2 :]
        agree_unicode(data, case, case % 2 == 0)


def test_spans_of_symbols_that_are_not_there_are_refused():
    symbols, masks, ranks, bounds, extra, _ = _text.unicode_block("ΐ ä".encode(), True)
    assert len(extra) == 1
    for wrong in (-1, len(symbols)):
        with pytest.raises(IndexError):
            _text.character_spans(masks, ranks, bounds, extra, 0, np.array([0]), np.array([wrong]))
    with pytest.raises(ValueError, match="different blocks"):
        _text.character_spans(masks, ranks, bounds[:1], extra, 0, np.array([0]), np.array([0]))


@given(st.lists(st.tuples(st.integers(0, 300), st.integers(0, 70)), max_size=9), st.integers(0, 99))
def test_merged_characters_equal_the_twin(spans, offset):
    starts, ends = (np.array(each, np.uint32) for each in ([s for s, _ in spans], [s + n for s, n in spans]))
    ours, theirs = (np.full(4, 2**64 - 1, np.uint64) for _ in range(2))
    _text.merge_characters(ours, offset, starts, ends)
    reference.merge_characters(theirs, offset, starts, ends)
    assert np.array_equal(ours, theirs)


def test_every_short_string_of_markup_agrees_wherever_it_is_cut():
    for length in range(5):
        for data in itertools.product(MARKUP, repeat=length):
            agree_markup(b"<" + bytes(data))
    for data in itertools.product(MARKUP, repeat=3):
        whole = b"<!-" + bytes(data) + b"x>y"
        expected = agree_markup(whole)[0]
        for cut in range(len(whole) + 1):
            head, _, _, used, state = agree_markup(whole[:cut], 0, 0, False)
            assert head + agree_markup(whole[used:], used, state)[0] == expected


@given(st.lists(st.sampled_from(PIECES), max_size=60).map(b"".join), st.integers(0, 2**31), st.booleans())
@settings(max_examples=400)
def test_random_text_agrees(data, offset, final):
    agree(data, offset, final)


@given(st.binary(max_size=400), st.booleans())
def test_random_bytes_agree_and_never_raise(data, final):
    agree(data, 0, final)
    agree_markup(data, 0, 0, final)


@given(st.lists(st.sampled_from(TAGS), max_size=30).map(b"".join), st.booleans())
@settings(max_examples=600)
def test_random_markup_agrees(data, final):
    agree_markup(data, 3, 0, final)


@given(st.lists(st.lists(st.sampled_from(TAGS), max_size=12).map(b"".join), max_size=5))
@settings(max_examples=300)
def test_random_markup_agrees_when_the_state_is_carried_on(chunks):
    rest, offset, state, out = b"", 0, 0, b""
    for number, chunk in enumerate([*chunks, b""]):
        block = rest + chunk
        head, _, _, used, state = agree_markup(block, offset, state, number == len(chunks))
        rest, offset, out = block[used:], offset + used, out + head
        assert len(rest) < 64
    assert out == agree_markup(b"".join(chunks))[0]


@given(st.text("ab XY09._-\n\x7f“😀", max_size=500), st.randoms(use_true_random=False), st.integers(0, 9))
def test_positions_agree_in_any_order(text, chance, offset):
    found = _text.plain_block(text.encode(), True)
    assert found is not None
    symbols, masks, ranks, _ = found
    everything = _text.positions(masks, ranks, offset)
    assert np.array_equal(everything, reference.positions(masks, ranks, offset))
    assert everything.tolist() == [start + offset for _, start, _ in spans_of(text.encode())]
    which = np.array([chance.randrange(len(symbols)) for _ in range(20 if len(symbols) else 0)], np.int64)
    for first in (which, np.sort(which)):
        starts, ends = _text.plain_spans(masks, ranks, offset, first, which)
        assert np.array_equal(starts, everything[first])
        assert np.array_equal(ends, everything[which] + 1)
        assert same((starts, ends), reference.plain_spans(masks, ranks, offset, first, which))


def test_positions_far_apart_are_found():
    data = (b"." * 1000 + b"x") * 3000
    _, masks, ranks, _ = _text.plain_block(data, True)
    which = np.array([0, 2999, 1, 1500, 1501, 2998], np.uint32)
    starts, ends = _text.plain_spans(masks, ranks, 5, which, which)
    assert starts.tolist() == [5 + 1000 + 1001 * i for i in which.tolist()]
    assert ends.tolist() == (starts + 1).tolist()
    for wrong in (-1, 3000):
        with pytest.raises(IndexError):
            _text.plain_spans(masks, ranks, 0, np.array([0]), np.array([wrong]))
    with pytest.raises(ValueError, match="different blocks"):
        _text.plain_spans(masks[1:], ranks, 0, np.array([0]), np.array([0]))
    with pytest.raises(IndexError):
        _text.plain_spans(masks[:0], ranks[:1], 0, np.array([0]), np.array([0]))


@pytest.mark.parametrize("length", [65535, 65536, 65537, 2 * 65536 + 3])
@pytest.mark.parametrize("word", ["a", "é", "a\x7f", "中\u3099", "xé", "abcdefgé"])
def test_words_longer_than_the_limit_are_cut_alike(length, word):
    data = (word * length).encode()[: length + 1] + b" end"
    starts, ends = reference.words_block(data, 0, True)[1:3]
    assert (ends - starts).max() <= _text.MAX_WORD
    for lead in (b"", b"word " * 20):
        for final in (True, False):
            found, expected = (e.words_block(lead + data, 0, final) for e in (_text, reference))
            assert same(found, expected)


def test_words_of_up_to_twenty_letters_hash_alike_at_every_offset():
    chance = random.Random(1)
    letters = b"abcxyzABCXYZ019_"
    words = [bytes(chance.choices(letters, k=length)) for length in range(1, 21) for _ in range(20)]
    chance.shuffle(words)
    for lead in range(70):
        agree(b"." * lead + b" ".join(words[lead : lead + 60]))


def test_words_around_the_edges_of_vectors_and_segments_agree():
    """ASCII words of 1 to 40 letters, with a special character in some, in texts longer than a segment."""
    chance = random.Random(2)
    pieces = ["é", "ß", "İ", "ŉ", "×", "\u00ad", "\x7f", "“", "中", "中国", "か\u3099", "\ufffd"]
    for case in range(60):
        words = [
            "".join(chance.choices("abcXYZ09_", k=chance.choice((1, 2, 3, 7, 8, 9, 16, 17, 40))))
            for _ in range(400)
        ]
        for _ in range(case % 4 * 20):
            at = chance.randrange(len(words))
            cut = chance.randrange(len(words[at]) + 1)
            words[at] = words[at][:cut] + chance.choice(pieces) + words[at][cut:]
        text = "".join(word + chance.choice((" ", ", ", "  ", "-")) for word in words)
        agree(text.encode()[case:], 0, case % 2 == 0)


def test_word_hashes_ignore_case_and_composition_but_nothing_else():
    def words(text):
        return _text.words_block(text.encode(), 0, True)[0].tolist()

    assert words("Straße ÉTÉ 각") == words("strasse e\u0301te\u0301 \u1100\u1161\u11a8")
    assert words("in\x7fline soft\u00adhyphen") == words("inline softhyphen")
    assert len(words("漢字かな中")) == 5
    assert words("か\u3099a") == words("がa")
    assert len(set(words("a b aa ab ba _ a_ _a aaaaaaaa aaaaaaaaa 1 one"))) == 12


def test_named_and_numeric_references_are_those_of_html5():
    others = ["#233;", "#xE9", "#128;", "#x110000;", "#55296;", "nosuch;", "ampx", "notit;"]
    for name in [*html.entities.html5, *others]:
        data = f"&{name}".encode()
        found, starts, ends, _, _ = agree_markup(data)
        if name in ("nGt;", "nLt;"):
            continue
        assert found.replace(b"\x7f", b"").decode() == html.unescape(f"&{name}"), name
        assert len(found) == len(data)
        assert len(starts) == len(ends) == (0 if name == "nosuch;" else 1)


def test_the_tables_fit_what_the_output_has_room_for():
    for point in itertools.chain(range(0xD800), range(0xE000, 0x30000)):
        size = len(chr(point).encode())
        assert len(reference.folded(point)) <= size + size // 2
        assert all(reference.folded(part) == (part,) for part in reference.folded(point))
    assert all(len(value) <= len(name) + 1 for name, value in reference_markup.ENTITIES.items())


def test_canonical_equivalents_give_the_same_symbols():
    for text in ("Élève déjà Ångström", "Tiếng Việt ệ ờ", "한국어 각", "がぎぐ パ", "Ελληνικά ΐ ᾂ", "≠ ≮"):
        nfc, nfd = (unicodedata.normalize(form, text).encode() for form in ("NFC", "NFD"))
        assert np.array_equal(_text.unicode_block(nfc, True)[0], _text.unicode_block(nfd, True)[0]), text
        assert np.array_equal(_text.words_block(nfc, 0, True)[0], _text.words_block(nfd, 0, True)[0]), text


def test_every_hangul_syllable_is_one_symbol_however_it_is_written():
    syllables = [chr(point) for point in range(0xAC00, 0xD7A4)]
    composed = " ".join(syllables).encode()
    jamo = " ".join(unicodedata.normalize("NFD", syllable) for syllable in syllables).encode()
    for data in (composed, jamo):
        assert _text.unicode_block(data, True)[0].tolist() == list(range(0xAC00, 0xD7A4))
    assert np.array_equal(_text.words_block(composed, 0, True)[0], _text.words_block(jamo, 0, True)[0])


@same_unicode
def test_every_sequence_near_the_edges_of_utf_8_agrees():
    tails = (0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0)
    leads = [bytes(lead) for lead in itertools.product((0xC0, 0xC1, 0xC2, 0xDF), range(0x70, 0xD0))]
    leads += [
        bytes(lead) for lead in itertools.product((0xE0, 0xE1, 0xED, 0xEE, 0xEF), range(0x70, 0xD0), tails)
    ]
    leads += [
        bytes(lead)
        for lead in itertools.product((0xF0, 0xF1, 0xF3, 0xF4, 0xF5), range(0x7F, 0xC1), tails, tails)
    ]
    agree(b" ".join(leads))


def test_every_short_script_agrees_and_ends_where_it_should():
    for pieces in itertools.product([b"<!--", b"-->", b"<script>", b"</script>", b"-", b"x"], repeat=5):
        agree_markup(b"<script>" + b"".join(pieces) + b"y")


def test_sound_texts_equal_the_twin_on_every_pair_and_triple_of_nasty_bytes():
    texts = [bytes(each) for n in range(4) for each in itertools.product(NASTY, repeat=n)]
    texts += [bytes([byte]) for byte in range(256)]
    for sample in (0, 1, 2, 100):
        assert _text.sound(texts, sample) == reference.sound(texts, sample)


@given(st.lists(st.sampled_from([*PIECES, b"\x01", b"\x1b", b"a" * 70]), max_size=40), st.integers(0, 200))
def test_random_sound_texts_equal_the_twin(pieces, sample):
    text = b"".join(pieces)
    assert _text.sound([text, text[1:]], sample) == reference.sound([text, text[1:]], sample)
