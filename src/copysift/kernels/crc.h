/* CRC-32 as in zlib: eight bytes a step by tables, or 64 a step where the processor multiplies without carry.

   The second way is that of V. Gopal and others, "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ
   Instruction" (Intel, 2009): what was read is kept as a remainder of 512 bits, which is moved on by 512 bits
   with two products by powers of x, and reduced to 32 bits at the end. */

#ifndef COPYSIFT_CRC_H
#define COPYSIFT_CRC_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)
#define CRC_HAS_PCLMUL 1
#include <immintrin.h>
#define CRC_PCLMUL __attribute__((target("pclmul,sse4.1")))
#else
#define CRC_HAS_PCLMUL 0
#endif

#define CRC_LEAST 128 /* bytes from which on folding is worth it */

static int crc_use_pclmul = 0;

static int crc_cpu_has_pclmul(void) {
#if CRC_HAS_PCLMUL
    __builtin_cpu_init();
    return __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1");
#else
    return 0;
#endif
}

static uint32_t crc_table[8][256];

static void crc_init(void) {
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int bit = 0; bit < 8; bit++) c = c & 1 ? 0xEDB88320u ^ (c >> 1) : c >> 1;
        crc_table[0][i] = c;
    }
    for (uint32_t i = 0; i < 256; i++)
        for (int t = 1; t < 8; t++)
            crc_table[t][i] =
                crc_table[0][crc_table[t - 1][i] & 255] ^ (crc_table[t - 1][i] >> 8);
}

/* Continue a remainder, without the complements at either end. */
static uint32_t crc_by_table(uint32_t c, const uint8_t *p, size_t n) {
    for (; n >= 8; n -= 8, p += 8) {
        uint32_t low, high;
        memcpy(&low, p, 4);
        memcpy(&high, p + 4, 4);
        low ^= c;
        c = crc_table[7][low & 255] ^ crc_table[6][low >> 8 & 255] ^
            crc_table[5][low >> 16 & 255] ^ crc_table[4][low >> 24] ^
            crc_table[3][high & 255] ^ crc_table[2][high >> 8 & 255] ^
            crc_table[1][high >> 16 & 255] ^ crc_table[0][high >> 24];
    }
    while (n--) c = crc_table[0][(c ^ *p++) & 255] ^ (c >> 8);
    return c;
}

#if CRC_HAS_PCLMUL
/* Move a remainder on by the distance whose powers of x are in k, and add what is there. */
CRC_PCLMUL static inline __m128i crc_fold(__m128i held, __m128i k, __m128i there) {
    __m128i low = _mm_clmulepi64_si128(held, k, 0x00), high = _mm_clmulepi64_si128(held, k, 0x11);
    return _mm_xor_si128(_mm_xor_si128(low, high), there);
}

/* As crc_by_table, for n >= 64 that is a multiple of 16. */
CRC_PCLMUL static uint32_t crc_by_folding(uint32_t c, const uint8_t *p, size_t n) {
    const __m128i by512 = _mm_set_epi64x(0x1c6e41596, 0x154442bd4); /* x^(512-32), x^(512+32), bits reversed */
    const __m128i by128 = _mm_set_epi64x(0x0ccaa009e, 0x1751997d0);
    const __m128i by64 = _mm_set_epi64x(0, 0x163cd6124);
    const __m128i divisor = _mm_set_epi64x(0x1f7011641, 0x1db710641); /* floor(x^64 / P) and P */
    const __m128i low32 = _mm_setr_epi32(-1, 0, -1, 0);
    __m128i x[4];
    for (int i = 0; i < 4; i++) x[i] = _mm_loadu_si128((const __m128i *)p + i);
    x[0] = _mm_xor_si128(x[0], _mm_cvtsi32_si128((int)c));
    for (p += 64, n -= 64; n >= 64; p += 64, n -= 64)
        for (int i = 0; i < 4; i++) x[i] = crc_fold(x[i], by512, _mm_loadu_si128((const __m128i *)p + i));
    __m128i r = x[0];
    for (int i = 1; i < 4; i++) r = crc_fold(r, by128, x[i]);
    for (; n >= 16; p += 16, n -= 16) r = crc_fold(r, by128, _mm_loadu_si128((const __m128i *)p));
    /* 128 bits to 96, to 64, then Barrett's reduction to 32 */
    r = _mm_xor_si128(_mm_srli_si128(r, 8), _mm_clmulepi64_si128(r, by128, 0x10));
    r = _mm_xor_si128(_mm_srli_si128(r, 4), _mm_clmulepi64_si128(_mm_and_si128(r, low32), by64, 0x00));
    __m128i q = _mm_clmulepi64_si128(_mm_and_si128(r, low32), divisor, 0x10);
    q = _mm_clmulepi64_si128(_mm_and_si128(q, low32), divisor, 0x00);
    return (uint32_t)_mm_extract_epi32(_mm_xor_si128(r, q), 1);
}
#endif

static uint32_t crc_of(uint32_t crc, const uint8_t *p, size_t n) {
    uint32_t c = ~crc;
#if CRC_HAS_PCLMUL
    if (crc_use_pclmul && n >= CRC_LEAST) {
        size_t whole = n & ~(size_t)15;
        c = crc_by_folding(c, p, whole);
        p += whole;
        n -= whole;
    }
#endif
    return ~crc_by_table(c, p, n);
}

#endif
