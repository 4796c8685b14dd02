/* The lexer: bytes and a compiled language table in, tokens out. reference/lex.py is its definition.
 *
 * Every loop moves forward, and what is looked at without being taken (a literal that must close, a
 * heredoc whose end is sought) is bounded: time is linear in the input, whatever its bytes. */
#ifndef COPYSIFT_LEX_H
#define COPYSIFT_LEX_H

#include "lex_rules.h"

/* One past the opening of a rule that applies here, or 0. */
static size_t lex_opened(const lexer *x, const int32_t *r) {
    int flags = r[R_FLAGS];
    size_t next = x->at + r[R_OPEN_LEN];
    if (flags & F_SPACED) {
        if (!(next = lex_spaced(x, x->at, r[R_OPEN], r[R_OPEN_LEN]))) return 0;
    } else if (!lex_at(x, x->at, r[R_OPEN], r[R_OPEN_LEN], flags & F_FOLD)) {
        return 0;
    }
    if ((flags & F_LINE_START) && !x->fresh) return 0;
    if (r[R_COLUMN] && x->at - x->line + 1 != (size_t)r[R_COLUMN]) return 0;
    if ((flags & F_AFTER_OPERAND) && lex_operand(x)) return 0;
    if ((flags & F_ADJACENT) && lex_operand(x) && x->ends[x->count - 1] == x->at) return 0;
    if ((flags & F_AFTER_BLANK) && x->at) {
        uint8_t before = x->data[x->at - 1];
        if (before != ';' && before != ')' && !(x->classes[before] & (LEX_SPACE | LEX_BREAK))) return 0;
    }
    return (flags & F_WORD) && next < x->n && (x->classes[x->data[next]] & LEX_PART) ? 0 : next;
}

static int lex_rule(lexer *x) {
    uint8_t c = x->data[x->at];
    for (int32_t i = x->rule_first[c]; i < x->rule_first[c + 1]; i++) {
        int rule = x->rule_order[i], done = 0;
        const int32_t *r = x->rules + rule * R_FIELDS;
        size_t from = lex_opened(x, r);
        if (!from) continue;
        switch (r[R_KIND]) {
        case LEX_LINE: x->at = lex_line_body(x, r, from); done = 1; break;
        case LEX_SPAN: done = lex_span(x, rule, from); break;
        case LEX_FENCED: done = lex_fenced(x, rule, from); break;
        case LEX_HEREDOC: done = lex_heredoc(x, from); break;
        case LEX_QUOTED: done = lex_quoted(x, rule, from); break;
        case LEX_LETTER: done = lex_letter(x, rule, from); break;
        case LEX_BRANCH: x->at = lex_branch(x, r, from); done = 1; break;
        }
        if (done) return 1;
    }
    return 0;
}

static void lex_number(lexer *x) {
    const uint8_t *d = x->data, *marks = x->blob + x->options[O_MARKS];
    size_t i = x->at, n = x->n;
    int hex = d[i] == '0' && i + 1 < n && (d[i + 1] | 32) == 'x';
    while (i < n) {
        uint8_t c = d[i], k = x->classes[c], next = i + 1 < n ? d[i + 1] : 0;
        int alnum = (uint8_t)((c | 32) - 'a') < 26 || (k & LEX_DIGIT) || c == '_';
        if (alnum) {
            int exponent = hex ? (c | 32) == 'p' : (c | 32) == 'e';
            i += exponent && (next == '+' || next == '-') && i + 2 < n && (x->classes[d[i + 2]] & LEX_DIGIT) ? 2 : 1;
        } else if (c == '.' && (x->classes[next] & LEX_DIGIT)) {
            i++;
        } else if (i > x->at && x->options[O_MARKS_LEN] && memchr(marks, c, (size_t)x->options[O_MARKS_LEN]) &&
                   (x->classes[next] & LEX_PART) && next < 0x80) {
            i++;
        } else {
            break;
        }
    }
    lex_take(x, LEX_NUMBER, i);
}

static void lex_word(lexer *x, size_t i) {
    const uint8_t *d = x->data;
    int thin, fold = x->options[O_FOLD];
    uint64_t hash = lex_add(LEX_SEED, d + x->at, i - x->at, fold);
    for (; i < x->n && (x->classes[d[i]] & LEX_PART); i++) {
        if (d[i] >= 0x80 && lex_blank(d + i, x->n - i, &thin) && !thin) break;
        hash = (hash ^ (fold ? lex_fold(d[i]) : d[i])) * LEX_PRIME;
    }
    if (i < x->n && (x->classes[d[i]] & LEX_TAIL) && !(i + 1 < x->n && d[i + 1] == '=')) {
        hash = lex_add(hash, d + i, 1, fold);
        i++;
    }
    hash = lex_mix(hash);
    int keyword = lex_is_keyword(x, hash) && !lex_after_member(x);
    lex_emit(x, keyword ? lex_symbol(hash) : LEX_IDENTIFIER, i, hash);
}

static void lex_operator(lexer *x) {
    uint8_t c = x->data[x->at];
    size_t length = 1;
    for (int32_t i = x->op_first[c]; i < x->op_first[c + 1]; i++) {
        if (lex_at(x, x->at, x->ops[2 * i], x->ops[2 * i + 1], x->options[O_FOLD])) {
            length = (size_t)x->ops[2 * i + 1];
            break;
        }
    }
    if (c == '(' || c == '[' || c == '{') {
        x->depth++;
        if (x->holes) x->hole_depth[x->holes - 1]++;
    } else if (c == ')' || c == ']' || c == '}') {
        x->depth -= x->depth > 0;
        if (x->holes) x->hole_depth[x->holes - 1] -= x->hole_depth[x->holes - 1] > 0;
    }
    uint64_t hash = lex_hash(x->data + x->at, length, x->options[O_FOLD]);
    lex_emit(x, lex_symbol(hash), x->at + length, hash);
}

static void lex_break(lexer *x) {
    size_t width = lex_break_width(x, x->at);
    while (x->holes && !(x->rules[x->hole_rule[x->holes - 1] * R_FIELDS + R_FLAGS] & F_MULTILINE)) x->holes--;
    lex_end_line(x, x->at, x->at + width);
    x->line = x->at += width;
    x->fresh = 1;
    if (x->pending) lex_heredoc_bodies(x);
}

static int lex_continued(lexer *x) {
    size_t i = x->at + 1;
    while (i < x->n && (x->data[i] == ' ' || x->data[i] == '\t')) i++;
    if (i >= x->n || !lex_is_break(x->data[i])) return 0;
    x->at = i + lex_break_width(x, i);
    return 1;
}

static int lex_hole_ends(const lexer *x, uint8_t c) {
    return x->holes && !x->hole_depth[x->holes - 1] &&
           c == x->rules[x->hole_rule[x->holes - 1] * R_FIELDS + R_HOLE_CLOSE];
}

/* Sigils before a word belong to it: $x, @@y. 0 if no word follows. */
static size_t lex_sigils(const lexer *x) {
    size_t i = x->at;
    while (i < x->n && i - x->at < 3 && (x->classes[x->data[i]] & LEX_SIGIL)) i++;
    return i < x->n && (x->classes[x->data[i]] & LEX_START) ? i : 0;
}

/* The end of blanks in a line; most of many are spaces. */
static inline size_t lex_spaces(const lexer *x, size_t at) {
    while (at < x->n && (x->classes[x->data[at]] & LEX_SPACE)) {
        uint64_t others = at + 8 <= x->n ? lex_eight(x->data + at) ^ LEX_EACH(' ') : 1;
        at += !others ? 8 : others & 255 ? 1 : lex_first(others);
    }
    return at;
}

static void lex_step(lexer *x) {
    uint8_t c = x->data[x->at], k = x->classes[c];
    size_t width;
    int thin;
    if ((k & (LEX_START | LEX_RULE)) == LEX_START && c < 0x80 && c != x->options[O_CONTINUATION] && !x->holes) {
        lex_word(x, x->at); /* most tokens, and none of the questions below */
    } else if (k & LEX_SPACE) {
        x->at = lex_spaces(x, x->at + 1);
    } else if (k & LEX_BREAK) {
        lex_break(x);
    } else if (c == x->options[O_CONTINUATION] && lex_continued(x)) {
        return;
    } else if (c >= 0xC2 && (width = lex_blank(x->data + x->at, x->n - x->at, &thin))) {
        x->at += width;
    } else if (lex_hole_ends(x, c)) {
        int how, rule = x->hole_rule[--x->holes];
        size_t end = lex_body(x, x->rules + rule * R_FIELDS, x->at + 1, &how);
        lex_string(x, rule, end, how);
    } else if ((k & LEX_RULE) && lex_rule(x)) {
        return;
    } else if ((k & LEX_DIGIT) || (c == '.' && x->at + 1 < x->n && (x->classes[x->data[x->at + 1]] & LEX_DIGIT))) {
        lex_number(x);
    } else if (k & LEX_START) {
        lex_word(x, x->at);
    } else if ((k & LEX_SIGIL) && (width = lex_sigils(x))) {
        lex_word(x, width);
    } else {
        lex_operator(x);
    }
}

static void lex_run(lexer *x) {
    x->fresh = 1;
    x->unhashed = 0;
    while (x->at < x->n && !x->failed) lex_step(x);
    lex_end_line(x, x->n, x->n);
    if (!x->failed) lex_hash_late(x);
    for (x->fresh = 1; x->levels; x->levels--) lex_layout(x, LEX_DEDENT, x->n, x->n);
}

#endif
