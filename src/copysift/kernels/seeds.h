/* Matching by seeds, for sequences too large for a suffix structure, and the lines of a text.

   Every stride-th k-gram of b is noted; a is read from left to right, and where its k-gram is
   noted, the first free places of b are tried: the one with the longest run is taken. Any common
   run of k + stride − 1 symbols holds a noted k-gram, so it is met.

   Symbols stay as wide as they are. They may be mapped from a file: what was read is given back to
   the system again and again, so that memory does not grow with the sequences. */

#ifndef COPYSIFT_SEEDS_H
#define COPYSIFT_SEEDS_H

#include "tiling.h"

#if defined(__unix__) || defined(__APPLE__)
#include <sys/mman.h>
#include <unistd.h>
#endif

#define SEED_TRIES 16
#define SEED_NONE UINT32_MAX
#define SEED_HELD ((uint64_t)1 << 23) /* symbols that are read before mapped memory is given back */

typedef struct {
    const void *symbols;
    const uint8_t *mask; /* NULL, or 1 for each symbol that may not match */
    uint64_t n;
    int width; /* bytes of a symbol: 1, 4 or 8 */
} seed_side;

typedef struct {
    const void *first;
    size_t bytes;
} seed_mapped;

typedef struct {
    uint64_t a, b, length;
} seed_tile;

typedef struct {
    const seed_side *a, *b;
    uint64_t k, stride, seeds;
    uint32_t *tags, *next; /* by seed, the k-gram of b at seed · stride; 0: it is masked */
    uint32_t *heads;       /* by slot: the first seed, SEED_NONE if there is none */
    int bits;
    uint8_t *taken; /* a bit for each symbol of b */
    const seed_mapped *mapped;
    size_t n_mapped;
    uint64_t read;
    seed_tile *tiles;
    size_t n, room;
} seed_job;

/* ---- memory ---- */

static void seed_give_back(seed_job *job) {
    job->read = 0;
#if defined(__unix__) || defined(__APPLE__)
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (size_t i = 0; i < job->n_mapped; i++) {
        uintptr_t first = ((uintptr_t)job->mapped[i].first + page - 1) / page * page;
        uintptr_t end = ((uintptr_t)job->mapped[i].first + job->mapped[i].bytes) / page * page;
        if (end > first) madvise((void *)first, end - first, MADV_DONTNEED); /* it is in its file */
    }
#endif
}

static inline void seed_count(seed_job *job, uint64_t symbols) {
    job->read += symbols;
    if (job->read >= SEED_HELD && job->n_mapped) seed_give_back(job);
}

static int seed_push(seed_job *job, seed_tile tile) {
    if (job->n == job->room) {
        size_t room = job->room ? job->room * 2 : 64;
        seed_tile *tiles = realloc(job->tiles, room * sizeof *tiles);
        if (!tiles) return 0;
        job->tiles = tiles;
        job->room = room;
    }
    job->tiles[job->n++] = tile;
    return 1;
}

/* ---- symbols and k-grams ---- */

static inline uint64_t seed_symbol(const seed_side *side, uint64_t i) {
    switch (side->width) {
    case 1: return ((const uint8_t *)side->symbols)[i];
    case 4: return ((const uint32_t *)side->symbols)[i];
    default: return ((const uint64_t *)side->symbols)[i];
    }
}

typedef struct {
    const seed_side *side;
    uint64_t k, next, run; /* run: symbols without a masked one that end before next */
    uint64_t hash, oldest; /* oldest: FACTOR^k, the weight of the symbol that leaves */
} seed_grams;

static seed_grams seed_grams_of(const seed_side *side, uint64_t k) {
    seed_grams grams = {side, k, 0, 0, 0, 1};
    for (uint64_t i = 0; i < k; i++) grams.oldest *= MATCH_FACTOR;
    return grams;
}

/* Move to the next k-gram without a masked symbol; 0 at the end. It starts k symbols before `next`. */
static inline int seed_next_gram(seed_grams *g) {
    const seed_side *side = g->side;
    while (g->next < side->n) {
        uint64_t i = g->next++;
        if (side->mask && side->mask[i]) {
            g->run = 0;
            g->hash = 0;
            continue;
        }
        g->hash = g->hash * MATCH_FACTOR + seed_symbol(side, i) + 1;
        if (g->run < g->k) g->run++;
        else g->hash -= (seed_symbol(side, i - g->k) + 1) * g->oldest;
        if (g->run == g->k) return 1;
    }
    return 0;
}

static inline uint32_t seed_tag(uint64_t hash) {
    uint32_t tag = (uint32_t)(match_mix(hash) >> 32);
    return tag ? tag : 1;
}

static inline size_t seed_slot(const seed_job *job, uint32_t tag) { return tag >> (32 - job->bits); }

/* Note the seeds of b; `tags` is zero and `heads` is SEED_NONE. Those of a slot come in order. */
static void seed_note(seed_job *job) {
    seed_grams grams = seed_grams_of(job->b, job->k);
    while (seed_next_gram(&grams)) {
        uint64_t start = grams.next - job->k;
        if (start % job->stride == 0) job->tags[start / job->stride] = seed_tag(grams.hash);
        seed_count(job, 1);
    }
    for (uint64_t seed = job->seeds; seed-- > 0;) {
        if (!job->tags[seed]) continue;
        size_t slot = seed_slot(job, job->tags[seed]);
        job->next[seed] = job->heads[slot];
        job->heads[slot] = (uint32_t)seed;
        seed_count(job, 1);
    }
}

/* ---- tiles ---- */

static inline int seed_is_taken(const seed_job *job, uint64_t j) { return job->taken[j >> 3] >> (j & 7) & 1; }

static void seed_take(seed_job *job, uint64_t start, uint64_t length) {
    for (uint64_t j = start; j < start + length; j++) {
        if (!(j & 7) && j + 8 <= start + length) {
            job->taken[j >> 3] = 0xFF;
            j += 7;
        } else job->taken[j >> 3] |= (uint8_t)(1 << (j & 7));
    }
}

static inline int seed_same(const seed_job *job, uint64_t i, uint64_t j) {
    return seed_symbol(job->a, i) == seed_symbol(job->b, j) && !seed_is_taken(job, j) &&
           !(job->a->mask && job->a->mask[i]) && !(job->b->mask && job->b->mask[j]);
}

/* The maximal run through a[i] and b[j], not before `from` in a. */
static seed_tile seed_extend(seed_job *job, uint64_t i, uint64_t from, uint64_t j) {
    uint64_t back = 0, ahead = 0;
    while (i + ahead < job->a->n && j + ahead < job->b->n && seed_same(job, i + ahead, j + ahead)) {
        ahead++;
        seed_count(job, 1);
    }
    while (i - back > from && j > back && seed_same(job, i - back - 1, j - back - 1)) {
        back++;
        seed_count(job, 1);
    }
    seed_tile tile = {i - back, j - back, ahead ? ahead + back : 0};
    return tile;
}

static seed_tile seed_best(seed_job *job, uint32_t tag, uint64_t i, uint64_t from) {
    seed_tile best = {0, 0, 0};
    uint32_t *link = &job->heads[seed_slot(job, tag)];
    for (int tries = 0; tries < SEED_TRIES && *link != SEED_NONE;) {
        uint64_t j = *link * job->stride;
        if (seed_is_taken(job, j)) { /* for good */
            *link = job->next[*link];
            continue;
        }
        if (job->tags[*link] == tag) {
            uint64_t left_a = job->a->n - i, left_b = job->b->n - j;
            if (best.length >= i - from + (left_a < left_b ? left_a : left_b)) break; /* none can be longer */
            seed_tile tile = seed_extend(job, i, from, j);
            if (tile.length > best.length) best = tile;
            tries++;
        }
        link = &job->next[*link];
    }
    return best;
}

static int seed_match(seed_job *job) {
    seed_grams grams = seed_grams_of(job->a, job->k);
    uint64_t from = 0;
    seed_note(job);
    while (seed_next_gram(&grams)) {
        uint64_t start = grams.next - job->k;
        seed_count(job, 1);
        if (start < from) continue;
        uint32_t tag = seed_tag(grams.hash);
        if (job->heads[seed_slot(job, tag)] == SEED_NONE) continue;
        seed_tile best = seed_best(job, tag, start, from);
        if (best.length < job->k) continue;
        seed_take(job, best.b, best.length);
        from = best.a + best.length;
        if (!seed_push(job, best)) return 0;
    }
    return 1;
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
