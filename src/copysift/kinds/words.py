"""Words: Broder's canonical form. The symbols are hashes of lower-cased words.

A word is a maximal run of letters, marks, numbers and _; each ideograph, each kana and each letter of a
script without spaces (Thai, Lao, Khmer, Burmese …), with its marks, is a word of its own. A run of over
64 KiB is cut into words of that size, so that a gigabyte without a space streams too. The position-map law
holds without exception.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from copysift import kernels
from copysift.kinds.kind import Kind, placed, stream
from copysift.kinds.positions import Explicit
from copysift.model.traits import KindTraits, Thresholds
from copysift.model.values import Canonical


class Words:
    """Words are the symbols, as 64-bit hashes that need no seed."""

    def blocks(self, chunks: Iterable[bytes]) -> Iterator[Canonical]:
        """Canonicalise a document that comes in chunks of any size."""
        return (block for block in stream(chunks, placed(_step), uneven=True) if len(block.symbols))

    def whole(self, data: bytes) -> Canonical:
        """Canonicalise a document that is in memory."""
        return _step(data, 0, True)[0]


def _step(data: bytes | memoryview, offset: int, final: bool) -> tuple[Canonical, int]:
    symbols, starts, ends, used = kernels.text.words_block(data, offset, final)
    return Canonical(symbols, Explicit(starts, ends)), used


KIND = Kind(
    KindTraits(
        "words", "shingles of words, as in the syntactic clustering of the Web", "words", Thresholds(10, 10)
    ),
    Words,
)
