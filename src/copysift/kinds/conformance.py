"""The kit that every language must pass, built-in or added: call `check` with a sample of the language.

    from copysift.kinds.conformance import check
    check(entry, b"a program …")

It raises AssertionError with the law that is broken. A sample should have a comment of each form, a
string, a number, a keyword, and names.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from copysift import kernels
from copysift.kinds.lextable import DEDENT, IDENTIFIER, INDENT, NEWLINE, NUMBER
from copysift.kinds.positions import Explicit

if TYPE_CHECKING:
    from copysift.kinds.catalog import Entry
    from copysift.model.values import UInt32s, UInt64s

_LAYOUT = (NEWLINE, INDENT, DEDENT)
_LAST_CLASS = DEDENT  # above it are the symbols of keywords and operators


class Lexed(NamedTuple):
    """The tokens of a source."""

    symbols: UInt32s
    starts: UInt32s
    ends: UInt32s
    lexemes: UInt64s


def lexed(entry: Entry, source: bytes) -> Lexed:
    """Lex a source in a language."""
    return Lexed(*kernels.lex.lex(source, *entry.table.arrays()))


def check(entry: Entry, sample: bytes) -> None:
    """Check every law on a sample."""
    tokens = lexed(entry, sample)
    assert len(tokens.symbols) >= 8, f"{entry.name}: the sample has only {len(tokens.symbols)} tokens"
    spans_ascend(entry, sample)
    comments_vanish(entry, sample)
    layout_vanishes(entry, sample)
    spans_hold_their_lexemes(entry, sample)
    renaming_changes_nothing(entry, sample)
    keywords_stay(entry)
    broken_code_lexes(entry, sample)


def spans_ascend(entry: Entry, source: bytes) -> None:
    """Every token has a span inside the source, and none overlaps the one before it."""
    tokens = lexed(entry, source)
    assert len({len(column) for column in tokens}) == 1, f"{entry.name}: columns differ in length"
    starts, ends = tokens.starts.astype(np.int64), tokens.ends.astype(np.int64)
    assert (starts[1:] >= ends[:-1]).all(), f"{entry.name}: spans overlap or go back"
    empty = ends <= starts
    assert not (empty & ~np.isin(tokens.symbols, _LAYOUT)).any(), f"{entry.name}: a token without a span"
    assert not len(ends) or ends[-1] <= len(source), f"{entry.name}: a span past the end"


def spans_hold_their_lexemes(entry: Entry, source: bytes) -> None:
    """The span of every token is its lexeme: by itself it is that token again.

    The symbol of a keyword or operator is made of its lexeme alone. A literal may depend on what is
    before it (what follows a hole, the body of a heredoc), so that only its lexeme is looked at.
    """
    fold = not entry.language.case_sensitive
    tokens = lexed(entry, source)
    for symbol, start, end, told in zip(*(column.tolist() for column in tokens), strict=True):
        lexeme = source[start:end]
        where = f"{entry.name}: the span of {lexeme!r}"
        if symbol in _LAYOUT:
            continue
        if symbol > _LAST_CLASS:
            made = kernels.lex.lexeme_hash(lexeme, fold) >> 32 | 0x80000000
            assert made == symbol, f"{where} is not that of its keyword or operator"
        elif symbol in (IDENTIFIER, NUMBER):
            assert _without_layout(lexed(entry, _lead(entry) + lexeme).symbols) == [symbol], (
                f"{where} lexes otherwise"
            )
        else:
            hashes = [kernels.lex.lexeme_hash(lexeme, each) for each in (False, True)]
            assert told in hashes or _has_holes(entry), f"{where} is not that of its literal"


def _lead(entry: Entry) -> bytes:
    """Give blanks that lead past the columns that mean something."""
    return b" " * max((rule.column for rule in entry.language.rules), default=0)


def _has_holes(entry: Entry) -> bool:
    return any(rule.hole for rule in entry.language.rules)


def _without_layout(symbols: UInt32s) -> list[int]:
    return [symbol for symbol in symbols.tolist() if symbol not in _LAYOUT]


def comments_vanish(entry: Entry, source: bytes) -> None:
    """A comment of each form, on lines of its own before the program, gives no token."""
    expected = lexed(entry, source).symbols
    for rule in entry.language.rules:
        if rule.symbol != "comment":
            continue
        close = rule.close + rule.end if rule.kind == "fenced" else rule.close
        if rule.kind == "branch":
            close = f"\n{rule.open[:1]}endif"
        text = f"{rule.open}{rule.middle} words, 'quotes\" and 12 {close}"
        lead = " " * (rule.column - 1) if rule.column > 1 else ""
        found = lexed(entry, f"{lead}{text}\n".encode() + source).symbols
        assert np.array_equal(found, expected), f"{entry.name}: the comment {text!r} gives tokens"


def layout_vanishes(entry: Entry, source: bytes) -> None:
    """More blanks between tokens, and empty lines, change no symbol."""
    tokens = lexed(entry, source)
    assert np.array_equal(lexed(entry, b"\n \n" + source + b"\n\n").symbols, tokens.symbols), (
        f"{entry.name}: empty lines give tokens"
    )
    parts, last = [], 0
    for start, end in zip(tokens.starts.tolist(), tokens.ends.tolist(), strict=True):
        gap = source[last:start]
        # Only a gap that is blank already, so that what stands together stays together.
        parts += [gap + b" \t " if gap and gap == b" " * len(gap) else gap, source[start:end]]
        last = end
    if not entry.language.indentation and not any(rule.column for rule in entry.language.rules):
        found = lexed(entry, b"".join([*parts, source[last:]])).symbols
        assert np.array_equal(found, tokens.symbols), f"{entry.name}: blanks change the symbols"


def renaming_changes_nothing(entry: Entry, source: bytes) -> None:
    """Another name for every identifier gives the same symbols."""
    tokens = lexed(entry, source)
    names: dict[bytes, bytes] = {}
    parts, last = [], 0
    for symbol, start, end in zip(
        tokens.symbols.tolist(), tokens.starts.tolist(), tokens.ends.tolist(), strict=True
    ):
        lexeme = source[start:end]
        if symbol == IDENTIFIER:
            sigil = re.match(rb"[^\w]*", lexeme)
            kept = sigil.group() if sigil else b""
            new = names.setdefault(lexeme, kept + b"Zq%dk" % len(names))
            lexeme = new
        parts += [source[last:start], lexeme]
        last = end
    found = lexed(entry, b"".join([*parts, source[last:]])).symbols
    assert names, f"{entry.name}: the sample has no identifier"
    assert np.array_equal(found, tokens.symbols), f"{entry.name}: renaming changes the symbols"


def keywords_stay(entry: Entry) -> None:
    """Every keyword has a symbol of its own, and is not an identifier."""
    fold = not entry.language.case_sensitive
    for word in (_lead(entry).decode() + each for each in entry.language.keywords):
        symbols = lexed(entry, word.encode()).symbols.tolist()
        assert symbols[:1] not in ([], [IDENTIFIER]), f"{entry.name}: the keyword {word} is an identifier"
        if fold:
            assert lexed(entry, word.upper().encode()).symbols.tolist() == symbols, (
                f"{entry.name}: {word}: case"
            )


def broken_code_lexes(entry: Entry, source: bytes) -> None:
    """Cut anywhere, or with a byte changed, a program still lexes, with spans that ascend."""
    for cut in range(0, len(source), max(1, len(source) // 64)):
        spans_ascend(entry, source[:cut])
        spans_ascend(entry, source[cut:])
        spans_ascend(entry, source[:cut] + b"\x00\xff\"'`{(" + source[cut + 1 :])


def slices_lex_again(entry: Entry, source: bytes, first: int, last: int) -> bool:
    """Say whether the source of a run of tokens, lexed again, gives that run: the position-map law.

    What represents context is left out: indentation and the ends of lines, and columns.
    """
    tokens = lexed(entry, source)
    start, end = Explicit(tokens.starts, tokens.ends).spans(np.array([first]), np.array([last]))
    again = lexed(entry, _lead(entry) + source[int(start[0]) : int(end[0])])
    return _without_layout(again.symbols) == _without_layout(tokens.symbols[first : last + 1])
