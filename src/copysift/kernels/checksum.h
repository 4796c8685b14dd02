/* BLAKE2b (RFC 7693) of many byte strings at once: reference/checksum.py is the definition.
 * Strings do not depend on each other, so AVX2 takes four side by side, one in each lane; a lane whose
 * string ends takes the next one. */
#ifndef COPYSIFT_CHECKSUM_H
#define COPYSIFT_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)
#define CHECKSUM_HAS_AVX2 1
#include <immintrin.h>
#define CHECKSUM_AVX2 __attribute__((target("avx2")))
#else
#define CHECKSUM_HAS_AVX2 0
#endif

#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 8
#define CHECKSUM_UNROLLED _Pragma("GCC unroll 12") /* places in the message are constants then */
#else
#define CHECKSUM_UNROLLED
#endif

#define CHECKSUM_BLOCK 128
#define CHECKSUM_LANES 4

static int checksum_use_avx2 = 0;

static const uint64_t checksum_iv[8] = {
    0x6A09E667F3BCC908ull, 0xBB67AE8584CAA73Bull, 0x3C6EF372FE94F82Bull, 0xA54FF53A5F1D36F1ull,
    0x510E527FADE682D1ull, 0x9B05688C2B3E6C1Full, 0x1F83D9ABFB41BD6Bull, 0x5BE0CD19137E2179ull,
};

static const uint8_t checksum_order[12][16] = { /* which word of the message, RFC 7693 section 2.7 */
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
};

typedef struct {
    const uint8_t *at;               /* what is left of the string */
    size_t left, done;               /* bytes */
    uint8_t last[CHECKSUM_BLOCK];    /* its last block, filled up with zeros */
    uint64_t end;                    /* all ones when the block that was taken is the last */
} checksum_string;

static int checksum_cpu_has_avx2(void) {
#if CHECKSUM_HAS_AVX2
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2");
#else
    return 0;
#endif
}

static inline uint64_t checksum_word(const uint8_t *p) {
    uint64_t x = 0;
    for (int i = 7; i >= 0; i--) x = x << 8 | p[i];
    return x;
}

static uint64_t checksum_first(size_t digest) { return checksum_iv[0] ^ 0x01010000ull ^ digest; }

/* Take the next block of a string. */
static const uint8_t *checksum_take(checksum_string *s) {
    const uint8_t *block = s->at;
    if (s->left > CHECKSUM_BLOCK) {
        s->at += CHECKSUM_BLOCK;
        s->left -= CHECKSUM_BLOCK;
        s->done += CHECKSUM_BLOCK;
        return block;
    }
    memset(s->last, 0, CHECKSUM_BLOCK);
    if (s->left) memcpy(s->last, s->at, s->left);
    s->done += s->left;
    s->end = ~0ull;
    return s->last;
}

#define CHECKSUM_ROTATE(x, by) ((x) >> (by) | (x) << (64 - (by)))
#define CHECKSUM_G(a, b, c, d, x, y)                                                     \
    v[a] += v[b] + (x); v[d] = CHECKSUM_ROTATE(v[d] ^ v[a], 32);                         \
    v[c] += v[d];       v[b] = CHECKSUM_ROTATE(v[b] ^ v[c], 24);                         \
    v[a] += v[b] + (y); v[d] = CHECKSUM_ROTATE(v[d] ^ v[a], 16);                         \
    v[c] += v[d];       v[b] = CHECKSUM_ROTATE(v[b] ^ v[c], 63);

static void checksum_compress(uint64_t h[8], const uint8_t *block, uint64_t done, uint64_t end) {
    uint64_t v[16], m[16];
    for (int i = 0; i < 16; i++) m[i] = checksum_word(block + 8 * i);
    for (int i = 0; i < 8; i++) { v[i] = h[i]; v[i + 8] = checksum_iv[i]; }
    v[12] ^= done;
    v[14] ^= end;
    CHECKSUM_UNROLLED
    for (int round = 0; round < 12; round++) {
        const uint8_t *s = checksum_order[round];
        CHECKSUM_G(0, 4, 8, 12, m[s[0]], m[s[1]])
        CHECKSUM_G(1, 5, 9, 13, m[s[2]], m[s[3]])
        CHECKSUM_G(2, 6, 10, 14, m[s[4]], m[s[5]])
        CHECKSUM_G(3, 7, 11, 15, m[s[6]], m[s[7]])
        CHECKSUM_G(0, 5, 10, 15, m[s[8]], m[s[9]])
        CHECKSUM_G(1, 6, 11, 12, m[s[10]], m[s[11]])
        CHECKSUM_G(2, 7, 8, 13, m[s[12]], m[s[13]])
        CHECKSUM_G(3, 4, 9, 14, m[s[14]], m[s[15]])
    }
    for (int i = 0; i < 8; i++) h[i] ^= v[i] ^ v[i + 8];
}

static void checksum_write(const uint64_t h[8], size_t digest, uint8_t *out) {
    for (size_t i = 0; i < digest; i++) out[i] = (uint8_t)(h[i / 8] >> 8 * (i % 8));
}

/* Go on with a string to its end. */
static void checksum_finish(uint64_t h[8], checksum_string *s, size_t digest, uint8_t *out) {
    while (!s->end) {
        const uint8_t *block = checksum_take(s);
        checksum_compress(h, block, s->done, s->end);
    }
    checksum_write(h, digest, out);
}

static void checksum_begin(checksum_string *s, const uint8_t *data, size_t size) {
    s->at = data;
    s->left = size;
    s->done = 0;
    s->end = 0;
}

static void checksum_each(const uint8_t *const *data, const size_t *sizes, size_t n, size_t digest, uint8_t *out) {
    for (size_t i = 0; i < n; i++) {
        checksum_string s;
        uint64_t h[8];
        memcpy(h, checksum_iv, sizeof h);
        h[0] = checksum_first(digest);
        checksum_begin(&s, data[i], sizes[i]);
        checksum_finish(h, &s, digest, out + i * digest);
    }
}

#if CHECKSUM_HAS_AVX2
#define CHECKSUM_G4(a, b, c, d, x, y)                                                                       \
    v[a] = _mm256_add_epi64(_mm256_add_epi64(v[a], v[b]), (x));                                             \
    v[d] = _mm256_shuffle_epi32(_mm256_xor_si256(v[d], v[a]), 0xB1);                                        \
    v[c] = _mm256_add_epi64(v[c], v[d]); v[b] = _mm256_shuffle_epi8(_mm256_xor_si256(v[b], v[c]), by24);    \
    v[a] = _mm256_add_epi64(_mm256_add_epi64(v[a], v[b]), (y));                                             \
    v[d] = _mm256_shuffle_epi8(_mm256_xor_si256(v[d], v[a]), by16);                                         \
    v[c] = _mm256_add_epi64(v[c], v[d]); v[b] = _mm256_xor_si256(v[b], v[c]);                               \
    v[b] = _mm256_or_si256(_mm256_srli_epi64(v[b], 63), _mm256_add_epi64(v[b], v[b]));

/* Compress one block in each lane: h[i] has the i-th word of all four states. */
CHECKSUM_AVX2 static void checksum_compress4(uint64_t h[8][4], const uint8_t *const block[4],
                                             const uint64_t done[4], const uint64_t end[4]) {
    const __m256i by24 = _mm256_setr_epi8(3, 4, 5, 6, 7, 0, 1, 2, 11, 12, 13, 14, 15, 8, 9, 10,
                                          3, 4, 5, 6, 7, 0, 1, 2, 11, 12, 13, 14, 15, 8, 9, 10);
    const __m256i by16 = _mm256_setr_epi8(2, 3, 4, 5, 6, 7, 0, 1, 10, 11, 12, 13, 14, 15, 8, 9,
                                          2, 3, 4, 5, 6, 7, 0, 1, 10, 11, 12, 13, 14, 15, 8, 9);
    __m256i v[16], m[16];
    for (int i = 0; i < 16; i += 4) { /* four words of four blocks, turned round */
        __m256i a = _mm256_loadu_si256((const __m256i *)(block[0] + 8 * i));
        __m256i b = _mm256_loadu_si256((const __m256i *)(block[1] + 8 * i));
        __m256i c = _mm256_loadu_si256((const __m256i *)(block[2] + 8 * i));
        __m256i d = _mm256_loadu_si256((const __m256i *)(block[3] + 8 * i));
        __m256i ab = _mm256_unpacklo_epi64(a, b), cd = _mm256_unpacklo_epi64(c, d);
        __m256i AB = _mm256_unpackhi_epi64(a, b), CD = _mm256_unpackhi_epi64(c, d);
        m[i] = _mm256_permute2x128_si256(ab, cd, 0x20);
        m[i + 1] = _mm256_permute2x128_si256(AB, CD, 0x20);
        m[i + 2] = _mm256_permute2x128_si256(ab, cd, 0x31);
        m[i + 3] = _mm256_permute2x128_si256(AB, CD, 0x31);
    }
    for (int i = 0; i < 8; i++) {
        v[i] = _mm256_loadu_si256((const __m256i *)h[i]);
        v[i + 8] = _mm256_set1_epi64x((long long)checksum_iv[i]);
    }
    v[12] = _mm256_xor_si256(v[12], _mm256_loadu_si256((const __m256i *)done));
    v[14] = _mm256_xor_si256(v[14], _mm256_loadu_si256((const __m256i *)end));
    CHECKSUM_UNROLLED
    for (int round = 0; round < 12; round++) {
        const uint8_t *s = checksum_order[round];
        CHECKSUM_G4(0, 4, 8, 12, m[s[0]], m[s[1]])
        CHECKSUM_G4(1, 5, 9, 13, m[s[2]], m[s[3]])
        CHECKSUM_G4(2, 6, 10, 14, m[s[4]], m[s[5]])
        CHECKSUM_G4(3, 7, 11, 15, m[s[6]], m[s[7]])
        CHECKSUM_G4(0, 5, 10, 15, m[s[8]], m[s[9]])
        CHECKSUM_G4(1, 6, 11, 12, m[s[10]], m[s[11]])
        CHECKSUM_G4(2, 7, 8, 13, m[s[12]], m[s[13]])
        CHECKSUM_G4(3, 4, 9, 14, m[s[14]], m[s[15]])
    }
    for (int i = 0; i < 8; i++) {
        __m256i x = _mm256_xor_si256(_mm256_loadu_si256((const __m256i *)h[i]), _mm256_xor_si256(v[i], v[i + 8]));
        _mm256_storeu_si256((__m256i *)h[i], x);
    }
}

CHECKSUM_AVX2 static void checksum_four(const uint8_t *const *data, const size_t *sizes, size_t n, size_t digest,
                                        uint8_t *out) {
    checksum_string s[CHECKSUM_LANES];
    size_t which[CHECKSUM_LANES], next = 0;
    uint64_t h[8][CHECKSUM_LANES], done[CHECKSUM_LANES], end[CHECKSUM_LANES], own[8];
    const uint8_t *block[CHECKSUM_LANES];
    int empty = 0;
    if (n < CHECKSUM_LANES) {
        checksum_each(data, sizes, n, digest, out);
        return;
    }
    for (int lane = 0; lane < CHECKSUM_LANES; lane++) {
        checksum_begin(&s[lane], data[next], sizes[next]);
        which[lane] = next++;
        for (int i = 0; i < 8; i++) h[i][lane] = i ? checksum_iv[i] : checksum_first(digest);
    }
    while (!empty) {
        for (int lane = 0; lane < CHECKSUM_LANES; lane++) {
            block[lane] = checksum_take(&s[lane]);
            done[lane] = s[lane].done;
            end[lane] = s[lane].end;
        }
        checksum_compress4(h, block, done, end);
        for (int lane = 0; lane < CHECKSUM_LANES; lane++) {
            if (!s[lane].end) continue;
            for (int i = 0; i < 8; i++) own[i] = h[i][lane];
            checksum_write(own, digest, out + which[lane] * digest);
            if (next == n) { /* what the other lanes have begun is ended one by one */
                empty = 1;
                continue;
            }
            checksum_begin(&s[lane], data[next], sizes[next]);
            which[lane] = next++;
            for (int i = 0; i < 8; i++) h[i][lane] = i ? checksum_iv[i] : checksum_first(digest);
        }
    }
    for (int lane = 0; lane < CHECKSUM_LANES; lane++) {
        if (s[lane].end) continue;
        for (int i = 0; i < 8; i++) own[i] = h[i][lane];
        checksum_finish(own, &s[lane], digest, out + which[lane] * digest);
    }
}
#endif

/* Write the digests of n strings, one after the other. */
static void checksum_many(const uint8_t *const *data, const size_t *sizes, size_t n, size_t digest, uint8_t *out) {
#if CHECKSUM_HAS_AVX2
    if (checksum_use_avx2) {
        checksum_four(data, sizes, n, digest, out);
        return;
    }
#endif
    checksum_each(data, sizes, n, digest, out);
}

#endif
