/* Blocks with letters outside ASCII: 32-bit symbols, and where they stand as bits.
 *
 * A unit is what leaves symbols together: a character, or the jamo that make a syllable. Of `masks`, a bit for each
 * byte, a unit has one for each of its symbols, from its first byte on; of `bounds` the first byte of each unit and of
 * each character without a symbol, and all from the end of the block on. A few units have more symbols than bytes;
 * the numbers of those beyond are `extra`. */
#ifndef COPYSIFT_UNICODE_TEXT_H
#define COPYSIFT_UNICODE_TEXT_H

#include "unicode_pages.h"

typedef struct {
    uint32_t *symbols;         /* room for unicode_room(n) */
    uint64_t *masks, *bounds;  /* unicode_groups(n) words, all zero at first */
    uint32_t *extra;           /* room for n / 2 + 1 */
    size_t count, extras;
} text_out;

static inline size_t unicode_room(size_t n) { return n + n / 2 + 80; }
static inline size_t unicode_groups(size_t n) { return (n + 63) / 64 + 1; }

/* Set bits from byte `at` on. */
static inline void text_mark(uint64_t *words, size_t at, uint64_t bits) {
    unsigned shift = at & 63;
    words[at >> 6] |= bits << shift;
    if (shift) words[(at >> 6) + 1] |= bits >> (64 - shift);
}

/* Clear the bits from byte `at` on. */
static inline void text_unmark(uint64_t *words, size_t groups, size_t at) {
    words[at >> 6] &= ((uint64_t)1 << (at & 63)) - 1;
    for (size_t group = (at >> 6) + 1; group < groups; group++) words[group] = 0;
}

/* Squeeze up to 64 ASCII bytes from data[i] on, at least one; gives where it stopped. */
static size_t ascii_run(const uint8_t *data, size_t i, size_t n, text_out *out) {
    size_t stop = n - i < 64 ? n : i + 64, j = i, count = out->count;
    uint64_t kept = 0;
    for (; j < stop && data[j] < 0x80; j++) {
        uint8_t low = text_lower[data[j]];
        out->symbols[count] = low;
        count += low != 0;
        kept |= (uint64_t)(low != 0) << (j - i);
    }
    out->count = count;
    text_mark(out->masks, i, kept);
    text_mark(out->bounds, i, ~(uint64_t)0 >> (64 - (j - i)));
    return j;
}

/* Does a character that leaves symbols end right before data[at]? */
static int kept_before(const uint8_t *data, size_t at) {
    size_t first = at;
    uint32_t point;
    while (first && at - first < 4 && IS_TAIL(data[first - 1])) first--;
    if (!first--) return 0;
    return first + utf8_decode(data + first, at - first, &point) == at && !uni_vanishes(point);
}

static inline int syllable_may_grow(uint32_t symbol) {
    return symbol - LEAD < 19 || (symbol - SYLLABLE < SYLLABLES && (symbol - SYLLABLE) % 28 == 0);
}

/* Join a vowel or tail jamo at data[start] to the syllable just before it, as NFC does. */
static int compose_hangul(text_out *out, uint32_t point, const uint8_t *data, size_t start) {
    if (!out->count || !kept_before(data, start)) return 0;
    uint32_t last = out->symbols[out->count - 1];
    if (point - VOWEL < 21 && last - LEAD < 19)
        last = SYLLABLE + ((last - LEAD) * 21 + point - VOWEL) * 28;
    else if (point - TAIL - 1 < 27 && last - SYLLABLE < SYLLABLES && (last - SYLLABLE) % 28 == 0)
        last += point - TAIL;
    else return 0;
    out->symbols[out->count - 1] = last;
    return 1;
}

/* Take characters one at a time from data[i], at least one, as far as data[stop]; gives where the next one begins. */
static size_t unicode_scalar(const uint8_t *data, size_t i, size_t stop, size_t n, text_out *out) {
    do {
        uint32_t point;
        size_t start = i;
        if (data[i] < 0x80) {
            i = ascii_run(data, i, n, out);
            continue;
        }
        unsigned length = utf8_decode(data + i, n - i, &point);
        i += length;
        if (point - VOWEL < TAIL + 28 - VOWEL && compose_hangul(out, point, data, start)) continue;
        unsigned count = uni_symbols(point, out->symbols + out->count);
        for (unsigned more = length; more < count; more++) out->extra[out->extras++] = (uint32_t)(out->count + more);
        out->count += count;
        text_mark(out->masks, start, ((uint64_t)1 << (count < length ? count : length)) - 1);
        text_mark(out->bounds, start, 1);
    } while (i < stop);
    return i;
}

#include "unicode_windows.h"

/* Canonicalise data[0:n].  Gives the bytes used: without `final`, a cut sequence and a syllable that may still grow
 * are left for the next block. */
static size_t text_unicode(const uint8_t *data, size_t n, int final, text_out *out) {
    size_t used = final ? n : utf8_whole(data, n), groups = unicode_groups(used);
#if TEXT_HAS_AVX2
    if (text_use_avx512) unicode_avx512(data, used, out);
    else if (text_use_avx2) unicode_avx2(data, used, out);
    else
#endif
    if (used) unicode_scalar(data, 0, used, used, out);
    if (!final && out->count && syllable_may_grow(out->symbols[out->count - 1]) && kept_before(data, used)) {
        do used--;
        while (!(out->bounds[used >> 6] >> (used & 63) & 1));
        out->count--;
        text_unmark(out->masks, groups, used);
        text_unmark(out->bounds, groups, used);
        groups = unicode_groups(used);
    }
    for (size_t group = used >> 6; group < groups; group++)
        out->bounds[group] |= ~(uint64_t)0 << (group == used >> 6 ? used & 63 : 0);
    return used;
}

#endif
