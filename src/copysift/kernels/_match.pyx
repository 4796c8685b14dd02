# cython: language_level=3
"""Compiled exact matching: the shell around match.h; `reference/match.py` is the readable definition."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free

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
    int match_seed_both(const match_side *, const match_side *, uint32_t, uint32_t, match_tiles *)
    size_t match_line_starts(const uint8_t *, size_t, uint32_t *)

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


def tiles(a, b, uint32_t k, mask_a=None, mask_b=None, size_t room=MOST):
    if k < 1:
        raise ValueError("k must be at least 1")
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


def seed_tiles(a, b, uint32_t k, uint32_t stride, mask_a=None, mask_b=None):
    if k < 1 or stride < 1:
        raise ValueError("k and stride must be at least 1")
    cdef _Sides sides = _Sides(a, b, mask_a, mask_b)
    cdef match_tiles found
    cdef int done = 1
    found.tiles = NULL
    found.n = found.room = 0
    try:
        if sides.a.n >= k and sides.b.n >= k:
            with nogil:
                done = match_seed_both(&sides.a, &sides.b, k, stride, &found)
        if not done:
            raise MemoryError
        return _columns(found)
    finally:
        free(found.tiles)


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
