"""k-gram hashes and their selection: the compiled edition of `reference/selection.py`."""

from libc.stdint cimport int64_t, uint32_t, uint64_t, uint8_t
from libc.string cimport memcpy

import numpy as np

cdef extern from "window.h" nogil:
    ctypedef struct cs_params:
        uint64_t base
        uint64_t mask
    ctypedef struct cs_symbols:
        const void *data
        int width
    ctypedef struct cs_rule:
        size_t k
    ctypedef struct cs_edition:
        int avx2
    cs_params cs_make_params(uint64_t seed)
    cs_rule cs_make_rule(size_t k, size_t w, size_t r, int robust, uint64_t seed)
    cs_edition cs_make_edition(int level)
    int CS_PORTABLE
    int CS_VECTOR_EDITION
    int CS_AVX2_EDITION
    int cs_has_avx2()
    int cs_has_vector()
    void cs_hashes(const cs_symbols *s, size_t first, size_t count, size_t k, const cs_params *p, uint64_t *out)
    ctypedef struct cs_space:
        int filled
    ctypedef struct cs_kept:
        cs_space space
        uint32_t *places
        uint64_t *hashes
    size_t CS_KEPT
    cs_kept *cs_keep(cs_kept *old, const cs_rule *q, int width)
    void cs_free_kept(cs_kept *x)
    size_t cs_winnow_in(cs_space *x, cs_symbols s, size_t grams, const cs_rule *q, const cs_edition *e, int resumed,
                        int whole, uint32_t *places, uint64_t *hashes)
    int64_t cs_all_orders(cs_symbols s, size_t grams, const cs_rule *q, const cs_edition *e, uint32_t *out)
    int64_t cs_sample(cs_symbols s, size_t grams, size_t k, const cs_params *p, uint64_t modulus, size_t skip,
                      uint32_t *places, uint64_t *hashes, size_t room, size_t *next)
    void cs_minima(const uint64_t *h, size_t n, size_t w, int robust, uint32_t *out, size_t *found)

cdef cs_edition chosen
# of the last calls, by width of symbols: texts and tokens alternate; whoever works in one has taken it out
cdef cs_kept *kept[3]
kept[0] = kept[1] = kept[2] = NULL

MAX_WINDOW = 8192
MAX_GRAM = 1 << 20


def has_avx2():
    """Say whether this machine can run the AVX2 edition."""
    return bool(cs_has_avx2())


def use_avx2(bint wanted):
    """Run the AVX2 edition from now on, or the portable one; both give the same answers."""
    global chosen
    chosen = cs_make_edition(CS_AVX2_EDITION if wanted and cs_has_avx2() else CS_PORTABLE)


def has_vector():
    """Say whether this machine can run the vector edition."""
    return bool(cs_has_vector())


def use_vector(bint wanted):
    """Run the vector edition from now on, or the portable one; both give the same answers."""
    global chosen
    chosen = cs_make_edition(CS_VECTOR_EDITION if wanted and cs_has_vector() else CS_PORTABLE)


use_avx2(True)


cdef cs_symbols view(object symbols, size_t *length) except *:
    cdef cs_symbols s
    cdef const uint8_t[::1] narrow
    cdef const uint32_t[::1] middle
    cdef const uint64_t[::1] wide
    cdef size_t n = len(symbols)
    length[0] = n
    s.data = NULL
    s.width = symbols.itemsize
    if n == 0:
        return s
    if s.width == 1:
        narrow = symbols
        s.data = &narrow[0]
    elif s.width == 4:
        middle = symbols
        s.data = &middle[0]
    else:
        wide = symbols
        s.data = &wide[0]
    return s


def hashes(symbols, size_t k, uint64_t seed=0):
    """Give the 64-bit hash of every k-gram."""
    cdef size_t n
    cdef cs_symbols s = view(symbols, &n)
    cdef size_t grams = n - k + 1 if n >= k else 0
    out = np.empty(grams, np.uint64)
    cdef uint64_t[::1] o = out
    cdef cs_params p = cs_make_params(seed)
    if grams:
        with nogil:
            cs_hashes(&s, 0, grams, k, &p, &o[0])
    return out


def orders(symbols, size_t k, uint64_t seed=0, size_t inner=0):
    """Give the 32-bit order of every k-gram; inner > 0: the open-closed order by inner r-grams."""
    cdef size_t n
    cdef cs_symbols s = view(symbols, &n)
    cdef size_t grams = n - k + 1 if n >= k else 0
    out = np.empty(grams, np.uint32)
    cdef uint32_t[::1] o = out
    cdef cs_rule q = cs_make_rule(k, 1, inner, 1, seed)
    cdef int64_t done = 0
    if grams:
        with nogil:
            done = cs_all_orders(s, grams, &q, &chosen, &o[0])
    if done < 0:
        raise MemoryError
    return out


def minima(values, size_t w, bint robust=True):
    """Give the places that winnowing selects among the given 64-bit values."""
    cdef const uint64_t[::1] h = values
    cdef size_t n = h.shape[0], found = 0
    out = np.empty(n, np.uint32)
    cdef uint32_t[::1] o = out
    if n:
        with nogil:
            cs_minima(&h[0], n, w, robust, &o[0], &found)
    return out[:found].copy()


def winnow(symbols, size_t k, size_t w, uint64_t seed=0, bint robust=True, size_t inner=0,
           bint resumed=False, bint whole=True):
    """Select one k-gram a window; give their places and hashes.

    resumed: k-gram 0 is the last choice already made, and is not given again. whole: nothing
    follows, so a document shorter than a window still gets one choice.
    """
    cdef size_t n
    cdef cs_symbols s = view(symbols, &n)
    cdef size_t grams = n - k + 1 if n >= k else 0, found
    cdef cs_rule q = cs_make_rule(k, w, inner, robust, seed)
    if not grams:
        return np.empty(0, np.uint32), np.empty(0, np.uint64)
    cdef int which = s.width >> 2
    cdef cs_kept *mine = kept[which]
    kept[which] = NULL
    mine = cs_keep(mine, &q, s.width)
    if mine == NULL:
        raise MemoryError
    cdef uint32_t *to_places = mine.places
    cdef uint64_t *to_hashes = mine.hashes
    cdef uint32_t[::1] p
    cdef uint64_t[::1] h
    cdef bint large = grams > CS_KEPT
    try:
        if large:
            places, values = np.empty(grams, np.uint32), np.empty(grams, np.uint64)
            p, h = places, values
            to_places, to_hashes = &p[0], &h[0]
        with nogil:
            found = cs_winnow_in(&mine.space, s, grams, &q, &chosen, resumed, whole, to_places, to_hashes)
        if large:
            return places[:found].copy(), values[:found].copy()
        places, values = np.empty(found, np.uint32), np.empty(found, np.uint64)
        if found:
            p, h = places, values
            memcpy(&p[0], to_places, found * 4)
            memcpy(&h[0], to_hashes, found * 8)
        return places, values
    finally:
        cs_free_kept(kept[which])
        kept[which] = mine


def sample(symbols, size_t k, uint64_t modulus, uint64_t seed=0, size_t skip=1, size_t start=0):
    """Select the k-grams whose hash is 0 modulo `modulus`; give places, hashes and where to go on.

    After a choice the next k-gram considered is `skip` further: 1, or k for sif's no-overlap rule.
    """
    cdef size_t n, following = start
    cdef cs_symbols s = view(symbols, &n)
    cdef size_t grams = n - k + 1 if n >= k else 0
    cdef cs_params p = cs_make_params(seed)
    cdef uint32_t[::1] at
    cdef uint64_t[::1] h
    cdef size_t room, have = 0
    cdef int64_t found
    parts = []
    while following < grams:
        room = 4096 + (grams - following) * 2 // modulus
        places = np.empty(room, np.uint32)
        values = np.empty(room, np.uint64)
        at, h = places, values
        with nogil:
            found = cs_sample(s, grams, k, &p, modulus, skip, &at[0], &h[0], room, &following)
        parts.append((places[:found], values[:found]))
    if not parts:
        return np.empty(0, np.uint32), np.empty(0, np.uint64), following
    return (np.concatenate([a for a, _ in parts]), np.concatenate([b for _, b in parts]), following)
