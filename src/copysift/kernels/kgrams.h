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

#define CS_CHUNK 16384  /* k-grams a chunk: their orders take 64 KiB */
#define CS_PAD 64
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
    uint32_t *orders;       /* CS_CHUNK + k + pad */
    uint32_t *inner, *low;  /* open-closed: hashes of the inner r-grams and their minima */
    uint32_t *place, *rank; /* candidates: place in the chunk and order */
    uint8_t *step;          /* how many candidates further the next choice is, or a CS_STEP_ code */
    uint64_t *hashes;       /* hashes of the whole chunk, filled only when ties are common */
    uint64_t *power, *high; /* base^(k-j), and its upper half, zero-padded */
    int filled;             /* hashes[] is valid for this chunk */
    int ties;
} cs_space;

static void cs_free_space(cs_space *x) {
    free(x->bytes); free(x->folded); free(x->orders); free(x->inner); free(x->low); free(x->place);
    free(x->rank); free(x->step); free(x->hashes); free(x->power); free(x->high);
    memset(x, 0, sizeof *x);
}

static int cs_make_space(cs_space *x, size_t k, const cs_params *p, int width, int open_closed) {
    size_t n = CS_CHUNK + k + CS_PAD;
    memset(x, 0, sizeof *x);
    if (width == 1) x->bytes = (uint8_t *)calloc(n + CS_PAD, 1);
    x->folded = width == 1 && !open_closed && k >= 8 ? NULL : (uint32_t *)calloc(n + CS_PAD, 4);
    x->orders = (uint32_t *)calloc(n, 4);
    x->place = (uint32_t *)malloc((CS_CHUNK + CS_PAD) * 4);
    x->rank = (uint32_t *)malloc((CS_CHUNK + CS_PAD) * 4);
    x->step = (uint8_t *)malloc(CS_CHUNK + CS_PAD);
    x->hashes = (uint64_t *)malloc(CS_CHUNK * 8);
    x->power = (uint64_t *)calloc(k + 8, 8);
    x->high = (uint64_t *)calloc(k + 8, 8);
    if (open_closed) {
        x->inner = (uint32_t *)calloc(n, 4);
        x->low = (uint32_t *)calloc(n, 4);
    }
    if ((width == 1 && !x->bytes) || !x->orders || !x->place || !x->rank || !x->step || !x->hashes || !x->power || !x->high ||
        (open_closed && (!x->inner || !x->low))) {
        cs_free_space(x);
        return -1;
    }
    uint64_t b = p->base;
    for (size_t j = k; j-- > 0; b *= p->base) { x->power[j] = b; x->high[j] = b >> 32; }
    return 0;
}

/* ---- one hash at one place --------------------------------------------------------------------------- */

CS_INLINE uint64_t cs_hash_plain(const cs_symbols *s, size_t i, size_t k, const cs_space *x, const cs_params *p) {
    uint64_t sum = 0;
    if (s->width == 1) {
        const uint8_t *c = (const uint8_t *)s->data + i;
        for (size_t j = 0; j < k; j++) sum += c[j] * x->power[j];
    } else {
        for (size_t j = 0; j < k; j++) sum += cs_at(s, i + j) * x->power[j];
    }
    return cs_finish(sum, p);
}

#if CS_X86
/* `c` is padded: four bytes past the k-gram may be read and meet powers of zero. */
CS_AVX2 static inline uint64_t cs_hash_avx2(const uint8_t *c, size_t k, const cs_space *x, const cs_params *p) {
    __m256i low = _mm256_setzero_si256(), high = low;
    for (size_t j = 0; j < k; j += 4) {
        int32_t four;
        memcpy(&four, c + j, 4);
        __m256i v = _mm256_cvtepu8_epi64(_mm_cvtsi32_si128(four));
        low = _mm256_add_epi64(low, _mm256_mul_epu32(v, _mm256_loadu_si256((const __m256i *)(x->power + j))));
        high = _mm256_add_epi64(high, _mm256_mul_epu32(v, _mm256_loadu_si256((const __m256i *)(x->high + j))));
    }
    low = _mm256_add_epi64(low, _mm256_slli_epi64(high, 32));
    __m128i half = _mm_add_epi64(_mm256_castsi256_si128(low), _mm256_extracti128_si256(low, 1));
    return cs_finish((uint64_t)_mm_extract_epi64(half, 0) + (uint64_t)_mm_extract_epi64(half, 1), p);
}
#endif

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

/* Lower the orders of open k-grams below closed ones below the rest; see the design and reference/selection.py. */
CS_INLINE void cs_open_closed(cs_space *x, size_t count, size_t k, size_t r, const cs_params *p) {
    const uint32_t *s = x->folded;
    uint32_t *g = x->inner, *low = x->low, *o = x->orders;
    size_t last = k - r, middle = last / 2, n = count + last;
    for (size_t i = 0; i < n; i++) {
        uint32_t y = s[i];
        if (r > 1) y += s[i + 1] << 8;
        if (r > 2) y += s[i + 2] << 16;
        if (r > 3) y += s[i + 3] << 24;
        y *= p->m1; y ^= y >> 15; y *= p->m2; y ^= y >> 16;
        g[i] = y;
    }
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
    memcpy(low, g, n * 4);
    for (; 2 * span <= middle && 2 * span <= after; span *= 2)
        for (size_t i = 0; i < n - 2 * span + 1; i++) low[i] = low[i] < low[i + span] ? low[i] : low[i + span];
    const uint32_t *low2 = low + middle - span, *low3 = low + middle + 1, *low4 = low + last - span;
    const uint32_t *gm = g + middle, *gl = g + last;
    for (size_t i = 0; i < count; i++) {
        uint32_t before = low[i] < low2[i] ? low[i] : low2[i];
        uint32_t behind = low3[i] < low4[i] ? low3[i] : low4[i];
        uint32_t ends = g[i] < gl[i] ? g[i] : gl[i];
        uint32_t others = before < behind ? before : behind;
        others = others < gm[i] ? others : gm[i];              /* all but the last */
        uint32_t right = behind < gl[i] ? behind : gl[i];      /* all behind the middle */
        uint32_t open = (gm[i] < before) & (gm[i] <= right);
        uint32_t closed = (g[i] == (others < ends ? others : ends)) | (gl[i] < others);
        o[i] = (open ? 0u : closed ? 1u << 30 : 2u << 30) | o[i] >> 2;
    }
}

typedef struct {
    size_t k, w, r; /* r > 0: open-closed with inner r-grams */
    int robust;     /* 1: ties keep the earlier choice (definition 3), 0: rightmost (definition 1) */
    cs_params p;
    uint32_t limit; /* candidates have an order below it */
} cs_rule;

CS_INLINE void cs_orders_body(const cs_symbols *s, size_t first, size_t count, cs_space *x, const cs_rule *q) {
    size_t k = q->k, n = count + k - 1;
    if (x->folded) {
        if (s->width == 1) for (size_t i = 0; i < n; i++) x->folded[i] = x->bytes[i];
        else for (size_t i = 0; i < n; i++) x->folded[i] = cs_fold(cs_at(s, first + i));
        memset(x->folded + n, 0, CS_PAD * 4);
    }
    if (k < 8) {
        cs_hashes(s, first, count, k, &q->p, x->hashes);
        x->filled = 1;
        for (size_t i = 0; i < count; i++) x->orders[i] = (uint32_t)(x->hashes[i] >> 32);
    }
}

static void cs_orders_plain(const cs_symbols *s, size_t first, size_t count, cs_space *x, const cs_rule *q) {
    cs_orders_body(s, first, count, x, q);
    if (q->k >= 8) {
        if (s->width == 1) {
            for (size_t i = 0; i < count + q->k - 8; i++) {
                const uint8_t *c = x->bytes + i;
                uint32_t a = c[0] | c[1] << 8 | c[2] << 16 | (uint32_t)c[3] << 24;
                uint32_t b = c[4] | c[5] << 8 | c[6] << 16 | (uint32_t)c[7] << 24;
                x->orders[i] = cs_mix(a, b, q->p.m1);
            }
        } else cs_eight(x->folded, x->orders, count + q->k - 8, &q->p);
        cs_grow(x->orders, count, q->k, &q->p);
    }
    if (q->r) cs_open_closed(x, count, q->k, q->r, &q->p);
}

#if CS_X86
CS_AVX2 static inline __m256i cs_mix_avx2(__m256i a, __m256i b, __m256i m1) {
    __m256i t = _mm256_add_epi32(_mm256_mullo_epi32(a, m1), b);
    return _mm256_xor_si256(t, _mm256_srli_epi32(t, 15));
}

/* The first steps in registers: 4-grams by shuffling, 8-grams, and nothing else. */
CS_AVX2 static void cs_eight_avx2(const uint8_t *c, uint32_t *h, size_t n, uint32_t m) {
    const __m256i m1 = _mm256_set1_epi32((int)m);
    const __m256i low = _mm256_setr_epi8(0, 1, 2, 3, 1, 2, 3, 4, 2, 3, 4, 5, 3, 4, 5, 6,
                                         4, 5, 6, 7, 5, 6, 7, 8, 6, 7, 8, 9, 7, 8, 9, 10);
    const __m256i four = _mm256_set1_epi8(4);
    const __m256i high = _mm256_add_epi8(low, four);
    for (size_t i = 0; i < n; i += 8) {
        __m256i v = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(c + i)));
        __m256i a = _mm256_shuffle_epi8(v, low), b = _mm256_shuffle_epi8(v, high);
        _mm256_storeu_si256((__m256i *)(h + i), cs_mix_avx2(a, b, m1));
    }
}

CS_AVX2 static void cs_double_avx2(uint32_t *h, size_t n, size_t step, uint32_t m) {
    const __m256i m1 = _mm256_set1_epi32((int)m);
    for (size_t i = 0; i < n; i += 8) {
        __m256i a = _mm256_loadu_si256((const __m256i *)(h + i));
        __m256i b = _mm256_loadu_si256((const __m256i *)(h + i + step));
        _mm256_storeu_si256((__m256i *)(h + i), cs_mix_avx2(a, b, m1));
    }
}

CS_AVX2 static void cs_last_avx2(uint32_t *h, size_t n, size_t step, uint32_t m, uint32_t mm) {
    const __m256i m1 = _mm256_set1_epi32((int)m), m2 = _mm256_set1_epi32((int)mm);
    for (size_t i = 0; i < n; i += 8) {
        __m256i a = _mm256_loadu_si256((const __m256i *)(h + i));
        if (step) a = cs_mix_avx2(a, _mm256_loadu_si256((const __m256i *)(h + i + step)), m1);
        _mm256_storeu_si256((__m256i *)(h + i), _mm256_mullo_epi32(a, m2));
    }
}

CS_AVX2 static void cs_orders_avx2(const cs_symbols *s, size_t first, size_t count, cs_space *x, const cs_rule *q) {
    cs_orders_body(s, first, count, x, q);
    if (q->k >= 8) {
        size_t k = q->k, m = 8;
        if (s->width == 1) cs_eight_avx2(x->bytes, x->orders, count + k - 8, q->p.m1);
        else cs_eight(x->folded, x->orders, count + k - 8, &q->p);
        for (; 2 * m <= k; m *= 2) cs_double_avx2(x->orders, count + k - 2 * m, m, q->p.m1);
        cs_last_avx2(x->orders, count, k - m, q->p.m1, q->p.m2);
    }
    if (q->r) cs_open_closed(x, count, q->k, q->r, &q->p);
}
#endif

/* ---- candidates: places whose order is below a limit, so that most windows have one ----------------- */

static size_t cs_candidates_plain(cs_space *x, size_t count, uint32_t limit) {
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        x->place[n] = (uint32_t)i;
        x->rank[n] = x->orders[i];
        n += x->orders[i] < limit;
    }
    return n;
}

#if CS_X86
CS_AVX2 static size_t cs_candidates_avx2(cs_space *x, size_t count, uint32_t limit) {
    const __m256i top = _mm256_set1_epi32((int)0x80000000u);
    const __m256i bar = _mm256_xor_si256(_mm256_set1_epi32((int)limit), top);
    uint32_t *place = x->place, *rank = x->rank;
    const uint32_t *o = x->orders;
    size_t n = 0, i = 0;
    for (; i + 64 <= count; i += 64) {
        uint64_t bits = 0;
        for (int j = 0; j < 8; j++) {
            __m256i v = _mm256_xor_si256(_mm256_loadu_si256((const __m256i *)(o + i + 8 * j)), top);
            uint32_t m = (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(bar, v)));
            bits |= (uint64_t)m << (8 * j);
        }
        size_t found = (size_t)__builtin_popcountll(bits), left = found;
        uint32_t *to = place + n, *ro = rank + n;
        do { /* four at a time without a branch; what is past `found` is overwritten */
            for (int j = 0; j < 4; j++) {
                uint32_t at = (uint32_t)(i + (size_t)(_tzcnt_u64(bits) & 63));
                to[j] = at;
                ro[j] = o[at];
                bits = _blsr_u64(bits);
            }
            to += 4; ro += 4;
            if (left <= 4) break;
            left -= 4;
        } while (1);
        n += found;
    }
    for (; i < count; i++) {
        place[n] = (uint32_t)i;
        rank[n] = o[i];
        n += o[i] < limit;
    }
    return n;
}
#endif
#endif
