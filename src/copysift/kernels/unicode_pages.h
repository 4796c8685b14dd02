/* What the 64 characters that share all but the last byte of their UTF-8 fold to: a page. Vectors look up a page at once. */
#ifndef COPYSIFT_UNICODE_PAGES_H
#define COPYSIFT_UNICODE_PAGES_H

#include "text.h"

enum { PAGES = 0x10000 / 64, PAGE_PARTS = 3 };
/* Sorts of pages: no character leaves a symbol; each is its own symbol; one at a time; from PAGE_FOLDS on, a table. */
enum { PAGE_DROPS, PAGE_KEEPS, PAGE_ALONE, PAGE_FOLDS };

typedef struct {
    uint8_t low[PAGE_PARTS][64], high[PAGE_PARTS][64]; /* the symbols of each character, in order; 0: none */
    uint8_t alone[64];                                 /* characters with more symbols than bytes */
    uint8_t parts, any_alone, unused[62]; /* rows of whole cache lines */
} unicode_page;

static uint16_t text_page_sorts[PAGES];
static unicode_page text_pages[PAGES - PAGE_FOLDS];

/* The symbols that a code point leaves, at most four. */
static inline unsigned uni_symbols(uint32_t point, uint32_t *symbols) {
    unsigned place = uni_place(point), count = 0;
    if (place < UNI_SIMPLE) {
        symbols[0] = point + (uint32_t)UNI_DELTA[place];
        return is_kept(UNI_KIND[place]);
    }
    const uint32_t *fold = UNI_POOL + (place - UNI_SIMPLE);
    for (uint32_t part = 1; part <= fold[0]; part++)
        if (is_kept(fold[part] & 7)) symbols[count++] = fold[part] >> 3;
    return count;
}

/* Fill a table; 0: symbols of over 16 bits, which it has no room for. */
static int page_fill(unicode_page *page, uint32_t first) {
    memset(page, 0, sizeof *page);
    for (uint32_t at = 0; at < 64; at++) {
        uint32_t symbols[4];
        unsigned count = uni_symbols(first + at, symbols);
        if (count > (first < 0x800 ? 2u : 3u)) {
            page->alone[at] = page->any_alone = 1;
            continue;
        }
        if (count > page->parts) page->parts = (uint8_t)count;
        for (unsigned part = 0; part < count; part++) {
            if (symbols[part] > 0xFFFF) return 0;
            page->low[part][at] = (uint8_t)symbols[part];
            page->high[part][at] = (uint8_t)(symbols[part] >> 8);
        }
    }
    return 1;
}

/* Surrogates are not UTF-8, and jamo may join the syllable before them. */
static int page_is_alone(uint32_t first) { return (first >= 0xD800 && first < 0xE000) || (first >= LEAD && first < 0x1200); }

static void unicode_init(void) {
    uint16_t made = PAGE_FOLDS;
    for (uint32_t number = 0; number < PAGES; number++) {
        uint32_t first = number * 64, kept = 0, own = 0, symbols[4];
        for (uint32_t point = first; point < first + 64; point++) {
            unsigned count = uni_symbols(point, symbols);
            kept += count > 0;
            own += count == 1 && symbols[0] == point;
        }
        uint16_t sort = page_is_alone(first) ? PAGE_ALONE : !kept ? PAGE_DROPS : own == 64 ? PAGE_KEEPS : made;
        if (number < 0x800 / 64 && sort == PAGE_KEEPS) sort = made; /* that is for three bytes */
        if (sort == made) {
            if (page_fill(&text_pages[made - PAGE_FOLDS], first)) made++;
            else sort = PAGE_ALONE;
        }
        text_page_sorts[number] = sort;
    }
}

#endif
