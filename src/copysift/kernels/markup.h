/* HTML without its markup: the same bytes, what is not text overwritten.  reference/markup.py is the
 * definition, function by function; here stretches without decisions are found and filled at once. */
#ifndef COPYSIFT_MARKUP_H
#define COPYSIFT_MARKUP_H

#include "entities.h"
#include "text.h"

enum { JOINER = 0x7F, SPACE = 0x20, MAX_NAME = 10, MAX_REFERENCE = 64 };
enum { RAW_NONE, RAW_SCRIPT, RAW_LAST_HIDDEN = 6, RAW_TITLE, RAW_TEXTAREA, RAW_XMP, RAW_PLAINTEXT, RAWS };
enum {
    IN_DATA, IN_RAW, IN_NAME, BEFORE_ATTRIBUTE, IN_ATTRIBUTE, BEFORE_VALUE, IN_DOUBLE, IN_SINGLE, IN_UNQUOTED,
    IN_BOGUS, COMMENT_START, COMMENT_START_DASH, IN_COMMENT, COMMENT_DASH, COMMENT_END, COMMENT_BANG
};

enum { TAG_INLINE = 128, TAG_TEMPLATE, TAGS = 256 };

static const char *const RAW_NAMES[RAWS] = {
    "", "script", "style", "noscript", "iframe", "noembed", "noframes", "title", "textarea", "xmp", "plaintext"};
static const char *const INLINE_NAMES[] = {
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i",
    "ins", "kbd", "mark", "nobr", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "time",
    "tt", "u", "var", "wbr", 0};

static inline int is_blank(int c) { return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r'; }
static inline int is_letter(int c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; }
static inline int is_digit(int c) { return c >= '0' && c <= '9'; }

/* The tags that are more than a space: names of up to eight bytes as one number, hashed. */
static uint64_t tag_keys[TAGS];
static uint8_t tag_sorts[TAGS]; /* a raw element, TAG_INLINE or TAG_TEMPLATE */
static uint8_t tag_ends[256];   /* does a byte end the name of a tag? */
static uint8_t tag_lower[256];

static inline unsigned tag_slot(uint64_t key) {
    unsigned slot = (unsigned)(key * 0x9E3779B97F4A7C15ULL >> 56);
    while (tag_keys[slot] && tag_keys[slot] != key) slot = (slot + 1) % TAGS;
    return slot;
}

static void tag_add(const char *name, uint8_t sort) {
    uint64_t key = 0;
    for (unsigned i = 0; name[i] && i < 8; i++) key |= (uint64_t)(uint8_t)name[i] << 8 * i;
    unsigned slot = tag_slot(key);
    tag_keys[slot] = key;
    tag_sorts[slot] = sort;
}

static void mk_next_init(void);

static void markup_init(void) {
    entity_init();
    mk_next_init();
    for (int c = 0; c < 256; c++) {
        tag_ends[c] = is_blank(c) || c == '/' || c == '>';
        tag_lower[c] = (uint8_t)(c >= 'A' && c <= 'Z' ? c | 32 : c);
    }
    for (unsigned i = 0; INLINE_NAMES[i]; i++) tag_add(INLINE_NAMES[i], TAG_INLINE);
    for (uint8_t raw = 1; raw < RAW_PLAINTEXT; raw++) tag_add(RAW_NAMES[raw], raw);
    tag_add("template", TAG_TEMPLATE);
}

static const uint16_t WINDOWS_1252[32] = {
    0x20AC, 0x81, 0x201A, 0x192, 0x201E, 0x2026, 0x2020, 0x2021, 0x2C6, 0x2030, 0x160, 0x2039, 0x152, 0x8D,
    0x17D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x2DC, 0x2122, 0x161, 0x203A,
    0x153, 0x9D, 0x17E, 0x178};

typedef struct {
    const uint8_t *data;
    uint8_t *out;
    size_t n, at;
    uint32_t offset, *starts, *ends;
    size_t references;
    int final, more; /* more: the answer depends on bytes after the block */
    unsigned mode, fill, raw, escaped;
    uint64_t depth;
} blanker;

static inline int mk_peek(blanker *b, size_t distance) {
    if (b->at + distance < b->n) return b->data[b->at + distance];
    if (!b->final) b->more = 1;
    return -1;
}

/* Most stretches are short. They are written as 32 bytes where there is room: what follows overwrites the rest. */
static inline void mk_fill(uint8_t *to, size_t count, size_t room, unsigned fill) {
    if (count <= 32 && room >= 32) memset(to, (int)fill, 32);
    else memset(to, (int)fill, count);
}

static inline void mk_blank(blanker *b, size_t count, unsigned fill) {
    if (count > b->n - b->at) count = b->n - b->at;
    mk_fill(b->out + b->at, count, b->n - b->at, fill);
    b->at += count;
}

static inline void mk_show(blanker *b, size_t count) {
    if (b->depth) mk_fill(b->out + b->at, count, b->n - b->at, SPACE);
    else if (count <= 32 && b->n - b->at >= 32) memcpy(b->out + b->at, b->data + b->at, 32);
    else memcpy(b->out + b->at, b->data + b->at, count);
    b->at += count;
}

/* ---- where the next byte of interest is ------------------------------------------------------- */

static size_t find_two_portable(const uint8_t *data, size_t i, size_t n, uint8_t one, uint8_t two) {
    while (i < n && data[i] != one && data[i] != two) i++;
    return i;
}

#if TEXT_HAS_AVX2
TEXT_AVX2 static size_t find_two_avx2(const uint8_t *data, size_t i, size_t n, uint8_t one, uint8_t two) {
    const __m256i ones = _mm256_set1_epi8((char)one), twos = _mm256_set1_epi8((char)two);
    for (; i + 32 <= n; i += 32) {
        __m256i x = _mm256_loadu_si256((const __m256i *)(data + i));
        __m256i hit = _mm256_or_si256(_mm256_cmpeq_epi8(x, ones), _mm256_cmpeq_epi8(x, twos));
        uint32_t bits = (uint32_t)_mm256_movemask_epi8(hit);
        if (bits) return i + text_ctz(bits);
    }
    return find_two_portable(data, i, n, one, two);
}
#endif

static inline size_t find_two(const uint8_t *data, size_t i, size_t n, uint8_t one, uint8_t two) {
#if TEXT_HAS_AVX2
    if (text_use_avx2) return find_two_avx2(data, i, n, one, two);
#endif
    return find_two_portable(data, i, n, one, two);
}

static inline size_t find_one(const uint8_t *data, size_t i, size_t n, uint8_t byte) {
    const uint8_t *hit = (const uint8_t *)memchr(data + i, byte, n - i);
    return hit ? (size_t)(hit - data) : n;
}

/* ---- character references --------------------------------------------------------------------- */

static unsigned put_utf8(uint8_t *to, uint32_t c) {
    if (c < 0x80) {
        to[0] = (uint8_t)c;
        return 1;
    }
    if (c < 0x800) {
        to[0] = (uint8_t)(0xC0 | c >> 6);
        to[1] = (uint8_t)(0x80 | (c & 63));
        return 2;
    }
    unsigned n = c < 0x10000 ? 3 : 4;
    to[0] = (uint8_t)(n == 3 ? 0xE0 | c >> 12 : 0xF0 | c >> 18);
    if (n == 4) to[1] = (uint8_t)(0x80 | (c >> 12 & 63));
    to[n - 2] = (uint8_t)(0x80 | (c >> 6 & 63));
    to[n - 1] = (uint8_t)(0x80 | (c & 63));
    return n;
}

static size_t mk_number(blanker *b, uint8_t *value, unsigned *size) {
    size_t at = (mk_peek(b, 2) | 32) == 'x' ? 3 : 2, first = at;
    uint32_t point = 0;
    for (; at < MAX_REFERENCE; at++) {
        int c = mk_peek(b, at), low = c | 32;
        int digit = is_digit(c) ? c - '0' : first == 3 && low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
        if (digit < 0) break;
        point = point * (first == 3 ? 16 : 10) + (uint32_t)digit;
        if (point > 0x110000) point = 0x110000;
    }
    if (at == first || at == MAX_REFERENCE) return 0;
    if (mk_peek(b, at) == ';') at++;
    if (point >= 0x80 && point < 0xA0) point = WINDOWS_1252[point - 0x80];
    if (point == 0 || point >= 0x110000 || (point & 0xFFFFF800) == 0xD800) point = 0xFFFD;
    *size = put_utf8(value, point);
    return at;
}

static size_t mk_name(blanker *b, uint8_t *value, unsigned *size) {
    const uint8_t *name = b->data + b->at + 1;
    size_t run = 0;
    int found = -1;
    while (run < 32) {
        int c = mk_peek(b, 1 + run);
        if (!is_letter(c) && !is_digit(c)) break;
        run++;
    }
    if (run < 32 && mk_peek(b, 1 + run) == ';') found = find_entity(name, ++run);
    if (found < 0)
        for (run = run < 6 ? run : 6; run > 1 && found < 0;)
            if ((found = find_entity(name, run)) < 0) run--;
    if (found < 0) return 0;
    *size = (unsigned)(ENTITY_VALUE_AT[found + 1] - ENTITY_VALUE_AT[found]);
    memcpy(value, ENTITY_VALUES + ENTITY_VALUE_AT[found], *size);
    return run + 1;
}

static void mk_reference(blanker *b) {
    uint8_t value[16];
    unsigned size = 0;
    size_t length = mk_peek(b, 1) == '#' ? mk_number(b, value, &size) : mk_name(b, value, &size);
    if (b->more) return;
    if (!length) mk_show(b, 1);
    else if (b->depth) mk_blank(b, length, SPACE);
    else {
        b->starts[b->references] = b->offset + (uint32_t)b->at;
        b->ends[b->references++] = b->offset + (uint32_t)(b->at + length);
        memcpy(b->out + b->at, value, size);
        b->at += size;
        mk_blank(b, length - size, JOINER);
    }
}

/* ---- tags and comments ------------------------------------------------------------------------ */

static int mk_same_name(const uint8_t *at, const char *name) {
    for (; *name; name++, at++)
        if ((*at | 32) != *name) return 0;
    return 1;
}

static void mk_open_tag(blanker *b, size_t skip) {
    uint64_t key = 0;
    size_t n = 0;
    int nul = 0;
    if (b->at + skip + MAX_NAME <= b->n) { /* no need to look where the block ends */
        const uint8_t *name = b->data + b->at + skip;
        for (; n < MAX_NAME && !tag_ends[name[n]]; n++) {
            nul |= !name[n];
            if (n < 8) key |= (uint64_t)tag_lower[name[n]] << 8 * n;
        }
    } else {
        for (; n < MAX_NAME; n++) {
            int c = mk_peek(b, skip + n);
            if (c < 0 || tag_ends[c]) break;
            nul |= !c;
            if (n < 8) key |= (uint64_t)tag_lower[c] << 8 * n;
        }
    }
    if (b->more) return;
    unsigned sort = n <= 8 && !nul ? tag_sorts[tag_slot(key)] : 0;
    if (n == 9 && skip == 1 && mk_same_name(b->data + b->at + 1, RAW_NAMES[RAW_PLAINTEXT])) sort = RAW_PLAINTEXT;
    b->mode = IN_NAME;
    b->fill = sort == TAG_INLINE ? JOINER : SPACE;
    b->raw = skip == 1 && sort < RAWS ? sort : RAW_NONE;
    if (sort == TAG_TEMPLATE) {
        if (skip == 1) b->depth++;
        else if (b->depth) b->depth--;
    }
    size_t length = skip + n;
    if (b->at + length < b->n && b->data[b->at + length] == '>') { /* no attributes: the tag ends here */
        b->mode = b->raw ? IN_RAW : IN_DATA;
        b->escaped = 0;
        length++;
    }
    mk_blank(b, length, b->fill);
}

static void mk_open(blanker *b) {
    int second = mk_peek(b, 1);
    if (is_letter(second)) {
        mk_open_tag(b, 1);
        return;
    }
    int third = second == '/' || second == '!' ? mk_peek(b, 2) : -1;
    if (second == '/' && is_letter(third)) {
        mk_open_tag(b, 2);
        return;
    }
    int comment = second == '!' && third == '-' && mk_peek(b, 3) == '-';
    if (b->more) return;
    if (second == '!' || second == '?' || (second == '/' && third >= 0)) {
        b->mode = comment ? COMMENT_START : IN_BOGUS;
        b->fill = JOINER;
        mk_blank(b, comment ? 4 : 2, JOINER);
    } else mk_show(b, 1);
}

static unsigned mk_comment(unsigned mode, uint8_t byte) {
    int dash = byte == '-';
    if (byte == '>' && mode != IN_COMMENT && mode != COMMENT_DASH) return IN_DATA;
    switch (mode) {
    case COMMENT_START: return dash ? COMMENT_START_DASH : IN_COMMENT;
    case COMMENT_START_DASH:
    case COMMENT_DASH: return dash ? COMMENT_END : IN_COMMENT;
    case COMMENT_END: return dash ? COMMENT_END : byte == '!' ? COMMENT_BANG : IN_COMMENT;
    default: return dash ? COMMENT_DASH : IN_COMMENT;
    }
}

static unsigned mk_attribute(unsigned mode, uint8_t byte) {
    switch (mode) {
    case IN_NAME: return is_blank(byte) || byte == '/' ? BEFORE_ATTRIBUTE : mode;
    case IN_UNQUOTED: return is_blank(byte) ? BEFORE_ATTRIBUTE : mode;
    case BEFORE_ATTRIBUTE: return is_blank(byte) || byte == '/' ? mode : IN_ATTRIBUTE;
    case IN_ATTRIBUTE: return byte == '/' ? BEFORE_ATTRIBUTE : byte == '=' ? BEFORE_VALUE : mode;
    case BEFORE_VALUE: return is_blank(byte) ? mode : byte == '"' ? IN_DOUBLE : byte == '\'' ? IN_SINGLE : IN_UNQUOTED;
    default: return mode;
    }
}

/* The mode after each byte of a tag or comment; IN_DATA is its end. */
static uint8_t mk_next[COMMENT_BANG + 1][256];

static void mk_next_init(void) {
    for (unsigned mode = IN_NAME; mode <= COMMENT_BANG; mode++)
        for (unsigned byte = 0; byte < 256; byte++) {
            unsigned next;
            if (mode >= COMMENT_START) next = mk_comment(mode, (uint8_t)byte);
            else if (mode == IN_DOUBLE || mode == IN_SINGLE)
                next = byte == (mode == IN_DOUBLE ? '"' : '\'') ? (unsigned)BEFORE_ATTRIBUTE : mode;
            else next = byte == '>' ? (unsigned)IN_DATA : mk_attribute(mode, (uint8_t)byte);
            mk_next[mode][byte] = (uint8_t)next;
        }
}

/* Go through a tag or comment to its end or that of the block; what is long between is skipped. */
static void mk_markup(blanker *b) {
    size_t i = b->at;
    unsigned mode = b->mode, tag = mode < COMMENT_START;
    do {
        if (mode == IN_COMMENT) i = find_one(b->data, i, b->n, '-');
        else if (mode == IN_BOGUS) i = find_one(b->data, i, b->n, '>');
        size_t stop = b->n - i > 16 ? i + 16 : b->n;
        while (i < stop && mode != IN_DATA) mode = mk_next[mode][b->data[i++]];
        if (i < b->n && (mode == IN_DOUBLE || mode == IN_SINGLE))
            i = find_one(b->data, i, b->n, mode == IN_DOUBLE ? '"' : '\'');
    } while (i < b->n && mode != IN_DATA);
    if (mode == IN_DATA && tag) {
        if (b->raw) mode = IN_RAW;
        b->escaped = 0;
    }
    b->mode = mode;
    mk_blank(b, i - b->at, b->fill);
}

/* ---- elements whose content is not markup ----------------------------------------------------- */

static int mk_exactly(blanker *b, const char *expected) {
    for (size_t i = 0; expected[i]; i++)
        if (mk_peek(b, i) != expected[i]) return 0;
    return 1;
}

static int mk_tag_ahead(blanker *b, const char *start) {
    size_t at = strlen(start);
    if (!mk_exactly(b, start)) return 0;
    for (const char *name = RAW_NAMES[b->raw]; *name; name++, at++)
        if ((mk_peek(b, at) | 32) != *name) return 0;
    int last = mk_peek(b, at);
    return is_blank(last) || last == '/' || last == '>';
}

static void mk_raw(blanker *b) {
    int known = b->raw == RAW_TITLE || b->raw == RAW_TEXTAREA, hidden = b->raw <= RAW_LAST_HIDDEN;
    size_t skip = b->raw == RAW_PLAINTEXT ? b->n : b->at;
    skip = find_two(b->data, skip, b->n, '<', known ? '&' : b->escaped ? '-' : '<') - b->at;
    if (hidden) mk_blank(b, skip, SPACE);
    else mk_show(b, skip);
    if (b->at == b->n) return;
    uint8_t byte = b->data[b->at];
    if (byte == '&') {
        mk_reference(b);
        return;
    }
    int close = byte == '<' && mk_tag_ahead(b, "</");
    int escape = !close && byte == '<' && b->raw == RAW_SCRIPT && !b->escaped && mk_exactly(b, "<!--");
    int again = !close && byte == '<' && b->raw == RAW_SCRIPT && b->escaped == 1 && mk_tag_ahead(b, "<");
    int unescape = byte == '-' && mk_exactly(b, "-->");
    if (b->more) return;
    if (close) {
        size_t length = 2 + strlen(RAW_NAMES[b->raw]);
        if (b->escaped == 2) b->escaped = 1;
        else {
            b->mode = IN_NAME;
            b->fill = SPACE;
            b->raw = RAW_NONE;
        }
        mk_blank(b, length, SPACE);
    } else if (escape || unescape) { /* the dashes of <!-- may be those of --> too */
        b->escaped = (unsigned)escape;
        mk_blank(b, escape ? 2 : 3, SPACE);
    } else {
        if (again) b->escaped = 2;
        if (hidden) mk_blank(b, 1, SPACE);
        else mk_show(b, 1);
    }
}

static uint64_t text_markup(blanker *b, uint64_t state) {
    b->mode = state & 255;
    b->fill = state >> 8 & 255;
    b->raw = state >> 16 & 255;
    b->escaped = state >> 24 & 255;
    b->depth = state >> 32;
    while (b->at < b->n && !b->more) {
        if (b->mode == IN_RAW) mk_raw(b);
        else if (b->mode != IN_DATA) mk_markup(b);
        else {
            mk_show(b, find_two(b->data, b->at, b->n, '<', '&') - b->at);
            if (b->at == b->n) break;
            if (b->data[b->at] == '<') mk_open(b);
            else mk_reference(b);
        }
    }
    return b->mode | (uint64_t)b->fill << 8 | (uint64_t)b->raw << 16 | (uint64_t)b->escaped << 24 | b->depth << 32;
}

#endif
