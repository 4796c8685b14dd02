/* Columns of small numbers with a few large ones among them: lengths of postings.

   Each number has `bits` bits in the column; of those that need more, the exceptions, a second column has the
   places and a third one the bits above. docs/format.md is the grammar. */

#ifndef COPYSIFT_EXCEPTIONS_H
#define COPYSIFT_EXCEPTIONS_H

#include "postings.h"

typedef struct {
    int bits, excess_bits;
    size_t exceptions;
} exceptions_head;

static int exceptions_width(uint32_t value) {
#ifdef __GNUC__
    return value ? 32 - __builtin_clz(value) : 0;
#else
    return postings_width(value);
#endif
}

static size_t exceptions_bytes(size_t n, exceptions_head h) {
    return postings_bytes(n, h.bits) + postings_bytes(h.exceptions, exceptions_width((uint32_t)n - 1)) +
           postings_bytes(h.exceptions, h.excess_bits);
}

/* Choose the width that takes the fewest bits, the largest if several do; all n exceptions are never worth it. */
static exceptions_head exceptions_choose(const uint32_t *values, size_t n, uint32_t least) {
    size_t counts[33] = {0}, above = 0, best;
    int most = 32, place_bits = exceptions_width((uint32_t)n - 1);
    for (size_t i = 0; i < n; i++) counts[exceptions_width(values[i] - least)]++;
    while (most && !counts[most]) most--;
    exceptions_head h = {most, 0, 0};
    best = n * (size_t)most;
    for (int bits = most - 1; bits >= 0; bits--) {
        above += counts[bits + 1];
        size_t cost = n * (size_t)bits + above * (size_t)(place_bits + most - bits);
        if (cost < best) best = cost, h = (exceptions_head){bits, most - bits, above};
    }
    return h;
}

/* Write the columns to `out`, which is zero; give the bytes used. */
static size_t exceptions_write(const uint32_t *values, size_t n, uint32_t least, exceptions_head h, uint8_t *out) {
    int place_bits = exceptions_width((uint32_t)n - 1);
    uint8_t *places = out + postings_bytes(n, h.bits), *excess = places + postings_bytes(h.exceptions, place_bits);
    uint64_t low = ((uint64_t)1 << h.bits) - 1;
    for (size_t i = 0, e = 0; i < n; i++) {
        uint64_t value = values[i] - least;
        if (h.bits) postings_put(out, i, h.bits, value & low);
        if (!(value >> h.bits)) continue;
        postings_put(places, e, place_bits, i);
        postings_put(excess, e++, h.excess_bits, value >> h.bits);
    }
    return exceptions_bytes(n, h);
}

/* Whether a column of n numbers can have this head; then its places are checked, too. */
static int exceptions_possible(exceptions_head h, size_t n) {
    return h.bits <= 32 && h.excess_bits <= 32 - h.bits && h.exceptions < n;
}

static int exceptions_sound(const uint8_t *column, size_t n, exceptions_head h) {
    const uint8_t *places = column + postings_bytes(n, h.bits);
    int place_bits = exceptions_width((uint32_t)n - 1);
    size_t next = 0;
    for (size_t e = 0; e < h.exceptions; e++) {
        size_t place = (size_t)postings_get(places, e, place_bits);
        if (place < next || place >= n) return 0;
        next = place + 1;
    }
    return 1;
}

/* Read numbers first .. last-1 of n. */
static void exceptions_read(const uint8_t *column, size_t n, exceptions_head h, uint32_t least, size_t first,
                            size_t last, uint32_t *out) {
    const uint8_t *places = column + postings_bytes(n, h.bits);
    int place_bits = exceptions_width((uint32_t)n - 1);
    const uint8_t *excess = places + postings_bytes(h.exceptions, place_bits);
    for (size_t i = first; i < last; i++) out[i - first] = least + (uint32_t)postings_get(column, i, h.bits);
    for (size_t e = 0; e < h.exceptions; e++) {
        size_t place = (size_t)postings_get(places, e, place_bits);
        if (place < first || place >= last) continue;
        out[place - first] += (uint32_t)(postings_get(excess, e, h.excess_bits) << h.bits);
    }
}

#endif
