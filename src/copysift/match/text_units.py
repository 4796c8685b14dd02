"""Lines, sentences and paragraphs of a text, and which of them are copies wholly."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bools = NDArray[np.bool_]
    Int64s = NDArray[np.int64]

# What ends a unit, which belongs to it. A run of stops is looked at from its first one only, and none of it
# is given back: otherwise a file of nothing but stops would take for ever.
_BLANK = rb"\n[ \t\r]*\n\s*"
_STOP = rb"(?<![.!?])[.!?]++[\"')\]]*+\s+|\xe3\x80\x82\s*|\xef\xbc[\x81\x9f]\s*"
_ENDS = {
    "line": re.compile(rb"\n"),
    "paragraph": re.compile(_BLANK),
    "sentence": re.compile(_STOP + b"|" + _BLANK),
}


def units(text: bytes, unit: str) -> list[int]:
    """Give where the lines, sentences or paragraphs of a text start, and where the last ends."""
    cuts = [0, *(found.end() for found in _ENDS[unit].finditer(text))]
    return cuts if cuts[-1] == len(text) else [*cuts, len(text)]


def copied_units(
    text: bytes, unit: str, starts: Int64s, covered: Bools
) -> Iterator[tuple[int, int, int, int]]:
    """Give the units of which every word is covered: first and last word, half-open, then bytes.

    One without a word is none.
    """
    cuts = units(text, unit)
    words = np.searchsorted(starts, cuts).tolist()
    for (one, other), (start, end) in zip(pairwise(words), pairwise(cuts), strict=True):
        if other > one and bool(covered[one:other].all()):
            yield one, other, start, end


def covered_units(text: bytes, unit: str, starts: Int64s, covered: Bools) -> list[tuple[int, int]]:
    """Give the half-open bytes of the units of which every word is covered."""
    return [(start, end) for _, _, start, end in copied_units(text, unit, starts, covered)]
