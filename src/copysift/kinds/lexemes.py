"""What code says beside its token classes: statements word for word, and the text of its strings.

Renaming and reformatting do not change token classes; a copy whose author only inserted statements, or
whose messages stayed, shows here. Both are sets of hashes; only a report needs their places.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from copysift import kernels
from copysift.kinds.lextable import NEWLINE, STRING

if TYPE_CHECKING:
    from copysift.kinds.language import Language
    from copysift.model.values import UInt32s, UInt64s

    Offsets = np.ndarray[tuple[int, int], np.dtype[np.int64]]
    Tokens = tuple[UInt32s, UInt32s, UInt32s, UInt64s]  # symbols, starts, ends, hashes of lexemes

SHORTEST = 3  # tokens of a statement that says anything
LONGEST = 40  # characters of a string that count, each as one fingerprint


def lengths(keywords: tuple[str, ...]) -> UInt32s:
    """Give the lengths of the keywords for each first byte, as bits; bit 31 is for all longer ones."""
    found = np.zeros(256, np.uint32)
    for word in map(str.encode, keywords):
        found[word[0]] |= np.uint32(1) << np.uint32(min(len(word), 31))
    return found


class Lexemes(NamedTuple):
    """Hashes of statements, and of strings as often as each counts; a hash may be there twice."""

    statements: UInt64s
    strings: UInt64s

    @classmethod
    def none(cls) -> Lexemes:
        return cls(np.empty(0, np.uint64), np.empty(0, np.uint64))


class PlacedLexemes(NamedTuple):
    """Statements and strings with their places: half-open byte offsets of the source.

    Row i of `statements` and of `strings` has start and end of what has the hash i; of a string it is the
    first of its hashes, which represents all of them.
    """

    statement_hashes: UInt64s
    statements: Offsets
    string_hashes: UInt64s
    strings: Offsets

    def moved(self, by: int) -> PlacedLexemes:
        """Give the same ones, `by` bytes further on."""
        return self._replace(statements=self.statements + by, strings=self.strings + by)

    @classmethod
    def together(cls, parts: Iterable[PlacedLexemes]) -> PlacedLexemes:
        """Put the parts of a document together."""
        none = np.empty(0, np.uint64), np.empty((0, 2), np.int64)
        return cls(*(np.concatenate(each) for each in zip(cls(*none, *none), *parts, strict=True)))


def placed(data: bytes, tokens: Tokens, ending: UInt32s, lines: bool) -> PlacedLexemes:
    """Find where the statements and strings of a lexed source are; hashes are those of `Lexemes`."""
    symbols, starts, ends, _ = tokens
    separate = np.isin(symbols, ending)
    breaks = separate.copy()
    if lines and len(symbols):
        ended = np.flatnonzero(np.frombuffer(data, np.uint8) == ord("\n"))
        breaks[1:] |= np.searchsorted(ended, ends[:-1]) < np.searchsorted(ended, starts[1:])
    own = np.flatnonzero(~separate)
    part = np.cumsum(breaks)[own]
    _, first, count = np.unique(part, return_index=True, return_counts=True)
    long = count >= SHORTEST
    first, last = own[first[long]], own[(first + count - 1)[long]]
    statements = kernels.lex.statements(data, *tokens, ending, lines, SHORTEST)
    texts = np.flatnonzero((symbols == STRING) & (ends - starts > 2))
    sizes = np.minimum(ends[texts] - starts[texts] - 2, LONGEST).astype(np.int64)
    strings = kernels.lex.strings(*tokens, LONGEST)[np.cumsum(sizes) - sizes]
    return PlacedLexemes(
        statements,
        np.column_stack([starts[first], ends[last]]).astype(np.int64),
        strings,
        np.column_stack([starts[texts], ends[texts]]).astype(np.int64),
    )


def together(parts: list[Lexemes]) -> Lexemes:
    """Put the lexemes of the blocks of a document together."""
    if len(parts) == 1:
        return parts[0]
    none = Lexemes.none()
    return Lexemes(*(np.concatenate(each) for each in zip(none, *parts, strict=True)))


def separators(language: Language) -> UInt32s:
    """Give the symbols that end a statement."""
    hashes = [kernels.lex.lexeme_hash(char.encode(), False) for char in language.separators]
    return np.array([NEWLINE, *(value >> 32 | 0x80000000 for value in hashes)], np.uint32)
