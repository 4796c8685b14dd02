"""Bytes: any file, raw, as sif took it. The position-map law holds without exception."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from copysift.kinds.kind import Kind, placed, stream
from copysift.kinds.positions import Identity
from copysift.model.traits import KindTraits, Thresholds
from copysift.model.values import Canonical


class Raw:
    """Every byte is a symbol."""

    def blocks(self, chunks: Iterable[bytes]) -> Iterator[Canonical]:
        """Canonicalise a document that comes in chunks of any size."""
        return (block for block in stream(chunks, placed(_step)) if len(block.symbols))

    def whole(self, data: bytes) -> Canonical:
        """Canonicalise a document that is in memory."""
        return _step(data, 0, True)[0]


def _step(data: bytes | memoryview, offset: int, final: bool) -> tuple[Canonical, int]:
    return Canonical(np.frombuffer(data, np.uint8), Identity(offset, len(data))), len(data)


# One fingerprint in about 128 bytes.
KIND = Kind(
    KindTraits(
        "bytes", "any file, raw", "bytes", Thresholds(50, 305), inner=4, raw=True, salt=0xBF58476D1CE4E5B9
    ),
    Raw,
)
