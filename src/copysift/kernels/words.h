/* Words and their hashes.  A word's hash is taken over the UTF-8 of its folded code points (Hangul as
 * jamo), eight bytes at a time, so that an ASCII word of up to eight letters costs one load. */
#ifndef COPYSIFT_WORDS_H
#define COPYSIFT_WORDS_H

#include "text.h"

#define MAX_WORD 65536u
#define WORD_ROOM 10 /* entries of the outputs besides one for every two bytes */
#define WORD_SEED 0x9E3779B97F4A7C15ULL
#define WORD_MIX 0xFF51AFD7ED558CCDULL

typedef struct {
    uint64_t *symbols;
    uint32_t *starts, *ends;
    size_t count;
    uint64_t hash, pack;
    unsigned fill;
    unsigned open; /* 0: between words; KEEP: in a run; SOLO: after a character that is a word of its own */
    uint32_t start, end;
} word_out;

static inline uint64_t word_mix(uint64_t hash, uint64_t pack) {
    hash = (hash ^ pack) * WORD_MIX;
    return hash ^ hash >> 32;
}

static inline uint64_t word_finish(uint64_t h) {
    h ^= h >> 33;
    h *= 0xFF51AFD7ED558CCDULL;
    h ^= h >> 33;
    h *= 0xC4CEB9FE1A85EC53ULL;
    return h ^ h >> 33;
}

/* Append up to four bytes, the first one lowest. */
static inline void word_bytes(word_out *out, uint32_t bytes, unsigned count) {
    out->pack |= (uint64_t)bytes << 8 * out->fill;
    out->fill += count;
    if (out->fill >= 8) {
        out->hash = word_mix(out->hash, out->pack);
        out->fill -= 8;
        out->pack = (uint64_t)bytes >> 8 * (count - out->fill);
    }
}

static inline void word_close(word_out *out) {
    if (!out->open) return;
    if (out->fill) out->hash = word_mix(out->hash, out->pack);
    out->symbols[out->count] = word_finish(out->hash);
    out->starts[out->count] = out->start;
    out->ends[out->count++] = out->end;
    out->open = 0;
}

static inline void word_open(word_out *out, unsigned kind, uint32_t start) {
    out->open = kind == SOLO ? SOLO : KEEP;
    out->hash = WORD_SEED;
    out->pack = 0;
    out->fill = 0;
    out->start = start;
}

static inline void word_utf8(word_out *out, uint32_t c) {
    if (c < 0x80) word_bytes(out, c, 1);
    else if (c < 0x800) word_bytes(out, 0x80C0 | c >> 6 | (c & 63) << 8, 2);
    else if (c < 0x10000) word_bytes(out, 0x8080E0 | c >> 12 | (c >> 6 & 63) << 8 | (c & 63) << 16, 3);
    else word_bytes(out, 0x808080F0 | c >> 18 | (c >> 12 & 63) << 8 | (c >> 6 & 63) << 16 | (c & 63) << 24, 4);
}

/* Take in one folded code point that stands in source[start:end]. */
static void word_point(word_out *out, uint32_t point, unsigned kind, uint32_t start, uint32_t end) {
    int too_long = out->open && end - out->start > MAX_WORD;
    if (kind == DROP || too_long) word_close(out);
    if (kind == DROP || kind == ABSENT) return;
    if (kind == SOLO || (out->open == SOLO && kind != MARK)) word_close(out);
    if (!out->open) word_open(out, kind, start);
    if (point - SYLLABLE < SYLLABLES) {
        uint32_t at = point - SYLLABLE;
        word_utf8(out, LEAD + at / 588);
        word_utf8(out, VOWEL + at % 588 / 28);
        if (at % 28) word_utf8(out, TAIL + at % 28);
    } else word_utf8(out, point);
    out->end = end;
}

/* Letters from U+0080 to U+017F, by lead and tail byte: what they append to a word; count 0: look in the tables. */
typedef struct {
    uint32_t bytes;
    uint8_t count;
} word_latin;

static word_latin word_latins[256];

static void words_init(void) {
    for (uint32_t point = 0x80; point < 0x180; point++) {
        unsigned place = uni_place(point);
        uint32_t one[2] = {1, (point + (uint32_t)UNI_DELTA[place < UNI_SIMPLE ? place : 0]) << 3};
        const uint32_t *fold = one;
        if (place < UNI_SIMPLE) one[1] |= UNI_KIND[place];
        else fold = UNI_POOL + (place - UNI_SIMPLE);
        int plain = fold[0] && (fold[1] & 7) == KEEP;
        word_out made;
        memset(&made, 0, sizeof made);
        for (uint32_t part = 1; plain && part <= fold[0]; part++) {
            plain = ((fold[part] & 7) == KEEP || (fold[part] & 7) == MARK) && made.fill < 5;
            if (plain) word_utf8(&made, fold[part] >> 3);
        }
        if (!plain || made.fill > 4) continue;
        word_latins[point - 0x80].bytes = (uint32_t)made.pack;
        word_latins[point - 0x80].count = (uint8_t)made.fill;
    }
}

#define EACH(byte) (0x0101010101010101ULL * (byte))

/* How many of eight bytes, the lowest first, are letters, digits or _; *bytes gets all eight, lower-cased. */
static inline unsigned word_leading(uint64_t *bytes) {
    uint64_t w = *bytes, x = w & EACH(0x7F), y = x | EACH(0x20);
    uint64_t letter = (y + EACH(0x80 - 'a')) & ~(y + EACH(0x80 - 'z' - 1));
    uint64_t digit = (x + EACH(0x80 - '0')) & ~(x + EACH(0x80 - '9' - 1));
    uint64_t other = (x ^ EACH('_')) + EACH(0x7F);
    uint64_t none = ((~letter & ~digit & other) | w) & EACH(0x80);
    *bytes = w | (letter & EACH(0x80)) >> 2;
    return none ? text_ctz(none) / 8 : 8;
}

/* Append the lowest `count` of up to eight bytes. */
static inline void word_eight(word_out *out, uint64_t bytes, unsigned count) {
    if (count < 8) bytes &= ((uint64_t)1 << 8 * count) - 1;
    out->pack |= bytes << 8 * out->fill;
    out->fill += count;
    if (out->fill >= 8) {
        out->hash = word_mix(out->hash, out->pack);
        out->fill -= 8;
        out->pack = out->fill ? bytes >> 8 * (count - out->fill) : 0;
    }
}

/* Begin a word at `start`, or go on with one that reaches `end` and is not too long then. */
static inline void word_reach(word_out *out, uint32_t start, uint32_t end) {
    if (out->open != KEEP || end - out->start > MAX_WORD) {
        word_close(out);
        word_open(out, KEEP, start);
    }
    out->end = end;
}

/* Four bytes whose first three are an ideograph from U+4E00 to U+9FFF, which nothing folds. */
static inline int is_ideograph(uint32_t four) {
    uint32_t point = (four & 15) << 12 | (four >> 2 & 0xFC0) | (four >> 16 & 63);
    return (four & 0xC0C0F0) == 0x8080E0 && point - 0x4E00 < 0x5200;
}

/* Is this one of the common characters of three bytes that part words: U+2000 to 203F, 3000 to 3004, 3008 to 3020,
 * FF01 to FF0F?  data[i:i+3] may be read. */
static inline int words_part_here(const uint8_t *data, size_t i) {
    unsigned two = (unsigned)data[i] << 8 | data[i + 1], last = data[i + 2];
    if (two == 0xE380) return last - 0x80 < 5 || last - 0x88 < 0x19;
    return (two == 0xE280 && last - 0x80 < 0x40) || (two == 0xEFBC && last - 0x81 < 15);
}

#if TEXT_HAS_AVX2
static size_t words_ideographs_avx512(word_out *out, const uint8_t *data, size_t i, size_t n, uint32_t offset);
#endif

/* Take the ideographs from data[i] that no mark can follow, as another one does: words of three bytes. */
static size_t words_ideographs(word_out *out, const uint8_t *data, size_t i, size_t n, uint32_t offset) {
    uint32_t four, next;
    if (i + 7 > n) return i;
    memcpy(&four, data + i, 4);
    memcpy(&next, data + i + 3, 4);
    if (!is_ideograph(four) || !is_ideograph(next)) return i;
    word_close(out);
#if TEXT_HAS_AVX2
    if (text_use_avx512 && i + 64 <= n) return words_ideographs_avx512(out, data, i, n, offset);
#endif
    size_t count = out->count;
    do {
        out->symbols[count] = word_finish(word_mix(WORD_SEED, four & 0xFFFFFF));
        out->starts[count] = offset + (uint32_t)i;
        out->ends[count++] = offset + (uint32_t)i + 3;
        i += 3;
        four = next;
        if (i + 7 > n) break;
        memcpy(&next, data + i + 3, 4);
    } while (is_ideograph(next));
    out->count = count;
    return i;
}

/* Take the character at data[i], which is 0x7F or not ASCII; gives where the next one begins. */
static inline size_t words_special(word_out *out, const uint8_t *data, size_t i, size_t n, uint32_t offset) {
    uint32_t start = offset + (uint32_t)i, point;
    uint8_t byte = data[i];
    if (byte == 0x7F) return i + 1;
    if ((uint8_t)(byte - 0xC2) < 4 && i + 1 < n && IS_TAIL(data[i + 1])) {
        word_latin latin = word_latins[(byte - 0xC2) * 64 + (data[i + 1] & 63)];
        if (latin.count) {
            word_reach(out, start, start + 2);
            word_bytes(out, latin.bytes, latin.count);
            return i + 2;
        }
    }
    if (byte >= 0xE4 && byte < 0xEA) {
        size_t taken = words_ideographs(out, data, i, n, offset);
        if (taken > i) return taken;
    } else if (byte >= 0xE2 && i + 3 <= n && words_part_here(data, i)) {
        word_close(out);
        return i + 3;
    }
    i += utf8_decode(data + i, n - i, &point);
    uint32_t end = offset + (uint32_t)i;
    unsigned place = uni_place(point);
    if (place < UNI_SIMPLE) {
        word_point(out, point + (uint32_t)UNI_DELTA[place], UNI_KIND[place], start, end);
        return i;
    }
    const uint32_t *fold = UNI_POOL + (place - UNI_SIMPLE);
    for (uint32_t part = 1; part <= fold[0]; part++) word_point(out, fold[part] >> 3, fold[part] & 7, start, end);
    return i;
}

/* Go on from data[i], up to eight ASCII bytes at a time; with `pause`, to the first ASCII byte that parts words.
 * data[n:limit] may be read: it is empty, or begins with such a byte. */
static size_t words_scalar(word_out *out, const uint8_t *data, size_t i, size_t n, size_t limit, uint32_t offset, int pause) {
    while (i < n) {
        uint64_t bytes = 0;
        if (i + 8 <= limit) memcpy(&bytes, data + i, 8);
        else
            for (size_t j = i; j < n; j++) bytes |= (uint64_t)data[j] << 8 * (j - i);
        unsigned count = word_leading(&bytes);
        if (count) {
            uint32_t start = offset + (uint32_t)i;
            if (out->open == KEEP && start + count - out->start > MAX_WORD) { /* as far as the limit, then a new word */
                uint32_t left = out->start + MAX_WORD - start;
                count = left > 0 && left < count ? left : count;
            }
            word_reach(out, start, start + count);
            word_eight(out, bytes, count);
            i += count;
            continue;
        }
        if (data[i] >= 0x7F) {
            i = words_special(out, data, i, n, offset);
            continue;
        }
        word_close(out);
        i++;
        if (pause) break;
    }
    return i;
}

#include "word_runs.h"

/* Words of data[0:n]; the outputs have room for n / 2 + 2.  Gives the bytes used: without `final`,
 * a word that may still grow is left for the next block. */
static size_t text_words(const uint8_t *data, size_t n, uint32_t offset, int final, word_out *out) {
    size_t used = final ? n : utf8_whole(data, n), i = 0;
    out->open = 0;
#if TEXT_HAS_AVX2
    if (text_use_avx2) i = words_vector(out, data, i, used, offset);
#endif
    words_scalar(out, data, i, used, used, offset, 0);
    if (final) word_close(out);
    return out->open ? out->start - offset : used;
}

#endif
