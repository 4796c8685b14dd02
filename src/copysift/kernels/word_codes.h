/* Words of many documents as numbers: a word's place in a list of those that came before.

   The shingles of a document follow from its words, which take a third of their space: so they are kept, and its
   shingles are made again where they are wanted. Included by shingle.h. Twin: reference/codes.py. */
#ifndef COPYSIFT_WORD_CODES_H
#define COPYSIFT_WORD_CODES_H

#include "kgrams.h"
#include "words.h"

#ifdef __GNUC__
#define CODES_FETCH(address) __builtin_prefetch(address)
#else
#define CODES_FETCH(address) ((void)0)
#endif

#define CODES_BITS 15 /* of the first table */

typedef struct {
    uint64_t *words; /* every word once, as they came */
    uint32_t *table; /* numbers of words from 1 on, by the top bits of the word; 0 where it is free */
    size_t count;    /* of words; there is room for half of the table */
    int bits;
    uint32_t *out; /* numbers of all words that were encoded */
    size_t written;
} word_coder;

static void word_coder_free(word_coder *c) {
    free(c->words); free(c->table);
}

static int word_coder_make(word_coder *c, uint32_t *out) {
    memset(c, 0, sizeof *c);
    c->bits = CODES_BITS;
    c->out = out;
    c->words = (uint64_t *)malloc(8u << (CODES_BITS - 1));
    c->table = (uint32_t *)calloc((size_t)1 << CODES_BITS, 4);
    return c->words && c->table;
}

/* Double the table; gives 0 without memory. */
static int word_coder_grow(word_coder *c) {
    int bits = c->bits + 1;
    size_t mask = ((size_t)1 << bits) - 1;
    uint64_t *words = (uint64_t *)realloc(c->words, (size_t)8 << (bits - 1));
    if (!words) return 0;
    c->words = words;
    uint32_t *table = (uint32_t *)calloc(mask + 1, 4);
    if (!table) return 0;
    for (size_t i = 0; i < c->count; i++) {
        size_t at = (size_t)(words[i] >> (64 - bits));
        while (table[at]) at = (at + 1) & mask;
        table[at] = (uint32_t)(i + 1);
    }
    free(c->table);
    c->table = table;
    c->bits = bits;
    return 1;
}

/* Give the number of a word that is not where it is looked for first, from 1 on; 0 without memory. */
static uint32_t word_seek(word_coder *c, uint64_t word, size_t at) {
    size_t mask = ((size_t)1 << c->bits) - 1;
    uint32_t number;
    while ((number = c->table[at]) && c->words[number - 1] != word) at = (at + 1) & mask;
    if (number) return number;
    c->words[c->count++] = word;
    number = c->table[at] = (uint32_t)c->count;
    return 2 * c->count > mask && !word_coder_grow(c) ? 0 : number;
}

/* Write the numbers of n words; gives 0 without memory. */
static int word_encode(word_coder *c, const uint64_t *symbols, size_t n) {
    uint32_t *out = c->out + c->written;
    const uint64_t *words = c->words;
    const uint32_t *table = c->table;
    int shift = 64 - c->bits;
    for (size_t i = 0; i < n; i++) {
        size_t at = (size_t)(symbols[i] >> shift);
        if (i + 16 < n) CODES_FETCH(&table[symbols[i + 16] >> shift]);
        uint32_t number = table[at];
        if (!number || words[number - 1] != symbols[i]) {
            number = word_seek(c, symbols[i], at);
            if (!number) return 0;
            words = c->words; /* both may have grown */
            table = c->table;
            shift = 64 - c->bits;
        }
        out[i] = number - 1;
    }
    c->written += n;
    return 1;
}

/* Look n words up by their numbers; gives 0 where a number has none. */
static int word_decode_short(const uint16_t *codes, size_t n, const uint64_t *words, size_t count, uint64_t *out) {
    unsigned most = 0;
    for (size_t i = 0; i < n; i++) most = codes[i] > most ? codes[i] : most;
    if (n && most >= count) return 0;
    for (size_t i = 0; i < n; i++) out[i] = words[codes[i]];
    return 1;
}

static int word_decode_long(const uint32_t *codes, size_t n, const uint64_t *words, size_t count, uint64_t *out) {
    for (size_t i = 0; i < n; i++) {
        if (codes[i] >= count) return 0;
        out[i] = words[codes[i]];
    }
    return 1;
}

/* Hash every w of n words in a row, as cs_hashes does; gives how many there are. */
static size_t word_hashes(const uint64_t *s, size_t n, size_t w, const cs_params *p, uint64_t *out) {
    uint64_t rolled = 0, top = cs_power(p->base, w);
    if (n < w) return 0;
    for (size_t j = 0; j < w - 1; j++) rolled = (rolled + s[j]) * p->base;
    for (size_t i = 0; i + w <= n; i++) {
        rolled = (rolled + s[i + w - 1]) * p->base;
        out[i] = cs_finish(rolled, p);
        rolled -= s[i] * top;
    }
    return n - w + 1;
}

#endif
