/* Exact matching of two sequences: all common runs of at least k symbols, tiled longest first.

   1. Keep only the stretches of both that consist of k-grams which the other one has too; a table
      of hashes decides, and a false match only keeps more. Stretches are parted by symbols of
      their own.
   2. Sort the suffixes of what is left, both sides together.
   3. Go through the lengths from the longest down. At length l the suffixes that agree in l
      symbols form one set (union-find along the suffix order); each set keeps two heaps of free
      starts, one a side. Where both have a free start, a tile is placed, leftmost first.

   A tile of length l makes the l − 1 starts before it too short on their side; each comes back
   when l has come down to what is left of it. So the work is bounded by the symbols, not by the
   common runs, which may be quadratic in number (periodic input). */

#ifndef COPYSIFT_MATCH_H
#define COPYSIFT_MATCH_H

#include <stddef.h>

#include "suffixes.h"

#define MATCH_NONE UINT32_MAX

/* ---- numbering: equal symbols get equal numbers, their order does not matter ---- */

typedef struct {
    uint64_t *keys;
    uint32_t *numbers; /* 0 is an empty slot */
    uint32_t count;
    int bits;
} match_names;

static int match_names_open(match_names *names, size_t symbols) {
    names->bits = 4;
    while (((size_t)1 << names->bits) < 2 * symbols) names->bits++;
    names->count = 0;
    names->keys = malloc(((size_t)1 << names->bits) * sizeof *names->keys);
    names->numbers = calloc((size_t)1 << names->bits, sizeof *names->numbers);
    return names->keys && names->numbers;
}

static void match_number(match_names *names, const uint64_t *symbols, size_t n, uint32_t *numbers) {
    size_t mask = ((size_t)1 << names->bits) - 1;
    for (size_t i = 0; i < n; i++) {
        uint64_t mixed = (symbols[i] ^ symbols[i] >> 32) * 0x9E3779B97F4A7C15u;
        size_t slot = (size_t)(mixed >> (64 - names->bits));
        while (names->numbers[slot] && names->keys[slot] != symbols[i]) slot = (slot + 1) & mask;
        if (!names->numbers[slot]) {
            names->keys[slot] = symbols[i];
            names->numbers[slot] = ++names->count;
        }
        numbers[i] = names->numbers[slot] - 1;
    }
}

/* ---- the sieve: which k-grams does the other side have? ---- */

typedef struct {
    const uint32_t *symbols;
    const uint8_t *mask; /* NULL, or 1 for each symbol that may not match */
    uint32_t n;
} match_side;

typedef struct {
    uint32_t *tags; /* 0 is an empty slot */
    int bits;
} match_sieve;

#define MATCH_FACTOR 0xD1342543DE82EF95u

typedef struct {
    const match_side *side;
    uint32_t k, next, run; /* run: symbols without a masked one that end before next */
    uint64_t hash, oldest; /* oldest: FACTOR^k, the weight of the symbol that leaves */
} match_grams;

static match_grams match_grams_of(const match_side *side, uint32_t k) {
    match_grams grams = {side, k, 0, 0, 0, 1};
    for (uint32_t i = 0; i < k; i++) grams.oldest *= MATCH_FACTOR;
    return grams;
}

/* Move to the next k-gram without a masked symbol; its start, or MATCH_NONE at the end. */
static inline uint32_t match_next_gram(match_grams *g) {
    const match_side *side = g->side;
    while (g->next < side->n) {
        uint32_t i = g->next++;
        if (side->mask && side->mask[i]) {
            g->run = 0;
            g->hash = 0;
            continue;
        }
        g->hash = g->hash * MATCH_FACTOR + side->symbols[i] + 1;
        if (g->run < g->k) g->run++;
        else g->hash -= ((uint64_t)side->symbols[i - g->k] + 1) * g->oldest;
        if (g->run == g->k) return i + 1 - g->k;
    }
    return MATCH_NONE;
}

static inline uint64_t match_mix(uint64_t hash) { return (hash ^ hash >> 32) * 0x9E3779B97F4A7C15u; }

/* The slot of the hash's tag, or the empty slot where it belongs. */
static inline size_t match_slot(const match_sieve *sieve, uint64_t hash, uint32_t *tag) {
    uint64_t mixed = match_mix(hash);
    size_t mask = ((size_t)1 << sieve->bits) - 1, slot = (size_t)(mixed >> (64 - sieve->bits));
    *tag = (uint32_t)mixed | 1;
    while (sieve->tags[slot] && sieve->tags[slot] != *tag) slot = (slot + 1) & mask;
    return slot;
}

static int match_sieve_open(match_sieve *sieve, size_t grams) {
    sieve->bits = 4;
    while (((size_t)1 << sieve->bits) < 2 * grams) sieve->bits++;
    sieve->tags = calloc((size_t)1 << sieve->bits, sizeof *sieve->tags);
    return sieve->tags != NULL;
}

#define MATCH_BATCH 32

#if defined(__GNUC__)
#define MATCH_PREFETCH(address) __builtin_prefetch(address)
#else
#define MATCH_PREFETCH(address) ((void)(address))
#endif

/* Take the next k-grams, at most a batch, and ask for their slots: a large table is out of the cache. */
static size_t match_next_batch(match_grams *grams, const match_sieve *sieve, uint32_t *starts, uint64_t *hashes) {
    size_t n = 0;
    while (n < MATCH_BATCH && (starts[n] = match_next_gram(grams)) != MATCH_NONE) {
        hashes[n] = grams->hash;
        MATCH_PREFETCH(&sieve->tags[match_mix(grams->hash) >> (64 - sieve->bits)]);
        n++;
    }
    return n;
}

static void match_note_all(const match_side *side, uint32_t k, match_sieve *sieve) {
    uint32_t starts[MATCH_BATCH], tag;
    uint64_t hashes[MATCH_BATCH];
    match_grams grams = match_grams_of(side, k);
    for (size_t n; (n = match_next_batch(&grams, sieve, starts, hashes)) > 0;)
        for (size_t i = 0; i < n; i++) {
            size_t slot = match_slot(sieve, hashes[i], &tag);
            sieve->tags[slot] = tag;
        }
}

typedef struct {
    uint32_t *starts, *ends; /* half-open stretches of symbols, ascending */
    size_t n, room;
} match_stretches;

static int match_keep(match_stretches *kept, uint32_t start, uint32_t k) {
    if (kept->n && start <= kept->ends[kept->n - 1]) {
        kept->ends[kept->n - 1] = start + k;
        return 1;
    }
    if (kept->n == kept->room) {
        size_t room = kept->room ? kept->room * 2 : 64;
        uint32_t *starts = realloc(kept->starts, room * sizeof *starts);
        if (starts) kept->starts = starts;
        uint32_t *ends = realloc(kept->ends, room * sizeof *ends);
        if (ends) kept->ends = ends;
        if (!starts || !ends) return 0;
        kept->room = room;
    }
    kept->starts[kept->n] = start;
    kept->ends[kept->n++] = start + k;
    return 1;
}

/* Keep the stretches of `side` whose k-grams stand in `has`; note those k-grams in `also` if given. */
static int match_sift(const match_side *side, uint32_t k, const match_sieve *has, match_sieve *also,
                      match_stretches *kept) {
    uint32_t starts[MATCH_BATCH], tag;
    uint64_t hashes[MATCH_BATCH];
    match_grams grams = match_grams_of(side, k);
    for (size_t n; (n = match_next_batch(&grams, has, starts, hashes)) > 0;)
        for (size_t i = 0; i < n; i++) {
            if (!has->tags[match_slot(has, hashes[i], &tag)]) continue;
            if (!match_keep(kept, starts[i], k)) return 0;
            if (also) {
                size_t slot = match_slot(also, hashes[i], &tag);
                also->tags[slot] = tag;
            }
        }
    return 1;
}

static int match_sift_both(const match_side *a, const match_side *b, uint32_t k, match_stretches *kept_a,
                           match_stretches *kept_b) {
    match_sieve of_a = {NULL, 0}, of_b = {NULL, 0};
    int fits = match_sieve_open(&of_b, b->n) && match_sieve_open(&of_a, a->n);
    if (fits) {
        match_note_all(b, k, &of_b);
        fits = match_sift(a, k, &of_b, &of_a, kept_a);
    }
    free(of_b.tags);
    if (fits && kept_a->n) fits = match_sift(b, k, &of_a, NULL, kept_b);
    free(of_a.tags);
    return fits;
}

/* ---- heaps of free starts: pairing heaps in two arrays, the smallest start on top ---- */

typedef struct {
    uint32_t *child, *sibling;
} match_heaps;

static inline uint32_t match_meld(const match_heaps *heaps, uint32_t x, uint32_t y) {
    if (x == MATCH_NONE) return y;
    if (y == MATCH_NONE) return x;
    uint32_t top = x < y ? x : y, under = x < y ? y : x;
    heaps->sibling[under] = heaps->child[top];
    heaps->child[top] = under;
    return top;
}

static uint32_t match_without_top(const match_heaps *heaps, uint32_t top) {
    uint32_t left = heaps->child[top], pairs = MATCH_NONE;
    heaps->child[top] = MATCH_NONE;
    while (left != MATCH_NONE) { /* meld two by two, then from the last pair back to the first */
        uint32_t x = left, y = heaps->sibling[x];
        left = y == MATCH_NONE ? MATCH_NONE : heaps->sibling[y];
        heaps->sibling[x] = MATCH_NONE;
        if (y != MATCH_NONE) heaps->sibling[y] = MATCH_NONE;
        uint32_t pair = match_meld(heaps, x, y);
        heaps->sibling[pair] = pairs;
        pairs = pair;
    }
    uint32_t root = MATCH_NONE;
    while (pairs != MATCH_NONE) {
        uint32_t next = heaps->sibling[pairs];
        heaps->sibling[pairs] = MATCH_NONE;
        root = match_meld(heaps, root, pairs);
        pairs = next;
    }
    return root;
}

/* ---- the queue of sets that have a free start on both sides: a binary heap ---- */

typedef struct {
    uint64_t *keys; /* first start of side a, then the set */
    size_t n, room;
} match_queue;

static int match_enqueue(match_queue *queue, uint32_t start, uint32_t set) {
    if (queue->n == queue->room) {
        size_t room = queue->room ? queue->room * 2 : 64;
        uint64_t *keys = realloc(queue->keys, room * sizeof *keys);
        if (!keys) return 0;
        queue->keys = keys;
        queue->room = room;
    }
    uint64_t key = (uint64_t)start << 32 | set;
    size_t i = queue->n++;
    for (; i > 0 && queue->keys[(i - 1) / 2] > key; i = (i - 1) / 2) queue->keys[i] = queue->keys[(i - 1) / 2];
    queue->keys[i] = key;
    return 1;
}

static uint64_t match_dequeue(match_queue *queue) {
    uint64_t first = queue->keys[0], key = queue->keys[--queue->n];
    size_t i = 0;
    for (size_t c; (c = 2 * i + 1) < queue->n; i = c) {
        if (c + 1 < queue->n && queue->keys[c + 1] < queue->keys[c]) c++;
        if (queue->keys[c] >= key) break;
        queue->keys[i] = queue->keys[c];
    }
    queue->keys[i] = key;
    return first;
}

#endif
