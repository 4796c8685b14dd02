/* What the lexemes of a program tell beside their classes: statements word for word, and strings. */
#ifndef COPYSIFT_LEX_TOLD_H
#define COPYSIFT_LEX_TOLD_H

#include "lex_tokens.h"

#define TOLD_FACTOR 0x9E3779B97F4A7C15ull
#define TOLD_STEP 0xD1B54A32D192ED03ull

static int told_ends(uint32_t symbol, const uint32_t *ending, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (symbol == ending[i]) return 1;
    return 0;
}

/* Hashes of the statements of at least `shortest` tokens; out has room for one each shortest tokens.
 * A statement ends with a separator, and where `lines` is set with its line. */
static size_t told_statements(const uint8_t *data, const uint32_t *symbols, const uint64_t *lexemes,
                              const uint32_t *starts, const uint32_t *ends, size_t n, const uint32_t *ending,
                              size_t n_ending, int lines, size_t shortest, uint64_t *out) {
    size_t count = 0, tokens = 0;
    uint64_t hash = 0;
    for (size_t i = 0; i <= n; i++) {
        int separator = i < n && told_ends(symbols[i], ending, n_ending);
        int parted = i == n || separator ||
                     (lines && i && starts[i] > ends[i - 1] &&
                      memchr(data + ends[i - 1], '\n', starts[i] - ends[i - 1]));
        if (parted) {
            if (tokens >= shortest) out[count++] = hash;
            tokens = 0;
            hash = 0;
        }
        if (i < n && !separator) {
            hash = (hash ^ lexemes[i]) * TOLD_FACTOR;
            hash ^= hash >> 29;
            tokens++;
        }
    }
    return count;
}

/* Hashes of the strings, one a character without its quotes, at most `longest` each; NULL only counts. */
static size_t told_strings(const uint32_t *symbols, const uint64_t *lexemes, const uint32_t *starts,
                           const uint32_t *ends, size_t n, uint32_t longest, uint64_t *out) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        if (symbols[i] != LEX_STRING || ends[i] - starts[i] <= 2) continue;
        uint32_t size = ends[i] - starts[i] - 2;
        if (size > longest) size = longest;
        for (uint32_t place = 1; out && place <= size; place++)
            out[count + place - 1] = lexemes[i] * TOLD_FACTOR + place * TOLD_STEP;
        count += size;
    }
    return count;
}

#endif
