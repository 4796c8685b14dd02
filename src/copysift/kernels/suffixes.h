/* Suffix array by induced sorting (Nong, Zhang, Chan 2009), linear time on any integer alphabet. */

#ifndef COPYSIFT_SUFFIXES_H
#define COPYSIFT_SUFFIXES_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SUFFIX_NONE UINT32_MAX

/* The text is packed while it is sorted: symbol × 2 + 1 if the suffix is smaller than the next one
   ("S"), + 0 if it is larger ("L"), so that one random access gives both. */

static void suffix_pack(uint32_t *text, uint32_t n) {
    uint32_t smaller = 0, next = 0; /* the last suffix is larger than the empty one: nothing is below 0 */
    for (uint32_t i = n; i-- > 0;) {
        uint32_t symbol = text[i];
        smaller = (uint32_t)(symbol < next) | ((uint32_t)(symbol == next) & smaller);
        next = symbol;
        text[i] = symbol << 1 | smaller;
    }
}

static uint32_t suffix_is_lms(const uint32_t *text, uint32_t i) {
    return (uint32_t)(i > 0) & text[i] & ~text[i > 0 ? i - 1 : 0] & 1;
}

static void suffix_bucket_ends(const uint32_t *counts, uint32_t alphabet, uint32_t *ends) {
    uint32_t sum = 0;
    for (uint32_t c = 0; c < alphabet; c++) ends[c] = sum += counts[c];
}

/* Induce the order of all suffixes from the n_lms leftmost S suffixes, given in order. Branches on
   the type of a suffix cannot be predicted, so the loops have none: sa[n] takes what is not wanted. */
static void suffix_induce(const uint32_t *text, uint32_t n, const uint32_t *counts, uint32_t *bucket,
                          uint32_t alphabet, const uint32_t *lms, uint32_t n_lms, uint32_t *sa) {
    memset(sa, 0xFF, n * sizeof *sa);
    suffix_bucket_ends(counts, alphabet, bucket);
    for (uint32_t i = n_lms; i-- > 0;) sa[--bucket[text[lms[i]] >> 1]] = lms[i];
    suffix_bucket_ends(counts, alphabet, bucket);
    for (uint32_t c = 0; c < alphabet; c++) bucket[c] -= counts[c];
    sa[bucket[text[n - 1] >> 1]++] = n - 1;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t j = sa[i] - 1, there = j < n; /* neither suffix 0 nor an empty place */
        uint32_t before = text[there ? j : 0], wanted = there & ~before;
        uint32_t *to = &bucket[before >> 1];
        sa[wanted & 1 ? *to : n] = j;
        *to += wanted & 1;
    }
    suffix_bucket_ends(counts, alphabet, bucket);
    for (uint32_t i = n; i-- > 0;) {
        uint32_t j = sa[i] - 1, there = j < n;
        uint32_t before = text[there ? j : 0], wanted = there & before;
        uint32_t *to = &bucket[before >> 1];
        *to -= wanted & 1;
        sa[wanted & 1 ? *to : n] = j;
    }
}

static int suffix_same_piece(const uint32_t *text, uint32_t n, uint32_t p, uint32_t p_end, uint32_t q,
                             uint32_t q_end) {
    if (p_end - p != q_end - q || p_end == n || q_end == n) return 0;
    return memcmp(text + p, text + q, (p_end - p + 1) * sizeof *text) == 0;
}

static int suffix_sort(uint32_t *text, uint32_t n, uint32_t alphabet, uint32_t *sa);

/* Name the pieces between leftmost S suffixes in their order in sa; sort the names if any repeat. */
static int suffix_order_lms(const uint32_t *text, uint32_t n, uint32_t *lms, uint32_t n_lms,
                            const uint32_t *sa, uint32_t *number) {
    uint32_t *sorted = malloc((n_lms + 1) * sizeof *sorted);
    uint32_t *names = malloc(n_lms * sizeof *names);
    int fits = sorted && names;
    if (fits) {
        uint32_t seen = 0, last = SUFFIX_NONE, last_end = 0, name = 0;
        for (uint32_t i = 0; i < n_lms; i++) number[lms[i]] = i;
        for (uint32_t i = 0; i < n; i++) { /* without branches, as above */
            sorted[seen] = sa[i];
            seen += suffix_is_lms(text, sa[i]);
        }
        for (uint32_t i = 0; i < n_lms; i++) {
            uint32_t p = sorted[i];
            uint32_t at = number[p], end = at + 1 < n_lms ? lms[at + 1] : n;
            if (last != SUFFIX_NONE && !suffix_same_piece(text, n, last, last_end, p, end)) name++;
            names[at] = name;
            last = p;
            last_end = end;
        }
        if (name + 1 < n_lms) {
            uint32_t *order = malloc((n_lms + (size_t)1) * sizeof *order);
            fits = order && suffix_sort(names, n_lms, name + 1, order);
            if (fits)
                for (uint32_t i = 0; i < n_lms; i++) sorted[i] = lms[order[i]];
            free(order);
        }
        if (fits) memcpy(lms, sorted, n_lms * sizeof *lms);
    }
    free(sorted);
    free(names);
    return fits;
}

/* Fill sa with the starts of the suffixes in order; it has n + 1 places, the last of no meaning.
   Symbols are below `alphabet` ≤ 2^31. The text comes back as it was. Returns 0 when memory runs out. */
static int suffix_sort(uint32_t *text, uint32_t n, uint32_t alphabet, uint32_t *sa) {
    if (n == 0) return 1;
    uint32_t *counts = calloc(alphabet, sizeof *counts);
    uint32_t *bucket = malloc(alphabet * sizeof *bucket);
    uint32_t *number = malloc(n * sizeof *number);
    uint32_t *lms = malloc((n / 2 + 2) * sizeof *lms), n_lms = 0; /* two never stand side by side */
    int fits = counts && bucket && number && lms;
    if (fits) {
        for (uint32_t i = 0; i < n; i++) counts[text[i]]++;
        suffix_pack(text, n);
        for (uint32_t i = 1; i < n; i++) {
            lms[n_lms] = i;
            n_lms += suffix_is_lms(text, i);
        }
        if (n_lms > 1) {
            suffix_induce(text, n, counts, bucket, alphabet, lms, n_lms, sa);
            fits = suffix_order_lms(text, n, lms, n_lms, sa, number);
        }
        if (fits) suffix_induce(text, n, counts, bucket, alphabet, lms, n_lms, sa);
        for (uint32_t i = 0; i < n; i++) text[i] >>= 1;
    }
    free(counts);
    free(bucket);
    free(number);
    free(lms);
    return fits;
}

/* before[p] is the suffix that stands just before p in order, common[p] how much they have in common. */
static void suffix_neighbours(const uint32_t *text, uint32_t n, const uint32_t *sa, uint32_t *before,
                              uint32_t *common) {
    for (uint32_t i = 0; i < n; i++) before[sa[i]] = i ? sa[i - 1] : SUFFIX_NONE;
    for (uint32_t p = 0, same = 0; p < n; p++) {
        uint32_t q = before[p];
        if (q == SUFFIX_NONE) {
            same = 0;
        } else {
            while (p + same < n && q + same < n && text[p + same] == text[q + same]) same++;
        }
        common[p] = same;
        if (same) same--;
    }
}

#endif
