"""Programs as machines run them: every line of a listing of instructions and strings is a symbol.

The readers of executables (`sources/readers`) make the listings, whose first line says so. Names of registers
do not count: a compiler chooses others when a statement is added. Neither do blank lines and comments, after
a semicolon. The position-map law holds without exception.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from hashlib import blake2b

import numpy as np

from copysift.kinds.kind import Kind, placed, stream
from copysift.kinds.positions import Explicit
from copysift.model.traits import KindTraits, Thresholds
from copysift.model.values import Canonical

LISTING = b"; machine code: "  # the first bytes of a listing
_LONGEST = 1 << 16  # bytes of a line; a longer one is cut, so that any document streams


class Instructions:
    """Lines are the symbols, as 64-bit hashes."""

    def blocks(self, chunks: Iterable[bytes]) -> Iterator[Canonical]:
        """Canonicalise a listing that comes in chunks of any size."""
        return (block for block in stream(chunks, placed(_step)) if len(block.symbols))

    def whole(self, data: bytes) -> Canonical:
        """Canonicalise a listing that is in memory."""
        return _step(data, 0, True)[0]


# Registers of all processors; the pointer to the stack says what an instruction is about.
_REGISTER = re.compile(
    rb"\b(?:[re]?[abcd]x|[abcd][lh]|[re]?[sd]i|[sd]il|[re]?bp|bpl|[a-z]{1,3}\d{1,2}[dwb]?)\b"
)


@lru_cache(1 << 16)  # most instructions of a program come again
def _symbol(line: bytes) -> int:
    name, blank, operands = line.partition(b" ")
    if blank and not line.startswith(b'"'):
        line = name + blank + _REGISTER.sub(b"R", operands)
    return int.from_bytes(blake2b(line, digest_size=8).digest(), "little")


def _step(data: bytes | memoryview, offset: int, final: bool) -> tuple[Canonical, int]:
    """Take the lines that end in a block; say how many bytes of it were used."""
    data = bytes(data)
    used = len(data)
    if not final:
        used = data.rfind(b"\n") + 1 or used // _LONGEST * _LONGEST or used
    lines = data[:used].split(b"\n")
    if len(max(lines, key=len)) > _LONGEST:
        return _pieces(lines, offset), used
    lengths = np.fromiter(map(len, lines), np.int64, len(lines))
    starts = offset + np.cumsum(lengths + 1) - lengths - 1
    kept = np.fromiter((line[:1] not in (b"", b";", b"\r") for line in lines), np.bool_, len(lines))
    symbols = np.fromiter(map(_symbol, lines), np.uint64, len(lines))[kept]
    starts, ends = starts[kept], (starts + lengths)[kept]
    return Canonical(symbols, Explicit(starts.astype(np.uint32), ends.astype(np.uint32))), used


def _pieces(lines: list[bytes], offset: int) -> Canonical:
    """Give the symbols of lines of which some are cut, for they are too long."""
    parts: list[tuple[bytes, int]] = []
    for line in lines:
        parts += [(line[at : at + _LONGEST], offset + at) for at in range(0, len(line), _LONGEST)]
        offset += len(line) + 1
    parts = [part for part in parts if part[0][:1] not in (b";", b"\r")]
    symbols = np.array([_symbol(part) for part, _ in parts], np.uint64)
    starts = np.array([start for _, start in parts], np.uint32)
    lengths = np.array([len(part) for part, _ in parts], np.uint32)
    return Canonical(symbols, Explicit(starts, starts + lengths))


KIND = Kind(
    KindTraits(
        "executable",
        "programs as machines run them: instructions without addresses, and strings",
        "instructions",
        Thresholds(12, 20),
        magic=(LISTING,),
        linked=True,
    ),
    Instructions,
)
