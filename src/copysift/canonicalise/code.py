"""Code: token classes are the symbols, as `kernels/reference/lex.py` defines.

Comments and layout vanish, every identifier is one symbol, literals are one symbol a class, keywords
and operators stay. Exceptions to the position-map law: symbols that stand for context (a line's
indentation and its end where they count), a run that begins inside a literal with holes (`f"{x}"`) or
ends before a heredoc's body, and `/` or `'` whose meaning depends on what stands before the run.

A document of more than PIECE bytes is cut at line ends into pieces that are lexed each on its own, so
memory is bounded; a comment or literal across such a cut ends there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from copysift import kernels
from copysift.canonicalise.canonicaliser import stream
from copysift.canonicalise.positions import Explicit
from copysift.values import Canonical

if TYPE_CHECKING:
    from copysift.canonicalise.lextable import Table
    from copysift.values import UInt64s

PIECE = 8 << 20  # bytes


class Code:
    """Lexes documents of one language; `raw` makes the lexemes themselves the symbols."""

    def __init__(self, table: Table, raw: bool = False) -> None:
        self._arrays, self._raw = table.arrays(), raw

    def blocks(self, chunks: Iterable[bytes]) -> Iterator[Canonical]:
        """Canonicalise a document that comes in chunks of any size."""
        return (block for block, _ in self.both(chunks) if len(block.symbols))

    def whole(self, data: bytes) -> Canonical:
        """Canonicalise a document that is in memory."""
        blocks = list(self.blocks([data]))
        if len(blocks) == 1:
            return blocks[0]
        if not blocks:
            return Canonical(np.empty(0, np.uint32), Explicit(np.empty(0, np.uint32), np.empty(0, np.uint32)))
        starts, ends = (np.concatenate([getattr(each, side) for each in blocks]) for side in ("starts", "ends"))
        return Canonical(np.concatenate([each.symbols for each in blocks]), Explicit(starts, ends))

    def both(self, chunks: Iterable[bytes]) -> Iterator[tuple[Canonical, UInt64s]]:
        """Give each block with the hashes of its lexemes."""
        return stream(chunks, self._step, PIECE)

    def _step(
        self, data: bytes | memoryview, offset: int, final: bool
    ) -> tuple[tuple[Canonical, UInt64s], int]:
        used = len(data) if final else _line_end(data)
        symbols, starts, ends, lexemes = kernels.lex.lex(data[:used] if used < len(data) else data, *self._arrays)
        if offset:
            starts, ends = starts + np.uint32(offset), ends + np.uint32(offset)
        return (Canonical(lexemes if self._raw else symbols, Explicit(starts, ends)), lexemes), used


def _line_end(data: bytes | memoryview) -> int:
    """Give the end of the last line that ends in the block, or of the block if none does."""
    window = bytes(data[-(PIECE // 2) :])
    at = window.rfind(b"\n")
    return len(data) if at < 0 else len(data) - len(window) + at + 1
