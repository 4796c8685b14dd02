/* Who shares a hash: lists of documents, and the pairs that they make.

   Twin: reference/lists.py. */
#ifndef COPYSIFT_LISTS_H
#define COPYSIFT_LISTS_H

#include "samples.h"

typedef struct {
    int64_t start; /* of the list among the entries */
    uint32_t length, common;
    uint64_t digest; /* of the documents and whose own sample the hash is */
} lists_list;

/* Find the lists of two documents or more, one of which has the hash in its own sample. `sizes` counts for
   every document the hashes of its own sample that are not common. Gives the number of lists. */
static size_t lists_find(const uint64_t *hashes, const uint32_t *docs, size_t n, const uint32_t *moduli,
                            const shingle_modulus *tests, uint64_t most, uint8_t *own, uint32_t *sizes,
                            lists_list *out) {
    size_t found = 0;
    for (size_t i = 0; i < n;) {
        size_t end = i, owners = 0;
        uint64_t digest = WORD_SEED;
        for (; end < n && hashes[end] == hashes[i]; end++) {
            own[end] = (uint8_t)shingle_divides(hashes[i], &tests[moduli[docs[end]]]);
            owners += own[end];
            digest = word_mix(digest, (uint64_t)docs[end] << 1 | own[end]);
        }
        int common = end - i > most;
        if (owners && end - i > 1) {
            lists_list list = {(int64_t)i, (uint32_t)(end - i), (uint32_t)common, word_finish(digest)};
            out[found++] = list;
        }
        if (!common)
            for (size_t j = i; j < end; j++) sizes[docs[j]] += own[j];
        i = end;
    }
    return found;
}

CS_INLINE uint64_t lists_pair(uint32_t a, uint32_t b) {
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

/* All pairs of a list of which one has the hash in its own sample. */
static size_t lists_all_pairs(const uint32_t *docs, const uint8_t *own, size_t n, uint32_t weight, uint64_t *pairs,
                                uint32_t *weights) {
    size_t found = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++) {
            pairs[found] = lists_pair(docs[i], docs[j]);
            weights[found] = weight;
            found += own[i] | own[j];
        }
    return found;
}

#define LISTS_LEADERS 8

/* Of a common list: everyone with the first whose own sample has the hash, with the one before, and with one of
   the first few, another for each list: who is unlike the first is like one of the others. A sum over the documents
   tells which one, so that parts of a list can be put together. */
static size_t lists_few_pairs(const uint32_t *docs, const uint8_t *own, size_t n, uint64_t *pairs) {
    size_t found = 0, first = 0, lead;
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) sum += word_mix(WORD_SEED, docs[i]);
    lead = word_finish(sum) % (n < LISTS_LEADERS ? n : LISTS_LEADERS);
    while (first + 1 < n && !own[first]) first++;
    for (size_t i = 0; i < n; i++) {
        if (i != first) pairs[found++] = lists_pair(docs[first], docs[i]);
        if (i && i - 1 != first && i != first && (own[i] | own[i - 1])) pairs[found++] = lists_pair(docs[i - 1], docs[i]);
        if (lead != first && i != lead && (own[i] | own[lead])) pairs[found++] = lists_pair(docs[lead], docs[i]);
    }
    return found;
}

/* ---- lists that are kept as lists: the pairs of a document with those that come later in its lists ---- */

/* Count the pairs that the postings from i on make with their document, as if all counted; *end is where those of the next
   one begin. */
static size_t lists_later(const uint64_t *keys, const uint32_t *places, size_t i, size_t n, const int64_t *lengths,
                          size_t *end) {
    size_t found = 0, at = i;
    for (; at < n && keys[at] >> 32 == keys[i] >> 32; at++)
        found += (size_t)lengths[keys[at] & UINT32_MAX] - places[at] - 1;
    *end = at;
    return found;
}

/* Give the bits of the slots of a table for this many pairs: more than twice as many. */
static int lists_bits(size_t pairs) {
    int bits = 1;
    while (pairs >> (bits - 1)) bits++;
    return bits;
}

/* Give every pair of a document once, with the sum of the weights of its lists, documents in order. A member of a list is
   its document · 2, + 1 if that owns the hash; `table` has the slots for the most pairs of a document. */
static size_t lists_long_pairs(const uint64_t *keys, const uint32_t *places, size_t n, const uint64_t *members,
                               const int64_t *starts, const int64_t *lengths, const uint32_t *weights, uint32_t *table,
                               uint64_t *pairs, uint32_t *sums) {
    size_t at = 0, end;
    for (size_t i = 0; i < n; i = end) {
        size_t later = lists_later(keys, places, i, n, lengths, &end), base = at;
        int bits = lists_bits(later);
        size_t mask = ((size_t)1 << bits) - 1;
        uint64_t document = keys[i] & ~(uint64_t)UINT32_MAX;
        memset(table, 0, (mask + 1) * sizeof *table); /* numbers of pairs from 1 on, 0 where it is free */
        for (size_t p = i; p < end; p++) {
            size_t list = keys[p] & UINT32_MAX;
            const uint64_t *all = members + starts[list];
            uint64_t own = all[places[p]] & 1;
            for (size_t j = places[p] + (size_t)1; j < (size_t)lengths[list]; j++) {
                if (!((own | all[j]) & 1)) continue;
                uint64_t pair = document | all[j] >> 1;
                size_t slot = (size_t)((all[j] >> 1) * WORD_SEED >> (64 - bits));
                while (table[slot] && pairs[base + table[slot] - 1] != pair) slot = (slot + 1) & mask;
                if (!table[slot]) {
                    pairs[at] = pair;
                    sums[at++] = 0;
                    table[slot] = (uint32_t)(at - base);
                }
                sums[base + table[slot] - 1] += weights[list];
            }
        }
    }
    return at;
}

#endif
