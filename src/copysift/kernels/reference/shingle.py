"""Sets of word shingles, in plain Python: the definition of `_shingle`."""

from __future__ import annotations

from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from copysift.kernels.reference import selection, text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]
    Int64s = NDArray[np.int64]
    UInt32s = NDArray[np.uint32]
    UInt64s = NDArray[np.uint64]

ALL_BITS = 2**64 - 1
SEED = 0x9E3779B97F4A7C15
MIX = 0xFF51AFD7ED558CCD


def mix(value: int, pack: int) -> int:
    """Chain 64 bits on to a digest."""
    value = (value ^ pack) * MIX & ALL_BITS
    return value ^ value >> 32


def finish(value: int) -> int:
    """Spread the bits of a mixed value over all 64."""
    value ^= value >> 33
    value = value * 0xFF51AFD7ED558CCD & ALL_BITS
    value ^= value >> 33
    value = value * 0xC4CEB9FE1A85EC53 & ALL_BITS
    return value ^ value >> 33


def _digest(keys: list[int], length: int) -> int:
    value = SEED
    for key in keys:
        value = mix(value, key)
    return finish(mix(value, length))


def content_digests(data: Bytes, offsets: Int64s) -> UInt64s:
    """Give a digest of the bytes of every document data[offsets[i]:offsets[i + 1]]."""
    out = []
    for start, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        raw = bytes(data[start:end])
        whole = len(raw) // 8 * 8
        keys = [int.from_bytes(raw[at : at + 8], "little") for at in range(0, whole, 8)]
        out.append(_digest([*keys, int.from_bytes(raw[whole:], "little")], len(raw)))
    return np.array(out, np.uint64)


def set_digests(values: UInt64s, bounds: Int64s) -> UInt64s:
    """Give a digest of every set values[bounds[i]:bounds[i + 1]]."""
    spans = zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)
    return np.array([_digest(values[start:end].tolist(), end - start) for start, end in spans], np.uint64)


def shingles(
    data: Bytes, offsets: Int64s, w: int, seed: int = 0
) -> tuple[UInt64s, Int64s, Int64s, UInt64s, UInt64s, UInt32s]:
    """Give the distinct shingles of w words of every document, ascending: values, bounds, facts.

    The last array has the low halves of the shingles in order of the text.
    """
    sets, words, lexical, order = [], [], [], []
    for start, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        symbols = text.words_block(bytes(data[start:end]), 0, True)[0]
        words.append(len(symbols))
        lexical.append(_digest(symbols.tolist(), len(symbols)))
        hashes = selection.hashes(symbols, w, seed)
        order.append(hashes.astype(np.uint32))
        sets.append(np.unique(hashes))
    bounds = np.concatenate([[0], np.cumsum([len(each) for each in sets])]).astype(np.int64)
    values = np.concatenate([np.zeros(0, np.uint64), *sets]).astype(np.uint64)
    return (
        values,
        bounds,
        np.array(words, np.int64),
        np.array(lexical, np.uint64),
        set_digests(values, bounds),
        np.concatenate([np.zeros(0, np.uint32), *order]),
    )


def coded_shingles(
    data: Bytes, offsets: Int64s, w: int
) -> tuple[UInt64s, Int64s, Int64s, UInt64s, UInt64s, UInt64s, NDArray[np.uint16] | UInt32s]:
    """Give shingles as `shingles` does; instead of their order all words once, and words by their numbers."""
    *made, _ = shingles(data, offsets, w)
    numbers: dict[int, int] = {}
    codes = [
        numbers.setdefault(symbol, len(numbers))
        for start, end in pairwise(offsets.tolist())
        for symbol in text.words_block(bytes(data[start:end]), 0, True)[0].tolist()
    ]
    kind = np.uint16 if len(numbers) <= 1 << 16 else np.uint32
    return *made, np.array(list(numbers), np.uint64), np.array(codes, kind)  # type: ignore[return-value]


def _places(bits: UInt64s, key: int) -> tuple[int, int]:
    log2 = len(bits).bit_length() + 5
    place = (key * SEED & ALL_BITS) >> 64 - log2
    return place, place & ~63 | (key * 0xD6E8FEB86659FD93 & ALL_BITS) >> 58


def note(bits: UInt64s, keys: UInt64s) -> None:
    """Put keys into a filter of a power of two of 64-bit words."""
    for key in keys.tolist():
        for place in _places(bits, key):
            bits[place >> 6] |= np.uint64(1 << (place & 63))


def samples(
    values: UInt64s, bounds: Int64s, moduli: UInt32s, bits: UInt64s | None = None
) -> tuple[UInt64s, Int64s]:
    """Give of every set the keys that are 0 modulo its modulus, or that the filter knows."""

    def known(key: int) -> bool:
        return bits is not None and all(int(bits[at >> 6]) >> (at & 63) & 1 for at in _places(bits, key))

    chosen, ends = [], [0]
    for number, modulus in enumerate(moduli.tolist()):
        keys = values[bounds[number] : bounds[number + 1]].tolist()
        chosen += [key for key in keys if key % modulus == 0 or known(key)]
        ends.append(len(chosen))
    return np.array(chosen, np.uint64), np.array(ends, np.int64)


def _cell(key: int, count: int) -> int:
    return key >> 64 - (count.bit_length() - 1)


def count(cells: UInt32s, values: UInt64s, bounds: Int64s, wanted: Bytes) -> None:
    """Count the keys of the sets that are wanted in a power of two of cells."""
    for (start, end), counted in zip(pairwise(bounds.tolist()), wanted.tolist(), strict=True):
        for key in values[start:end].tolist() if counted else ():
            cells[_cell(key, len(cells))] += 1


def marked(marks: UInt64s, values: UInt64s, bounds: Int64s, wanted: Bytes) -> tuple[UInt64s, Int64s]:
    """Give the keys of the sets that are wanted whose cell is marked, a bit each, and where each set ends."""
    found, ends = [], [0]
    for (start, end), counted in zip(pairwise(bounds.tolist()), wanted.tolist(), strict=True):
        for key in values[start:end].tolist() if counted else ():
            cell = _cell(key, 64 * len(marks))
            if int(marks[cell >> 6]) >> (cell & 63) & 1:
                found.append(key)
        ends.append(len(found))
    return np.array(found, np.uint64), np.array(ends, np.int64)


def held(values: UInt64s, bounds: Int64s, common: UInt64s, bits: UInt64s) -> Int64s:
    """Count the common keys of every set."""
    known = {*common.tolist()}
    spans = pairwise(bounds.tolist())
    return np.array([sum(key in known for key in values[a:b].tolist()) for a, b in spans], np.int64)


def without(values: UInt64s, bounds: Int64s, common: UInt64s, bits: UInt64s) -> tuple[UInt64s, Int64s]:
    """Give every set without the common keys: values and bounds."""
    known = {*common.tolist()}
    found, ends = [], [0]
    for start, end in pairwise(bounds.tolist()):
        found += [key for key in values[start:end].tolist() if key not in known]
        ends.append(len(found))
    return np.array(found, np.uint64), np.array(ends, np.int64)


def uncovered(
    order: UInt32s, places: Int64s, own: UInt64s, bounds: Int64s, words: Int64s, few: int = 2
) -> Int64s:
    """Count for every document the words that lie in none of its shingles but its own.

    The second number of each counts only those beyond the first `few` shingles' length of every run of them.
    """
    out = []
    for number, (first, last) in enumerate(pairwise(places.tolist())):
        mine = {*own[bounds[number] : bounds[number + 1]].astype(np.uint32).tolist()}
        total = int(words[number])
        w = total - (last - first) + 1
        covered = [False] * total
        for at, half in enumerate(order[first:last].tolist()):
            if half not in mine:
                covered[at : at + w] = [True] * w
        runs = [len([*each]) for known, each in groupby(covered) if not known]
        out.append((sum(runs), sum(max(length - few * w, 0) for length in runs)))
    return np.array(out, np.int64).reshape(-1, 2)


def uncovered_by(
    values: UInt64s,
    bounds: Int64s,
    order: UInt32s,
    places: Int64s,
    words: Int64s,
    lefts: Int64s,
    rights: Int64s,
) -> Int64s:
    """Count for every pair the words of the left document that lie in no shingle which both have.

    Its own shingles are those that the right one has not. The second number of each counts only the words
    beyond the first shingle's length of every run of them.
    """
    sets = [values[first:last] for first, last in pairwise(bounds.tolist())]
    rows = [np.zeros((0, 2), np.int64)]
    for left, right in zip(lefts.tolist(), rights.tolist(), strict=True):
        own = np.setdiff1d(sets[left], sets[right])
        mine = order[places[left] : places[left + 1]]
        ends = np.array([0, len(mine)]), np.array([0, len(own)])
        rows.append(uncovered(mine, ends[0], own, ends[1], words[left : left + 1], 1))
    return np.concatenate(rows)


def super_shingles(values: UInt64s, bounds: Int64s, moduli: UInt32s, size: int) -> tuple[UInt64s, Int64s]:
    """Give the distinct super shingles of every set, ascending: values and bounds.

    They are those of its samples by each modulus in a row of `moduli`; 0 is none.
    """
    out: list[int] = []
    ends = [0]
    for (start, end), row in zip(pairwise(bounds.tolist()), moduli.tolist(), strict=True):
        found: set[int] = set()
        for modulus in row:
            sample = [key for key in values[start:end].tolist() if modulus and key % modulus == 0]
            for first in range(max(len(sample) - size + 1, min(len(sample), 1))):
                mixed = size
                for step in range(size):
                    if first + step < len(sample):
                        mixed = (mixed ^ sample[first + step]) * MIX & ALL_BITS
                    mixed ^= mixed >> 32
                found.add(mixed)
        out += sorted(found)
        ends.append(len(out))
    return np.array(out, np.uint64), np.array(ends, np.int64)


def shared(values: UInt64s, bounds: Int64s, lefts: Int64s, rights: Int64s) -> Int64s:
    """Count for every pair of sets the keys that both have."""
    sets = [set(values[a:b].tolist()) for a, b in pairwise(bounds.tolist())]
    return np.array([len(sets[a] & sets[b]) for a, b in zip(lefts, rights, strict=True)], np.int64)


def shared_among(
    sources: list[UInt64s], source: Int64s, starts: Int64s, ends: Int64s, lefts: Int64s, rights: Int64s
) -> Int64s:
    """Count for every pair the keys that both sets have; set i is sources[source[i]][starts[i]:ends[i]]."""
    sets = []
    for part, start, end in zip(source.tolist(), starts.tolist(), ends.tolist(), strict=True):
        if not 0 <= part < len(sources) or not 0 <= start <= end <= len(sources[part]):
            raise IndexError("outside of the source")
        sets.append({*sources[part][start:end].tolist()})
    if any(not 0 <= each < len(sets) for side in (lefts, rights) for each in side.tolist()):
        raise IndexError("no such set")
    return np.array([len(sets[a] & sets[b]) for a, b in zip(lefts, rights, strict=True)], np.int64)


def keep_freed() -> None:
    """Do nothing: there is no C library here."""


def gather(source: NDArray[Any], starts: Int64s, ends: Int64s, out: NDArray[Any]) -> None:
    """Copy source[starts[i]:ends[i]], one after another, to the beginning of out."""
    at = 0
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        if not 0 <= start <= end <= len(source):
            raise IndexError("outside of the source")
        if at + end - start > len(out):
            raise IndexError("too little room")
        out[at : at + end - start] = source[start:end]
        at += end - start


def samples_among(
    sources: list[UInt64s],
    source: Int64s,
    starts: Int64s,
    ends: Int64s,
    moduli: UInt32s,
    bits: UInt64s | None = None,
) -> tuple[UInt64s, Int64s, Int64s]:
    """Give samples as `samples` does, of the sets sources[source[i]][starts[i]:ends[i]]; 0 gives none.

    The third array counts the keys of each that are 0 modulo its modulus.
    """
    kept = np.where(moduli > 0, ends, starts)
    values = gather_among(sources, source, starts, kept)
    bounds = np.concatenate([[0], np.cumsum(kept - starts)]).astype(np.int64)
    by = np.maximum(moduli, 1)
    return *samples(values, bounds, by, bits), np.diff(samples(values, bounds, by)[1])


def gather_among(sources: list[UInt64s], source: Int64s, starts: Int64s, ends: Int64s) -> UInt64s:
    """Copy sources[source[i]][starts[i]:ends[i]], one after another, into one array."""
    found = [np.zeros(0, np.uint64)]
    for part, start, end in zip(source.tolist(), starts.tolist(), ends.tolist(), strict=True):
        if not 0 <= part < len(sources) or not 0 <= start <= end <= len(sources[part]):
            raise IndexError("outside of the source")
        found.append(sources[part][start:end])
    return np.concatenate(found)


def gather_strings(data: Bytes, ends: NDArray[np.int32], numbers: Int64s) -> tuple[Bytes, NDArray[np.int32]]:
    """Give the strings data[ends[n]:ends[n + 1]] of some numbers, in a row, and their ends from 0 on.

    A number below 0 gives an empty one.
    """
    found = []
    for number in numbers.tolist():
        if number >= len(ends) - 1:
            raise IndexError("outside of the strings")
        start, end = (int(ends[number]), int(ends[number + 1])) if number >= 0 else (0, 0)
        if not 0 <= start <= end <= len(data):
            raise IndexError("outside of the data")
        found.append(data[start:end].tobytes())
    out = np.zeros(len(found) + 1, np.int32)
    np.cumsum([len(each) for each in found], out=out[1:])
    return np.frombuffer(b"".join(found), np.uint8), out
