# cython: language_level=3
"""Compiled pages of packed postings: the shell around packed.h; `reference/packed.py` is the readable definition."""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

import numpy as np

cdef extern from "packed.h" nogil:
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
    ctypedef struct places_tables:
        int version
    ctypedef struct places_made:
        uint8_t *tables
        size_t size
        int version
        int shift
        uint16_t length
    int crc_use_pclmul
    int crc_cpu_has_pclmul()
    void crc_init()
    size_t places_table_room(size_t)
    int places_write(uint64_t *, const uint32_t *, size_t, size_t, uint64_t, places_made *)
    int places_read(const uint8_t *, size_t, uint32_t, uint32_t, places_tables *)
    int packed_shift(const uint64_t *, size_t)
    size_t packed_pack(const uint64_t *, const uint32_t *, const uint32_t *, const uint32_t *, size_t, size_t, size_t,
                       const uint64_t *, const places_made *, uint8_t *, postings_entry *)
    size_t packed_unpack(const postings_file *, const places_tables *, size_t, size_t, uint64_t *, uint32_t *,
                         uint32_t *, uint32_t *, uint32_t *, size_t *)
    int packed_find(const postings_file *, const places_tables *, const uint64_t *, size_t, uint64_t *,
                    postings_found *)
    void postings_free(postings_found *)
    int POSTINGS_SPARE
    int POSTINGS_PREAD
    int PACKED_ROOM
    int PACKED_MOST_3

crc_init()


def use_avx2(bint wanted):
    """Choose the edition: all processors with AVX2 multiply without carry, too."""
    global crc_use_pclmul
    crc_use_pclmul = wanted and crc_cpu_has_pclmul()


use_avx2(True)

ENTRY = np.dtype([("key", "<u8"), ("offset", "<u4"), ("crc", "<u4")])
CAN_READ = bool(POSTINGS_PREAD)


def _check_page(size_t page, int version):
    if version not in (2, 3):
        raise ValueError("pages are of format 2 or 3")
    most = 65535 if version == 2 else PACKED_MOST_3
    if not 1 <= page <= most:
        raise ValueError(f"a page holds 1 to {most} postings")


def pack(const uint64_t[::1] keys, documents, const uint32_t[::1] starts, const uint32_t[::1] lengths,
         size_t page, size_t begin, int version):
    cdef size_t n = keys.shape[0], i
    if not (len(documents) == starts.shape[0] == lengths.shape[0] == keys.shape[0]):
        raise ValueError("columns that belong together differ in length")
    _check_page(page, version)
    if not n:
        raise ValueError("there are no postings")
    cdef size_t pages = (n + page - 1) // page
    if begin + PACKED_ROOM * n + 64 * pages > 0xFFFFFFFF:
        raise ValueError("too many postings for one file")
    first, last = int(documents.min()), int(documents.max())
    cdef uint64_t span = last - first + 1
    if span <= 4 * n + 1024:
        listed = np.arange(span, dtype=np.uint32)
        places = documents - np.uint32(first)
    else:
        listed, places = np.unique(documents - np.uint32(first), return_inverse=True)
    packed = np.zeros(PACKED_ROOM * n + 64 * pages + 64, np.uint8)
    directory = np.zeros(pages, ENTRY)
    extents = np.zeros(len(listed), np.uint64)
    tables = np.zeros(places_table_room(len(listed)), np.uint8)
    cdef const uint32_t[::1] numbers = np.ascontiguousarray(listed, np.uint32)
    cdef const uint32_t[::1] ranks = np.ascontiguousarray(places, np.uint32)
    cdef uint64_t[::1] bases = extents
    cdef uint8_t[::1] out = packed, table = tables
    cdef uint8_t[::1] entries = directory.view(np.uint8)
    cdef size_t used = 0, documents_count = numbers.shape[0]
    cdef int fits
    cdef places_made *made = <places_made *>malloc(sizeof(places_made))
    if made == NULL:
        raise MemoryError
    try:
        made.tables = &table[0]
        made.version = version
        made.length = min(int(np.min(lengths)), 0xFFFF) if version > 2 else 0
        with nogil:
            for i in range(n):
                if starts[i] + <uint64_t>1 > bases[ranks[i]]:
                    bases[ranks[i]] = starts[i] + <uint64_t>1
            made.shift = packed_shift(&keys[0], n)
            fits = places_write(&bases[0], &numbers[0], documents_count, n, span, made)
            if fits:
                used = packed_pack(&keys[0], &ranks[0], &starts[0], &lengths[0], n, page, begin, &bases[0], made,
                                   &out[0], <postings_entry *>&entries[0])
        if not fits:
            raise ValueError("too many postings for one file")
        return packed[:used], tables[:made.size], directory
    finally:
        free(made)


cdef class _Tables:
    """The tables of a segment, checked, and the buffer that they are in."""

    cdef places_tables *read
    cdef const uint8_t[::1] data

    def __dealloc__(self):
        free(self.read)


cdef _Tables _tables(const uint8_t[::1] data, size_t size, begin, end, size_t entries, size_t page, size_t count,
                     const uint8_t[::1] tables, uint32_t first, uint32_t last, int version):
    """Check what holds for the whole file, and read its tables."""
    _check_page(page, version)
    if not 0 <= begin <= end or end + POSTINGS_SPARE > size:
        raise ValueError("the pages do not lie inside the data")
    if entries != (count + page - 1) // page:
        raise ValueError("the directory does not fit the number of postings")
    cdef _Tables made = _Tables()
    made.data = tables
    made.read = <places_tables *>malloc(sizeof(places_tables))
    if made.read == NULL:
        raise MemoryError
    if tables.shape[0] < POSTINGS_SPARE or not places_read(&tables[0], tables.shape[0] - POSTINGS_SPARE, first, last,
                                                           made.read):
        raise ValueError("the tables are impossible")
    made.read.version = version
    return made


def unpack(const uint8_t[::1] data, begin, end, const uint8_t[::1] tables, uint32_t low, uint32_t high,
           const uint8_t[::1] directory, size_t page, size_t count, int version, size_t first, size_t last):
    cdef size_t pages = directory.shape[0] // sizeof(postings_entry)
    cdef _Tables known = _tables(data, data.shape[0], begin, end, pages, page, count, tables, low, high,
                                 version)
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
            used = packed_unpack(&file, known.read, first, last, &k[0], &d[0], &s[0], &l[0], &b[0], &n_bad)
    return keys[:used], documents[:used], starts[:used], lengths[:used], bad[:n_bad]


cdef object _array(const uint32_t *values, size_t n):
    out = np.empty(n, np.uint32)
    cdef uint32_t[::1] view = out
    if n:
        memcpy(&view[0], values, n * sizeof(uint32_t))
    return out


def find(const uint8_t[::1] data, begin, end, const uint8_t[::1] tables, uint32_t low, uint32_t high,
         const uint8_t[::1] directory, size_t page, size_t count, int version, const uint64_t[::1] wanted):
    cdef postings_file file
    cdef size_t pages = directory.shape[0] // sizeof(postings_entry)
    cdef _Tables known = _tables(data, data.shape[0], begin, end, pages, page, count, tables, low, high,
                                 version)
    file.data = &data[0] if data.shape[0] else NULL
    file.begin, file.end = begin, end
    return _find(&file, known, directory, page, count, wanted)


def find_in(int descriptor, begin, end, const uint8_t[::1] tables, uint32_t low, uint32_t high,
            const uint8_t[::1] directory, size_t page, size_t count, int version, const uint64_t[::1] wanted):
    cdef postings_file file
    if not CAN_READ:
        raise NotImplementedError("pages cannot be read at an offset on this system")
    cdef size_t pages = directory.shape[0] // sizeof(postings_entry)
    cdef _Tables known = _tables(tables, end + POSTINGS_SPARE, begin, end, pages, page, count, tables, low, high,
                                 version)
    file.data, file.descriptor = NULL, descriptor
    file.begin, file.end = begin, end
    file.room = PACKED_ROOM * page + 64
    file.buffer = <uint8_t *>malloc(file.room + POSTINGS_SPARE)
    if file.buffer == NULL:
        raise MemoryError
    try:
        return _find(&file, known, directory, page, count, wanted)
    finally:
        free(file.buffer)


cdef object _find(postings_file *file, _Tables known, const uint8_t[::1] directory, size_t page, size_t count,
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
                fits = packed_find(file, known.read, &wanted[0], n, keys, &found)
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
