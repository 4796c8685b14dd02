/* Samples of ascending sets by a modulus, a filter of keys, and the census of those that many sets have.

   Included by shingle.h. Twin: reference/shingle.py. */
#ifndef COPYSIFT_SAMPLES_H
#define COPYSIFT_SAMPLES_H

#include "keys.h"
#include "kgrams.h"

/* ---- samples: 0 modulo m, told without division ---- */

typedef struct {
    uint64_t inverse, limit, low;
    int shift;
} shingle_modulus;

static shingle_modulus shingle_mod(uint64_t m) {
    shingle_modulus r;
    r.shift = 0;
    while (!(m & 1)) {
        m >>= 1;
        r.shift++;
    }
    r.low = ((uint64_t)1 << r.shift) - 1;
    r.inverse = m;
    for (int i = 0; i < 6; i++) r.inverse *= 2 - m * r.inverse;
    r.limit = UINT64_MAX / m;
    return r;
}

CS_INLINE int shingle_divides(uint64_t h, const shingle_modulus *m) {
    return !(h & m->low) && (h >> m->shift) * m->inverse <= m->limit;
}

/* ---- a filter: two bits a key, in one word; it may say yes to a stranger, never no to a member ---- */

CS_INLINE uint64_t shingle_bits(uint64_t h, int log2, size_t *word) {
    uint64_t place = h * 0x9E3779B97F4A7C15ULL >> (64 - log2);
    *word = (size_t)(place >> 6);
    return (uint64_t)1 << (place & 63) | (uint64_t)1 << (h * 0xD6E8FEB86659FD93ULL >> 58);
}

CS_INLINE int shingle_has(const uint64_t *bits, int log2, uint64_t h) {
    size_t word;
    uint64_t both = shingle_bits(h, log2, &word);
    return (bits[word] & both) == both;
}

static void shingle_note(uint64_t *bits, int log2, const uint64_t *keys, size_t n) {
    for (size_t i = 0; i < n; i++) {
        size_t word;
        uint64_t both = shingle_bits(keys[i], log2, &word);
        bits[word] |= both;
    }
}

/* Of the keys from number i on, write those that are 0 modulo m, or that the filter knows (without one: only the
   former), behind the `found` before; *own counts the former. */
static size_t shingle_sample_scalar(const uint64_t *keys, size_t i, size_t n, const shingle_modulus *test,
                                    const uint64_t *bits, int log2, uint64_t *out, size_t found, int64_t *own) {
    for (; i < n; i++) {
        int mine = shingle_divides(keys[i], test);
        out[found] = keys[i];
        *own += mine;
        found += mine || (bits && shingle_has(bits, log2, keys[i]));
    }
    return found;
}

#if TEXT_HAS_AVX2
/* Which of eight keys a filter has. */
TEXT_AVX512 static inline __mmask8 shingle_has_avx512(const uint64_t *bits, int log2, __m512i keys) {
    const __m512i one = _mm512_set1_epi64(1), low = _mm512_set1_epi64(63);
    __m512i place = _mm512_mullo_epi64(keys, _mm512_set1_epi64((long long)0x9E3779B97F4A7C15ULL));
    __m512i other = _mm512_mullo_epi64(keys, _mm512_set1_epi64((long long)0xD6E8FEB86659FD93ULL));
    place = _mm512_srl_epi64(place, _mm_cvtsi32_si128(64 - log2));
    __m512i words = _mm512_i64gather_epi64(_mm512_srli_epi64(place, 6), bits, 8);
    __m512i both = _mm512_or_si512(_mm512_sllv_epi64(one, _mm512_and_si512(place, low)),
                                   _mm512_sllv_epi64(one, _mm512_srli_epi64(other, 58)));
    return _mm512_cmpeq_epi64_mask(_mm512_and_si512(words, both), both);
}

/* Do the same with eight keys at a time; gives how many were written and, in *at, where the scalar loop goes on. */
TEXT_AVX512 static size_t shingle_sample_avx512(const uint64_t *keys, size_t n, const shingle_modulus *test,
                                                const uint64_t *bits, int log2, uint64_t *out, int64_t *own, size_t *at) {
    const __m512i inverse = _mm512_set1_epi64((long long)test->inverse), limit = _mm512_set1_epi64((long long)test->limit);
    const __m512i low = _mm512_set1_epi64((long long)test->low);
    const __m128i shift = _mm_cvtsi32_si128(test->shift);
    size_t found = 0, i = 0;
    for (; i + 8 <= n; i += 8) {
        __m512i some = _mm512_loadu_si512(keys + i), product = _mm512_mullo_epi64(_mm512_srl_epi64(some, shift), inverse);
        __mmask8 mine = _mm512_cmple_epu64_mask(product, limit) & _mm512_testn_epi64_mask(some, low), kept = mine;
        if (bits) kept |= shingle_has_avx512(bits, log2, some);
        _mm512_storeu_si512(out + found, _mm512_maskz_compress_epi64(kept, some)); /* found <= i: there is room */
        found += (size_t)_mm_popcnt_u32(kept);
        *own += _mm_popcnt_u32(mine);
    }
    *at = i;
    return found;
}
#endif

/* Write the keys that are 0 modulo m, or that the filter knows, and count the former. */
static size_t shingle_sample_own(const uint64_t *keys, size_t n, uint64_t m, const uint64_t *bits, int log2,
                                 uint64_t *out, int64_t *own) {
    size_t found = 0, at = 0;
    shingle_modulus test = shingle_mod(m);
    *own = 0;
    if (m == 1) {
        memcpy(out, keys, n * 8);
        *own = (int64_t)n;
        return n;
    }
#if TEXT_HAS_AVX2
    if (text_use_avx512) found = shingle_sample_avx512(keys, n, &test, bits, log2, out, own, &at);
#endif
    return shingle_sample_scalar(keys, at, n, &test, bits, log2, out, found, own);
}

static size_t shingle_sample(const uint64_t *keys, size_t n, uint64_t m, const uint64_t *bits, int log2, uint64_t *out) {
    int64_t own;
    return shingle_sample_own(keys, n, m, bits, log2, out, &own);
}

static size_t shingle_seek(const uint64_t *b, size_t from, size_t m, uint64_t key) {
    size_t step = 1, low = from;
    while (from + step < m && b[from + step] < key) {
        low = from + step;
        step <<= 1;
    }
    size_t high = from + step < m ? from + step : m;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (b[mid] < key) low = mid + 1;
        else high = mid;
    }
    return low;
}

/* ---- a census: keys are counted by the cell they fall into, so that few are left to be counted one by one ---- */

/* Keys ascend, so their cells do. */
CS_INLINE size_t shingle_cell(uint64_t h, int log2) { return (size_t)(h >> (64 - log2)); }

static void shingle_count(uint32_t *cells, int log2, const uint64_t *keys, size_t n) {
    for (size_t i = 0; i < n; i++) cells[shingle_cell(keys[i], log2)]++;
}

#if TEXT_HAS_AVX2
TEXT_AVX512 static size_t shingle_marked_avx512(const uint64_t *marks, int log2, const uint64_t *keys, size_t n,
                                                uint64_t *out, size_t *at) {
    const __m512i one = _mm512_set1_epi64(1);
    const __m128i shift = _mm_cvtsi32_si128(64 - log2);
    size_t found = 0, i = 0;
    for (; i + 8 <= n; i += 8) {
        __m512i some = _mm512_loadu_si512(keys + i), cells = _mm512_srl_epi64(some, shift);
        __m512i words = _mm512_i64gather_epi64(_mm512_srli_epi64(cells, 6), marks, 8);
        __mmask8 kept = _mm512_test_epi64_mask(words, _mm512_sllv_epi64(one, _mm512_and_si512(cells, _mm512_set1_epi64(63))));
        if (!kept) continue;
        _mm512_storeu_si512(out + found, _mm512_maskz_compress_epi64(kept, some));
        found += (size_t)_mm_popcnt_u32(kept);
    }
    *at = i;
    return found;
}
#endif

/* Write the keys whose cell is marked. */
static size_t shingle_marked(const uint64_t *marks, int log2, const uint64_t *keys, size_t n, uint64_t *out) {
    size_t found = 0, i = 0;
#if TEXT_HAS_AVX2
    if (text_use_avx512) found = shingle_marked_avx512(marks, log2, keys, n, out, &i);
#endif
    for (; i < n; i++) {
        size_t cell = shingle_cell(keys[i], log2);
        out[found] = keys[i];
        found += marks[cell >> 6] >> (cell & 63) & 1;
    }
    return found;
}

static int shingle_is_common(const uint64_t *common, size_t m, uint64_t key) {
    size_t low = shingle_seek(common, 0, m, key);
    return low < m && common[low] == key;
}

#if TEXT_HAS_AVX2
TEXT_AVX512 static size_t shingle_held_avx512(const uint64_t *keys, size_t n, const uint64_t *common, size_t m,
                                              const uint64_t *bits, int log2, size_t *at) {
    size_t found = 0, i = 0;
    for (; i + 8 <= n; i += 8) {
        unsigned likely = shingle_has_avx512(bits, log2, _mm512_loadu_si512(keys + i));
        for (; likely; likely &= likely - 1) found += (size_t)shingle_is_common(common, m, keys[i + text_ctz(likely)]);
    }
    *at = i;
    return found;
}
#endif

/* Count the keys that are among m common ones, which ascend and are all in the filter. */
static size_t shingle_held(const uint64_t *keys, size_t n, const uint64_t *common, size_t m, const uint64_t *bits, int log2) {
    size_t found = 0, i = 0;
#if TEXT_HAS_AVX2
    if (text_use_avx512) found = shingle_held_avx512(keys, n, common, m, bits, log2, &i);
#endif
    for (; i < n; i++) found += (size_t)(shingle_has(bits, log2, keys[i]) && shingle_is_common(common, m, keys[i]));
    return found;
}

/* Write the keys that are not among m common ones, which ascend and are all in the filter. */
static size_t shingle_without(const uint64_t *keys, size_t n, const uint64_t *common, size_t m, const uint64_t *bits,
                              int log2, uint64_t *out) {
    size_t found = 0, at = 0;
    for (size_t i = 0; i < n; i++) {
        out[found] = keys[i];
        found++;
        if (!shingle_has(bits, log2, keys[i])) continue;
        at = shingle_seek(common, at, m, keys[i]); /* both ascend */
        found -= (size_t)(at < m && common[at] == keys[i]);
    }
    return found;
}

#endif
