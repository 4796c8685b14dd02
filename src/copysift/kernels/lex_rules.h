/* Comments and literals: where a body that a rule of the language opens comes to its end. */
#ifndef COPYSIFT_LEX_RULES_H
#define COPYSIFT_LEX_RULES_H

#include "lex_tokens.h"

/* ---- bodies ---- */

static inline int lex_at(const lexer *x, size_t at, int32_t offset, int32_t length, int fold) {
    if (x->n - at < (size_t)length) return 0;
    const uint8_t *p = x->data + at, *q = x->blob + offset;
    for (int32_t i = 0; i < length; i++)
        if (p[i] != q[i] && !(fold && lex_fold(p[i]) == q[i])) return 0;
    return 1;
}

static size_t lex_blanks(const lexer *x, size_t at) {
    while (at < x->n && (x->data[at] == ' ' || x->data[at] == '\t')) at++;
    return at;
}

/* One past a string with blanks that may be after its first byte and where it has a space, or 0. */
static size_t lex_spaced(const lexer *x, size_t at, int32_t offset, int32_t length) {
    const uint8_t *q = x->blob + offset;
    for (int32_t i = 0; i < length; i++) {
        if (at >= x->n || (q[i] == ' ' ? x->data[at] != ' ' && x->data[at] != '\t' : x->data[at] != q[i])) return 0;
        at = i == 0 || q[i] == ' ' ? lex_blanks(x, at + 1) : at + 1;
    }
    return at;
}

static inline int lex_is_break(uint8_t c) { return c == '\n' || c == '\r'; }

static size_t lex_line_end(const lexer *x, size_t at) {
    for (; at + 8 <= x->n; at += 8) {
        uint64_t bytes = lex_eight(x->data + at), hit = lex_zeros(bytes ^ LEX_EACH('\n')) | lex_zeros(bytes ^ LEX_EACH('\r'));
        if (hit) return at + lex_first(hit);
    }
    while (at < x->n && !lex_is_break(x->data[at])) at++;
    return at;
}

static size_t lex_break_width(const lexer *x, size_t at) {
    return x->data[at] == '\r' && at + 1 < x->n && x->data[at + 1] == '\n' ? 2 : 1;
}

/* One past the end of a comment that runs to the end of its line. */
static size_t lex_line_body(const lexer *x, const int32_t *r, size_t at) {
    for (at = lex_line_end(x, at); (r[R_FLAGS] & F_CONTINUED) && at < x->n && x->data[at - 1] == '\\';)
        at = lex_line_end(x, at + lex_break_width(x, at));
    return at;
}

static int lex_directive(const lexer *x, size_t at, const char *word) {
    size_t length = strlen(word);
    return x->n - at >= length && !memcmp(x->data + at, word, length);
}

/* The end of a branch that is never compiled: one past the #else or #endif of its level, or its #elif. */
static size_t lex_branch(const lexer *x, const int32_t *r, size_t at) {
    uint8_t mark = x->blob[r[R_OPEN]];
    for (int level = 1; (at = lex_line_end(x, at)) < x->n;) {
        size_t from = lex_blanks(x, at += lex_break_width(x, at));
        if (from >= x->n || x->data[from] != mark) continue;
        size_t word = lex_blanks(x, from + 1);
        if (lex_directive(x, word, "if")) {
            level++;
        } else if (lex_directive(x, word, "endif")) {
            if (!--level) return word + 5;
        } else if (level == 1 && lex_directive(x, word, "else")) {
            return word + 4;
        } else if (level == 1 && lex_directive(x, word, "elif")) {
            return from;
        }
    }
    return x->n;
}

enum { BODY_CLOSED, BODY_OPEN, BODY_HOLE };

/* One past the string whose opening quote is before `from`; `from` if it does not close in its line. */
static size_t lex_inner(const lexer *x, size_t from, size_t stop) {
    for (size_t at = from; at < stop && !lex_is_break(x->data[at]); at++) {
        if (x->data[at] == '"') return at + 1;
        if (x->data[at] == '\\') at++;
    }
    return from;
}

/* The next byte that may end a body: what its closing begins with, an escape, or the end of the line if that counts. */
static inline size_t lex_skip(const uint8_t *d, size_t at, size_t stop, uint8_t first, int escape, int lines) {
    uint64_t firsts = LEX_EACH(first), escapes = escape >= 0 && escape < 256 ? LEX_EACH(escape) : firsts;
    for (; at + 8 <= stop; at += 8) {
        uint64_t bytes = lex_eight(d + at), hit = lex_zeros(bytes ^ firsts) | lex_zeros(bytes ^ escapes);
        if (lines) hit |= lex_zeros(bytes ^ LEX_EACH('\n')) | lex_zeros(bytes ^ LEX_EACH('\r'));
        if (hit) return at + lex_first(hit);
    }
    while (at < stop && d[at] != first && d[at] != escape && !(lines && lex_is_break(d[at]))) at++;
    return at;
}

/* The end of a body that closes with a fixed string; *how says what ended it. */
static size_t lex_body(const lexer *x, const int32_t *r, size_t at, int *how) {
    const uint8_t *d = x->data;
    int flags = r[R_FLAGS], nested = 1, bracket = 0, quotes = flags & F_QUOTED;
    size_t stop = r[R_MAX] && x->n - at > (size_t)(r[R_MAX] + r[R_CLOSE_LEN]) ? at + r[R_MAX] + r[R_CLOSE_LEN] : x->n;
    uint8_t first = x->blob[r[R_CLOSE]];
    int simple = !r[R_HOLE_LEN] && !(flags & (F_NESTED | F_BRACKETS | F_QUOTED)), escape = r[R_ESCAPE];
    *how = BODY_OPEN;
    while (at < stop) {
        if (simple) at = lex_skip(d, at, stop, first, escape, !(flags & F_MULTILINE));
        if (at == stop) break;
        uint8_t c = d[at];
        if (r[R_HOLE_LEN] && x->holes < LEX_HOLES && lex_at(x, at, r[R_HOLE], r[R_HOLE_LEN], 0)) {
            at += r[R_HOLE_LEN];
            if (r[R_HOLE_LEN] == 1 && at < x->n && d[at] == c) {
                at++; /* {{ stands for { */
            } else {
                *how = BODY_HOLE;
                return at;
            }
        } else if (quotes && c == '"') {
            at = lex_inner(x, at + 1, stop);
        } else if (c == r[R_ESCAPE] && at + 1 < x->n) {
            at++;
            at += lex_is_break(d[at]) ? lex_break_width(x, at) : 1;
        } else if (lex_is_break(c) && !(flags & F_MULTILINE)) {
            return at;
        } else if (c == first && !bracket && lex_at(x, at, r[R_CLOSE], r[R_CLOSE_LEN], flags & F_FOLD)) {
            at += r[R_CLOSE_LEN];
            if ((flags & F_DOUBLED) && lex_at(x, at, r[R_CLOSE], r[R_CLOSE_LEN], 0)) {
                at += r[R_CLOSE_LEN];
            } else if (!--nested) {
                *how = BODY_CLOSED;
                return at;
            }
        } else if ((flags & F_NESTED) && lex_at(x, at, r[R_OPEN], r[R_OPEN_LEN], flags & F_FOLD)) {
            at += r[R_OPEN_LEN];
            nested++;
        } else {
            if (flags & F_BRACKETS) bracket = c == '[' ? 1 : c == ']' ? 0 : bracket;
            at++;
        }
    }
    return at < x->n ? at : x->n;
}

static void lex_string(lexer *x, int rule, size_t end, int how) {
    uint32_t symbol = (uint32_t)x->rules[rule * R_FIELDS + R_SYMBOL];
    if (symbol == LEX_STRING && x->fresh && x->options[O_DOCSTRINGS] && lex_logical(x)) { /* perhaps a comment */
        lex_emit(x, symbol, end, 0);
        if (!x->failed) x->unhashed = x->count;
    } else lex_take(x, symbol, end);
    if (how == BODY_HOLE) {
        x->hole_rule[x->holes] = rule;
        x->hole_depth[x->holes++] = 0;
    }
}

/* A body of limited size is one character, or an escape and what belongs to it. */
static int lex_short(const lexer *x, const int32_t *r, size_t at) {
    if (!r[R_MAX] || at >= x->n || x->data[at] == r[R_ESCAPE]) return 1;
    do at++;
    while (at < x->n && (x->data[at] & 0xC0) == 0x80);
    return lex_at(x, at, r[R_CLOSE], r[R_CLOSE_LEN], 0);
}

static int lex_span(lexer *x, int rule, size_t from) {
    const int32_t *r = x->rules + rule * R_FIELDS;
    int how;
    if (!lex_short(x, r, from)) return 0;
    if ((r[R_FLAGS] & F_MUST_CLOSE) && x->failures >= LEX_FAILURES && !r[R_MAX]) return 0;
    size_t end = lex_body(x, r, from, &how);
    if (how == BODY_OPEN && (r[R_FLAGS] & F_MUST_CLOSE)) {
        x->failures += end - from > LEX_NEAR;
        return 0;
    }
    if (r[R_SYMBOL])
        lex_string(x, rule, end, how);
    else
        x->at = end;
    return 1;
}

/* R"x( … )x", r##"…"##, [==[ … ]==], $tag$ … $tag$: the closing repeats what stood in the opening. */
static int lex_fenced(lexer *x, int rule, size_t from) {
    const int32_t *r = x->rules + rule * R_FIELDS;
    size_t at = from, fence;
    while (at < x->n && at - from < LEX_FENCE &&
           (r[R_FENCE] ? x->data[at] == r[R_FENCE] : x->classes[x->data[at]] & LEX_PART))
        at++;
    fence = at - from;
    if (!lex_at(x, at, r[R_MIDDLE], r[R_MIDDLE_LEN], 0)) return 0;
    for (at += r[R_MIDDLE_LEN]; at < x->n; at++) {
        if (!lex_at(x, at, r[R_CLOSE], r[R_CLOSE_LEN], 0)) continue;
        size_t next = at + r[R_CLOSE_LEN];
        if (x->n - next < fence || memcmp(x->data + next, x->data + from, fence)) continue;
        if (!lex_at(x, next + fence, r[R_END], r[R_END_LEN], 0)) continue;
        at = next + fence + r[R_END_LEN];
        break;
    }
    if (r[R_SYMBOL])
        lex_take(x, (uint32_t)r[R_SYMBOL], at);
    else
        x->at = at;
    return 1;
}

/* ---- heredocs: the name stands in a line, the body in those after it ---- */

/* The start of the line that ends a heredoc, from the line at `at` on; n + 1 if there is none. */
static size_t lex_find_end(const lexer *x, lex_name name, size_t at, size_t *after) {
    while (at < x->n) {
        size_t p = at, end = lex_line_end(x, at);
        while (p < end && (x->data[p] == ' ' || x->data[p] == '\t')) p++;
        if (end - p >= name.length && !memcmp(x->data + p, x->data + name.start, name.length) &&
            (p + name.length == end || !(x->classes[x->data[p + name.length]] & LEX_PART))) {
            *after = p + name.length;
            return at;
        }
        at = end < x->n ? end + lex_break_width(x, end) : x->n;
    }
    return x->n + 1;
}

static int lex_heredoc(lexer *x, size_t at) {
    const uint8_t *d = x->data;
    size_t after;
    if (x->pending == LEX_PENDING || x->failures >= LEX_FAILURES) return 0;
    if (at < x->n && (d[at] == '-' || d[at] == '~')) at++;
    uint8_t quote = at < x->n && (d[at] == '"' || d[at] == '\'') ? d[at++] : 0;
    lex_name name = {at, 0};
    if (at >= x->n || !(x->classes[d[at]] & LEX_START)) return 0;
    while (at < x->n && (x->classes[d[at]] & LEX_PART)) at++;
    name.length = (uint32_t)(at - name.start);
    if (quote && (at >= x->n || d[at++] != quote)) return 0;
    size_t line = lex_line_end(x, at);
    if (line >= x->n || lex_find_end(x, name, line + lex_break_width(x, line), &after) > x->n) {
        x->failures += 4; /* it was a shift, or the file is cut off */
        return 0;
    }
    x->wanted[x->pending++] = name;
    x->at = at;
    return 1;
}

static void lex_heredoc_bodies(lexer *x) {
    for (int i = 0; i < x->pending; i++) {
        size_t after;
        if (lex_find_end(x, x->wanted[i], x->at, &after) > x->n) break;
        if (after > x->at) {
            lex_push(x, LEX_STRING, x->at, after, lex_hash(x->data + x->at, after - x->at, 0));
            x->at = after;
            x->fresh = 0;
        }
    }
    x->pending = 0;
}

/* ---- q(…), m/…/, s/…/…/, %w[…], ~r/…/ ---- */

static uint8_t lex_partner(uint8_t c) {
    switch (c) {
    case '(': return ')';
    case '[': return ']';
    case '{': return '}';
    case '<': return '>';
    default: return c;
    }
}

static int lex_quoted(lexer *x, int rule, size_t at) {
    const int32_t *r = x->rules + rule * R_FIELDS;
    const uint8_t *d = x->data;
    uint8_t before = x->at ? d[x->at - 1] : 0, open = at < x->n ? d[at] : 0, close = lex_partner(open);
    if (!open || (x->classes[open] & (LEX_PART | LEX_SPACE | LEX_BREAK)) || strchr("=,;)]}>.:", open)) return 0;
    if (before == '$' || before == '@' || before == '%' || before == '&' || before == '>') return 0;
    if (x->failures >= LEX_FAILURES) return 0;
    size_t stop = x->n - at > LEX_QUOTED_MAX ? at + LEX_QUOTED_MAX : x->n;
    int parts = r[R_PARTS], nested = 0;
    for (; at < stop && parts; at++) {
        if (d[at] == '\\') {
            at++;
        } else if (d[at] == close && (nested == 1 || (open == close && nested))) {
            parts--;
            nested = open == close;
            if (open != close)
                while (parts && at + 1 < stop && x->classes[d[at + 1]] & (LEX_SPACE | LEX_BREAK)) at++;
        } else if (d[at] == open) {
            nested++;
        } else if (d[at] == close) {
            nested--;
        } else if (!nested) {
            break; /* s{…} without a second part */
        }
    }
    if (parts == r[R_PARTS]) {
        x->failures++;
        return 0;
    }
    lex_take(x, (uint32_t)r[R_SYMBOL], at < x->n ? at : x->n);
    return 1;
}

/* ---- 0'c, #\space, $a: one character, or the whole word after an opening ---- */

static int lex_letter(lexer *x, int rule, size_t at) {
    const int32_t *r = x->rules + rule * R_FIELDS;
    if (at < x->n && x->data[at] == r[R_ESCAPE]) at++;
    if (at >= x->n || x->classes[x->data[at]] & (LEX_SPACE | LEX_BREAK)) return 0;
    int word = (r[R_FLAGS] & F_WHOLE_WORD) && x->classes[x->data[at]] & LEX_START;
    do at++;
    while (at < x->n && ((x->data[at] & 0xC0) == 0x80 || (word && x->classes[x->data[at]] & LEX_PART)));
    lex_take(x, (uint32_t)r[R_SYMBOL], at);
    return 1;
}

#endif
