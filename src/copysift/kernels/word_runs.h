/* Runs of word bytes by vector comparisons: where they begin and end, then the hashes of those that are ASCII.
 * A run with any other byte goes through words_scalar. Included by words.h. */
#ifndef COPYSIFT_WORD_RUNS_H
#define COPYSIFT_WORD_RUNS_H

#if TEXT_HAS_AVX2
#define WORD_SEGMENT 2048 /* bytes whose words are found before they are hashed */

typedef struct {
    uint8_t low[WORD_SEGMENT + 64];   /* the text, lower-cased where it is ASCII */
    uint16_t edges[WORD_SEGMENT + 64]; /* where runs of word bytes begin and end, in turn */
    uint64_t special[WORD_SEGMENT / 64 + 2];
} word_segment;

/* The bits of characters that part words, of those whose lead bytes are given: quotes, dashes, no-break spaces. One
 * that the group cuts off is left to the scalar path. */
static uint64_t word_parting(const uint8_t *group, uint64_t leads) {
    uint64_t bits = 0;
    for (; leads; leads &= leads - 1) {
        unsigned at = text_ctz(leads);
        uint32_t point;
        if (at > 61) break;
        unsigned length = utf8_decode(group + at, 64 - at, &point), place = uni_place(point);
        if (place < UNI_SIMPLE && UNI_KIND[place] == DROP) bits |= (((uint64_t)1 << length) - 1) << at;
    }
    return bits;
}

/* GCC would gather the edges in a vector register, which takes twice as long as eight stores. */
#if defined(__clang__)
#define WORD_STORES __attribute__((noinline))
#else
#define WORD_STORES __attribute__((noinline, optimize("no-tree-slp-vectorize")))
#endif

/* Find the runs of 64 · groups bytes, letters, digits, _, 0x7F and all that is not ASCII; gives the number of edges,
 * an odd one when the last run is open. *any: some bytes are special, 0x7F or not ASCII. */
TEXT_AVX2 WORD_STORES static size_t word_runs(const uint8_t *data, size_t groups, word_segment *s, int *any) {
    const __m256i score = _mm256_set1_epi8('_'), delete_ = _mm256_set1_epi8(0x7F);
    uint64_t before = 0, specials = 0;
    size_t count = 0;
    for (size_t g = 0; g < groups; g++) {
        uint64_t in = 0, special = 0;
        for (int half = 0; half < 64; half += 32) {
            uint32_t keep;
            __m256i x = _mm256_loadu_si256((const __m256i *)(data + 64 * g + half));
            _mm256_storeu_si256((__m256i *)(s->low + 64 * g + half), lower_avx2(x, &keep));
            __m256i rare = _mm256_or_si256(x, _mm256_cmpeq_epi8(x, delete_));
            special |= (uint64_t)(uint32_t)_mm256_movemask_epi8(rare) << half;
            in |= (uint64_t)(keep | (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(x, score))) << half;
        }
        if (special) {
            uint64_t leads = 0;
            for (int half = 0; half < 64; half += 32) {
                __m256i x = _mm256_loadu_si256((const __m256i *)(data + 64 * g + half));
                __m256i lead = _mm256_or_si256(_mm256_cmpeq_epi8(x, _mm256_set1_epi8((char)0xE2)),
                                               _mm256_cmpeq_epi8(x, _mm256_set1_epi8((char)0xC2)));
                leads |= (uint64_t)(uint32_t)_mm256_movemask_epi8(lead) << half;
            }
            if (leads) special &= ~word_parting(data + 64 * g, leads);
        }
        in |= special;
        s->special[g] = special;
        specials |= special;
        uint64_t turn = in ^ (in << 1 | before);
        before = in >> 63;
        unsigned turns = (unsigned)_mm_popcnt_u64(turn), done = 0;
        uint16_t *to = s->edges + count, first = (uint16_t)(64 * g);
        do { /* eight at a time without a branch; what is past `turns` is overwritten */
            for (int j = 0; j < 8; j++) {
                to[done + (unsigned)j] = (uint16_t)(first + _tzcnt_u64(turn));
                turn = _blsr_u64(turn);
            }
            done += 8;
        } while (done < turns);
        count += turns;
    }
    s->special[groups] = 0;
    *any = specials != 0;
    return count;
}

/* Is a byte of the run special? */
static inline int word_has_special(const word_segment *s, size_t start, size_t end) {
    size_t g = start / 64, bit = start % 64;
    uint64_t window = s->special[g] >> bit | (bit ? s->special[g + 1] << (64 - bit) : 0);
    size_t length = end - start;
    if (length < 64) return (window & (((uint64_t)1 << length) - 1)) != 0;
    for (; g <= end / 64; g++) /* a long run: look at whole groups, at worst in vain */
        if (s->special[g]) return 1;
    return 0;
}

/* Hash a lower-cased word; 16 bytes may be read, whatever its length. */
TEXT_AVX2 static inline uint64_t word_ascii(const uint8_t *p, size_t length) {
    uint64_t hash = WORD_SEED, pack, more;
    for (; length > 16; length -= 8, p += 8) {
        memcpy(&pack, p, 8);
        hash = word_mix(hash, pack);
    }
    memcpy(&pack, p, 8);
    memcpy(&more, p + 8, 8);
    hash = word_mix(hash, _bzhi_u64(pack, 8 * (unsigned)length));
    uint64_t second = word_mix(hash, _bzhi_u64(more, 8 * (unsigned)length - 64)), longer = 0 - (uint64_t)(length > 8);
    return word_finish((second & longer) | (hash & ~longer));
}

/* Take `runs` runs without special bytes. */
TEXT_AVX2 __attribute__((noinline)) static void words_plain(word_out *out, const word_segment *s, size_t runs, uint32_t from) {
    uint64_t *symbols = out->symbols + out->count;
    uint32_t *starts = out->starts + out->count, *ends = out->ends + out->count;
    const uint16_t *edges = s->edges;
    for (size_t j = 0; j < runs; j++) {
        size_t start = edges[2 * j], end = edges[2 * j + 1];
        symbols[j] = word_ascii(s->low + start, end - start);
        starts[j] = from + (uint32_t)start;
        ends[j] = from + (uint32_t)end;
    }
    out->count += runs;
}

/* Run the same with 64 bytes, then eight words at a time. */
TEXT_AVX512 static size_t word_runs_avx512(const uint8_t *data, size_t groups, word_segment *s, int *any) {
    const __m512i letters = _mm512_set1_epi8('a'), digits = _mm512_set1_epi8('0'), small = _mm512_set1_epi8(32);
    uint8_t bytes[64];
    for (int j = 0; j < 64; j++) bytes[j] = (uint8_t)j;
    const __m512i places = _mm512_loadu_si512(bytes);
    uint64_t before = 0, specials = 0;
    size_t count = 0;
    for (size_t g = 0; g < groups; g++) {
        __m512i x = _mm512_loadu_si512(data + 64 * g), low = _mm512_or_si512(x, small);
        uint64_t letter = _mm512_cmple_epu8_mask(_mm512_sub_epi8(low, letters), _mm512_set1_epi8(25));
        uint64_t digit = _mm512_cmple_epu8_mask(_mm512_sub_epi8(x, digits), _mm512_set1_epi8(9));
        uint64_t score = _mm512_cmpeq_epi8_mask(x, _mm512_set1_epi8('_'));
        uint64_t special = _mm512_cmpge_epu8_mask(x, _mm512_set1_epi8(0x7F));
        if (special) {
            uint64_t leads = _mm512_cmpeq_epi8_mask(x, _mm512_set1_epi8((char)0xE2));
            leads |= _mm512_cmpeq_epi8_mask(x, _mm512_set1_epi8((char)0xC2));
            if (leads) special &= ~word_parting(data + 64 * g, leads);
        }
        _mm512_storeu_si512(s->low + 64 * g, _mm512_mask_mov_epi8(x, letter, low));
        s->special[g] = special;
        specials |= special;
        uint64_t in = letter | digit | score | special, turn = in ^ (in << 1 | before);
        before = in >> 63;
        size_t turns = (size_t)_mm_popcnt_u64(turn);
        __m512i edges = _mm512_maskz_compress_epi8(turn, places), first = _mm512_set1_epi16((short)(64 * g));
        __m512i half = _mm512_cvtepu8_epi16(_mm512_castsi512_si256(edges));
        _mm512_storeu_si512(s->edges + count, _mm512_add_epi16(half, first));
        if (turns > 32) {
            half = _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64(edges, 1));
            _mm512_storeu_si512(s->edges + count + 32, _mm512_add_epi16(half, first));
        }
        count += turns;
    }
    s->special[groups] = 0;
    *any = specials != 0;
    return count;
}

TEXT_AVX512 static inline __m512i word_mix_avx512(__m512i hash, __m512i pack) {
    hash = _mm512_mullo_epi64(_mm512_xor_si512(hash, pack), _mm512_set1_epi64((long long)WORD_MIX));
    return _mm512_xor_si512(hash, _mm512_srli_epi64(hash, 32));
}

TEXT_AVX512 static inline __m512i word_finish_avx512(__m512i h) {
    h = _mm512_xor_si512(h, _mm512_srli_epi64(h, 33));
    h = _mm512_mullo_epi64(h, _mm512_set1_epi64((long long)0xFF51AFD7ED558CCDULL));
    h = _mm512_xor_si512(h, _mm512_srli_epi64(h, 33));
    h = _mm512_mullo_epi64(h, _mm512_set1_epi64((long long)0xC4CEB9FE1A85EC53ULL));
    return _mm512_xor_si512(h, _mm512_srli_epi64(h, 33));
}

static const uint32_t word_lanes[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

/* Take the ideographs from data[i] that no mark follows, sixteen at a time. */
TEXT_AVX512 static size_t words_ideographs_avx512(word_out *out, const uint8_t *data, size_t i, size_t n, uint32_t offset) {
    const __m512i seed = _mm512_set1_epi64((long long)WORD_SEED), three = _mm512_set1_epi32(3);
    const __m512i steps = _mm512_mullo_epi32(three, _mm512_loadu_si512(word_lanes));
    const __m512i shuffle = _mm512_add_epi32(_mm512_mullo_epi32(steps, _mm512_set1_epi32(0x010101)), _mm512_set1_epi32(0x020100));
    while (i + 64 <= n) {
        __m512i four = _mm512_permutexvar_epi8(shuffle, _mm512_loadu_si512(data + i));
        __m512i form = _mm512_and_si512(four, _mm512_set1_epi32(0xC0C0F0)), pack = _mm512_and_si512(four, _mm512_set1_epi32(0xFFFFFF));
        __m512i top = _mm512_slli_epi32(_mm512_and_si512(four, _mm512_set1_epi32(15)), 12);
        __m512i middle = _mm512_and_si512(_mm512_srli_epi32(four, 2), _mm512_set1_epi32(0xFC0));
        __m512i point = _mm512_sub_epi32(_mm512_or_si512(top, middle), _mm512_set1_epi32(0x4E00)); /* but for six bits */
        unsigned good = _mm512_mask_cmplt_epu32_mask(_mm512_cmpeq_epi32_mask(form, _mm512_set1_epi32(0x8080E0)), point, _mm512_set1_epi32(0x5200));
        unsigned taken = (unsigned)_tzcnt_u32(~good);
        if (!taken) break;
        size_t after = i + 3 * taken;
        taken -= taken == 16 || after + 3 > n || !(data[after] < 0x7F || words_part_here(data, after));
        __mmask16 some = (__mmask16)((1u << taken) - 1);
        for (unsigned half = 0; half < 2 && 8 * half < taken; half++) {
            __m256i words = half ? _mm512_extracti64x4_epi64(pack, 1) : _mm512_castsi512_si256(pack);
            __m512i hash = word_finish_avx512(word_mix_avx512(seed, _mm512_cvtepu32_epi64(words)));
            _mm512_mask_storeu_epi64(out->symbols + out->count + 8 * half, (__mmask8)(some >> 8 * half), hash);
        }
        __m512i starts = _mm512_add_epi32(steps, _mm512_set1_epi32((int)(offset + (uint32_t)i)));
        _mm512_mask_storeu_epi32(out->starts + out->count, some, starts);
        _mm512_mask_storeu_epi32(out->ends + out->count, some, _mm512_add_epi32(starts, three));
        out->count += taken;
        i += 3 * taken;
        if (taken < 15) break;
    }
    return i;
}

/* The outputs have room for eight words more than there are. */
TEXT_AVX512 static void words_plain_avx512(word_out *out, const word_segment *s, size_t runs, uint32_t from) {
    const __m512i all = _mm512_set1_epi64(-1), seed = _mm512_set1_epi64((long long)WORD_SEED);
    uint64_t *symbols = out->symbols + out->count;
    uint32_t *starts = out->starts + out->count, *ends = out->ends + out->count;
    const __m256i at = _mm256_set1_epi32((int)from);
    for (size_t j = 0; j < runs; j += 8) {
        __mmask8 there = (__mmask8)(runs - j < 8 ? (1u << (runs - j)) - 1 : 255);
        __m256i pairs = _mm256_maskz_loadu_epi32(there, s->edges + 2 * j);
        __m256i start = _mm256_and_si256(pairs, _mm256_set1_epi32(0xFFFF)), end = _mm256_srli_epi32(pairs, 16);
        __m512i length = _mm512_cvtepu32_epi64(_mm256_sub_epi32(end, start)), bits = _mm512_slli_epi64(length, 3);
        __m512i pack = _mm512_i32gather_epi64(start, s->low, 1);
        __m512i hash = word_mix_avx512(seed, _mm512_andnot_si512(_mm512_sllv_epi64(all, bits), pack));
        __mmask8 longer = _mm512_cmpgt_epu64_mask(length, _mm512_set1_epi64(8));
        if (longer) {
            bits = _mm512_sub_epi64(bits, _mm512_set1_epi64(64));
            pack = _mm512_mask_i32gather_epi64(_mm512_setzero_si512(), longer, start, s->low + 8, 1);
            __m512i more = word_mix_avx512(hash, _mm512_andnot_si512(_mm512_sllv_epi64(all, bits), pack));
            hash = _mm512_mask_mov_epi64(hash, longer, more);
        }
        _mm512_storeu_si512(symbols + j, word_finish_avx512(hash));
        _mm256_storeu_si256((__m256i *)(starts + j), _mm256_add_epi32(start, at));
        _mm256_storeu_si256((__m256i *)(ends + j), _mm256_add_epi32(end, at));
        unsigned longest = _mm512_cmpgt_epu64_mask(length, _mm512_set1_epi64(16));
        for (; longest; longest &= longest - 1) {
            size_t word = j + text_ctz(longest), first = s->edges[2 * word];
            symbols[word] = word_ascii(s->low + first, s->edges[2 * word + 1] - first);
        }
    }
    out->count += runs;
}

/* Take the words from data[i], where none is open; gives the place from which the scalar path must go on. */
TEXT_AVX2 static size_t words_vector(word_out *out, const uint8_t *data, size_t i, size_t n, uint32_t offset) {
    word_segment s;
    memset(s.low + WORD_SEGMENT, 0, 64);
    while (i + 64 <= n) {
        size_t groups = (n - i) / 64 < WORD_SEGMENT / 64 ? (n - i) / 64 : WORD_SEGMENT / 64;
        int any;
        size_t turns = text_use_avx512 ? word_runs_avx512(data + i, groups, &s, &any) : word_runs(data + i, groups, &s, &any);
        uint32_t from = offset + (uint32_t)i;
        if (!any && text_use_avx512) words_plain_avx512(out, &s, turns / 2, from);
        else if (!any) words_plain(out, &s, turns / 2, from);
        for (size_t at = 0; any && at + 1 < turns; at += 2) {
            uint32_t start = s.edges[at], end = s.edges[at + 1];
            if (word_has_special(&s, start, end)) {
                words_scalar(out, data + i, start, end, n - i, from, 0);
                word_close(out);
                continue;
            }
            out->symbols[out->count] = word_ascii(s.low + start, end - start);
            out->starts[out->count] = from + start;
            out->ends[out->count++] = from + end;
        }
        if (!(turns & 1)) i += 64 * groups;
        else if (s.edges[turns - 1]) i += s.edges[turns - 1];
        else i = words_scalar(out, data, i, n, n, offset, 1); /* a run longer than the segment */
    }
    return i;
}
#endif

#endif
