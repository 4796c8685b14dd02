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

static uint64_t shingle_digest_bytes(const uint8_t *data, size_t n) {
    uint64_t hash = WORD_SEED, pack;
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        memcpy(&pack, data + i, 8);
        hash = word_mix(hash, pack);
    }
    pack = 0;
    for (size_t j = i; j < n; j++) pack |= (uint64_t)data[j] << 8 * (j - i);
    return word_finish(word_mix(word_mix(hash, pack), n));
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

typedef struct {
    uint64_t *rows; /* 2 · SHINGLE_TABLE rows: keys by their top bits */
    uint64_t over[SHINGLE_LEFT_OVER]; /* those that their row had no place for, ascending */
    size_t left_over;
    int bits;
} shingle_table;

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
TEXT_AVX2 static uint64_t shingle_look_up(const shingle_table *table, const uint64_t *b, size_t m) {
    __m256i found = _mm256_setzero_si256();
    int shift = 64 - table->bits;
    for (size_t i = 0; i < m; i++) {
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
            out[i] = (int64_t)shingle_look_up(table, b, m);
            continue;
        }
#endif
        out[i] = (int64_t)shingle_shared(a, n, b, m);
    }
}

/* ---- who shares a hash: lists of documents to pairs ---- */

typedef struct {
    int64_t start; /* of the list among the entries */
    uint32_t length, common;
    uint64_t digest; /* of the documents and whose own sample the hash is */
} shingle_list;

/* Find the lists of two documents or more, one of which has the hash in its own sample. `sizes` counts for
   every document the hashes of its own sample that are not common. Gives the number of lists. */
static size_t shingle_lists(const uint64_t *hashes, const uint32_t *docs, size_t n, const uint32_t *moduli,
                            const shingle_modulus *tests, uint64_t most, uint8_t *own, uint32_t *sizes,
                            shingle_list *out) {
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
            shingle_list list = {(int64_t)i, (uint32_t)(end - i), (uint32_t)common, word_finish(digest)};
            out[found++] = list;
        }
        if (!common)
            for (size_t j = i; j < end; j++) sizes[docs[j]] += own[j];
        i = end;
    }
    return found;
}

CS_INLINE uint64_t shingle_pair(uint32_t a, uint32_t b) {
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

/* All pairs of a list of which one has the hash in its own sample. */
static size_t shingle_all_pairs(const uint32_t *docs, const uint8_t *own, size_t n, uint32_t weight, uint64_t *pairs,
                                uint32_t *weights) {
    size_t found = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++) {
            pairs[found] = shingle_pair(docs[i], docs[j]);
            weights[found] = weight;
            found += own[i] | own[j];
        }
    return found;
}

#define SHINGLE_LEADERS 8

/* Of a common list: everyone with the first whose own sample has the hash, with the one before, and with one of
   the first few, another for each list: who is unlike the first is like one of the others. A sum over the documents
   tells which one, so that parts of a list can be put together. */
static size_t shingle_few_pairs(const uint32_t *docs, const uint8_t *own, size_t n, uint64_t *pairs) {
    size_t found = 0, first = 0, lead;
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) sum += word_mix(WORD_SEED, docs[i]);
    lead = word_finish(sum) % (n < SHINGLE_LEADERS ? n : SHINGLE_LEADERS);
    while (first + 1 < n && !own[first]) first++;
    for (size_t i = 0; i < n; i++) {
        if (i != first) pairs[found++] = shingle_pair(docs[first], docs[i]);
        if (i && i - 1 != first && i != first && (own[i] | own[i - 1])) pairs[found++] = shingle_pair(docs[i - 1], docs[i]);
        if (lead != first && i != lead && (own[i] | own[lead])) pairs[found++] = shingle_pair(docs[lead], docs[i]);
    }
    return found;
}

#endif
