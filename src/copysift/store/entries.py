"""What a writer is given: a document to put, and counts of its fingerprints."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from copysift.model.values import Fingerprints

if TYPE_CHECKING:
    from copysift.model.values import UInt64s

COMPRESSION = 6


@dataclass(frozen=True, slots=True)
class Entry:
    """A document to put: what the catalog keeps of it."""

    name: str
    checksum: bytes
    kind: str
    bytes: int
    file: bool = False
    mtime: int = 0
    unit: int | None = None  # the number of the unit that it belongs to, 0 for none; None: as before


class Views(NamedTuple):
    """The fingerprints of a content: those that every index has, and further ones by channel."""

    main: Fingerprints
    further: Mapping[str, Fingerprints] = MappingProxyType({})


def distinct(hashes: UInt64s) -> int:
    """Count distinct hashes; sorting is faster here than np.unique."""
    ordered = np.sort(hashes)
    return int(np.count_nonzero(ordered[1:] != ordered[:-1])) + 1 if len(ordered) else 0


def packed_pieces(chunks: Iterable[bytes], size: int) -> Iterator[bytes]:
    """Compress a text in pieces of a size, the last one the rest; an empty text is one empty piece."""
    rest, any_piece = bytearray(), False
    for chunk in chain(chunks, [None]):
        rest += chunk or b""
        while len(rest) >= size or (chunk is None and (rest or not any_piece)):
            yield zlib.compress(rest[:size], COMPRESSION)
            any_piece = True
            del rest[:size]
