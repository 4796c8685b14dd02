"""Places of a packed segment, to be read: the definition of what places.h computes.

A place is a content and a start in one number. Contents lie one after another, each in a slot as long as its
largest start needs, rounded up to one of eight steps an octave: the slots of CLASSES. Contents with small
starts may have slots of one length (`dense`), which needs no list of them.

The tables are a head of 12 bytes (shift of keys, dense slot as a power of two or NONE, bits of a place,
bits of a content, number of classes, the least length, number of listed contents), each class with the number
of its contents, and the contents of the classes, less the first one of the segment, as a column.
"""

from __future__ import annotations

import struct
from bisect import bisect_left, bisect_right
from typing import NamedTuple

from copysift.kernels.reference.columns import column, column_bytes, width

CLASSES = [*range(1, 9), *(step << octave for octave in range(29) for step in range(9, 17))]
NONE = 255
MOST = 1 << 56
_HEAD = struct.Struct("<4BHHI")
_ROW = struct.Struct("<II")


class Tables(NamedTuple):
    """What tables say: classes as (first place, slot, its first one in the list), None for dense slots.

    `listed` is the column of contents as one number, of `bits` each.
    """

    shift: int
    place_bits: int
    total: int
    slots: list[tuple[int, int, int | None]]
    listed: int
    bits: int
    first: int
    last: int
    least_length: int

    def at(self, place: int) -> tuple[int, int] | None:
        """Give content and start of a place; None if no content has it."""
        if place >= self.total:
            return None
        base, slot, first = self.slots[bisect_right([each[0] for each in self.slots], place) - 1]
        number, start = divmod(place - base, slot)
        if first is not None:
            number = self.listed >> self.bits * (first + number) & ((1 << self.bits) - 1)
        return (self.first + number, start) if self.first + number <= self.last else None


def _choose(extents: list[int], count: int, span: int) -> int:
    """Give the dense slot that takes the fewest bits for all, or NONE."""
    classes = [bisect_left(CLASSES, extent) for extent in extents]
    best, least = -1, 0
    for dense in range(-1, 33):
        total = 0 if dense < 0 else span << dense
        listed = [each for each in classes if dense < 0 or CLASSES[each] > 1 << dense]
        if total + sum(CLASSES[each] for each in listed) > MOST:
            continue
        total += sum(CLASSES[each] for each in listed)
        cost = count * width(max(total, 1) - 1) + len(listed) * width(span - 1) + 64 * len(set(listed))
        if best < 0 or cost < least:
            best, least = NONE if dense < 0 else dense, cost
    if best < 0:
        raise ValueError("too many postings for one file")
    return best


def write(postings: list[tuple[int, int]], shift: int, least_length: int) -> tuple[bytes, int, list[int]]:
    """Give the tables for (content, start), the bits of a place, and the places."""
    first, last = min(postings)[0], max(postings)[0]
    extents: dict[int, int] = {}
    for content, start in postings:
        extents[content] = max(extents.get(content, 0), start + 1)
    span = last - first + 1
    dense = _choose(list(extents.values()), len(postings), span)
    common = 0 if dense == NONE else 1 << dense
    total, bases, rows, listed = common * span, {}, b"", []
    for number, slot in enumerate(CLASSES):
        members = [
            content
            for content, extent in sorted(extents.items())
            if slot > common and bisect_left(CLASSES, extent) == number
        ]
        for content in members:
            bases[content] = total
            total += slot
        rows += _ROW.pack(number, len(members)) if members else b""
        listed += [content - first for content in members]
    for content in extents:
        bases.setdefault(content, content - first << dense)
    bits = (width(total - 1), width(span - 1))
    head = _HEAD.pack(shift, dense, *bits, len(rows) // _ROW.size, least_length, len(listed))
    return head + rows + column(listed, bits[1]), bits[0], [bases[each] + start for each, start in postings]


def read(data: bytes, first: int, last: int) -> Tables | None:
    """Read tables of the contents from `first` to `last`, both included; None if they are impossible."""
    if len(data) < _HEAD.size or first > last:
        return None
    shift, dense, place_bits, bits, classes, least_length, listed = _HEAD.unpack_from(data)
    at, span = _HEAD.size + _ROW.size * classes, last - first + 1
    possible = shift <= 63 and place_bits <= 56 and bits <= 32 and classes <= len(CLASSES)
    if not possible or (dense > 32 and dense != NONE) or len(data) != at + column_bytes(listed, bits):
        return None
    total, before, known = 0, -1, 0
    slots: list[tuple[int, int, int | None]] = []
    if dense != NONE:
        total = span << dense
        slots.append((0, 1 << dense, None))
    for row in range(classes):
        number, count = _ROW.unpack_from(data, _HEAD.size + _ROW.size * row)
        if not before < number < len(CLASSES) or not count:
            return None
        slots.append((total, CLASSES[number], known))
        before, known, total = number, known + count, total + CLASSES[number] * count
    if known != listed or total > MOST:
        return None
    column_of_contents = int.from_bytes(data[at:], "little")
    return Tables(shift, place_bits, total, slots, column_of_contents, bits, first, last, least_length)
