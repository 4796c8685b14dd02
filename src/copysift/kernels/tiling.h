/* Greedy tiling, longest first, over the sorted suffixes: steps 2 and 3 of match.h. */

#ifndef COPYSIFT_TILING_H
#define COPYSIFT_TILING_H

#include "match.h"

enum { TILE_FREE = 1, TILE_TAKEN = 2, TILE_HEAPED = 4 };

typedef struct {
    uint32_t a, b, length;
} match_tile;

typedef struct {
    match_tile *tiles;
    size_t n, room;
} match_tiles;

static int match_push(match_tiles *out, match_tile tile) {
    if (out->n == out->room) {
        size_t room = out->room ? out->room * 2 : 64;
        match_tile *tiles = realloc(out->tiles, room * sizeof *tiles);
        if (!tiles) return 0;
        out->tiles = tiles;
        out->room = room;
    }
    out->tiles[out->n++] = tile;
    return 1;
}

/* What is left of both sides in one text, with a symbol of its own after every stretch. */
typedef struct {
    uint32_t *symbols, *starts, *origins; /* of stretch s: first place in the text, first symbol of its side */
    uint32_t n, n_stretches, first_b, alphabet;
} tile_text;

typedef struct {
    uint32_t n, first_b, k, longest;
    uint32_t *before, *common; /* neighbour in suffix order, and how much both have in common */
    uint32_t *edges, *next_edge;    /* by length: suffixes that join their neighbour's set there */
    uint32_t *back, *next_back;     /* by length: starts that are free again there */
    uint32_t *set, *top_a, *top_b;  /* union-find, and the heaps of each set */
    match_heaps heaps;
    uint8_t *state;
    uint32_t *touched;
    size_t n_touched, touched_room;
    match_queue queue;
    match_tiles *out;
} tiling;

static int tile_text_of(tile_text *text, const match_side *a, const match_stretches *kept_a,
                        const match_side *b, const match_stretches *kept_b, uint32_t alphabet, size_t total) {
    size_t n_stretches = kept_a->n + kept_b->n;
    text->symbols = malloc(total * sizeof *text->symbols);
    text->starts = malloc((n_stretches + 1) * sizeof *text->starts);
    text->origins = malloc(n_stretches * sizeof *text->origins);
    if (!text->symbols || !text->starts || !text->origins) return 0;
    uint32_t at = 0, s = 0;
    for (int is_b = 0; is_b < 2; is_b++) {
        const match_side *side = is_b ? b : a;
        const match_stretches *kept = is_b ? kept_b : kept_a;
        if (is_b) text->first_b = at;
        for (size_t i = 0; i < kept->n; i++, s++) {
            uint32_t length = kept->ends[i] - kept->starts[i];
            text->starts[s] = at;
            text->origins[s] = kept->starts[i];
            memcpy(text->symbols + at, side->symbols + kept->starts[i], length * sizeof *text->symbols);
            at += length;
            text->symbols[at++] = alphabet + s;
        }
    }
    text->starts[s] = at;
    text->n = at;
    text->n_stretches = s;
    text->alphabet = alphabet + s;
    return 1;
}

static uint32_t tile_origin(const tile_text *text, uint32_t at) {
    uint32_t low = 0, high = text->n_stretches;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (text->starts[middle] <= at) low = middle;
        else high = middle;
    }
    return text->origins[low] + (at - text->starts[low]);
}

static uint32_t tile_find(uint32_t *set, uint32_t x) {
    while (set[x] != x) {
        set[x] = set[set[x]];
        x = set[x];
    }
    return x;
}

static int tile_touch(tiling *t, uint32_t set) {
    if (t->top_a[set] == MATCH_NONE || t->top_b[set] == MATCH_NONE) return 1;
    if (t->n_touched == t->touched_room) {
        size_t room = t->touched_room ? t->touched_room * 2 : 64;
        uint32_t *touched = realloc(t->touched, room * sizeof *touched);
        if (!touched) return 0;
        t->touched = touched;
        t->touched_room = room;
    }
    t->touched[t->n_touched++] = set;
    return 1;
}

static int tile_unite(tiling *t, uint32_t p) {
    uint32_t x = tile_find(t->set, p), y = tile_find(t->set, t->before[p]);
    t->set[y] = x;
    t->top_a[x] = match_meld(&t->heaps, t->top_a[x], t->top_a[y]);
    t->top_b[x] = match_meld(&t->heaps, t->top_b[x], t->top_b[y]);
    return tile_touch(t, x);
}

static int tile_bring_back(tiling *t, uint32_t p) {
    if (t->state[p] & TILE_TAKEN) return 1;
    uint32_t set = tile_find(t->set, p);
    uint32_t *top = p < t->first_b ? &t->top_a[set] : &t->top_b[set];
    t->state[p] |= TILE_FREE;
    if (!(t->state[p] & TILE_HEAPED)) {
        t->state[p] |= TILE_HEAPED;
        *top = match_meld(&t->heaps, *top, p);
    }
    return tile_touch(t, set);
}

/* Drop the starts that are no longer free from the top of a heap. */
static uint32_t tile_clean(tiling *t, uint32_t *top) {
    while (*top != MATCH_NONE && !(t->state[*top] & TILE_FREE)) {
        t->state[*top] &= (uint8_t)~TILE_HEAPED;
        *top = match_without_top(&t->heaps, *top);
    }
    return *top;
}

/* Take length symbols from start; starts just before it come back when they are long enough. */
static void tile_take(tiling *t, uint32_t start, uint32_t length) {
    for (uint32_t p = start; p < start + length; p++) {
        t->state[p] |= TILE_TAKEN;
        t->state[p] &= (uint8_t)~TILE_FREE;
    }
    for (uint32_t left = 1; left < length && left <= start; left++) {
        uint32_t p = start - left;
        if (t->state[p] & TILE_TAKEN) break;
        t->state[p] &= (uint8_t)~TILE_FREE;
        if (left >= t->k) {
            t->next_back[p] = t->back[left];
            t->back[left] = p;
        }
    }
}

static int tile_place(tiling *t, uint32_t a, uint32_t b, uint32_t length) {
    match_tile tile = {a, b, length};
    if (!match_push(t->out, tile)) return 0;
    tile_take(t, a, length);
    tile_take(t, b, length);
    return 1;
}

/* Queue a set by its first free start of side a, if both sides have one. */
static int tile_queue(tiling *t, uint32_t set) {
    uint32_t a = tile_clean(t, &t->top_a[set]), b = tile_clean(t, &t->top_b[set]);
    return a == MATCH_NONE || b == MATCH_NONE || match_enqueue(&t->queue, a, set);
}

static int tile_level(tiling *t, uint32_t length) {
    t->n_touched = 0;
    for (uint32_t p = t->edges[length]; p != MATCH_NONE; p = t->next_edge[p])
        if (!tile_unite(t, p)) return 0;
    for (uint32_t p = t->back[length]; p != MATCH_NONE; p = t->next_back[p])
        if (!tile_bring_back(t, p)) return 0;
    for (size_t i = 0; i < t->n_touched; i++)
        if (t->set[t->touched[i]] == t->touched[i] && !tile_queue(t, t->touched[i])) return 0;
    while (t->queue.n) {
        uint64_t key = match_dequeue(&t->queue);
        uint32_t set = (uint32_t)key, first = (uint32_t)(key >> 32);
        uint32_t a = tile_clean(t, &t->top_a[set]), b = tile_clean(t, &t->top_b[set]);
        if (a == MATCH_NONE || b == MATCH_NONE) continue;
        if (a == first && !tile_place(t, a, b, length)) return 0;
        if (!tile_queue(t, set)) return 0;
    }
    return 1;
}

/* The longest common run, and the suffixes by the length at which they join their neighbour. */
static int tile_prepare(tiling *t, const tile_text *text) {
    uint32_t n = t->n;
    for (uint32_t p = 0; p < n; p++) {
        uint32_t q = t->before[p];
        if (q != MATCH_NONE && (p < t->first_b) != (q < t->first_b) && t->common[p] > t->longest)
            t->longest = t->common[p];
    }
    if (t->longest < t->k) return 1;
    t->edges = malloc(((size_t)t->longest + 1) * sizeof *t->edges);
    t->back = malloc(((size_t)t->longest + 1) * sizeof *t->back);
    if (!t->edges || !t->back) return 0;
    memset(t->edges, 0xFF, ((size_t)t->longest + 1) * sizeof *t->edges);
    memset(t->back, 0xFF, ((size_t)t->longest + 1) * sizeof *t->back);
    for (uint32_t p = 0; p < n; p++) {
        uint32_t length = t->common[p] < t->longest ? t->common[p] : t->longest;
        if (length >= t->k) {
            t->next_edge[p] = t->edges[length];
            t->edges[length] = p;
        }
        t->set[p] = p;
        t->top_a[p] = p < t->first_b ? p : MATCH_NONE;
        t->top_b[p] = p < t->first_b ? MATCH_NONE : p;
        t->heaps.child[p] = t->heaps.sibling[p] = MATCH_NONE;
        t->state[p] = TILE_FREE | TILE_HEAPED;
    }
    for (uint32_t s = 1; s <= text->n_stretches; s++) t->state[text->starts[s] - 1] = TILE_TAKEN | TILE_HEAPED;
    return 1;
}

static int tile_run(tile_text *text, uint32_t k, match_tiles *out) {
    uint32_t n = text->n;
    tiling t = {0};
    t.n = n;
    t.first_b = text->first_b;
    t.k = k;
    t.out = out;
    uint32_t *columns = malloc((size_t)n * 9 * sizeof *columns);
    t.state = malloc(n);
    int fits = columns && t.state;
    if (fits) {
        t.before = columns;
        t.common = columns + (size_t)n;
        t.next_edge = columns + (size_t)n * 2; /* first the suffix array, one place longer */
        t.next_back = columns + (size_t)n * 3;
        t.set = columns + (size_t)n * 4;
        t.top_a = columns + (size_t)n * 5;
        t.top_b = columns + (size_t)n * 6;
        t.heaps.child = columns + (size_t)n * 7;
        t.heaps.sibling = columns + (size_t)n * 8;
        fits = suffix_sort(text->symbols, n, text->alphabet, t.next_edge);
        if (fits) suffix_neighbours(text->symbols, n, t.next_edge, t.before, t.common);
    }
    fits = fits && tile_prepare(&t, text);
    for (uint32_t length = t.longest; fits && length >= k; length--) fits = tile_level(&t, length);
    free(columns);
    free(t.state);
    free(t.edges);
    free(t.back);
    free(t.touched);
    free(t.queue.keys);
    return fits;
}

/* Tile a and b; 1 done, 0 out of memory, −1 if more than `room` symbols are left by the sieve. */
static int match_tile_both(const match_side *a, const match_side *b, uint32_t alphabet, uint32_t k,
                           size_t room, match_tiles *out) {
    match_stretches kept_a = {NULL, NULL, 0, 0}, kept_b = {NULL, NULL, 0, 0};
    tile_text text = {0};
    int done = match_sift_both(a, b, k, &kept_a, &kept_b);
    if (done && kept_a.n && kept_b.n) {
        size_t total = kept_a.n + kept_b.n; /* the symbols after the stretches */
        for (size_t i = 0; i < kept_a.n; i++) total += kept_a.ends[i] - kept_a.starts[i];
        for (size_t i = 0; i < kept_b.n; i++) total += kept_b.ends[i] - kept_b.starts[i];
        if (total > room) done = -1;
        else done = tile_text_of(&text, a, &kept_a, b, &kept_b, alphabet, total) && tile_run(&text, k, out);
        for (size_t i = 0; done == 1 && i < out->n; i++) {
            out->tiles[i].a = tile_origin(&text, out->tiles[i].a);
            out->tiles[i].b = tile_origin(&text, out->tiles[i].b);
        }
    }
    free(text.symbols);
    free(text.starts);
    free(text.origins);
    free(kept_a.starts);
    free(kept_a.ends);
    free(kept_b.starts);
    free(kept_b.ends);
    return done;
}

#endif
