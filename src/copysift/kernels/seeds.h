/* Matching by seeds, for sequences too large for a suffix structure, and the lines of a text.

   Every stride-th k-gram of b is noted; a is read from left to right, and where its k-gram is
   noted, the first free places of b are tried: the one with the longest run is taken. Any common
   run of k + stride − 1 symbols holds a noted k-gram, so it is met. */

#ifndef COPYSIFT_SEEDS_H
#define COPYSIFT_SEEDS_H

#include "tiling.h"

#define SEED_TRIES 16

typedef struct {
    match_sieve sieve;
    uint32_t *heads, *tails;   /* by slot of the sieve */
    uint32_t *places, *next;   /* by seed */
    uint32_t n;
} seed_table;

static int seed_note(seed_table *table, const match_side *b, uint32_t k, uint32_t stride) {
    size_t most = b->n / stride + 1;
    if (!match_sieve_open(&table->sieve, most)) return 0;
    size_t slots = (size_t)1 << table->sieve.bits;
    table->heads = malloc(slots * sizeof *table->heads);
    table->tails = malloc(slots * sizeof *table->tails);
    table->places = malloc(most * sizeof *table->places);
    table->next = malloc(most * sizeof *table->next);
    if (!table->heads || !table->tails || !table->places || !table->next) return 0;
    match_grams grams = match_grams_of(b, k);
    for (uint32_t start; (start = match_next_gram(&grams)) != MATCH_NONE;) {
        if (start % stride) continue;
        uint32_t tag, seed = table->n++;
        size_t slot = match_slot(&table->sieve, grams.hash, &tag);
        table->places[seed] = start;
        table->next[seed] = MATCH_NONE;
        if (table->sieve.tags[slot]) table->next[table->tails[slot]] = seed;
        else table->heads[slot] = seed;
        table->tails[slot] = seed;
        table->sieve.tags[slot] = tag;
    }
    return 1;
}

static inline int seed_same(const match_side *a, uint32_t i, const match_side *b, uint32_t j,
                            const uint8_t *taken) {
    return a->symbols[i] == b->symbols[j] && !taken[j] && !(a->mask && a->mask[i]) && !(b->mask && b->mask[j]);
}

/* The maximal run through a[i] and b[j], not before `from` in a. */
static match_tile seed_extend(const match_side *a, uint32_t i, uint32_t from, const match_side *b,
                              uint32_t j, const uint8_t *taken) {
    uint32_t back = 0, ahead = 0;
    while (i + ahead < a->n && j + ahead < b->n && seed_same(a, i + ahead, b, j + ahead, taken)) ahead++;
    while (i - back > from && j > back && seed_same(a, i - back - 1, b, j - back - 1, taken)) back++;
    match_tile tile = {i - back, j - back, ahead ? ahead + back : 0};
    return tile;
}

static match_tile seed_best(seed_table *table, size_t slot, const match_side *a, uint32_t i, uint32_t from,
                            const match_side *b, const uint8_t *taken) {
    match_tile best = {0, 0, 0};
    uint32_t *link = &table->heads[slot];
    for (int tries = 0; tries < SEED_TRIES && *link != MATCH_NONE;) {
        uint32_t j = table->places[*link];
        if (taken[j]) { /* for good */
            *link = table->next[*link];
            continue;
        }
        match_tile tile = seed_extend(a, i, from, b, j, taken);
        if (tile.length > best.length) best = tile;
        link = &table->next[*link];
        tries++;
    }
    return best;
}

static int match_seed_both(const match_side *a, const match_side *b, uint32_t k, uint32_t stride,
                           match_tiles *out) {
    seed_table table = {{NULL, 0}, NULL, NULL, NULL, NULL, 0};
    uint8_t *taken = calloc(b->n + (size_t)1, 1);
    int fits = taken && seed_note(&table, b, k, stride);
    match_grams grams = match_grams_of(a, k);
    uint32_t from = 0;
    for (uint32_t start; fits && (start = match_next_gram(&grams)) != MATCH_NONE;) {
        uint32_t tag;
        if (start < from) continue;
        size_t slot = match_slot(&table.sieve, grams.hash, &tag);
        if (!table.sieve.tags[slot]) continue;
        match_tile best = seed_best(&table, slot, a, start, from, b, taken);
        if (best.length < k) continue;
        memset(taken + best.b, 1, best.length);
        from = best.a + best.length;
        fits = match_push(out, best);
    }
    free(taken);
    free(table.sieve.tags);
    free(table.heads);
    free(table.tails);
    free(table.places);
    free(table.next);
    return fits;
}

/* ---- lines ---- */

/* Where the line that `at` stands in ends: after \n, or after a \r that no \n follows. NULL: nowhere any more. */
static const uint8_t *match_line_end(const uint8_t *at, const uint8_t *end, int returns) {
    if (!returns) return (at = (const uint8_t *)memchr(at, '\n', (size_t)(end - at))) ? at + 1 : NULL;
    for (; at < end; at++)
        if (*at == '\n' || (*at == '\r' && (at + 1 == end || at[1] != '\n'))) return at + 1;
    return NULL;
}

/* Give the number of lines, and where each starts unless `starts` is NULL. */
static size_t match_line_starts(const uint8_t *data, size_t n, uint32_t *starts) {
    size_t lines = 1;
    const uint8_t *at = data, *end = data + n;
    int returns = memchr(data, '\r', n) != NULL; /* most files have none and are looked through faster */
    if (starts) starts[0] = 0;
    while (at < end && (at = match_line_end(at, end, returns))) {
        if (starts) starts[lines] = (uint32_t)(at - data);
        lines++;
    }
    return lines;
}

#endif
