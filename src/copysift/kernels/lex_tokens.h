/* What the lexer reads and writes: the language table, the tokens, the state between them. */
#ifndef COPYSIFT_LEX_TOKENS_H
#define COPYSIFT_LEX_TOKENS_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#endif

/* Symbols of token classes; keywords and operators have the top bit set. */
enum { LEX_IDENTIFIER = 1, LEX_NUMBER, LEX_STRING, LEX_CHARACTER, LEX_REGEX, LEX_NEWLINE, LEX_INDENT, LEX_DEDENT };

/* Classes of bytes. */
enum { LEX_START = 1, LEX_PART = 2, LEX_DIGIT = 4, LEX_SPACE = 8, LEX_BREAK = 16, LEX_RULE = 32, LEX_SIGIL = 64,
       LEX_TAIL = 128 };

/* Fields of a rule. */
enum { R_KIND, R_OPEN, R_OPEN_LEN, R_CLOSE, R_CLOSE_LEN, R_SYMBOL, R_ESCAPE, R_FLAGS, R_COLUMN, R_MAX,
       R_HOLE, R_HOLE_LEN, R_HOLE_CLOSE, R_FENCE, R_MIDDLE, R_MIDDLE_LEN, R_END, R_END_LEN, R_PARTS, R_FIELDS };
enum { LEX_LINE = 1, LEX_SPAN, LEX_FENCED, LEX_HEREDOC, LEX_QUOTED, LEX_LETTER, LEX_BRANCH };
enum { F_NESTED = 1, F_DOUBLED = 2, F_MULTILINE = 4, F_LINE_START = 8, F_AFTER_OPERAND = 16, F_ADJACENT = 32,
       F_WORD = 64, F_CONTINUED = 128, F_FOLD = 256, F_MUST_CLOSE = 512, F_BRACKETS = 1024,
       F_WHOLE_WORD = 2048, F_AFTER_BLANK = 4096, F_QUOTED = 8192, F_SPACED = 16384 };

/* Options of a language. */
enum { LEX_MEMBERS = 4 }; /* operators at most after which every word is a name */
enum { O_FOLD, O_INDENT, O_CONTINUATION, O_MARKS, O_MARKS_LEN, O_DOCSTRINGS, O_MEMBERS,
       O_FIELDS = O_MEMBERS + LEX_MEMBERS };

enum { LEX_HOLES = 16, LEX_LEVELS = 128, LEX_PENDING = 4, LEX_FAILURES = 64, LEX_FENCE = 16, LEX_NEAR = 256,
       LEX_CONDITION = 256, /* tokens between if and the end of its condition, at most */
       LEX_QUOTED_MAX = 4096 };

typedef struct { size_t start; uint32_t length; } lex_name;

typedef struct {
    const uint8_t *data;
    size_t n;
    const uint8_t *classes;
    const int32_t *rules, *rule_first, *rule_order, *ops, *op_first, *options;
    const uint64_t *keywords;
    uint64_t keyword_mask;
    const uint8_t *blob;
    /* out */
    uint32_t *symbols, *starts, *ends;
    uint64_t *raws;
    size_t count, room;
    int failed; /* no memory */
    /* state */
    size_t at, line, line_token;
    size_t unhashed; /* one past the token whose hash waits until its line shows whether it counts; 0: none */
    int fresh, depth, holes, levels, pending, failures;
    int hole_rule[LEX_HOLES], hole_depth[LEX_HOLES];
    uint32_t level[LEX_LEVELS];
    lex_name wanted[LEX_PENDING];
} lexer;

/* ---- eight bytes at a time, the first one lowest ---- */

#define LEX_EACH(byte) (0x0101010101010101ull * (uint8_t)(byte))

static inline uint64_t lex_eight(const uint8_t *p) {
    uint64_t bytes;
    memcpy(&bytes, p, 8);
    return bytes;
}

/* The lowest bit that is set is the top one of the first byte that is zero. */
static inline uint64_t lex_zeros(uint64_t bytes) { return (bytes - LEX_EACH(1)) & ~bytes & LEX_EACH(0x80); }

/* The number of the byte with the lowest bit that is set. */
static inline unsigned lex_first(uint64_t bits) {
#if defined(_MSC_VER) && !defined(__clang__)
    unsigned long at;
    _BitScanForward64(&at, bits);
    return (unsigned)at / 8;
#else
    return (unsigned)__builtin_ctzll(bits) / 8;
#endif
}

static inline uint64_t lex_mix(uint64_t h) {
    h ^= h >> 32;
    h *= 0x9E3779B97F4A7C15ull;
    return h ^ (h >> 29);
}

static inline uint8_t lex_fold(uint8_t c) { return (uint8_t)(c - 'A') < 26 ? c + 32 : c; }

/* The 64-bit hash of a lexeme: FNV-1a, mixed. */
#define LEX_SEED 14695981039346656037ull
#define LEX_PRIME 1099511628211ull

static inline uint64_t lex_add(uint64_t h, const uint8_t *p, size_t n, int fold) {
    if (fold)
        for (size_t i = 0; i < n; i++) h = (h ^ lex_fold(p[i])) * LEX_PRIME;
    else
        for (size_t i = 0; i < n; i++) h = (h ^ p[i]) * LEX_PRIME;
    return h;
}

static uint64_t lex_hash(const uint8_t *p, size_t n, int fold) { return lex_mix(lex_add(LEX_SEED, p, n, fold)); }

static inline uint32_t lex_symbol(uint64_t hash) { return (uint32_t)(hash >> 32) | 0x80000000u; }

static int lex_is_keyword(const lexer *x, uint64_t hash) {
    for (uint64_t slot = hash & x->keyword_mask;; slot = (slot + 1) & x->keyword_mask) {
        if (x->keywords[slot] == hash) return 1;
        if (!x->keywords[slot]) return 0;
    }
}

/* Whether the last token is an operator like the dot of x.class, after which no word is a keyword. */
static int lex_after_member(const lexer *x) {
    if (!x->count) return 0;
    for (int i = 0; i < LEX_MEMBERS; i++)
        if (x->options[O_MEMBERS + i] && (uint32_t)x->options[O_MEMBERS + i] == x->symbols[x->count - 1]) return 1;
    return 0;
}

/* Bytes of a blank beyond ASCII at p, 0 if there is none; *thin when it has no width. */
static inline size_t lex_blank(const uint8_t *p, size_t left, int *thin) {
    *thin = 0;
    if (left >= 2 && p[0] == 0xC2 && (p[1] == 0xA0 || p[1] == 0xAD || p[1] == 0x85)) {
        *thin = p[1] == 0xAD;
        return 2;
    }
    if (left < 3) return 0;
    if (p[0] == 0xE2 && p[1] == 0x80 && p[2] >= 0x80 && p[2] <= 0xAF) {
        *thin = (p[2] >= 0x8B && p[2] <= 0x8F) || (p[2] >= 0xAA && p[2] <= 0xAE);
        return p[2] <= 0x8F || p[2] >= 0xA8 ? 3 : 0;
    }
    if (p[0] == 0xE2 && p[1] == 0x81 && p[2] >= 0x9F && p[2] <= 0xA4) {
        *thin = p[2] != 0x9F;
        return 3;
    }
    if (p[0] == 0xEF && p[1] == 0xBB && p[2] == 0xBF) {
        *thin = 1;
        return 3;
    }
    return p[0] == 0xE3 && p[1] == 0x80 && p[2] == 0x80 ? 3 : 0;
}

/* ---- tokens ---- */

static void lex_grow(lexer *x) {
    size_t room = x->room ? x->room * 2 : x->n / 3 + 64; /* mostly enough; pages that are not used cost nothing */
    void *a = realloc(x->symbols, room * 4), *b, *c, *d;
    if (a) x->symbols = a;
    if ((b = realloc(x->starts, room * 4))) x->starts = b;
    if ((c = realloc(x->ends, room * 4))) x->ends = c;
    if ((d = realloc(x->raws, room * 8))) x->raws = d;
    if (a && b && c && d) x->room = room;
    else x->failed = 1;
}

static inline void lex_push(lexer *x, uint32_t symbol, size_t start, size_t end, uint64_t raw) {
    size_t at = x->count;
    if (at == x->room) {
        lex_grow(x);
        if (x->failed) return;
    }
    x->symbols[at] = symbol;
    x->starts[at] = (uint32_t)start;
    x->ends[at] = (uint32_t)end;
    x->raws[at] = raw;
    x->count = at + 1;
}

static void lex_layout(lexer *x, uint32_t symbol, size_t start, size_t end) {
    lex_push(x, symbol, start, end, lex_mix(symbol));
}

static int lex_logical(const lexer *x) { return x->options[O_INDENT] && !x->depth && !x->holes; }

/* Before the first token of a line: compare its column with the open levels. */
static void lex_indent(lexer *x, size_t start) {
    uint32_t column = 0;
    for (size_t i = x->line; i < start; i++) column = x->data[i] == '\t' ? (column / 8 + 1) * 8 : column + 1;
    while (x->levels && x->level[x->levels - 1] > column) {
        x->levels--;
        lex_layout(x, LEX_DEDENT, x->line, x->line);
    }
    if (column > (x->levels ? x->level[x->levels - 1] : 0) && x->levels < LEX_LEVELS) {
        x->level[x->levels++] = column;
        lex_layout(x, LEX_INDENT, x->line, start);
    }
}

static void lex_hash_late(lexer *x) {
    size_t token = x->unhashed - 1;
    if (!x->unhashed) return;
    x->raws[token] = lex_hash(x->data + x->starts[token], x->ends[token] - x->starts[token], 0);
    x->unhashed = 0;
}

static void lex_first_of_line(lexer *x) {
    lex_hash_late(x);
    if (lex_logical(x)) {
        lex_indent(x, x->at);
        x->line_token = x->count;
    }
    x->fresh = 0;
}

static inline void lex_emit(lexer *x, uint32_t symbol, size_t end, uint64_t raw) {
    if (x->fresh) lex_first_of_line(x);
    lex_push(x, symbol, x->at, end, raw);
    x->at = end;
}

static void lex_take(lexer *x, uint32_t symbol, size_t end) {
    lex_emit(x, symbol, end, lex_hash(x->data + x->at, end - x->at, 0));
}

/* The end of a logical line: a line that holds nothing but one string is a comment in some languages. */
static void lex_end_line(lexer *x, size_t start, size_t end) {
    if (!lex_logical(x) || x->fresh) return;
    if (x->options[O_DOCSTRINGS] && x->count == x->line_token + 1 && x->symbols[x->count - 1] == LEX_STRING) {
        x->count--;
        x->unhashed = 0;
    } else {
        lex_hash_late(x);
        lex_layout(x, LEX_NEWLINE, start, end);
    }
}

/* Whether the last token closes the condition of `if (...)`: what follows begins a statement. */
static int lex_condition(const lexer *x) {
    size_t least = x->count > LEX_CONDITION ? x->count - LEX_CONDITION : 0;
    int depth = 0;
    for (size_t at = x->count; at-- > least + 1;) {
        if (x->ends[at] - x->starts[at] != 1) continue;
        uint8_t byte = x->data[x->starts[at]];
        depth += (byte == ')') - (byte == '(');
        if (depth) continue;
        if (byte != '(') return 0;
        const uint8_t *word = x->data + x->starts[at - 1];
        uint32_t length = x->ends[at - 1] - x->starts[at - 1];
        if (x->symbols[at - 1] <= LEX_REGEX) return 0; /* a name, as in x.if(y) */
        return (length == 2 && !memcmp(word, "if", 2)) || (length == 3 && !memcmp(word, "for", 3)) ||
               (length == 4 && !memcmp(word, "with", 4)) || (length == 5 && !memcmp(word, "while", 5));
    }
    return 0;
}

static int lex_operand(const lexer *x) {
    if (!x->count) return 0;
    uint32_t last = x->symbols[x->count - 1];
    uint32_t end = x->ends[x->count - 1];
    uint8_t byte = end ? x->data[end - 1] : 0;
    if ((byte == '+' || byte == '-') && end > 1 && x->data[end - 2] == byte) return 1; /* x++ / 2 */
    if (byte == ')' && lex_condition(x)) return 0; /* if (a) /b/.test(c) */
    return (last >= LEX_IDENTIFIER && last <= LEX_REGEX) || byte == ')' || byte == ']' || byte == '}';
}

#endif
