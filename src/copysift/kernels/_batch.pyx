"""Many texts at once: the compiled edition of `reference/batch.py`."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memcpy, memset

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
    void unicode_init()
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

cdef extern from "programs.h" nogil:
    int O_FIELDS
    int R_FIELDS
    ctypedef struct lexer:
        const uint8_t *classes
        const int32_t *rules
        const int32_t *rule_first
        const int32_t *rule_order
        const int32_t *ops
        const int32_t *op_first
        const int32_t *options
        const uint64_t *keywords
        uint64_t keyword_mask
        const uint8_t *blob
    ctypedef struct pr_list:
        uint64_t *values
        size_t count
    ctypedef struct pr_told:
        const uint32_t *ending
        size_t n_ending
        size_t shortest
        uint32_t longest
        int lines
    ctypedef struct pr_space:
        pr_list hashes
        pr_list statements
        pr_list strings
    int pr_make(pr_space *space, const cs_rule *rule, const cs_edition *edition, const lexer *table)
    void pr_free(pr_space *space)
    int pr_program(pr_space *space, const pr_told *told, const uint8_t *data, size_t n)
    void pr_hurry(pr_space *space, const uint32_t *lengths, size_t most)
    int pr_tokens(pr_space *space, const uint8_t *data, size_t n)

text_init()
unicode_init()
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


cdef int winnow_every(text *texts, Py_ssize_t n, pr_space *space, pr_told *told, bint brief,
                      int64_t[:, ::1] bounds) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        if brief:
            if pr_tokens(space, texts[i].data, texts[i].size):
                return -1
        elif pr_program(space, told, texts[i].data, texts[i].size):
            return -1
        bounds[0, i + 1] = space.hashes.count
        bounds[1, i + 1] = space.statements.count
        bounds[2, i + 1] = space.strings.count
    return 0


cdef object listed(pr_list *values):
    cdef uint64_t[::1] to
    made = np.empty(values.count, np.uint64)
    if values.count:
        to = made
        memcpy(&to[0], values.values, values.count * 8)
    return made


def winnow_programs(
    list sources,
    tuple table,
    const uint32_t[::1] ending,
    bint lines,
    size_t shortest,
    size_t longest,
    size_t k,
    size_t w,
    uint64_t seed=0,
    bint robust=True,
    size_t inner=0,
    const uint32_t[::1] brief=None,
    size_t most=0,
):
    """Lex and winnow programs of one language; give their hashes, their statements and their strings.

    Each comes with where in it those of each program begin and end. `brief`: each hash of a program once, and
    neither statements nor strings; it has the lengths of the keywords that begin with a byte, as bits.
    Then the first `most` tokens count, or all if it is 0.
    """
    cdef const uint8_t[::1] classes = table[0], blob = table[8]
    cdef const int32_t[::1] rules = table[1], rule_first = table[2], rule_order = table[3], ops = table[4]
    cdef const int32_t[::1] op_first = table[5], options = table[6]
    cdef const uint64_t[::1] keywords = table[7]
    cdef Py_ssize_t n = len(sources), i
    cdef int failed = -1
    cdef lexer x
    cdef pr_told told
    cdef pr_space space
    cdef cs_rule rule = cs_make_rule(k, w, inner, robust, seed)
    cdef list held = list(sources)  # whoever else changes `sources`, the programs stay
    bounds = np.zeros((3, n + 1), np.int64)
    cdef int64_t[:, ::1] ends = bounds
    if classes.shape[0] != 256 or options.shape[0] != O_FIELDS or rules.shape[0] % R_FIELDS or not shortest:
        raise ValueError("no language table, or statements of no tokens")
    if any(len(each) >= 2**32 for each in held):
        raise ValueError("a source of over 4 GiB")
    memset(&x, 0, sizeof(x))
    x.classes, x.options, x.blob = &classes[0], &options[0], &blob[0]
    x.rules, x.rule_first, x.rule_order = &rules[0], &rule_first[0], &rule_order[0]
    x.ops, x.op_first = &ops[0], &op_first[0]
    x.keywords, x.keyword_mask = &keywords[0], keywords.shape[0] - 1
    told.ending, told.n_ending, told.lines = &ending[0], ending.shape[0], lines
    told.shortest, told.longest = shortest, longest
    cdef const uint32_t *lengths = NULL
    if brief is not None:
        if brief.shape[0] != 256:
            raise ValueError("a length of keywords for each byte, or none")
        lengths = &brief[0]
    cdef text *texts = <text *>calloc(n + 1, sizeof(text))
    if texts == NULL:
        raise MemoryError
    memset(&space, 0, sizeof(space))
    try:
        for i in range(n):
            texts[i].data = <const uint8_t *>PyBytes_AS_STRING(<bytes?>held[i])
            texts[i].size = PyBytes_GET_SIZE(held[i])
        with nogil:
            if not pr_make(&space, &rule, &chosen, &x):
                if lengths != NULL:
                    pr_hurry(&space, lengths, most)
                failed = winnow_every(texts, n, &space, &told, lengths != NULL, ends)
        if failed:
            raise MemoryError
        return (
            (listed(&space.hashes), bounds[0]),
            (listed(&space.statements), bounds[1]),
            (listed(&space.strings), bounds[2]),
        )
    finally:
        pr_free(&space)
        free(texts)
