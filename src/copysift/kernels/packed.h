/* Pages of packed postings, formats 2 and 3: pack, unpack, look up. docs/format.md is the grammar of a page.

   A posting is (key, document, start, length); postings are sorted by key, then document, then start. A key
   that several postings have is written once, document and start are one number (places.h). New keys are
   differences in format 2, and as in elias_fano.h in format 3, which has lengths as in exceptions.h. As in
   postings.h the directory has the first key of each page, its offset and a CRC-32, and nothing of a page
   is believed that was not checked. */

#ifndef COPYSIFT_PACKED_H
#define COPYSIFT_PACKED_H

#include "elias_fano.h"
#include "exceptions.h"
#include "places.h"

#define PACKED_HEAD_2 8  /* bytes of a page before its columns */
#define PACKED_HEAD_3 6
#define PACKED_ROOM 28   /* bytes of a posting at most */
#define PACKED_MOST_3 256 /* postings of a page of format 3 at most */

/* Bytes of the marks: one bit for each posting after the first, none if all keys or no keys are new. */
static size_t packed_marks(size_t count, size_t fresh) {
    return fresh && fresh + 1 < count ? postings_bytes(count - 1, 1) : 0;
}

/* ---- writing ---- */

static uint8_t *packed_put_places(const uint32_t *ranks, const uint32_t *starts, size_t n, const uint64_t *bases,
                                  const places_made *t, uint8_t *column) {
    if (t->place_bits)
        for (size_t i = 0; i < n; i++) postings_put(column, i, t->place_bits, bases[ranks[i]] + starts[i]);
    return column + postings_bytes(n, t->place_bits);
}

/* Pack n postings, 1 to 65535, into `page`, which is zero; `bases` are the first places of contents by rank. */
static size_t packed_pack_page_2(const uint64_t *keys, const uint32_t *ranks, const uint32_t *starts,
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
    uint8_t *marks = page + PACKED_HEAD_2, *column = marks + packed_marks(n, fresh);
    for (size_t i = 1, k = 0; i < n; i++) {
        if (keys[i] == keys[i - 1]) continue;
        if (column > marks) marks[(i - 1) >> 3] |= (uint8_t)(1 << ((i - 1) & 7));
        postings_put(column, k++, key_bits, (keys[i] - keys[i - 1]) >> t->shift);
    }
    column = packed_put_places(ranks, starts, n, bases, t, column + postings_bytes(fresh, key_bits));
    if (length_bits)
        for (size_t i = 0; i < n; i++) postings_put(column, i, length_bits, lengths[i] - low);
    return (size_t)(column - page) + postings_bytes(n, length_bits);
}

/* The same for format 3, and 1 to 256 postings. */
static size_t packed_pack_page_3(const uint64_t *keys, const uint32_t *ranks, const uint32_t *starts,
                                 const uint32_t *lengths, size_t n, const uint64_t *bases, const places_made *t,
                                 uint8_t *page) {
    size_t fresh = 0;
    uint32_t least = lengths[0];
    for (size_t i = 1; i < n; i++) {
        fresh += keys[i] != keys[i - 1];
        if (lengths[i] < least) least = lengths[i];
    }
    if (least - t->length > 255) least = (uint32_t)t->length + 255;
    uint64_t last = (keys[n - 1] - keys[0]) >> t->shift;
    int bits = elias_fano_bits(last, fresh);
    exceptions_head h = exceptions_choose(lengths, n, least);
    uint8_t head[PACKED_HEAD_3] = {(uint8_t)fresh, (uint8_t)bits, (uint8_t)h.bits, (uint8_t)h.excess_bits,
                                   (uint8_t)h.exceptions, (uint8_t)(least - t->length)};
    memcpy(page, head, PACKED_HEAD_3);
    uint8_t *marks = page + PACKED_HEAD_3, *low = marks + packed_marks(n, fresh);
    uint8_t *column = packed_put_places(ranks, starts, n, bases, t, low + postings_bytes(fresh, bits));
    uint8_t *high = column + exceptions_write(lengths, n, least, h, column);
    for (size_t i = 1, k = 0; i < n; i++) {
        if (keys[i] == keys[i - 1]) continue;
        if (low > marks) marks[(i - 1) >> 3] |= (uint8_t)(1 << ((i - 1) & 7));
        uint64_t value = (keys[i] - keys[0]) >> t->shift;
        size_t at = (size_t)(value >> bits) + k;
        if (bits) postings_put(low, k, bits, value & (((uint64_t)1 << bits) - 1));
        high[at >> 3] |= (uint8_t)(1 << (at & 7));
        k++;
    }
    return (size_t)(high - page) + elias_fano_high(last, fresh, bits);
}

/* Pack all postings; `out` is zero, and its first byte stands at `begin` of the file. Give the bytes used. */
static size_t packed_pack(const uint64_t *keys, const uint32_t *ranks, const uint32_t *starts,
                          const uint32_t *lengths, size_t n, size_t page, size_t begin, const uint64_t *bases,
                          const places_made *t, uint8_t *out, postings_entry *directory) {
    size_t used = 0;
    for (size_t at = 0; at < n; at += page, directory++) {
        size_t count = n - at < page ? n - at : page;
        size_t (*pack)(const uint64_t *, const uint32_t *, const uint32_t *, const uint32_t *, size_t,
                       const uint64_t *, const places_made *, uint8_t *) =
            t->version > 2 ? packed_pack_page_3 : packed_pack_page_2;
        size_t size = pack(keys + at, ranks + at, starts + at, lengths + at, count, bases, t, out + used);
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
    const uint8_t *marks, *keys, *places, *lengths, *high;
    size_t count;        /* postings, which the directory decides */
    size_t fresh;        /* those after the first whose key is another than the one before */
    size_t high_bytes;   /* of the highest bits of keys, in format 3 */
    int key_bits;
    uint32_t length;     /* the least one */
    exceptions_head head;
} packed_page;

static void packed_read_head(const uint8_t *page, const places_tables *t, packed_page *out) {
    if (t->version > 2) {
        out->fresh = page[0], out->key_bits = page[1], out->length = t->length + page[5];
        out->head = (exceptions_head){page[2], page[3], page[4]};
        return;
    }
    uint16_t fresh;
    memcpy(&fresh, page, 2);
    memcpy(&out->length, page + 4, 4);
    out->fresh = fresh, out->key_bits = page[2];
    out->head = (exceptions_head){page[3], 0, 0};
}

/* Give the columns of page p if it is as it was written, and none goes beyond its end. */
static int packed_sound(const postings_file *f, const places_tables *t, size_t p, packed_page *out) {
    postings_entry e = f->directory[p];
    size_t end = p + 1 < f->pages ? f->directory[p + 1].offset : f->end;
    size_t head = t->version > 2 ? PACKED_HEAD_3 : PACKED_HEAD_2;
    if (e.offset < f->begin || end > f->end || e.offset + head > end) return 0;
    size_t size = end - e.offset, count = p + 1 < f->pages ? f->page : f->count - f->page * p;
    const uint8_t *page = postings_bytes_at(f, e.offset, size);
    if (!page || postings_page_crc(e.key, e.offset, page, size) != e.crc) return 0;
    packed_read_head(page, t, out);
    if (out->fresh >= count || (out->key_bits > 56 && (out->key_bits != 64 || t->version > 2))) return 0;
    if (!exceptions_possible(out->head, count)) return 0;
    size_t marks = packed_marks(count, out->fresh);
    out->count = count;
    out->marks = marks ? page + head : NULL;
    out->keys = page + head + marks;
    out->places = out->keys + postings_bytes(out->fresh, out->key_bits);
    out->lengths = out->places + postings_bytes(count, t->place_bits);
    out->high = out->lengths + exceptions_bytes(count, out->head);
    size_t used = (size_t)(out->high - page);
    if (used > size || (t->version < 3 && used != size)) return 0;
    out->high_bytes = size - used;
    return exceptions_sound(out->lengths, count, out->head);
}

/* Whether as many keys are marked as are new. */
static int packed_marked(const packed_page *page) {
    size_t bytes = postings_bytes(page->count - 1, 1), ones = 0;
    for (size_t at = 0; at < bytes; at += 8) ones += elias_fano_ones(elias_fano_eight(page->marks + at, bytes - at));
    return ones == page->fresh && !(page->marks[bytes - 1] >> ((page->count - 2) & 7) >> 1);
}

/* Decode the keys of a page of format 2; 0 if not as many are marked as are new, or they go beyond 64 bits. What
   is known before the loop is left out of it, and it has no branch: marks are as hard to guess as a coin. */
static int packed_keys_2(const packed_page *page, int shift, uint64_t first, uint64_t *keys) {
    uint64_t key = first, most = UINT64_MAX >> shift, wrong = 0;
    keys[0] = first;
    if (!page->marks) {
        for (size_t i = 1; i < page->count; i++) {
            uint64_t delta = page->fresh ? postings_get(page->keys, i - 1, page->key_bits) : 0;
            uint64_t next = key + (delta << shift);
            wrong |= (uint64_t)(delta > most) | (uint64_t)(next < key);
            keys[i] = key = next;
        }
        return !wrong;
    }
    if (!packed_marked(page)) return 0;
    size_t bytes = postings_bytes(page->count - 1, 1), k = 0;
    for (size_t i = 1; i < page->count;) {
        uint64_t word = elias_fano_eight(page->marks + ((i - 1) >> 3), bytes - ((i - 1) >> 3));
        size_t end = i + 64 < page->count ? i + 64 : page->count;
        for (; i < end; i++, word >>= 1) {
            uint64_t fresh = word & 1, delta = postings_get(page->keys, k, page->key_bits) & (0 - fresh);
            uint64_t next = key + (delta << shift);
            wrong |= (uint64_t)(delta > most) | (uint64_t)(next < key);
            keys[i] = key = next;
            k += fresh;
        }
    }
    return !wrong;
}

/* Decode the first key of a page of format 3 and the new ones; 0 as above, or if they do not ascend. */
static int packed_new_keys(const packed_page *page, int shift, uint64_t first, uint64_t *keys) {
    keys[0] = first;
    return elias_fano_read(page->keys, page->high, page->high_bytes, page->fresh, page->key_bits, shift, first,
                           keys + 1) &&
           (!page->marks || packed_marked(page));
}

/* The same for all postings: what is not new has the key before. */
static int packed_keys_3(const packed_page *page, int shift, uint64_t first, uint64_t *keys) {
    uint64_t fresh[PACKED_MOST_3];
    if (!packed_new_keys(page, shift, first, page->marks ? fresh : keys)) return 0;
    if (!page->fresh)
        for (size_t i = 1; i < page->count; i++) keys[i] = first;
    if (!page->marks) return 1;
    size_t bytes = postings_bytes(page->count - 1, 1), k = 0;
    keys[0] = first;
    for (size_t i = 1; i < page->count;) {
        uint64_t word = elias_fano_eight(page->marks + ((i - 1) >> 3), bytes - ((i - 1) >> 3));
        size_t end = i + 64 < page->count ? i + 64 : page->count;
        for (; i < end; i++, word >>= 1) keys[i] = fresh[k += word & 1];
    }
    return 1;
}

/* Which postings of a page have a key: all of its keys in format 2, the first and the new ones in format 3. */
static int packed_look(const packed_page *page, const places_tables *t, uint64_t first, uint64_t *keys) {
    return t->version > 2 ? packed_new_keys(page, t->shift, first, keys) : packed_keys_2(page, t->shift, first, keys);
}

static void packed_range(const packed_page *page, const places_tables *t, const uint64_t *keys, uint64_t key,
                         size_t *first, size_t *last) {
    size_t n = t->version > 2 ? page->fresh + 1 : page->count, at = postings_lower(keys, n, key), end = at;
    while (end < n && keys[end] == key) end++;
    *first = at, *last = end;
    if (n == page->count) return;
    size_t bytes = postings_bytes(page->count - 1, 1);
    *last = end < n && page->marks ? 1 + elias_fano_place(page->marks, bytes, end - 1) : page->count;
    *first = at == end ? *last : at ? 1 + elias_fano_place(page->marks, bytes, at - 1) : 0;
}

/* Decode postings first .. last-1 of a page, without their keys; 0 if one of them is impossible. */
static int packed_rest(const packed_page *page, const places_tables *t, size_t first, size_t last,
                       uint32_t *documents, uint32_t *starts, uint32_t *lengths) {
    for (size_t i = first; i < last; i++) {
        uint64_t place = postings_get(page->places, i, t->place_bits);
        if (!places_at(t, place, documents + i - first, starts + i - first)) return 0;
    }
    exceptions_read(page->lengths, page->count, page->head, page->length, first, last, lengths);
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
        if ((n && key < keys[n - 1]) || !packed_sound(f, t, p, &page) ||
            !(t->version > 2 ? packed_keys_3 : packed_keys_2)(&page, t->shift, key, keys + n) ||
            !packed_rest(&page, t, 0, page.count, documents + n, starts + n, lengths + n))
            bad[(*n_bad)++] = (uint32_t)p;
        else n += page.count;
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
    size_t ahead[POSTINGS_AHEAD] = {0}; /* the first pages of the keys from w on */
    for (size_t next = 0; next < n + POSTINGS_AHEAD; next++) {
        size_t first_page = ahead[next % POSTINGS_AHEAD];
        if (next < n) {
            ahead[next % POSTINGS_AHEAD] = postings_page_of(f, wanted[next]);
            postings_prefetch(f, ahead[next % POSTINGS_AHEAD]);
        }
        if (next < POSTINGS_AHEAD) continue;
        size_t w = next - POSTINGS_AHEAD;
        uint64_t key = wanted[w], end = 0; /* the last key of the page before, if that was sound */
        for (size_t p = first_page; p < f->pages; p++) {
            int after = f->directory[p].key >= end;
            if (p != held || !after) {
                held = after ? p : SIZE_MAX;
                sound = after && packed_sound(f, t, p, &page) && packed_look(&page, t, f->directory[p].key, keys);
                if (!sound && !postings_note_bad(out, p)) return 0;
            }
            end = sound ? keys[t->version > 2 ? page.fresh : page.count - 1] : 0;
            if (!sound) {
                if (f->directory[p].key > key) break;
                continue;
            }
            if (keys[0] > key) break;
            size_t count = page.count, first, last;
            packed_range(&page, t, keys, key, &first, &last);
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
