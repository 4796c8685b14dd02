# cython: language_level=3
"""Compiled pages of postings: the shell around postings.h; `reference/postings.py` is the readable definition."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

import numpy as np

cdef extern from "postings.h" nogil:
    ctypedef struct postings_entry:
        uint64_t key
        uint32_t offset
        uint32_t crc
    ctypedef struct postings_file:
        const uint8_t *data
        int descriptor
        uint8_t *buffer
        size_t room
        size_t begin
        size_t end
        const postings_entry *directory
        size_t pages
        size_t page
        size_t count
    ctypedef struct postings_found:
        uint32_t *which
        uint32_t *documents
        uint32_t *starts
        uint32_t *lengths
        size_t n
        size_t room
        uint32_t *bad
        size_t n_bad
        size_t bad_room
    int crc_use_pclmul
    int crc_cpu_has_pclmul()
    void crc_init()
    size_t postings_pack(const uint64_t *, const uint32_t *, const uint32_t *, const uint32_t *, size_t, size_t,
                         size_t, uint8_t *, postings_entry *)
    size_t postings_unpack(const postings_file *, size_t, size_t, uint64_t *, uint32_t *, uint32_t *, uint32_t *,
                           uint32_t *, size_t *)
    int postings_find(const postings_file *, const uint64_t *, size_t, uint64_t *, postings_found *)
    void postings_free(postings_found *)
    int POSTINGS_SPARE
    int POSTINGS_PREAD

crc_init()


def use_avx2(bint wanted):
    """Choose the edition: all processors with AVX2 multiply without carry, too."""
    global crc_use_pclmul
    crc_use_pclmul = wanted and crc_cpu_has_pclmul()


use_avx2(True)

ENTRY = np.dtype([("key", "<u8"), ("offset", "<u4"), ("crc", "<u4")])


cdef void _check(Py_ssize_t size, Py_ssize_t begin, Py_ssize_t end, Py_ssize_t entries, Py_ssize_t page,
                 Py_ssize_t count) except *:
    if not 1 <= page <= 65535:
        raise ValueError("a page holds 1 to 65535 postings")
    if not 0 <= begin <= end or end + POSTINGS_SPARE > size:
        raise ValueError("the pages do not lie inside the data")
    if entries != (count + page - 1) // page:
        raise ValueError("the directory does not fit the number of postings")


def pack(const uint64_t[::1] keys, const uint32_t[::1] documents, const uint32_t[::1] starts,
         const uint32_t[::1] lengths, size_t page, size_t begin):
    cdef size_t n = keys.shape[0]
    if not (documents.shape[0] == starts.shape[0] == lengths.shape[0] == keys.shape[0]):
        raise ValueError("columns that belong together differ in length")
    if not 1 <= page <= 65535:
        raise ValueError("a page holds 1 to 65535 postings")
    cdef size_t pages = (n + page - 1) // page
    if begin + 28 * n + 64 * pages > 0xFFFFFFFF:
        raise ValueError("too many postings for one file")
    packed = np.zeros(28 * n + 64 * pages + 64, np.uint8)
    directory = np.zeros(pages, ENTRY)
    cdef uint8_t[::1] out = packed
    cdef uint8_t[::1] entries = directory.view(np.uint8)
    cdef size_t used = 0
    if n:
        with nogil:
            used = postings_pack(&keys[0], &documents[0], &starts[0], &lengths[0], n, page, begin, &out[0],
                                 <postings_entry *>&entries[0])
    return packed[:used], directory


def unpack(const uint8_t[::1] data, size_t begin, size_t end, const uint8_t[::1] directory, size_t page,
           size_t count, size_t first, size_t last):
    cdef size_t pages = directory.shape[0] // sizeof(postings_entry)
    _check(data.shape[0], begin, end, pages, page, count)
    last = min(last, pages)
    cdef size_t n = (last - first) * page if first < last else 0
    keys = np.empty(n + 1, np.uint64)
    documents, starts, lengths = (np.empty(n + 1, np.uint32) for _ in range(3))
    bad = np.empty(last - first + 1 if first < last else 1, np.uint32)
    cdef uint64_t[::1] k = keys
    cdef uint32_t[::1] d = documents, s = starts, l = lengths, b = bad
    cdef postings_file file
    cdef size_t used = 0, n_bad = 0
    if n:
        file.data, file.begin, file.end = &data[0], begin, end
        file.directory, file.pages = <const postings_entry *>&directory[0], pages
        file.page, file.count = page, count
        with nogil:
            used = postings_unpack(&file, first, last, &k[0], &d[0], &s[0], &l[0], &b[0], &n_bad)
    return keys[:used], documents[:used], starts[:used], lengths[:used], bad[:n_bad]


cdef object _array(const uint32_t *values, size_t n):
    out = np.empty(n, np.uint32)
    cdef uint32_t[::1] view = out
    if n:
        memcpy(&view[0], values, n * sizeof(uint32_t))
    return out


def find(const uint8_t[::1] data, size_t begin, size_t end, const uint8_t[::1] directory, size_t page,
         size_t count, const uint64_t[::1] wanted):
    cdef postings_file file
    _check(data.shape[0], begin, end, directory.shape[0] // sizeof(postings_entry), page, count)
    file.data = &data[0] if data.shape[0] else NULL
    file.begin, file.end = begin, end
    return _find(&file, directory, page, count, wanted)


CAN_READ = bool(POSTINGS_PREAD)


def find_in(int descriptor, size_t begin, size_t end, const uint8_t[::1] directory, size_t page,
            size_t count, const uint64_t[::1] wanted):
    cdef postings_file file
    if not CAN_READ:
        raise NotImplementedError("pages cannot be read at an offset on this system")
    _check(end + POSTINGS_SPARE, begin, end, directory.shape[0] // sizeof(postings_entry), page, count)
    file.data, file.descriptor = NULL, descriptor
    file.begin, file.end = begin, end
    file.room = 28 * page + 64
    file.buffer = <uint8_t *>malloc(file.room + POSTINGS_SPARE)
    if file.buffer == NULL:
        raise MemoryError
    try:
        return _find(&file, directory, page, count, wanted)
    finally:
        free(file.buffer)


cdef object _find(postings_file *file, const uint8_t[::1] directory, size_t page, size_t count,
                  const uint64_t[::1] wanted):
    cdef size_t pages = directory.shape[0] // sizeof(postings_entry)
    cdef postings_found found
    found.which = found.documents = found.starts = found.lengths = found.bad = NULL
    found.n = found.room = found.n_bad = found.bad_room = 0
    cdef size_t n = wanted.shape[0]
    cdef int fits = 1
    cdef uint64_t *keys = <uint64_t *>malloc(page * sizeof(uint64_t))
    if keys == NULL:
        raise MemoryError
    try:
        if n and pages:
            file.directory, file.pages = <const postings_entry *>&directory[0], pages
            file.page, file.count = page, count
            with nogil:
                fits = postings_find(file, &wanted[0], n, keys, &found)
        if not fits:
            raise MemoryError
        return (
            _array(found.which, found.n),
            _array(found.documents, found.n),
            _array(found.starts, found.n),
            _array(found.lengths, found.n),
            np.sort(_array(found.bad, found.n_bad)),
        )
    finally:
        free(keys)
        postings_free(&found)
