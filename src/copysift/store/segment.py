"""A segment: sorted postings in an immutable file, its directory mapped into memory and searched in place.

docs/format.md is its grammar: a header, pages of bit-packed columns, a directory. The header and
every page have a CRC-32, and a page is checked whenever it is read, so that a damaged one is never
believed. Keys are hashes scrambled by a multiplication that can be undone: they fill 64 bits
evenly, whatever the scheme selected.
"""

from __future__ import annotations

import mmap
import os
import struct
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from copysift import kernels
from copysift.errors import StoreError
from copysift.join.memory import SCRAMBLE, UNSCRAMBLE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from copysift.model.values import UInt32s, UInt64s

MAGIC = b"SIFTSEG\0"
VERSION = 1
PAGE = 128  # postings of a page: a look-up reads and checks one; twice as many save an eighth of a byte each
RANGES = 1 << 32  # bounds of segments are in units of 2^32 keys
SUFFIX = ".seg"
# magic, version, postings a page, postings, place of the directory, contents from and to, number, padding
_HEADER = struct.Struct("<8sIIQQIIQ8xI")
HEADER_BYTES = 64  # with the CRC-32 of what stands before it in the last four


class Columns(NamedTuple):
    """Postings as columns, sorted by key, document, start; spans are half-open: start .. start + length."""

    keys: UInt64s
    documents: UInt32s
    starts: UInt32s
    lengths: UInt32s

    def take(self, which: NDArray[np.generic] | slice) -> Columns:
        """Give some of the postings."""
        return Columns(self.keys[which], self.documents[which], self.starts[which], self.lengths[which])


class Found(NamedTuple):
    """Postings of keys that were looked up: `which` is the place of the key among the wanted ones."""

    which: UInt32s
    documents: UInt32s
    starts: UInt32s
    lengths: UInt32s


@dataclass(frozen=True, slots=True)
class Damage:
    """Something in an index that is not as it was written."""

    where: str
    what: str


def keys_of(hashes: UInt64s) -> UInt64s:
    """Turn hashes into keys of segments."""
    keys: UInt64s = hashes * np.uint64(SCRAMBLE)
    return keys


def hashes_of(keys: UInt64s) -> UInt64s:
    """Turn keys of segments back into hashes."""
    hashes: UInt64s = keys * np.uint64(UNSCRAMBLE)
    return hashes


def file_name(number: int) -> str:
    """Give the name of a segment; numbers are never used again."""
    return f"{number:08d}{SUFFIX}"


def sorted_columns(columns: Columns) -> Columns:
    """Sort postings; those of equal keys are expected in order of document, and put so where they are not."""
    keys = columns.keys.copy()
    places = np.arange(len(keys), dtype=np.uint32)
    kernels.join.sort_pairs(keys, places)
    made = Columns(keys, *(column[places] for column in columns[1:]))
    same = made.keys[1:] == made.keys[:-1]
    if np.any(same & (made.documents[1:] < made.documents[:-1])):
        made = columns.take(np.lexsort((columns.starts, columns.documents, columns.keys)))
    return made


def encode(columns: Columns, number: int) -> list[memoryview]:
    """Give the file of a segment in parts, from sorted postings; there must be some."""
    keys = np.ascontiguousarray(columns.keys)
    rest = [np.ascontiguousarray(column) for column in columns[1:]]
    packed, directory = kernels.postings.pack(keys, rest[0], rest[1], rest[2], PAGE, HEADER_BYTES)
    end = HEADER_BYTES + len(packed)
    padding = -end % 8  # the directory is read in place
    low, high = int(columns.documents.min()), int(columns.documents.max())
    head = _HEADER.pack(MAGIC, VERSION, PAGE, len(columns.keys), end + padding, low, high, number, padding)
    head += struct.pack("<I", zlib.crc32(head))
    return [memoryview(head), packed.data, memoryview(bytes(padding)), directory.view(np.uint8).data]


class Segment:
    """A segment opened for reading: it stays readable after its file is removed.

    Its directory is looked at in the mapped file. Look-ups read the pages that they meet instead of
    touching them: the system would map 64 KB around each, and a query of some hundred hashes in ten
    segments would seem to take a quarter of a gigabyte.
    """

    def __init__(self, path: Path, low: int = 0, high: int = RANGES) -> None:
        self.path, self.low, self.high = path, low, high
        self.name = f"{path.parent.name}/{path.name}"
        self._descriptor = _opened(path, self.name)
        self._data = _mapped(self._descriptor, self.name)
        fields = _checked_header(self._data[:HEADER_BYTES].tobytes(), self.name)
        version, self._page, self.entries, self._at, self.first, self.last, number, padding = fields
        if version != VERSION:
            raise StoreError(
                f"{self.name} has format {version}, and this copysift reads format {VERSION}",
                hint="use the copysift that wrote it, or a newer one",
            )
        if file_name(number) != path.name:
            raise StoreError(f"{self.name} is not the file that the catalog names, but segment {number}")
        self._end = self._at - padding
        self.pages = (self.entries + self._page - 1) // self._page
        if len(self._data) != self._at + self.pages * kernels.postings.ENTRY.itemsize:
            raise StoreError(f"{self.name} is truncated: it has {len(self._data):,} bytes")
        self._directory = self._data[self._at :]
        self._firsts = self._directory.view(kernels.postings.ENTRY)["key"]

    def __del__(self) -> None:
        if getattr(self, "_descriptor", -1) >= 0:
            os.close(self._descriptor)

    def find(self, wanted: UInt64s) -> tuple[Found, list[Damage]]:
        """Look up keys, ascending and distinct, as far as they lie in the segment's bounds."""
        first = int(np.searchsorted(wanted, np.uint64(self.low << 32))) if self.low else 0
        last = int(np.searchsorted(wanted, np.uint64(self.high << 32))) if self.high < RANGES else len(wanted)
        kernel = kernels.postings
        shape = (HEADER_BYTES, self._end, self._directory, self._page, self.entries)
        keys = np.ascontiguousarray(wanted[first:last])
        which, documents, starts, lengths, bad = (
            kernel.find_in(self._descriptor, *shape, keys)
            if kernel.CAN_READ
            else kernel.find(self._data, *shape, keys)
        )
        if first:
            which = which + np.uint32(first)
        return Found(which, documents, starts, lengths), self._damages(bad)

    def between(self, low: int, high: int) -> tuple[Columns, list[Damage]]:
        """Give the postings whose keys lie in low .. high − 1, in units of 2^32, and in the bounds."""
        low, high = max(low, self.low), min(high, self.high)
        if low >= high:
            return _nothing(), []
        first = max(0, int(np.searchsorted(self._firsts, np.uint64(low << 32))) - 1) if low else 0
        whole = high == RANGES
        last = self.pages if whole else int(np.searchsorted(self._firsts, np.uint64(high << 32)))
        columns, damages = self.read(first, last)
        begin = int(np.searchsorted(columns.keys, np.uint64(low << 32))) if low else 0
        end = len(columns.keys) if whole else int(np.searchsorted(columns.keys, np.uint64(high << 32)))
        return columns.take(slice(begin, end)), damages

    def read(self, first: int, last: int) -> tuple[Columns, list[Damage]]:
        """Give the postings of pages first .. last − 1, damaged pages left out; the bounds do not matter."""
        keys, documents, starts, lengths, bad = kernels.postings.unpack(
            self._data, HEADER_BYTES, self._end, self._directory, self._page, self.entries, first, last
        )
        return Columns(keys, documents, starts, lengths), self._damages(bad)

    def _damages(self, bad: UInt32s) -> list[Damage]:
        return [Damage(self.name, f"page {page} of {self.pages} fails its checksum") for page in bad.tolist()]


def _opened(path: Path, name: str) -> int:
    try:
        return os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    except FileNotFoundError:
        raise
    except OSError as error:
        raise StoreError(f"{name} cannot be read: {error.strerror}") from error


def _mapped(descriptor: int, name: str) -> NDArray[np.uint8]:
    try:
        if not os.fstat(descriptor).st_size:
            raise StoreError(f"{name} is truncated: it is empty")
        return np.frombuffer(mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ), np.uint8)
    except OSError as error:
        raise StoreError(f"{name} cannot be read: {error.strerror}") from error


def _checked_header(head: bytes, name: str) -> tuple[int, int, int, int, int, int, int, int]:
    if len(head) < HEADER_BYTES:
        raise StoreError(f"{name} is truncated: it has {len(head)} bytes")
    magic, *fields = _HEADER.unpack_from(head)
    (crc,) = struct.unpack_from("<I", head, HEADER_BYTES - 4)
    if magic != MAGIC:
        raise StoreError(f"{name} is not a segment")
    if crc != zlib.crc32(head[: HEADER_BYTES - 4]):
        raise StoreError(f"the header of {name} fails its checksum")
    version, page, entries, at, low, high, number, padding = fields
    fits = 1 <= page <= 65535 and entries and padding < 8 and at >= HEADER_BYTES + padding and at % 8 == 0
    if version == VERSION and not fits:
        raise StoreError(f"the header of {name} is impossible")
    return version, page, entries, at, low, high, number, padding


def _nothing() -> Columns:
    return Columns(np.empty(0, np.uint64), *(np.empty(0, np.uint32) for _ in range(3)))
