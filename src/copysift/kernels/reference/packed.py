"""Pages of packed postings, to be read: the definition of what `_packed` computes fast.

A posting is (key, document, start, length); postings are sorted by key, then document, then start. The
directory is that of `postings.py`. A page is a head and columns, of which the first are marks, one bit for
each posting after the first, 1 if its key is new, another than the one before (left out if all keys are new,
or none is).

Format 2: a head of 8 bytes (number of new keys after the first, bits of a difference, bits of a length, the
least length); after the marks the differences of the new keys, places (places.py), lengths less the least.

Format 3: a head of 6 bytes (number of new keys, bits of the low part of a key, bits of a length, bits of an
excess, number of exceptions, the least length less that of the file, at most 255); after the marks the low
parts of the new keys less the first one, places, lengths less the least one with their exceptions, and the
high parts of the new keys: a bit that is 1 for each, after as many 0 bits as the high part is larger than
the one before.
"""

from __future__ import annotations

import os
import struct
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from copysift.kernels.reference import exceptions, places
from copysift.kernels.reference.columns import column, column_bytes, numbers, width
from copysift.kernels.reference.postings import CAN_READ, ENTRY, SPARE, arrays, check, page_crc

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from copysift.kernels.reference.postings import Posting, UInt8s, UInt32s, UInt64s

    Entries = list[tuple[int, int, int]]
    Rest = list[tuple[int, int, int] | None]  # document, start, length; None for what is impossible
    Found = tuple[UInt32s, UInt32s, UInt32s, UInt32s, UInt32s]

__all__ = ["CAN_READ", "ENTRY", "find", "find_in", "pack", "unpack"]
_HEADS = {2: struct.Struct("<HBBI"), 3: struct.Struct("<6B")}
_MOST = {2: 65535, 3: 256}  # postings of a page


def _check_page(page: int, version: int) -> None:
    if version not in _MOST:
        raise ValueError("pages are of format 2 or 3")
    if not 1 <= page <= _MOST[version]:
        raise ValueError(f"a page holds 1 to {_MOST[version]} postings")


def _marks(count: int, fresh: int) -> int:
    """Give the number of marks: none if all keys after the first are new, or none is."""
    return count - 1 if 0 < fresh < count - 1 else 0


def _pack_page_2(keys: list[int], placed: list[int], lengths: list[int], shift: int, bits: int) -> bytes:
    marks = [int(before != after) for before, after in pairwise(keys)]
    deltas = [(after - before) >> shift for before, after in pairwise(keys) if before != after]
    widths = width(max(deltas, default=0)), width(max(lengths) - min(lengths))
    page = _HEADS[2].pack(len(deltas), *widths, min(lengths))
    page += column(marks, 1) if _marks(len(keys), len(deltas)) else b""
    page += column(deltas, widths[0]) + column(placed, bits)
    return page + column([length - min(lengths) for length in lengths], widths[1])


def _pack_page_3(
    keys: list[int], placed: list[int], lengths: list[int], shift: int, bits: int, least: int
) -> bytes:
    marks = [int(before != after) for before, after in pairwise(keys)]
    fresh = sorted({(key - keys[0]) >> shift for key in keys} - {0})
    key_bits = min(56, (fresh[-1] // len(fresh)).bit_length() - 1) if fresh else 0
    high = sum(1 << (value >> key_bits) + place for place, value in enumerate(fresh))
    more = min(255, min(lengths) - least)
    widths, columns = exceptions.write([length - least - more for length in lengths])
    page = _HEADS[3].pack(len(fresh), key_bits, *widths, more)
    page += column(marks, 1) if _marks(len(keys), len(fresh)) else b""
    page += column([value & ((1 << key_bits) - 1) for value in fresh], key_bits) + column(placed, bits)
    return page + columns + high.to_bytes((high.bit_length() + 7) // 8, "little")


def pack(
    keys: UInt64s, documents: UInt32s, starts: UInt32s, lengths: UInt32s, page: int, begin: int, version: int
) -> tuple[UInt8s, UInt8s, NDArray[Any]]:
    """Pack sorted postings into pages, from `begin` of the file on; give them, their tables and directory."""
    if not len(keys) == len(documents) == len(starts) == len(lengths):
        raise ValueError("columns that belong together differ in length")
    _check_page(page, version)
    if not len(keys):
        raise ValueError("there are no postings")
    all_keys: list[int] = keys.tolist()
    together = 0
    for before, after in pairwise(all_keys):
        together |= after - before
    shift = (together & -together).bit_length() - 1 if together else 0
    least = min(*lengths.tolist(), 0xFFFF) if version > 2 else 0
    where = list(zip(documents.tolist(), starts.tolist(), strict=True))
    tables, bits, placed = places.write(where, shift, least)
    packed, entries = b"", []
    for at in range(0, len(all_keys), page):
        some = slice(at, at + page)
        columns = all_keys[some], placed[some], lengths.tolist()[some]
        made = (
            _pack_page_2(*columns, shift, bits)
            if version == 2
            else _pack_page_3(*columns, shift, bits, least)
        )
        offset = begin + len(packed)
        entries.append((all_keys[at], offset, page_crc(all_keys[at], offset, made)))
        packed += made
    return np.frombuffer(packed, np.uint8), np.frombuffer(tables, np.uint8), np.array(entries, ENTRY)


class _File:
    """The pages of a file, with what is known of all of them."""

    def __init__(
        self, data: bytes, begin: int, end: int, tables: UInt8s, low: int, high: int, directory: UInt8s,
        page: int, count: int, version: int, size: int,
    ) -> None:  # fmt: skip
        _check_page(page, version)
        self.entries: Entries = np.frombuffer(directory.tobytes(), ENTRY).tolist()
        check(size, begin, end, len(self.entries), page, count)
        known = places.read(tables.tobytes()[:-SPARE], low, high) if len(tables) >= SPARE else None
        if known is None:
            raise ValueError("the tables are impossible")
        self._data, self._begin, self._end, self._tables = data, begin, end, known
        self._page, self._count, self._version = page, count, version

    def page(self, p: int) -> tuple[list[int], Rest] | None:
        """Give keys and what else page p has, if it is as it was written."""
        key, offset, crc = self.entries[p]
        last = p + 1 == len(self.entries)
        after = self._end if last else self.entries[p + 1][1]
        if (
            offset < self._begin
            or after > min(self._end, len(self._data))
            or offset + _HEADS[self._version].size > after
        ):
            return None
        page = self._data[offset:after]
        if page_crc(key, offset, page) != crc:
            return None
        count = self._count - self._page * p if last else self._page
        decode = self._unpacked_2 if self._version == 2 else self._unpacked_3
        return decode(key, page, count)

    def _unpacked_2(self, first: int, page: bytes, count: int) -> tuple[list[int], Rest] | None:
        fresh, key_bits, length_bits, least = _HEADS[2].unpack_from(page)
        if fresh >= count or 56 < key_bits != 64 or length_bits > 32:
            return None
        bits = (1, key_bits, self._tables.place_bits, length_bits)
        found = _columns(page, _HEADS[2].size, bits, (_marks(count, fresh), fresh, count, count))
        if found is None or found[1] != len(page):
            return None
        (marks, deltas, placed, lengths), _ = found
        values = list(accumulate(deltas))
        return self._placed(first, values, marks, placed, [least + length for length in lengths])

    def _unpacked_3(self, first: int, page: bytes, count: int) -> tuple[list[int], Rest] | None:
        fresh, key_bits, *widths, more = _HEADS[3].unpack_from(page)
        if fresh >= count or key_bits > 56 or not exceptions.possible(widths, count):
            return None
        bits = (1, key_bits, self._tables.place_bits)
        found = _columns(page, _HEADS[3].size, bits, (_marks(count, fresh), fresh, count))
        if found is None:
            return None
        (marks, low, placed), at = found
        end = at + exceptions.size(widths, count)
        lengths = exceptions.read(page[at:end], widths, count) if end <= len(page) else None
        high = [place for place in range(8 * len(page[end:])) if page[end + place // 8] >> place % 8 & 1]
        if lengths is None or len(high) != fresh or (page[end:] and not (fresh and page[-1])):
            return None
        values = [(bit - place << key_bits) + low[place] for place, bit in enumerate(high)]
        if values != sorted({*values} - {0}):
            return None
        least = self._tables.least_length + more
        return self._placed(first, values, marks, placed, [least + length for length in lengths])

    def _placed(
        self, first: int, values: list[int], marks: list[int], placed: list[int], lengths: list[int]
    ) -> tuple[list[int], Rest] | None:
        """Give the keys, from those that are new, and what places and lengths say."""
        marks = marks or [int(bool(values))] * (len(placed) - 1)
        if sum(marks) != len(values):
            return None
        fresh = [first, *(first + (value << self._tables.shift) for value in values)]
        keys = [fresh[which] for which in accumulate(marks, initial=0)]
        if keys[-1] >= 2**64:
            return None
        rest: Rest = []
        for place, length in zip(placed, lengths, strict=True):
            found = self._tables.at(place)
            rest.append(None if found is None else (*found, length % 2**32))
        return keys, rest


def _columns(
    page: bytes, at: int, bits: tuple[int, ...], counts: tuple[int, ...]
) -> tuple[list[list[int]], int] | None:
    """Give columns, the first of them marks, and where they end; None if they do not fit."""
    columns: list[list[int]] = []
    for each, n in zip(bits, counts, strict=True):
        end = at + column_bytes(n, each)
        if end > len(page) or (not columns and n and page[end - 1] >> ((n - 1) % 8 + 1)):
            return None  # bits after the last mark are 0
        columns.append(numbers(page[at:end], each, n))
        at = end
    return columns, at


def unpack(
    data: UInt8s, begin: int, end: int, tables: UInt8s, low: int, high: int, directory: UInt8s, page: int,
    count: int, version: int, first: int, last: int,
) -> tuple[UInt64s, UInt32s, UInt32s, UInt32s, UInt32s]:  # fmt: skip
    """Give the postings of pages first .. last − 1 as columns, and the numbers of the damaged pages.

    `low` and `high` are the first and last content of the file; SPARE bytes follow the tables.
    """
    file = _File(data.tobytes(), begin, end, tables, low, high, directory, page, count, version, len(data))
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
    count: int, version: int, wanted: UInt64s,
) -> Found:  # fmt: skip
    """Look up keys in ascending order: give number of the key, document, start and length of postings.

    As `find` of `postings.py`; of a page whose keys are sound, a key with an impossible place is left out,
    and the page is noted as damaged.
    """
    return _find(
        _File(data.tobytes(), begin, end, tables, low, high, directory, page, count, version, len(data)),
        wanted,
    )


def find_in(
    descriptor: int, begin: int, end: int, tables: UInt8s, low: int, high: int, directory: UInt8s, page: int,
    count: int, version: int, wanted: UInt64s,
) -> Found:  # fmt: skip
    """Look up keys as `find` does, in an open file of which only the pages that are met are read."""
    data = os.pread(descriptor, end, 0)
    return _find(
        _File(data, begin, end, tables, low, high, directory, page, count, version, end + SPARE), wanted
    )


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
