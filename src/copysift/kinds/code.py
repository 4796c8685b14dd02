"""Code: token classes are the symbols, as `kernels/reference/lex.py` defines.

Comments and layout disappear, every identifier is one symbol, literals are one symbol a class, keywords
and operators stay. Exceptions to the position-map law: symbols that represent context (a line's
indentation and its end where they count), a run that starts inside a literal with holes (`f"{x}"`) or
ends before a heredoc's body, and `/` or `'` whose meaning depends on what is before the run.

A document of more than PIECE bytes is cut at line ends into pieces that are lexed each on its own, so
memory is bounded; a comment or literal across such a cut ends there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from copysift import kernels
from copysift.kinds import lexemes
from copysift.kinds.kind import CodeCanonicaliser, placed, stream
from copysift.kinds.lexemes import Lexemes, PlacedLexemes
from copysift.kinds.positions import Explicit
from copysift.model.values import Canonical

if TYPE_CHECKING:
    from copysift.kinds.catalog import Entry
    from copysift.model.values import UInt32s, UInt64s

    Rule = tuple[int, int, int, bool, int]  # k, w, seed, robust, r of open-closed

PIECE = 8 << 20  # bytes


class Code(CodeCanonicaliser):
    """Lexes documents of one language."""

    def __init__(self, entry: Entry) -> None:
        self._arrays = entry.table.arrays()
        self._ending = lexemes.separators(entry.language)
        self._lines = entry.language.lines
        self._lengths = lexemes.lengths(entry.language.keywords)

    def told(self, chunks: Iterable[bytes], into: list[Lexemes] | None) -> Iterator[Canonical]:
        """Canonicalise, and put what the lexemes of each block say into a list."""

        def step(data: bytes | memoryview, offset: int, final: bool) -> tuple[Canonical, int]:
            used = len(data) if final else _line_end(data)
            data = data[:used] if used < len(data) else data
            symbols, starts, ends, hashes = kernels.lex.lex(data, *self._arrays)
            if into is not None:
                tokens = (symbols, starts, ends, hashes)
                ending = (self._ending, self._lines, lexemes.SHORTEST)
                into.append(
                    Lexemes(
                        kernels.lex.statements(data, *tokens, *ending),
                        kernels.lex.strings(*tokens, lexemes.LONGEST),
                    )
                )
            if offset:
                starts, ends = starts + np.uint32(offset), ends + np.uint32(offset)
            return Canonical(symbols, Explicit(starts, ends)), used

        return (block for block in stream(chunks, placed(step), PIECE) if len(block.symbols))

    def beginning(self, data: bytes, most: int) -> Canonical:
        """Canonicalise a program of up to PIECE bytes as far as its first `most` tokens."""
        symbols, starts, ends, _ = kernels.lex.lex(data, *self._arrays, brief=self._lengths, most=most)
        return Canonical(symbols, Explicit(starts, ends))

    def winnowed(self, sources: list[bytes], rule: Rule) -> tuple[list[UInt64s], list[Lexemes]]:
        """Give hashes and lexemes of programs of up to PIECE bytes each."""
        found = self._winnowed(sources, rule)
        hashes, statements, strings = (
            [values[start:end] for start, end in pairwise(bounds.tolist())] for values, bounds in found
        )
        return hashes, list(map(Lexemes, statements, strings))

    def distinct(self, sources: list[bytes], rule: Rule, most: int) -> list[UInt64s]:
        """Give the distinct hashes of the first `most` tokens of programs of up to PIECE bytes each."""
        hashes, bounds = self._winnowed(sources, rule, self._lengths, most)[0]
        return [hashes[start:end] for start, end in pairwise(bounds.tolist())]

    def _winnowed(self, sources: list[bytes], rule: Rule, brief: UInt32s | None = None, most: int = 0) -> Any:
        """Give hashes, statements and strings, and where those of each program are."""
        table, ending, lines = self._arrays, self._ending, self._lines
        limits = lexemes.SHORTEST, lexemes.LONGEST
        told = table, ending, lines, *limits, *rule
        return kernels.batch.winnow_programs(sources, *told, brief=brief, most=most)

    def places(self, data: bytes) -> PlacedLexemes:
        """Find the statements and strings of a source in memory; of one of over PIECE bytes, of its start."""
        head = data[:PIECE]
        tokens = kernels.lex.lex(head, *self._arrays)
        return lexemes.placed(head, tokens, self._ending, self._lines)


def _line_end(data: bytes | memoryview) -> int:
    """Give the end of the last line that ends in the block, or of the block if none does."""
    window = bytes(data[-(PIECE // 2) :])
    at = window.rfind(b"\n")
    return len(data) if at < 0 else len(data) - len(window) + at + 1
