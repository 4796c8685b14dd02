/* Pages of packed postings, format 2: pack, unpack, look up. docs/format.md is the grammar of a page.

   A posting is (key, document, start, length); postings are sorted by key, then document, then start. A key
   that several postings have is written once, document and start are one number (places.h). As in
   postings.h the directory has the first key of each page, its offset and a CRC-32, and nothing of a page
   is believed that was not checked. */

#ifndef COPYSIFT_PACKED_H
#define COPYSIFT_PACKED_H

#include "places.h"

#define PACKED_HEAD 8  /* bytes of a page before its columns */
#define PACKED_ROOM 28 /* bytes of a posting at most */

typedef struct {
    size_t count;        /* postings, which the directory decides */
    size_t fresh;        /* those after the first whose key is another than the one before */
    int key_bits, length_bits;
    uint32_t length;     /* the least of the page */
} packed_head;

static packed_head packed_read_head(const uint8_t *page, size_t count) {
    uint16_t fresh;
    uint32_t length;
    memcpy(&fresh, page, 2);
    memcpy(&length, page + 4, 4);
    return (packed_head){count, fresh, page[2], page[3], length};
}

/* Bytes of the marks: one bit for each posting after the first, none if all keys or no keys are new. */
static size_t packed_marks(size_t count, size_t fresh) {
    return fresh && fresh + 1 < count ? postings_bytes(count - 1, 1) : 0;
}

/* ---- writing ---- */

/* Pack n postings, 1 to 65535, into `page`, which is zero; `bases` are the first places of contents by rank. */
static size_t packed_pack_page(const uint64_t *keys, const uint32_t *ranks, const uint32_t *starts,
                               const uint32_t *lengths, size_t n, const uint64_t *bases, const places_made *t,
                               uint8_t *page) {
    uint64_t most = 0;
    uint32_t low = lengths[0], high = lengths[0];
    uint16_t fresh = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t delta = i ? keys[i] - keys[i - 1] : 0;
        fresh += delta != 0;
        if (delta > most) most = delta;
        if (lengths[i] < low) low = lengths[i];
        if (lengths[i] > high) high = lengths[i];
    }
    int key_bits = postings_width(most >> t->shift), length_bits = postings_width(high - low);
    memcpy(page, &fresh, 2);
    page[2] = (uint8_t)key_bits;
    page[3] = (uint8_t)length_bits;
    memcpy(page + 4, &low, 4);
    uint8_t *marks = page + PACKED_HEAD, *column = marks + packed_marks(n, fresh);
    for (size_t i = 1, k = 0; i < n; i++) {
        if (keys[i] == keys[i - 1]) continue;
        if (column > marks) marks[(i - 1) >> 3] |= (uint8_t)(1 << ((i - 1) & 7));
        postings_put(column, k++, key_bits, (keys[i] - keys[i - 1]) >> t->shift);
    }
    column += postings_bytes(fresh, key_bits);
    if (t->place_bits)
        for (size_t i = 0; i < n; i++) postings_put(column, i, t->place_bits, bases[ranks[i]] + starts[i]);
    column += postings_bytes(n, t->place_bits);
    if (length_bits)
        for (size_t i = 0; i < n; i++) postings_put(column, i, length_bits, lengths[i] - low);
    return (size_t)(column - page) + postings_bytes(n, length_bits);
}

/* Pack all postings; `out` is zero, and its first byte stands at `begin` of the file. Give the bytes used. */
static size_t packed_pack(const uint64_t *keys, const uint32_t *ranks, const uint32_t *starts,
                          const uint32_t *lengths, size_t n, size_t page, size_t begin, const uint64_t *bases,
                          const places_made *t, uint8_t *out, postings_entry *directory) {
    size_t used = 0;
    for (size_t at = 0; at < n; at += page, directory++) {
        size_t count = n - at < page ? n - at : page;
        size_t size = packed_pack_page(keys + at, ranks + at, starts + at, lengths + at, count, bases, t, out + used);
        directory->key = keys[at];
        directory->offset = (uint32_t)(begin + used);
        directory->crc = postings_page_crc(directory->key, directory->offset, out + used, size);
        used += size;
    }
    return used;
}

/* The bits that are 0 in every difference of keys. */
static int packed_shift(const uint64_t *keys, size_t n) {
    uint64_t together = 0;
    int shift = 0;
    for (size_t i = 1; i < n; i++) together |= keys[i] - keys[i - 1];
    while (together && !(together >> shift & 1)) shift++;
    return shift;
}

/* ---- reading ---- */

/* A page that was checked: where its columns are; `marks` is NULL if all keys or no keys are new. */
typedef struct {
    const uint8_t *marks, *keys, *places, *lengths;
    packed_head head;
} packed_page;

/* Give the columns of page p if it is as it was written, and none goes beyond its end. */
static int packed_sound(const postings_file *f, const places_tables *t, size_t p, packed_page *out) {
    postings_entry e = f->directory[p];
    size_t end = p + 1 < f->pages ? f->directory[p + 1].offset : f->end;
    if (e.offset < f->begin || end > f->end || e.offset + (size_t)PACKED_HEAD > end) return 0;
    size_t size = end - e.offset;
    const uint8_t *page = postings_bytes_at(f, e.offset, size);
    if (!page || postings_page_crc(e.key, e.offset, page, size) != e.crc) return 0;
    packed_head h = packed_read_head(page, p + 1 < f->pages ? f->page : f->count - f->page * p);
    if (h.fresh >= h.count) return 0;
    if ((h.key_bits > 56 && h.key_bits != 64) || h.length_bits > 32) return 0;
    size_t marks = packed_marks(h.count, h.fresh), keys = postings_bytes(h.fresh, h.key_bits);
    size_t places = postings_bytes(h.count, t->place_bits);
    out->head = h;
    out->marks = marks ? page + PACKED_HEAD : NULL;
    out->keys = page + PACKED_HEAD + marks;
    out->places = out->keys + keys;
    out->lengths = out->places + places;
    return size == PACKED_HEAD + marks + keys + places + postings_bytes(h.count, h.length_bits);
}

static uint64_t packed_eight(const uint8_t *marks, size_t n) { /* up to 8 bytes as a number */
    uint64_t word = 0;
    if (n >= 8) memcpy(&word, marks, 8);
    else for (size_t i = 0; i < n; i++) word |= (uint64_t)marks[i] << 8 * i;
    return word;
}

static size_t packed_ones(uint64_t word) {
    word -= word >> 1 & 0x5555555555555555u;
    word = (word & 0x3333333333333333u) + (word >> 2 & 0x3333333333333333u);
    return (size_t)(((word + (word >> 4)) & 0x0F0F0F0F0F0F0F0Fu) * 0x0101010101010101u >> 56);
}

/* Decode the keys of a page; 0 if not as many are marked as are new, or they go beyond 64 bits. What is known
   before the loop is left out of it, and it has no branch: marks are as hard to guess as a coin. */
static int packed_keys(const packed_page *page, int shift, uint64_t first, uint64_t *keys) {
    packed_head h = page->head;
    uint64_t key = first, most = UINT64_MAX >> shift, wrong = 0;
    keys[0] = first;
    if (!page->marks) {
        for (size_t i = 1; i < h.count; i++) {
            uint64_t delta = h.fresh ? postings_get(page->keys, i - 1, h.key_bits) : 0;
            uint64_t next = key + (delta << shift);
            wrong |= (uint64_t)(delta > most) | (uint64_t)(next < key);
            keys[i] = key = next;
        }
        return !wrong;
    }
    size_t bytes = postings_bytes(h.count - 1, 1), ones = 0, k = 0;
    for (size_t at = 0; at < bytes; at += 8) ones += packed_ones(packed_eight(page->marks + at, bytes - at));
    if (ones != h.fresh || page->marks[bytes - 1] >> ((h.count - 2) & 7) >> 1) return 0;
    for (size_t i = 1; i < h.count;) {
        uint64_t word = packed_eight(page->marks + ((i - 1) >> 3), bytes - ((i - 1) >> 3));
        size_t end = i + 64 < h.count ? i + 64 : h.count;
        for (; i < end; i++, word >>= 1) {
            uint64_t fresh = word & 1, delta = postings_get(page->keys, k, h.key_bits) & (0 - fresh);
            uint64_t next = key + (delta << shift);
            wrong |= (uint64_t)(delta > most) | (uint64_t)(next < key);
            keys[i] = key = next;
            k += fresh;
        }
    }
    return !wrong;
}

/* Decode postings first .. last-1 of a page, without their keys; 0 if one of them is impossible. */
static int packed_rest(const packed_page *page, const places_tables *t, size_t first, size_t last,
                       uint32_t *documents, uint32_t *starts, uint32_t *lengths) {
    packed_head h = page->head;
    for (size_t i = first; i < last; i++) {
        uint64_t place = postings_get(page->places, i, t->place_bits);
        if (!places_at(t, place, documents + i - first, starts + i - first)) return 0;
    }
    for (size_t i = first; i < last; i++)
        lengths[i - first] = h.length + (uint32_t)postings_get(page->lengths, i, h.length_bits);
    return 1;
}

/* Decode pages first .. last-1; a damaged one leaves a gap of 0 postings and its number in `bad`.
   Give the number of postings. */
static size_t packed_unpack(const postings_file *f, const places_tables *t, size_t first, size_t last,
                            uint64_t *keys, uint32_t *documents, uint32_t *starts, uint32_t *lengths,
                            uint32_t *bad, size_t *n_bad) {
    size_t n = 0;
    packed_page page;
    for (size_t p = first; p < last; p++) {
        uint64_t key = f->directory[p].key;
        if ((n && key < keys[n - 1]) || !packed_sound(f, t, p, &page) || !packed_keys(&page, t->shift, key, keys + n) ||
            !packed_rest(&page, t, 0, page.head.count, documents + n, starts + n, lengths + n))
            bad[(*n_bad)++] = (uint32_t)p;
        else n += page.head.count;
    }
    return n;
}

/* Look up `wanted`, ascending and distinct; `keys` has room for a page. 0 when memory is short. What is believed
   of a page is what postings_find believes; of a page whose keys are sound, postings that are impossible are
   left out, and the page is noted. */
static int packed_find(const postings_file *f, const places_tables *t, const uint64_t *wanted, size_t n,
                       uint64_t *keys, postings_found *out) {
    size_t held = SIZE_MAX;
    packed_page page;
    int sound = 0;
    for (size_t w = 0; w < n; w++) {
        uint64_t key = wanted[w], end = 0; /* the last key of the page before, if that was sound */
        for (size_t p = postings_page_of(f, key); p < f->pages; p++) {
            int after = f->directory[p].key >= end;
            if (p != held || !after) {
                held = after ? p : SIZE_MAX;
                sound = after && packed_sound(f, t, p, &page) && packed_keys(&page, t->shift, f->directory[p].key, keys);
                if (!sound && !postings_note_bad(out, p)) return 0;
            }
            end = sound ? keys[page.head.count - 1] : 0;
            if (!sound) {
                if (f->directory[p].key > key) break;
                continue;
            }
            if (keys[0] > key) break;
            size_t count = page.head.count, first = postings_lower(keys, count, key), last = first;
            while (last < count && keys[last] == key) last++;
            if (last > first) {
                if (!postings_reserve(out, last - first)) return 0;
                for (size_t i = first; i < last; i++) out->which[out->n + i - first] = (uint32_t)w;
                if (packed_rest(&page, t, first, last, out->documents + out->n, out->starts + out->n,
                                out->lengths + out->n))
                    out->n += last - first;
                else if (!postings_note_bad(out, p)) return 0;
            }
            if (last < count) break;
        }
    }
    return 1;
}

#endif
