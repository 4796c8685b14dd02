/* libFuzzer around the kernels alone, without Python: a hundred times as many inputs as harness.c takes.
 *
 * Buffers are made as the shells of Cython make them, each of its exact size, so that ASan sees a byte too many.
 * There is no readable twin here; instead the editions of a kernel judge each other, and what a kernel gives is
 * checked for what every caller relies on. build.sh compiles one program for each target: -DFUZZ=fuzz_text. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alike.h"
#include "batch.h"
#include "checksum.h"
#include "join.h"
#include "jsonl.h"
#include "lex.h"
#include "lex_told.h"
#include "lists.h"
#include "packed.h"
#include "pairs.h"
#include "positions.h"
#include "runs.h"
#include "seeds.h"
#include "shingle.h"
#include "uncovered.h"
#include "lex_tables.h" /* of every language: fuzz/lex_tables.py */

#define CHECK(truth) \
    do { \
        if (!(truth)) fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #truth), abort(); \
    } while (0)

typedef struct {
    const uint8_t *data;
    size_t n;
} input;

/* A number from 0 to `most`, from the front of the input, of one byte or two. */
static size_t number(input *in, size_t most) {
    size_t value = 0, size = most < 256 ? 1 : 2;
    for (size_t i = 0; i < size && in->n; i++, in->data++, in->n--) value |= (size_t)*in->data << 8 * i;
    return value % (most + 1);
}

static void *made(size_t bytes) {
    void *room = malloc(bytes ? bytes : 1);
    CHECK(room);
    return room;
}

static void *copied(const void *from, size_t bytes) {
    void *to = made(bytes);
    if (bytes) memcpy(to, from, bytes);
    return to;
}

static int ascending(const void *a, const void *b) {
    uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;
    return one < other ? -1 : one > other;
}

static int equal(const void *a, const void *b, size_t bytes) { return !bytes || !memcmp(a, b, bytes); }

static void edition(int wanted) {
    text_use_avx2 = wanted > 0 && text_cpu_has_avx2();
    text_use_avx512 = wanted > 1 && text_cpu_has_avx512();
    checksum_use_avx2 = wanted > 0 && checksum_cpu_has_avx2();
    crc_use_pclmul = wanted > 0 && crc_cpu_has_pclmul();
}

/* ---- text ---- */

static void unicode_free(text_out *out) {
    free(out->symbols), free(out->masks), free(out->bounds), free(out->extra);
}

static size_t unicode(const input *in, uint32_t offset, int final, text_out *out) {
    size_t groups = unicode_groups(in->n), n;
    out->symbols = made(unicode_room(in->n) * 4), out->extra = made((in->n / 2 + 1) * 4);
    out->masks = made(groups * 8), out->bounds = made(groups * 8), out->count = out->extras = 0;
    memset(out->masks, 0, groups * 8), memset(out->bounds, 0, groups * 8);
    size_t used = text_unicode(in->data, in->n, final, out);
    CHECK(out->count <= in->n + in->n / 2 && used <= in->n && out->extras <= in->n / 2);
    groups = unicode_groups(used), n = out->count;
    uint32_t *ranks = made(groups * 4), *starts = made(n * 4), *ends = made(n * 4);
    int64_t *which = made(n * 8);
    text_bounds at = {out->bounds, groups, out->extra, out->extras};
    text_ranks(out->masks, groups - 1, ranks);
    CHECK(ranks[groups - 1] + out->extras == n);
    for (size_t i = 0; i < n; i++) which[i] = (int64_t)i;
    CHECK(!n || text_spans(out->masks, ranks, groups - 1, &at, offset, which, which, n, starts, ends));
    for (size_t i = 0; i < n; i++)
        CHECK(starts[i] >= offset && starts[i] < ends[i] && ends[i] <= offset + used && (!i || starts[i] >= starts[i - 1]));
    free(ranks), free(starts), free(ends), free(which);
    return used;
}

static size_t words(const input *in, uint32_t offset, int final, word_out *out) {
    size_t room = in->n / 2 + WORD_ROOM;
    memset(out, 0, sizeof *out);
    out->symbols = made(room * 8), out->starts = made(room * 4), out->ends = made(room * 4);
    size_t used = text_words(in->data, in->n, offset, final, out);
    CHECK(out->count <= room && used <= in->n);
    return used;
}

static void fuzz_text(input in) {
    int final = (int)number(&in, 1);
    uint32_t offset = (uint32_t)number(&in, 999);
    text_out first, other;
    word_out some, more;
    edition(0);
    size_t used = unicode(&in, offset, final, &first), taken = words(&in, offset, final, &some);
    for (int e = 1; e < 3; e++) {
        edition(e);
        CHECK(unicode(&in, offset, final, &other) == used && other.count == first.count);
        size_t groups = unicode_groups(used);
        CHECK(equal(first.symbols, other.symbols, first.count * 4) && equal(first.extra, other.extra, first.extras * 4));
        CHECK(equal(first.masks, other.masks, groups * 8) && equal(first.bounds, other.bounds, groups * 8));
        CHECK(words(&in, offset, final, &more) == taken && more.count == some.count);
        CHECK(equal(some.symbols, more.symbols, some.count * 8) && equal(some.ends, more.ends, some.count * 4));
        unicode_free(&other), free(more.symbols), free(more.starts), free(more.ends);
        size_t whole = final ? in.n : utf8_whole(in.data, in.n);
        groups = (whole + 63) / 64;
        uint8_t *out = made(whole + 8);
        uint64_t *masks = made((groups + 1) * 8);
        uint32_t *ranks = made((groups + 1) * 4);
        if (text_plain(in.data, whole, out, masks, ranks)) {
            uint32_t total = ranks[groups], *at = made(total * 4);
            CHECK(total <= whole);
            if (total) text_all_positions(masks, groups, offset, at);
            for (uint32_t i = 0; i < total; i++) CHECK(at[i] >= offset && at[i] < offset + whole);
            free(at);
        }
        free(out), free(masks), free(ranks);
        text_sound(in.data, in.n, 64);
    }
    unicode_free(&first), free(some.symbols), free(some.starts), free(some.ends);
}

static uint64_t blank(const uint8_t *data, size_t n, uint64_t state, int final, size_t *used, uint8_t **out) {
    size_t room = n / 3 + 2;
    blanker b = {.data = data, .n = n, .final = final};
    b.out = *out = made(n), b.starts = made(room * 4), b.ends = made(room * 4);
    state = text_markup(&b, state);
    CHECK(b.at <= n && b.references <= room);
    *used = b.at;
    free(b.starts), free(b.ends);
    return state;
}

static void fuzz_markup(input in) {
    size_t cut = number(&in, 999), used, rest, whole;
    uint8_t *one, *two, *all;
    edition((int)number(&in, 2));
    if (cut > in.n) cut = in.n;
    blank(in.data, in.n, 0, 1, &whole, &all);
    CHECK(whole == in.n);
    uint64_t state = blank(in.data, cut, 0, 0, &used, &one);
    blank(in.data + used, in.n - used, state, 1, &rest, &two);
    CHECK(used + rest == in.n && equal(all, one, used) && equal(all + used, two, rest)); /* cuts change nothing */
    free(one), free(two), free(all);
}

static void fuzz_jsonl(input in) {
    uint8_t *names[2], *texts[2];
    size_t lines, n = in.n;
    int plain[2];
    if (!n || *in.data != '{') return;
    int32_t *name_ends = NULL;
    int64_t *text_ends = NULL;
    for (int e = 0; e < 2; e++) {
        edition(e);
        lines = jsonl_breaks(in.data, n) + 1;
        free(name_ends), free(text_ends);
        names[e] = made(n + JSONL_PAD), texts[e] = made(n + JSONL_PAD);
        name_ends = made((lines + 1) * 4), text_ends = made((lines + 1) * 8);
        jsonl_out out = {(const uint8_t *)"id", (const uint8_t *)"text", 2, 4, names[e], texts[e], name_ends, text_ends};
        plain[e] = jsonl_block(in.data, n, lines, &out);
    }
    CHECK(plain[0] == plain[1]);
    if (plain[0]) {
        CHECK((size_t)name_ends[lines] <= n && (size_t)text_ends[lines] <= n);
        CHECK(equal(names[0], names[1], (size_t)name_ends[lines]) && equal(texts[0], texts[1], (size_t)text_ends[lines]));
    }
    free(names[0]), free(names[1]), free(texts[0]), free(texts[1]), free(name_ends), free(text_ends);
}

static void fuzz_lex(input in) {
    lexer x;
    lex_language(&x, number(&in, LEX_LANGUAGES - 1));
    x.data = in.n ? in.data : NULL, x.n = in.n;
    lex_run(&x);
    CHECK(!x.failed);
    for (size_t i = 0; i < x.count; i++) CHECK(x.starts[i] <= x.ends[i] && x.ends[i] <= in.n);
    if (x.count) {
        uint64_t *out = made((x.count / 3 + 1) * 8);
        told_statements(in.data, x.symbols, x.raws, x.starts, x.ends, x.count, x.symbols, 1, 1, 3, out);
        free(out);
        size_t strings = told_strings(x.symbols, x.raws, x.starts, x.ends, x.count, 40, NULL);
        out = made(strings * 8);
        if (strings) CHECK(told_strings(x.symbols, x.raws, x.starts, x.ends, x.count, 40, out) == strings);
        free(out);
    }
    free(x.symbols), free(x.starts), free(x.ends), free(x.raws);
}

/* ---- fingerprints ---- */

static void fuzz_selection(input in) {
    size_t k = 1 + number(&in, 60), w = 1 + number(&in, 40), inner = number(&in, 59) % k, found[2];
    int robust = (int)number(&in, 1), width = 1 << number(&in, 3);
    size_t modulus = 1 + number(&in, 9), skip = 1 + number(&in, 3);
    if (width == 2) width = 1;
    size_t n = in.n / (size_t)width, grams = n >= k ? n - k + 1 : 0;
    if (!grams) return;
    void *symbols = copied(in.data, n * (size_t)width);
    cs_symbols s = {symbols, width};
    cs_rule q = cs_make_rule(k, w, inner, robust, 7);
    uint64_t *all = made(grams * 8), *hashes[2];
    uint32_t *places[2], *orders[2];
    cs_hashes(&s, 0, grams, k, &q.p, all);
    for (int e = 0; e < 2; e++) {
        cs_edition edition = cs_make_edition(e && cs_has_avx2());
        cs_space space;
        memset(&space, 0, sizeof space);
        CHECK(!cs_make_space(&space, k, w, &q.p, width, inner > 0));
        places[e] = made(grams * 4), hashes[e] = made(grams * 8), orders[e] = made(grams * 4);
        found[e] = cs_winnow_in(&space, s, grams, &q, &edition, 0, 1, places[e], hashes[e]);
        cs_free_space(&space);
        CHECK(found[e] && found[e] <= grams);
        for (size_t i = 0; i < found[e]; i++) CHECK(places[e][i] < grams && hashes[e][i] == all[places[e][i]]);
        CHECK(cs_all_orders(s, grams, &q, &edition, orders[e]) >= 0);
    }
    CHECK(found[0] == found[1] && equal(places[0], places[1], found[0] * 4) && equal(orders[0], orders[1], grams * 4));
    for (size_t next = 0; next < grams;) {
        size_t before = next;
        int64_t got = cs_sample(s, grams, k, &q.p, modulus, skip, places[0], hashes[0], grams, &next);
        CHECK(got >= 0 && next > before);
        for (int64_t i = 0; i < got; i++) CHECK(hashes[0][i] % modulus == 0 && hashes[0][i] == all[places[0][i]]);
    }
    size_t minima = 0;
    cs_minima(all, grams, w, robust, places[0], &minima);
    CHECK(minima <= grams);
    for (int e = 0; e < 2; e++) free(places[e]), free(hashes[e]), free(orders[e]);
    free(all), free(symbols);
}

static void fuzz_batch(input in) {
    size_t k = 1 + number(&in, 40), w = 1 + number(&in, 30), cut = number(&in, 999);
    cs_rule rule = cs_make_rule(k, w, 0, 1, 3);
    if (cut > in.n) cut = in.n;
    for (int marked = 0; marked < 2; marked++) {
        int64_t counts[2];
        uint64_t *kept[2];
        for (int e = 0; e < 2; e++) {
            cs_edition chosen = cs_make_edition(e && cs_has_avx2());
            bt_space space;
            edition(e);
            CHECK(!bt_make(&space, &rule, &chosen, in.n ? in.n : 1, marked));
            CHECK(bt_winnow(&space, in.data + cut, in.n - cut, marked) >= 0);
            counts[e] = bt_winnow(&space, in.data, in.n, marked);
            CHECK(counts[e] >= 0);
            kept[e] = copied(space.hashes, (size_t)counts[e] * 8);
            bt_free(&space);
        }
        CHECK(counts[0] == counts[1] && equal(kept[0], kept[1], (size_t)counts[0] * 8));
        free(kept[0]), free(kept[1]);
    }
}

static shingle_space shingling; /* 16 MB, which a call of the shell makes once for many documents */

static void fuzz_shingle(input in) {
    size_t w = 1 + number(&in, 20), room = in.n / 2 + 2, modulus = 1 + number(&in, 5);
    cs_params p = cs_make_params(5);
    uint64_t *keys[2], *some = made(room * 8), *super = made(room * 8), bits[4] = {0};
    uint32_t *order[2];
    int64_t count[2], own = 0;
    shingle_facts facts[2];
    if (!shingling.symbols) CHECK(shingle_make(&shingling, 64));
    for (int e = 0; e < 2; e++) {
        edition(2 * e);
        keys[e] = made(room * 8), order[e] = made(room * 4);
        count[e] = shingle_document(in.data, in.n, w, &p, &shingling, keys[e], order[e], NULL, &facts[e]);
        CHECK(count[e] >= 0 && (size_t)count[e] <= facts[e].places && facts[e].places <= room);
        for (int64_t i = 1; i < count[e]; i++) CHECK(keys[e][i - 1] < keys[e][i]);
    }
    size_t n = (size_t)count[0];
    CHECK(count[0] == count[1] && equal(keys[0], keys[1], n * 8) && facts[0].lexical == facts[1].lexical);
    shingle_note(bits, 8, keys[0], n / 2);
    size_t picked = shingle_sample_own(keys[0], n, modulus, bits, 8, some, &own);
    CHECK(picked <= n && picked >= n / 2);
    CHECK(shingle_shared(keys[0], n, some, picked) == picked);
    CHECK(shingle_apart(keys[0], n, some, picked, super) == n - picked);
    CHECK(shingle_without(keys[0], n, keys[0], n / 2, bits, 8, super) == n - n / 2);
    CHECK(shingle_super(some, picked, 3, super) <= (picked ? picked : 1));
    uint32_t *table = made((4 * (picked ? picked : 1) + 2) * 4);
    int64_t uncovered[2] = {0, 0};
    shingle_uncovered(order[0], facts[0].places, facts[0].words, some, picked, (size_t)(own % 3), table, uncovered);
    CHECK(uncovered[0] >= 0 && (uint64_t)uncovered[0] <= facts[0].words);
    free(table), free(some), free(super);
    for (int e = 0; e < 2; e++) free(keys[e]), free(order[e]);
}

static void fuzz_codes(input in) {
    size_t w = 1 + number(&in, 5), count = number(&in, 300), n = in.n / 2;
    cs_params p = cs_make_params(0);
    uint64_t *words = made(count * 8), *out[2] = {made(n * 8), made(n * 8)}, *hashes = made(n * 8);
    uint16_t *codes = copied(in.data, n * 2);
    uint32_t *wide = made(n * 4);
    for (size_t i = 0; i < count; i++) words[i] = (i + 1) * 0x9E3779B97F4A7C15u;
    for (size_t i = 0; i < n; i++) wide[i] = codes[i] = codes[i] == 0xFFFF ? 0xFFFF : codes[i] % (count + !count);
    int known = word_decode_short(codes, n, words, count, out[0]);
    CHECK(known == word_decode_long(wide, n, words, count, out[1]));
    if (known) {
        CHECK(equal(out[0], out[1], n * 8));
        CHECK(word_hashes(out[0], n, w, &p, hashes) == (n < w ? 0 : n - w + 1));
    }
    free(words), free(out[0]), free(out[1]), free(hashes), free(codes), free(wide);
}

/* Digests of documents side by side and alone, and what sets share, by both editions. */
static void fuzz_sets(input in) {
    size_t documents = number(&in, 12), n = in.n / 2;
    int64_t *offsets = made((documents + 1) * 8), *sizes = made((documents + 1) * 8), *shared[2];
    int64_t *others = made((documents + 1) * 8);
    uint64_t *digests = made(documents * 8), alone, *keys = made(n * 8), *room = made(SHINGLE_TABLE_ROOM * 8);
    size_t *sets = made((documents + 1) * sizeof *sets), of = 0, shift = number(&in, 63);
    uint8_t *data = copied(in.data, in.n);
    shingle_table table = {.rows = shingle_rows(room)};
    for (size_t i = 0; i <= documents; i++) {
        of += i && in.n ? in.data[i % in.n] % (in.n - of + 1) : 0;
        offsets[i] = (int64_t)of, others[i] = (int64_t)i;
    }
    shingle_digests(data, offsets, documents, digests);
    for (size_t i = 0; i < documents; i++) {
        shingle_digests(data, offsets + i, 1, &alone);
        CHECK(alone == digests[i]);
    }
    n = in.n / 2;
    for (size_t i = 0; i < n; i++) keys[i] = (uint64_t)(in.data[2 * i] | in.data[2 * i + 1] << 8) << shift;
    if (n) qsort(keys, n, 8, ascending);
    size_t distinct = 0;
    for (size_t i = 0; i < n; i++)
        if (!i || keys[i] != keys[i - 1]) keys[distinct++] = keys[i];
    for (size_t i = 0; i < documents; i++) { /* parts of all keys */
        size_t from = in.n ? in.data[i % in.n] % (distinct + 1) : 0;
        sets[i] = (size_t)(uintptr_t)(keys + from), sizes[i] = (int64_t)((distinct - from) / (1 + i % 2));
    }
    for (int e = 0; e < 2; e++) {
        edition(e);
        shared[e] = made(documents * 8);
        shingle_shared_with(keys, distinct, sets, sizes, others, documents, &table, shared[e]);
    }
    for (size_t i = 0; i < documents; i++) CHECK(shared[0][i] == sizes[i] && shared[1][i] == sizes[i]);
    free(offsets), free(sizes), free(others), free(digests), free(keys), free(room), free(sets), free(data);
    free(shared[0]), free(shared[1]);
}

static void fuzz_checksum(input in) {
    size_t cut = number(&in, 999), size = 1 + number(&in, 31);
    uint8_t *out[2];
    if (cut > in.n) cut = in.n;
    const uint8_t *data[5] = {in.data, in.data + cut, in.data, in.data, in.data};
    size_t sizes[5] = {cut, in.n - cut, 0, in.n, in.n / 2};
    for (int e = 0; e < 2; e++) {
        edition(e);
        checksum_many(data, sizes, 5, size, out[e] = made(5 * size));
    }
    CHECK(equal(out[0], out[1], 5 * size));
    free(out[0]), free(out[1]);
}

#include "native_joins.h" /* lists, alike, join, match, postings, packed */
#include "native_programs.h" /* quick, programs */

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    text_init(), unicode_init(), words_init(), markup_init(), crc_init();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    FUZZ((input){data, size});
    return 0;
}
