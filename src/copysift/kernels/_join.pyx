# cython: language_level=3
"""Compiled sort-join: the shell around join.h; `reference/join.py` is the readable definition."""

from libc.stdint cimport UINT32_MAX, int64_t, uint32_t, uint64_t
from libc.stdlib cimport free

import numpy as np

cdef extern from "join.h" nogil:
    ctypedef struct join_counts:
        size_t hashes
        size_t postings
        size_t common
    void join_partition(const uint64_t *, const uint32_t *, size_t, int, uint64_t *, uint32_t *, int64_t *)
    int join_sort(uint64_t *, uint32_t *, size_t)
    int64_t join_sum(uint64_t *, uint32_t *, size_t)
    join_counts join_count_runs(const uint64_t *, const uint32_t *, size_t, size_t)
    void join_fill_runs(const uint64_t *, const uint32_t *, size_t, size_t, uint32_t *, uint64_t *, uint32_t *,
                        uint32_t *, uint64_t *, uint32_t *, uint32_t *)

cdef extern from "pairs.h" nogil:
    ctypedef struct join_pair:
        uint32_t left
        uint32_t right
        uint32_t shared
        double similarity
    ctypedef struct join_pairs:
        join_pair *pairs
        size_t n
        size_t room
    ctypedef struct join_list:
        const int64_t *offsets
        const uint32_t *groups
        const int64_t *row_offsets
        const uint32_t *row_hashes
        const float *weights
        const double *totals
    ctypedef struct join_job:
        join_list list
        join_list added
        join_list apart
        const uint32_t *sizes
        const uint32_t *side
        const uint32_t *kin
        size_t n_groups
        int measure
        double threshold
        uint32_t min_shared
        int more
        double verbatim
        double founded
        uint32_t plenty
        double likeness
        size_t most
    void join_transpose(const int64_t *, const uint32_t *, size_t, size_t, int64_t *, uint32_t *)
    int join_rows(const join_job *, uint32_t, uint32_t, join_pairs *)
    int JOIN_SHARED, JOIN_RESEMBLANCE, JOIN_CONTAINMENT, JOIN_SIMILARITY

cdef extern from "alike.h" nogil:
    ctypedef struct alike_job:
        join_list list
        const uint32_t *order
        const uint32_t *sizes
        const uint32_t *side
        const uint32_t *kin
        size_t n_groups
        double founded
        double least
        size_t most
    void alike_rows(const int64_t *, const uint32_t *, size_t, size_t, uint32_t *, int64_t *, uint32_t *, int64_t *)
    int alike_pairs(const alike_job *, uint32_t, uint32_t, join_pairs *)

MEASURES = {
    "shared": JOIN_SHARED,
    "resemblance": JOIN_RESEMBLANCE,
    "containment": JOIN_CONTAINMENT,
    "similarity": JOIN_SIMILARITY,
}


cdef inline void _same_length(Py_ssize_t a, Py_ssize_t b) except *:
    if a != b:
        raise ValueError(f"arrays that belong together differ in length: {a} and {b}")


def partition(const uint64_t[::1] hashes, const uint32_t[::1] groups, int bits):
    _same_length(hashes.shape[0], groups.shape[0])
    if not 0 <= bits <= 16:
        raise ValueError("bits must be in 0..16")
    cdef size_t n = hashes.shape[0]
    out_hashes = np.empty(n, np.uint64)
    out_groups = np.empty(n, np.uint32)
    bounds = np.zeros((1 << bits) + 1, np.int64)
    cdef uint64_t[::1] h = out_hashes
    cdef uint32_t[::1] g = out_groups
    cdef int64_t[::1] b = bounds
    if n:
        with nogil:
            join_partition(&hashes[0], &groups[0], n, bits, &h[0], &g[0], &b[0])
    return out_hashes, out_groups, bounds


def sort_pairs(uint64_t[::1] hashes, uint32_t[::1] groups):
    _same_length(hashes.shape[0], groups.shape[0])
    cdef size_t n = hashes.shape[0]
    cdef int fits = 1
    if n:
        with nogil:
            fits = join_sort(&hashes[0], &groups[0], n)
    if not fits:
        raise MemoryError


def sum_pairs(uint64_t[::1] pairs, uint32_t[::1] counts):
    _same_length(pairs.shape[0], counts.shape[0])
    cdef size_t n = pairs.shape[0]
    cdef int64_t left = 0
    if n:
        with nogil:
            left = join_sum(&pairs[0], &counts[0], n)
    if left < 0:
        raise MemoryError
    return left


def shared_runs(const uint64_t[::1] hashes, const uint32_t[::1] groups, size_t max_shared, uint32_t[::1] sizes):
    _same_length(hashes.shape[0], groups.shape[0])
    cdef size_t n = hashes.shape[0]
    cdef join_counts counts
    if n and np.max(groups) >= sizes.shape[0]:
        raise ValueError("a group number is outside sizes")
    counts.hashes = counts.postings = counts.common = 0
    if n:
        with nogil:
            counts = join_count_runs(&hashes[0], &groups[0], n, max_shared)
    # one spare element each, so that the address of the first one exists
    shared = np.empty(counts.hashes + 1, np.uint64)
    degrees = np.empty(counts.hashes + 1, np.uint32)
    holders = np.empty(counts.postings + 1, np.uint32)
    common = np.empty(counts.common + 1, np.uint64)
    common_degrees = np.empty(counts.common + 1, np.uint32)
    common_holders = np.empty(counts.common + 1, np.uint32)
    cdef uint64_t[::1] s = shared, c = common
    cdef uint32_t[::1] d = degrees, g = holders, cd = common_degrees, ch = common_holders
    if n:
        with nogil:
            join_fill_runs(&hashes[0], &groups[0], n, max_shared, &sizes[0], &s[0], &d[0], &g[0], &c[0],
                           &cd[0], &ch[0])
    return (
        shared[: counts.hashes],
        degrees[: counts.hashes],
        holders[: counts.postings],
        common[: counts.common],
        common_degrees[: counts.common],
        common_holders[: counts.common],
    )


def distinct(const int64_t[::1] offsets, const uint32_t[::1] groups, const uint32_t[::1] labels):
    cdef size_t n_hashes = offsets.shape[0] - 1
    if offsets[n_hashes] != groups.shape[0]:
        raise ValueError("the last offset is not the number of postings")
    if groups.shape[0] and np.max(groups) >= labels.shape[0]:
        raise ValueError("a group number has no label")
    if labels.shape[0] and np.max(labels) >= labels.shape[0]:
        raise ValueError("a label is not below the number of groups")
    counts = np.zeros(n_hashes, np.uint32)
    seen = np.zeros(labels.shape[0], np.uint32)
    cdef uint32_t[::1] c = counts, s = seen
    cdef size_t h
    cdef int64_t p
    cdef uint32_t label
    with nogil:
        for h in range(n_hashes):
            for p in range(offsets[h], offsets[h + 1]):
                label = labels[groups[p]]
                if s[label] != h + 1:
                    s[label] = h + 1
                    c[h] += 1
    return counts


def transpose(const int64_t[::1] offsets, const uint32_t[::1] groups, size_t n_groups):
    cdef size_t n_hashes = offsets.shape[0] - 1
    if offsets[n_hashes] != groups.shape[0]:
        raise ValueError("the last offset is not the number of postings")
    if groups.shape[0] and np.max(groups) >= n_groups:
        raise ValueError("a group number is not below n_groups")
    row_offsets = np.zeros(n_groups + 1, np.int64)
    row_hashes = np.empty(groups.shape[0] + 1, np.uint32)
    cdef int64_t[::1] r = row_offsets
    cdef uint32_t[::1] h = row_hashes
    if groups.shape[0]:
        with nogil:
            join_transpose(&offsets[0], &groups[0], n_hashes, n_groups, &r[0], &h[0])
    return row_offsets, row_hashes[: groups.shape[0]]


cdef tuple _columns(join_pairs found):
    left = np.empty(found.n, np.uint32)
    right = np.empty(found.n, np.uint32)
    shared = np.empty(found.n, np.uint32)
    similarity = np.empty(found.n, np.float64)
    cdef uint32_t[::1] l = left, r = right, s = shared
    cdef double[::1] w = similarity
    cdef size_t i
    for i in range(found.n):
        l[i] = found.pairs[i].left
        r[i] = found.pairs[i].right
        s[i] = found.pairs[i].shared
        w[i] = found.pairs[i].similarity
    return left, right, shared, similarity


cdef join_list _list(tuple columns, size_t n_groups) except *:
    """Point at the columns of a list; the caller keeps them alive."""
    cdef const int64_t[::1] offsets = columns[0], row_offsets = columns[2]
    cdef const uint32_t[::1] groups = columns[1], row_hashes = columns[3]
    cdef const float[::1] weights = columns[4]
    cdef const double[::1] totals = columns[5]
    _same_length(n_groups, totals.shape[0])
    _same_length(n_groups, row_offsets.shape[0] - 1)
    _same_length(groups.shape[0], row_hashes.shape[0])
    _same_length(offsets.shape[0] - 1, weights.shape[0])
    if offsets[0] or row_offsets[0] or offsets[offsets.shape[0] - 1] != groups.shape[0] or \
            row_offsets[n_groups] != groups.shape[0]:
        raise ValueError("the last offset is not the number of postings")
    cdef join_list made
    made.offsets, made.row_offsets = &offsets[0], &row_offsets[0]
    made.weights = &weights[0] if weights.shape[0] else NULL
    made.totals = &totals[0]
    made.groups = &groups[0] if groups.shape[0] else NULL
    made.row_hashes = &row_hashes[0] if row_hashes.shape[0] else NULL
    return made


def row_candidates(
    uint32_t first,
    uint32_t last,
    tuple postings,
    const uint32_t[::1] sizes,
    const uint32_t[::1] side,
    const uint32_t[::1] kin,
    str measure,
    double threshold,
    uint32_t min_shared,
    tuple added=None,
    tuple apart=None,
    double verbatim=0.0,
    double founded=0.0,
    uint32_t plenty=0,
    double likeness=0.0,
    size_t most=0,
):
    cdef size_t n_groups = sizes.shape[0]
    _same_length(n_groups, side.shape[0])
    _same_length(n_groups, kin.shape[0])
    cdef join_job job
    cdef join_pairs found
    found.pairs = NULL
    found.n = found.room = 0
    if last > n_groups or first >= last or len(postings[1]) == 0:
        return _columns(found)
    job.list = _list(postings, n_groups)
    job.more = added is not None and apart is not None
    if job.more:
        job.added, job.apart = _list(added, n_groups), _list(apart, n_groups)
    job.sizes, job.side, job.kin, job.n_groups = &sizes[0], &side[0], &kin[0], n_groups
    job.measure, job.threshold, job.min_shared = MEASURES[measure], threshold, min_shared
    job.verbatim = verbatim
    job.founded, job.plenty, job.likeness, job.most = founded, plenty, likeness, most
    cdef int fits
    try:
        with nogil:
            fits = join_rows(&job, first, last, &found)
        if not fits:
            raise MemoryError
        return _columns(found)
    finally:
        free(found.pairs)


def rarest_first(const int64_t[::1] offsets, const uint32_t[::1] groups, size_t n_groups):
    cdef size_t n_hashes = offsets.shape[0] - 1
    if not offsets.shape[0] or offsets[n_hashes] != groups.shape[0]:
        raise ValueError("the last offset is not the number of postings")
    if groups.shape[0] and np.max(groups) >= n_groups:
        raise ValueError("a group number is not below n_groups")
    if n_hashes >= UINT32_MAX or n_groups >= UINT32_MAX:
        raise OverflowError("numbers have 32 bits")
    degrees = np.diff(offsets)
    if offsets[0] or (n_hashes and (np.min(degrees) < 0 or np.max(degrees) > n_groups)):
        raise ValueError("offsets that do not ascend, or a hash with a group twice")
    order = np.zeros(max(n_hashes, 1), np.uint32)
    row_offsets = np.zeros(n_groups + 1, np.int64)
    ranks = np.zeros(max(groups.shape[0], 1), np.uint32)
    cdef uint32_t[::1] o = order, r = ranks
    cdef int64_t[::1] rows = row_offsets, starts = np.zeros(n_groups + 2, np.int64)
    if groups.shape[0]:
        with nogil:
            alike_rows(&offsets[0], &groups[0], n_hashes, n_groups, &o[0], &rows[0], &r[0], &starts[0])
    return order[:n_hashes], row_offsets, ranks[: groups.shape[0]]


def alike(
    uint32_t first,
    uint32_t last,
    tuple postings,
    const uint32_t[::1] order,
    const uint32_t[::1] sizes,
    const uint32_t[::1] side,
    const uint32_t[::1] kin,
    double founded,
    double least,
    size_t most=0,
):
    cdef size_t n_groups = sizes.shape[0]
    _same_length(n_groups, side.shape[0])
    _same_length(n_groups, kin.shape[0])
    cdef alike_job job
    cdef join_pairs found
    found.pairs = NULL
    found.n = found.room = 0
    if last > n_groups or first >= last or len(postings[1]) == 0:
        return _columns(found)
    job.list = _list(postings, n_groups)
    _same_length(len(postings[0]) - 1, order.shape[0])
    if np.max(order) >= order.shape[0] or np.max(postings[3]) >= order.shape[0] or np.max(postings[1]) >= n_groups:
        raise IndexError("no such hash, or no such group")
    job.order, job.sizes, job.side, job.kin, job.n_groups = &order[0], &sizes[0], &side[0], &kin[0], n_groups
    job.founded, job.least, job.most = founded, least, most
    cdef int fits
    try:
        with nogil:
            fits = alike_pairs(&job, first, last, &found)
        if not fits:
            raise MemoryError
        return _columns(found)
    finally:
        free(found.pairs)
