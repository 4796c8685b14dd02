"""What code tells beside its token classes: statements word for word, and the text of its strings.

Renaming and reformatting do not change token classes; a copy whose author only inserted statements, or
whose messages stayed, shows here. Both are sets of hashes that need no position.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from copysift import kernels
from copysift.kinds.lextable import NEWLINE

if TYPE_CHECKING:
    from copysift.kinds.language import Language
    from copysift.model.values import UInt32s, UInt64s

SHORTEST = 3  # tokens of a statement that says anything
LONGEST = 40  # characters of a string that count, each as one fingerprint


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
