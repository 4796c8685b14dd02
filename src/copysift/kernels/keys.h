/* Ascending sets of 64-bit keys: sorted, repeats dropped, digested.
 *
 * Keys are hashes, so their top bits put them nearly in order: keys are scattered into more parts than there are
 * keys, one pass of exchanges orders parts of two, and the few that are still out of order are inserted. What is no
 * hash is sorted all the same, by radix. */
#ifndef COPYSIFT_KEYS_H
#define COPYSIFT_KEYS_H

#include "words.h"

#define KEYS_FEW 24    /* keys that are sorted by insertion */
#define KEYS_DIGIT 11
#define KEYS_SPREAD ((size_t)4096) /* keys at most that are scattered at once */
#define KEYS_COUNTS (7 * ((1 << KEYS_DIGIT) + 1) + 2 * 4096) /* 32-bit counts of a work space */

static uint64_t keys_digest(const uint64_t *keys, size_t n) {
    uint64_t hash = WORD_SEED;
    for (size_t i = 0; i < n; i++) hash = word_mix(hash, keys[i]);
    return word_finish(word_mix(hash, n));
}

/* ---- any keys: radix from the top digit down ---- */

static void keys_insertion(uint64_t *h, size_t n) {
    for (size_t i = 1; i < n; i++) {
        uint64_t key = h[i];
        size_t j = i;
        for (; j > 0 && h[j - 1] > key; j--) h[j] = h[j - 1];
        h[j] = key;
    }
}

static int keys_equal(const uint64_t *h, size_t n) {
    for (size_t i = 1; i < n; i++)
        if (h[i] != h[0]) return 0;
    return 1;
}

/* Put keys in the order of one digit; counts[p] is then the end of part p. */
static void keys_scatter(const uint64_t *h, uint64_t *o, size_t n, int shift, size_t parts, uint32_t *counts) {
    uint64_t mask = parts - 1;
    memset(counts, 0, (parts + 1) * sizeof *counts);
    for (size_t i = 0; i < n; i++) counts[((h[i] >> shift) & mask) + 1]++;
    for (size_t p = 0; p < parts; p++) counts[p + 1] += counts[p];
    for (size_t i = 0; i < n; i++) o[counts[(h[i] >> shift) & mask]++] = h[i];
}

/* Sort h by its lowest `bits` bits, with o as room for n keys more; the result lands in h if `stay`, else in o. */
static void keys_sort_part(uint64_t *h, uint64_t *o, size_t n, int bits, int stay, uint32_t *counts) {
    int digit = 1;
    if (n <= KEYS_FEW || bits == 0 || keys_equal(h, n)) {
        if (bits && n <= KEYS_FEW) keys_insertion(h, n);
        if (!stay) memcpy(o, h, n * sizeof *h);
        return;
    }
    while (digit < KEYS_DIGIT && n >> (digit + 1)) digit++;
    if (digit > bits) digit = bits;
    size_t parts = (size_t)1 << digit, from = 0;
    keys_scatter(h, o, n, bits - digit, parts, counts);
    for (size_t p = 0; p < parts; p++) {
        size_t to = counts[p];
        if (to > from) keys_sort_part(o + from, h + from, to - from, bits - digit, !stay, counts + parts + 1);
        from = to;
    }
}

/* ---- a set in the making ---- */

typedef struct {
    uint64_t *keys; /* ascending, without repeats */
    size_t count, digested;
    uint64_t hash; /* over the first `digested` */
    size_t moves;  /* keys that insertions have passed */
} key_set;

/* Insert a key that is smaller than the last one. */
static void keys_insert(key_set *s, uint64_t key) {
    size_t at = s->count;
    while (at > 0 && s->keys[at - 1] > key) at--;
    s->moves += s->count - at;
    if (at > 0 && s->keys[at - 1] == key) return;
    memmove(s->keys + at + 1, s->keys + at, (s->count - at) * 8);
    s->keys[at] = key;
    s->count++;
    if (at < s->digested) { /* too late for the digest: begin it again */
        s->digested = 0;
        s->hash = WORD_SEED;
    }
}

static inline void keys_absorb(key_set *s, size_t upto) {
    uint64_t hash = s->hash;
    for (size_t i = s->digested; i < upto; i++) hash = word_mix(hash, s->keys[i]);
    s->hash = hash;
    s->digested = upto;
}

/* Add keys that are nearly in order and above all that the set has; o may lie behind its end. Gives 0 when they are
 * too far out of order. The digest follows some keys behind, so that others are ordered while it multiplies. */
static int keys_add(key_set *s, const uint64_t *o, size_t n) {
    uint64_t carry = o[0];
    s->moves = 0;
    for (size_t i = 1; i <= n;) {
        size_t stop = i + 16 < n + 1 ? i + 16 : n + 1, count = s->count;
        uint64_t last = count ? s->keys[count - 1] : 0, *keys = s->keys;
        for (; i < stop; i++) {
            uint64_t next = i < n ? o[i] : UINT64_MAX, low = next < carry ? next : carry;
            carry = next < carry ? carry : next;
            if (low < last) {
                s->count = count;
                keys_insert(s, low);
                count = s->count;
                last = keys[count - 1];
                continue;
            }
            keys[count] = low;
            count += (low != last) | !count;
            last = low;
        }
        s->count = count;
        if (count > s->digested + KEYS_FEW) keys_absorb(s, count - KEYS_FEW);
        if (s->moves > KEYS_FEW * n) return 0;
    }
    return 1;
}

/* ---- scattering by more parts than there are keys ---- */

#if TEXT_HAS_AVX2
/* Counts to sums of the counts before them; a multiple of 16 of them. */
TEXT_AVX2 static void keys_sums_avx2(uint16_t *counts, size_t parts) {
    __m256i carry = _mm256_setzero_si256();
    const __m256i last = _mm256_set1_epi16(0x0F0E);
    for (size_t p = 0; p < parts; p += 16) {
        __m256i x = _mm256_loadu_si256((const __m256i *)(counts + p)), sum = x;
        sum = _mm256_add_epi16(sum, _mm256_slli_si256(sum, 2));
        sum = _mm256_add_epi16(sum, _mm256_slli_si256(sum, 4));
        sum = _mm256_add_epi16(sum, _mm256_slli_si256(sum, 8));
        __m256i ends = _mm256_shuffle_epi8(sum, last); /* the sum of each half, in all of it */
        sum = _mm256_add_epi16(sum, _mm256_permute2x128_si256(ends, ends, 0x08));
        sum = _mm256_add_epi16(sum, carry);
        _mm256_storeu_si256((__m256i *)(counts + p), _mm256_sub_epi16(sum, x));
        carry = _mm256_add_epi16(carry, _mm256_add_epi16(ends, _mm256_permute2x128_si256(ends, ends, 0x01)));
    }
}
#endif

static void keys_sums(uint16_t *counts, size_t parts) {
    uint16_t before = 0;
#if TEXT_HAS_AVX2
    if (text_use_avx2) {
        keys_sums_avx2(counts, parts);
        return;
    }
#endif
    for (size_t p = 0; p < parts; p++) {
        uint16_t count = counts[p];
        counts[p] = before;
        before = (uint16_t)(before + count);
    }
}

/* Scatter up to KEYS_SPREAD keys, all alike above their lowest `bits` bits. */
static void keys_spread(const uint64_t *h, uint64_t *o, size_t n, int bits, uint16_t *counts) {
    int digit = 4;
    while (n >> (digit - 1)) digit++;
    if (digit > bits) digit = bits;
    size_t parts = (size_t)1 << digit, mask = parts - 1;
    int shift = bits - digit;
    memset(counts, 0, (parts < 16 ? 16 : parts) * sizeof *counts);
    for (size_t i = 0; i < n; i++) counts[h[i] >> shift & mask]++;
    keys_sums(counts, parts < 16 ? 16 : parts);
    for (size_t i = 0; i < n; i++) o[counts[h[i] >> shift & mask]++] = h[i];
}

/* Add the keys of h, which are above all that the set has and alike above their lowest `bits` bits. o may lie behind
 * the end of the set. */
static void keys_take(key_set *s, uint64_t *h, uint64_t *o, size_t n, int bits, uint32_t *counts) {
    key_set before = *s;
    if (n <= KEYS_SPREAD) {
        keys_spread(h, o, n, bits, (uint16_t *)counts);
        if (keys_add(s, o, n)) return;
        *s = before; /* no hashes */
    }
    keys_sort_part(h, o, n, bits, 0, counts);
    keys_add(s, o, n);
}

/* Sort keys, drop repeats and digest what is left; gives its number. `counts` is a space of KEYS_COUNTS. */
static size_t keys_distinct(uint64_t *h, uint64_t *room, size_t n, uint32_t *counts, uint64_t *digest) {
    key_set set = {h, 0, 0, WORD_SEED, 0};
    int digit = 1;
    while (digit < KEYS_DIGIT && n >> (digit + 9)) digit++;
    size_t parts = (size_t)1 << digit, from = 0;
    if (n <= KEYS_SPREAD) {
        parts = 0;
        set.keys = room;
        if (n) { /* else there may be no room */
            keys_take(&set, h, room, n, 64, counts);
            memcpy(h, room, set.count * 8);
        }
    } else keys_scatter(h, room, n, 64 - digit, parts, counts); /* parts of some hundred keys */
    for (size_t p = 0; p < parts; p++) {
        size_t to = counts[p];
        if (to > from) keys_take(&set, room + from, h + from, to - from, 64 - digit, counts + parts + 1);
        from = to;
    }
    keys_absorb(&set, set.count);
    *digest = word_finish(word_mix(set.hash, set.count));
    return set.count;
}

#endif
