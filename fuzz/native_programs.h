/* Targets of native.c for programs: the lexer where only symbols are wanted, and many programs at once. */

#include "programs.h"

static void lexed_free(lexer *x) { free(x->symbols), free(x->starts), free(x->ends), free(x->raws); }

/* Every language: the symbols and places of lex_run, or the first of them. */
static void fuzz_quick(input in) {
    size_t language = number(&in, LEX_LANGUAGES - 1), most = number(&in, 40);
    lexer whole, some;
    quick_table table;
    lex_language(&whole, language), lex_language(&some, language);
    uint8_t *data = copied(in.data, in.n); /* of its exact size, for the loads of 16 bytes */
    whole.data = some.data = in.n ? data : NULL, whole.n = some.n = in.n;
    if (quick_make(&table, &some, lex_lengths(language))) {
        lex_run(&whole), quick_run(&some, &table, most);
        CHECK(!whole.failed && !some.failed && some.count <= whole.count);
        CHECK(most ? some.count >= (most < whole.count ? most : whole.count) : some.count == whole.count);
        CHECK(equal(whole.symbols, some.symbols, some.count * 4));
        CHECK(equal(whole.starts, some.starts, some.count * 4) && equal(whole.ends, some.ends, some.count * 4));
        for (size_t i = 0; i < some.count; i++) CHECK(some.starts[i] < some.ends[i] && some.ends[i] <= in.n);
    }
    free(data), lexed_free(&whole), lexed_free(&some);
}

static int has(const uint64_t *values, size_t n, uint64_t value) {
    for (size_t i = 0; i < n; i++)
        if (values[i] == value) return 1;
    return 0;
}

/* Three programs in one space, one of them twice: each is what it is alone, and in short each hash is there once. */
static void fuzz_programs(input in) {
    size_t language = number(&in, LEX_LANGUAGES - 1), k = 1 + number(&in, 12), w = 1 + number(&in, 12);
    size_t cut = number(&in, 300), most = number(&in, 40), shortest = 1 + number(&in, 4);
    cs_rule rule = cs_make_rule(k, w, 0, 1, 3);
    if (cut > in.n) cut = in.n;
    uint8_t *first = copied(in.data, cut), *second = copied(in.data + cut, in.n - cut);
    uint32_t ending = 1;
    pr_told told = {.ending = &ending, .n_ending = 1, .shortest = shortest, .longest = 40, .lines = 1};
    size_t counts[2][4] = {{0}}; /* of hashes, after each program */
    uint64_t *kept[2];
    for (int brief = 0; brief < 2; brief++) {
        cs_edition chosen = cs_make_edition(brief && cs_has_avx2());
        lexer table;
        pr_space space;
        lex_language(&table, language);
        CHECK(!pr_make(&space, &rule, &chosen, &table));
        if (brief) pr_hurry(&space, lex_lengths(language), most);
        for (size_t i = 0; i < 3; i++) {
            const uint8_t *data = i == 1 ? second : first;
            size_t n = i == 1 ? in.n - cut : cut;
            CHECK(!(brief ? pr_tokens(&space, data, n) : pr_program(&space, &told, data, n)));
            counts[brief][i + 1] = space.hashes.count;
        }
        CHECK(space.hashes.count <= space.hashes.room && (!brief || !(space.statements.count + space.strings.count)));
        kept[brief] = copied(space.hashes.values, space.hashes.count * 8);
        pr_free(&space);
    }
    for (int brief = 0; brief < 2; brief++) {
        size_t n = counts[brief][1];
        CHECK(counts[brief][3] - counts[brief][2] == n && equal(kept[brief], kept[brief] + counts[brief][2], n * 8));
    }
    for (size_t i = 0; i < 3; i++) {
        const uint64_t *all = kept[0] + counts[0][i], *some = kept[1] + counts[1][i];
        size_t n = counts[0][i + 1] - counts[0][i], m = counts[1][i + 1] - counts[1][i];
        for (size_t j = 0; j < m; j++) CHECK(!has(some, j, some[j]) && (most || has(all, n, some[j])));
        for (size_t j = 0; j < n && !most; j++) CHECK(has(some, m, all[j]));
    }
    free(first), free(second), free(kept[0]), free(kept[1]);
}
