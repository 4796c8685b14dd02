/* Canonical text: UTF-8 in, folded code points out, with where they stand.  reference/text.py is the
 * definition; here it is made fast.  Every function gives the same result in every edition. */
#ifndef COPYSIFT_TEXT_H
#define COPYSIFT_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "unicode_tables.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define TEXT_HAS_AVX2 1
#include <immintrin.h>
#define TEXT_AVX2 __attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt")))
#define TEXT_AVX512 __attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2")))
#else
#define TEXT_HAS_AVX2 0
#endif

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
static inline unsigned text_ctz(uint64_t x) {
    unsigned long at;
    _BitScanForward64(&at, x);
    return (unsigned)at;
}
#else
#define text_ctz(x) ((unsigned)__builtin_ctzll(x))
#endif

enum { DROP, KEEP, MARK, SOLO, ABSENT };
enum { LEAD = 0x1100, VOWEL = 0x1161, TAIL = 0x11A7, SYLLABLE = 0xAC00, SYLLABLES = 11172 };

static int text_use_avx2 = 0, text_use_avx512 = 0; /* the latter only with the former */
static uint8_t text_lower[256];    /* the lower-case letter or the digit; 0: dropped */
static uint64_t text_squeeze[256]; /* places of the set bits of an 8-bit mask, one a byte */

static void text_init(void) {
    for (int c = 0; c < 128; c++) {
        int letter = (c | 32) >= 'a' && (c | 32) <= 'z';
        text_lower[c] = (uint8_t)(letter ? c | 32 : c >= '0' && c <= '9' ? c : 0);
    }
    for (int mask = 0; mask < 256; mask++) {
        uint64_t places = 0;
        for (int bit = 0, n = 0; bit < 8; bit++)
            if (mask >> bit & 1) places |= (uint64_t)bit << 8 * n++;
        text_squeeze[mask] = places;
    }
}

static int text_cpu_has_avx2(void) {
#if TEXT_HAS_AVX2
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
#else
    return 0;
#endif
}

/* The subsets of AVX-512 that the kernels use: those of Ice Lake and Zen 4. */
static int text_cpu_has_avx512(void) {
#if TEXT_HAS_AVX2
    return text_cpu_has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2");
#else
    return 0;
#endif
}

/* ---- UTF-8 ------------------------------------------------------------------------------------ */

/* Length of the data without a sequence that its end cuts off (at most 3 bytes). */
static size_t utf8_whole(const uint8_t *data, size_t n) {
    for (size_t back = 1; back <= 3 && back <= n; back++) {
        uint8_t b = data[n - back];
        if (b < 0x80) return n;
        if (b < 0xC0) continue;
        size_t need = b >= 0xF0 ? 4 : b >= 0xE0 ? 3 : 2;
        return need > back ? n - back : n;
    }
    return n;
}

/* A control character that no text has; bytes 8 to 13, 26 and 27 stand in some. */
static inline unsigned is_control(uint8_t c) {
    return (unsigned)((c < 32) & ((uint8_t)(c - 8) > 5) & ((uint8_t)(c - 26) > 1)) | (c == 127);
}

#define IS_TAIL(b) (((b) & 0xC0) == 0x80)

/* Decode one code point; a byte that begins no well-formed sequence is U+FFFD of length 1. */
static inline unsigned utf8_decode(const uint8_t *p, size_t left, uint32_t *point) {
    uint8_t b = p[0];
    if (b < 0x80) {
        *point = b;
        return 1;
    }
    if (b >= 0xE0 && b < 0xF0 && left >= 3 && IS_TAIL(p[1]) && IS_TAIL(p[2])) {
        uint32_t c = (uint32_t)(b & 15) << 12 | (uint32_t)(p[1] & 63) << 6 | (p[2] & 63);
        if (c >= 0x800 && (c & 0xF800) != 0xD800) {
            *point = c;
            return 3;
        }
    } else if (b >= 0xC2 && b < 0xE0 && left >= 2 && IS_TAIL(p[1])) {
        *point = (uint32_t)(b & 31) << 6 | (p[1] & 63);
        return 2;
    } else if (b >= 0xF0 && b < 0xF5 && left >= 4 && IS_TAIL(p[1]) && IS_TAIL(p[2]) && IS_TAIL(p[3])) {
        uint32_t c = (uint32_t)(b & 7) << 18 | (uint32_t)(p[1] & 63) << 12 | (uint32_t)(p[2] & 63) << 6 | (p[3] & 63);
        if (c >= 0x10000 && c < 0x110000) {
            *point = c;
            return 4;
        }
    }
    *point = 0xFFFD;
    return 1;
}

/* Where the first byte from `i` on stands that is not ASCII. */
static inline size_t skip_ascii(const uint8_t *data, size_t i, size_t n) {
    uint64_t eight;
    for (; i + 8 <= n; i += 8) {
        memcpy(&eight, data + i, 8);
        if (eight & 0x8080808080808080ULL) break;
    }
    while (i < n && data[i] < 0x80) i++;
    return i;
}

/* Look at 64 bytes, a number that the compiler knows, so that it takes many at once. */
static inline int sound_block(const uint8_t *data, uint8_t *any, int64_t *controls) {
    uint8_t high = 0, nul = 0, found = 0;
    for (size_t j = 0; j < 64; j++) {
        uint8_t c = data[j];
        high |= c;
        nul |= c == 0;
        found = (uint8_t)(found + is_control(c));
    }
    *any |= high;
    *controls += found;
    return !nul;
}

/* The number of control characters among the first `sample` bytes of sound UTF-8 without a NUL; -1 if it is not. */
static int64_t text_sound(const uint8_t *data, size_t n, size_t sample) {
    int64_t controls = 0, later = 0;
    uint8_t any = 0;
    size_t i = 0;
    if (sample > n) sample = n;
    for (; i + 64 <= n; i += 64)
        if (!sound_block(data + i, &any, i + 64 <= sample ? &controls : &later)) return -1;
    for (size_t j = i < (sample & ~(size_t)63) ? i : sample & ~(size_t)63; j < sample; j++) controls += is_control(data[j]);
    for (; i < n; i++) {
        if (!data[i]) return -1;
        any |= data[i];
    }
    for (i = any > 127 ? skip_ascii(data, 0, n) : n; i < n; i = skip_ascii(data, i, n)) {
        uint32_t point;
        unsigned length = utf8_decode(data + i, n - i, &point);
        if (point == 0xFFFD && length == 1) return -1;
        i += length;
    }
    return controls;
}

static inline unsigned uni_place(uint32_t point) {
    return UNI_SECOND[(unsigned)UNI_FIRST[point >> UNI_SHIFT] << UNI_SHIFT | (point & ((1 << UNI_SHIFT) - 1))];
}

static inline int is_kept(unsigned kind) { return kind - KEEP <= SOLO - KEEP; }

/* Does a code point leave no symbol at all? */
static inline int uni_vanishes(uint32_t point) {
    unsigned place = uni_place(point);
    if (place < UNI_SIMPLE) return !is_kept(UNI_KIND[place]);
    const uint32_t *fold = UNI_POOL + (place - UNI_SIMPLE);
    for (uint32_t i = 1; i <= fold[0]; i++)
        if (is_kept(fold[i] & 7)) return 0;
    return 1;
}

/* ---- plain blocks: every kept character is ASCII ---------------------------------------------- */

/* Check the non-ASCII characters that begin in data[i:i+64]; `next` is where the last one ended.
 * 0: one of them is kept, so the block is not plain. */
static inline int plain_check(const uint8_t *data, size_t n, size_t i, uint64_t high, size_t *next) {
    while (high) {
        size_t at = i + text_ctz(high);
        high &= high - 1;
        if (at < *next) continue;
        uint32_t point;
        *next = at + utf8_decode(data + at, n - at, &point);
        if (!uni_vanishes(point)) return 0;
    }
    return 1;
}

/* Squeeze data[0:n] into `out` (room for n + 8), one mask of kept bytes for each 64 bytes and before
 * it the number of bytes kept so far; the last rank is the total.  0: the block is not plain. */
static int plain_portable(const uint8_t *data, size_t n, uint8_t *out, uint64_t *masks, uint32_t *ranks) {
    size_t kept = 0, next = 0, group = 0;
    for (size_t i = 0; i < n; i += 64, group++) {
        size_t stop = n - i < 64 ? n - i : 64;
        uint64_t mask = 0, high = 0;
        ranks[group] = (uint32_t)kept;
        for (size_t j = 0; j < stop; j++) {
            uint8_t byte = data[i + j], low = text_lower[byte];
            uint64_t keep = low != 0;
            out[kept] = low;
            kept += keep;
            mask |= keep << j;
            high |= (uint64_t)(byte >> 7) << j;
        }
        if (high && !plain_check(data, n, i, high, &next)) return 0;
        masks[group] = mask;
    }
    ranks[group] = (uint32_t)kept;
    return 1;
}

#if TEXT_HAS_AVX2
/* Lower-case 32 bytes; the bits of `keep` are the letters and digits among them. */
TEXT_AVX2 static inline __m256i lower_avx2(__m256i x, uint32_t *keep) {
    __m256i small = _mm256_or_si256(x, _mm256_set1_epi8(32));
    __m256i from_a = _mm256_sub_epi8(small, _mm256_set1_epi8('a'));
    __m256i from_0 = _mm256_sub_epi8(x, _mm256_set1_epi8('0'));
    __m256i letter = _mm256_cmpeq_epi8(_mm256_min_epu8(from_a, _mm256_set1_epi8(25)), from_a);
    __m256i digit = _mm256_cmpeq_epi8(_mm256_min_epu8(from_0, _mm256_set1_epi8(9)), from_0);
    *keep = (uint32_t)_mm256_movemask_epi8(_mm256_or_si256(letter, digit));
    return _mm256_blendv_epi8(x, small, letter);
}

/* Write the bytes of 16 that the mask names, without gaps; spills up to 8 bytes past them. */
TEXT_AVX2 static inline uint8_t *squeeze16(__m128i bytes, uint32_t mask, uint8_t *out) {
    __m128i low = _mm_loadl_epi64((const __m128i *)&text_squeeze[mask & 255]);
    __m128i high = _mm_loadl_epi64((const __m128i *)&text_squeeze[mask >> 8]);
    high = _mm_or_si128(high, _mm_set1_epi8(8));
    _mm_storel_epi64((__m128i *)out, _mm_shuffle_epi8(bytes, low));
    out += _mm_popcnt_u32(mask & 255);
    _mm_storel_epi64((__m128i *)out, _mm_shuffle_epi8(bytes, high));
    return out + _mm_popcnt_u32(mask >> 8);
}

TEXT_AVX2 static int plain_avx2(const uint8_t *data, size_t n, uint8_t *out, uint64_t *masks, uint32_t *ranks) {
    size_t next = 0, group = 0;
    uint8_t *to = out, tail[64];
    for (size_t i = 0; i < n; i += 64, group++) {
        const uint8_t *from = data + i;
        if (n - i < 64) {
            memset(tail, 0, 64);
            memcpy(tail, from, n - i);
            from = tail;
        }
        uint32_t keep_a, keep_b;
        __m256i a = _mm256_loadu_si256((const __m256i *)from);
        __m256i b = _mm256_loadu_si256((const __m256i *)(from + 32));
        uint64_t high = (uint32_t)_mm256_movemask_epi8(a) | (uint64_t)(uint32_t)_mm256_movemask_epi8(b) << 32;
        if (high && !plain_check(data, n, i, high, &next)) return 0;
        a = lower_avx2(a, &keep_a);
        b = lower_avx2(b, &keep_b);
        masks[group] = keep_a | (uint64_t)keep_b << 32;
        ranks[group] = (uint32_t)(to - out);
        to = squeeze16(_mm256_castsi256_si128(a), keep_a & 0xFFFF, to);
        to = squeeze16(_mm256_extracti128_si256(a, 1), keep_a >> 16, to);
        to = squeeze16(_mm256_castsi256_si128(b), keep_b & 0xFFFF, to);
        to = squeeze16(_mm256_extracti128_si256(b, 1), keep_b >> 16, to);
    }
    ranks[group] = (uint32_t)(to - out);
    return 1;
}
#endif

static int text_plain(const uint8_t *data, size_t n, uint8_t *out, uint64_t *masks, uint32_t *ranks) {
#if TEXT_HAS_AVX2
    if (text_use_avx2) return plain_avx2(data, n, out, masks, ranks);
#endif
    return plain_portable(data, n, out, masks, ranks);
}

#endif
