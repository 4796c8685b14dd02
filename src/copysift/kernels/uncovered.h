/* The words of a document that lie in none of its shingles but its own. Included by the shingle kernel. */
#ifndef COPYSIFT_UNCOVERED_H
#define COPYSIFT_UNCOVERED_H

#include "shingle.h"

/* Count the words that lie in no shingle but the document's own m, and those beyond the first `few` shingles' length of
   each run of them; `order` has its n shingles of w words in a row, `room` room for 4m + 2. */
static void shingle_uncovered(const uint32_t *order, size_t n, size_t words, const uint64_t *own, size_t m,
                              size_t few, uint32_t *room, int64_t *out) {
    size_t to = 0, w = words - n + 1, mask = 1;
    int zero = 0;
    out[0] = out[1] = 0;
    while (mask < 2 * m) mask <<= 1;
    memset(room, 0, mask * sizeof *room); /* a table of the own ones, 0 where it is free */
    mask--;
    for (size_t i = 0; i < m; i++) {
        uint32_t half = (uint32_t)own[i];
        size_t at = half & mask;
        zero |= !half;
        while (room[at] && room[at] != half) at = (at + 1) & mask;
        room[at] = half;
    }
    for (size_t i = 0; i <= n; i++) {
        size_t start = i < n ? i : words;
        if (i < n) {
            size_t at = order[i] & mask;
            while (room[at] && room[at] != order[i]) at = (at + 1) & mask;
            if (order[i] ? room[at] != 0 : zero) continue;
        }
        if (start > to) {
            out[0] += (int64_t)(start - to);
            if (start - to > few * w) out[1] += (int64_t)(start - to - few * w);
        }
        to = start + w;
    }
}

/* Put the keys of one set that are not in another in `out`; both ascend. */
static size_t shingle_apart(const uint64_t *one, size_t n, const uint64_t *other, size_t m, uint64_t *out) {
    size_t found = 0, j = 0;
    for (size_t i = 0; i < n; i++) {
        while (j < m && other[j] < one[i]) j++;
        out[found] = one[i];
        found += j == m || other[j] != one[i];
    }
    return found;
}

/* ---- the same for pairs: what belongs to one document is made once, a table of the other once for its pairs ---- */

/* Say for every place of a text which key of its set is there, n where none is, by a table of 4 · n + 2 numbers. Gives
 * 0 where two keys have the same low half. */
static int shingle_slots(const uint32_t *order, size_t places, const uint64_t *keys, size_t n, uint32_t *room,
                         uint32_t *slots) {
    size_t mask = 1;
    while (mask < 2 * n) mask <<= 1;
    memset(room, 0, mask * sizeof *room); /* numbers of keys from 1 on, 0 where it is free */
    mask--;
    for (size_t i = 0; i < n; i++) {
        uint32_t half = (uint32_t)keys[i];
        size_t at = half & mask;
        for (; room[at]; at = (at + 1) & mask)
            if ((uint32_t)keys[room[at] - 1] == half) return 0;
        room[at] = (uint32_t)(i + 1);
    }
    for (size_t i = 0; i < places; i++) {
        size_t at = order[i] & mask;
        while (room[at] && (uint32_t)keys[room[at] - 1] != order[i]) at = (at + 1) & mask;
        slots[i] = room[at] ? room[at] - 1 : (uint32_t)n;
    }
    return 1;
}

/* Mark the keys of one set that are not in another; both ascend. */
static void shingle_mark_own(const uint64_t *one, size_t n, const uint64_t *other, size_t m, uint8_t *own) {
    size_t i = 0, j = 0;
    while (i < n && j < m) { /* without a branch that depends on the keys */
        uint64_t x = one[i], y = other[j];
        own[i] = x != y;
        i += x <= y;
        j += y <= x;
    }
    memset(own + i, 1, n - i);
}

#if TEXT_HAS_AVX2
/* The same by a table of the other set. */
TEXT_AVX2 static void shingle_look_up_own(const shingle_table *table, const uint64_t *one, size_t n, uint8_t *own) {
    int shift = 64 - table->bits;
    for (size_t i = 0; i < n; i++) {
        __m256i row = _mm256_loadu_si256((const __m256i *)(table->rows + (one[i] >> shift) * SHINGLE_ROW));
        __m256i same = _mm256_cmpeq_epi64(row, _mm256_set1_epi64x((long long)one[i]));
        own[i] = (uint8_t)_mm256_testz_si256(same, same);
    }
    for (size_t i = 0, j = 0; i < table->left_over; i++) {
        j = shingle_seek(one, j, n, table->over[i]);
        if (j == n) break;
        own[j] &= one[j] != table->over[i];
    }
}
#endif

/* As shingle_uncovered, by the slots of a text and the marks of its keys; own[number of keys] is 0. */
static void shingle_uncovered_slots(const uint32_t *slots, size_t n, size_t words, const uint8_t *own, size_t few,
                                    int64_t *out) {
    size_t to = 0, w = words - n + 1;
    out[0] = out[1] = 0;
    for (size_t i = 0; i <= n; i++) {
        if (i < n && own[slots[i]]) continue;
        size_t start = i < n ? i : words;
        if (start > to) {
            out[0] += (int64_t)(start - to);
            if (start - to > few * w) out[1] += (int64_t)(start - to - few * w);
        }
        to = start + w;
    }
}

/* Put set b into the table, for the documents that are compared with it; gives 0 when the table is of no use. */
static int shingle_fill_for(shingle_table *table, const uint64_t *b, size_t m, size_t pairs) {
#if TEXT_HAS_AVX2
    return text_use_avx2 && pairs > 2 && shingle_fill(table, b, m);
#else
    (void)table; (void)b; (void)m; (void)pairs;
    return 0;
#endif
}

/* Mark the keys of set a that are not in b, by the table of b if there is one. */
static void shingle_own(const uint64_t *a, size_t n, const uint64_t *b, size_t m, const shingle_table *table, int filled,
                        uint8_t *own) {
#if TEXT_HAS_AVX2
    if (filled) {
        shingle_look_up_own(table, a, n, own);
        return;
    }
#endif
    (void)table; (void)filled;
    shingle_mark_own(a, n, b, m, own);
}

#endif
