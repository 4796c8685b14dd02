"""The compiled text kernel: a thin shell around text.h, positions.h, unicode_text.h, words.h and markup.h.

reference/text.py and reference/markup.py are its definition.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free

import numpy as np

cdef extern from "text.h" nogil:
    const char *UNI_VERSION
    int text_use_avx2
    int text_use_avx512
    void text_init()
    int text_cpu_has_avx2()
    int text_cpu_has_avx512()
    int64_t text_sound(const uint8_t *data, size_t n, size_t sample)
    size_t utf8_whole(const uint8_t *data, size_t n)
    int text_plain(const uint8_t *data, size_t n, uint8_t *out, uint64_t *masks, uint32_t *ranks)

cdef extern from "positions.h" nogil:
    ctypedef struct text_bounds:
        const uint64_t *bounds
        size_t groups
        const uint32_t *extra
        size_t extras
    void text_all_positions(const uint64_t *masks, size_t groups, uint32_t offset, uint32_t *out)
    void text_ranks(const uint64_t *masks, size_t groups, uint32_t *ranks)
    int text_spans(const uint64_t *masks, const uint32_t *ranks, size_t groups, const text_bounds *b, uint32_t offset,
                   const int64_t *first, const int64_t *last, size_t n, uint32_t *starts, uint32_t *ends)
    void text_merge(uint64_t *bounds, size_t groups, uint64_t offset, const uint32_t *starts, const uint32_t *ends,
                    size_t n)

cdef extern from "unicode_text.h" nogil:
    ctypedef struct text_out:
        uint32_t *symbols
        uint64_t *masks
        uint64_t *bounds
        uint32_t *extra
        size_t count
        size_t extras
    void unicode_init()
    size_t unicode_room(size_t n)
    size_t unicode_groups(size_t n)
    size_t text_unicode(const uint8_t *data, size_t n, int final, text_out *out)

cdef extern from "words.h" nogil:
    ctypedef struct word_out:
        uint64_t *symbols
        uint32_t *starts
        uint32_t *ends
        size_t count
    size_t text_words(const uint8_t *data, size_t n, uint32_t offset, int final, word_out *out)
    void words_init()
    unsigned int WORD_LIMIT "MAX_WORD"
    int WORD_ROOM

cdef extern from "markup.h" nogil:
    ctypedef struct blanker:
        const uint8_t *data
        uint8_t *out
        size_t n
        size_t at
        uint32_t offset
        uint32_t *starts
        uint32_t *ends
        size_t references
        int final
        int more
    void markup_init()
    uint64_t text_markup(blanker *b, uint64_t state)

text_init()
unicode_init()
words_init()
markup_init()
UNICODE_VERSION = UNI_VERSION.decode()
MAX_WORD = WORD_LIMIT


def has_avx2():
    """Say whether this machine can run the AVX2 edition."""
    return bool(text_cpu_has_avx2())


def has_avx512():
    """Say whether this machine can run the AVX-512 edition."""
    return bool(text_cpu_has_avx512())


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


cdef object trim(object array, Py_ssize_t count):
    """Cut to length; copy where the rest would hold on to more memory than is used."""
    return array[:count] if 2 * count > array.size else array[:count].copy()


cdef object headed(object array, Py_ssize_t count):
    """Cut to length; where the array is large, what was never written takes no memory, and a copy takes time."""
    return array[:count] if array.size > 1 << 18 else trim(array, count)


cdef struct one_text:
    const uint8_t *data
    size_t size
    int64_t controls


def sound(list sources, size_t sample):
    """Count the control characters in the first `sample` bytes of each text; -1 for what is no sound UTF-8."""
    cdef Py_ssize_t n = len(sources), i
    cdef list held = list(sources)  # whoever else changes `sources`, the texts stay
    cdef one_text *texts = <one_text *>calloc(n + 1, sizeof(one_text))
    if texts == NULL:
        raise MemoryError
    try:
        for i in range(n):
            texts[i].data = <const uint8_t *>PyBytes_AS_STRING(<bytes?>held[i])
            texts[i].size = PyBytes_GET_SIZE(held[i])
        with nogil:
            for i in range(n):
                texts[i].controls = text_sound(texts[i].data, texts[i].size, sample)
        return [texts[i].controls for i in range(n)]
    finally:
        free(texts)


def plain_block(const uint8_t[::1] data, bint final):
    """Squeeze a block of which only ASCII characters are kept; None for any other block."""
    cdef size_t n = data.shape[0]
    cdef const uint8_t *source = &data[0] if n else NULL
    cdef size_t used = n if final else utf8_whole(source, n)
    cdef size_t groups = (used + 63) // 64
    symbols = np.empty(used + 8, np.uint8)
    masks = np.empty(groups + 1, np.uint64)
    ranks = np.empty(groups + 1, np.uint32)
    cdef uint8_t[::1] out = symbols
    cdef uint64_t[::1] to_masks = masks
    cdef uint32_t[::1] to_ranks = ranks
    cdef int plain
    with nogil:
        plain = text_plain(source, used, &out[0], &to_masks[0], &to_ranks[0])
    if not plain:
        return None
    return trim(symbols, to_ranks[groups]), masks[:groups], ranks, used


def positions(const uint64_t[::1] masks, const uint32_t[::1] ranks, uint32_t offset):
    """Give the source offsets of all symbols of a plain block that begins at `offset`."""
    cdef size_t groups = masks.shape[0]
    cdef uint32_t[::1] out
    found = np.empty(ranks[groups], np.uint32)
    if found.size:
        out = found
        with nogil:
            text_all_positions(&masks[0], groups, offset, &out[0])
    return found


cdef object resolved(const uint64_t[::1] masks, const uint32_t[::1] ranks, const text_bounds *bounds, uint32_t offset,
                     first, last):
    """Give where the symbols first[i] begin, and where the symbols last[i] end."""
    cdef size_t groups = masks.shape[0], n = first.size
    cdef const int64_t[::1] firsts, lasts
    cdef uint32_t[::1] to_starts, to_ends
    cdef int inside
    if <size_t>ranks.shape[0] != groups + 1 or <size_t>last.size != n:
        raise ValueError("masks, ranks and symbols of different blocks")
    starts, ends = np.empty(n, np.uint32), np.empty(n, np.uint32)
    if n:
        if not groups:
            raise IndexError("a symbol of an empty block")
        firsts, lasts = np.ascontiguousarray(first, np.int64), np.ascontiguousarray(last, np.int64)
        to_starts, to_ends = starts, ends
        with nogil:
            inside = text_spans(&masks[0], &ranks[0], groups, bounds, offset, &firsts[0], &lasts[0], n, &to_starts[0],
                                &to_ends[0])
        if not inside:
            raise IndexError("a symbol that this block does not have")
    return starts, ends


def plain_spans(const uint64_t[::1] masks, const uint32_t[::1] ranks, uint32_t offset, first, last):
    """Give where the symbols first[i] of a plain block at `offset` begin, and where its symbols last[i] end."""
    return resolved(masks, ranks, NULL, offset, first, last)


def unicode_block(const uint8_t[::1] data, bint final):
    """Canonicalise a block: symbols, masks, ranks, bounds, the extra symbols, and the bytes used."""
    cdef size_t n = data.shape[0], used, groups = unicode_groups(n)
    cdef const uint8_t *source = &data[0] if n else NULL
    symbols, extra = np.empty(unicode_room(n), np.uint32), np.empty(n // 2 + 1, np.uint32)
    masks, bounds = np.zeros(groups, np.uint64), np.zeros(groups, np.uint64)
    ranks = np.empty(groups, np.uint32)
    cdef uint32_t[::1] to_symbols = symbols, to_extra = extra, to_ranks = ranks
    cdef uint64_t[::1] to_masks = masks, to_bounds = bounds
    cdef text_out out
    out.symbols, out.masks, out.bounds, out.extra = &to_symbols[0], &to_masks[0], &to_bounds[0], &to_extra[0]
    out.count, out.extras = 0, 0
    with nogil:
        used = text_unicode(source, n, final, &out)
        groups = unicode_groups(used)
        text_ranks(out.masks, groups - 1, &to_ranks[0])
    return (headed(symbols, out.count), masks[:groups - 1], ranks[:groups], bounds[:groups], extra[:out.extras].copy(),
            used)


def character_spans(const uint64_t[::1] masks, const uint32_t[::1] ranks, const uint64_t[::1] bounds,
                    const uint32_t[::1] extra, uint32_t offset, first, last):
    """Give where the characters of the symbols first[i] begin, and where those of the symbols last[i] end."""
    cdef text_bounds at
    if bounds.shape[0] <= masks.shape[0]:
        raise ValueError("masks and bounds of different blocks")
    at.bounds, at.groups, at.extras, at.extra = &bounds[0], bounds.shape[0], extra.shape[0], NULL
    if at.extras:
        at.extra = &extra[0]
    return resolved(masks, ranks, &at, offset, first, last)


def merge_characters(uint64_t[::1] bounds, uint64_t offset, const uint32_t[::1] starts, const uint32_t[::1] ends):
    """Make one character of each span of the source in the bounds of a block at `offset`."""
    if starts.shape[0] != ends.shape[0]:
        raise ValueError("as many starts as ends")
    if bounds.shape[0] and starts.shape[0]:
        with nogil:
            text_merge(&bounds[0], bounds.shape[0], offset, &starts[0], &ends[0], starts.shape[0])


def words_block(const uint8_t[::1] data, uint32_t offset, bint final):
    """Hash the words of a block that begins at `offset` of the source."""
    cdef size_t n = data.shape[0], used
    cdef const uint8_t *source = &data[0] if n else NULL
    cdef size_t room = n // 2 + WORD_ROOM
    symbols, starts, ends = np.empty(room, np.uint64), np.empty(room, np.uint32), np.empty(room, np.uint32)
    cdef uint64_t[::1] to_symbols = symbols
    cdef uint32_t[::1] to_starts = starts
    cdef uint32_t[::1] to_ends = ends
    cdef word_out out
    out.symbols, out.starts, out.ends, out.count = &to_symbols[0], &to_starts[0], &to_ends[0], 0
    with nogil:
        used = text_words(source, n, offset, final, &out)
    return trim(symbols, out.count), trim(starts, out.count), trim(ends, out.count), used


def markup_block(const uint8_t[::1] data, uint32_t offset, uint64_t state, bint final):
    """Blank the markup of one block of HTML; begin a document with state 0."""
    cdef size_t n = data.shape[0], room = n // 3 + 2  # a reference has three bytes at least
    cdef const uint8_t *source = &data[0] if n else NULL
    cdef bytes blanked = PyBytes_FromStringAndSize(NULL, n)
    starts, ends = np.empty(room, np.uint32), np.empty(room, np.uint32)
    cdef uint32_t[::1] to_starts = starts
    cdef uint32_t[::1] to_ends = ends
    cdef blanker b
    b.data, b.out, b.n, b.at, b.offset = source, <uint8_t *>PyBytes_AS_STRING(blanked), n, 0, offset
    b.starts, b.ends, b.references, b.final, b.more = &to_starts[0], &to_ends[0], 0, final, 0
    with nogil:
        state = text_markup(&b, state)
    return (blanked if b.at == n else blanked[:b.at], trim(starts, b.references), trim(ends, b.references), b.at, state)
