"""Columns of small numbers with a few large ones among them, to be read: what exceptions.h computes.

Each number has `bits` bits in a column; of those that need more, the exceptions, a second column has the
places and a third one the bits above. The widths of a column are bits, bits of an
excess and the number of exceptions.
"""

from __future__ import annotations

from collections.abc import Sequence

from copysift.kernels.reference.columns import column, column_bytes, numbers


def write(values: list[int]) -> tuple[tuple[int, int, int], bytes]:
    """Give the widths that take the fewest bits, the largest of them if several do, and the columns."""
    n, most = len(values), max(values).bit_length()
    place_bits = (n - 1).bit_length()

    def cost(bits: int) -> int:
        above = sum(value.bit_length() > bits for value in values)
        return n * bits + above * (place_bits + most - bits)

    bits = min(range(most, -1, -1), key=cost)
    places = [place for place, value in enumerate(values) if value.bit_length() > bits]
    excess_bits = most - bits if places else 0
    low = column([value & ((1 << bits) - 1) for value in values], bits)
    excess = column([values[place] >> bits for place in places], excess_bits)
    return (bits, excess_bits, len(places)), low + column(places, place_bits) + excess


def possible(widths: Sequence[int], n: int) -> bool:
    """Say whether a column of n numbers can have these widths."""
    bits, excess_bits, exceptions = widths
    return bits + excess_bits <= 32 and exceptions < n


def size(widths: Sequence[int], n: int) -> int:
    """Give the bytes of the columns."""
    bits, excess_bits, exceptions = widths
    place_bits = (n - 1).bit_length()
    return (
        column_bytes(n, bits) + column_bytes(exceptions, place_bits) + column_bytes(exceptions, excess_bits)
    )


def read(data: bytes, widths: Sequence[int], n: int) -> list[int] | None:
    """Read n numbers; None if the places of the exceptions do not ascend or go too far."""
    bits, excess_bits, exceptions = widths
    place_bits = (n - 1).bit_length()
    middle = column_bytes(n, bits)
    end = middle + column_bytes(exceptions, place_bits)
    values = numbers(data[:middle], bits, n)
    places = numbers(data[middle:end], place_bits, exceptions)
    if places != sorted(set(places)) or any(place >= n for place in places):
        return None
    for place, excess in zip(places, numbers(data[end:], excess_bits, exceptions), strict=True):
        values[place] += excess << bits
    return values
