/* Places of a packed segment: what its tables say. docs/format.md is the grammar.

   A place is a content and a start in one number: contents lie one after another, each in a slot as long as
   its largest start needs, rounded up to one of eight steps an octave, so that one long content does not
   make the numbers of all others longer. Contents with small starts may have slots of one length (`dense`),
   which needs no list of them.

   Tables come from a file: every count, width and number is checked before it is used. */

#ifndef COPYSIFT_PLACES_H
#define COPYSIFT_PLACES_H

#include "postings.h"

#define PLACES_HEAD 12        /* bytes of the tables before the classes */
#define PLACES_CLASSES 240    /* slots: 1 to 8, then 9 to 16 times a power of two, up to 2^32 */
#define PLACES_HINT 10        /* highest bits of a place that say about which class it is of */
#define PLACES_NONE 255       /* no dense slot */
#define PLACES_MOST ((uint64_t)1 << 56)

typedef struct {
    uint64_t base;     /* the first place */
    uint32_t factor;   /* a slot is factor << shift */
    uint64_t inverse;  /* 2^32 / factor, rounded up: exact below 2^28, as factors are at most 16 */
    int shift;
    size_t from;       /* its first content in the list */
} places_class;

typedef struct {
    int version;               /* the format of the pages, 2 or 3 */
    int shift;                 /* bits that are 0 in every difference of keys */
    uint32_t length;           /* the least one, in format 3 */
    int place_bits, document_bits;
    int dense;                 /* whether class 0 is the dense slot */
    size_t classes;
    const uint8_t *list;
    uint32_t first, last;      /* contents of the segment */
    uint64_t total;            /* places */
    places_class of[PLACES_CLASSES + 2];
    uint8_t hint[1 << PLACES_HINT];         /* the class of the first place with these highest bits */
} places_tables;

static uint64_t places_slot(int number) {
    return number < 8 ? (uint64_t)number + 1 : (uint64_t)(9 + (number & 7)) << ((number >> 3) - 1);
}

/* The least class whose slot is at least `extent`, 1 to 2^32. */
static int places_class_of(uint64_t extent) {
    if (extent <= 8) return (int)extent - 1;
    int shift = 0;
    while ((extent - 1) >> shift >= 16) shift++;
    return 8 * (shift + 1) + (int)((extent - 1) >> shift) - 8;
}

static int places_bits(uint64_t total) { return total > 1 ? postings_width(total - 1) : 0; }

/* ---- reading ---- */

static places_class places_class_at(uint64_t base, uint32_t factor, int shift, size_t from) {
    return (places_class){base, factor, (((uint64_t)1 << 32) + factor - 1) / factor, shift, from};
}

/* Read tables of `size` bytes, with POSTINGS_SPARE readable ones after them; 0 if they are impossible. */
static int places_read(const uint8_t *data, size_t size, uint32_t first, uint32_t last, places_tables *t) {
    uint16_t classes, length;
    uint32_t listed;
    if (size < PLACES_HEAD || first > last) return 0;
    memcpy(&classes, data + 4, 2);
    memcpy(&length, data + 6, 2);
    t->length = length;
    memcpy(&listed, data + 8, 4);
    int dense = data[1];
    t->shift = data[0], t->place_bits = data[2], t->document_bits = data[3];
    if (t->shift > 63 || t->place_bits > 56 || t->document_bits > 32) return 0;
    if ((dense > 32 && dense != PLACES_NONE) || classes > PLACES_CLASSES) return 0;
    if (size != PLACES_HEAD + 8 * (size_t)classes + postings_bytes(listed, t->document_bits)) return 0;
    t->first = first, t->last = last;
    t->list = data + PLACES_HEAD + 8 * (size_t)classes;
    t->dense = dense != PLACES_NONE;
    t->classes = 0, t->total = 0;
    if (t->dense) {
        uint64_t span = (uint64_t)last - first + 1;
        if (span > PLACES_MOST >> dense) return 0;
        t->of[t->classes++] = places_class_at(0, 1, dense, 0);
        t->total = span << dense;
    }
    const uint8_t *row = data + PLACES_HEAD;
    int before = -1;
    size_t from = 0;
    for (size_t i = 0; i < classes; i++, row += 8) {
        uint32_t number, count;
        memcpy(&number, row, 4);
        memcpy(&count, row + 4, 4);
        if (number >= PLACES_CLASSES || (int)number <= before || !count) return 0;
        before = (int)number;
        uint64_t slot = places_slot(before);
        if (count > (PLACES_MOST - t->total) / slot) return 0;
        t->of[t->classes++] = number < 8 ? places_class_at(t->total, number + 1, 0, from)
                                         : places_class_at(t->total, 9 + (number & 7), (before >> 3) - 1, from);
        t->total += slot * count;
        from += count;
    }
    if (from != listed) return 0;
    t->of[t->classes].base = t->total;
    int low = t->place_bits > PLACES_HINT ? t->place_bits - PLACES_HINT : 0;
    size_t c = 0;
    for (uint64_t i = 0; i < (uint64_t)1 << PLACES_HINT; i++) {
        while (c + 1 < t->classes && i << low >= t->of[c + 1].base) c++;
        t->hint[i] = (uint8_t)c;
    }
    return 1;
}

/* Give content and start of a place; 0 if there is no such place. */
static inline int places_at(const places_tables *t, uint64_t place, uint32_t *document, uint32_t *start) {
    if (place >= t->total) return 0;
    size_t c = t->hint[place >> (t->place_bits > PLACES_HINT ? t->place_bits - PLACES_HINT : 0)];
    while (place >= t->of[c + 1].base) c++;
    const places_class *of = &t->of[c];
    uint64_t within = place - of->base, high = within >> of->shift;
    uint64_t i = high >> 28 ? high / of->factor : high * of->inverse >> 32;
    *start = (uint32_t)(within - (i * of->factor << of->shift));
    uint64_t number = t->dense && !c ? i : postings_get(t->list, of->from + i, t->document_bits);
    if (number > t->last - t->first) return 0;
    *document = t->first + (uint32_t)number;
    return 1;
}

/* ---- writing ---- */

typedef struct {
    uint8_t *tables;           /* room for places_table_room bytes, zero */
    size_t size;
    int version, shift, place_bits;
    uint16_t length;           /* the least one, in format 3 */
} places_made;

static size_t places_table_room(size_t documents) {
    return PLACES_HEAD + 8 * PLACES_CLASSES + 4 * documents + 16;
}

/* Choose the slots: `extents` has a content's largest start + 1, or 0, by its rank; `numbers` how far each is
   from the first one. Give the dense slot, or PLACES_NONE, or -1 if the places need more than 56 bits. */
static int places_choose(const uint64_t *counts, size_t n, uint64_t span) {
    int best = -1;
    uint64_t least = 0, document_bits = (uint64_t)places_bits(span);
    for (int dense = -1; dense <= 32; dense++) {
        if (dense >= 0 && span > PLACES_MOST >> dense) break;
        uint64_t total = dense < 0 ? 0 : span << dense, listed = 0, classes = 0;
        int fits = 1;
        for (int c = 0; c < PLACES_CLASSES && fits; c++) {
            uint64_t slot = places_slot(c);
            if (!counts[c] || (dense >= 0 && slot <= (uint64_t)1 << dense)) continue;
            if (counts[c] > (PLACES_MOST - total) / slot) fits = 0;
            else total += counts[c] * slot, listed += counts[c], classes++;
        }
        if (!fits) continue;
        uint64_t cost = n * (uint64_t)places_bits(total) + listed * document_bits + 64 * classes;
        if (best < 0 || cost < least) best = dense < 0 ? PLACES_NONE : dense, least = cost;
    }
    return best;
}

/* Write the tables; `extents`, by rank, become the first places of the contents. 0 if there are too many. */
static int places_write(uint64_t *extents, const uint32_t *numbers, size_t documents, size_t n, uint64_t span,
                        places_made *out) {
    uint64_t counts[PLACES_CLASSES] = {0}, bases[PLACES_CLASSES], from[PLACES_CLASSES];
    for (size_t i = 0; i < documents; i++)
        if (extents[i]) counts[places_class_of(extents[i])]++;
    int dense = places_choose(counts, n, span), document_bits = places_bits(span);
    if (dense < 0) return 0;
    uint64_t common = dense == PLACES_NONE ? 0 : (uint64_t)1 << dense;
    uint64_t total = common ? span << dense : 0;
    uint32_t listed = 0;
    uint16_t classes = 0;
    uint8_t *row = out->tables + PLACES_HEAD;
    for (uint32_t c = 0; c < PLACES_CLASSES; c++) {
        if (!counts[c] || places_slot((int)c) <= common) continue;
        uint32_t count = (uint32_t)counts[c];
        bases[c] = total, from[c] = listed;
        memcpy(row, &c, 4);
        memcpy(row + 4, &count, 4);
        total += count * places_slot((int)c), listed += count, classes++, row += 8;
    }
    for (size_t i = 0; i < documents; i++) {
        if (!extents[i]) continue;
        int c = places_class_of(extents[i]);
        if (places_slot(c) <= common) {
            extents[i] = (uint64_t)numbers[i] << dense;
            continue;
        }
        postings_put(row, (size_t)from[c]++, document_bits, numbers[i]);
        extents[i] = bases[c];
        bases[c] += places_slot(c);
    }
    out->place_bits = places_bits(total);
    uint8_t head[4] = {(uint8_t)out->shift, (uint8_t)dense, (uint8_t)out->place_bits, (uint8_t)document_bits};
    memcpy(out->tables, head, 4);
    memcpy(out->tables + 4, &classes, 2);
    memcpy(out->tables + 6, &out->length, 2);
    memcpy(out->tables + 8, &listed, 4);
    out->size = (size_t)(row - out->tables) + postings_bytes(listed, document_bits);
    return 1;
}

#endif
