/* Selection of one k-gram a window: the chain of choices of winnowing (definition 1) and robust winnowing (definition 3).
 *
 * A choice p is followed by the first later k-gram that beats it while p is in the window; if there is none, by the
 * rightmost smallest of the window that p has just left. Candidates (orders below a limit, see kgrams.h) make that
 * cheap; a window without one is scanned. Robust: "beats" is <, so an equal k-gram does not; winnow: it is <=.
 */
#ifndef COPYSIFT_WINDOW_H
#define COPYSIFT_WINDOW_H
#include "steps.h"

static uint64_t cs_new_hash(cs_chunk *c, size_t at) {
    cs_space *x = c->x;
    if (++x->ties > 32) { /* low-entropy text: hash the whole chunk once */
        cs_hashes(&c->s, c->first, c->count, c->q->k, &c->q->p, x->hashes);
        x->filled = 1;
    }
    return x->filled ? x->hashes[at] : cs_hash_plain(&c->s, c->first + at, c->q->k, x, &c->q->p);
}

CS_INLINE uint64_t cs_tie_hash(cs_chunk *c, size_t at) { return c->x->filled ? c->x->hashes[at] : cs_new_hash(c, at); }

/* -1, 0, 1: the k-gram at a against the one at b, by order, then by hash. 0 only for equal hashes. */
CS_INLINE int cs_compare(cs_chunk *c, size_t a, size_t b) {
    uint32_t oa = c->x->orders[a], ob = c->x->orders[b];
    if (oa != ob) return oa < ob ? -1 : 1;
    uint64_t ha = cs_tie_hash(c, a), hb = cs_tie_hash(c, b);
    return ha < hb ? -1 : ha > hb;
}

/* The rightmost smallest of from..to, both included. */
static size_t cs_rightmost(cs_chunk *c, size_t from, size_t to) {
    size_t best = from;
    for (size_t i = from + 1; i <= to; i++)
        if (c->x->orders[i] <= c->x->orders[best] && cs_compare(c, i, best) <= 0) best = i;
    return best;
}

/* Do the symbols of the k-grams p .. p+w repeat every d symbols? */
static int cs_repeats(const cs_chunk *c, size_t p, size_t d) {
    size_t width = (size_t)c->s.width, last = p + c->q->w < c->count - 1 ? p + c->q->w : c->count - 1;
    const uint8_t *t = (const uint8_t *)c->s.data + (c->first + p) * width;
    return !memcmp(t, t + d * width, (last - p + c->q->k - d) * width);
}

/* The choice after p by looking at every k-gram; CS_NONE when the chunk ends first. `i`: none before it beats p.
 * In a text that repeats itself (aaaa, a ruler, an empty table) the first equal k-gram settles the whole window:
 * all behind it are the same again, so that none beats p, and the last of its copies is the rightmost smallest. */
static uint32_t cs_scan_plain(cs_chunk *c, size_t p, size_t i) {
    size_t w = c->q->w, last = c->count - 1, end = p + w - 1 < last ? p + w - 1 : last;
    const uint32_t *o = c->x->orders;
    while (i <= end && o[i] > o[p]) i++;
    if (i <= end && o[i] == o[p] && cs_repeats(c, p, i - p)) {
        if (!c->q->robust) return (uint32_t)i;
        return p + w <= last ? (uint32_t)(p + w / (i - p) * (i - p)) : CS_NONE;
    }
    for (; i <= end; i++)
        if (o[i] <= o[p] && cs_compare(c, i, p) <= (c->q->robust ? -1 : 0)) return (uint32_t)i;
    return p + w <= last ? (uint32_t)cs_rightmost(c, p + 1, p + w) : CS_NONE;
}

#if CS_X86
/* The same by eight: nothing is known only of equal orders, which are left to the plain scan. */
CS_AVX2 static uint32_t cs_scan_avx2(cs_chunk *c, size_t p) {
    size_t w = c->q->w, last = c->count - 1, end = p + w < last ? p + w : last;
    const uint32_t *o = c->x->orders;
    const __m256i mine = _mm256_set1_epi32((int)o[p]), lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    __m256i low = _mm256_set1_epi32(-1);
    for (size_t i = p + 1; i <= end; i += 8) {
        __m256i v = _mm256_loadu_si256((const __m256i *)(o + i));
        if (end - i < 7) v = _mm256_or_si256(v, _mm256_cmpgt_epi32(lanes, _mm256_set1_epi32((int)(end - i))));
        low = _mm256_min_epu32(low, v);
        __m256i beats = _mm256_cmpeq_epi32(_mm256_min_epu32(v, mine), v);
        uint32_t won = (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(beats));
        if (won) { /* at p + w it is the least of the window, too */
            size_t at = i + _tzcnt_u32(won);
            return at <= end && o[at] < o[p] ? (uint32_t)at : cs_scan_plain(c, p, at);
        }
    }
    if (p + w > last) return CS_NONE;
    low = _mm256_min_epu32(low, _mm256_permute2x128_si256(low, low, 1));
    low = _mm256_min_epu32(low, _mm256_shuffle_epi32(low, 0x4E));
    low = _mm256_min_epu32(low, _mm256_shuffle_epi32(low, 0xB1));
    size_t found = 0, at = 0;
    for (size_t i = p + 1; i <= end; i += 8) {
        __m256i same = _mm256_cmpeq_epi32(_mm256_loadu_si256((const __m256i *)(o + i)), low);
        uint32_t least = (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(same));
        if (end - i < 7) least &= (2u << (end - i)) - 1;
        found += (size_t)_mm_popcnt_u32(least);
        at = least ? i + 31 - _lzcnt_u32(least) : at;
    }
    return found == 1 ? (uint32_t)at : cs_scan_plain(c, p, end + 1);
}
#endif

CS_INLINE uint32_t cs_scan(cs_chunk *c, size_t p) {
#if CS_X86
    if (c->avx2) return cs_scan_avx2(c, p);
#endif
    return cs_scan_plain(c, p, p + 1);
}

/* The choice after candidate number j, as a candidate number; CS_NONE when the chunk ends first,
 * and found when the window has no candidate. place[found] is a sentinel. */
CS_INLINE size_t cs_follow(cs_chunk *c, size_t j) {
    const uint32_t *place = c->x->place, *rank = c->x->rank;
    size_t w = c->q->w, p = place[j], last = c->count - 1;
    size_t end = p + w <= last ? p + w : last;
    uint32_t mine = rank[j], low = UINT32_MAX; /* above every rank, those of neither open nor closed k-grams too */
    size_t best = c->found;
    for (size_t i = j + 1; place[i] <= end; i++) {
        uint32_t r = rank[i];
        if (r < mine && place[i] < p + w) return i;
        if (r == mine && place[i] < p + w && cs_compare(c, place[i], p) <= (c->q->robust ? -1 : 0)) return i;
        if (r < low || (r == low && (best == c->found || cs_compare(c, place[i], place[best]) <= 0))) {
            low = r;
            best = i;
        }
    }
    return p + w <= last ? best : CS_NONE;
}

/* Choose in one chunk. resumed: k-gram 0 is the last choice already made. whole: no chunk follows, so a
 * document shorter than a window still gets one choice. Gives the number of new choices in out[]. */
static size_t cs_choose(cs_chunk *c, int resumed, int whole, uint32_t *out) {
    size_t n = 0, w = c->q->w, j = 0, p = 0;
    const uint32_t *place = c->x->place;
    const uint8_t *step = c->x->step;
    if (!c->count) return 0;
    if (!resumed) {
        if (c->count < w && !whole) return 0;
        p = cs_rightmost(c, 0, (w < c->count ? w : c->count) - 1);
        out[n++] = (uint32_t)p;
    }
    while (1) {
        while (place[j] < p) j++;
        if (place[j] == p) { /* a candidate: follow the chain of candidates while it lasts */
            size_t before = CS_NONE; /* from where a step has led here */
            while (1) {
                size_t next = step[j];
                if (next < CS_STEP_SCAN) {
                    before = j;
                    j += next;
                    out[n++] = place[j];
                    continue;
                }
                if (next == CS_STEP_END) return n;
                if (next == CS_STEP_SCAN) break;
                if (before != CS_NONE) { /* of equal keys the step took the first: look closely */
                    j = cs_follow(c, before);
                    out[n - 1] = place[j];
                    before = CS_NONE;
                    if (step[j] != CS_STEP_FOLLOW) continue;
                }
                if ((next = cs_follow(c, j)) == CS_NONE) return n;
                if (next == c->found) break;
                j = next;
                out[n++] = place[j];
            }
            p = place[j];
        }
        uint32_t next = cs_scan(c, p);
        if (next == CS_NONE) return n;
        p = next;
        out[n++] = next;
    }
}

typedef void (*cs_orders_fn)(const cs_symbols *, size_t, size_t, cs_space *, const cs_rule *);
typedef size_t (*cs_candidates_fn)(cs_space *, size_t, uint32_t);
typedef void (*cs_steps_fn)(cs_chunk *);
typedef void (*cs_hash_places_fn)(const cs_space *, const cs_rule *, const uint32_t *, size_t, uint64_t *);

typedef struct {
    int avx2;
    cs_orders_fn orders;
    cs_candidates_fn candidates;
    cs_steps_fn steps;
    cs_hash_places_fn hash_places; /* of bytes; NULL: one by one */
} cs_edition;

static int cs_has_avx2(void) {
#if CS_X86
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
#else
    return 0;
#endif
}

static int cs_has_vector(void) {
#if CS_VECTORS && CS_X86
    return __builtin_cpu_supports("sse4.1");
#else
    return CS_VECTORS;
#endif
}

enum { CS_PORTABLE, CS_VECTOR_EDITION, CS_AVX2_EDITION };

static cs_edition cs_make_edition(int level) {
    cs_edition e = {0, cs_orders_plain, cs_candidates_plain, cs_steps_plain, NULL};
#if CS_VECTORS
    if (level == CS_VECTOR_EDITION) { e.orders = cs_orders_vector; e.steps = cs_steps_vector; }
#endif
#if CS_X86
    cs_squeeze_init();
    cs_squeeze4_init();
    if (level == CS_VECTOR_EDITION) { e.candidates = cs_candidates_vector; e.hash_places = cs_hash_places_vector; }
    if (level == CS_AVX2_EDITION) {
        e.avx2 = 1;
        e.orders = cs_orders_avx2; e.candidates = cs_candidates_avx2; e.steps = cs_steps_avx2;
        e.hash_places = cs_hash_places_avx2;
    }
#endif
    return e;
}

static cs_rule cs_make_rule(size_t k, size_t w, size_t r, int robust, uint64_t seed) {
    cs_rule q = {k, w, r, robust, cs_make_params(seed), 0};
    double wanted = 4.5 / (double)w, better = r ? 3.0 / (double)(k - r + 1) : 0.0;
    if (w < 8) return q;                                       /* scanning is as fast, and needs no candidates */
    if (!r) q.limit = (uint32_t)(wanted * 4294967296.0);
    else if (better >= 0.6 * wanted) q.limit = 2u << 30;       /* open and closed ones are enough */
    else q.limit = (2u << 30) + (uint32_t)((wanted - better) / (1.0 - better) * 1073741824.0);
    return q;
}

enum { CS_DENSE = 8 }; /* candidates a window, of which 4.5 are expected */

/* Load the chunk of k-grams first .. first+count-1 and compute its orders and candidates. */
static void cs_load(cs_chunk *c, const cs_edition *e) {
    cs_space *x = c->x;
    x->filled = x->ties = 0;
    if (c->s.width == 1) {
        size_t n = c->count + c->q->k - 1;
        memcpy(x->bytes, (const uint8_t *)c->s.data + c->first, n);
        memset(x->bytes + n, 0, CS_PAD);
    }
    e->orders(&c->s, c->first, c->count, x, c->q);
    c->found = c->q->limit ? e->candidates(x, c->count, c->q->limit) : 0;
    if (c->found * c->q->w > CS_DENSE * c->count) c->found = 0; /* a text that repeats itself is faster to scan */
    for (size_t i = 0; i < CS_AHEAD + 8; i++) x->place[c->found + i] = CS_NONE; /* sentinels, as far as cs_steps looks ahead */
    memset(x->rank + c->found, 0, (CS_AHEAD + 8) * sizeof *x->rank);
    e->steps(c);
}

/* Select over a block of `grams` k-grams in a space made for the rule. Gives the number of choices. *places and *hashes
 * hold at most grams entries. resumed and whole as in cs_choose, for the block. w is at most CS_LONG_CHUNK / 2. */
static size_t cs_winnow_in(cs_space *x, cs_symbols s, size_t grams, const cs_rule *q, const cs_edition *e, int resumed,
                           int whole, uint32_t *places, uint64_t *hashes) {
    size_t n = 0, first = 0;
    while (first < grams) {
        cs_chunk c = {s, first, grams - first < x->chunk ? grams - first : x->chunk, x, q, 0, e->avx2};
        int last = first + c.count == grams;
        cs_load(&c, e);
        size_t got = cs_choose(&c, resumed, whole && last && !resumed, places + n);
        if (e->hash_places && s.width == 1) e->hash_places(x, q, places + n, got, hashes + n);
        else
        for (size_t i = 0; i < got; i++)
            hashes[n + i] = x->filled ? x->hashes[places[n + i]]
                                      : cs_hash_plain(&s, first + places[n + i], q->k, x, &q->p);
        for (size_t i = 0; i < got; i++) places[n + i] += (uint32_t)first;
        n += got;
        if (last) break;
        if (n) first = places[n - 1]; /* a full chunk holds a whole window, so it has yielded a choice */
        resumed = 1;
    }
    return n;
}

/* What one call of winnowing needs, kept for the next one by the same rule. */
typedef struct {
    cs_space space;
    size_t k, w;
    uint64_t base;
    int width, open_closed;
    uint32_t *places; /* choices of a block of up to CS_KEPT k-grams */
    uint64_t *hashes;
} cs_kept;

#define CS_KEPT ((size_t)1 << 17)

static void cs_free_kept(cs_kept *x) {
    if (!x) return;
    cs_free_space(&x->space);
    free(x->places); free(x->hashes); free(x);
}

/* Give what was kept if it serves the rule, or something new in its place; NULL: out of memory, or the window is too
 * large, which the caller prevents. */
static cs_kept *cs_keep(cs_kept *old, const cs_rule *q, int width) {
    if (old && old->k == q->k && old->w == q->w && old->base == q->p.base && old->width == width &&
        old->open_closed == (q->r > 0))
        return old;
    cs_free_kept(old);
    cs_kept *x = (cs_kept *)calloc(1, sizeof *x);
    if (!x || q->w > CS_LONG_CHUNK / 2 || cs_make_space(&x->space, q->k, q->w, &q->p, width, q->r > 0)) {
        free(x);
        return NULL;
    }
    x->k = q->k; x->w = q->w; x->base = q->p.base; x->width = width; x->open_closed = q->r > 0;
    x->places = (uint32_t *)malloc(CS_KEPT * 4);
    x->hashes = (uint64_t *)malloc(CS_KEPT * 8);
    if (x->places && x->hashes) return x;
    cs_free_kept(x);
    return NULL;
}

/* The orders of all k-grams, for tests and for whoever wants to look smallest first. */
static int64_t cs_all_orders(cs_symbols s, size_t grams, const cs_rule *q, const cs_edition *e, uint32_t *out) {
    cs_space x;
    if (cs_make_space(&x, q->k, q->w, &q->p, s.width, q->r > 0)) return -1;
    for (size_t first = 0; first < grams; first += x.chunk) {
        cs_chunk c = {s, first, grams - first < x.chunk ? grams - first : x.chunk, &x, q, 0, e->avx2};
        cs_load(&c, e);
        memcpy(out + first, x.orders, c.count * 4);
    }
    cs_free_space(&x);
    return 0;
}

/* 0 mod m. *next: where to start; on return where to go on (>= grams: done; less: the room was used up). */
static int64_t cs_sample(cs_symbols s, size_t grams, size_t k, const cs_params *p, uint64_t modulus, size_t skip,
                         uint32_t *places, uint64_t *hashes, size_t room, size_t *next) {
    uint64_t h[1024];
    size_t n = 0, i = *next;
    while (i < grams) {
        size_t first = i, count = grams - first < 1024 ? grams - first : 1024;
        cs_hashes(&s, first, count, k, p, h);
        while (i < first + count) {
            uint64_t v = h[i - first];
            if (modulus & (modulus - 1) ? v % modulus : v & (modulus - 1)) { i++; continue; }
            if (n == room) { *next = i; return (int64_t)n; }
            places[n] = (uint32_t)i;
            hashes[n++] = v;
            i += skip;
        }
    }
    *next = i;
    return (int64_t)n;
}

/* Winnowing over given values, as in Figure 5 but by the chain of choices. */
static void cs_minima(const uint64_t *h, size_t n, size_t w, int robust, uint32_t *out, size_t *found) {
    size_t m = 0, p = 0, first = w < n ? w : n;
    for (size_t i = 1; i < first; i++) if (h[i] <= h[p]) p = i;
    out[m++] = (uint32_t)p;
    for (size_t i = p + 1; i < n;) {
        size_t end = p + w < n ? p + w : n;
        while (i < end && !(robust ? h[i] < h[p] : h[i] <= h[p])) i++;
        if (i == end) {
            if (p + w >= n) break;
            size_t best = p + 1;
            for (size_t j = p + 2; j <= p + w; j++) if (h[j] <= h[best]) best = j;
            i = best;
        }
        p = i++;
        out[m++] = (uint32_t)p;
    }
    *found = m;
}
#endif
