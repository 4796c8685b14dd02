"""The compiled lexer equals the readable one: on samples, on every small source, on random ones."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from copysift.kernels import _lex as compiled
from copysift.kernels.reference import lex as readable
from copysift.kinds import languages
from copysift.kinds.catalog import Entry
from copysift.kinds.lexemes import lengths, separators

SAMPLES = Path(__file__).parents[1] / "kinds" / "samples"
LEXED = [entry for entry in languages().entries if not entry.language.text]


def check(entry: Entry, source: bytes) -> None:
    arrays = entry.table.arrays()
    tokens = compiled.lex(source, *arrays)
    for one, other in zip(tokens, readable.lex(source, *arrays), strict=True):
        assert np.array_equal(one, other), (entry.name, source)
    brief = lengths(entry.language.keywords)
    for most in (0, 1, 5):
        *first, hashes = compiled.lex(source, *arrays, brief=brief, most=most)
        for one, other in zip(first, tokens[:3], strict=True):
            assert np.array_equal(one, other[: most or None]), (entry.name, source, most)
        assert not len(hashes)
    ending, lines = separators(entry.language), entry.language.lines
    assert np.array_equal(
        compiled.statements(source, *tokens, ending, lines, 2),
        readable.statements(source, *tokens, ending, lines, 2),
    ), (entry.name, source)
    assert np.array_equal(compiled.strings(*tokens, 5), readable.strings(*tokens, 5)), (entry.name, source)


@pytest.mark.parametrize("entry", LEXED, ids=lambda entry: entry.name)
def test_samples_lex_alike_whole_and_cut(entry: Entry) -> None:
    source = (SAMPLES / f"{entry.name}.txt").read_bytes()
    for cut in range(0, len(source), 37):
        check(entry, source[cut:])
        check(entry, source[: len(source) - cut])


@pytest.mark.parametrize(
    "name", ["python", "javascript", "perl", "rust", "cpp", "ruby", "ada", "lisp", "csharp"]
)
def test_all_small_sources_lex_alike(name: str) -> None:
    entry = languages().find(name)
    rules = entry.language.rules
    pieces = sorted({"x", "1", "\n", " ", "'", '"', "/", "{", "}", "\\", *(rule.open for rule in rules[:3])})
    for length in (1, 2, 3):
        for parts in product(pieces, repeat=length):
            check(entry, "".join(parts).encode())


@pytest.mark.thorough
def test_lines_that_begin_with_a_string_lex_alike() -> None:
    """One that holds nothing else is a comment; the hash of any other is needed."""
    entry = languages().find("python")
    pieces = ['"a"', "'''b\nc'''", 'f"{', '}"', "\n", " ", "(", ")", "x", "\\\n"]
    for length in range(1, 5):
        for parts in product(pieces, repeat=length):
            check(entry, "".join(parts).encode())


def test_long_bodies_and_blanks_lex_alike() -> None:
    """Eight bytes are looked at together: what ends a body or blanks is at every place among them."""
    c, python = languages().find("c"), languages().find("python")
    for length in range(20):
        middle = "z" * length
        for end in ("*/", "*", "\n", "\r\n", "\\\n", "\\", '"', '\\"', "'", "\t", "\x0b", ""):
            for source in (f"/* {middle}{end}x */ y", f"// {middle}{end}x\ny", f'"{middle}{end}x" y\n'):
                check(c, source.encode())
            check(python, f"if a:\n{' ' * length}b{' ' * length}\t c{end}".encode())


def _pieces(entry: Entry) -> list[str]:
    language = entry.language
    fields = ("open", "close", "hole", "middle", "end")
    marks = {getattr(rule, name) for rule in language.rules for name in fields}
    plain = [
        "x",
        "Zq",
        "12",
        "1.5e+3",
        "0x1p-2",
        "\n",
        "\r\n",
        "\r",
        " ",
        "\t",
        "\\",
        "EOF",
        "<<EOF\n",
        "\n#else",
        "\n # endif",
        "\n#elif",
        "\n#ifdef",
        "\xa0",
        "\u200b",
    ]
    return [
        *sorted(marks),
        *language.operators,
        *language.keywords[:6],
        *language.sigils,
        *"(){}[];='\"#",
        *plain,
    ]


@settings(max_examples=400, deadline=None)
@given(st.data())
def test_random_sources_lex_alike(data: st.DataObject) -> None:
    entry = data.draw(st.sampled_from(LEXED))
    source = "".join(data.draw(st.lists(st.sampled_from(_pieces(entry)), max_size=24))).encode()
    check(entry, source[: data.draw(st.integers(0, len(source)))])


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(LEXED), st.binary(max_size=40))
def test_random_bytes_lex_alike(entry: Entry, source: bytes) -> None:
    check(entry, source)


@pytest.mark.parametrize("most", [0, 3])
def test_the_first_tokens_equal_those_of_the_twin(most: int) -> None:
    arrays, brief = languages().find("c").table.arrays(), np.full(256, 2**32 - 1, np.uint32)
    sides = [each.lex(b'int x = "y" + 12;', *arrays, brief=brief, most=most) for each in (compiled, readable)]
    assert [each.tolist() for each in sides[0]] == [each.tolist() for each in sides[1]]


def test_lengths_of_keywords_are_for_every_byte() -> None:
    arrays = languages().find("c").table.arrays()
    with pytest.raises(ValueError, match="each byte"):
        compiled.lex(b"int", *arrays, brief=np.zeros(255, np.uint32))


def test_a_lexeme_has_one_hash() -> None:
    for lexeme in (b"", b"a", b"While", b"\xff\x00"):
        assert compiled.lexeme_hash(lexeme, False) == readable.lexeme_hash(lexeme, False)
        assert compiled.lexeme_hash(lexeme, True) == readable.lexeme_hash(lexeme, True)
    assert compiled.lexeme_hash(b"WHILE", True) == compiled.lexeme_hash(b"while", False)
