/* Sort-join of (hash, group) entries: partition, sort, runs; pairs.h forms the pairs.

   Everything works on parallel arrays of hashes and groups. Hashes may be skewed (winnowing keeps
   small ones), so every step adapts to the digits it meets instead of trusting the top byte. */

#ifndef COPYSIFT_JOIN_H
#define COPYSIFT_JOIN_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- partition: one stable scatter by the top bits ---- */

/* Write the 2^bits + 1 bounds of the parts and the entries, part after part, in their old order. */
static void join_partition(const uint64_t *hashes, const uint32_t *groups, size_t n, int bits,
                           uint64_t *out_hashes, uint32_t *out_groups, int64_t *bounds) {
    size_t parts = (size_t)1 << bits;
    int shift = 64 - bits;
    memset(bounds, 0, (parts + 1) * sizeof *bounds);
    if (parts == 1) {
        memcpy(out_hashes, hashes, n * sizeof *hashes);
        memcpy(out_groups, groups, n * sizeof *groups);
        bounds[1] = (int64_t)n;
        return;
    }
    for (size_t i = 0; i < n; i++) bounds[(hashes[i] >> shift) + 1]++;
    for (size_t p = 0; p < parts; p++) bounds[p + 1] += bounds[p];
    for (size_t i = 0; i < n; i++) {
        int64_t to = bounds[hashes[i] >> shift]++;
        out_hashes[to] = hashes[i];
        out_groups[to] = groups[i];
    }
    for (size_t p = parts; p > 0; p--) bounds[p] = bounds[p - 1];
    bounds[0] = 0;
}

/* ---- sort: radix from the top digit down, as many bits a pass as the part is worth ---- */

#define JOIN_INSERTION 24 /* parts this small are sorted by insertion */
#define JOIN_DIGIT 11     /* bits of a digit at most: a part is then in the cache */
#define JOIN_WIDE 8       /* bits while the part is not */

static void join_insertion(uint64_t *h, uint32_t *g, size_t n) {
    for (size_t i = 1; i < n; i++) {
        uint64_t hash = h[i];
        uint32_t group = g[i];
        size_t j = i;
        while (j > 0 && h[j - 1] > hash) {
            h[j] = h[j - 1];
            g[j] = g[j - 1];
            j--;
        }
        h[j] = hash;
        g[j] = group;
    }
}

static int join_digit(size_t n, int bits) {
    int digit = 1;
    int most = n > ((size_t)1 << 18) ? JOIN_WIDE : JOIN_DIGIT;
    while (digit < most && (n >> (digit + 4)) > 1) digit++;
    return digit < bits ? digit : bits;
}

/* Sort n entries of h, g by their lowest `bits` bits; the result lands in h, g if `stay`, else in
   oh, og. `counts` has room for the digits still to come: their bits sum to 64 at most. */
static void join_sort_part(uint64_t *h, uint32_t *g, uint64_t *oh, uint32_t *og, size_t n, int bits,
                           int stay, size_t *counts) {
    int digit = 0;
    size_t parts = 0;
    uint64_t mask = 0;
    while (n > JOIN_INSERTION && bits > 0) { /* skip the digits that are the same everywhere */
        digit = join_digit(n, bits);
        parts = (size_t)1 << digit;
        mask = parts - 1;
        int shift = bits - digit;
        memset(counts, 0, (parts + 1) * sizeof *counts);
        for (size_t i = 0; i < n; i++) counts[((h[i] >> shift) & mask) + 1]++;
        if (counts[((h[0] >> shift) & mask) + 1] < n) break;
        bits -= digit;
    }
    if (n <= JOIN_INSERTION || bits == 0) {
        if (bits > 0) join_insertion(h, g, n);
        if (!stay) {
            memcpy(oh, h, n * sizeof *h);
            memcpy(og, g, n * sizeof *g);
        }
        return;
    }
    int shift = bits - digit;
    for (size_t p = 0; p < parts; p++) counts[p + 1] += counts[p];
    for (size_t i = 0; i < n; i++) {
        size_t to = counts[(h[i] >> shift) & mask]++;
        oh[to] = h[i];
        og[to] = g[i];
    }
    size_t from = 0;
    for (size_t p = 0; p < parts; p++) {
        size_t to = counts[p];
        if (to > from)
            join_sort_part(oh + from, og + from, h + from, g + from, to - from, shift, !stay,
                           counts + parts + 1);
        from = to;
    }
}

static int join_compare_groups(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Put the groups of each hash in order; they are already if they were added in order. */
static void join_order_runs(const uint64_t *h, uint32_t *g, size_t n) {
    for (size_t i = 0; i < n;) {
        size_t end = i + 1;
        int ordered = 1;
        for (; end < n && h[end] == h[i]; end++) ordered &= g[end - 1] <= g[end];
        if (!ordered) qsort(g + i, end - i, sizeof *g, join_compare_groups);
        i = end;
    }
}

/* Sort in place by hash, then group. Returns 0 when there is no memory for the second buffer. */
static int join_sort(uint64_t *hashes, uint32_t *groups, size_t n) {
    if (n < 2) return 1;
    uint64_t *h = malloc(n * sizeof *h);
    uint32_t *g = malloc(n * sizeof *g);
    size_t *counts = malloc(16384 * sizeof *counts); /* 64 bits in digits of 11 need 6 × 2049 */
    int fits = h && g && counts;
    if (fits) {
        join_sort_part(hashes, groups, h, g, n, 64, 1, counts);
        join_order_runs(hashes, groups, n);
    }
    free(h);
    free(g);
    free(counts);
    return fits;
}

/* ---- runs: who holds each hash ---- */

typedef struct {
    size_t hashes;   /* held by 2..max_shared groups */
    size_t postings; /* groups of those, together */
    size_t common;   /* held by more */
} join_counts;

static size_t join_run(const uint64_t *h, const uint32_t *g, size_t n, size_t i, size_t *held) {
    size_t end = i + 1;
    *held = 1;
    for (; end < n && h[end] == h[i]; end++) *held += g[end] != g[end - 1];
    return end;
}

static join_counts join_count_runs(const uint64_t *h, const uint32_t *g, size_t n, size_t max_shared) {
    join_counts counts = {0, 0, 0};
    for (size_t i = 0, held; i < n;) {
        i = join_run(h, g, n, i, &held);
        if (held > max_shared) {
            counts.common++;
        } else if (held > 1) {
            counts.hashes++;
            counts.postings += held;
        }
    }
    return counts;
}

/* Fill the postings that join_count_runs counted, and add each group's distinct hashes to sizes. */
static void join_fill_runs(const uint64_t *h, const uint32_t *g, size_t n, size_t max_shared,
                           uint32_t *sizes, uint64_t *hashes, uint32_t *degrees, uint32_t *groups,
                           uint64_t *common, uint32_t *common_degrees, uint32_t *common_holders) {
    for (size_t i = 0, held; i < n;) {
        size_t end = join_run(h, g, n, i, &held);
        if (held > max_shared) {
            *common++ = h[i];
            *common_degrees++ = (uint32_t)held;
            *common_holders++ = g[i];
        } else {
            if (held > 1) {
                *hashes++ = h[i];
                *degrees++ = (uint32_t)held;
            }
            for (size_t p = i; p < end; p++) {
                if (p > i && g[p] == g[p - 1]) continue;
                sizes[g[p]]++;
                if (held > 1) *groups++ = g[p];
            }
        }
        i = end;
    }
}

#endif
