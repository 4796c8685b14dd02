/* The AVX2 edition of kgrams.h: orders, candidates and the hashes of selected places. */
#ifndef COPYSIFT_KGRAMS_AVX2_H
#define COPYSIFT_KGRAMS_AVX2_H
#include "kgrams.h"

#if CS_X86
static uint64_t cs_squeeze[256]; /* places of the set bits of an 8-bit mask, one a byte */

static void cs_squeeze_init(void) {
    for (int mask = 0; mask < 256; mask++) {
        cs_squeeze[mask] = 0;
        for (int bit = 0, n = 0; bit < 8; bit++)
            if (mask >> bit & 1) cs_squeeze[mask] |= (uint64_t)bit << 8 * n++;
    }
}

/* ---- hashes of selected places ---- */

/* The rolled hash of one k-gram by 16-bit products. `c` is padded: up to 15 bytes past it are read and meet digits of
 * zero. After 14 times 16 symbols a 32-bit sum might overflow, so it is added up before. */
CS_AVX2 static inline uint64_t cs_rolled_avx2(const uint8_t *c, size_t k, const int16_t *digits) {
    const __m256i first = _mm256_setr_epi8(0, -1, 1, -1, 0, -1, 1, -1, 0, -1, 1, -1, 0, -1, 1, -1,
                                           2, -1, 3, -1, 2, -1, 3, -1, 2, -1, 3, -1, 2, -1, 3, -1);
    const __m256i four = _mm256_setr_epi8(4, 0, 4, 0, 4, 0, 4, 0, 4, 0, 4, 0, 4, 0, 4, 0,
                                          4, 0, 4, 0, 4, 0, 4, 0, 4, 0, 4, 0, 4, 0, 4, 0);
    const __m256i second = _mm256_add_epi8(first, four), third = _mm256_add_epi8(second, four);
    const __m256i fourth = _mm256_add_epi8(third, four), shifts = _mm256_setr_epi64x(0, 16, 32, 48);
    __m256i total = _mm256_setzero_si256();
    for (size_t j = 0; j < k;) {
        size_t stop = k - j > 224 ? j + 224 : k;
        __m256i sum = _mm256_setzero_si256();
        for (; j < stop; j += 16) {
            __m256i text = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(c + j)));
            const __m256i *d = (const __m256i *)(digits + 4 * j);
            __m256i a = _mm256_madd_epi16(_mm256_shuffle_epi8(text, first), _mm256_loadu_si256(d));
            __m256i b = _mm256_madd_epi16(_mm256_shuffle_epi8(text, second), _mm256_loadu_si256(d + 1));
            sum = _mm256_add_epi32(sum, _mm256_add_epi32(a, b));
            if (j + 8 >= stop) continue;
            a = _mm256_madd_epi16(_mm256_shuffle_epi8(text, third), _mm256_loadu_si256(d + 2));
            b = _mm256_madd_epi16(_mm256_shuffle_epi8(text, fourth), _mm256_loadu_si256(d + 3));
            sum = _mm256_add_epi32(sum, _mm256_add_epi32(a, b));
        }
        __m128i halves = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
        total = _mm256_add_epi64(total, _mm256_cvtepi32_epi64(halves));
    }
    total = _mm256_sllv_epi64(total, shifts);
    __m128i half = _mm_add_epi64(_mm256_castsi256_si128(total), _mm256_extracti128_si256(total, 1));
    return (uint64_t)_mm_cvtsi128_si64(_mm_add_epi64(half, _mm_unpackhi_epi64(half, half)));
}

CS_AVX2 static void cs_hash_places_avx2(const cs_space *x, const cs_rule *q, const uint32_t *at, size_t n, uint64_t *out) {
    for (size_t i = 0; i < n; i++) out[i] = cs_finish(cs_rolled_avx2(x->bytes + at[i], q->k, x->digits), &q->p);
}

/* ---- orders ---- */

CS_AVX2 static inline __m256i cs_mix_avx2(__m256i a, __m256i b, __m256i m1) {
    __m256i t = _mm256_add_epi32(_mm256_mullo_epi32(a, m1), b);
    return _mm256_xor_si256(t, _mm256_srli_epi32(t, 15));
}

/* The eight 4-grams from each of eight places on. */
CS_AVX2 static inline __m256i cs_fours_avx2(const uint8_t *c) {
    const __m256i low = _mm256_setr_epi8(0, 1, 2, 3, 1, 2, 3, 4, 2, 3, 4, 5, 3, 4, 5, 6,
                                         4, 5, 6, 7, 5, 6, 7, 8, 6, 7, 8, 9, 7, 8, 9, 10);
    return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)c)), low);
}

/* The first steps in registers: 4-grams by shuffling, 8-grams, and nothing else. */
CS_AVX2 static void cs_eight_avx2(const uint8_t *c, uint32_t *h, size_t n, uint32_t m) {
    const __m256i m1 = _mm256_set1_epi32((int)m);
    for (size_t i = 0; i < n; i += 8)
        _mm256_storeu_si256((__m256i *)(h + i), cs_mix_avx2(cs_fours_avx2(c + i), cs_fours_avx2(c + i + 4), m1));
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

CS_AVX2 static void cs_inner_avx2(const uint8_t *c, uint32_t *g, size_t n, size_t r, const cs_params *p) {
    const __m256i m1 = _mm256_set1_epi32((int)p->m1), m2 = _mm256_set1_epi32((int)p->m2);
    const __m256i mask = _mm256_set1_epi32((int)cs_inner_mask(r));
    for (size_t i = 0; i < n; i += 8) {
        __m256i y = _mm256_mullo_epi32(_mm256_and_si256(cs_fours_avx2(c + i), mask), m1);
        y = _mm256_mullo_epi32(_mm256_xor_si256(y, _mm256_srli_epi32(y, 15)), m2);
        _mm256_storeu_si256((__m256i *)(g + i), _mm256_xor_si256(y, _mm256_srli_epi32(y, 16)));
    }
}

#define CS_LOAD(at) _mm256_loadu_si256((const __m256i *)(at))

/* cs_open_closed by eight. */
CS_AVX2 static void cs_open_closed_avx2(cs_space *x, size_t count, size_t k, size_t r) {
    uint32_t *low = x->low, *o = x->orders;
    const uint32_t *g = x->inner, *from = g;
    size_t last = k - r, middle = last / 2, n = count + last, span = 1, after = last - middle - 1;
    if (last < 5) { cs_open_closed(x, count, k, r); return; }
    for (; 4 * span <= after; span *= 4, from = low)
        for (size_t i = 0; i < n - 4 * span + 1; i += 8) {
            __m256i a = _mm256_min_epu32(CS_LOAD(from + i), CS_LOAD(from + i + span));
            __m256i b = _mm256_min_epu32(CS_LOAD(from + i + 2 * span), CS_LOAD(from + i + 3 * span));
            _mm256_storeu_si256((__m256i *)(low + i), _mm256_min_epu32(a, b));
        }
    for (; 2 * span <= after; span *= 2, from = low)
        for (size_t i = 0; i < n - 2 * span + 1; i += 8)
            _mm256_storeu_si256((__m256i *)(low + i), _mm256_min_epu32(CS_LOAD(from + i), CS_LOAD(from + i + span)));
    const __m256i high = _mm256_set1_epi32(1 << 30);
    for (size_t i = 0; i < count; i += 8) {
        __m256i head = CS_LOAD(g + i), mid = CS_LOAD(g + i + middle), tail = CS_LOAD(g + i + last);
        __m256i before = _mm256_min_epu32(CS_LOAD(from + i), CS_LOAD(from + i + middle - span));
        __m256i behind = _mm256_min_epu32(CS_LOAD(from + i + middle + 1), CS_LOAD(from + i + last - span));
        __m256i others = _mm256_min_epu32(_mm256_min_epu32(before, behind), mid), all = _mm256_min_epu32(others, tail);
        __m256i open = _mm256_andnot_si256(_mm256_cmpeq_epi32(before, all), _mm256_cmpeq_epi32(mid, all));
        __m256i neither = _mm256_andnot_si256(_mm256_cmpeq_epi32(head, all), _mm256_cmpeq_epi32(others, all));
        __m256i rest = _mm256_andnot_si256(open, _mm256_add_epi32(high, _mm256_and_si256(neither, high)));
        _mm256_storeu_si256((__m256i *)(o + i), _mm256_or_si256(rest, _mm256_srli_epi32(CS_LOAD(o + i), 2)));
    }
}

CS_AVX2 static void cs_orders_avx2(const cs_symbols *s, size_t first, size_t count, cs_space *x, const cs_rule *q) {
    size_t k = q->k, m = 8;
    cs_orders_body(s, first, count, x, q);
    if (k >= 8) {
        if (s->width == 1) cs_eight_avx2(x->bytes, x->orders, count + k - 8, q->p.m1);
        else cs_eight(x->folded, x->orders, count + k - 8, &q->p);
        for (; 2 * m <= k; m *= 2) cs_double_avx2(x->orders, count + k - 2 * m, m, q->p.m1);
        cs_last_avx2(x->orders, count, k - m, q->p.m1, q->p.m2);
    }
    if (!q->r) return;
    if (s->width == 1) cs_inner_avx2(x->bytes, x->inner, count + k - q->r, q->r, &q->p);
    else cs_inner_wide(x->folded, x->inner, count + k - q->r, q->r, &q->p);
    cs_open_closed_avx2(x, count, k, q->r);
}

/* ---- candidates ---- */

/* Eight places at a time, those below the limit moved to the front: as fast however many there are. */
CS_AVX2 static size_t cs_candidates_avx2(cs_space *x, size_t count, uint32_t limit) {
    const __m256i top = _mm256_set1_epi32((int)0x80000000u);
    const __m256i bar = _mm256_xor_si256(_mm256_set1_epi32((int)limit), top);
    uint32_t *place = x->place, *rank = x->rank;
    const uint32_t *o = x->orders;
    size_t n = 0, i = 0;
    for (; i + 8 <= count; i += 8) {
        __m256i v = _mm256_loadu_si256((const __m256i *)(o + i));
        __m256i below = _mm256_cmpgt_epi32(bar, _mm256_xor_si256(v, top));
        uint32_t mask = (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(below));
        __m256i front = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)&cs_squeeze[mask]));
        _mm256_storeu_si256((__m256i *)(place + n), _mm256_add_epi32(front, _mm256_set1_epi32((int)i)));
        _mm256_storeu_si256((__m256i *)(rank + n), _mm256_permutevar8x32_epi32(v, front));
        n += (size_t)_mm_popcnt_u32(mask);
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
