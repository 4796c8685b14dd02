/* Where symbols stand in the source: the rank-th set bit of masks, one for each 64 bytes, found only where it is
 * needed.  reference/text.py is the definition. */
#ifndef COPYSIFT_POSITIONS_H
#define COPYSIFT_POSITIONS_H

#include "text.h"

static inline unsigned select_bit(uint64_t mask, unsigned rank) {
    unsigned at = 0;
    for (;;) { /* at most 7 whole bytes, then at most 7 bits */
        unsigned byte = (unsigned)(mask & 255), ones = 0;
        for (unsigned b = byte; b; b &= b - 1) ones++;
        if (rank < ones) break;
        rank -= ones;
        mask >>= 8;
        at += 8;
    }
    return at + (unsigned)(text_squeeze[mask & 255] >> 8 * rank & 7);
}

/* Step forward from `group` to the one that holds symbol q (ranks[group] <= q < ranks[group + 1]):
 * selected positions come in order and close together, others are found by bisection. */
static inline size_t find_group(const uint32_t *ranks, size_t groups, size_t group, uint32_t q) {
    if (ranks[group] <= q)
        for (int step = 0; step < 8; step++, group++)
            if (q < ranks[group + 1]) return group;
    size_t low = ranks[group] <= q ? group : 0, high = groups;
    while (high - low > 1) {
        size_t mid = low + (high - low) / 2;
        if (ranks[mid] <= q) low = mid;
        else high = mid;
    }
    return low;
}

/* Copy numbers of symbols; 0: one of them is not below `total`. */
static int text_narrow(const int64_t *which, size_t n, uint32_t total, uint32_t *out) {
    int64_t bad = 0, most = (int64_t)total - 1; /* negative: one is, or the most less it */
    for (size_t i = 0; i < n; i++) {
        bad |= which[i] | (int64_t)((uint64_t)most - (uint64_t)which[i]);
        out[i] = (uint32_t)which[i];
    }
    return bad >= 0;
}

/* For every 32 symbols the group of the first, so that neighbours among `n` symbols do not wait for one another; NULL
 * where they are too few to be worth it, or there is no memory for it. */
static uint32_t *text_table(const uint32_t *ranks, size_t groups, size_t n) {
    uint32_t *table = n > groups / 4 ? (uint32_t *)malloc((ranks[groups] / 32 + 1) * 4) : NULL, next = 0;
    for (size_t group = 0; table && group < groups; group++)
        for (; next < ranks[group + 1]; next += 32) table[next >> 5] = (uint32_t)group;
    return table;
}

#define POSITIONS_BODY(SELECT)                                                  \
    size_t group = 0;                                                           \
    for (size_t i = 0; i < n; i++) {                                            \
        if (table) {                                                            \
            group = table[which[i] >> 5];                                       \
            group += which[i] >= ranks[group + 1];                              \
            while (which[i] >= ranks[group + 1]) group++;                       \
        } else group = find_group(ranks, groups, group, which[i]);              \
        out[i] = offset + (uint32_t)(group << 6) + SELECT(masks[group], which[i] - ranks[group]); \
    }

static void positions_portable(const uint64_t *masks, const uint32_t *ranks, size_t groups, const uint32_t *table,
                               uint32_t offset, const uint32_t *which, size_t n, uint32_t *out) {
    POSITIONS_BODY(select_bit)
}

#if TEXT_HAS_AVX2
#define SELECT_PDEP(mask, rank) ((uint32_t)_tzcnt_u64(_pdep_u64(1ULL << (rank), mask)))
TEXT_AVX2 static void positions_avx2(const uint64_t *masks, const uint32_t *ranks, size_t groups, const uint32_t *table,
                                     uint32_t offset, const uint32_t *which, size_t n, uint32_t *out) {
    POSITIONS_BODY(SELECT_PDEP)
}
#endif

/* `table` is of the same ranks, or NULL. */
static void text_positions(const uint64_t *masks, const uint32_t *ranks, size_t groups, const uint32_t *table,
                           uint32_t offset, const uint32_t *which, size_t n, uint32_t *out) {
#if TEXT_HAS_AVX2
    if (text_use_avx2) {
        positions_avx2(masks, ranks, groups, table, offset, which, n, out);
        return;
    }
#endif
    positions_portable(masks, ranks, groups, table, offset, which, n, out);
}

/* Positions of all symbols in order. */
static void text_all_positions(const uint64_t *masks, size_t groups, uint32_t offset, uint32_t *out) {
    for (size_t group = 0; group < groups; group++)
        for (uint64_t mask = masks[group]; mask; mask &= mask - 1)
            *out++ = offset + (uint32_t)(group << 6) + text_ctz(mask);
}

/* The number of symbols before each mask, and of all at the end. */
static void text_ranks(const uint64_t *masks, size_t groups, uint32_t *ranks) {
    uint32_t count = 0;
    for (size_t group = 0; group < groups; group++) {
        uint64_t bits = masks[group];
        ranks[group] = count;
        bits -= bits >> 1 & 0x5555555555555555ULL;
        bits = (bits & 0x3333333333333333ULL) + (bits >> 2 & 0x3333333333333333ULL);
        count += (uint32_t)(((bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0FULL) * 0x0101010101010101ULL >> 56);
    }
    ranks[groups] = count;
}

/* ---- symbols of characters of several bytes ---------------------------------------------------- */

typedef struct {
    const uint64_t *bounds; /* where characters begin, and all that is past the block */
    size_t groups;          /* of `bounds` */
    const uint32_t *extra;  /* in order, the numbers of symbols for which the masks have no bit */
    size_t extras;
} text_bounds;

/* Number the symbols as the masks do: one that has no bit stands where the one before it does. */
static void text_without_extra(const text_bounds *b, uint32_t *which, size_t n) {
    for (size_t i = 0; i < n && b->extras; i++) {
        size_t low = 0, high = b->extras;
        while (low < high) {
            size_t mid = low + (high - low) / 2;
            if (b->extra[mid] <= which[i]) low = mid + 1;
            else high = mid;
        }
        which[i] -= (uint32_t)low;
    }
}

static inline unsigned text_top(uint64_t bits) {
#if defined(_MSC_VER) && !defined(__clang__)
    unsigned long at;
    _BitScanReverse64(&at, bits);
    return (unsigned)at;
#else
    return 63u - (unsigned)__builtin_clzll(bits);
#endif
}

/* Move places of bytes to where their characters begin, in a source whose block is at `offset`. */
static void text_begins(const text_bounds *b, uint32_t offset, uint32_t *places, size_t n) {
    for (size_t i = 0; i < n; i++) {
        size_t group = places[i] >> 6;
        uint64_t bits = b->bounds[group] & (~(uint64_t)0 >> (63 - (places[i] & 63)));
        while (!bits && group) bits = b->bounds[--group];
        places[i] = offset + (uint32_t)(group << 6) + (bits ? text_top(bits) : 0);
    }
}

/* Move them to where the next characters begin. */
static void text_ends(const text_bounds *b, uint32_t offset, uint32_t *places, size_t n) {
    for (size_t i = 0; i < n; i++) {
        size_t group = places[i] >> 6;
        uint64_t bits = b->bounds[group] & (~(uint64_t)1 << (places[i] & 63));
        while (!bits && group + 1 < b->groups) bits = b->bounds[++group];
        places[i] = offset + (uint32_t)(group << 6) + (bits ? text_ctz(bits) : 64);
    }
}

/* Give where the symbols first[i] begin and where the symbols last[i] end, in a source whose block is at `offset`;
 * b: NULL where each symbol is one byte. 0: one of them is none of the block's. */
static int text_spans(const uint64_t *masks, const uint32_t *ranks, size_t groups, const text_bounds *b, uint32_t offset,
                      const int64_t *first, const int64_t *last, size_t n, uint32_t *starts, uint32_t *ends) {
    uint32_t total = ranks[groups] + (b ? (uint32_t)b->extras : 0);
    if (!text_narrow(first, n, total, starts) || !text_narrow(last, n, total, ends)) return 0;
    if (b) {
        text_without_extra(b, starts, n);
        text_without_extra(b, ends, n);
    }
    uint32_t *table = text_table(ranks, groups, n);
    text_positions(masks, ranks, groups, table, b ? 0 : offset, starts, n, starts);
    text_positions(masks, ranks, groups, table, b ? 0 : offset + 1, ends, n, ends);
    free(table);
    if (b) {
        text_begins(b, offset, starts, n);
        text_ends(b, offset, ends, n);
    }
    return 1;
}

/* Let characters begin nowhere inside of spans of the source, whose block begins at `offset`. */
static void text_merge(uint64_t *bounds, size_t groups, uint64_t offset, const uint32_t *starts, const uint32_t *ends, size_t n) {
    for (size_t i = 0; i < n; i++) {
        uint64_t at = starts[i] < offset ? 0 : starts[i] - offset + 1, end = ends[i] < offset ? 0 : ends[i] - offset;
        if (end > groups * 64) end = groups * 64;
        for (; at < end; at = (at | 63) + 1) {
            uint64_t inside = ~(uint64_t)0 << (at & 63);
            if (end >> 6 == at >> 6) inside &= ((uint64_t)1 << (end & 63)) - 1;
            bounds[at >> 6] &= ~inside;
        }
    }
}

#endif
