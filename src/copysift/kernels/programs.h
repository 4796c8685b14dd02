/* Many programs of one language at once: lexed, winnowed, and what their lexemes tell.  reference/batch.py is the
 * definition; here one work space serves all of them. */
#ifndef COPYSIFT_PROGRAMS_H
#define COPYSIFT_PROGRAMS_H

#include "lex_quick.h"
#include "lex_told.h"
#include "window.h"

typedef struct {
    uint64_t *values;
    size_t count, room;
} pr_list;

/* What is told of lexemes: the symbols that end a statement, and the limits of statements and strings. */
typedef struct {
    const uint32_t *ending;
    size_t n_ending, shortest;
    uint32_t longest;
    int lines;
} pr_told;

typedef struct {
    cs_rule rule;
    cs_edition edition;
    cs_space space;
    lexer x; /* its table; its lists of tokens serve one program after the other */
    quick_table quick; /* of its language, if only symbols are wanted */
    int quickly;
    size_t most; /* tokens that count then */
    uint32_t *places;
    size_t room;   /* of places */
    pr_list known; /* slots of a table of the hashes of one program */
    pr_list hashes, statements, strings; /* of all programs */
} pr_space;

static void pr_free(pr_space *b) {
    cs_free_space(&b->space);
    free(b->x.symbols); free(b->x.starts); free(b->x.ends); free(b->x.raws);
    free(b->places); free(b->known.values); free(b->hashes.values); free(b->statements.values); free(b->strings.values);
    memset(b, 0, sizeof *b);
}

/* Make a space for a rule and the table of a language, which `table` has; -1: out of memory. */
static int pr_make(pr_space *b, const cs_rule *rule, const cs_edition *edition, const lexer *table) {
    memset(b, 0, sizeof *b);
    b->rule = *rule;
    b->edition = *edition;
    b->x = *table;
    return cs_make_space(&b->space, rule->k, rule->w, &rule->p, 4, rule->r > 0) ? -1 : 0;
}

/* From now on give symbols alone, those of the first `most` tokens, or of all if it is 0; `lengths` has those of the
   keywords that begin with a byte, as bits. */
static void pr_hurry(pr_space *b, const uint32_t *lengths, size_t most) {
    b->quickly = quick_make(&b->quick, &b->x, lengths);
    b->most = most;
}

/* Where `more` values may be written behind those that are there; NULL: out of memory. */
static uint64_t *pr_more(pr_list *list, size_t more) {
    if (list->room < list->count + more || !list->values) {
        size_t room = 2 * list->room + more + 4096;
        uint64_t *values = (uint64_t *)realloc(list->values, room * 8);
        if (!values) return NULL;
        list->values = values;
        list->room = room;
    }
    return list->values + list->count;
}

/* Lex a program into the lists of the space, as if it were the first one. */
static void pr_lex(pr_space *b, const uint8_t *data, size_t n) {
    lexer *x = &b->x;
    x->data = data;
    x->n = n;
    x->count = x->at = x->line = x->line_token = 0;
    x->depth = x->holes = x->levels = x->pending = x->failures = 0;
    if (b->quickly) quick_run(x, &b->quick, b->most);
    else lex_run(x);
    if (b->most && x->count > b->most) x->count = b->most;
}

/* Winnow the symbols of the program that was lexed last; -1: out of memory. */
static int pr_winnow(pr_space *b) {
    size_t k = b->rule.k, count = b->x.count;
    if (count < k) return 0;
    if (count > b->room) {
        uint32_t *places = (uint32_t *)realloc(b->places, 2 * count * 4);
        if (!places) return -1;
        b->places = places;
        b->room = 2 * count;
    }
    uint64_t *hashes = pr_more(&b->hashes, count);
    cs_symbols s = {b->x.symbols, 4};
    if (!hashes) return -1;
    b->hashes.count += cs_winnow_in(&b->space, s, count - k + 1, &b->rule, &b->edition, 0, 1, b->places, hashes);
    return 0;
}

/* Lex one program, and add what there is of it to the lists; -1: out of memory. */
static int pr_program(pr_space *b, const pr_told *t, const uint8_t *data, size_t n) {
    lexer *x = &b->x;
    pr_lex(b, data, n);
    if (x->failed || pr_winnow(b)) return -1;
    if (!x->count) return 0;
    uint64_t *out = pr_more(&b->statements, x->count / t->shortest + 1);
    if (!out) return -1;
    b->statements.count += told_statements(data, x->symbols, x->raws, x->starts, x->ends, x->count, t->ending,
                                           t->n_ending, t->lines, t->shortest, out);
    size_t more = told_strings(x->symbols, x->raws, x->starts, x->ends, x->count, t->longest, NULL);
    if (!(out = pr_more(&b->strings, more))) return -1;
    b->strings.count += told_strings(x->symbols, x->raws, x->starts, x->ends, x->count, t->longest, out);
    return 0;
}

/* Leave each hash of a program once, where it first is: those of the list from `first` on; -1: out of memory. */
static int pr_once(pr_space *b, size_t first) {
    uint64_t *hashes = b->hashes.values + first;
    size_t count = b->hashes.count - first, slots = 16, kept = 0;
    int zero = 0; /* was met: an empty slot is 0 */
    while (slots < 2 * count) slots *= 2;
    uint64_t *table = pr_more(&b->known, slots);
    if (!table) return -1;
    memset(table, 0, slots * sizeof *table);
    for (size_t i = 0; i < count; i++) {
        uint64_t hash = hashes[i];
        size_t at = (size_t)(hash * 0x9E3779B97F4A7C15u >> 32) & (slots - 1);
        while (table[at] && table[at] != hash) at = (at + 1) & (slots - 1);
        if (hash ? table[at] == hash : zero) continue;
        table[at] = hash;
        zero |= !hash;
        hashes[kept++] = hash;
    }
    b->hashes.count = first + kept;
    return 0;
}

/* Lex one program, and add its hashes to their list, each once; -1: out of memory. */
static int pr_tokens(pr_space *b, const uint8_t *data, size_t n) {
    size_t first = b->hashes.count;
    pr_lex(b, data, n);
    if (b->x.failed || pr_winnow(b)) return -1;
    return b->hashes.count > first ? pr_once(b, first) : 0;
}

#endif
