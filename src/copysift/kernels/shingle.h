/* Sets of word shingles: made from text, sampled by a modulus, looked up in a filter, intersected.

   A document is a slice of one buffer; its shingles are the distinct hashes of w words in a row, ascending.
   Twin: reference/shingle.py. */
#ifndef COPYSIFT_SHINGLE_H
#define COPYSIFT_SHINGLE_H

#include "keys.h"
#include "kgrams.h"
#include "samples.h"
#include "word_codes.h"

#define SHINGLE_BLOCK ((size_t)1 << 20) /* bytes of a document whose words are held at a time */

/* Arrays of a few megabytes come and go by the hundred; glibc would give each back to the system and have its
   pages cleared again. */
#ifdef __GLIBC__
#include <malloc.h>
static void shingle_keep_freed(void) {
    mallopt(M_ARENA_MAX, 1); /* what one thread frees, another takes */
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
}
#else
static void shingle_keep_freed(void) {}
#endif

/* ---- digests: a chain over 64-bit words, the length last ---- */

/* A document on its way: its digest so far, and the words of eight bytes that are left before its last bytes. */
typedef struct {
    const uint8_t *at;
    uint64_t hash;
    size_t left, size, number;
} shingle_digest;

CS_INLINE void shingle_digest_steps(shingle_digest *d, size_t steps) {
    uint64_t pack;
    for (size_t i = 0; i < steps; i++) {
        memcpy(&pack, d->at + 8 * i, 8);
        d->hash = word_mix(d->hash, pack);
    }
    d->at += 8 * steps;
    d->left -= steps;
}

/* Take the last bytes, fewer than eight. */
static uint64_t shingle_digest_end(const shingle_digest *d) {
    uint64_t pack = 0;
    for (size_t j = 0; j < d->size % 8; j++) pack |= (uint64_t)d->at[j] << 8 * j;
    return word_finish(word_mix(word_mix(d->hash, pack), d->size));
}

#define SHINGLE_LANES 4 /* documents whose digests are made at once: one alone waits for its multiplications */

/* Digest n documents data[offsets[i]:offsets[i + 1]]. */
static void shingle_digests(const uint8_t *data, const int64_t *offsets, size_t n, uint64_t *out) {
    shingle_digest lanes[SHINGLE_LANES];
    size_t next = 0, used = 0;
    for (;;) {
        while (used < SHINGLE_LANES && next < n) {
            size_t size = (size_t)(offsets[next + 1] - offsets[next]);
            shingle_digest lane = {data + offsets[next], WORD_SEED, size / 8, size, next};
            lanes[used++] = lane;
            next++;
        }
        if (used < SHINGLE_LANES) break;
        size_t steps = lanes[0].left;
        for (int l = 1; l < SHINGLE_LANES; l++) steps = lanes[l].left < steps ? lanes[l].left : steps;
        const uint8_t *a = lanes[0].at, *b = lanes[1].at, *c = lanes[2].at, *d = lanes[3].at;
        uint64_t one = lanes[0].hash, two = lanes[1].hash, three = lanes[2].hash, four = lanes[3].hash, pack[4];
        for (size_t i = 0; i < 8 * steps; i += 8) {
            memcpy(pack, a + i, 8);
            memcpy(pack + 1, b + i, 8);
            memcpy(pack + 2, c + i, 8);
            memcpy(pack + 3, d + i, 8);
            one = word_mix(one, pack[0]);
            two = word_mix(two, pack[1]);
            three = word_mix(three, pack[2]);
            four = word_mix(four, pack[3]);
        }
        lanes[0].hash = one;
        lanes[1].hash = two;
        lanes[2].hash = three;
        lanes[3].hash = four;
        used = 0;
        for (int l = 0; l < SHINGLE_LANES; l++) {
            lanes[l].at += 8 * steps;
            lanes[l].left -= steps;
            if (lanes[l].left) lanes[used++] = lanes[l];
            else out[lanes[l].number] = shingle_digest_end(&lanes[l]);
        }
    }
    for (size_t l = 0; l < used; l++) {
        shingle_digest_steps(&lanes[l], lanes[l].left);
        out[lanes[l].number] = shingle_digest_end(&lanes[l]);
    }
}

/* ---- documents to sets ---- */

typedef struct {
    uint64_t *symbols; /* room for w + SHINGLE_BLOCK / 2 + 2 */
    uint32_t *starts, *ends;
    uint64_t *room; /* grows to the largest document */
    size_t room_size;
    uint32_t *counts;
} shingle_space;

static void shingle_free(shingle_space *s) {
    free(s->symbols); free(s->starts); free(s->ends); free(s->room); free(s->counts);
}

static int shingle_make(shingle_space *s, size_t w) {
    size_t words = w + SHINGLE_BLOCK / 2 + MAX_WORD + 16 + WORD_ROOM;
    memset(s, 0, sizeof *s);
    s->symbols = (uint64_t *)malloc(words * 8);
    s->starts = (uint32_t *)malloc(words * 4);
    s->ends = (uint32_t *)malloc(words * 4);
    s->counts = (uint32_t *)malloc(KEYS_COUNTS * sizeof(uint32_t));
    return s->symbols && s->starts && s->ends && s->counts;
}

typedef struct {
    uint64_t words, places, lexical, set;
} shingle_facts;

/* Hash every w symbols in a row, as cs_hashes does, and chain the last total - done symbols on to the digest. */
static uint64_t shingle_roll(const uint64_t *s, size_t total, size_t done, size_t w, const cs_params *p, uint64_t lexical,
                             uint64_t *out) {
    uint64_t rolled = 0, top = cs_power(p->base, w);
    for (size_t j = done; j < total && j < w - 1; j++) lexical = word_mix(lexical, s[j]);
    if (total < w) return lexical;
    for (size_t j = 0; j < w - 1; j++) rolled = (rolled + s[j]) * p->base;
    for (size_t i = 0; i + w <= total; i++) {
        uint64_t symbol = s[i + w - 1];
        lexical = word_mix(lexical, symbol);
        rolled = (rolled + symbol) * p->base;
        out[i] = cs_finish(rolled, p);
        rolled -= s[i] * top;
    }
    return lexical;
}

/* Make room for n keys; gives 0 without memory. */
static int shingle_grow(shingle_space *s, size_t n) {
    if (n <= s->room_size) return 1;
    uint64_t *more = (uint64_t *)realloc(s->room, n * 8);
    if (!more) return 0;
    s->room = more;
    s->room_size = n;
    return 1;
}

/* Write the shingles of one document to out, which has room for n / 2 + 2, and either their low halves in order of
   the text to order, which has as much, or its words to coder; the other is NULL. Gives the number of shingles, or -1
   without memory. */
static int64_t shingle_document(const uint8_t *data, size_t n, size_t w, const cs_params *p, shingle_space *space,
                                uint64_t *out, uint32_t *order, word_coder *coder, shingle_facts *facts) {
    size_t at = 0, kept = 0, found = 0, words = 0;
    uint64_t lexical = WORD_SEED;
    while (at < n) {
        int final = n - at <= SHINGLE_BLOCK;
        size_t length = final ? n - at : SHINGLE_BLOCK;
        word_out got;
        memset(&got, 0, sizeof got);
        got.symbols = space->symbols + kept;
        got.starts = space->starts;
        got.ends = space->ends;
        size_t used = text_words(data + at, length, 0, final, &got);
        words += got.count;
        if (coder && !word_encode(coder, got.symbols, got.count)) return -1;
        size_t total = kept + got.count;
        lexical = shingle_roll(space->symbols, total, kept, w, p, lexical, out + found);
        if (total >= w) {
            found += total - w + 1;
            kept = w - 1;
            memmove(space->symbols, space->symbols + total - kept, kept * 8);
        } else kept = total;
        at += used ? used : length;
        if (final) break;
    }
    if (!shingle_grow(space, found)) return -1;
    for (size_t i = 0; order && i < found; i++) order[i] = (uint32_t)out[i];
    facts->places = found;
    facts->words = words;
    facts->lexical = word_finish(word_mix(lexical, words));
    return (int64_t)keys_distinct(out, space->room, found, space->counts, &facts->set);
}

/* Shingle an ascending sample: `size` keys in a row make one; a sample with fewer makes one of all. */
static size_t shingle_super(const uint64_t *keys, size_t n, size_t size, uint64_t *out) {
    size_t count = n >= size ? n - size + 1 : n > 0;
    for (size_t start = 0; start < count; start++) {
        uint64_t mixed = size;
        for (size_t step = 0; step < size; step++) {
            if (start + step < n) mixed = (mixed ^ keys[start + step]) * WORD_MIX;
            mixed ^= mixed >> 32;
        }
        out[start] = mixed;
    }
    return count;
}

/* ---- intersection of two ascending sets ---- */

#if TEXT_HAS_AVX2
/* Four keys of each at a time, every one against every one; goes on with whichever four end first. */
TEXT_AVX2 static uint64_t shingle_fours(const uint64_t *a, size_t n, const uint64_t *b, size_t m, size_t *i, size_t *j) {
    size_t x = 0, y = 0;
    uint64_t shared = 0;
    while (x + 4 <= n && y + 4 <= m) {
        __m256i one = _mm256_loadu_si256((const __m256i *)(a + x)), other = _mm256_loadu_si256((const __m256i *)(b + y));
        __m256i same = _mm256_cmpeq_epi64(one, other);
        same = _mm256_or_si256(same, _mm256_cmpeq_epi64(one, _mm256_permute4x64_epi64(other, 0x39)));
        same = _mm256_or_si256(same, _mm256_cmpeq_epi64(one, _mm256_permute4x64_epi64(other, 0x4E)));
        same = _mm256_or_si256(same, _mm256_cmpeq_epi64(one, _mm256_permute4x64_epi64(other, 0x93)));
        shared += (uint64_t)_mm_popcnt_u32((uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(same)));
        uint64_t last = a[x + 3], end = b[y + 3];
        x += (size_t)(last <= end) << 2;
        y += (size_t)(end <= last) << 2;
    }
    *i = x;
    *j = y;
    return shared;
}
#endif

static uint64_t shingle_shared(const uint64_t *a, size_t n, const uint64_t *b, size_t m) {
    size_t i = 0, j = 0;
    uint64_t shared = 0;
    if (n > m) {
        const uint64_t *keys = a; a = b; b = keys;
        size_t size = n; n = m; m = size;
    }
    if (m / 16 > n) {
        for (; i < n; i++) {
            j = shingle_seek(b, j, m, a[i]);
            if (j == m) break;
            shared += b[j] == a[i];
        }
        return shared;
    }
#if TEXT_HAS_AVX2
    if (text_use_avx2) shared = shingle_fours(a, n, b, m, &i, &j);
#endif
    while (i < n && j < m) {
        uint64_t x = a[i], y = b[j];
        shared += x == y;
        i += x <= y;
        j += y <= x;
    }
    return shared;
}

/* ---- intersection of one set with many: it is put into a table once, each of the others looks up its keys ---- */

#define SHINGLE_ROW 4       /* keys of a row of the table, which are compared at once */
#define SHINGLE_TABLE 4096  /* keys of a set at most that is put into a table */
#define SHINGLE_TABLE_MIN 32
#define SHINGLE_LEFT_OVER 64
#define SHINGLE_TABLE_ROOM (2 * SHINGLE_TABLE * SHINGLE_ROW + 8) /* keys that shingle_rows wants */

typedef struct {
    uint64_t *rows; /* 2 · SHINGLE_TABLE rows: keys by their top bits */
    uint64_t over[SHINGLE_LEFT_OVER]; /* those that their row had no place for, ascending */
    size_t left_over;
    int bits;
} shingle_table;

/* Give where the rows begin in room for a table: no row crosses a cache line. */
static uint64_t *shingle_rows(uint64_t *room) { return (uint64_t *)(((uintptr_t)room + 63) & ~(uintptr_t)63); }

/* Put an ascending set into the table; gives 0 when it cannot be used for it. */
static int shingle_fill(shingle_table *table, const uint64_t *a, size_t n) {
    if (n < SHINGLE_TABLE_MIN || n > SHINGLE_TABLE) return 0;
    table->bits = 1;
    while (n >> table->bits) table->bits++;
    table->left_over = 0;
    int shift = 64 - table->bits;
    for (uint64_t row = 0; row < (uint64_t)1 << table->bits; row++) /* no key that is looked for there */
        for (int i = 0; i < SHINGLE_ROW; i++) table->rows[row * SHINGLE_ROW + i] = ~(row << shift);
    uint64_t before = a[0] >> shift, held = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t row = a[i] >> shift;
        held = row == before ? held : 0;
        before = row;
        if (held < SHINGLE_ROW) table->rows[row * SHINGLE_ROW + held] = a[i];
        else if (table->left_over < SHINGLE_LEFT_OVER) table->over[table->left_over++] = a[i];
        else return 0;
        held++;
    }
    return 1;
}

#if TEXT_HAS_AVX2
/* Count the keys of b that the table has; meanwhile `size` keys from `next` on, which are wanted then, are fetched: sets
   lie all over memory. */
TEXT_AVX2 static uint64_t shingle_look_up(const shingle_table *table, const uint64_t *b, size_t m, const uint64_t *next,
                                          size_t size) {
    __m256i found = _mm256_setzero_si256();
    int shift = 64 - table->bits;
    for (size_t i = 0; i < m; i++) {
        if (i % 8 == 0 && i < size) CODES_FETCH(next + i);
        __m256i row = _mm256_loadu_si256((const __m256i *)(table->rows + (b[i] >> shift) * SHINGLE_ROW));
        found = _mm256_sub_epi64(found, _mm256_cmpeq_epi64(row, _mm256_set1_epi64x((long long)b[i])));
    }
    uint64_t sums[4], shared = 0;
    _mm256_storeu_si256((__m256i *)sums, found);
    for (int lane = 0; lane < 4; lane++) shared += sums[lane];
    return shared + shingle_shared(table->over, table->left_over, b, m);
}
#endif

/* Count what set a shares with each of some others, which `sets` and `sizes` give. */
static void shingle_shared_with(const uint64_t *a, size_t n, const size_t *sets, const int64_t *sizes,
                                const int64_t *others, size_t count, shingle_table *table, int64_t *out) {
    int known = 0;
#if TEXT_HAS_AVX2
    known = text_use_avx2 && count > 1 && shingle_fill(table, a, n);
#endif
    for (size_t i = 0; i < count; i++) {
        const uint64_t *b = (const uint64_t *)sets[others[i]];
        size_t m = (size_t)sizes[others[i]];
#if TEXT_HAS_AVX2
        if (known && m / 16 <= n) {
            const uint64_t *next = i + 1 < count ? (const uint64_t *)sets[others[i + 1]] : b;
            out[i] = (int64_t)shingle_look_up(table, b, m, next, i + 1 < count ? (size_t)sizes[others[i + 1]] : 0);
            continue;
        }
#endif
        out[i] = (int64_t)shingle_shared(a, n, b, m);
    }
}

#endif
