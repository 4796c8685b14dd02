"""Sets of word shingles: the compiled edition of `reference/shingle.py`."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

import threading

import numpy as np

cdef extern from "uncovered.h" nogil:
    int text_use_avx2
    int text_use_avx512
    void text_init()
    void words_init()
    int text_cpu_has_avx2()
    int text_cpu_has_avx512()
    ctypedef struct cs_params:
        uint64_t base
    cs_params cs_make_params(uint64_t seed)
    ctypedef struct shingle_space:
        size_t room_size
    ctypedef struct shingle_facts:
        uint64_t words
        uint64_t places
        uint64_t lexical
        uint64_t set
    void shingle_keep_freed()
    void shingle_digests(const uint8_t *data, const int64_t *offsets, size_t n, uint64_t *out)
    uint64_t keys_digest(const uint64_t *keys, size_t n)
    int shingle_make(shingle_space *s, size_t w)
    void shingle_free(shingle_space *s)
    ctypedef struct word_coder:
        uint64_t *words
        size_t count
        size_t written
    int word_coder_make(word_coder *c, uint32_t *out)
    void word_coder_free(word_coder *c)
    int64_t shingle_document(const uint8_t *data, size_t n, size_t w, const cs_params *p, shingle_space *space,
                             uint64_t *out, uint32_t *order, word_coder *coder, shingle_facts *facts)
    void shingle_note(uint64_t *bits, int log2, const uint64_t *keys, size_t n)
    size_t shingle_sample(const uint64_t *keys, size_t n, uint64_t m, const uint64_t *bits, int log2, uint64_t *out)
    void shingle_count(uint32_t *cells, int log2, const uint64_t *keys, size_t n)
    size_t shingle_marked(const uint64_t *marks, int log2, const uint64_t *keys, size_t n, uint64_t *out)
    size_t shingle_held(const uint64_t *keys, size_t n, const uint64_t *common, size_t m, const uint64_t *bits, int log2)
    size_t shingle_sample_own(const uint64_t *keys, size_t n, uint64_t m, const uint64_t *bits, int log2,
                              uint64_t *out, int64_t *own)
    size_t shingle_without(const uint64_t *keys, size_t n, const uint64_t *common, size_t m, const uint64_t *bits,
                           int log2, uint64_t *out)
    size_t shingle_apart(const uint64_t *one, size_t n, const uint64_t *other, size_t m, uint64_t *out)
    void shingle_uncovered(const uint32_t *order, size_t n, size_t words, const uint64_t *own, size_t m,
                           size_t few, uint32_t *room, int64_t *out)
    size_t shingle_super(const uint64_t *keys, size_t n, size_t size, uint64_t *out)
    size_t keys_distinct(uint64_t *h, uint64_t *room, size_t n, uint32_t *counts, uint64_t *digest)
    int KEYS_COUNTS
    uint64_t shingle_shared(const uint64_t *a, size_t n, const uint64_t *b, size_t m)
    int SHINGLE_TABLE_ROOM
    ctypedef struct shingle_table:
        uint64_t *rows
    uint64_t *shingle_rows(uint64_t *room)
    int shingle_slots(const uint32_t *order, size_t places, const uint64_t *keys, size_t n, uint32_t *room,
                      uint32_t *slots)
    int shingle_fill_for(shingle_table *table, const uint64_t *b, size_t m, size_t pairs)
    void shingle_own(const uint64_t *a, size_t n, const uint64_t *b, size_t m, const shingle_table *table, int filled,
                     uint8_t *own)
    void shingle_uncovered_slots(const uint32_t *slots, size_t n, size_t words, const uint8_t *own, size_t few,
                                 int64_t *out)
    void shingle_shared_with(const uint64_t *a, size_t n, const size_t *sets, const int64_t *sizes,
                             const int64_t *others, size_t count, shingle_table *table, int64_t *out)

text_init()
words_init()


def use_avx2(bint wanted):
    """Run the AVX2 edition from now on, or the portable one; both give the same answers."""
    global text_use_avx2, text_use_avx512
    text_use_avx2 = wanted and text_cpu_has_avx2()
    text_use_avx512 = 0


def use_avx512(bint wanted):
    """Run the AVX-512 edition from now on, or what use_avx2 has chosen."""
    global text_use_avx2, text_use_avx512
    text_use_avx512 = wanted and text_cpu_has_avx512()
    text_use_avx2 = text_use_avx2 or text_use_avx512


use_avx2(True)
use_avx512(True)


def keep_freed():
    """Let the C library keep the memory of arrays that go, for those that come: their pages are there already."""
    shingle_keep_freed()


_rooms = threading.local()
cdef size_t LARGEST_ROOM = 8 << 20


def _room(size_t size, str name="keys", kind=np.uint64):
    """Give an array of at least `size` keys; a thread uses the same one again, whose pages are already there."""
    if size > LARGEST_ROOM:
        return np.empty(size, kind)
    held = getattr(_rooms, name, None)
    if held is None or held.size < size:
        held = np.empty(size + size // 4, kind)
        setattr(_rooms, name, held)
    return held


cdef void _check_bounds(const int64_t[::1] bounds, Py_ssize_t size) except *:
    """Refuse bounds that do not ascend within what they cut."""
    cdef Py_ssize_t i
    if not bounds.shape[0]:
        raise ValueError("no bounds: there is one more than there are documents")
    if bounds[0] < 0 or bounds[bounds.shape[0] - 1] > size:
        raise IndexError("outside of the values")
    for i in range(1, bounds.shape[0]):
        if bounds[i] < bounds[i - 1]:
            raise IndexError("bounds that do not ascend")


def content_digests(const uint8_t[::1] data, const int64_t[::1] offsets):
    """Give a digest of the bytes of every document data[offsets[i]:offsets[i + 1]]."""
    _check_bounds(offsets, data.shape[0])
    cdef Py_ssize_t n = offsets.shape[0] - 1
    out = np.empty(n, np.uint64)
    cdef uint64_t[::1] o = out
    cdef const uint8_t *source = &data[0] if data.shape[0] else NULL
    if n:
        with nogil:
            shingle_digests(source, &offsets[0], n, &o[0])
    return out


def set_digests(const uint64_t[::1] values, const int64_t[::1] bounds):
    """Give a digest of every set values[bounds[i]:bounds[i + 1]]."""
    _check_bounds(bounds, values.shape[0])
    cdef Py_ssize_t n = bounds.shape[0] - 1, i
    out = np.empty(n, np.uint64)
    cdef uint64_t[::1] o = out
    cdef const uint64_t *keys = &values[0] if values.shape[0] else NULL
    with nogil:
        for i in range(n):
            o[i] = keys_digest(keys + bounds[i], bounds[i + 1] - bounds[i])
    return out


def shingles(const uint8_t[::1] data, const int64_t[::1] offsets, size_t w, uint64_t seed=0):
    """Give the distinct shingles of w words of every document, ascending: values, bounds, and what was seen.

    The next three arrays are the number of words, a digest of the words in order, and one of the set; the last
    has the low halves of the shingles in order of the text, max(words - w + 1, 0) of each document.
    """
    return _shingles(data, offsets, w, seed, False)


def coded_shingles(const uint8_t[::1] data, const int64_t[::1] offsets, size_t w):
    """Give shingles as `shingles` does; instead of their order all words once, and words by their numbers.

    The numbers are those of all documents, one after another, in 16 bits where these are enough, else in 32.
    """
    return _shingles(data, offsets, w, 0, True)


def _shingles(const uint8_t[::1] data, const int64_t[::1] offsets, size_t w, uint64_t seed, bint coded):
    _check_bounds(offsets, data.shape[0])
    cdef Py_ssize_t n = offsets.shape[0] - 1, i
    cdef size_t room = 16
    for i in range(n):
        room += (offsets[i + 1] - offsets[i]) // 2 + 2
    # made where they stay: to copy them would want pages that nobody has touched yet, which take longer than sorting
    values, order = np.empty(room, np.uint64), _room(room, "order", np.uint32)
    cdef uint32_t[::1] places = order
    bounds = np.zeros(n + 1, np.int64)
    words, lexical, sets = np.empty(n, np.int64), np.empty(n, np.uint64), np.empty(n, np.uint64)
    cdef uint64_t[::1] v = values, lex = lexical, ids = sets
    cdef int64_t[::1] b = bounds, seen = words
    cdef const uint8_t *source = &data[0] if data.shape[0] else NULL
    cdef cs_params p = cs_make_params(seed)
    cdef shingle_space space
    cdef shingle_facts facts
    cdef word_coder coder
    cdef int64_t found = 0, at = 0, place = 0
    cdef bint fits = shingle_make(&space, w) and word_coder_make(&coder, &places[0])
    with nogil:
        for i in range(n):
            if not fits:
                break
            found = shingle_document(source + offsets[i], offsets[i + 1] - offsets[i], w, &p, &space, &v[at],
                                     NULL if coded else &places[place], &coder if coded else NULL, &facts)
            fits = found >= 0
            at += found
            place += <int64_t>facts.places
            b[i + 1] = at
            seen[i] = <int64_t>facts.words
            lex[i] = facts.lexical
            ids[i] = facts.set
    shingle_free(&space)
    dictionary = _words_of(&coder)
    word_coder_free(&coder)
    if not fits:
        raise MemoryError
    v = None
    values.resize(at, refcheck=False)
    made = values, bounds, words, lexical, sets
    if coded:
        return *made, dictionary, order[:coder.written].astype(np.uint16 if len(dictionary) <= 1 << 16 else np.uint32)
    return *made, order[:place].copy()


cdef _words_of(const word_coder *coder):
    found = np.empty(coder.count, np.uint64)
    cdef uint64_t[::1] f = found
    if coder.count:
        memcpy(&f[0], coder.words, 8 * coder.count)
    return found


def note(uint64_t[::1] bits, const uint64_t[::1] keys):
    """Put keys into a filter of a power of two of 64-bit words."""
    cdef int log2 = _log2(bits.shape[0])
    if keys.shape[0]:
        with nogil:
            shingle_note(&bits[0], log2, &keys[0], keys.shape[0])


def samples(const uint64_t[::1] values, const int64_t[::1] bounds, const uint32_t[::1] moduli, bits=None):
    """Give of every set the keys that are 0 modulo its modulus, or that the filter knows; values and bounds."""
    _check_bounds(bounds, values.shape[0])
    if moduli.shape[0] != bounds.shape[0] - 1 or (moduli.shape[0] and not np.min(moduli)):
        raise ValueError("one modulus, which is not 0, for each set")
    cdef Py_ssize_t n = bounds.shape[0] - 1, i
    cdef const uint64_t[::1] known
    cdef const uint64_t *filter_bits = NULL
    cdef int log2 = 0
    if bits is not None:
        known = bits
        filter_bits = &known[0]
        log2 = _log2(known.shape[0])
    cdef size_t room = 1
    for i in range(n):
        room += bounds[i + 1] - bounds[i]
    out = _room(room)
    ends = np.zeros(n + 1, np.int64)
    cdef uint64_t[::1] o = out
    cdef int64_t[::1] e = ends
    cdef size_t at = 0
    if n and values.shape[0]:
        with nogil:
            for i in range(n):
                at += shingle_sample(&values[0] + bounds[i], bounds[i + 1] - bounds[i], moduli[i], filter_bits, log2, &o[at])
                e[i + 1] = at
    return out[:at].copy(), ends


def count(uint32_t[::1] cells, const uint64_t[::1] values, const int64_t[::1] bounds, const uint8_t[::1] wanted):
    """Count the keys of the sets that are wanted in a power of two of cells, by the top bits of their scramble."""
    _check_bounds(bounds, values.shape[0])
    if wanted.shape[0] != bounds.shape[0] - 1:
        raise ValueError("columns of different lengths")
    cdef Py_ssize_t n = bounds.shape[0] - 1, i
    cdef int log2 = _log2(cells.shape[0]) - 6
    if values.shape[0]:
        with nogil:
            for i in range(n):
                if wanted[i]:
                    shingle_count(&cells[0], log2, &values[0] + bounds[i], bounds[i + 1] - bounds[i])


def marked(const uint64_t[::1] marks, const uint64_t[::1] values, const int64_t[::1] bounds, const uint8_t[::1] wanted):
    """Give the keys of the sets that are wanted whose cell is marked, a bit each, and where those of each set end."""
    _check_bounds(bounds, values.shape[0])
    if wanted.shape[0] != bounds.shape[0] - 1:
        raise ValueError("columns of different lengths")
    cdef Py_ssize_t n = bounds.shape[0] - 1, i
    cdef int log2 = _log2(marks.shape[0])
    cdef size_t at = 0
    out = _room(values.shape[0] + 1)
    cdef uint64_t[::1] o = out
    ends = np.zeros(n + 1, np.int64)
    cdef int64_t[::1] e = ends
    if values.shape[0]:
        with nogil:
            for i in range(n):
                if wanted[i]:
                    at += shingle_marked(&marks[0], log2, &values[0] + bounds[i], bounds[i + 1] - bounds[i], &o[at])
                e[i + 1] = at
    return out[:at].copy(), ends


def held(const uint64_t[::1] values, const int64_t[::1] bounds, const uint64_t[::1] common, const uint64_t[::1] bits):
    """Count the common keys of every set; these ascend, and the filter knows them."""
    _check_bounds(bounds, values.shape[0])
    cdef Py_ssize_t n = bounds.shape[0] - 1, i
    cdef int log2 = _log2(bits.shape[0])
    cdef size_t m = common.shape[0]
    out = np.zeros(n, np.int64)
    cdef int64_t[::1] o = out
    if values.shape[0] and m:
        with nogil:
            for i in range(n):
                o[i] = shingle_held(&values[0] + bounds[i], bounds[i + 1] - bounds[i], &common[0], m, &bits[0], log2)
    return out


def without(const uint64_t[::1] values, const int64_t[::1] bounds, const uint64_t[::1] common, const uint64_t[::1] bits):
    """Give every set without the common keys, which ascend and which the filter knows: values and bounds."""
    _check_bounds(bounds, values.shape[0])
    cdef Py_ssize_t n = bounds.shape[0] - 1, i
    cdef int log2 = _log2(bits.shape[0])
    cdef size_t at = 0, m = common.shape[0]
    out = _room(values.shape[0] + 1)
    cdef uint64_t[::1] o = out
    ends = np.zeros(n + 1, np.int64)
    cdef int64_t[::1] e = ends
    cdef const uint64_t *known = &common[0] if m else NULL
    if values.shape[0]:
        with nogil:
            for i in range(n):
                at += shingle_without(&values[0] + bounds[i], bounds[i + 1] - bounds[i], known, m, &bits[0], log2, &o[at])
                e[i + 1] = at
    return out[:at].copy(), ends


def uncovered(const uint32_t[::1] order, const int64_t[::1] places, const uint64_t[::1] own, const int64_t[::1] bounds,
              const int64_t[::1] words):
    """Count for every document, of so many words, those that lie in none of its shingles but its own.

    The second number of each counts only those beyond the first two shingles' length of every run of them.
    order[places[i]:places[i + 1]] are the low halves of its shingles, as they come in the text, and
    own[bounds[i]:bounds[i + 1]] those that do not count.
    """
    cdef Py_ssize_t n = bounds.shape[0] - 1, i
    cdef int64_t largest = 1
    for i in range(n):
        largest = max(largest, bounds[i + 1] - bounds[i])
    cdef uint32_t[::1] room = np.empty(4 * largest + 2, np.uint32)
    out = np.zeros((n, 2), np.int64)
    cdef int64_t[:, ::1] o = out
    cdef const uint64_t *keys = &own[0] if own.shape[0] else NULL
    cdef const uint32_t *halves = &order[0] if order.shape[0] else NULL
    with nogil:
        for i in range(n):
            shingle_uncovered(halves + places[i], places[i + 1] - places[i], words[i], keys + bounds[i],
                              bounds[i + 1] - bounds[i], 2, &room[0], &o[i, 0])
    return out


def uncovered_by(const uint64_t[::1] values, const int64_t[::1] bounds, const uint32_t[::1] order,
                 const int64_t[::1] places, const int64_t[::1] words, const int64_t[::1] lefts,
                 const int64_t[::1] rights):
    """Count for every pair the words of the left document that lie in no shingle which both have.

    Its own shingles are those that the right one has not. The second number of each counts only the words beyond
    the first shingle's length of every run of them.
    """
    cdef Py_ssize_t n = lefts.shape[0], sets = bounds.shape[0] - 1, i
    cdef int64_t largest = 1, a, b
    if places.shape[0] != sets + 1 or words.shape[0] != sets or rights.shape[0] != n:
        raise ValueError("columns of different lengths")
    if bounds[sets] > values.shape[0] or places[sets] > order.shape[0]:
        raise IndexError("outside of the values")
    for i in range(sets):
        largest = max(largest, bounds[i + 1] - bounds[i])
    for i in range(n):
        if not 0 <= lefts[i] < sets or not 0 <= rights[i] < sets:
            raise IndexError("no such set")
    cdef uint32_t[::1] room = np.empty(4 * largest + 2, np.uint32), slots = np.empty(order.shape[0] + 1, np.uint32)
    cdef uint64_t[::1] apart = np.empty(largest, np.uint64), rows = np.empty(SHINGLE_TABLE_ROOM, np.uint64)
    cdef uint8_t[::1] own = np.zeros(largest + 1, np.uint8), made = np.zeros(sets + 1, np.uint8)
    cdef int64_t[::1] turn = np.argsort(rights, kind="stable")  # pairs of one right document come together
    cdef shingle_table table
    table.rows = shingle_rows(&rows[0])
    cdef size_t count
    cdef Py_ssize_t end, at
    cdef int filled
    out = np.zeros((n, 2), np.int64)
    cdef int64_t[:, ::1] o = out
    cdef const uint64_t *keys = &values[0] if values.shape[0] else NULL
    cdef const uint32_t *halves = &order[0] if order.shape[0] else NULL
    at = 0
    with nogil:
        while at < n:
            b = rights[turn[at]]
            end = at
            while end < n and rights[turn[end]] == b:
                end += 1
            filled = shingle_fill_for(&table, keys + bounds[b], bounds[b + 1] - bounds[b], end - at)
            for i in range(at, end):
                a = lefts[turn[i]]
                if not made[a]:
                    made[a] = 1 if shingle_slots(halves + places[a], places[a + 1] - places[a], keys + bounds[a],
                                                 bounds[a + 1] - bounds[a], &room[0], &slots[places[a]]) else 2
                if made[a] == 1:
                    own[bounds[a + 1] - bounds[a]] = 0
                    shingle_own(keys + bounds[a], bounds[a + 1] - bounds[a], keys + bounds[b],
                                bounds[b + 1] - bounds[b], &table, filled, &own[0])
                    shingle_uncovered_slots(&slots[places[a]], places[a + 1] - places[a], words[a], &own[0],
                                            1, &o[turn[i], 0])
                else:  # two of its keys have the same low half
                    count = shingle_apart(keys + bounds[a], bounds[a + 1] - bounds[a], keys + bounds[b],
                                          bounds[b + 1] - bounds[b], &apart[0])
                    shingle_uncovered(halves + places[a], places[a + 1] - places[a], words[a], &apart[0], count,
                                      1, &room[0], &o[turn[i], 0])
            at = end
    return out


def super_shingles(const uint64_t[::1] values, const int64_t[::1] bounds, const uint32_t[:, ::1] moduli, size_t size):
    """Give the distinct super shingles of every set, ascending: values and bounds.

    They are those of its samples by each modulus in a row of `moduli`; 0 is none.
    """
    cdef Py_ssize_t n = bounds.shape[0] - 1, i, j, levels = moduli.shape[1]
    cdef size_t largest = 0, room = 1, length, picked, found, at = 0
    cdef uint64_t digest
    for i in range(n):
        length = bounds[i + 1] - bounds[i]
        largest = max(largest, length)
        for j in range(levels):
            if moduli[i, j]:
                room += length // (4 if moduli[i, j] > 8 else 1) + 64
    cdef uint64_t[::1] sample = np.empty(largest + 1, np.uint64), spare = np.empty(levels * largest + 1, np.uint64)
    cdef uint64_t[::1] made = np.empty(levels * largest + 1, np.uint64)
    cdef uint32_t[::1] counts = np.empty(KEYS_COUNTS, np.uint32)
    ends = np.zeros(n + 1, np.int64)
    cdef int64_t[::1] e = ends
    out = np.empty(room, np.uint64)
    cdef uint64_t[::1] o = out
    if n and values.shape[0]:
        for i in range(n):
            found = 0
            with nogil:
                for j in range(levels):
                    if moduli[i, j]:
                        picked = shingle_sample(&values[0] + bounds[i], bounds[i + 1] - bounds[i], moduli[i, j], NULL, 0, &sample[0])
                        found += shingle_super(&sample[0], picked, size, &made[found])
                found = keys_distinct(&made[0], &spare[0], found, &counts[0], &digest)
            if at + found > <size_t>o.shape[0]:
                out = np.concatenate([out, np.empty(found + out.size, np.uint64)])
                o = out
            if found:
                memcpy(&o[at], &made[0], found * 8)
            at += found
            e[i + 1] = at
    return out[:at].copy(), ends


def shared(const uint64_t[::1] values, const int64_t[::1] bounds, const int64_t[::1] lefts, const int64_t[::1] rights):
    """Count for every pair of sets the keys that both have."""
    cdef Py_ssize_t n = lefts.shape[0], i
    cdef int64_t a, b
    out = np.zeros(n, np.int64)
    cdef int64_t[::1] o = out
    if values.shape[0]:
        with nogil:
            for i in range(n):
                a, b = lefts[i], rights[i]
                o[i] = shingle_shared(&values[0] + bounds[a], bounds[a + 1] - bounds[a],
                                      &values[0] + bounds[b], bounds[b + 1] - bounds[b])
    return out


def shared_among(list sources, const int64_t[::1] source, const int64_t[::1] starts, const int64_t[::1] ends,
                 const int64_t[::1] lefts, const int64_t[::1] rights):
    """Count for every pair the keys that both sets have; set i is sources[source[i]][starts[i]:ends[i]]."""
    cdef Py_ssize_t n = lefts.shape[0], sets = starts.shape[0], i
    cdef int64_t a
    cdef const uint64_t[::1] keys
    cdef size_t[::1] at = np.zeros(sets, np.uintp)
    cdef size_t[::1] first = np.zeros(len(sources) + 1, np.uintp), size = np.zeros(len(sources) + 1, np.uintp)
    for i in range(len(sources)):
        keys = sources[i]
        size[i] = keys.shape[0]
        first[i] = <size_t>&keys[0] if keys.shape[0] else 0
    for i in range(sets):
        if not 0 <= source[i] < len(sources) or not 0 <= starts[i] <= ends[i] <= <int64_t>size[source[i]]:
            raise IndexError("outside of the source")
        at[i] = first[source[i]] + 8 * <size_t>starts[i]
    out = np.zeros(n, np.int64)
    cdef int64_t[::1] o = out, sizes = np.subtract(ends, starts)
    for i in range(n):
        if not 0 <= lefts[i] < sets or not 0 <= rights[i] < sets:
            raise IndexError("no such set")
    rows = np.empty(SHINGLE_TABLE_ROOM, np.uint64)
    cdef uint64_t[::1] r = rows
    cdef shingle_table table
    table.rows = shingle_rows(&r[0])
    cdef Py_ssize_t end
    i = 0
    with nogil:
        while i < n:
            end = i + 1
            while end < n and lefts[end] == lefts[i]:
                end += 1
            a = lefts[i]
            shingle_shared_with(<const uint64_t *>at[a], sizes[a], &at[0], &sizes[0], &rights[i], end - i, &table, &o[i])
            i = end
    return out


ctypedef fused number:
    uint32_t
    uint64_t


def gather(const number[::1] source, const int64_t[::1] starts, const int64_t[::1] ends, number[::1] out):
    """Copy source[starts[i]:ends[i]], one after another, to the beginning of out."""
    cdef Py_ssize_t n = starts.shape[0], i
    cdef size_t at = 0, length
    for i in range(n):
        if not 0 <= starts[i] <= ends[i] <= source.shape[0]:
            raise IndexError("outside of the source")
        at += ends[i] - starts[i]
    if at > <size_t>out.shape[0]:
        raise IndexError("too little room")
    at = 0
    with nogil:
        for i in range(n):
            length = ends[i] - starts[i]
            if length:
                memcpy(&out[at], &source[starts[i]], length * sizeof(number))
            at += length


def samples_among(list sources, const int64_t[::1] source, const int64_t[::1] starts, const int64_t[::1] ends,
                  const uint32_t[::1] moduli, bits=None):
    """Give samples as `samples` does, of the sets sources[source[i]][starts[i]:ends[i]]; a modulus of 0 gives none.

    The third array counts the keys of each that are 0 modulo its modulus.
    """
    cdef Py_ssize_t n = starts.shape[0], i
    cdef const uint64_t[::1] keys, known
    cdef const uint64_t *filter_bits = NULL
    cdef int log2 = 0
    if bits is not None:
        known = bits
        filter_bits = &known[0]
        log2 = _log2(known.shape[0])
    cdef size_t[::1] first = np.zeros(len(sources) + 1, np.uintp), size = np.zeros(len(sources) + 1, np.uintp)
    for i in range(len(sources)):
        keys = sources[i]
        size[i] = keys.shape[0]
        first[i] = <size_t>&keys[0] if keys.shape[0] else 0
    cdef size_t room = 1, at = 0
    for i in range(n):
        if not 0 <= source[i] < len(sources) or not 0 <= starts[i] <= ends[i] <= <int64_t>size[source[i]]:
            raise IndexError("outside of the source")
        room += ends[i] - starts[i]
    out = _room(room)
    cuts, counts = np.zeros(n + 1, np.int64), np.zeros(n, np.int64)
    cdef uint64_t[::1] o = out
    cdef int64_t[::1] e = cuts, own = counts
    with nogil:
        for i in range(n):
            if moduli[i] and ends[i] > starts[i]:
                at += shingle_sample_own(<const uint64_t *>first[source[i]] + starts[i], ends[i] - starts[i], moduli[i],
                                         filter_bits, log2, &o[at], &own[i])
            e[i + 1] = at
    return out[:at].copy(), cuts, counts


def gather_among(list sources, const int64_t[::1] source, const int64_t[::1] starts, const int64_t[::1] ends):
    """Copy sources[source[i]][starts[i]:ends[i]], one after another, into one array."""
    cdef Py_ssize_t n = starts.shape[0], i
    cdef const uint64_t[::1] keys
    cdef size_t[::1] first = np.zeros(len(sources) + 1, np.uintp), size = np.zeros(len(sources) + 1, np.uintp)
    cdef size_t at = 0, length
    for i in range(len(sources)):
        keys = sources[i]
        size[i] = keys.shape[0]
        first[i] = <size_t>&keys[0] if keys.shape[0] else 0
    for i in range(n):
        if not 0 <= source[i] < len(sources) or not 0 <= starts[i] <= ends[i] <= <int64_t>size[source[i]]:
            raise IndexError("outside of the source")
        at += ends[i] - starts[i]
    out = np.empty(at, np.uint64)
    cdef uint64_t[::1] o = out
    at = 0
    with nogil:
        for i in range(n):
            length = ends[i] - starts[i]
            if length:
                memcpy(&o[at], <const uint64_t *>first[source[i]] + starts[i], length * 8)
            at += length
    return out


def gather_strings(const uint8_t[::1] data, const int32_t[::1] ends, const int64_t[::1] numbers):
    """Give the strings data[ends[n]:ends[n + 1]] of some numbers, one after another, and their ends from 0 on.

    A number below 0 gives an empty one.
    """
    cdef Py_ssize_t n = numbers.shape[0], i
    cdef int64_t last = ends.shape[0] - 1, at = 0, one
    cdef size_t length
    out_ends = np.zeros(n + 1, np.int32)
    cdef int32_t[::1] e = out_ends
    for i in range(n):
        one = numbers[i]
        if one >= last:
            raise IndexError("outside of the strings")
        if one >= 0:
            if not 0 <= ends[one] <= ends[one + 1] <= data.shape[0]:
                raise IndexError("outside of the data")
            at += ends[one + 1] - ends[one]
        if at > 0x7FFFFFFF:
            raise OverflowError("over 2 GB of strings in one column")
        e[i + 1] = <int32_t>at
    out = np.empty(at, np.uint8)
    cdef uint8_t[::1] o = out
    with nogil:
        for i in range(n):
            length = e[i + 1] - e[i]
            if length:
                memcpy(&o[e[i]], &data[ends[numbers[i]]], length)
    return out, out_ends


cdef int _log2(size_t words):
    cdef int log2 = 6
    while (<size_t>1 << (log2 - 6)) < words:
        log2 += 1
    return log2
