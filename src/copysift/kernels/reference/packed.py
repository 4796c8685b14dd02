"""Pages of packed postings, to be read: the definition of what `_packed` computes fast.

A posting is (key, document, start, length); postings are sorted by key, then document, then start. A page
is a head of 8 bytes (number of new keys after the first, bits of a difference, bits of a length, the least
length), and columns: marks, one bit for each posting after the first, 1 if its key is new, another than the
one before (left out if all keys are new, or none is); the differences of the new keys; places (places.py);
lengths less the least one. The directory is that of `postings.py`.
"""

from __future__ import annotations

import os
import struct
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from copysift.kernels.reference import places
from copysift.kernels.reference.columns import column, column_bytes, numbers, width
from copysift.kernels.reference.postings import CAN_READ, ENTRY, SPARE, arrays, check, page_crc

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from copysift.kernels.reference.postings import Posting, UInt8s, UInt32s, UInt64s

    Entries = list[tuple[int, int, int]]
    Rest = list[tuple[int, int, int] | None]  # document, start, length; None for what is impossible
    Found = tuple[UInt32s, UInt32s, UInt32s, UInt32s, UInt32s]

__all__ = ["CAN_READ", "ENTRY", "find", "find_in", "pack", "unpack"]
_HEAD = struct.Struct("<HBBI")


def _marks(count: int, fresh: int) -> int:
    """Give the number of marks: none if all keys after the first are new, or none is."""
    return count - 1 if 0 < fresh < count - 1 else 0


def _pack_page(keys: list[int], placed: list[int], lengths: list[int], shift: int, bits: int) -> bytes:
    marks = [int(before != after) for before, after in pairwise(keys)]
    deltas = [(after - before) >> shift for before, after in pairwise(keys) if before != after]
    widths = width(max(deltas, default=0)), width(max(lengths) - min(lengths))
    page = _HEAD.pack(len(deltas), *widths, min(lengths))
    page += column(marks, 1) if _marks(len(keys), len(deltas)) else b""
    page += column(deltas, widths[0]) + column(placed, bits)
    return page + column([length - min(lengths) for length in lengths], widths[1])


def pack(
    keys: UInt64s, documents: UInt32s, starts: UInt32s, lengths: UInt32s, page: int, begin: int
) -> tuple[UInt8s, UInt8s, NDArray[Any]]:
    """Pack sorted postings into pages, from `begin` of the file on; give them, their tables and directory."""
    if not len(keys) == len(documents) == len(starts) == len(lengths):
        raise ValueError("columns that belong together differ in length")
    if not 1 <= page <= 65535:
        raise ValueError("a page holds 1 to 65535 postings")
    if not len(keys):
        raise ValueError("there are no postings")
    all_keys: list[int] = keys.tolist()
    together = 0
    for before, after in pairwise(all_keys):
        together |= after - before
    shift = (together & -together).bit_length() - 1 if together else 0
    tables, bits, placed = places.write(list(zip(documents.tolist(), starts.tolist(), strict=True)), shift)
    packed, entries = b"", []
    for at in range(0, len(all_keys), page):
        some = slice(at, at + page)
        made = _pack_page(all_keys[some], placed[some], lengths.tolist()[some], shift, bits)
        offset = begin + len(packed)
        entries.append((all_keys[at], offset, page_crc(all_keys[at], offset, made)))
        packed += made
    return np.frombuffer(packed, np.uint8), np.frombuffer(tables, np.uint8), np.array(entries, ENTRY)


class _File:
    """The pages of a file, with what is known of all of them."""

    def __init__(
        self, data: bytes, begin: int, end: int, tables: UInt8s, low: int, high: int, directory: UInt8s,
        page: int, count: int, size: int,
    ) -> None:  # fmt: skip
        self.entries: Entries = np.frombuffer(directory.tobytes(), ENTRY).tolist()
        check(size, begin, end, len(self.entries), page, count)
        known = places.read(tables.tobytes()[:-SPARE], low, high) if len(tables) >= SPARE else None
        if known is None:
            raise ValueError("the tables are impossible")
        self._data, self._begin, self._end, self._tables = data, begin, end, known
        self._page, self._count = page, count

    def page(self, p: int) -> tuple[list[int], Rest] | None:
        """Give keys and what else page p has, if it is as it was written."""
        key, offset, crc = self.entries[p]
        last = p + 1 == len(self.entries)
        after = self._end if last else self.entries[p + 1][1]
        if offset < self._begin or after > min(self._end, len(self._data)) or offset + _HEAD.size > after:
            return None
        page = self._data[offset:after]
        if page_crc(key, offset, page) != crc:
            return None
        return self._unpacked(key, page, self._count - self._page * p if last else self._page)

    def _unpacked(self, first: int, page: bytes, count: int) -> tuple[list[int], Rest] | None:
        fresh, key_bits, length_bits, least = _HEAD.unpack_from(page)
        if fresh >= count or 56 < key_bits != 64 or length_bits > 32:
            return None
        bits = (1, key_bits, self._tables.place_bits, length_bits)
        counts = (_marks(count, fresh), fresh, count, count)
        at, columns = _HEAD.size, []
        for each, n in zip(bits, counts, strict=True):
            columns.append(numbers(page[at : at + column_bytes(n, each)], each, n))
            at += column_bytes(n, each)
        if at != len(page):
            return None
        marks = columns[0] or [int(fresh > 0)] * (count - 1)
        unused = (
            page[_HEAD.size + column_bytes(counts[0], 1) - 1] >> ((count - 2) % 8 + 1) if columns[0] else 0
        )
        if sum(marks) != fresh or unused:
            return None
        deltas, keys = iter(columns[1]), [first]
        for mark in marks:
            keys.append(keys[-1] + ((next(deltas) << self._tables.shift) if mark else 0))
        if keys[-1] >= 2**64:
            return None
        rest: Rest = []
        for place, length in zip(columns[2], columns[3], strict=True):
            found = self._tables.at(place)
            rest.append(None if found is None else (*found, (least + length) % 2**32))
        return keys, rest


def unpack(
    data: UInt8s, begin: int, end: int, tables: UInt8s, low: int, high: int, directory: UInt8s, page: int,
    count: int, first: int, last: int,
) -> tuple[UInt64s, UInt32s, UInt32s, UInt32s, UInt32s]:  # fmt: skip
    """Give the postings of pages first .. last − 1 as columns, and the numbers of the damaged pages.

    `low` and `high` are the first and last content of the file; SPARE bytes follow the tables.
    """
    file = _File(data.tobytes(), begin, end, tables, low, high, directory, page, count, len(data))
    rows: list[Posting] = []
    bad = []
    for p in range(first, min(last, len(file.entries))):
        found = file.page(p)
        if found is None or None in found[1] or (rows and found[0][0] < rows[-1][0]):
            bad.append(p)
        else:
            rows += [(key, *each) for key, each in zip(*found, strict=True) if each]
    return *arrays(rows), np.array(bad, np.uint32)


def find(
    data: UInt8s, begin: int, end: int, tables: UInt8s, low: int, high: int, directory: UInt8s, page: int,
    count: int, wanted: UInt64s,
) -> Found:  # fmt: skip
    """Look up keys in ascending order: give number of the key, document, start and length of postings.

    As `find` of `postings.py`; of a page whose keys are sound, a key with an impossible place is left out,
    and the page is noted as damaged.
    """
    return _find(
        _File(data.tobytes(), begin, end, tables, low, high, directory, page, count, len(data)), wanted
    )


def find_in(
    descriptor: int, begin: int, end: int, tables: UInt8s, low: int, high: int, directory: UInt8s, page: int,
    count: int, wanted: UInt64s,
) -> Found:  # fmt: skip
    """Look up keys as `find` does, in an open file of which only the pages that are met are read."""
    data = os.pread(descriptor, end, 0)
    return _find(_File(data, begin, end, tables, low, high, directory, page, count, end + SPARE), wanted)


def _find(file: _File, wanted: UInt64s) -> Found:
    rows: list[Posting] = []
    bad: set[int] = set()
    for number, key in enumerate(wanted.tolist()):
        before = 0  # the last key of the page before, if that is sound
        for p in range(max(0, sum(entry[0] < key for entry in file.entries) - 1), len(file.entries)):
            found = file.page(p)
            if found is None or found[0][0] < before:
                bad.add(p)
                before = 0
                if file.entries[p][0] > key:
                    break
                continue
            keys, rest = found
            before = keys[-1]
            chosen = [each for at, each in zip(keys, rest, strict=True) if at == key]
            if None in chosen:
                bad.add(p)
            else:
                rows += [(number, *each) for each in chosen if each]
            if keys[-1] > key:
                break
    which, documents, starts, lengths = arrays(rows)
    return which.astype(np.uint32), documents, starts, lengths, np.array(sorted(bad), np.uint32)
