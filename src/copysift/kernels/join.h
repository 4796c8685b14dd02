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
    while (digit < most && (n >> (digit + 2)) > 1) digit++;
    return digit < bits ? digit : bits;
}

/* Give the bits in which not all hashes are the same. */
static uint64_t join_differing(const uint64_t *h, size_t n) {
    uint64_t differing = 0;
    for (size_t i = 1; i < n; i++) differing |= h[i] ^ h[0];
    return differing;
}

static int join_width(uint64_t bits) {
    int width = 0;
    for (; bits; bits >>= 1) width++;
    return width;
}

/* Sort n entries of h, g by their lowest `bits` bits; the result lands in h, g if `stay`, else in
   oh, og. `counts` has room for the digits still to come: their bits sum to 64 at most. */
static void join_sort_part(uint64_t *h, uint32_t *g, uint64_t *oh, uint32_t *og, size_t n, int bits,
                           int stay, size_t *counts) {
    if (n > JOIN_INSERTION) bits = join_width(join_differing(h, n));
    if (n <= JOIN_INSERTION || bits == 0) {
        if (bits > 0) join_insertion(h, g, n);
        if (!stay) {
            memcpy(oh, h, n * sizeof *h);
            memcpy(og, g, n * sizeof *g);
        }
        return;
    }
    int digit = join_digit(n, bits), shift = bits - digit;
    size_t parts = (size_t)1 << digit;
    uint64_t mask = parts - 1;
    memset(counts, 0, (parts + 1) * sizeof *counts);
    for (size_t i = 0; i < n; i++) counts[((h[i] >> shift) & mask) + 1]++;
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

/* The same from the lowest digit up, for keys that differ in few bits: pairs of documents, say. Digits that
   are the same everywhere are left out. Gives 0 and does nothing when too many digits are left. */
#define JOIN_LOW 9    /* bits of a digit */
#define JOIN_PASSES 5 /* digits at most: beyond, the top digit first is faster */

static int join_sort_low(uint64_t *h, uint32_t *g, uint64_t *oh, uint32_t *og, size_t n, size_t *counts) {
    const size_t parts = (size_t)1 << JOIN_LOW;
    uint64_t rest = join_differing(h, n);
    int shifts[JOIN_PASSES], digits = 0;
    for (int shift = 0; rest >> shift;) {
        while (!(rest >> shift & 1)) shift++;
        if (digits == JOIN_PASSES) return 0;
        shifts[digits++] = shift;
        shift += JOIN_LOW;
        if (shift >= 64) break;
    }
    memset(counts, 0, digits * parts * sizeof *counts);
    for (size_t i = 0; i < n; i++)
        for (int d = 0; d < digits; d++) counts[d * parts + (h[i] >> shifts[d] & (parts - 1))]++;
    uint64_t *keys = h;
    uint32_t *with = g;
    for (int d = 0; d < digits; d++) {
        size_t *place = counts + d * parts, before = 0;
        for (size_t p = 0; p < parts; p++) {
            size_t count = place[p];
            place[p] = before;
            before += count;
        }
        for (size_t i = 0; i < n; i++) {
            size_t to = place[h[i] >> shifts[d] & (parts - 1)]++;
            oh[to] = h[i];
            og[to] = g[i];
        }
        uint64_t *hashes = h;
        uint32_t *groups = g;
        h = oh, oh = hashes;
        g = og, og = groups;
    }
    if (h != keys) {
        memcpy(keys, h, n * sizeof *h);
        memcpy(with, g, n * sizeof *g);
    }
    return 1;
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

/* Sort in place by hash; equal ones keep their order. Returns 0 when there is no memory for a second buffer. */
static int join_sort_keys(uint64_t *hashes, uint32_t *groups, size_t n) {
    if (n < 2) return 1;
    uint64_t *h = malloc(n * sizeof *h);
    uint32_t *g = malloc(n * sizeof *g);
    size_t *counts = malloc(16384 * sizeof *counts); /* 64 bits in digits of 11 need 6 × 2049 */
    int fits = h && g && counts;
    if (fits) {
        if (!join_sort_low(hashes, groups, h, g, n, counts))
            join_sort_part(hashes, groups, h, g, n, 64, 1, counts);
    }
    free(h);
    free(g);
    free(counts);
    return fits;
}

/* Sort in place by hash, then group. */
static int join_sort(uint64_t *hashes, uint32_t *groups, size_t n) {
    int fits = join_sort_keys(hashes, groups, n);
    if (fits) join_order_runs(hashes, groups, n);
    return fits;
}

/* Leave every key once, in order, with the sum of its counts; gives how many, or -1 without memory. */
static int64_t join_sum(uint64_t *keys, uint32_t *counts, size_t n) {
    size_t to = 0;
    if (!n) return 0;
    if (!join_sort_keys(keys, counts, n)) return -1;
    for (size_t i = 1; i < n; i++) {
        if (keys[i] == keys[to]) {
            counts[to] += counts[i];
        } else {
            to++;
            keys[to] = keys[i];
            counts[to] = counts[i];
        }
    }
    return (int64_t)to + 1;
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
