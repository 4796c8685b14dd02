/* Words and their hashes.  A word's hash is taken over the UTF-8 of its folded code points (Hangul as
 * jamo), eight bytes at a time, so that an ASCII word of up to eight letters costs one load. */
#ifndef COPYSIFT_WORDS_H
#define COPYSIFT_WORDS_H

#include "text.h"

#define MAX_WORD 65536u
#define WORD_SEED 0x9E3779B97F4A7C15ULL
#define WORD_MIX 0xFF51AFD7ED558CCDULL

typedef struct {
    uint64_t *symbols;
    uint32_t *starts, *ends;
    size_t count;
    uint64_t hash, pack;
    unsigned fill;
    unsigned open; /* 0: between words; KEEP: in a run; SOLO: after an ideograph or kana */
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

/* Are the next bytes ASCII, so that it pays to leave the scalar path? */
static inline int words_plain_ahead(const uint8_t *data, size_t i, size_t n) {
    uint64_t one, two;
    if (i + 16 > n) return 1;
    memcpy(&one, data + i, 8);
    memcpy(&two, data + i + 8, 8);
    return !((one | two) & 0x8080808080808080ULL);
}

/* Go on from data[i] one character at a time; with `pause`, to an ASCII separator with ASCII after it. */
static size_t words_scalar(word_out *out, const uint8_t *data, size_t i, size_t n, uint32_t offset, int pause) {
    while (i < n) {
        uint32_t start = offset + (uint32_t)i;
        uint8_t byte = data[i];
        if (byte < 0x80 && byte != 0x7F) {
            uint8_t low = byte == '_' ? '_' : text_lower[byte];
            i++;
            if (!low) {
                word_close(out);
                if (pause && words_plain_ahead(data, i, n)) return i;
                continue;
            }
            if (out->open != KEEP || start + 1 - out->start > MAX_WORD) {
                word_close(out);
                word_open(out, KEEP, start);
            }
            word_bytes(out, low, 1);
            out->end = start + 1;
            continue;
        }
        uint32_t point;
        i += utf8_decode(data + i, n - i, &point);
        uint32_t end = offset + (uint32_t)i;
        unsigned place = uni_place(point);
        if (place < UNI_SIMPLE) {
            word_point(out, point + (uint32_t)UNI_DELTA[place], UNI_KIND[place], start, end);
            continue;
        }
        const uint32_t *fold = UNI_POOL + (place - UNI_SIMPLE);
        for (uint32_t part = 1; part <= fold[0]; part++)
            word_point(out, fold[part] >> 3, fold[part] & 7, start, end);
    }
    return i;
}

#if TEXT_HAS_AVX2
/* Lower-case eight bytes that are letters, digits or _, and zeros. */
static inline uint64_t lower_eight(uint64_t w) {
    uint64_t underscore = (w & 0x1F1F1F1F1F1F1F1FULL) + 0x0101010101010101ULL;
    return w | (w >> 1 & ~w & ~underscore & 0x2020202020202020ULL);
}

/* Hash the ASCII word at p; bytes up to `limit` may be read. */
static inline uint64_t word_ascii(const uint8_t *p, size_t length, const uint8_t *limit) {
    uint64_t hash = WORD_SEED, pack = 0;
    for (; length > 8; length -= 8, p += 8) {
        memcpy(&pack, p, 8);
        hash = word_mix(hash, lower_eight(pack));
    }
    if (p + 8 <= limit) {
        memcpy(&pack, p, 8);
        pack &= ~0ULL >> (64 - 8 * length);
    } else {
        pack = 0;
        memcpy(&pack, p, length);
    }
    return word_finish(word_mix(hash, lower_eight(pack)));
}

/* Word bytes of 32 as bits; `special` are those that need the scalar path: 0x7F and all above. */
TEXT_AVX2 static inline uint32_t word_mask(__m256i x, uint32_t *special) {
    uint32_t keep;
    lower_avx2(x, &keep);
    __m256i score = _mm256_cmpeq_epi8(x, _mm256_set1_epi8('_'));
    __m256i delete_ = _mm256_cmpeq_epi8(x, _mm256_set1_epi8(0x7F));
    *special = (uint32_t)_mm256_movemask_epi8(_mm256_or_si256(x, delete_));
    return keep | (uint32_t)_mm256_movemask_epi8(score);
}

/* The special bytes of data[i:i+64] that may be inside a word: not those of characters that part words.
 * `next` is where the last such character ended. */
static inline uint64_t words_inside(const uint8_t *data, size_t n, size_t i, uint64_t special, size_t *next) {
    while (special) {
        size_t at = i + text_ctz(special);
        if (at >= *next) {
            uint32_t point;
            unsigned length = utf8_decode(data + at, n - at, &point), place = uni_place(point);
            if (place >= UNI_SIMPLE || UNI_KIND[place] != DROP) return special;
            *next = at + length;
        }
        special &= special - 1;
    }
    return 0;
}

/* Take the words that are ASCII from data[i], where no word is open; gives the place from which the
 * scalar path must go on: the start of a word that meets a special byte, the end or the size limit. */
TEXT_AVX2 static size_t words_ascii(word_out *out, const uint8_t *data, size_t i, size_t n, uint32_t offset) {
    uint32_t edges[64];
    uint64_t before = 0, stop = 0;
    size_t next = i, open = n; /* start of the word that is open at the end of a group; n: none */
    for (; i + 64 <= n && !stop; i += 64) {
        uint32_t special_a, special_b;
        uint64_t in = word_mask(_mm256_loadu_si256((const __m256i *)(data + i)), &special_a);
        in |= (uint64_t)word_mask(_mm256_loadu_si256((const __m256i *)(data + i + 32)), &special_b) << 32;
        stop = special_a | (uint64_t)special_b << 32;
        if (stop) stop = words_inside(data, n, i, stop, &next);
        uint64_t turn = in ^ (in << 1 | before);
        before = in >> 63;
        if (stop) { /* only what lies wholly before the first special byte */
            turn &= (1ULL << text_ctz(stop)) - 1;
        }
        unsigned turns = (unsigned)_mm_popcnt_u64(turn), at = 0;
        for (; turn; turn &= turn - 1) edges[at++] = (uint32_t)text_ctz(turn);
        at = 0;
        if (open < n) {
            if (!turns) {
                if (!stop && i + 64 - open <= MAX_WORD) continue;
                return open;
            }
            size_t end = i + edges[0];
            if (end - open > MAX_WORD) return open;
            out->symbols[out->count] = word_ascii(data + open, end - open, data + n);
            out->starts[out->count] = offset + (uint32_t)open;
            out->ends[out->count++] = offset + (uint32_t)end;
            at = 1;
            open = n;
        }
        size_t count = out->count;
        for (; at + 1 < turns; at += 2) {
            size_t start = i + edges[at], length = edges[at + 1] - edges[at];
            out->symbols[count] = word_ascii(data + start, length, data + n);
            out->starts[count] = offset + (uint32_t)start;
            out->ends[count++] = offset + (uint32_t)(start + length);
        }
        out->count = count;
        if (at < turns) open = i + edges[at];
        if (stop) return open < n ? open : i + text_ctz(stop);
    }
    return open < n ? open : i;
}
#endif

/* Words of data[0:n]; the outputs have room for n / 2 + 2.  Gives the bytes used: without `final`,
 * a word that may still grow is left for the next block. */
static size_t text_words(const uint8_t *data, size_t n, uint32_t offset, int final, word_out *out) {
    size_t used = final ? n : utf8_whole(data, n), i = 0;
    out->open = 0;
#if TEXT_HAS_AVX2
    while (text_use_avx2 && i + 64 <= used) {
        i = words_ascii(out, data, i, used, offset);
        if (i < used) i = words_scalar(out, data, i, used, offset, 1);
    }
#endif
    words_scalar(out, data, i, used, offset, 0);
    if (final) word_close(out);
    return out->open ? out->start - offset : used;
}

#endif
