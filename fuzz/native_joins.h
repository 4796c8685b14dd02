/* Targets of native.c for what is sorted, joined, matched and looked up. */

/* Lists that are kept as lists: each pair once, and all weights are counted. */
static void long_lists(const input *in, size_t documents) {
    size_t count = 1 + in->n / 16, n = in->n / 2, most = 0, room = 0, end, at = 0;
    uint64_t *members = made(n * 8), *keys = made(n * 8), total = 0, summed = 0;
    int64_t *starts = made(count * 8), *lengths = calloc(count, 8);
    uint32_t *places = made(n * 4), *weights = made(count * 4);
    for (size_t list = 0; list < count; list++) {
        weights[list] = (uint32_t)(1 + list), starts[list] = (int64_t)at;
        for (size_t i = list * 8; i < list * 8 + 8 && i < n; i++) {
            uint64_t doc = in->data[2 * i] % documents;
            int met = 0;
            for (size_t j = (size_t)starts[list]; j < at; j++) met |= members[j] >> 1 == doc;
            if (!met) members[at] = doc << 1 | (in->data[2 * i + 1] & 1), at++, lengths[list]++;
        }
    }
    size_t kept = 0;
    for (uint64_t doc = 0; doc < documents; doc++)
        for (size_t list = 0; list < count; list++)
            for (int64_t i = 0; i < lengths[list]; i++)
                if (members[starts[list] + i] >> 1 == doc)
                    keys[kept] = doc << 32 | list, places[kept++] = (uint32_t)i;
    CHECK(kept == at);
    for (size_t i = 0; i < kept; i = end) {
        size_t later = lists_later(keys, places, i, kept, lengths, &end);
        room += later, most = later > most ? later : most;
    }
    for (size_t list = 0; list < count; list++)
        for (int64_t i = 0; i < lengths[list]; i++)
            for (int64_t j = i + 1; j < lengths[list]; j++)
                total += (members[starts[list] + i] | members[starts[list] + j]) & 1 ? weights[list] : 0;
    uint64_t *pairs = made(room * 8);
    uint32_t *sums = made(room * 4), *table = made(((size_t)1 << lists_bits(most)) * 4);
    size_t found = lists_long_pairs(keys, places, kept, members, starts, lengths, weights, table, pairs, sums);
    CHECK(found <= room);
    for (size_t i = 0; i < found; i++) {
        CHECK(pairs[i] >> 32 < documents && (pairs[i] & UINT32_MAX) < documents);
        summed += sums[i];
    }
    CHECK(summed == total);
    if (found) qsort(pairs, found, 8, ascending);
    for (size_t i = 1; i < found; i++) CHECK(pairs[i - 1] < pairs[i]);
    free(members), free(keys), free(starts), free(lengths), free(places), free(weights), free(pairs), free(sums), free(table);
}

static void fuzz_lists(input in) {
    uint64_t most = 2 + number(&in, 20);
    size_t documents = 1 + number(&in, 30), n = in.n / 2;
    uint64_t *keys = made(n * 8);
    uint32_t *docs = made(n * 4), *moduli = made(documents * 4), *sizes = calloc(documents, 4);
    uint8_t *own = made(n);
    lists_list *lists = made((n / 2 + 1) * sizeof *lists);
    shingle_modulus tests[4];
    for (size_t i = 0; i < n; i++) keys[i] = in.data[i] / 4;
    if (n) qsort(keys, n, 8, ascending);
    for (size_t i = 0; i < n; i++) docs[i] = (uint32_t)(in.data[n + i] % documents);
    for (size_t i = 0; i < documents; i++) moduli[i] = (uint32_t)(1 + i % 3);
    for (uint64_t m = 1; m < 4; m++) tests[m] = shingle_mod(m);
    size_t found = lists_find(keys, docs, n, moduli, tests, most, own, sizes, lists);
    CHECK(found <= n / 2);
    for (size_t i = 0; i < found; i++) {
        size_t start = (size_t)lists[i].start, length = lists[i].length;
        CHECK(length > 1 && start + length <= n);
        uint64_t *pairs = made(length * (length - 1) / 2 * 8), *few = made(3 * length * 8);
        uint32_t *weights = made(length * (length - 1) / 2 * 4);
        if (length < 64) lists_all_pairs(docs + start, own + start, length, 1, pairs, weights);
        lists_few_pairs(docs + start, own + start, length, few);
        free(pairs), free(weights), free(few);
    }
    free(keys), free(docs), free(moduli), free(sizes), free(own), free(lists);
    long_lists(&in, documents);
}

/* Pairs of groups that are nearly the same are those that looking at every pair finds. */
static void fuzz_alike(input in) {
    enum { GROUPS = 12 };
    double founded = (double)number(&in, 16) / 2, least = (double)number(&in, 10) / 10;
    uint32_t first = (uint32_t)number(&in, GROUPS - 1), end = first + 1 + (uint32_t)number(&in, GROUPS - 1 - first);
    size_t lone = number(&in, 3), hashes = in.n / 2, at = 0;
    int64_t *offsets = made((hashes + 1) * 8), rows[GROUPS + 1], starts[GROUPS + 2];
    uint32_t *groups = made(hashes * GROUPS * 4), *order = made(hashes * 4), sizes[GROUPS], labels[GROUPS] = {0};
    float *weights = made(hashes * 4);
    double totals[GROUPS];
    for (size_t g = 0; g < GROUPS; g++) sizes[g] = (uint32_t)lone, totals[g] = 1 + (double)g;
    for (size_t h = 0; h < hashes; h++) {
        unsigned mask = in.data[2 * h] | (unsigned)in.data[2 * h + 1] << 8;
        offsets[h] = (int64_t)at, weights[h] = 1;
        for (uint32_t g = 0; g < GROUPS; g++)
            if (mask >> g & 1) groups[at++] = g, sizes[g]++;
    }
    offsets[hashes] = (int64_t)at;
    uint32_t *exact = copied(groups, at * 4), *ranks = made(at * 4);
    labels[2] = labels[4] = 1;
    alike_rows(offsets, exact, hashes, GROUPS, order, rows, ranks, starts);
    for (size_t g = 0; g < GROUPS; g++)
        for (int64_t r = rows[g] + 1; r < rows[g + 1]; r++) CHECK(ranks[r - 1] < ranks[r]);
    alike_job job = {.list = {offsets, exact, rows, ranks, weights, totals}, .order = order, .sizes = sizes,
                     .side = labels, .kin = labels, .n_groups = GROUPS, .founded = founded, .least = least};
    join_pairs found = {NULL, 0, 0};
    CHECK(alike_pairs(&job, first, end, &found));
    size_t met = 0;
    for (uint32_t a = first; a < end; a++)
        for (uint32_t b = a + 1; b < GROUPS; b++) {
            uint32_t shared = 0;
            for (size_t h = 0; h < hashes; h++)
                shared += ((in.data[2 * h] | (unsigned)in.data[2 * h + 1] << 8) >> a & 1) &
                          ((in.data[2 * h] | (unsigned)in.data[2 * h + 1] << 8) >> b & 1);
            if (!shared || (labels[a] && labels[a] == labels[b])) continue;
            if (!alike_enough(&job, shared, shared / ((double)sizes[a] + sizes[b] - shared))) continue;
            CHECK(met < found.n && found.pairs[met].left == a && found.pairs[met].right == b && found.pairs[met].shared == shared);
            met++;
        }
    CHECK(met == found.n);
    free(offsets), free(groups), free(order), free(weights), free(exact), free(ranks), free(found.pairs);
}

/* Pairs of groups that share hashes, by each measure. */
static void rows(const int64_t *offsets, const uint32_t *groups, size_t hashes, const uint32_t *sizes, int measure) {
    size_t postings = (size_t)offsets[hashes];
    int64_t row_offsets[17];
    uint32_t *row_hashes = made(postings * 4), labels[16] = {0};
    float *weights = made(hashes * 4);
    double totals[16];
    join_pairs found = {NULL, 0, 0};
    join_transpose(offsets, groups, hashes, 16, row_offsets, row_hashes);
    for (size_t i = 0; i < hashes; i++) weights[i] = 1;
    for (size_t i = 0; i < 16; i++) totals[i] = sizes[i];
    labels[3] = labels[5] = 1;
    join_job job = {.list = {offsets, groups, row_offsets, row_hashes, weights, totals}, .sizes = sizes, .side = labels,
                    .kin = labels, .n_groups = 16, .measure = measure, .threshold = 0.1, .min_shared = 1};
    CHECK(join_rows(&job, 0, 16, &found));
    for (size_t i = 0; i < found.n; i++) {
        CHECK(found.pairs[i].left < 16 && found.pairs[i].right < 16 && found.pairs[i].left != found.pairs[i].right);
        CHECK(found.pairs[i].shared <= hashes);
    }
    free(found.pairs), free(row_hashes), free(weights);
}

static void fuzz_join(input in) {
    size_t most = 2 + number(&in, 10), n = in.n / 2;
    int bits = (int)number(&in, 6), measure = (int)number(&in, 3);
    n = in.n / 2;
    uint64_t *hashes = made(n * 8), *parts = made(n * 8);
    uint32_t *groups = made(n * 4), *others = made(n * 4), sizes[16] = {0}, *counts = made(n * 4);
    int64_t *bounds = calloc(((size_t)1 << bits) + 1, 8);
    for (size_t i = 0; i < n; i++) hashes[i] = (uint64_t)in.data[2 * i] << 56 | in.data[2 * i + 1] / 64;
    for (size_t i = 0; i < n; i++) groups[i] = in.data[2 * i + 1] % 16, counts[i] = 1;
    if (n) join_partition(hashes, groups, n, bits, parts, others, bounds);
    CHECK(!n || (size_t)bounds[(size_t)1 << bits] == n);
    if (n) CHECK(join_sort(hashes, groups, n));
    for (size_t i = 1; i < n; i++)
        CHECK(hashes[i - 1] < hashes[i] || (hashes[i - 1] == hashes[i] && groups[i - 1] <= groups[i]));
    if (n) {
        join_counts c = join_count_runs(hashes, groups, n, most);
        uint64_t *shared = made(c.hashes * 8), *common = made(c.common * 8);
        uint32_t *degrees = made(c.hashes * 4), *holders = made(c.postings * 4), *d = made(c.common * 4), *h = made(c.common * 4);
        join_fill_runs(hashes, groups, n, most, sizes, shared, degrees, holders, common, d, h);
        int64_t *offsets = made((c.hashes + 1) * 8), at = 0;
        for (size_t i = 0; i < c.hashes; i++) offsets[i] = at, at += degrees[i];
        offsets[c.hashes] = at;
        CHECK((size_t)at == c.postings);
        if (c.postings) rows(offsets, holders, c.hashes, sizes, measure);
        free(shared), free(common), free(degrees), free(holders), free(d), free(h), free(offsets);
        int64_t left = join_sum(parts, counts, n);
        uint64_t total = 0;
        for (int64_t i = 0; i < left; i++) total += counts[i];
        CHECK(left > 0 && total == n);
    }
    free(hashes), free(parts), free(groups), free(others), free(counts), free(bounds);
}

static void seeded(const uint8_t *a, size_t n, const uint8_t *b, size_t m, uint64_t k, uint64_t stride) {
    seed_side left = {n ? a : NULL, NULL, n, 1}, right = {m ? b : NULL, NULL, m, 1};
    seed_job job;
    memset(&job, 0, sizeof job);
    job.a = &left, job.b = &right, job.k = k, job.stride = stride, job.seeds = m / stride + 1;
    for (job.bits = 4; ((uint64_t)1 << job.bits) < job.seeds;) job.bits++;
    size_t heads = (size_t)1 << job.bits;
    job.tags = calloc(job.seeds, 4), job.next = made(job.seeds * 4), job.heads = made(heads * 4);
    memset(job.heads, 0xFF, heads * 4);
    job.taken = calloc((m >> 3) + 1, 1);
    if (n >= k && m >= k) CHECK(seed_match(&job));
    for (size_t i = 0; i < job.n; i++) {
        CHECK(job.tiles[i].a + job.tiles[i].length <= n && job.tiles[i].b + job.tiles[i].length <= m);
        CHECK(equal(a + job.tiles[i].a, b + job.tiles[i].b, job.tiles[i].length));
    }
    free(job.tags), free(job.next), free(job.heads), free(job.taken), free(job.tiles);
}

static void fuzz_match(input in) {
    uint32_t k = (uint32_t)(1 + number(&in, 12));
    size_t cut = number(&in, 999), stride = 1 + number(&in, 4), masked = number(&in, 7);
    if (cut > in.n) cut = in.n;
    size_t n = cut, m = in.n - cut;
    uint32_t *a = made(n * 4), *b = made(m * 4);
    uint8_t *mask = calloc(n ? n : 1, 1);
    for (size_t i = 0; i < n; i++) a[i] = in.data[i] % 16, mask[i] = masked && i % (masked + 8) == masked;
    for (size_t i = 0; i < m; i++) b[i] = in.data[n + i] % 16;
    match_side left = {n ? a : NULL, n ? mask : NULL, (uint32_t)n}, right = {m ? b : NULL, NULL, (uint32_t)m};
    match_tiles by[3] = {{NULL, 0, 0}, {NULL, 0, 0}, {NULL, 0, 0}};
    run_table table;
    memset(&table, 0, sizeof table);
    CHECK(run_note(&table, &left, k));
    int how = run_both(&table, &right, (size_t)1 << 30, &by[0]);
    CHECK(how != RUN_FAILED);
    CHECK(run_note(&table, &right, k));
    table.right = 1;
    CHECK(run_both(&table, &left, (size_t)1 << 30, &by[2]) != RUN_FAILED);
    run_close(&table);
    if (n >= k && m >= k) CHECK(match_tile_both(&left, &right, 16, k, (size_t)1 << 30, &by[1]) == 1);
    if (how == RUN_DONE) { /* both ways give the same tiles */
        CHECK(by[0].n == by[1].n);
        CHECK(equal(by[0].tiles, by[1].tiles, by[0].n * sizeof(match_tile)));
    }
    if (by[2].n) { /* whichever side was noted */
        CHECK(by[2].n == by[1].n);
        CHECK(equal(by[2].tiles, by[1].tiles, by[2].n * sizeof(match_tile)));
    }
    for (size_t i = 0; i < by[1].n; i++) {
        match_tile t = by[1].tiles[i];
        CHECK(t.length >= k && t.a + t.length <= n && t.b + t.length <= m);
        CHECK(equal(a + t.a, b + t.b, t.length * 4));
    }
    seeded(in.data, n, in.data + n, m, k, stride);
    if (in.n) {
        size_t lines = match_line_starts(in.data, in.n, NULL);
        uint32_t *starts = made(lines * 4);
        CHECK(match_line_starts(in.data, in.n, starts) == lines);
        free(starts);
    }
    free(by[0].tiles), free(by[1].tiles), free(by[2].tiles), free(a), free(b), free(mask);
}

/* Put pages of `page` postings down as they come in an input, with keys and a true checksum of each. */
static void forged(const input *in, size_t begin, size_t length, size_t pages, const uint8_t *data, postings_entry *directory) {
    size_t end = begin + in->n;
    for (size_t i = 0; i < pages; i++) {
        size_t start = begin + i * length < end ? begin + i * length : end;
        size_t stop = i + 1 < pages && start + length < end ? start + length : end;
        uint64_t key = 0;
        if (i * 8 + 8 <= in->n) memcpy(&key, in->data + i * 8, 8);
        directory[i] = (postings_entry){key, (uint32_t)start, postings_page_crc(key, (uint32_t)start, data + start, stop - start)};
    }
}

/* Forged pages with a true checksum; and postings that are packed come out again as they were. */
static void fuzz_postings(input in) {
    size_t page = 1 + number(&in, 9), pages = 1 + number(&in, 3), length = number(&in, 299), begin = 16;
    size_t count = pages * page - number(&in, page - 1), end = begin + in.n, n_bad = 0;
    uint8_t *data = calloc(end + POSTINGS_SPARE, 1);
    if (in.n) memcpy(data + begin, in.data, in.n);
    pages = (count + page - 1) / page;
    postings_entry *directory = made(pages * sizeof *directory);
    forged(&in, begin, length, pages, data, directory);
    postings_file file = {.data = data, .begin = begin, .end = end, .directory = directory, .pages = pages, .page = page, .count = count};
    size_t room = pages * page + 1;
    uint64_t *keys = made(room * 8), *wanted = made(in.n), *spare = made(page * 8);
    uint32_t *documents = made(room * 4), *starts = made(room * 4), *lengths = made(room * 4), *bad = made((pages + 1) * 4);
    size_t used = postings_unpack(&file, 0, pages, keys, documents, starts, lengths, bad, &n_bad);
    CHECK(used < room && n_bad <= pages);
    if (in.n) memcpy(wanted, in.data, in.n);
    size_t n = in.n / 8;
    if (n) qsort(wanted, n, 8, ascending);
    postings_found found;
    memset(&found, 0, sizeof found);
    if (n) CHECK(postings_find(&file, wanted, n, spare, &found));
    for (size_t i = 0; i < found.n; i++) CHECK(found.which[i] < n);
    postings_free(&found);
    if (used) { /* what was read is packed and read again */
        uint8_t *packed = calloc(28 * used + 64 * pages + 64, 1), *copy = calloc(28 * used + 64 * pages + 128, 1);
        int sorted = 1;
        for (size_t i = 1; i < used; i++) sorted &= keys[i - 1] <= keys[i];
        if (sorted) {
            size_t again = (used + page - 1) / page, size;
            size = postings_pack(keys, documents, starts, lengths, used, page, 0, packed, directory);
            memcpy(copy, packed, size);
            postings_file made_file = {.data = copy, .end = size, .directory = directory, .pages = again, .page = page, .count = used};
            n_bad = 0;
            uint64_t *back = made((again * page + 1) * 8);
            uint32_t *d = made((again * page + 1) * 4), *s = made((again * page + 1) * 4), *l = made((again * page + 1) * 4);
            CHECK(postings_unpack(&made_file, 0, again, back, d, s, l, bad, &n_bad) == used && !n_bad);
            CHECK(equal(back, keys, used * 8) && equal(d, documents, used * 4) && equal(l, lengths, used * 4));
            free(back), free(d), free(s), free(l);
        }
        free(packed), free(copy);
    }
    free(data), free(directory), free(keys), free(wanted), free(spare), free(documents), free(starts), free(lengths), free(bad);
}

/* Postings of an input, packed and read: they come out as they went in. */
static void packed_again(input in, size_t page, uint32_t first, int version) {
    size_t n = in.n / 4, pages = (n + page - 1) / page, n_bad = 0;
    uint64_t extents[64] = {0}, *keys = made(n * 8), key = 0;
    uint32_t *ranks = made(n * 4), *starts = made(n * 4), *lengths = made(n * 4), numbers[64];
    int wide = (int)number(&in, 40);
    if (!n || n * 4 > in.n) {
        free(keys), free(ranks), free(starts), free(lengths);
        return;
    }
    for (uint32_t i = 0; i < 64; i++) numbers[i] = i * (1 + 70000 * (uint32_t)(wide & 1));
    for (size_t i = 0; i < n; i++) {
        const uint8_t *row = in.data + 4 * i;
        key += (uint64_t)(row[0] / 2) << wide;
        keys[i] = key, ranks[i] = row[1] % 64, starts[i] = (uint32_t)row[2] << (row[1] % 24), lengths[i] = row[3];
        if (starts[i] + (uint64_t)1 > extents[ranks[i]]) extents[ranks[i]] = starts[i] + (uint64_t)1;
    }
    places_made tables = {.tables = calloc(places_table_room(64) + POSTINGS_SPARE, 1), .version = version, .shift = packed_shift(keys, n)};
    if (version > 2) {
        tables.length = UINT16_MAX;
        for (size_t i = 0; i < n; i++)
            if (lengths[i] < tables.length) tables.length = (uint16_t)lengths[i];
    }
    uint64_t span = (uint64_t)numbers[63] + 1;
    if (places_write(extents, numbers, 64, n, span, &tables)) {
        CHECK(tables.size <= places_table_room(64));
        uint8_t *table = calloc(tables.size + POSTINGS_SPARE, 1), *room = calloc(PACKED_ROOM * n + 64 * pages + 64, 1);
        memcpy(table, tables.tables, tables.size);
        postings_entry *directory = made(pages * sizeof *directory);
        size_t size = packed_pack(keys, ranks, starts, lengths, n, page, 0, extents, &tables, room, directory);
        CHECK(size <= PACKED_ROOM * n + 64 * pages);
        uint8_t *copy = calloc(size + POSTINGS_SPARE, 1);
        memcpy(copy, room, size);
        places_tables *read = made(sizeof *read);
        CHECK(places_read(table, tables.size, first, first + numbers[63], read));
        read->version = version;
        postings_file file = {.data = copy, .end = size, .directory = directory, .pages = pages, .page = page, .count = n};
        uint64_t *k = made((pages * page + 1) * 8);
        uint32_t *d = made((pages * page + 1) * 4), *s = made((pages * page + 1) * 4), *l = made((pages * page + 1) * 4);
        uint32_t *bad = made((pages + 1) * 4);
        CHECK(packed_unpack(&file, read, 0, pages, k, d, s, l, bad, &n_bad) == n && !n_bad);
        CHECK(equal(k, keys, n * 8) && equal(s, starts, n * 4) && equal(l, lengths, n * 4));
        for (size_t i = 0; i < n; i++) CHECK(d[i] == first + numbers[ranks[i]]);
        free(k), free(d), free(s), free(l), free(bad), free(read), free(copy), free(directory), free(room), free(table);
    }
    free(tables.tables), free(keys), free(ranks), free(starts), free(lengths);
}

/* Forged tables and pages of formats 2 and 3, with a true checksum. */
static void fuzz_packed(input in) {
    size_t page = 1 + number(&in, 9), pages = 1 + number(&in, 3), count = pages * page - number(&in, page - 1);
    size_t length = number(&in, 99), size = number(&in, 60), begin = 16, n_bad = 0;
    uint32_t first = (uint32_t)number(&in, 999), last = first + (uint32_t)number(&in, 255);
    edition((int)number(&in, 1));
    int version = 2 + (int)number(&in, 1);
    packed_again(in, page, first, version);
    if (size > in.n) size = in.n;
    uint8_t *table = calloc(size + POSTINGS_SPARE, 1);
    if (size) memcpy(table, in.data, size);
    in.data += size, in.n -= size;
    pages = (count + page - 1) / page;
    uint8_t *data = calloc(begin + in.n + POSTINGS_SPARE, 1);
    if (in.n) memcpy(data + begin, in.data, in.n);
    postings_entry *directory = made(pages * sizeof *directory);
    forged(&in, begin, length, pages, data, directory);
    places_tables *read = made(sizeof *read);
    if (places_read(table, size, first, last, read)) {
        read->version = version;
        postings_file file = {.data = data, .begin = begin, .end = begin + in.n, .directory = directory, .pages = pages, .page = page, .count = count};
        size_t room = pages * page + 1, n = in.n / 8;
        uint64_t *keys = made(room * 8), *wanted = made(in.n), *spare = made(page * 8);
        uint32_t *d = made(room * 4), *s = made(room * 4), *l = made(room * 4), *bad = made((pages + 1) * 4);
        size_t used = packed_unpack(&file, read, 0, pages, keys, d, s, l, bad, &n_bad);
        CHECK(used < room && n_bad <= pages);
        for (size_t i = 0; i < used; i++) CHECK(d[i] >= first && d[i] <= last && (!i || keys[i - 1] <= keys[i]));
        if (in.n) memcpy(wanted, in.data, in.n);
        if (n) qsort(wanted, n, 8, ascending);
        postings_found found;
        memset(&found, 0, sizeof found);
        if (n) CHECK(packed_find(&file, read, wanted, n, spare, &found));
        for (size_t i = 0; i < found.n; i++)
            CHECK(found.which[i] < n && found.documents[i] >= first && found.documents[i] <= last);
        postings_free(&found);
        free(keys), free(wanted), free(spare), free(d), free(s), free(l), free(bad);
    }
    free(read), free(directory), free(data), free(table);
}
