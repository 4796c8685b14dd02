"""The compiled lexer: a thin shell around lex.h. reference/lex.py is its definition."""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memcpy, memset

import numpy as np

cdef extern from "lex.h" nogil:
    int R_FIELDS
    int O_FIELDS
    ctypedef struct lexer:
        const uint8_t *data
        size_t n
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
        uint32_t *symbols
        uint32_t *starts
        uint32_t *ends
        uint64_t *raws
        size_t count
        size_t room
        int failed
    void lex_run(lexer *x)
    uint64_t lex_hash(const uint8_t *p, size_t n, int fold)

cdef extern from "lex_quick.h" nogil:
    ctypedef struct quick_table:
        const uint32_t *lengths
    int quick_make(quick_table *q, const lexer *x, const uint32_t *lengths)
    void quick_run(lexer *x, const quick_table *q, size_t most)

cdef extern from "lex_told.h" nogil:
    size_t told_statements(const uint8_t *data, const uint32_t *symbols, const uint64_t *lexemes,
                           const uint32_t *starts, const uint32_t *ends, size_t n, const uint32_t *ending,
                           size_t n_ending, int lines, size_t shortest, uint64_t *out)
    size_t told_strings(const uint32_t *symbols, const uint64_t *lexemes, const uint32_t *starts,
                        const uint32_t *ends, size_t n, uint32_t longest, uint64_t *out)

cdef size_t KEPT = 1 << 16  # tokens for which there is room between calls: fresh pages take longer than lexing
cdef lexer kept  # of the last call; whoever works in its lists has taken them out
memset(&kept, 0, sizeof(kept))

RULE_FIELDS = R_FIELDS
OPTION_FIELDS = O_FIELDS


def lexeme_hash(const uint8_t[::1] lexeme, bint fold):
    """Give the 64-bit hash of a lexeme; `fold` takes ASCII capitals as small letters."""
    cdef size_t n = lexeme.shape[0]
    return lex_hash(&lexeme[0] if n else NULL, n, fold)


cdef object _array(void *source, size_t count, size_t width, object kind):
    cdef uint8_t[::1] view
    made = np.empty(count, kind)
    if count:
        view = made.view(np.uint8)
        memcpy(&view[0], source, count * width)
    return made


cdef void _free(lexer *x) noexcept:
    free(x.symbols)
    free(x.starts)
    free(x.ends)
    free(x.raws)


def lex(
    const uint8_t[::1] data,
    const uint8_t[::1] classes,
    const int32_t[::1] rules,
    const int32_t[::1] rule_first,
    const int32_t[::1] rule_order,
    const int32_t[::1] ops,
    const int32_t[::1] op_first,
    const int32_t[::1] options,
    const uint64_t[::1] keywords,
    const uint8_t[::1] blob,
    *,
    const uint32_t[::1] brief=None,
    size_t most=0,
):
    """Lex a source; give symbols, starts, ends and the hash of each lexeme.

    `brief`: no hashes, and the first `most` tokens alone, or all if it is 0; it has the lengths of the keywords
    that begin with a byte, as bits.
    """
    global kept
    cdef quick_table quick
    cdef bint briefly = brief is not None
    cdef lexer x
    cdef size_t n = data.shape[0]
    if classes.shape[0] != 256 or options.shape[0] != O_FIELDS or rules.shape[0] % R_FIELDS or n >= 2**32:
        raise ValueError("no language table, or a source of over 4 GiB")
    if briefly and brief.shape[0] != 256:
        raise ValueError("a length of keywords for each byte, or none")
    memset(&x, 0, sizeof(x))
    x.symbols, x.starts, x.ends, x.raws, x.room = kept.symbols, kept.starts, kept.ends, kept.raws, kept.room
    memset(&kept, 0, sizeof(kept))
    x.data, x.n = &data[0] if n else NULL, n
    x.classes, x.options, x.blob = &classes[0], &options[0], &blob[0]
    x.rules, x.rule_first, x.rule_order = &rules[0], &rule_first[0], &rule_order[0]
    x.ops, x.op_first = &ops[0], &op_first[0]
    x.keywords, x.keyword_mask = &keywords[0], keywords.shape[0] - 1
    try:
        with nogil:
            if briefly and quick_make(&quick, &x, &brief[0]):
                quick_run(&x, &quick, most)
            else:
                lex_run(&x)
        if x.failed:
            raise MemoryError
        if briefly and most and x.count > most:
            x.count = most
        return (
            _array(x.symbols, x.count, 4, np.uint32),
            _array(x.starts, x.count, 4, np.uint32),
            _array(x.ends, x.count, 4, np.uint32),
            _array(x.raws, 0 if briefly else x.count, 8, np.uint64),
        )
    finally:
        if x.room > KEPT or x.failed:
            _free(&x)
        else:
            _free(&kept)
            kept = x


def statements(
    const uint8_t[::1] data,
    const uint32_t[::1] symbols,
    const uint32_t[::1] starts,
    const uint32_t[::1] ends,
    const uint64_t[::1] lexemes,
    const uint32_t[::1] ending,
    bint lines,
    size_t shortest,
):
    """Give the hash of every statement of at least `shortest` tokens, separators left out."""
    cdef size_t n = symbols.shape[0], count = 0
    made = np.empty(n // max(shortest, 1) + 1, np.uint64)
    cdef uint64_t[::1] out = made
    if n:
        with nogil:
            count = told_statements(&data[0], &symbols[0], &lexemes[0], &starts[0], &ends[0], n, &ending[0],
                                    ending.shape[0], lines, shortest, &out[0])
    return made[:count]


def strings(
    const uint32_t[::1] symbols,
    const uint32_t[::1] starts,
    const uint32_t[::1] ends,
    const uint64_t[::1] lexemes,
    uint32_t longest,
):
    """Give hashes of every string literal: one for each character, up to `longest`."""
    cdef size_t n = symbols.shape[0], count
    if not n:
        return np.empty(0, np.uint64)
    count = told_strings(&symbols[0], &lexemes[0], &starts[0], &ends[0], n, longest, NULL)
    made = np.empty(count, np.uint64)
    cdef uint64_t[::1] out = made
    if count:
        with nogil:
            told_strings(&symbols[0], &lexemes[0], &starts[0], &ends[0], n, longest, &out[0])
    return made
