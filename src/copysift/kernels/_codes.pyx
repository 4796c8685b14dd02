"""Shingles of documents by the numbers of their words: the compiled edition of `reference/codes.py`."""

from libc.stdint cimport int64_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc

import numpy as np

cdef extern from "shingle.h" nogil:
    int text_use_avx2
    int text_cpu_has_avx2()
    ctypedef struct cs_params:
        uint64_t base
    cs_params cs_make_params(uint64_t seed)
    int word_decode_short(const uint16_t *codes, size_t n, const uint64_t *words, size_t count, uint64_t *out)
    int word_decode_long(const uint32_t *codes, size_t n, const uint64_t *words, size_t count, uint64_t *out)
    size_t word_hashes(const uint64_t *s, size_t n, size_t w, const cs_params *p, uint64_t *out)
    size_t keys_distinct(uint64_t *h, uint64_t *room, size_t n, uint32_t *counts, uint64_t *digest)
    int KEYS_COUNTS

ctypedef fused number:
    uint16_t
    uint32_t


def use_avx2(bint wanted):
    """Run the AVX2 edition from now on, or the portable one; both give the same answers."""
    global text_use_avx2
    text_use_avx2 = wanted and text_cpu_has_avx2()


use_avx2(True)


cdef int _decoded(const number *codes, size_t n, const uint64_t *words, size_t count, uint64_t *out) noexcept nogil:
    if number is uint16_t:
        return word_decode_short(codes, n, words, count, out)
    else:
        return word_decode_long(codes, n, words, count, out)


def sets(const number[::1] codes, const uint64_t[::1] dictionary, const int64_t[::1] starts, const int64_t[::1] ends,
         size_t w):
    """Give the distinct shingles of w words of every document codes[starts[i]:ends[i]], ascending: values and bounds."""
    values, bounds = _shingles(codes, dictionary, starts, ends, w, True)
    return values, bounds


def in_order(const number[::1] codes, const uint64_t[::1] dictionary, const int64_t[::1] starts,
             const int64_t[::1] ends, size_t w):
    """Give all shingles of w words of every document codes[starts[i]:ends[i]], as they come: values and bounds."""
    values, bounds = _shingles(codes, dictionary, starts, ends, w, False)
    return values, bounds


def _shingles(const number[::1] codes, const uint64_t[::1] dictionary, const int64_t[::1] starts,
              const int64_t[::1] ends, size_t w, bint distinct):
    cdef Py_ssize_t n = starts.shape[0], i
    cdef size_t room = 1, most = 1, length, found, at = 0, count = dictionary.shape[0]
    cdef uint64_t digest
    if ends.shape[0] != n or w < 1:
        raise ValueError("columns of different lengths, or no shingle")
    for i in range(n):
        if not 0 <= starts[i] <= ends[i] <= codes.shape[0]:
            raise IndexError("outside of the codes")
        length = ends[i] - starts[i]
        most = max(most, length)
        room += length - w + 1 if length >= w else 0
    out, bounds = np.empty(room, np.uint64), np.zeros(n + 1, np.int64)
    cdef uint64_t[::1] o = out, symbols = np.empty(most, np.uint64), spare = np.empty(most, np.uint64)
    cdef uint32_t[::1] counts = np.empty(KEYS_COUNTS, np.uint32)
    cdef int64_t[::1] b = bounds
    cdef const uint64_t *words = &dictionary[0] if count else NULL
    cdef const number *numbers = &codes[0] if codes.shape[0] else NULL
    cdef cs_params p = cs_make_params(0)
    cdef bint known = True
    with nogil:
        for i in range(n):
            length = ends[i] - starts[i]
            if not length:
                b[i + 1] = at
                continue
            if not _decoded(numbers + starts[i], length, words, count, &symbols[0]):
                known = False
                break
            found = word_hashes(&symbols[0], length, w, &p, &o[at])
            if distinct:
                found = keys_distinct(&o[at], &spare[0], found, &counts[0], &digest)
            at += found
            b[i + 1] = at
    if not known:
        raise IndexError("no such word")
    return out[:at], bounds
