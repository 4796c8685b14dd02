"""Columns of numbers of equal width, little-endian, the lowest bit first, for pages of postings."""

from __future__ import annotations


def width(value: int) -> int:
    """Bits of the largest number of a column; above 56, 64: a value is read by one load of 8 bytes."""
    bits = value.bit_length()
    return 64 if bits > 56 else bits


def column_bytes(count: int, bits: int) -> int:
    """Give the bytes of a column, which ends at a byte."""
    return (count * bits + 7) // 8


def column(values: list[int], bits: int) -> bytes:
    """Write numbers as a column."""
    together = sum(value << bits * place for place, value in enumerate(values))
    return together.to_bytes(column_bytes(len(values), bits), "little")


def numbers(data: bytes, bits: int, count: int) -> list[int]:
    """Read the numbers of a column."""
    together = int.from_bytes(data, "little")
    return [together >> bits * place & ((1 << bits) - 1) for place in range(count)]
