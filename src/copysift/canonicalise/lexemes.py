"""What code tells beside its token classes: statements word for word, and the text of its strings.

Renaming and reformatting do not change token classes; a copy whose author only inserted statements, or
whose messages stayed, shows here. Both are sets of hashes that need no position.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from copysift import kernels
from copysift.canonicalise.lextable import NEWLINE, STRING

if TYPE_CHECKING:
    from copysift.canonicalise.language import Language
    from copysift.values import UInt32s, UInt64s

SHORTEST = 3  # tokens of a statement that says anything
LONGEST = 40  # characters of a string that count, each as one fingerprint
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_STEP = np.uint64(0xD1B54A32D192ED03)


class Lexemes(NamedTuple):
    """Hashes of statements, and of strings as often as each counts; a hash may stand there twice."""

    statements: UInt64s
    strings: UInt64s

    @classmethod
    def none(cls) -> Lexemes:
        return cls(np.empty(0, np.uint64), np.empty(0, np.uint64))


def separators(language: Language) -> UInt32s:
    """Give the symbols that end a statement."""
    hashes = [kernels.lex.lexeme_hash(char.encode(), False) for char in language.separators]
    return np.array([NEWLINE, *(value >> 32 | 0x80000000 for value in hashes)], np.uint32)


def statements(
    symbols: UInt32s, lexemes: UInt64s, starts: UInt32s, ending: UInt32s, breaks: UInt32s | None
) -> UInt64s:
    """Give the hash of every statement of at least SHORTEST tokens, separators left out.

    `breaks` are the places of line ends, where those end a statement too.
    """
    if not len(symbols):
        return np.empty(0, np.uint64)
    outside = symbols == ending[0]
    for symbol in ending[1:]:  # a few comparisons are faster than np.isin
        outside |= symbols == symbol
    inside = ~outside
    first = np.empty(len(symbols), np.bool_)
    first[0], first[1:] = True, ~inside[:-1]
    if breaks is not None:
        line = np.searchsorted(breaks, starts)
        first[1:] |= line[1:] != line[:-1]
    heads = np.flatnonzero(first)
    place = np.arange(len(symbols)) - np.repeat(heads, np.diff(np.append(heads, len(symbols))))
    values = np.where(inside, (lexemes ^ (place.astype(np.uint64) * _STEP)) * _FACTOR, np.uint64(0))
    values ^= values >> np.uint64(29)
    sums = np.add.reduceat(values * _FACTOR, heads)
    counts = np.add.reduceat(inside.astype(np.int64), heads)
    found: UInt64s = sums[counts >= SHORTEST]
    return found


def strings(symbols: UInt32s, lexemes: UInt64s, starts: UInt32s, ends: UInt32s) -> UInt64s:
    """Give hashes of every string literal: one for each character, up to LONGEST."""
    found = np.flatnonzero(symbols == STRING)
    if not len(found):
        return np.empty(0, np.uint64)
    hashes = lexemes[found]
    times = np.clip(ends[found].astype(np.int64) - starts[found] - 2, 0, LONGEST)  # without the quotes
    first = np.cumsum(times) - times
    place = (np.arange(times.sum()) - np.repeat(first, times)).astype(np.uint64)
    told: UInt64s = np.repeat(hashes, times) * _FACTOR + (place + np.uint64(1)) * _STEP
    return told
