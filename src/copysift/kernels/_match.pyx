# cython: language_level=3
"""Compiled exact matching: the shell around match.h; `reference/match.py` is the readable definition."""

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

import numpy as np

cdef extern from "seeds.h" nogil:
    ctypedef struct match_names:
        uint64_t *keys
        uint32_t *numbers
        uint32_t count
        int bits
    ctypedef struct match_side:
        const uint32_t *symbols
        const uint8_t *mask
        uint32_t n
    ctypedef struct match_tile:
        uint32_t a
        uint32_t b
        uint32_t length
    ctypedef struct match_tiles:
        match_tile *tiles
        size_t n
        size_t room
    int match_names_open(match_names *, size_t)
    void match_number(match_names *, const uint64_t *, size_t, uint32_t *)
    int match_tile_both(const match_side *, const match_side *, uint32_t, uint32_t, size_t, match_tiles *)
    ctypedef struct seed_side:
        const void *symbols
        const uint8_t *mask
        uint64_t n
        int width
    ctypedef struct seed_mapped:
        const void *first
        size_t bytes
    ctypedef struct seed_tile:
        uint64_t a
        uint64_t b
        uint64_t length
    ctypedef struct seed_job:
        const seed_side *a
        const seed_side *b
        uint64_t k
        uint64_t stride
        uint64_t seeds
        uint32_t *tags
        uint32_t *next
        uint32_t *heads
        int bits
        uint8_t *taken
        const seed_mapped *mapped
        size_t n_mapped
        seed_tile *tiles
        size_t n
        size_t room
        uint64_t read
    int seed_match(seed_job *)
    size_t match_line_starts(const uint8_t *, size_t, uint32_t *)

cdef extern from "runs.h" nogil:
    ctypedef struct run_table:
        pass
    const match_side *run_noted(run_table *, const match_side *, const match_side *, uint32_t)
    int run_both(run_table *, const match_side *, size_t, match_tiles *)
    void run_close(run_table *)
    int RUN_FAILED
    int RUN_MANY

WIDE = 1 << 32  # symbols of one, from which on places have 64 bits
cdef Py_ssize_t MOST = 1 << 30  # symbols of both together: they are packed into 31 bits


cdef class _Sides:
    """Both sequences with small numbers for symbols, ready for C; holds the arrays alive."""

    cdef match_side a, b
    cdef uint32_t alphabet
    cdef list arrays

    def __init__(self, a, b, mask_a, mask_b):
        if len(a) + len(b) > MOST:
            raise OverflowError("too many symbols for one match")
        self.arrays = []
        if a.dtype.itemsize == 1 and b.dtype.itemsize == 1:
            self.alphabet = 256
            self.fill(&self.a, a.astype(np.uint32), mask_a)
            self.fill(&self.b, b.astype(np.uint32), mask_b)
        else:
            numbers_a, numbers_b = self.number(a, b)
            self.fill(&self.a, numbers_a, mask_a)
            self.fill(&self.b, numbers_b, mask_b)

    cdef void fill(self, match_side *side, symbols, mask) except *:
        cdef const uint32_t[::1] s = symbols
        cdef const uint8_t[::1] m
        side.n = s.shape[0]
        side.symbols = &s[0] if side.n else NULL
        side.mask = NULL
        self.arrays.append(symbols)
        if mask is not None:
            m = mask
            if m.shape[0] != side.n:
                raise ValueError("a mask differs in length from its symbols")
            side.mask = &m[0] if side.n else NULL
            self.arrays.append(mask)

    cdef tuple number(self, a, b):
        cdef match_names names
        cdef const uint64_t[::1] wide
        cdef uint32_t[::1] narrow
        numbered = []
        names.keys = NULL
        names.numbers = NULL
        try:
            if not match_names_open(&names, len(a) + len(b)):
                raise MemoryError
            for symbols in (a, b):
                wide = np.ascontiguousarray(symbols, np.uint64)
                numbers = np.empty(len(symbols), np.uint32)
                narrow = numbers
                if narrow.shape[0]:
                    with nogil:
                        match_number(&names, &wide[0], narrow.shape[0], &narrow[0])
                numbered.append(numbers)
            self.alphabet = names.count
        finally:
            free(names.keys)
            free(names.numbers)
        return tuple(numbered)


cdef tuple _columns(match_tiles found):
    starts_a = np.empty(found.n, np.uint32)
    starts_b = np.empty(found.n, np.uint32)
    lengths = np.empty(found.n, np.uint32)
    cdef uint32_t[::1] a = starts_a, b = starts_b, length = lengths
    cdef size_t i
    for i in range(found.n):
        a[i] = found.tiles[i].a
        b[i] = found.tiles[i].b
        length[i] = found.tiles[i].length
    return starts_a, starts_b, lengths


cdef class _Row:
    """Sequences as 32-bit symbols, ready for C; holds the arrays alive."""

    cdef match_side *sides
    cdef list arrays

    def __cinit__(self, sequences, masks):
        self.sides = <match_side *>calloc(max(len(sequences), 1), sizeof(match_side))
        if self.sides == NULL:
            raise MemoryError
        self.arrays = []
        cdef const uint32_t[::1] symbols
        cdef const uint8_t[::1] mask
        cdef Py_ssize_t i
        for i, narrow in enumerate(_narrow(sequences)):
            symbols = narrow
            self.sides[i].n = symbols.shape[0]
            self.sides[i].symbols = &symbols[0] if symbols.shape[0] else NULL
            self.arrays.append(narrow)
            if masks is not None and masks[i] is not None:
                mask = masks[i]
                if mask.shape[0] != symbols.shape[0]:
                    raise ValueError("a mask differs in length from its symbols")
                self.sides[i].mask = &mask[0] if symbols.shape[0] else NULL
                self.arrays.append(masks[i])

    def __dealloc__(self):
        free(self.sides)


cdef list _narrow(sequences):
    """Give sequences with symbols of 32 bits: as they are, or numbered if any is wider."""
    if all(each.dtype.itemsize <= 4 for each in sequences):
        return [np.ascontiguousarray(each, np.uint32) for each in sequences]
    cdef match_names names
    cdef const uint64_t[::1] wide
    cdef uint32_t[::1] narrow
    out = []
    names.keys = NULL
    names.numbers = NULL
    try:
        if not match_names_open(&names, sum(len(each) for each in sequences)):
            raise MemoryError
        for each in sequences:
            wide = np.ascontiguousarray(each, np.uint64)
            numbers = np.empty(len(each), np.uint32)
            narrow = numbers
            if narrow.shape[0]:
                with nogil:
                    match_number(&names, &wide[0], narrow.shape[0], &narrow[0])
            out.append(numbers)
    finally:
        free(names.keys)
        free(names.numbers)
    return out


cdef int _by_runs(const match_side *sides, const uint32_t *lefts, const uint32_t *rights, size_t pairs,
                  uint32_t k, size_t room, int64_t *counts, match_tiles *out) noexcept nogil:
    """Tile the pairs that share few runs; the count of any other is −1. 0: out of memory."""
    cdef run_table table
    cdef const match_side *other
    cdef size_t i, before
    cdef int done = not RUN_FAILED
    memset(&table, 0, sizeof(run_table))
    for i in range(pairs):
        before = out.n
        counts[i] = -1
        other = run_noted(&table, &sides[lefts[i]], &sides[rights[i]], k)
        if other == NULL:
            done = RUN_FAILED
            break
        done = run_both(&table, other, room, out)
        if done == RUN_FAILED:
            break
        if done != RUN_MANY:
            counts[i] = <int64_t>(out.n - before)
    run_close(&table)
    return done != RUN_FAILED


def tiles_among(sequences, lefts, rights, uint32_t k, masks=None, size_t room=MOST):
    if k < 1:
        raise ValueError("k must be at least 1")
    if len(lefts) != len(rights) or (masks is not None and len(masks) != len(sequences)):
        raise ValueError("columns differ in length")
    cdef size_t pairs = len(lefts)
    if pairs and not 0 <= min(lefts.min(), rights.min()) <= max(lefts.max(), rights.max()) < len(sequences):
        raise IndexError("a pair names a sequence that is not there")
    cdef _Row row = _Row(sequences, masks)
    cdef const uint32_t[::1] a = np.ascontiguousarray(lefts, np.uint32)
    cdef const uint32_t[::1] b = np.ascontiguousarray(rights, np.uint32)
    counts = np.zeros(pairs, np.int64)
    cdef int64_t[::1] count = counts
    cdef match_tiles found
    cdef int done = 1
    found.tiles = NULL
    found.n = found.room = 0
    try:
        if pairs:
            with nogil:
                done = _by_runs(row.sides, &a[0], &b[0], pairs, k, min(room, <size_t>MOST), &count[0], &found)
        if not done:
            raise MemoryError
        columns = _columns(found)
    finally:
        free(found.tiles)
    left = np.flatnonzero(counts < 0)
    return (counts, *columns) if not len(left) else _with_suffixes(
        sequences, lefts, rights, k, masks, room, counts, columns
    )


def _with_suffixes(sequences, lefts, rights, k, masks, room, counts, columns):
    """Put the tiles of the pairs whose count is −1 in; those of a pair without room stay out."""
    parts, at = [], 0
    for i, count in enumerate(counts.tolist()):
        if count < 0:
            a, b = int(lefts[i]), int(rights[i])
            mask_a, mask_b = (None, None) if masks is None else (masks[a], masks[b])
            try:
                found = _by_suffixes(sequences[a], sequences[b], k, mask_a, mask_b, room)
            except OverflowError:
                continue
            counts[i] = len(found[0])
            parts.append(found)
        elif count:
            parts.append(tuple(column[at : at + count] for column in columns))
            at += count
    if not parts:
        return (counts, *columns)
    return (counts, *(np.concatenate(column) for column in zip(*parts)))


def tiles(a, b, uint32_t k, mask_a=None, mask_b=None, size_t room=MOST):
    if len(a) + len(b) > MOST:
        raise OverflowError("too many symbols for one match")
    one, other = np.zeros(1, np.uint32), np.ones(1, np.uint32)
    counts, *found = tiles_among([a, b], one, other, k, [mask_a, mask_b], room)
    if counts[0] < 0:
        raise OverflowError("more shared symbols than there is room for")
    return tuple(found)


def _by_suffixes(a, b, uint32_t k, mask_a, mask_b, size_t room):
    cdef _Sides sides = _Sides(a, b, mask_a, mask_b)
    cdef match_tiles found
    cdef int done = 1
    found.tiles = NULL
    found.n = found.room = 0
    try:
        if sides.a.n >= k and sides.b.n >= k:
            with nogil:
                done = match_tile_both(&sides.a, &sides.b, sides.alphabet, k, min(room, <size_t>MOST), &found)
        if done < 0:
            raise OverflowError("more shared symbols than there is room for")
        if not done:
            raise MemoryError
        return _columns(found)
    finally:
        free(found.tiles)


cdef class _SeedSide:
    """A sequence as it is, 1, 4 or 8 bytes a symbol; holds its arrays alive."""

    cdef seed_side side
    cdef list arrays

    def __init__(self, symbols, mask):
        symbols = np.ascontiguousarray(symbols)
        if symbols.dtype.itemsize not in (1, 4, 8) or symbols.dtype.kind != "u":
            raise ValueError("symbols must be unsigned, of 1, 4 or 8 bytes")
        cdef const uint8_t[::1] s = symbols.view(np.uint8)
        cdef const uint8_t[::1] m
        self.arrays = [symbols]
        self.side.n = len(symbols)
        self.side.width = symbols.dtype.itemsize
        self.side.symbols = &s[0] if self.side.n else NULL
        self.side.mask = NULL
        if mask is not None:
            m = mask
            if <uint64_t>m.shape[0] != self.side.n:
                raise ValueError("a mask differs in length from its symbols")
            self.side.mask = &m[0] if self.side.n else NULL
            self.arrays.append(mask)


cdef class _Mapped:
    """Where the arrays that are mapped from files are in memory."""

    cdef seed_mapped parts[8]
    cdef size_t n

    def __init__(self, arrays):
        cdef const uint8_t[::1] seen
        self.n = 0
        for each in arrays:
            if isinstance(each, np.memmap) and len(each):
                seen = each.view(np.uint8)
                self.parts[self.n].first = &seen[0]
                self.parts[self.n].bytes = seen.shape[0]
                self.n += 1


def seed_tiles(a, b, uint64_t k, uint64_t stride, mask_a=None, mask_b=None, allocate=None):
    if k < 1 or stride < 1:
        raise ValueError("k and stride must be at least 1")
    cdef _SeedSide left = _SeedSide(a, mask_a), right = _SeedSide(b, mask_b)
    cdef seed_job job
    job.seeds = len(b) // stride + 1
    if job.seeds >= 2**32 - 1:
        raise OverflowError("too many seeds for one match")
    job.bits = 4
    while (<uint64_t>1 << job.bits) < job.seeds and job.bits < 31:
        job.bits += 1
    make = np.empty if allocate is None else allocate
    table = make(2 * job.seeds + (<uint64_t>1 << job.bits), np.uint32)
    table[: job.seeds] = 0
    table[2 * job.seeds :] = 2**32 - 1
    taken = make((len(b) >> 3) + 1, np.uint8)
    taken[:] = 0
    cdef uint32_t[::1] t = table
    cdef uint8_t[::1] bits = taken
    cdef _Mapped mapped = _Mapped([a, b, mask_a, mask_b, table, taken])
    cdef int done = 1
    job.a, job.b, job.k, job.stride = &left.side, &right.side, k, stride
    job.tags, job.next, job.heads = &t[0], &t[job.seeds], &t[2 * job.seeds]
    job.taken, job.mapped, job.n_mapped = &bits[0], mapped.parts, mapped.n
    job.tiles, job.n, job.room, job.read = NULL, 0, 0, 0
    try:
        if left.side.n >= k and right.side.n >= k:
            with nogil:
                done = seed_match(&job)
        if not done:
            raise MemoryError
        return _seed_columns(job.tiles, job.n, max(left.side.n, right.side.n))
    finally:
        free(job.tiles)


cdef tuple _seed_columns(const seed_tile *tiles, size_t n, uint64_t longest):
    table = np.empty((3, n), np.int64)
    cdef int64_t[:, ::1] into = table
    cdef size_t i
    for i in range(n):
        into[0, i] = <int64_t>tiles[i].a
        into[1, i] = <int64_t>tiles[i].b
        into[2, i] = <int64_t>tiles[i].length
    return tuple(table.astype(np.uint32) if longest < WIDE else table)


def line_starts(const uint8_t[::1] data):
    cdef size_t n = data.shape[0], lines = 1
    cdef const uint8_t *bytes_ = &data[0] if n else NULL
    if n:
        with nogil:
            lines = match_line_starts(bytes_, n, NULL)
    starts = np.zeros(lines, np.uint32)
    cdef uint32_t[::1] s = starts
    if n:
        with nogil:
            match_line_starts(bytes_, n, &s[0])
    return starts
