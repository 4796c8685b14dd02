"""A segment: sorted postings in an immutable file, its directory mapped into memory and searched in place.

docs/format.md is its grammar: a header, pages of bit-packed columns, tables of places, a directory. The
header, the tables and every page have a CRC-32, and a page is checked whenever it is read, so that a
damaged one is never believed. Segments of format 1, which have no tables, and 2 are read, not written.
Keys are hashes scrambled by a multiplication that can be undone: they fill 64 bits evenly, whatever the
scheme selected.
"""

from __future__ import annotations

import mmap
import os
import struct
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from copysift import kernels
from copysift.errors import StoreError
from copysift.join.memory import SCRAMBLE, UNSCRAMBLE
from copysift.runtime.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from copysift.model.values import Fingerprints, UInt32s, UInt64s

MAGIC = b"SIFTSEG\0"
VERSION = 3
PAGE = 96  # postings of a page: a look-up reads and checks one, which takes longer the more there are
RANGES = 1 << 32  # bounds of segments are in units of 2^32 keys
SUFFIX = ".seg"
# magic, version, postings a page, postings, place of the directory, contents from and to, number, bytes and
# CRC-32 of the tables (format 1: 0), padding
_HEADER = struct.Struct("<8sIIQQIIQIII")
HEADER_BYTES = 64  # with the CRC-32 of what stands before it in the last four
SPARE = 8  # bytes after a column that the kernels may read
FEW_FINDS = 256  # look-ups that read pages before the mapped file is used


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


def columns_of(contents: Sequence[int], found: Sequence[Fingerprints]) -> Columns:
    """Put the postings of contents, by their numbers, one behind the other; their offsets have 32 bits."""
    starts = np.concatenate([each.starts for each in found], dtype=np.uint32)
    lengths = np.concatenate([each.ends for each in found], dtype=np.uint32)
    lengths -= starts
    keys = keys_of(np.concatenate([each.hashes for each in found]))
    numbers = np.repeat(np.array(contents, np.uint32), [len(each.hashes) for each in found])
    return Columns(keys, numbers, starts, lengths)


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
    made = Columns(keys, *(column.take(places) for column in columns[1:]))
    same = made.keys[1:] == made.keys[:-1]
    if np.any(same & (made.documents[1:] < made.documents[:-1])):
        made = columns.take(np.lexsort((columns.starts, columns.documents, columns.keys)))
    return made


def encode(columns: Columns, number: int) -> list[memoryview]:
    """Give the file of a segment in parts, from sorted postings; there must be some."""
    keys = np.ascontiguousarray(columns.keys)
    documents, starts, lengths = (np.ascontiguousarray(column) for column in columns[1:])
    packed, tables, directory = kernels.packed.pack(
        keys, documents, starts, lengths, PAGE, HEADER_BYTES, VERSION
    )
    end = HEADER_BYTES + len(packed) + len(tables)
    padding = -end % 8  # the directory is read in place
    low, high = int(columns.documents.min()), int(columns.documents.max())
    told = (len(tables), zlib.crc32(tables.data), padding)
    head = _HEADER.pack(MAGIC, VERSION, PAGE, len(columns.keys), end + padding, low, high, number, *told)
    head += struct.pack("<I", zlib.crc32(head))
    return [
        memoryview(head), packed.data, tables.data, memoryview(bytes(padding)), directory.view(np.uint8).data
    ]  # fmt: skip


class Segment:
    """A segment opened for reading: it stays readable after its file is removed.

    Its directory is looked at in the mapped file. The first look-ups read the pages that they meet instead of
    touching them: the system would map 64 KB around each, and a query of some hundred hashes in ten
    segments would seem to take a quarter of a gigabyte. A process that looks up often, as a server does,
    has the file in memory anyway: from then on pages are used where they are, in half the time.
    """

    def __init__(self, path: Path, low: int = 0, high: int = RANGES) -> None:
        self.path, self.low, self.high = path, low, high
        self.name = f"{path.parent.name}/{path.name}"
        self._descriptor = _opened(path, self.name)
        self._data = _mapped(self._descriptor, self.name)
        head = _checked_header(self._data[:HEADER_BYTES].tobytes(), self.name)
        if not 1 <= head.version <= VERSION:
            raise StoreError(
                f"{self.name} has format {head.version}, and this copysift reads formats up to {VERSION}",
                hint="use the copysift that wrote it, or a newer one",
            )
        if file_name(head.number) != path.name:
            raise StoreError(f"{self.name} is not the file that the catalog names, but segment {head.number}")
        self.entries, self.first, self.last = head.entries, head.first, head.last
        self.pages = (head.entries + head.page - 1) // head.page
        if len(self._data) != head.at + self.pages * kernels.postings.ENTRY.itemsize:
            raise StoreError(f"{self.name} is truncated: it has {len(self._data):,} bytes")
        self._finds = 0
        directory = self._data[head.at :]
        self._firsts = directory.view(kernels.postings.ENTRY)["key"]
        self._kernel: Any = kernels.packed if head.version > 1 else kernels.postings
        end = head.at - head.padding - head.tables
        tables = _checked_tables(self._data, end, head, self.name) if head.version > 1 else ()
        self._shape: tuple[Any, ...] = (HEADER_BYTES, end, *tables, directory, head.page, head.entries)
        if head.version > 1:
            self._shape += (head.version,)
        if tables:
            self._check_tables()

    def _check_tables(self) -> None:
        try:
            self._kernel.unpack(self._data, *self._shape, 0, 0)
        except ValueError as error:
            raise StoreError(f"{self.name} is damaged: {error}") from error

    def __del__(self) -> None:
        if getattr(self, "_descriptor", -1) >= 0:
            os.close(self._descriptor)

    def find(self, wanted: UInt64s) -> tuple[Found, list[Damage]]:
        """Look up keys, ascending and distinct, as far as they lie in the segment's bounds."""
        first = int(np.searchsorted(wanted, np.uint64(self.low << 32))) if self.low else 0
        last = int(np.searchsorted(wanted, np.uint64(self.high << 32))) if self.high < RANGES else len(wanted)
        kernel = self._kernel
        keys = np.ascontiguousarray(wanted[first:last])
        self._finds += 1
        which, documents, starts, lengths, bad = (
            kernel.find_in(self._descriptor, *self._shape, keys)
            if kernel.CAN_READ and self._finds <= FEW_FINDS
            else kernel.find(self._data, *self._shape, keys)
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
        keys, documents, starts, lengths, bad = self._kernel.unpack(self._data, *self._shape, first, last)
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


class _Header(NamedTuple):
    """What the header of a segment says: `at` is the place of the directory."""

    version: int
    page: int
    entries: int
    at: int
    first: int
    last: int
    number: int
    tables: int
    crc: int
    padding: int


def _checked_header(data: bytes, name: str) -> _Header:
    if len(data) < HEADER_BYTES:
        raise StoreError(f"{name} is truncated: it has {len(data)} bytes")
    magic, *fields = _HEADER.unpack_from(data)
    (crc,) = struct.unpack_from("<I", data, HEADER_BYTES - 4)
    if magic != MAGIC:
        raise StoreError(f"{name} is not a segment")
    if crc != zlib.crc32(data[: HEADER_BYTES - 4]):
        raise StoreError(f"the header of {name} fails its checksum")
    head = _Header(*fields)
    if head.version == 1:
        head = head._replace(tables=0)
    fits = 1 <= head.page <= 65535 and head.entries and head.padding < 8 and head.at % 8 == 0
    if head.version <= VERSION and not (fits and head.at >= HEADER_BYTES + head.tables + head.padding):
        raise StoreError(f"the header of {name} is impossible")
    return head


def _checked_tables(
    data: NDArray[np.uint8], at: int, head: _Header, name: str
) -> tuple[NDArray[np.uint8], int, int]:
    """Give the tables, with the bytes after them that may be read, and the contents that they are for."""
    if zlib.crc32(data[at : at + head.tables].data) != head.crc:
        raise StoreError(f"the tables of {name} fail their checksum")
    return data[at : at + head.tables + SPARE], head.first, head.last


def _nothing() -> Columns:
    return Columns(np.empty(0, np.uint64), *(np.empty(0, np.uint32) for _ in range(3)))
