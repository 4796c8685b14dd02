"""A zip archive whose one member is the archive itself, byte for byte.

The archive is P L P L F S. P is the head of the member, and has F S in its extra field. L begins a stored
block of P L. F is a block of two copies: of P L, which was just written, and of F S, which is in P. S is the
directory. What it unpacks to is therefore P L, P L, F S. Its checksum is in it too, but a CRC is linear in
the bits that it is made of, so those bits are the solution of 32 equations.
"""

from __future__ import annotations

import struct
import zlib

NAME = b"self.zip"
_MARK = 0xFFFF  # of the extra field; nobody uses it


def quine() -> bytes:
    """Make the archive."""
    for date in range(0x21, 0x61):  # the equations of some have no solution
        fixed = _solved(date)
        if fixed is not None:
            return _archive(fixed, date)
    raise AssertionError("no date has a solution")


def _solved(date: int) -> int | None:
    """Find the checksum that an archive with it has."""
    alone = zlib.crc32(_archive(0, date))
    rows = []  # of (which bits of the answer they combine, their sum)
    columns = [zlib.crc32(_archive(1 << bit, date)) ^ alone ^ 1 << bit for bit in range(32)]
    for place in range(32):
        row = sum((column >> place & 1) << bit for bit, column in enumerate(columns))
        rows.append(row | (alone >> place & 1) << 32)
    for bit in range(32):
        pivot = next((at for at in range(bit, 32) if rows[at] >> bit & 1), None)
        if pivot is None:
            return None
        rows[bit], rows[pivot] = rows[pivot], rows[bit]
        for at in range(32):
            if at != bit and rows[at] >> bit & 1:
                rows[at] ^= rows[bit]
    return sum((row >> 32 & 1) << bit for bit, row in enumerate(rows))


def _archive(crc: int, date: int) -> bytes:
    copied = 16
    while True:  # until the two copies take as many bytes as was assumed
        tail = copied + 46 + len(NAME) + 22
        head = 30 + len(NAME) + 4 + tail
        copies = _copies((head + 5, head + 5), (tail, head + 5 - (30 + len(NAME) + 4)))
        if len(copies) == copied:
            break
        copied = len(copies)
    stored, size = 5 + head + 5 + copied, 2 * (head + 5) + tail
    facts = struct.pack("<HHHHH", 20, 0, 8, 0, date) + struct.pack("<III", crc, stored, size)
    entry = b"PK\1\2" + struct.pack("<H", 20) + facts
    entry += struct.pack("<HHHHHII", len(NAME), 0, 0, 0, 0, 0, 0) + NAME
    end = b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(entry), head + stored, 0)
    rest = copies + entry + end
    first = b"PK\3\4" + facts + struct.pack("<HH", len(NAME), 4 + tail) + NAME
    first += struct.pack("<HH", _MARK, tail) + rest
    assert (len(first), len(rest)) == (head, tail)
    block = b"\0" + struct.pack("<HH", head + 5, head + 5 ^ 0xFFFF)
    return first + block + first + block + rest


def _copies(*pairs: tuple[int, int]) -> bytes:
    """Write a last block with the fixed code: copies of so many bytes from so far back."""
    bits = [1, 1, 0]
    for length, distance in pairs:
        bits += _length(length) + _distance(distance)
    bits += [0] * 7
    packed = bytearray((len(bits) + 7) // 8)
    for at, bit in enumerate(bits):
        packed[at // 8] |= bit << at % 8
    return bytes(packed)


def _length(length: int) -> list[int]:
    """Spell a length of 11 to 257 (RFC 1951, 3.2.5)."""
    extra = (length - 3).bit_length() - 3
    group = (length - 3 >> extra) & 3
    code = 257 + 4 * (extra + 1) + group
    prefix = _backwards(code - 256, 7) if code < 280 else _backwards(0b11000000 + code - 280, 8)
    return prefix + _forwards(length - 3 & (1 << extra) - 1, extra)


def _distance(distance: int) -> list[int]:
    """Spell a distance of 5 or more."""
    extra = (distance - 1).bit_length() - 2
    code = 2 * (extra + 1) + (distance - 1 >> extra & 1)
    return _backwards(code, 5) + _forwards(distance - 1 & (1 << extra) - 1, extra)


def _forwards(value: int, width: int) -> list[int]:
    return [value >> at & 1 for at in range(width)]


def _backwards(value: int, width: int) -> list[int]:
    return _forwards(value, width)[::-1]
