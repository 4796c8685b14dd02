/* The lexer where only symbols are wanted: what most tokens are is decided here, the rest by lex.h, with the same symbols.
 *
 * For languages whose layout and capitals say nothing. A word that has the length of no keyword with its first letter is
 * not hashed, nor is a number. */
#ifndef COPYSIFT_LEX_QUICK_H
#define COPYSIFT_LEX_QUICK_H

#include "lex.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { QUICK_WORD = 1, QUICK_QUOTED, QUICK_NUMBER, QUICK_OPERATOR };

typedef struct {
    const uint32_t *lengths; /* of the keywords that begin with a byte, as bits */
    uint8_t what[256];       /* what a byte begins; 0: lex.h says that */
    uint32_t symbols[256];   /* of operators of one byte */
    uint64_t longer[256][2]; /* the bytes, below 128, with which they are longer operators */
} quick_table;

/* Whether a rule applies only where a quotation mark follows letters that it begins with: L"…" */
static int quick_quotes(const lexer *x, int c) {
    for (int32_t i = x->rule_first[c]; i < x->rule_first[c + 1]; i++) {
        const int32_t *r = x->rules + x->rule_order[i] * R_FIELDS;
        int32_t at = 0;
        while (at < r[R_OPEN_LEN] && (x->classes[x->blob[r[R_OPEN] + at]] & LEX_PART)) at++;
        uint8_t mark = at < r[R_OPEN_LEN] ? x->blob[r[R_OPEN] + at] : 0;
        if ((mark != '"' && mark != '\'') || (r[R_FLAGS] & (F_FOLD | F_SPACED))) return 0;
    }
    return 1;
}

/* Make the table of a language; 0: it has none, for layout or capitals count in it. */
static int quick_make(quick_table *q, const lexer *x, const uint32_t *lengths) {
    memset(q, 0, sizeof *q);
    q->lengths = lengths;
    if (x->options[O_INDENT] || x->options[O_FOLD] || x->options[O_DOCSTRINGS]) return 0;
    for (int i = 0; i < LEX_MEMBERS; i++)
        if (x->options[O_MEMBERS + i]) return 0;
    for (int c = 0; c < 128; c++) {
        uint8_t k = x->classes[c], one = (uint8_t)c;
        int others = LEX_SPACE | LEX_BREAK | LEX_SIGIL | LEX_TAIL;
        if (c == x->options[O_CONTINUATION] || (k & others)) continue;
        if (k & LEX_START) {
            q->what[c] = !(k & LEX_RULE) ? QUICK_WORD : quick_quotes(x, c) ? QUICK_QUOTED : 0;
        } else if (k & LEX_DIGIT) {
            q->what[c] = !(k & LEX_RULE) && !x->options[O_MARKS_LEN] ? QUICK_NUMBER : 0;
        } else if (!(k & LEX_RULE) && c != '.') {
            q->what[c] = QUICK_OPERATOR;
            q->symbols[c] = lex_symbol(lex_hash(&one, 1, 0));
            for (int32_t i = x->op_first[c]; i < x->op_first[c + 1]; i++) {
                uint8_t next = x->ops[2 * i + 1] > 1 ? x->blob[x->ops[2 * i] + 1] : 0;
                if (next >= 128) q->what[c] = 0;
                else if (next) q->longer[c][next / 64] |= (uint64_t)1 << next % 64;
            }
        }
    }
    return 1;
}

static inline int quick_letter(uint8_t c) {
    return (uint8_t)((c | 32) - 'a') < 26 || (uint8_t)(c - '0') < 10 || c == '_';
}

/* One past the letters, digits and _ of ASCII from `at` on. */
static inline size_t quick_end(const uint8_t *d, size_t at, size_t n) {
#if defined(__SSE2__)
    const __m128i small = _mm_set1_epi8(0x20), bar = _mm_set1_epi8('_');
    while (at + 16 <= n) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(d + at)), low = _mm_or_si128(bytes, small);
        __m128i letters = _mm_and_si128(_mm_cmpgt_epi8(low, _mm_set1_epi8('a' - 1)), _mm_cmplt_epi8(low, _mm_set1_epi8('z' + 1)));
        __m128i digits = _mm_and_si128(_mm_cmpgt_epi8(bytes, _mm_set1_epi8('0' - 1)), _mm_cmplt_epi8(bytes, _mm_set1_epi8('9' + 1)));
        __m128i part = _mm_or_si128(_mm_or_si128(letters, digits), _mm_cmpeq_epi8(bytes, bar));
        unsigned others = (unsigned)_mm_movemask_epi8(part) ^ 0xFFFFu;
        if (others) return at + (unsigned)__builtin_ctz(others);
        at += 16;
    }
#endif
    while (at < n && quick_letter(d[at])) at++;
    return at;
}

/* Take a word or a number; 0: lex.h has to look at it. */
static inline int quick_take(lexer *x, const quick_table *q, uint8_t c, int what) {
    const uint8_t *d = x->data;
    size_t end = quick_end(d, x->at + 1, x->n), length = end - x->at;
    uint8_t next = end < x->n ? d[end] : 0;
    uint32_t symbol = LEX_IDENTIFIER;
    if (x->classes[next] & (LEX_PART | LEX_TAIL) && end < x->n) return 0;
    if (what == QUICK_NUMBER) {
        if (next == '.' || next == '+' || next == '-') return 0;
        symbol = LEX_NUMBER;
    } else {
        if (what == QUICK_QUOTED && (next == '"' || next == '\'')) return 0;
        if (q->lengths[c] >> (length < 31 ? length : 31) & 1) {
            uint64_t hash = lex_hash(d + x->at, length, 0);
            if (lex_is_keyword(x, hash)) symbol = lex_symbol(hash);
        }
    }
    lex_push(x, symbol, x->at, end, 0);
    x->at = end;
    x->fresh = 0;
    return 1;
}

static inline int quick_step(lexer *x, const quick_table *q) {
    const uint8_t *d = x->data;
    uint8_t c = d[x->at];
    int what = q->what[c];
    if (c == ' ' && (x->classes[c] & LEX_SPACE)) {
        x->at = lex_spaces(x, x->at + 1);
        return 1;
    }
    if (x->holes || x->pending) return 0;
    if (what == QUICK_OPERATOR) {
        uint8_t next = x->at + 1 < x->n ? d[x->at + 1] : 0;
        if (next >= 128 || (q->longer[c][next / 64] >> next % 64 & 1)) return 0;
        lex_push(x, q->symbols[c], x->at, x->at + 1, 0);
        x->at++;
        x->fresh = 0;
        return 1;
    }
    if (what) return quick_take(x, q, c, what);
    if (c != '\n') return 0;
    x->line = ++x->at;
    return x->fresh = 1;
}

/* Lex with the symbols of lex_run, up to `most` tokens unless it is 0; the hashes of lexemes are not those of lex_run. */
static void quick_run(lexer *x, const quick_table *q, size_t most) {
    x->fresh = 1;
    x->unhashed = 0;
    while (x->at < x->n && !x->failed && (!most || x->count < most))
        if (!quick_step(x, q)) lex_step(x);
}

#endif
