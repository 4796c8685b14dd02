/* Ascending numbers as Elias and Fano write them (1974, 1971): the lowest bits of each in a column, the others by
   a bit for each number, after as many zeros as the highest bits grew since the number before.

   Half a bit from the least that is possible, and numbers are read one after another without a branch that is
   hard to guess. */

#ifndef COPYSIFT_ELIAS_FANO_H
#define COPYSIFT_ELIAS_FANO_H

#include "postings.h"

#define ELIAS_FANO_MOST 56 /* lowest bits: a value is read by one load of 8 bytes */

static uint64_t elias_fano_eight(const uint8_t *bytes, size_t n) { /* up to 8 bytes as a number */
    uint64_t word = 0;
    if (n >= 8) memcpy(&word, bytes, 8);
    else for (size_t i = 0; i < n; i++) word |= (uint64_t)bytes[i] << 8 * i;
    return word;
}

static size_t elias_fano_ones(uint64_t word) {
    word -= word >> 1 & 0x5555555555555555u;
    word = (word & 0x3333333333333333u) + (word >> 2 & 0x3333333333333333u);
    return (size_t)(((word + (word >> 4)) & 0x0F0F0F0F0F0F0F0Fu) * 0x0101010101010101u >> 56);
}

static size_t elias_fano_zeros(uint64_t word) { /* below the lowest one; there is one */
#ifdef __GNUC__
    return (size_t)__builtin_ctzll(word);
#else
    return elias_fano_ones((word & (0 - word)) - 1);
#endif
}

/* The place of one number `rank`, from 0 on, of `bytes` bytes that have more ones. */
static size_t elias_fano_place(const uint8_t *data, size_t bytes, size_t rank) {
    size_t at = 0;
    uint64_t word = elias_fano_eight(data, bytes);
    for (size_t ones; (ones = elias_fano_ones(word)) <= rank; rank -= ones)
        at += 8, word = elias_fano_eight(data + at, bytes - at);
    while (rank--) word &= word - 1;
    return 8 * at + elias_fano_zeros(word);
}

/* The lowest bits of n numbers up to `last`. */
static int elias_fano_bits(uint64_t last, size_t n) {
    int bits = 0;
    while (bits < ELIAS_FANO_MOST && n && (last / n) >> bits >> 1) bits++;
    return bits;
}

/* Bytes of the highest bits of n numbers up to `last`. */
static size_t elias_fano_high(uint64_t last, size_t n, int bits) {
    return n ? postings_bytes(n + (size_t)(last >> bits), 1) : 0;
}

/* Read n numbers above 0, times 2^shift and after `first`; 0 if they do not ascend, are not n, or go beyond 64 bits. */
static int elias_fano_read(const uint8_t *low, const uint8_t *high, size_t bytes, size_t n, int bits, int shift,
                           uint64_t first, uint64_t *out) {
    if (!n) return !bytes;
    if (!bytes || !high[bytes - 1]) return 0;
    uint64_t above = 0, value = 0, wrong = 0;
    size_t k = 0;
    for (size_t at = 0; at < bytes; at += 8) {
        uint64_t word = elias_fano_eight(high + at, bytes - at);
        for (; word; word &= word - 1, k++) {
            if (k == n) return 0;
            uint64_t before = value;
            above = 8 * at + elias_fano_zeros(word) - k;
            value = above << bits | postings_get(low, k, bits);
            wrong |= (uint64_t)(value <= before);
            out[k] = first + (value << shift);
        }
    }
    wrong |= (uint64_t)(k != n) | (uint64_t)(above > UINT64_MAX >> bits) | (uint64_t)(value > (UINT64_MAX - first) >> shift);
    return !wrong;
}

#endif
