"""What a writer is given: a document to put, and counts of its fingerprints."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from copysift.errors import InputError
from copysift.model.values import Fingerprints
from copysift.runtime.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from copysift.model.values import Fingerprints, UInt64s

WHOLE = ".whole"  # after a channel: all k-grams of a content with few fingerprints
COMPRESSION = 6
LARGEST = 2**32 - 1  # bytes of a document: the offsets of postings are 32-bit
TOO_LARGE = "is over 4 GiB, and an index has no room for its offsets"


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


def refuse_wide(found: Fingerprints) -> None:
    """Refuse offsets for which a segment has no space; a document of over 4 GiB is refused before.

    The text of a smaller file may still be larger than that in UTF-8.
    """
    if found.ends.dtype != np.uint32:
        raise InputError(f"a text {TOO_LARGE}")


def packed_pieces(chunks: Iterable[bytes], size: int) -> Iterator[bytes]:
    """Compress a text in pieces of a size, the last one the rest; an empty text is one empty piece."""
    rest, any_piece = bytearray(), False
    for chunk in chain(chunks, [None]):
        rest += chunk or b""
        while len(rest) >= size or (chunk is None and (rest or not any_piece)):
            yield zlib.compress(rest[:size], COMPRESSION)
            any_piece = True
            del rest[:size]
