"""Lists of documents that share a hash, and their pairs: the compiled edition of `reference/lists.py`."""

from libc.stdint cimport UINT32_MAX, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc

import numpy as np

cdef extern from "lists.h" nogil:
    ctypedef struct shingle_modulus:
        int shift
    ctypedef struct lists_list:
        int64_t start
        uint32_t length
        uint32_t common
        uint64_t digest
    shingle_modulus shingle_mod(uint64_t m)
    size_t lists_find(const uint64_t *hashes, const uint32_t *docs, size_t n, const uint32_t *moduli,
                      const shingle_modulus *tests, uint64_t most, uint8_t *own, uint32_t *sizes, lists_list *out)
    size_t lists_all_pairs(const uint32_t *docs, const uint8_t *own, size_t n, uint32_t weight, uint64_t *pairs,
                           uint32_t *weights)
    size_t lists_few_pairs(const uint32_t *docs, const uint8_t *own, size_t n, uint64_t *pairs)
    size_t lists_later(const uint64_t *keys, const uint32_t *places, size_t i, size_t n, const int64_t *lengths,
                       size_t *end)
    int lists_bits(size_t pairs)
    size_t lists_long_pairs(const uint64_t *keys, const uint32_t *places, size_t n, const uint64_t *members,
                            const int64_t *starts, const int64_t *lengths, const uint32_t *weights, uint32_t *table,
                            uint64_t *pairs, uint32_t *sums)


cdef void _check_lists(Py_ssize_t docs, Py_ssize_t own, const int64_t[::1] starts,
                       const int64_t[::1] lengths) except *:
    """Refuse lists that do not lie within the entries."""
    cdef Py_ssize_t i
    if docs != own or starts.shape[0] != lengths.shape[0]:
        raise ValueError("columns of different lengths")
    for i in range(starts.shape[0]):
        if starts[i] < 0 or not 0 <= lengths[i] <= UINT32_MAX or starts[i] > docs - lengths[i]:
            raise IndexError("outside of the entries")


def lists(const uint64_t[::1] hashes, const uint32_t[::1] docs, const uint32_t[::1] moduli, uint64_t most,
          uint32_t[::1] sizes):
    """Find the lists of documents that share a hash in sorted entries: starts, lengths, common, digests, own.

    `own` tells for every entry whether its hash is in the document's own sample, 0 modulo its modulus; a list
    needs two documents, and one of them to own the hash. Adds to `sizes` what every document owns that is
    not common: in at most `most` documents.
    """
    cdef size_t n = hashes.shape[0], found = 0
    cdef size_t largest = 1
    cdef Py_ssize_t i
    if <size_t>docs.shape[0] != n or sizes.shape[0] != moduli.shape[0]:
        raise ValueError("columns of different lengths")
    if n and np.max(docs) >= moduli.shape[0]:
        raise IndexError("no such document")
    for i in range(moduli.shape[0]):
        if not moduli[i]:
            raise ValueError("a modulus of 0")
        largest = max(largest, <size_t>moduli[i])
    own = np.zeros(n, np.uint8)
    cdef uint8_t[::1] o = own
    record = np.dtype([("start", np.int64), ("length", np.uint32), ("common", np.uint32), ("digest", np.uint64)])
    out = np.empty(n // 2 + 1, record)
    cdef uint8_t[::1] raw = out.view(np.uint8)
    cdef shingle_modulus *tests = <shingle_modulus *>malloc((largest + 1) * sizeof(shingle_modulus))
    if tests == NULL:
        raise MemoryError
    for i in range(moduli.shape[0]):
        tests[moduli[i]] = shingle_mod(moduli[i])
    if n:
        with nogil:
            found = lists_find(&hashes[0], &docs[0], n, &moduli[0], tests, most, &o[0], &sizes[0],
                                  <lists_list *>&raw[0])
    free(tests)
    out = out[:found]
    return (out["start"].copy(), out["length"].astype(np.int64), out["common"].astype(np.bool_), out["digest"].copy(), own)


def all_pairs(const uint32_t[::1] docs, const uint8_t[::1] own, const int64_t[::1] starts, const int64_t[::1] lengths,
              const uint32_t[::1] weights):
    """Give the pairs of documents of each list as left << 32 | right, with the weight of the list."""
    cdef Py_ssize_t n = starts.shape[0], i
    cdef size_t room = 1, at = 0
    _check_lists(docs.shape[0], own.shape[0], starts, lengths)
    if weights.shape[0] != n:
        raise ValueError("columns of different lengths")
    for i in range(n):
        room += lengths[i] * (lengths[i] - 1) // 2
    pairs, counts = np.empty(room, np.uint64), np.empty(room, np.uint32)
    cdef uint64_t[::1] p = pairs
    cdef uint32_t[::1] c = counts
    with nogil:
        for i in range(n):
            at += lists_all_pairs(&docs[starts[i]], &own[starts[i]], lengths[i], weights[i], &p[at], &c[at])
    return pairs[:at].copy(), counts[:at].copy()


def few_pairs(const uint32_t[::1] docs, const uint8_t[::1] own, const int64_t[::1] starts, const int64_t[::1] lengths):
    """Give of each common list the pairs with its first owner, the document before, and one of the first few."""
    cdef Py_ssize_t n = starts.shape[0], i
    cdef size_t room = 1, at = 0
    _check_lists(docs.shape[0], own.shape[0], starts, lengths)
    for i in range(n):
        room += 3 * lengths[i]
    pairs = np.empty(room, np.uint64)
    cdef uint64_t[::1] p = pairs
    with nogil:
        for i in range(n):
            if not lengths[i]:
                continue
            at += lists_few_pairs(&docs[starts[i]], &own[starts[i]], lengths[i], &p[at])
    return pairs[:at].copy()


def long_pairs(const uint64_t[::1] keys, const uint32_t[::1] places, const uint64_t[::1] members,
               const int64_t[::1] starts, const int64_t[::1] lengths, const uint32_t[::1] weights):
    """Give the pairs (left << 32 | right) of postings with what follows in their lists, with the sum of the weights.

    A posting is document << 32 | list and a place in the list; those of a document come together, and so do its
    pairs. List i is members[starts[i]:starts[i] + lengths[i]]: documents · 2, + 1 for those that own the hash, which
    one of a pair must.
    """
    cdef size_t n = keys.shape[0], room = 0, most = 0, later, end, i, at = 0
    cdef uint64_t number, count = lengths.shape[0]
    if <size_t>places.shape[0] != n or starts.shape[0] != lengths.shape[0] or weights.shape[0] != lengths.shape[0]:
        raise ValueError("columns of different lengths")
    for i in range(n):
        number = keys[i] & 0xFFFFFFFF
        if number >= count or starts[number] < 0 or places[i] >= lengths[number]:
            raise IndexError("no such place")
        if starts[number] > members.shape[0] - lengths[number]:
            raise IndexError("outside of the members")
    if n == 0:
        return np.zeros(0, np.uint64), np.zeros(0, np.uint32)
    i = 0
    while i < n:
        later = lists_later(&keys[0], &places[0], i, n, &lengths[0], &end)
        room += later
        most = max(most, later)
        i = end
    pairs, sums = np.empty(room + 1, np.uint64), np.empty(room + 1, np.uint32)
    cdef uint64_t[::1] p = pairs
    cdef uint32_t[::1] s = sums, table = np.empty(<size_t>1 << lists_bits(most), np.uint32)
    cdef const uint64_t *every = &members[0] if members.shape[0] else NULL
    with nogil:
        at = lists_long_pairs(&keys[0], &places[0], n, every, &starts[0], &lengths[0], &weights[0], &table[0],
                              &p[0], &s[0])
    return pairs[:at].copy(), sums[:at].copy()
