"""JSON lines of an id and a text: the compiled edition of `reference/jsonl.py`."""

from libc.stdint cimport int32_t, int64_t, uint8_t

import numpy as np

cdef extern from "jsonl.h" nogil:
    int text_use_avx2
    int text_cpu_has_avx2()
    int JSONL_PAD
    ctypedef struct jsonl_out:
        const uint8_t *id
        const uint8_t *text
        size_t id_size
        size_t text_size
        uint8_t *ids
        uint8_t *texts
        int32_t *id_ends
        int64_t *text_ends
    size_t jsonl_breaks(const uint8_t *data, size_t n)
    int jsonl_block(const uint8_t *data, size_t n, size_t lines, jsonl_out *out)

DEF LARGEST = 1 << 30


def use_avx2(bint wanted):
    """Run the AVX2 edition from now on, or the portable one; both give the same answers."""
    global text_use_avx2
    text_use_avx2 = wanted and text_cpu_has_avx2()


use_avx2(True)


def two_strings(const uint8_t[::1] block, bytes name, bytes text):
    """Give the strings of two fields of every line, or None when a line is anything but those two.

    The block is whole lines without the last line break. Gives the bytes of all names, their ends, the bytes of
    all texts, their ends; the ends begin with a 0, and the bytes have a few more behind the last end.
    """
    cdef size_t n = block.shape[0], lines = 0
    if n == 0 or n > LARGEST or block[0] != c"{" or name == text:
        return None
    with nogil:
        lines = jsonl_breaks(&block[0], n) + 1
    names, texts = np.empty(n + JSONL_PAD, np.uint8), np.empty(n + JSONL_PAD, np.uint8)
    name_ends, text_ends = np.empty(lines + 1, np.int32), np.empty(lines + 1, np.int64)
    cdef uint8_t[::1] a = names, b = texts
    cdef int32_t[::1] c = name_ends
    cdef int64_t[::1] d = text_ends
    cdef jsonl_out out = jsonl_out(<const uint8_t *>name, <const uint8_t *>text, len(name), len(text),
                                   &a[0], &b[0], &c[0], &d[0])
    cdef bint plain
    with nogil:
        plain = jsonl_block(&block[0], n, lines, &out)
    return (names, name_ends, texts, text_ends) if plain else None
