"""Text: the letters, marks and numbers of UTF-8, case folded, as `kernels/reference/text.py` defines.

Exception to the position-map law: a character that folds to several symbols (ß → ss) gives all of
them again where the run holds only some.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from copysift import kernels
from copysift.kinds.kind import Kind, placed, stream
from copysift.kinds.positions import Characters, Masks
from copysift.model.traits import KindTraits, Thresholds
from copysift.model.values import Canonical


class Text:
    """Characters are the symbols: uint8 where only ASCII is kept, else uint32 code points."""

    def blocks(self, chunks: Iterable[bytes]) -> Iterator[Canonical]:
        """Canonicalise a document that comes in chunks of any size."""
        return (block for block in stream(chunks, placed(_step), uneven=True) if len(block.symbols))

    def whole(self, data: bytes) -> Canonical:
        """Canonicalise a document that is in memory."""
        return _step(data, 0, True)[0]


def _step(data: bytes | memoryview, offset: int, final: bool) -> tuple[Canonical, int]:
    plain = kernels.text.plain_block(data, final)
    if plain is not None:
        narrow, masks, ranks, used = plain
        return Canonical(narrow, Masks(masks, ranks, offset)), used
    symbols, masks, ranks, bounds, extra, used = kernels.text.unicode_block(data, final)
    return Canonical(symbols, Characters(masks, ranks, bounds, extra, offset)), used


KIND = Kind(
    KindTraits(
        "text",
        "characters: letters, marks and digits of any script, case folded",
        "characters",
        Thresholds(25, 50),
        inner=4,
        markup=False,
        salt=0x2545F4914F6CDD1D,
    ),
    Text,
)
