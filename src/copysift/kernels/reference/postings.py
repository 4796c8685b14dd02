"""Pages of postings, to be read: the definition of what `_postings` computes fast.

A posting is (key, document, start, length); postings are sorted by key, then document, then start.
A page is a head of 16 bytes and four columns of numbers of equal width, little-endian, lowest bit
first: differences of keys, documents less the least one, starts, lengths less the least one. The
directory has for each page its first key, its offset in the file, and the CRC-32 of both and of
the page.
"""

from __future__ import annotations

import os
import struct
import zlib
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from copysift.kernels.reference.columns import column, numbers, width

if TYPE_CHECKING:
    from numpy.typing import NDArray

    UInt8s = NDArray[np.uint8]
    UInt32s = NDArray[np.uint32]
    UInt64s = NDArray[np.uint64]
    Posting = tuple[int, int, int, int]

ENTRY = np.dtype([("key", "<u8"), ("offset", "<u4"), ("crc", "<u4")])
SPARE = 8
CAN_READ = hasattr(os, "pread")
_HEAD = struct.Struct("<5BxHII")


def _pack_page(page: list[Posting]) -> bytes:
    keys, documents, starts, lengths = (list(each) for each in zip(*page, strict=True))
    deltas = [after - before for before, after in pairwise(keys)]
    together = 0
    for delta in deltas:
        together |= delta
    shift = (together & -together).bit_length() - 1 if together else 0
    columns = [
        [delta >> shift for delta in deltas],
        [document - min(documents) for document in documents],
        starts,
        [length - min(lengths) for length in lengths],
    ]
    widths = [width(max(each, default=0)) for each in columns]
    head = _HEAD.pack(*widths, shift, len(page), min(documents), min(lengths))
    return head + b"".join(column(each, bits) for each, bits in zip(columns, widths, strict=True))


def _unpack_page(first: int, page: bytes) -> list[Posting] | None:
    """Decode a page; None if its head does not fit its size, or its keys go beyond 64 bits."""
    *widths, shift, count, document, length = _HEAD.unpack_from(page)
    counts = (count - 1, count, count, count)
    size = _HEAD.size + sum((n * bits + 7) // 8 for n, bits in zip(counts, widths, strict=True))
    if not count or shift > 63 or 56 < widths[0] != 64 or max(widths[1:]) > 32 or size != len(page):
        return None
    at, columns = _HEAD.size, []
    for bits, n in zip(widths, (count - 1, count, count, count), strict=True):
        size = (n * bits + 7) // 8
        columns.append(numbers(page[at : at + size], bits, n))
        at += size
    keys = [first]
    for delta in columns[0]:
        keys.append(keys[-1] + (delta << shift))
    if keys[-1] >= 2**64:
        return None
    documents = [(document + each) % 2**32 for each in columns[1]]
    lengths = [(length + each) % 2**32 for each in columns[3]]
    return list(zip(keys, documents, columns[2], lengths, strict=True))


def page_crc(key: int, offset: int, page: bytes) -> int:
    """Give the checksum of a page, its first key and its offset."""
    return zlib.crc32(struct.pack("<QI", key, offset) + page)


def check(size: int, begin: int, end: int, entries: int, page: int, count: int) -> None:
    """Refuse what does not fit together in a whole file."""
    if not 1 <= page <= 65535:
        raise ValueError("a page holds 1 to 65535 postings")
    if not 0 <= begin <= end or end + SPARE > size:
        raise ValueError("the pages do not lie inside the data")
    if entries != (count + page - 1) // page:
        raise ValueError("the directory does not fit the number of postings")


def pack(
    keys: UInt64s, documents: UInt32s, starts: UInt32s, lengths: UInt32s, page: int, begin: int
) -> tuple[UInt8s, NDArray[Any]]:
    """Pack sorted postings into pages, from `begin` of the file on; give them and their directory."""
    if not len(keys) == len(documents) == len(starts) == len(lengths):
        raise ValueError("columns that belong together differ in length")
    if not 1 <= page <= 65535:
        raise ValueError("a page holds 1 to 65535 postings")
    rows = list(zip(*(each.tolist() for each in (keys, documents, starts, lengths)), strict=True))
    packed, entries = b"", []
    for at in range(0, len(rows), page):
        made = _pack_page(rows[at : at + page])
        offset = begin + len(packed)
        entries.append((rows[at][0], offset, page_crc(rows[at][0], offset, made)))
        packed += made
    return np.frombuffer(packed, np.uint8), np.array(entries, ENTRY)


def _sound(
    data: bytes, begin: int, end: int, entries: list[tuple[int, int, int]], page: int, count: int, p: int
) -> list[Posting] | None:
    """Give the postings of page p if it is as it was written; a page that ends beyond the data is not."""
    key, offset, crc = entries[p]
    after = entries[p + 1][1] if p + 1 < len(entries) else end
    if offset < begin or after > min(end, len(data)) or offset + _HEAD.size > after:
        return None
    if page_crc(key, offset, data[offset:after]) != crc:
        return None
    found = _unpack_page(key, data[offset:after])
    return found if found and len(found) == (page if p + 1 < len(entries) else count - page * p) else None


def unpack(
    data: UInt8s, begin: int, end: int, directory: UInt8s, page: int, count: int, first: int, last: int
) -> tuple[UInt64s, UInt32s, UInt32s, UInt32s, UInt32s]:
    """Give the postings of pages first .. last − 1 as columns, and the numbers of the damaged pages."""
    entries = np.frombuffer(directory.tobytes(), ENTRY).tolist()
    check(len(data), begin, end, len(entries), page, count)
    rows: list[Posting] = []
    bad = []
    for p in range(first, min(last, len(entries))):
        found = _sound(data.tobytes(), begin, end, entries, page, count, p)
        if found is None or (rows and found[0][0] < rows[-1][0]):
            bad.append(p)
        else:
            rows += found
    return *arrays(rows), np.array(bad, np.uint32)


def find(
    data: UInt8s, begin: int, end: int, directory: UInt8s, page: int, count: int, wanted: UInt64s
) -> tuple[UInt32s, UInt32s, UInt32s, UInt32s, UInt32s]:
    """Look up keys, ascending and distinct: give number of the key, document, start and length of postings.

    The last column has the damaged pages that were met. A page is met when the directory says that
    it may hold the key: the one before the first page that starts with the key or above it, and
    those that follow until one goes beyond the key.
    """
    check(len(data), begin, end, len(directory) // ENTRY.itemsize, page, count)
    return _find(data.tobytes(), begin, end, directory, page, count, wanted)


def _find(
    data: bytes, begin: int, end: int, directory: UInt8s, page: int, count: int, wanted: UInt64s
) -> tuple[UInt32s, UInt32s, UInt32s, UInt32s, UInt32s]:
    entries = np.frombuffer(directory.tobytes(), ENTRY).tolist()
    rows: list[Posting] = []
    bad: set[int] = set()
    for number, key in enumerate(wanted.tolist()):
        p = max(0, sum(entry[0] < key for entry in entries) - 1)
        before = 0  # the last key of the page before, if that is sound
        while p < len(entries):
            found = _sound(data, begin, end, entries, page, count, p)
            if found is not None and found[0][0] < before:
                found = None
            before = found[-1][0] if found is not None else 0
            if found is None:
                bad.add(p)
                if entries[p][0] > key:
                    break
            else:
                rows += [(number, *posting[1:]) for posting in found if posting[0] == key]
                if found[0][0] > key or found[-1][0] > key:
                    break
            p += 1
    which, documents, starts, lengths = arrays(rows)
    return which.astype(np.uint32), documents, starts, lengths, np.array(sorted(bad), np.uint32)


def find_in(
    descriptor: int, begin: int, end: int, directory: UInt8s, page: int, count: int, wanted: UInt64s
) -> tuple[UInt32s, UInt32s, UInt32s, UInt32s, UInt32s]:
    """Look up keys as `find` does, in an open file of which only the pages that are met are read."""
    check(end + SPARE, begin, end, len(directory) // ENTRY.itemsize, page, count)
    return _find(os.pread(descriptor, end, 0), begin, end, directory, page, count, wanted)


def arrays(rows: list[Posting]) -> tuple[UInt64s, UInt32s, UInt32s, UInt32s]:
    """Give postings as columns."""
    kinds = (np.uint64, np.uint32, np.uint32, np.uint32)
    columns = list(zip(*rows, strict=True)) or [()] * 4
    made = [np.array(each, kind) for each, kind in zip(columns, kinds, strict=True)]
    return made[0], made[1], made[2], made[3]
