/* k-gram hashes, orders and selection by windows: winnowing, robust winnowing, open-closed.
 *
 * Two functions of a k-gram, both of symbol values alone (never of their width):
 *   hash   64 bits: the rolling H' of winnowing 2.2 modulo 2^64, then mixed so that every symbol affects every bit;
 *   order  32 bits: by doubling, H2m[i] = mix(Hm[i], Hm[i+m]), the last step overlapping, since that is
 *          what a vector unit does well. It only selects, and its ties are decided by the hash.
 * Twin: reference/selection.py. Everything works on chunks that fit the cache, padded so that loads past the end are legal.
 */
#ifndef COPYSIFT_KGRAMS_H
#define COPYSIFT_KGRAMS_H
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)
#define CS_X86 1
#include <immintrin.h>
#define CS_AVX2 __attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt")))
#else
#define CS_X86 0
#endif
#if defined(__GNUC__)
#define CS_INLINE static inline __attribute__((always_inline))
#else
#define CS_INLINE static inline
#endif

#define CS_CHUNK 4096      /* k-grams a chunk: their orders take 16 KiB, which the first-level cache holds */
#define CS_LONG_CHUNK 16384 /* with large windows, of which a chunk must hold two */
#define CS_PAD 64
#define CS_LETTERS 0x600    /* Latin, Greek and Cyrillic letters and their accents */
#define CS_NONE 0x7FFFFFFFu

typedef struct {
    uint64_t base, mask;
    uint32_t m1, m2;
} cs_params;

CS_INLINE uint64_t cs_fmix64(uint64_t h) {
    h ^= h >> 33; h *= 0xff51afd7ed558ccdULL;
    h ^= h >> 33; h *= 0xc4ceb9fe1a85ec53ULL;
    return h ^ (h >> 33);
}

static cs_params cs_make_params(uint64_t seed) {
    cs_params p;
    p.base = cs_fmix64(seed + 0x9e3779b97f4a7c15ULL) | 5;  /* odd, and not 1 modulo 8: its powers run long */
    p.base = (p.base & ~2ULL);
    p.mask = cs_fmix64(seed + 0x3c6ef372fe94f82aULL);
    p.m1 = (uint32_t)(cs_fmix64(seed + 0xdaa66d2c7ddf743fULL) >> 32) | 1;
    p.m2 = (uint32_t)(cs_fmix64(seed + 0x78dde6e5fd29f054ULL) >> 32) | 1;
    return p;
}

CS_INLINE uint64_t cs_finish(uint64_t rolled, const cs_params *p) { return cs_fmix64(rolled ^ p->mask); }

/* Symbols above a byte are spread over 32 bits before they enter an order. */
CS_INLINE uint32_t cs_fold(uint64_t c) { return c < 256 ? (uint32_t)c : (uint32_t)cs_fmix64(c); }

CS_INLINE uint32_t cs_mix(uint32_t a, uint32_t b, uint32_t m1) {
    uint32_t t = a * m1 + b;
    return t ^ (t >> 15);
}

/* ---- symbols of three widths ------------------------------------------------------------------ */

typedef struct {
    const void *data;
    int width; /* 1, 4 or 8 bytes a symbol */
} cs_symbols;

CS_INLINE uint64_t cs_at(const cs_symbols *s, size_t i) {
    if (s->width == 1) return ((const uint8_t *)s->data)[i];
    if (s->width == 4) return ((const uint32_t *)s->data)[i];
    return ((const uint64_t *)s->data)[i];
}

static uint64_t cs_power(uint64_t base, size_t k) {
    uint64_t r = 1;
    while (k--) r *= base;
    return r;
}

/* All rolling hashes of k-grams first .. first+count-1. */
static void cs_hashes(const cs_symbols *s, size_t first, size_t count, size_t k, const cs_params *p, uint64_t *out) {
    if (!count) return;
    uint64_t rolled = 0, top = cs_power(p->base, k);
    for (size_t j = 0; j < k; j++) rolled = (rolled + cs_at(s, first + j)) * p->base;
    out[0] = cs_finish(rolled, p);
    if (s->width == 1) {
        const uint8_t *c = (const uint8_t *)s->data + first;
        for (size_t i = 1; i < count; i++) {
            rolled = (rolled - c[i - 1] * top + c[i + k - 1]) * p->base;
            out[i] = cs_finish(rolled, p);
        }
    } else {
        for (size_t i = 1; i < count; i++) {
            rolled = (rolled - cs_at(s, first + i - 1) * top + cs_at(s, first + i + k - 1)) * p->base;
            out[i] = cs_finish(rolled, p);
        }
    }
}

/* ---- the work space of one call ----------------------------------------------------------------- */

typedef struct {
    uint8_t *bytes;         /* the chunk's symbols, padded, when they are bytes */
    uint32_t *folded;       /* the chunk's symbols, folded, otherwise */
    uint32_t *fold;         /* of symbols below CS_LETTERS */
    uint32_t *orders;       /* chunk + k + pad */
    uint32_t *inner, *low;  /* open-closed: hashes of the inner r-grams and their minima */
    uint32_t *place, *rank; /* candidates: place in the chunk and order */
    uint32_t *key;          /* the upper bits of the order, and three bits of zero */
    uint8_t *step;          /* how many candidates further the next choice is, or a CS_STEP_ code */
    uint64_t *hashes;       /* hashes of the whole chunk, filled only when ties are common */
    uint64_t *power;        /* base^(k-j) */
    int16_t *digits;        /* the same as four signed digits each, see cs_digits */
    size_t chunk;           /* k-grams a chunk at most */
    int filled;             /* hashes[] is valid for this chunk */
    int ties;
} cs_space;

static void cs_free_space(cs_space *x) {
    free(x->bytes); free(x->folded); free(x->fold); free(x->orders); free(x->inner); free(x->low); free(x->place);
    free(x->rank); free(x->key); free(x->step); free(x->hashes); free(x->power); free(x->digits);
    memset(x, 0, sizeof *x);
}

/* Write base^(k-j) as four digits from -2^15 to 2^15 - 1, so that 16-bit products make the hash: for every four
 * symbols the digits 0 to 3 of the first two in turn, then those of the last two. */
static void cs_digits(const uint64_t *power, size_t k, int16_t *out) {
    for (size_t j = 0; j < k; j++) {
        uint64_t left = power[j];
        for (size_t digit = 0; digit < 4; digit++) {
            int16_t low = (int16_t)(uint16_t)left;
            out[(j / 2) * 8 + digit * 2 + j % 2] = low;
            left = (left - (uint64_t)(int64_t)low) >> 16;
        }
    }
}

static int cs_make_space(cs_space *x, size_t k, size_t w, const cs_params *p, int width, int open_closed) {
    size_t chunk = w <= CS_CHUNK / 4 ? CS_CHUNK : CS_LONG_CHUNK, n = chunk + k + CS_PAD;
    memset(x, 0, sizeof *x);
    x->chunk = chunk;
    if (width == 1) x->bytes = (uint8_t *)calloc(n + CS_PAD, 1);
    else x->folded = (uint32_t *)calloc(n + CS_PAD, 4);
    if (width == 4) x->fold = (uint32_t *)calloc(CS_LETTERS, 4);
    x->orders = (uint32_t *)calloc(n, 4);
    x->place = (uint32_t *)malloc((chunk + CS_PAD) * 4);
    x->rank = (uint32_t *)malloc((chunk + CS_PAD) * 4);
    x->key = (uint32_t *)malloc((chunk + CS_PAD) * 4);
    x->step = (uint8_t *)malloc(chunk + CS_PAD);
    x->hashes = (uint64_t *)malloc(chunk * 8);
    x->power = (uint64_t *)calloc(k, 8);
    x->digits = (int16_t *)calloc(4 * (k + 16), 2);
    if (open_closed) {
        x->inner = (uint32_t *)calloc(n, 4);
        x->low = (uint32_t *)calloc(n, 4);
    }
    if ((!x->bytes && !x->folded) || (width == 4 && !x->fold) || !x->orders || !x->place || !x->rank || !x->key || !x->step || !x->hashes ||
        !x->power || !x->digits || (open_closed && (!x->inner || !x->low))) {
        cs_free_space(x);
        return -1;
    }
    for (uint32_t c = 0; x->fold && c < CS_LETTERS; c++) x->fold[c] = cs_fold(c);
    uint64_t b = p->base;
    for (size_t j = k; j-- > 0; b *= p->base) x->power[j] = b;
    cs_digits(x->power, k, x->digits);
    return 0;
}

/* ---- one hash at one place --------------------------------------------------------------------------- */

CS_INLINE uint64_t cs_hash_plain(const cs_symbols *s, size_t i, size_t k, const cs_space *x, const cs_params *p) {
    uint64_t sum = 0;
    if (s->width == 1) {
        const uint8_t *c = (const uint8_t *)s->data + i;
        for (size_t j = 0; j < k; j++) sum += c[j] * x->power[j];
    } else if (s->width == 4) {
        const uint32_t *c = (const uint32_t *)s->data + i;
        for (size_t j = 0; j < k; j++) sum += c[j] * x->power[j];
    } else {
        for (size_t j = 0; j < k; j++) sum += cs_at(s, i + j) * x->power[j];
    }
    return cs_finish(sum, p);
}

/* ---- orders of a chunk --------------------------------------------------------------------------------- */

CS_INLINE void cs_double(uint32_t *h, size_t n, size_t step, uint32_t m1) {
    for (size_t i = 0; i < n; i++) h[i] = cs_mix(h[i], h[i + step], m1);
}

/* From 8-gram orders in h[0 .. count+k-8] to k-gram orders in h[0 .. count-1]. */
CS_INLINE void cs_grow(uint32_t *h, size_t count, size_t k, const cs_params *p) {
    size_t m = 8;
    for (; 2 * m <= k; m *= 2) cs_double(h, count + k - 2 * m, m, p->m1);
    if (m < k) cs_double(h, count, k - m, p->m1);
    for (size_t i = 0; i < count; i++) h[i] *= p->m2;
}

CS_INLINE uint32_t cs_four(const uint32_t *s) { return s[0] + (s[1] << 8) + (s[2] << 16) + (s[3] << 24); }

CS_INLINE void cs_eight(const uint32_t *s, uint32_t *h, size_t n, const cs_params *p) {
    for (size_t i = 0; i < n; i++) h[i] = cs_mix(cs_four(s + i), cs_four(s + i + 4), p->m1);
}

/* Hash the inner r-grams; their symbols are at most four, each shifted by a byte more. */
CS_INLINE uint32_t cs_inner_mix(uint32_t y, const cs_params *p) {
    y *= p->m1; y ^= y >> 15; y *= p->m2;
    return y ^ y >> 16;
}

CS_INLINE void cs_inner_wide(const uint32_t *s, uint32_t *g, size_t n, size_t r, const cs_params *p) {
    for (size_t i = 0; i < n; i++) {
        uint32_t y = s[i];
        if (r > 1) y += s[i + 1] << 8;
        if (r > 2) y += s[i + 2] << 16;
        if (r > 3) y += s[i + 3] << 24;
        g[i] = cs_inner_mix(y, p);
    }
}

CS_INLINE uint32_t cs_four_bytes(const uint8_t *c) { return c[0] | c[1] << 8 | c[2] << 16 | (uint32_t)c[3] << 24; }

CS_INLINE uint32_t cs_inner_mask(size_t r) { return r < 4 ? (1u << 8 * r) - 1 : UINT32_MAX; }

CS_INLINE uint32_t cs_least(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* Lower the orders of open k-grams below closed ones below the rest; see the design and reference/selection.py. */
CS_INLINE void cs_open_closed(cs_space *x, size_t count, size_t k, size_t r) {
    uint32_t *g = x->inner, *low = x->low, *o = x->orders;
    size_t last = k - r, middle = last / 2, n = count + last;
    if (last < 5) { /* too few inner grams for minima by doubling */
        for (size_t i = 0; i < count; i++) {
            size_t at = 0;
            for (size_t j = 1; j <= last; j++) if (g[i + j] < g[i + at]) at = j;
            uint32_t rest = at == middle ? 0 : at == 0 || at == last ? 1 : 2;
            o[i] = rest << 30 | o[i] >> 2;
        }
        return;
    }
    size_t span = 1, after = last - middle - 1; /* grams strictly between the middle and the last */
    const uint32_t *from = g;
    for (; 4 * span <= after; span *= 4, from = low) /* the middle is not before half: at least as many are before it */
        for (size_t i = 0; i < n - 4 * span + 1; i++)
            low[i] = cs_least(cs_least(from[i], from[i + span]), cs_least(from[i + 2 * span], from[i + 3 * span]));
    for (; 2 * span <= after; span *= 2, from = low)
        for (size_t i = 0; i < n - 2 * span + 1; i++) low[i] = cs_least(from[i], from[i + span]);
    low = (uint32_t *)from;
    const uint32_t *low2 = low + middle - span, *low3 = low + middle + 1, *low4 = low + last - span;
    const uint32_t *gm = g + middle, *gl = g + last;
    for (size_t i = 0; i < count; i++) {
        uint32_t before = cs_least(low[i], low2[i]), behind = cs_least(low3[i], low4[i]); /* the middle */
        uint32_t others = cs_least(cs_least(before, behind), gm[i]), all = cs_least(others, gl[i]);
        uint32_t open = (gm[i] == all) & (before != all);   /* the leftmost least is the middle */
        uint32_t closed = (g[i] == all) | (others != all);  /* it is the first or the last */
        o[i] = (open ? 0u : closed ? 1u << 30 : 2u << 30) | o[i] >> 2;
    }
}

typedef struct {
    size_t k, w, r; /* r > 0: open-closed with inner r-grams */
    int robust;     /* 1: ties keep the earlier choice (definition 3), 0: rightmost (definition 1) */
    cs_params p;
    uint32_t limit; /* candidates have an order below it */
} cs_rule;

typedef struct {
    cs_symbols s;
    size_t first; /* where the chunk starts among the k-grams */
    size_t count; /* k-grams in the chunk */
    cs_space *x;
    const cs_rule *q;
    size_t found; /* candidates */
    int avx2;
} cs_chunk;

CS_INLINE void cs_orders_body(const cs_symbols *s, size_t first, size_t count, cs_space *x, const cs_rule *q) {
    size_t k = q->k, n = count + k - 1;
    if (s->width == 4) { /* letters: those with accents, which are seldom, are looked up, lest each is a wrong guess */
        const uint32_t *c = (const uint32_t *)s->data + first;
        for (size_t i = 0; i < n; i++) x->folded[i] = c[i] < CS_LETTERS ? x->fold[c[i]] : (uint32_t)cs_fmix64(c[i]);
        memset(x->folded + n, 0, CS_PAD * 4);
    } else if (s->width == 8) {
        for (size_t i = 0; i < n; i++) x->folded[i] = cs_fold(cs_at(s, first + i));
        memset(x->folded + n, 0, CS_PAD * 4);
    }
    if (k < 8) {
        cs_hashes(s, first, count, k, &q->p, x->hashes);
        x->filled = 1;
        for (size_t i = 0; i < count; i++) x->orders[i] = (uint32_t)(x->hashes[i] >> 32);
    }
}

static void cs_orders_plain(const cs_symbols *s, size_t first, size_t count, cs_space *x, const cs_rule *q) {
    size_t k = q->k, inner = count + k - q->r;
    cs_orders_body(s, first, count, x, q);
    if (k >= 8) {
        if (s->width == 1)
            for (size_t i = 0; i < count + k - 8; i++)
                x->orders[i] = cs_mix(cs_four_bytes(x->bytes + i), cs_four_bytes(x->bytes + i + 4), q->p.m1);
        else cs_eight(x->folded, x->orders, count + k - 8, &q->p);
        cs_grow(x->orders, count, k, &q->p);
    }
    if (!q->r) return;
    if (s->width == 1) {
        uint32_t mask = cs_inner_mask(q->r);
        for (size_t i = 0; i < inner; i++) x->inner[i] = cs_inner_mix(cs_four_bytes(x->bytes + i) & mask, &q->p);
    } else cs_inner_wide(x->folded, x->inner, inner, q->r, &q->p);
    cs_open_closed(x, count, k, q->r);
}

/* ---- candidates: places whose order is below a limit, so that most windows have one ----------------- */

static size_t cs_candidates_plain(cs_space *x, size_t count, uint32_t limit) {
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        x->place[n] = (uint32_t)i;
        n += x->orders[i] < limit;
    }
    for (size_t j = 0; j < n; j++) x->rank[j] = x->orders[x->place[j]];
    return n;
}

#endif
