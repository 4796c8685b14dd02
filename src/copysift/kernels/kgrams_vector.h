/* The vector edition of kgrams.h: sixteen bytes at a time in the vectors of the compiler, which makes SSE4.1 of them on
 * x86-64 without AVX2 and NEON on ARM. */
#ifndef COPYSIFT_KGRAMS_VECTOR_H
#define COPYSIFT_KGRAMS_VECTOR_H
#include "kgrams.h"

#if defined(__GNUC__) && defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define CS_VECTORS 1
#else
#define CS_VECTORS 0
#endif

#if CS_VECTORS
#if CS_X86
#define CS_VECTOR __attribute__((target("sse4.1")))
#else
#define CS_VECTOR
#endif
typedef uint32_t cs_v4 __attribute__((vector_size(16)));
typedef int32_t cs_i4 __attribute__((vector_size(16)));
typedef uint8_t cs_v16 __attribute__((vector_size(16)));

CS_VECTOR static inline cs_v4 cs_get4(const void *at) {
    cs_v4 v;
    memcpy(&v, at, 16);
    return v;
}

CS_VECTOR static inline cs_v4 cs_mix4(cs_v4 a, cs_v4 b, uint32_t m1) {
    cs_v4 t = a * m1 + b;
    return t ^ t >> 15;
}

/* The 4-grams from each of four places on, of sixteen bytes; cs_far4: those four places further. */
#if defined(__clang__)
#define CS_SHUFFLE(t, ...) __builtin_shufflevector(t, t, __VA_ARGS__)
#else
#define CS_SHUFFLE(t, ...) __builtin_shuffle(t, (cs_v16){__VA_ARGS__})
#endif
CS_VECTOR static inline cs_v4 cs_near4(cs_v4 text) {
    return (cs_v4)CS_SHUFFLE((cs_v16)text, 0, 1, 2, 3, 1, 2, 3, 4, 2, 3, 4, 5, 3, 4, 5, 6);
}
CS_VECTOR static inline cs_v4 cs_far4(cs_v4 text) {
    return (cs_v4)CS_SHUFFLE((cs_v16)text, 4, 5, 6, 7, 5, 6, 7, 8, 6, 7, 8, 9, 7, 8, 9, 10);
}

CS_VECTOR static void cs_eight4(const uint8_t *c, uint32_t *h, size_t n, uint32_t m1) {
    for (size_t i = 0; i < n; i += 4) {
        cs_v4 text = cs_get4(c + i), mixed = cs_mix4(cs_near4(text), cs_far4(text), m1);
        memcpy(h + i, &mixed, 16);
    }
}

/* One step of doubling; m2: the last one, whose results are multiplied. */
CS_VECTOR static void cs_double4(uint32_t *h, size_t n, size_t step, uint32_t m1, uint32_t m2) {
    for (size_t i = 0; i < n; i += 4) {
        cs_v4 a = cs_get4(h + i);
        if (step) a = cs_mix4(a, cs_get4(h + i + step), m1);
        if (m2) a *= m2;
        memcpy(h + i, &a, 16);
    }
}

CS_VECTOR static void cs_inner4(const uint8_t *c, uint32_t *g, size_t n, size_t r, const cs_params *p) {
    uint32_t mask = cs_inner_mask(r);
    for (size_t i = 0; i < n; i += 4) {
        cs_v4 y = (cs_near4(cs_get4(c + i)) & mask) * p->m1;
        y = (y ^ y >> 15) * p->m2;
        y ^= y >> 16;
        memcpy(g + i, &y, 16);
    }
}

CS_VECTOR static void cs_orders_vector(const cs_symbols *s, size_t first, size_t count, cs_space *x, const cs_rule *q) {
    size_t k = q->k, m = 8;
    cs_orders_body(s, first, count, x, q);
    if (k >= 8) {
        if (s->width == 1) cs_eight4(x->bytes, x->orders, count + k - 8, q->p.m1);
        else cs_eight(x->folded, x->orders, count + k - 8, &q->p);
        for (; 2 * m <= k; m *= 2) cs_double4(x->orders, count + k - 2 * m, m, q->p.m1, 0);
        cs_double4(x->orders, count, k - m, q->p.m1, q->p.m2);
    }
    if (!q->r) return;
    if (s->width == 1) cs_inner4(x->bytes, x->inner, count + k - q->r, q->r, &q->p);
    else cs_inner_wide(x->folded, x->inner, count + k - q->r, q->r, &q->p);
    cs_open_closed(x, count, k, q->r);
}

#if CS_X86
/* ---- what the vectors of the compiler have no words for; elsewhere these two are plain C ---- */

static uint8_t cs_squeeze4[16][16]; /* the bytes of the lanes in a 4-bit mask, moved to the front */

static void cs_squeeze4_init(void) {
    for (int mask = 0; mask < 16; mask++)
        for (int lane = 0, n = 0; lane < 4; lane++)
            if (mask >> lane & 1) {
                for (int byte = 0; byte < 4; byte++) cs_squeeze4[mask][4 * n + byte] = (uint8_t)(4 * lane + byte);
                n++;
            }
}

CS_VECTOR static size_t cs_candidates_vector(cs_space *x, size_t count, uint32_t limit) {
    const __m128i bar = _mm_set1_epi32((int)(limit - 1)), step = _mm_set1_epi32(4);
    __m128i here = _mm_setr_epi32(0, 1, 2, 3);
    size_t n = 0, i = 0;
    for (; i + 4 <= count; i += 4, here = _mm_add_epi32(here, step)) {
        __m128i v = _mm_loadu_si128((const __m128i *)(x->orders + i));
        __m128i below = _mm_cmpeq_epi32(_mm_min_epu32(v, bar), v);
        int mask = _mm_movemask_ps(_mm_castsi128_ps(below));
        __m128i front = _mm_loadu_si128((const __m128i *)cs_squeeze4[mask]);
        _mm_storeu_si128((__m128i *)(x->place + n), _mm_shuffle_epi8(here, front));
        _mm_storeu_si128((__m128i *)(x->rank + n), _mm_shuffle_epi8(v, front));
        n += (size_t)(0x4332322132212110ULL >> 4 * mask & 7); /* the ones of each mask */
    }
    for (; i < count; i++) {
        x->place[n] = (uint32_t)i;
        x->rank[n] = x->orders[i];
        n += x->orders[i] < limit;
    }
    return n;
}

/* The rolled hash of one k-gram, as in cs_rolled_avx2. */
CS_VECTOR static inline uint64_t cs_rolled_vector(const uint8_t *c, size_t k, const int16_t *digits) {
    __m128i low = _mm_setzero_si128(), high = low;
    for (size_t j = 0; j < k;) {
        size_t stop = k - j > 224 ? j + 224 : k;
        __m128i sum = _mm_setzero_si128();
        for (; j < stop; j += 8) {
            __m128i words = _mm_cvtepu8_epi16(_mm_loadl_epi64((const __m128i *)(c + j)));
            const __m128i *d = (const __m128i *)(digits + 4 * j);
            __m128i a = _mm_madd_epi16(_mm_shuffle_epi32(words, 0x00), _mm_loadu_si128(d));
            __m128i b = _mm_madd_epi16(_mm_shuffle_epi32(words, 0x55), _mm_loadu_si128(d + 1));
            sum = _mm_add_epi32(sum, _mm_add_epi32(a, b));
            a = _mm_madd_epi16(_mm_shuffle_epi32(words, 0xAA), _mm_loadu_si128(d + 2));
            b = _mm_madd_epi16(_mm_shuffle_epi32(words, 0xFF), _mm_loadu_si128(d + 3));
            sum = _mm_add_epi32(sum, _mm_add_epi32(a, b));
        }
        low = _mm_add_epi64(low, _mm_cvtepi32_epi64(sum));
        high = _mm_add_epi64(high, _mm_cvtepi32_epi64(_mm_srli_si128(sum, 8)));
    }
    low = _mm_add_epi64(low, _mm_slli_epi64(high, 32));
    return (uint64_t)_mm_cvtsi128_si64(low) + ((uint64_t)_mm_extract_epi64(low, 1) << 16);
}

CS_VECTOR static void cs_hash_places_vector(const cs_space *x, const cs_rule *q, const uint32_t *at, size_t n, uint64_t *out) {
    for (size_t i = 0; i < n; i++) out[i] = cs_finish(cs_rolled_vector(x->bytes + at[i], q->k, x->digits), &q->p);
}
#endif
#endif
#endif
