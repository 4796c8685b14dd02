/* Blocks with letters outside ASCII: 32-bit symbols with explicit starts and ends. */
#ifndef COPYSIFT_UNICODE_TEXT_H
#define COPYSIFT_UNICODE_TEXT_H

#include "text.h"

typedef struct {
    uint32_t *symbols, *starts, *ends;
    size_t count;
} text_out;

static inline void text_put(text_out *out, uint32_t symbol, uint32_t start, uint32_t end, int keep) {
    out->symbols[out->count] = symbol;
    out->starts[out->count] = start;
    out->ends[out->count] = end;
    out->count += (size_t)keep;
}

/* Squeeze ASCII bytes from data[i] on, at least one; gives the first place that is not ASCII. */
static size_t ascii_run_portable(const uint8_t *data, size_t i, size_t n, uint32_t offset, text_out *out) {
    for (; i < n && data[i] < 0x80; i++) {
        uint8_t low = text_lower[data[i]];
        text_put(out, low, offset + (uint32_t)i, offset + (uint32_t)i + 1, low != 0);
    }
    return i;
}

#if TEXT_HAS_AVX2
/* Eight bytes at a time, as far as the first that is not ASCII: runs between accents are short. */
TEXT_AVX2 static size_t ascii_run_avx2(const uint8_t *data, size_t i, size_t n, uint32_t offset, text_out *out) {
    const __m256i one = _mm256_set1_epi32(1);
    size_t count = out->count;
    uint32_t high = 0;
    while (i + 8 <= n && !high) {
        uint32_t keep;
        __m128i raw = _mm_loadl_epi64((const __m128i *)(data + i));
        __m128i low = _mm256_castsi256_si128(lower_avx2(_mm256_castsi128_si256(raw), &keep));
        high = (uint32_t)_mm_movemask_epi8(raw) & 255;
        unsigned plain = high ? text_ctz(high) : 8;
        keep &= (1u << plain) - 1;
        __m256i places = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)&text_squeeze[keep]));
        __m256i here = _mm256_add_epi32(_mm256_set1_epi32((int)(offset + (uint32_t)i)), places);
        __m256i wide = _mm256_permutevar8x32_epi32(_mm256_cvtepu8_epi32(low), places);
        _mm256_storeu_si256((__m256i *)(out->symbols + count), wide);
        _mm256_storeu_si256((__m256i *)(out->starts + count), here);
        _mm256_storeu_si256((__m256i *)(out->ends + count), _mm256_add_epi32(here, one));
        count += (size_t)_mm_popcnt_u32(keep);
        i += plain;
    }
    out->count = count;
    return high ? i : ascii_run_portable(data, i, n, offset, out);
}
#endif

static inline size_t ascii_run(const uint8_t *data, size_t i, size_t n, uint32_t offset, text_out *out) {
#if TEXT_HAS_AVX2
    if (text_use_avx2) return ascii_run_avx2(data, i, n, offset, out);
#endif
    return ascii_run_portable(data, i, n, offset, out);
}

/* Join a vowel or tail jamo to the syllable just before it, as NFC does. */
static int compose_hangul(text_out *out, uint32_t point, uint32_t start, uint32_t end) {
    if (!out->count || out->ends[out->count - 1] != start) return 0;
    uint32_t last = out->symbols[out->count - 1];
    if (point - VOWEL < 21 && last - LEAD < 19)
        last = SYLLABLE + ((last - LEAD) * 21 + point - VOWEL) * 28;
    else if (point - TAIL - 1 < 27 && last - SYLLABLE < SYLLABLES && (last - SYLLABLE) % 28 == 0)
        last += point - TAIL;
    else return 0;
    out->symbols[out->count - 1] = last;
    out->ends[out->count - 1] = end;
    return 1;
}

/* Canonicalise data[0:n]; the outputs have room for n + n / 2 + 16.  Gives the bytes used: without
 * `final`, a cut sequence and a syllable that may still grow are left for the next block. */
static size_t text_unicode(const uint8_t *data, size_t n, uint32_t offset, int final, text_out *out) {
    size_t used = final ? n : utf8_whole(data, n), i = 0;
    while (i < used) {
        uint32_t point, start = offset + (uint32_t)i;
        if (data[i] < 0x80) {
            i = ascii_run(data, i, used, offset, out);
            continue;
        }
        i += utf8_decode(data + i, used - i, &point);
        uint32_t end = offset + (uint32_t)i;
        unsigned place = uni_place(point);
        if (place < UNI_SIMPLE) {
            if (point - VOWEL < TAIL + 28 - VOWEL && compose_hangul(out, point, start, end)) continue;
            text_put(out, point + (uint32_t)UNI_DELTA[place], start, end, is_kept(UNI_KIND[place]));
            continue;
        }
        const uint32_t *fold = UNI_POOL + (place - UNI_SIMPLE);
        for (uint32_t part = 1; part <= fold[0]; part++)
            text_put(out, fold[part] >> 3, start, end, is_kept(fold[part] & 7));
    }
    if (!final && out->count && out->ends[out->count - 1] == offset + (uint32_t)used) {
        uint32_t last = out->symbols[out->count - 1];
        if (last - LEAD < 19 || (last - SYLLABLE < SYLLABLES && (last - SYLLABLE) % 28 == 0))
            used = out->starts[--out->count] - offset;
    }
    return used;
}

#endif
