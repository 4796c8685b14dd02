/* Pages of sorted postings: pack, unpack, look up. docs/format.md is the grammar of a page.

   A posting is (key, document, start, length); postings are sorted by key, then document, then
   start. A page holds up to 65535 of them as bit-packed columns; the directory has its first key,
   its offset in the file and a CRC-32 over all three. A checksum says that a page is as somebody wrote
   it, not who did: counts, widths and the order of keys are checked before a page is decoded. */

#ifndef COPYSIFT_POSTINGS_H
#define COPYSIFT_POSTINGS_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "crc.h"

#ifdef _WIN32
#define POSTINGS_PREAD 0
#else
#include <errno.h>
#include <unistd.h>
#define POSTINGS_PREAD 1
#endif

#ifdef __GNUC__
#define POSTINGS_FETCH(p) __builtin_prefetch(p)
#define POSTINGS_INLINE __attribute__((always_inline)) inline
#else
#define POSTINGS_FETCH(p) ((void)(p))
#define POSTINGS_INLINE inline
#endif

#define POSTINGS_HEAD 16   /* bytes of a page before its columns */
#define POSTINGS_SPARE 8   /* readable bytes that must follow the last page */

typedef struct {
    uint64_t key;
    uint32_t offset;
    uint32_t crc;
} postings_entry;

typedef struct {
    const uint8_t *data;       /* the whole file, or NULL: then pages are read from `descriptor` */
    int descriptor;
    uint8_t *buffer;           /* for a page that is read, with POSTINGS_SPARE bytes more than `room` */
    size_t room;
    size_t begin, end;         /* where its pages stand */
    const postings_entry *directory;
    size_t pages;
    size_t page;               /* postings of every page but the last */
    size_t count;              /* postings in all */
} postings_file;

/* ---- columns of equal width ---- */

static int postings_width(uint64_t value) {
    int bits = 0;
    while (value >> bits) {
        bits++;
        if (bits == 64) break;
    }
    return bits > 56 ? 64 : bits; /* a value is read by one load of 8 bytes */
}

static size_t postings_bytes(size_t n, int bits) { return (n * (size_t)bits + 7) / 8; }

static void postings_put(uint8_t *column, size_t i, int bits, uint64_t value) {
    size_t at = i * (size_t)bits;
    uint64_t word;
    memcpy(&word, column + (at >> 3), 8);
    word |= value << (at & 7);
    memcpy(column + (at >> 3), &word, 8);
}

static inline uint64_t postings_get(const uint8_t *column, size_t i, int bits) {
    size_t at = i * (size_t)bits;
    uint64_t word;
    memcpy(&word, column + (at >> 3), 8);
    return bits == 64 ? word : (word >> (at & 7)) & (((uint64_t)1 << bits) - 1);
}

typedef struct {
    int key_bits, document_bits, start_bits, length_bits, shift;
    size_t count;
    uint32_t document, length; /* the least of the page */
} postings_head;

static postings_head postings_read_head(const uint8_t *page) {
    postings_head head;
    uint16_t count;
    head.key_bits = page[0];
    head.document_bits = page[1];
    head.start_bits = page[2];
    head.length_bits = page[3];
    head.shift = page[4];
    memcpy(&count, page + 6, 2);
    head.count = count;
    memcpy(&head.document, page + 8, 4);
    memcpy(&head.length, page + 12, 4);
    return head;
}

/* Pack n postings, 1 to 65535, into `page`, which is zero and has room for 28 bytes each and 64
   more; give the bytes used. */
static size_t postings_pack_page(const uint64_t *keys, const uint32_t *documents, const uint32_t *starts,
                                 const uint32_t *lengths, size_t n, uint8_t *page) {
    uint64_t deltas = 0, most = 0;
    uint32_t low_document = documents[0], high_document = 0, start = 0, low_length = lengths[0], high_length = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t delta = i ? keys[i] - keys[i - 1] : 0;
        deltas |= delta;
        if (delta > most) most = delta;
        if (documents[i] < low_document) low_document = documents[i];
        if (documents[i] > high_document) high_document = documents[i];
        if (starts[i] > start) start = starts[i];
        if (lengths[i] < low_length) low_length = lengths[i];
        if (lengths[i] > high_length) high_length = lengths[i];
    }
    int shift = 0; /* keys of the mod schemes share their lowest bits */
    while (deltas && !(deltas >> shift & 1)) shift++;
    uint16_t count = (uint16_t)n;
    int key_bits = postings_width(most >> shift), document_bits = postings_width(high_document - low_document);
    int start_bits = postings_width(start), length_bits = postings_width(high_length - low_length);
    page[0] = (uint8_t)key_bits;
    page[1] = (uint8_t)document_bits;
    page[2] = (uint8_t)start_bits;
    page[3] = (uint8_t)length_bits;
    page[4] = (uint8_t)shift;
    memcpy(page + 6, &count, 2);
    memcpy(page + 8, &low_document, 4);
    memcpy(page + 12, &low_length, 4);
    uint8_t *column = page + POSTINGS_HEAD;
    if (key_bits)
        for (size_t i = 1; i < n; i++) postings_put(column, i - 1, key_bits, (keys[i] - keys[i - 1]) >> shift);
    column += postings_bytes(n - 1, key_bits);
    if (document_bits)
        for (size_t i = 0; i < n; i++) postings_put(column, i, document_bits, documents[i] - low_document);
    column += postings_bytes(n, document_bits);
    if (start_bits)
        for (size_t i = 0; i < n; i++) postings_put(column, i, start_bits, starts[i]);
    column += postings_bytes(n, start_bits);
    if (length_bits)
        for (size_t i = 0; i < n; i++) postings_put(column, i, length_bits, lengths[i] - low_length);
    column += postings_bytes(n, length_bits);
    return (size_t)(column - page);
}

static uint32_t postings_page_crc(uint64_t key, uint32_t offset, const uint8_t *page, size_t n) {
    uint32_t crc = crc_of(0, (const uint8_t *)&key, 8);
    crc = crc_of(crc, (const uint8_t *)&offset, 4);
    return crc_of(crc, page, n);
}

/* Pack all postings; `out` is zero, and its first byte stands at `begin` of the file. Give the bytes used. */
static size_t postings_pack(const uint64_t *keys, const uint32_t *documents, const uint32_t *starts,
                            const uint32_t *lengths, size_t n, size_t page, size_t begin, uint8_t *out,
                            postings_entry *directory) {
    size_t used = 0;
    for (size_t at = 0; at < n; at += page, directory++) {
        size_t count = n - at < page ? n - at : page;
        size_t size = postings_pack_page(keys + at, documents + at, starts + at, lengths + at, count, out + used);
        directory->key = keys[at];
        directory->offset = (uint32_t)(begin + used);
        directory->crc = postings_page_crc(directory->key, directory->offset, out + used, size);
        used += size;
    }
    return used;
}

/* ---- reading ---- */

/* Give n bytes of the file, in place or in the buffer, or NULL if they cannot be had. */
static const uint8_t *postings_bytes_at(const postings_file *f, size_t offset, size_t n) {
    if (f->data) return f->data + offset;
#if POSTINGS_PREAD
    if (n > f->room) return NULL;
    for (size_t got = 0; got < n;) {
        ssize_t more = pread(f->descriptor, f->buffer + got, n - got, (off_t)(offset + got));
        if (more < 0 && errno == EINTR) continue;
        if (more <= 0) return NULL;
        got += (size_t)more;
    }
    return f->buffer;
#else
    return NULL;
#endif
}

/* Whether a page of `size` bytes can have this head: then no column goes beyond its end. */
static int postings_possible(postings_head h, size_t size) {
    if (!h.count || h.shift > 63 || (h.key_bits > 56 && h.key_bits != 64)) return 0;
    if (h.document_bits > 32 || h.start_bits > 32 || h.length_bits > 32) return 0;
    return size == POSTINGS_HEAD + postings_bytes(h.count - 1, h.key_bits) +
                       postings_bytes(h.count, h.document_bits) + postings_bytes(h.count, h.start_bits) +
                       postings_bytes(h.count, h.length_bits);
}

/* Give the page if it is as it was written, else NULL. */
static const uint8_t *postings_sound(const postings_file *f, size_t p) {
    postings_entry e = f->directory[p];
    size_t end = p + 1 < f->pages ? f->directory[p + 1].offset : f->end;
    if (e.offset < f->begin || end > f->end || e.offset + (size_t)POSTINGS_HEAD > end) return NULL;
    const uint8_t *page = postings_bytes_at(f, e.offset, end - e.offset);
    if (!page || postings_page_crc(e.key, e.offset, page, end - e.offset) != e.crc) return NULL;
    postings_head h = postings_read_head(page);
    size_t expected = p + 1 < f->pages ? f->page : f->count - f->page * p;
    return h.count == expected && postings_possible(h, end - e.offset) ? page : NULL;
}

/* Decode the keys of a page; 0 if they go beyond 64 bits, and so do not ascend. */
static int postings_keys(const uint8_t *page, uint64_t first, uint64_t *keys) {
    postings_head h = postings_read_head(page);
    const uint8_t *column = page + POSTINGS_HEAD;
    keys[0] = first;
    if (!h.key_bits) {
        for (size_t i = 1; i < h.count; i++) keys[i] = first;
        return 1;
    }
    for (size_t i = 1; i < h.count; i++) {
        uint64_t delta = postings_get(column, i - 1, h.key_bits);
        if (delta > (UINT64_MAX - keys[i - 1]) >> h.shift) return 0;
        keys[i] = keys[i - 1] + (delta << h.shift);
    }
    return 1;
}

/* Decode postings first .. last-1 of a page, without their keys. */
static void postings_rest(const uint8_t *page, size_t first, size_t last, uint32_t *documents,
                          uint32_t *starts, uint32_t *lengths) {
    postings_head h = postings_read_head(page);
    const uint8_t *d = page + POSTINGS_HEAD + postings_bytes(h.count - 1, h.key_bits);
    const uint8_t *s = d + postings_bytes(h.count, h.document_bits);
    const uint8_t *l = s + postings_bytes(h.count, h.start_bits);
    for (size_t i = first; i < last; i++)
        documents[i - first] = h.document + (uint32_t)postings_get(d, i, h.document_bits);
    for (size_t i = first; i < last; i++) starts[i - first] = (uint32_t)postings_get(s, i, h.start_bits);
    for (size_t i = first; i < last; i++)
        lengths[i - first] = h.length + (uint32_t)postings_get(l, i, h.length_bits);
}

/* Decode pages first .. last-1; a damaged one leaves a gap of 0 postings and its number in `bad`.
   Give the number of postings. */
static size_t postings_unpack(const postings_file *f, size_t first, size_t last, uint64_t *keys,
                              uint32_t *documents, uint32_t *starts, uint32_t *lengths, uint32_t *bad,
                              size_t *n_bad) {
    size_t n = 0;
    for (size_t p = first; p < last; p++) {
        const uint8_t *page = n && f->directory[p].key < keys[n - 1] ? NULL : postings_sound(f, p);
        if (!page || !postings_keys(page, f->directory[p].key, keys + n)) {
            bad[(*n_bad)++] = (uint32_t)p;
            continue;
        }
        size_t count = postings_read_head(page).count;
        postings_rest(page, 0, count, documents + n, starts + n, lengths + n);
        n += count;
    }
    return n;
}

typedef struct {
    uint32_t *which, *documents, *starts, *lengths;
    size_t n, room;
    uint32_t *bad;
    size_t n_bad, bad_room;
} postings_found;

static void postings_free(postings_found *f) {
    free(f->which);
    free(f->documents);
    free(f->starts);
    free(f->lengths);
    free(f->bad);
}

static int postings_grow(uint32_t **array, size_t room) {
    uint32_t *grown = (uint32_t *)realloc(*array, room * sizeof **array);
    if (grown) *array = grown;
    return grown != NULL;
}

static int postings_reserve(postings_found *out, size_t more) {
    if (out->n + more <= out->room) return 1;
    size_t room = 2 * (out->n + more) + 1024;
    if (!postings_grow(&out->which, room) || !postings_grow(&out->documents, room) ||
        !postings_grow(&out->starts, room) || !postings_grow(&out->lengths, room)) return 0;
    out->room = room;
    return 1;
}

static int postings_note_bad(postings_found *out, size_t page) {
    for (size_t i = 0; i < out->n_bad; i++)
        if (out->bad[i] == page) return 1;
    if (out->n_bad == out->bad_room) {
        size_t room = 2 * out->bad_room + 16;
        if (!postings_grow(&out->bad, room)) return 0;
        out->bad_room = room;
    }
    out->bad[out->n_bad++] = (uint32_t)page;
    return 1;
}

/* The last page whose first key is below `key`, or page 0: keys are even over 64 bits, so the search
   begins where the key should stand and doubles its steps from there. */
static size_t postings_page_of(const postings_file *f, uint64_t key) {
    size_t low = 0, high = f->pages; /* the answer + 1 is in low .. high */
    size_t guess = (size_t)((double)key / 18446744073709551616.0 * (double)f->pages);
    if (guess >= f->pages) guess = f->pages - 1;
    size_t step = 8;
    if (f->directory[guess].key < key) {
        low = guess + 1;
        while (low + step < f->pages && f->directory[low + step].key < key) low += step + 1, step *= 2;
        if (low + step < f->pages) high = low + step;
    } else {
        high = guess;
        while (high > step && f->directory[high - step].key >= key) high -= step, step *= 2;
        if (high > step) low = high - step + 1;
    }
    while (low < high) { /* the first page whose key is not below */
        size_t middle = low + (high - low) / 2;
        if (f->directory[middle].key < key) low = middle + 1;
        else high = middle;
    }
    return low ? low - 1 : 0;
}

static size_t postings_lower(const uint64_t *keys, size_t n, uint64_t key) {
    size_t low = 0;
    while (low < n) {
        size_t middle = low + (n - low) / 2;
        if (keys[middle] < key) low = middle + 1;
        else n = middle;
    }
    return low;
}

#define POSTINGS_FETCHED 4096 /* bytes of a page to ask for at most */
#define POSTINGS_AHEAD 8 /* keys whose pages are on their way while one is looked up */

/* Ask for a page of a mapped file that will be read soon: it is rarely in a cache, and reading it would wait.
   Always inline: a function that does nothing else has no effect that gcc sees, and is left out. */
static POSTINGS_INLINE void postings_prefetch(const postings_file *f, size_t p) {
    size_t offset = f->directory[p].offset, end = p + 1 < f->pages ? f->directory[p + 1].offset : f->end;
    if (!f->data || offset < f->begin || end > f->end) return;
    if (end > offset + POSTINGS_FETCHED) end = offset + POSTINGS_FETCHED; /* a directory may be damaged */
    for (; offset < end; offset += 64) POSTINGS_FETCH(f->data + offset);
}

/* Look up `wanted`, ascending and distinct; `keys` has room for a page. 0 when memory is short.

   A page is believed only after its checksum, and if it does not begin below the end of the one before it.
   That a key is absent is believed when a sound page has it between two of its keys, or sound pages meet
   around it. */
static int postings_find(const postings_file *f, const uint64_t *wanted, size_t n, uint64_t *keys,
                         postings_found *out) {
    size_t held = SIZE_MAX, count = 0;
    const uint8_t *page = NULL;
    size_t ahead[POSTINGS_AHEAD] = {0}; /* the first pages of the keys from w on */
    for (size_t w = 0; w < n + POSTINGS_AHEAD; w++) {
        size_t first_page = ahead[w % POSTINGS_AHEAD];
        if (w < n) {
            ahead[w % POSTINGS_AHEAD] = postings_page_of(f, wanted[w]);
            postings_prefetch(f, ahead[w % POSTINGS_AHEAD]);
        }
        if (w < POSTINGS_AHEAD) continue;
        uint64_t key = wanted[w - POSTINGS_AHEAD];
        uint64_t end = 0; /* the last key of the page before, if that was sound */
        for (size_t p = first_page; p < f->pages; p++) {
            int after = f->directory[p].key >= end;
            if (p != held || !after) {
                page = after ? postings_sound(f, p) : NULL;
                held = after ? p : SIZE_MAX;
                if (page && !postings_keys(page, f->directory[p].key, keys)) page = NULL;
                if (page) count = postings_read_head(page).count;
                else if (!postings_note_bad(out, p)) return 0;
            }
            end = page ? keys[count - 1] : 0;
            if (!page) {
                if (f->directory[p].key > key) break;
                continue;
            }
            if (keys[0] > key) break;
            size_t first = postings_lower(keys, count, key), last = first;
            while (last < count && keys[last] == key) last++;
            if (last > first) {
                if (!postings_reserve(out, last - first)) return 0;
                for (size_t i = first; i < last; i++) out->which[out->n + i - first] = (uint32_t)(w - POSTINGS_AHEAD);
                postings_rest(page, first, last, out->documents + out->n, out->starts + out->n,
                              out->lengths + out->n);
                out->n += last - first;
            }
            if (last < count) break;
        }
    }
    return 1;
}

#endif
