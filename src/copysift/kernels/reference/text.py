"""The definition of canonical text and words: which characters count, and as what.

A code point represents the full case folding of its canonical decomposition, so that é written as
one code point or as two gives the same symbols; a Hangul syllable stays (or becomes) one symbol.
Letters (L*), marks (M*) and numbers of every sort (N*: 4, Ⅳ, ²) are kept, all else is dropped.
Bytes that are not UTF-8 (overlong forms and surrogates among them) act as U+FFFD, which is dropped.
The order of several marks on one letter is left as it is written.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from copysift.kernels.reference.markup import markup_block

if TYPE_CHECKING:
    from numpy.typing import NDArray

    UInt32s = NDArray[np.uint32]
    UInt64s = NDArray[np.uint64]

__all__ = [
    "MAX_WORD", "UNICODE_VERSION", "character_spans", "markup_block", "merge_characters", "plain_block",
    "plain_spans", "positions", "sound", "unicode_block", "words_block",
]  # fmt: skip

UNICODE_VERSION = unicodedata.unidata_version
MAX_WORD = 65536  # source bytes of a word at the most: a longer run is cut, so that it can stream

DROP, KEEP, MARK, SOLO, ABSENT = range(5)
JOINER, SOFT_HYPHEN = 0x7F, 0xAD  # absent: neither part of a word nor its end
LEAD, VOWEL, TAIL, SYLLABLE = 0x1100, 0x1161, 0x11A7, 0xAC00  # Hangul: 19 leads, 21 vowels, 27 tails
SOLO_NAMES = (
    "CJK UNIFIED IDEOGRAPH", "CJK COMPATIBILITY IDEOGRAPH", "HIRAGANA", "KATAKANA", "HALFWIDTH KATAKANA",
    "HENTAIGANA", "IDEOGRAPHIC ITERATION MARK", "IDEOGRAPHIC CLOSING MARK", "IDEOGRAPHIC NUMBER ZERO",
    "VERTICAL IDEOGRAPHIC ITERATION MARK",
)  # fmt: skip
# Scripts that put no spaces between words; Tibetan marks the ends of its syllables.
CONTINUOUS_NAMES = (
    "THAI ", "LAO ", "KHMER ", "MYANMAR ", "TAI LE ", "NEW TAI LUE ", "TAI THAM ", "TAI VIET ", "JAVANESE ",
    "BALINESE ",
)  # fmt: skip
MASK64 = 2**64 - 1


@cache
def kind(point: int) -> int:
    """Say what a code point is to a word: DROP, KEEP, MARK, SOLO (a word of its own) or ABSENT."""
    if point in (JOINER, SOFT_HYPHEN):
        return ABSENT
    char = chr(point)
    category = unicodedata.category(char)[0]
    if category == "M":
        return MARK
    if category not in "LN":
        return DROP
    alone = (*SOLO_NAMES, *CONTINUOUS_NAMES) if category == "L" else SOLO_NAMES
    return SOLO if unicodedata.name(char, "").startswith(alone) else KEEP


@cache
def folded(point: int) -> tuple[int, ...]:
    """Give the code points that a code point represents, dropped ones still among them."""
    if SYLLABLE <= point < SYLLABLE + 11172 or 0xD800 <= point < 0xE000:
        return (point,)
    before, now = "", chr(point)
    while now != before:
        before, now = now, unicodedata.normalize("NFD", now).casefold()
    return tuple(map(ord, now))


def _decode(data: bytes) -> Iterator[tuple[int, int, int]]:
    """Give each code point with its half-open byte span; a byte that is not UTF-8 is U+FFFD."""
    at = 0
    while at < len(data):
        lead = data[at]
        length = 1 if lead < 0x80 else 4 if lead >= 0xF0 else 3 if lead >= 0xE0 else 2
        try:
            point = ord(data[at : at + length].decode())
        except UnicodeDecodeError:
            point, length = 0xFFFD, 1
        yield point, at, at + length
        at += length


def _whole(data: bytes) -> int:
    """Give the length of the data without a sequence that its end cuts off."""
    for back in range(1, min(3, len(data)) + 1):
        byte = data[-back]
        if byte < 0x80:
            break
        if byte >= 0xC0:
            need = 4 if byte >= 0xF0 else 3 if byte >= 0xE0 else 2
            return len(data) - back if need > back else len(data)
    return len(data)


def _kept(data: bytes) -> Iterator[tuple[int, int, int]]:
    for point, start, end in _decode(data):
        for part in folded(point):
            if kind(part) in (KEEP, MARK, SOLO):
                yield part, start, end


def sound(sources: Sequence[bytes], sample: int) -> list[int]:
    """Count the control characters in the first `sample` bytes of each text; -1 for what is not valid UTF-8.

    A NUL is unsound, too. Not counted are backspace, tab, line and page ends, SUB and escape.
    """
    return [_controls(source, sample) for source in sources]


def _controls(source: bytes, sample: int) -> int:
    try:
        source.decode("utf-8")
    except UnicodeDecodeError:
        return -1
    if 0 in source:
        return -1
    return sum((byte < 32 and byte not in b"\b\t\n\v\f\r\x1a\x1b") or byte == 127 for byte in source[:sample])


def plain_block(data: bytes, final: bool) -> tuple[NDArray[np.uint8], UInt64s, UInt32s, int] | None:
    """Squeeze a block of which only ASCII characters are kept; None for any other block.

    Gives the symbols, a mask of the kept bytes for each 64 bytes, the number of symbols before each
    mask with the total at the end, and the bytes used: without `final`, a sequence that the end cuts
    off is left for the next block.
    """
    used = len(data) if final else _whole(data)
    data = bytes(data[:used])
    if any(data[start] >= 0x80 for _, start, _ in _kept(data)):
        return None
    groups = (used + 63) // 64
    masks, ranks = [0] * groups, [0] * (groups + 1)
    symbols = bytearray()
    for point, start, _ in _kept(data):
        symbols.append(point)
        masks[start // 64] |= 1 << start % 64
    for group, mask in enumerate(masks):
        ranks[group + 1] = ranks[group] + mask.bit_count()
    return np.frombuffer(symbols, np.uint8), np.array(masks, np.uint64), np.array(ranks, np.uint32), used


def positions(masks: UInt64s, ranks: UInt32s, offset: int) -> UInt32s:
    """Give the source offsets of all symbols of a plain block that starts at `offset`."""
    return np.array([offset + bit for bit in _set_bits(masks)], np.uint32)


def plain_spans(
    masks: UInt64s, ranks: UInt32s, offset: int, first: NDArray[Any], last: NDArray[Any]
) -> tuple[UInt32s, UInt32s]:
    """Give where symbols first[i] of a plain block at `offset` begin, and where symbols last[i] end."""
    every = positions(masks, ranks, offset)
    return every[first], every[last] + np.uint32(1)


def _compose(last: int, point: int) -> int | None:
    """Give the Hangul syllable that a lead and a vowel, or a syllable and a tail, make together."""
    if LEAD <= last < LEAD + 19 and VOWEL <= point < VOWEL + 21:
        return SYLLABLE + ((last - LEAD) * 21 + point - VOWEL) * 28
    if _may_grow(last) and last >= SYLLABLE and TAIL < point < TAIL + 28:
        return last + point - TAIL
    return None


def _may_grow(point: int) -> bool:
    pair = SYLLABLE <= point < SYLLABLE + 11172 and (point - SYLLABLE) % 28 == 0
    return pair or LEAD <= point < LEAD + 19


def unicode_block(data: bytes, final: bool) -> tuple[UInt32s, UInt64s, UInt32s, UInt64s, UInt32s, int]:
    """Canonicalise a block: what leaves symbols together is a unit, a character or the jamo of a syllable.

    Gives the symbols, a mask of bytes for each 64 bytes, the number of bits before each mask, the bounds,
    the numbers of the extra symbols, and the bytes used: without `final`, what may still grow at the end is
    left for the next block. A unit has a bit in the masks for each of its symbols, from its first byte on;
    symbols beyond its bytes are extra. Bounds have a bit where a unit, or a character without a symbol,
    begins, and all bits from the end of the block on, one group more than the masks.
    """
    used = len(data) if final else _whole(data)
    units: list[tuple[list[int], int, int]] = []
    for point, start, end in _decode(bytes(data[:used])):
        kept = [part for part in folded(point) if kind(part) in (KEEP, MARK, SOLO)]
        if units and units[-1][0] and kept == [point]:
            syllable = _compose(units[-1][0][-1], point)
            if syllable is not None:
                units[-1] = ([syllable], units[-1][1], end)
                continue
        units.append((kept, start, end))
    if not final and units and units[-1][0] and _may_grow(units[-1][0][-1]):
        used = units.pop()[1]
    groups = (used + 63) // 64
    symbols: list[int] = []
    extra: list[int] = []
    masks, bounds = [0] * groups, [MASK64 if 64 * group >= used else 0 for group in range(groups + 1)]
    if used % 64:
        bounds[used // 64] = MASK64 << used % 64 & MASK64
    for kept, start, end in units:
        fitting = min(len(kept), end - start)
        for at in range(start, start + fitting):
            masks[at // 64] |= 1 << at % 64
        bounds[start // 64] |= 1 << start % 64
        extra += range(len(symbols) + fitting, len(symbols) + len(kept))
        symbols += kept
    ranks = np.cumsum([0, *(mask.bit_count() for mask in masks)], dtype=np.uint32)
    return (
        np.array(symbols, np.uint32), np.array(masks, np.uint64), ranks, np.array(bounds, np.uint64),
        np.array(extra, np.uint32), used,
    )  # fmt: skip


def character_spans(
    masks: UInt64s,
    ranks: UInt32s,
    bounds: UInt64s,
    extra: UInt32s,
    offset: int,
    first: NDArray[Any],
    last: NDArray[Any],
) -> tuple[UInt32s, UInt32s]:
    """Give where the characters of the symbols first[i] begin, and where those of the symbols last[i] end."""
    bits = [
        64 * group + bit for group, mask in enumerate(masks.tolist()) for bit in range(64) if mask >> bit & 1
    ]
    begins = [
        64 * group + bit for group, word in enumerate(bounds.tolist()) for bit in range(64) if word >> bit & 1
    ]

    without = extra.tolist()

    def place(symbol: int) -> int:
        return bits[symbol - bisect_right(without, symbol)]

    starts = [offset + begins[bisect_right(begins, place(symbol)) - 1] for symbol in first.tolist()]
    ends = [offset + begins[bisect_right(begins, place(symbol))] for symbol in last.tolist()]
    return np.array(starts, np.uint32), np.array(ends, np.uint32)


def _set_bits(words: UInt64s) -> list[int]:
    return [
        64 * group + bit for group, word in enumerate(words.tolist()) for bit in range(64) if word >> bit & 1
    ]


def merge_characters(bounds: UInt64s, offset: int, starts: UInt32s, ends: UInt32s) -> None:
    """Make one character of each span of the source in the bounds of a block at `offset`."""
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        for at in range(max(start + 1 - offset, 0), min(end - offset, 64 * len(bounds))):
            bounds[at // 64] &= ~np.uint64(1 << at % 64)


def word_hash(points: list[int]) -> int:
    """Hash a word: its folded code points as UTF-8, syllables as jamo, eight bytes at a time."""
    word = "".join(
        unicodedata.normalize("NFD", chr(point)) if SYLLABLE <= point < SYLLABLE + 11172 else chr(point)
        for point in points
    ).encode()
    value = 0x9E3779B97F4A7C15
    for at in range(0, len(word), 8):
        value = (value ^ int.from_bytes(word[at : at + 8], "little")) * 0xFF51AFD7ED558CCD & MASK64
        value ^= value >> 32
    value = (value ^ value >> 33) * 0xFF51AFD7ED558CCD & MASK64
    value = (value ^ value >> 33) * 0xC4CEB9FE1A85EC53 & MASK64
    return value ^ value >> 33


def words_block(data: bytes, offset: int, final: bool) -> tuple[UInt64s, UInt32s, UInt32s, int]:
    """Hash the words of a block that starts at `offset` of the source.

    A word is a maximal run of letters, marks, numbers and _; an ideograph, a kana or a letter of a script
    without spaces (Thai), with the marks after it, is a word of its own; joiners (0x7F) and soft hyphens
    are as if they were not there. A word ends before a character that would make its span longer than
    MAX_WORD bytes. Gives the hashes, their starts and ends and the bytes used: without `final`, a word that
    may still grow is left over.
    """
    used = len(data) if final else _whole(data)
    found: list[tuple[int, int, int]] = []
    word: list[int] = []
    begin = stop = 0
    alone = False

    def close() -> None:
        if word:
            found.append((word_hash(word), begin + offset, stop + offset))
            word.clear()

    for point, start, end in _decode(bytes(data[:used])):
        for part in folded(point):
            sort = KEEP if part == ord("_") else kind(part)
            if sort == DROP or end - begin > MAX_WORD:
                close()
            if sort in (DROP, ABSENT):
                continue
            if sort == SOLO or (alone and sort != MARK):
                close()
            if not word:
                begin, alone = start, sort == SOLO
            word.append(part)
            stop = end
    if final:
        close()
    columns = list(zip(*found, strict=True)) or [(), (), ()]
    starts, ends = np.array(columns[1], np.uint32), np.array(columns[2], np.uint32)
    return np.array(columns[0], np.uint64), starts, ends, begin if word else used
