"""Many texts at once: the compiled edition of `reference/batch.py`."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memcpy

import numpy as np

cdef extern from "batch.h" nogil:
    ctypedef struct cs_rule:
        size_t k
    ctypedef struct cs_edition:
        int avx2
    ctypedef struct bt_space:
        uint64_t *hashes
    int text_use_avx2
    void text_init()
    void markup_init()
    int text_cpu_has_avx2()
    int cs_has_avx2()
    cs_rule cs_make_rule(size_t k, size_t w, size_t r, int robust, uint64_t seed)
    cs_edition cs_make_edition(int level)
    int CS_PORTABLE
    int CS_VECTOR_EDITION
    int CS_AVX2_EDITION
    int cs_has_vector()
    int bt_make(bt_space *space, const cs_rule *rule, const cs_edition *edition, size_t room, int marked)
    void bt_free(bt_space *space)
    int64_t bt_winnow(bt_space *space, const uint8_t *data, size_t n, int marked)

text_init()
markup_init()
cdef cs_edition chosen


def has_avx2():
    """Say whether this machine can run the AVX2 edition."""
    return bool(text_cpu_has_avx2() and cs_has_avx2())


def use_avx2(bint wanted):
    """Run the AVX2 edition from now on, or the portable one; both give the same answers."""
    global chosen, text_use_avx2
    chosen = cs_make_edition(CS_AVX2_EDITION if wanted and has_avx2() else CS_PORTABLE)
    text_use_avx2 = wanted and has_avx2()


def has_vector():
    """Say whether this machine can run the vector edition."""
    return bool(cs_has_vector())


def use_vector(bint wanted):
    """Run the vector edition from now on, or the portable one; both give the same answers."""
    global chosen, text_use_avx2
    chosen = cs_make_edition(CS_VECTOR_EDITION if wanted and cs_has_vector() else CS_PORTABLE)
    text_use_avx2 = 0


use_avx2(True)

cdef struct text:
    const uint8_t *data
    size_t size
    int marked

cdef struct found:
    uint64_t *hashes
    size_t count
    size_t room


cdef int keep(found *all, const uint64_t *hashes, size_t count) noexcept nogil:
    """Add hashes to those found; -1 if there is no memory for them."""
    cdef size_t room = all.room
    while room < all.count + count:
        room = 2 * room + 4096
    if room > all.room:
        more = <uint64_t *>realloc(all.hashes, room * 8)
        if more == NULL:
            return -1
        all.hashes, all.room = more, room
    memcpy(all.hashes + all.count, hashes, count * 8)
    all.count += count
    return 0


cdef int winnow_all(text *texts, Py_ssize_t n, bt_space *space, found *all, int64_t[::1] bounds) noexcept nogil:
    cdef Py_ssize_t i
    cdef int64_t count
    for i in range(n):
        count = bt_winnow(space, texts[i].data, texts[i].size, texts[i].marked)
        if count < 0 or (count and keep(all, space.hashes, count)):
            return -1
        bounds[i + 1] = all.count
    return 0


def winnow_texts(list sources, list marked, size_t k, size_t w, uint64_t seed=0, bint robust=True, size_t inner=0):
    """Winnow texts in UTF-8; give all their hashes, and where in them those of each text begin and end."""
    cdef Py_ssize_t n = len(sources), i
    cdef size_t room = 1
    cdef int any_marked = 0, failed = -1
    cdef text *texts = <text *>calloc(n + 1, sizeof(text))
    cdef found all
    cdef bt_space space
    cdef cs_rule rule = cs_make_rule(k, w, inner, robust, seed)
    cdef list held = list(sources)  # whoever else changes `sources`, the texts stay
    bounds = np.zeros(n + 1, np.int64)
    cdef int64_t[::1] ends = bounds
    cdef uint64_t[::1] to
    all.hashes, all.count, all.room = NULL, 0, 0
    if texts == NULL:
        raise MemoryError
    try:
        for i in range(n):
            texts[i].data = <const uint8_t *>PyBytes_AS_STRING(<bytes?>held[i])
            texts[i].size = PyBytes_GET_SIZE(held[i])
            texts[i].marked = bool(marked[i])
            room = max(room, texts[i].size)
            any_marked |= texts[i].marked
        with nogil:
            if not bt_make(&space, &rule, &chosen, room, any_marked):
                failed = winnow_all(texts, n, &space, &all, ends)
                bt_free(&space)
        if failed:
            raise MemoryError
        hashes = np.empty(all.count, np.uint64)
        if all.count:
            to = hashes
            memcpy(&to[0], all.hashes, all.count * 8)
        return hashes, bounds
    finally:
        free(all.hashes)
        free(texts)
