/* Exact matching by maximal common runs, for two sequences that share few of them: nearly all do.

   Every stride-th q-gram of a is a seed, with q + stride − 1 ≤ k, so a common run of k symbols holds
   one. b is read once; where one of its q-grams is a seed, the run through both is extended, unless
   the seed before has met it already. A free common run is a part of a maximal one, so that tiles
   come out of a heap of runs: the longest is taken if it is still free, and cut into what is free of
   it if not.

   One a is matched with many b; its seeds are noted once. It may be the left or the right of a pair,
   best the larger: a pair then costs no more than its smaller side. Periodic sequences have
   quadratically many runs: when the work passes a few times the symbols, match.h does it instead. */

#ifndef COPYSIFT_RUNS_H
#define COPYSIFT_RUNS_H

#include "tiling.h"

#define RUN_WORK 32 /* steps for each symbol, after which there are too many runs */

enum { RUN_FAILED = 0, RUN_DONE = 1, RUN_MANY = 2 };

typedef struct {
    const match_side *a;
    uint32_t k, q, stride, n;
    int bits, right; /* right: a is the right side of the pair */
    uint32_t *heads; /* by slot: the seed that was noted last + 1; 0: none */
    uint32_t *next, *tags, *places;
    uint8_t *taken_a, *taken_b; /* of a: zero between two pairs */
    size_t room_a, room_b, seeds_room, slots_room;
    match_tile *runs; /* a heap, the first to be taken on top */
    size_t n_runs, runs_room, work;
} run_table;

static void run_close(run_table *t) {
    free(t->heads);
    free(t->next);
    free(t->tags);
    free(t->places);
    free(t->taken_a);
    free(t->taken_b);
    free(t->runs);
}

static int run_grow(void **place, size_t *room, size_t wanted, size_t size) {
    if (wanted <= *room && *place) return 1;
    free(*place);
    *place = malloc((wanted ? wanted : 1) * size);
    *room = *place ? wanted : 0;
    return *place != NULL;
}

static int run_open(run_table *t, size_t seeds, size_t symbols) {
    if (!t->next || seeds > t->seeds_room) {
        size_t room = 0;
        if (!run_grow((void **)&t->next, &room, seeds, sizeof *t->next)) return 0;
        room = 0;
        if (!run_grow((void **)&t->tags, &room, seeds, sizeof *t->tags)) return 0;
        room = 0;
        if (!run_grow((void **)&t->places, &room, seeds, sizeof *t->places)) return 0;
        t->seeds_room = seeds;
    }
    t->bits = 6;
    while (((size_t)1 << t->bits) < 4 * seeds) t->bits++;
    size_t slots = (size_t)1 << t->bits;
    if (!run_grow((void **)&t->heads, &t->slots_room, slots, sizeof *t->heads)) return 0;
    memset(t->heads, 0, slots * sizeof *t->heads);
    if (!run_grow((void **)&t->taken_a, &t->room_a, symbols, 1)) return 0;
    memset(t->taken_a, 0, symbols);
    return 1;
}

/* Note the seeds of a; those of the sequence before are forgotten. */
static int run_note(run_table *t, const match_side *a, uint32_t k) {
    t->a = a;
    t->k = k;
    t->stride = k / 4 + 1;
    t->q = k - t->stride + 1;
    t->n = 0;
    if (!run_open(t, a->n / t->stride + 1, a->n)) return 0;
    match_grams grams = match_grams_of(a, t->q);
    for (uint32_t start; (start = match_next_gram(&grams)) != MATCH_NONE;) {
        if (start % t->stride) continue;
        uint64_t mixed = match_mix(grams.hash);
        size_t slot = (size_t)(mixed >> (64 - t->bits));
        t->places[t->n] = start;
        t->tags[t->n] = (uint32_t)mixed;
        t->next[t->n] = t->heads[slot];
        t->heads[slot] = ++t->n;
    }
    return 1;
}

/* ---- the heap of runs ---- */

/* The longest comes first, then the first on the left, then on the right. */
static inline int run_before(const run_table *t, const match_tile *x, const match_tile *y) {
    if (x->length != y->length) return x->length > y->length;
    if (t->right) return x->b != y->b ? x->b < y->b : x->a < y->a;
    return x->a != y->a ? x->a < y->a : x->b < y->b;
}

static int run_push(run_table *t, uint32_t a, uint32_t b, uint32_t length) {
    if (t->n_runs == t->runs_room) {
        size_t room = t->runs_room ? t->runs_room * 2 : 64;
        match_tile *runs = realloc(t->runs, room * sizeof *runs);
        if (!runs) return 0;
        t->runs = runs;
        t->runs_room = room;
    }
    match_tile run = {a, b, length};
    size_t at = t->n_runs++;
    for (; at && run_before(t, &run, &t->runs[(at - 1) / 2]); at = (at - 1) / 2) t->runs[at] = t->runs[(at - 1) / 2];
    t->runs[at] = run;
    return 1;
}

static match_tile run_pop(run_table *t) {
    match_tile top = t->runs[0], last = t->runs[--t->n_runs];
    size_t at = 0;
    for (size_t under; (under = 2 * at + 1) < t->n_runs; at = under) {
        if (under + 1 < t->n_runs && run_before(t, &t->runs[under + 1], &t->runs[under])) under++;
        if (!run_before(t, &t->runs[under], &last)) break;
        t->runs[at] = t->runs[under];
    }
    t->runs[at] = last;
    return top;
}

/* ---- finding them ---- */

static inline int run_same(const match_side *a, uint32_t i, const match_side *b, uint32_t j) {
    return a->symbols[i] == b->symbols[j] && !(a->mask && a->mask[i]) && !(b->mask && b->mask[j]);
}

/* Push the run through a[i] and b[j], unless the seed before met it or it is too short. */
static int run_extend(run_table *t, uint32_t i, const match_side *b, uint32_t j) {
    const match_side *a = t->a;
    uint32_t back = 0, ahead = 0;
    while (back < t->stride && i > back && j > back && run_same(a, i - back - 1, b, j - back - 1)) back++;
    t->work += back + 1;
    if (back == t->stride) return 1;
    while (i + ahead < a->n && j + ahead < b->n && run_same(a, i + ahead, b, j + ahead)) ahead++;
    t->work += ahead;
    return back + ahead < t->k || run_push(t, i - back, j - back, back + ahead);
}

static int run_find(run_table *t, const match_side *b, size_t most) {
    match_grams grams = match_grams_of(b, t->q);
    t->n_runs = t->work = 0;
    for (uint32_t start; (start = match_next_gram(&grams)) != MATCH_NONE;) {
        uint64_t mixed = match_mix(grams.hash);
        for (uint32_t seed = t->heads[mixed >> (64 - t->bits)]; seed; seed = t->next[seed - 1]) {
            if (++t->work > most) return RUN_MANY;
            if (t->tags[seed - 1] == (uint32_t)mixed && !run_extend(t, t->places[seed - 1], b, start)) return RUN_FAILED;
        }
    }
    return RUN_DONE;
}

/* ---- tiling ---- */

/* Push what is free of a run, in parts of at least k symbols; 1 in *whole if all of it is. */
static int run_cut(run_table *t, match_tile run, int *whole) {
    const uint8_t *a = t->taken_a + run.a, *b = t->taken_b + run.b;
    uint32_t from = 0;
    *whole = 0;
    t->work += run.length;
    for (uint32_t at = 0; at <= run.length; at++) {
        if (at < run.length && !(a[at] | b[at])) continue;
        if (at - from == run.length) {
            *whole = 1;
            return 1;
        }
        if (at - from >= t->k && !run_push(t, run.a + from, run.b + from, at - from)) return 0;
        from = at + 1;
    }
    return 1;
}

static int run_tile(run_table *t, const match_side *b, size_t most, match_tiles *out) {
    if (!t->n_runs) return RUN_DONE;
    if (!run_grow((void **)&t->taken_b, &t->room_b, b->n, 1)) return RUN_FAILED;
    memset(t->taken_b, 0, b->n);
    while (t->n_runs) {
        match_tile run = run_pop(t);
        int whole;
        if (!run_cut(t, run, &whole)) return RUN_FAILED;
        if (t->work > most) return RUN_MANY;
        if (!whole) continue;
        if (!match_push(out, run)) return RUN_FAILED;
        memset(t->taken_a + run.a, 1, run.length);
        memset(t->taken_b + run.b, 1, run.length);
    }
    return RUN_DONE;
}

/* Note the larger of both sides, unless the one that is noted is one of them and nearly as large; give the other. */
static const match_side *run_noted(run_table *t, const match_side *left, const match_side *right, uint32_t k) {
    const match_side *a = left->n >= right->n ? left : right, *b = a == left ? right : left;
    if (a != t->a && b == t->a && a->n / 2 <= b->n) a = t->a, b = a == left ? right : left;
    if (a != t->a && !run_note(t, a, k)) return NULL;
    t->right = a != left;
    return b;
}

/* Whether the stretches that both share have at most `room` symbols, one more counted for each. */
static int run_fits(const run_table *t, const match_side *b, size_t room) {
    size_t symbols = 0;
    if (2 * ((size_t)t->a->n + b->n) <= room) return 1;
    for (size_t i = 0; i < t->n_runs && symbols <= room; i++) symbols += 2 * ((size_t)t->runs[i].length + 1);
    return symbols <= room;
}

/* Tile the noted a and b, if they share few runs, which fit into `room`; else RUN_MANY, and nothing is put out. */
static int run_both(run_table *t, const match_side *b, size_t room, match_tiles *out) {
    size_t before = out->n, most = RUN_WORK * ((size_t)t->a->n + b->n);
    if (t->a->n < t->k || b->n < t->k) return RUN_DONE;
    int done = run_find(t, b, most);
    if (done == RUN_DONE) done = run_fits(t, b, room) ? run_tile(t, b, most, out) : RUN_MANY;
    for (size_t i = before; i < out->n; i++) {
        match_tile *tile = &out->tiles[i];
        memset(t->taken_a + tile->a, 0, tile->length);
        if (t->right) *tile = (match_tile){tile->b, tile->a, tile->length};
    }
    if (done != RUN_DONE) out->n = before;
    return done;
}

#endif
