/* Letters outside ASCII by vectors, up to 64 bytes at a time: a window.
 *
 * In a window the first symbol of a character stands at its first byte, the second at its second, the third at its
 * third, low and high byte apart; what is zero is left out, the rest squeezed.  Characters of two or three bytes are
 * looked up page by page; ideographs and Hangul syllables are their own symbols.  A window with anything else (more
 * symbols than bytes, jamo, four bytes, what is not UTF-8) goes through unicode_scalar. Included by unicode_text.h. */
#ifndef COPYSIFT_UNICODE_WINDOWS_H
#define COPYSIFT_UNICODE_WINDOWS_H

#if TEXT_HAS_AVX2
enum { WINDOW_PAST = 2 }; /* bytes after a window that are read too */

/* High bytes of three-byte characters that are their own symbols: the common ideographs, the syllables but the last. */
enum { OWN_FIRST = 0x4E, OWN_LAST = 0x9F, OWN_NEXT = 0xAC, OWN_END = 0xD6 };
enum { BITS_OF_SECOND = 0xD8 }; /* of two vectors: bits of the second where those of a third are set */

/* Bytes of a window by what they are. The last character may reach past it: `carried` are the bytes of the last one
 * of the window before, `carry` those that the next one has of this. */
typedef struct {
    uint64_t high, tails, two, three, carried, carry;
    unsigned used; /* less than 64 where a character has symbols past the window, which leaves it to the next one */
} window_bytes;

/* 0: something in the window is not UTF-8, or has four bytes. */
static inline int window_is_sound(window_bytes *w, const uint8_t *p) {
    uint64_t bad = w->high & ~(w->tails | w->two | w->three), after = IS_TAIL(p[64]) | (uint64_t)IS_TAIL(p[65]) << 1;
    w->carry = w->two >> 63 | w->three >> 62 | w->three >> 63;
    if (w->three >> 63) w->carry = 3;
    return !(bad | (w->tails ^ (w->two << 1 | w->three << 1 | w->three << 2 | w->carried)) | (w->carry & ~after));
}

/* Leave the character at `at` and what follows for the next window. */
static inline void window_cut(window_bytes *w, unsigned at) {
    w->used = at;
    w->carry = 0;
}

static inline void window_close(text_out *out, size_t at, const window_bytes *w, uint64_t mask, size_t left) {
    uint64_t bounds = ~w->tails;
    size_t end = w->used < left ? w->used : left;
    if (end < 64) bounds &= ((uint64_t)1 << end) - 1;
    text_mark(out->masks, at, mask);
    text_mark(out->bounds, at, bounds);
}

/* Write sixteen symbols of a window. */
#define EMIT_AVX512(j)                                                                                       \
    _mm512_storeu_si512(to + 16 * (j), _mm512_or_si512(_mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(low, j)), \
        _mm512_slli_epi32(_mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(high, j)), 8)))

/* Write the symbols of a window, or more than there are; their number. */
TEXT_AVX512 static inline size_t emit_avx512(__m512i low, __m512i high, uint64_t mask, uint32_t *to) {
    size_t count = (size_t)_mm_popcnt_u64(mask);
    low = _mm512_maskz_compress_epi8(mask, low);
    high = _mm512_maskz_compress_epi8(mask, high);
    EMIT_AVX512(0);
    EMIT_AVX512(1);
    if (count > 32) {
        EMIT_AVX512(2);
        EMIT_AVX512(3);
    }
    return count;
}

typedef struct {
    __m512i first, second, third; /* the bytes from each place of the window on */
    __m512i low, high;
} window_avx512;

/* Look up the characters at `rest`, page by page; 0: one of them is not for vectors. */
TEXT_AVX512 static inline int pages_avx512(window_avx512 *x, const uint8_t *p, uint64_t rest, window_bytes *w) {
    while (rest) {
        unsigned at = text_ctz(rest), number = p[at] & 31;
        uint64_t lanes = rest & _mm512_cmpeq_epi8_mask(x->first, _mm512_set1_epi8((char)p[at]));
        __m512i last = x->second, middle = x->first;
        int three = p[at] >= 0xE0;
        if (three) {
            number = (unsigned)(p[at] & 15) << 6 | (p[at + 1] & 63);
            lanes &= _mm512_cmpeq_epi8_mask(x->second, _mm512_set1_epi8((char)p[at + 1]));
            last = x->third, middle = x->second;
            if (number < 0x800 / 64) return 0; /* fewer bytes would do */
        }
        rest &= ~lanes;
        unsigned sort = text_page_sorts[number];
        if (sort == PAGE_DROPS) continue;
        if (sort == PAGE_ALONE) return 0;
        if (sort == PAGE_KEEPS) { /* low byte: the last two bits of the page, then the last six of the character */
            __m512i low = _mm512_and_si512(last, _mm512_set1_epi8(63));
            low = _mm512_or_si512(low, _mm512_set1_epi8((char)(number << 6)));
            x->low = _mm512_mask_mov_epi8(x->low, lanes, low);
            x->high = _mm512_mask_mov_epi8(x->high, lanes, _mm512_set1_epi8((char)(number >> 2)));
            continue;
        }
        const unicode_page *page = &text_pages[sort - PAGE_FOLDS];
        if (page->any_alone) {
            __m512i alone = _mm512_maskz_permutexvar_epi8(lanes, last, _mm512_loadu_si512(page->alone));
            if (_mm512_test_epi8_mask(alone, alone)) return 0;
        }
        x->low = _mm512_mask_permutexvar_epi8(x->low, lanes, last, _mm512_loadu_si512(page->low[0]));
        x->high = _mm512_mask_permutexvar_epi8(x->high, lanes, last, _mm512_loadu_si512(page->high[0]));
        if (page->parts < 2) continue;
        if (lanes >> (three ? 62 : 63)) window_cut(w, three && lanes >> 62 & 1 ? 62 : 63);
        x->low = _mm512_mask_permutexvar_epi8(x->low, lanes << 1, middle, _mm512_loadu_si512(page->low[1]));
        x->high = _mm512_mask_permutexvar_epi8(x->high, lanes << 1, middle, _mm512_loadu_si512(page->high[1]));
        if (page->parts < 3) continue;
        x->low = _mm512_mask_permutexvar_epi8(x->low, lanes << 2, x->first, _mm512_loadu_si512(page->low[2]));
        x->high = _mm512_mask_permutexvar_epi8(x->high, lanes << 2, x->first, _mm512_loadu_si512(page->high[2]));
    }
    return 1;
}

TEXT_AVX512 static inline uint64_t within_avx512(__m512i x, int first, int last) {
    return _mm512_cmple_epu8_mask(_mm512_sub_epi8(x, _mm512_set1_epi8((char)first)), _mm512_set1_epi8((char)(last - first)));
}

/* The commonest characters without a symbol: U+2000 to 206F, 3000 to 3004, 3008 to 3020, FF01 to FF0F. */
TEXT_AVX512 static inline uint64_t dropped_avx512(__m512i low, __m512i high) {
    uint64_t cjk = within_avx512(low, 0x00, 0x04) | within_avx512(low, 0x08, 0x20);
    return (_mm512_cmpeq_epi8_mask(high, _mm512_set1_epi8(0x20)) & within_avx512(low, 0x00, 0x6F)) |
           (_mm512_cmpeq_epi8_mask(high, _mm512_set1_epi8(0x30)) & cjk) |
           (_mm512_cmpeq_epi8_mask(high, _mm512_set1_epi8((char)0xFF)) & within_avx512(low, 0x01, 0x0F));
}

/* Take the characters that begin in 64 bytes from p[0] on; `left` of them exist. 0: they are not for vectors. */
TEXT_AVX512 static inline size_t window_of_avx512(const uint8_t *p, size_t at, size_t left, uint64_t *carry, text_out *out) {
    const __m512i small = _mm512_set1_epi8(32);
    window_avx512 x;
    window_bytes w = {.carried = *carry, .used = 64};
    x.first = _mm512_loadu_si512(p);
    __m512i folded = _mm512_or_si512(x.first, small);
    uint64_t letter = within_avx512(folded, 'a', 'z');
    uint64_t digit = within_avx512(x.first, '0', '9');
    uint64_t mask = letter | digit;
    x.high = _mm512_setzero_si512();
    w.high = _mm512_movepi8_mask(x.first);
    x.low = _mm512_mask_mov_epi8(_mm512_maskz_mov_epi8(digit, x.first), letter, folded);
    if (w.high) {
        w.tails = _mm512_cmplt_epi8_mask(x.first, _mm512_set1_epi8((char)0xC0)) & w.high;
        w.two = within_avx512(x.first, 0xC2, 0xDF);
        w.three = _mm512_cmpeq_epi8_mask(_mm512_and_si512(x.first, _mm512_set1_epi8((char)0xF0)), _mm512_set1_epi8((char)0xE0));
        if (!window_is_sound(&w, p)) return 0;
        uint64_t own = 0, dropped = 0;
        x.second = _mm512_loadu_si512(p + 1);
        x.third = _mm512_loadu_si512(p + 2);
        if (w.three) {
            __m512i low = _mm512_slli_epi16(x.second, 6), high = _mm512_srli_epi16(x.second, 2);
            low = _mm512_ternarylogic_epi64(low, x.third, _mm512_set1_epi8(63), BITS_OF_SECOND);
            high = _mm512_ternarylogic_epi64(high, _mm512_slli_epi16(x.first, 4), _mm512_set1_epi8((char)0xF0), BITS_OF_SECOND);
            own = (within_avx512(high, OWN_FIRST, OWN_LAST) | within_avx512(high, OWN_NEXT, OWN_END)) & w.three;
            dropped = dropped_avx512(low, high) & w.three;
            x.low = _mm512_mask_mov_epi8(x.low, own, low);
            x.high = _mm512_mask_mov_epi8(x.high, own, high);
        }
        if (!pages_avx512(&x, p, w.two | (w.three & ~own & ~dropped), &w)) return 0;
        __m512i any = _mm512_or_si512(x.low, x.high);
        mask = _mm512_test_epi8_mask(any, any);
        if (w.used < 64) mask &= ((uint64_t)1 << w.used) - 1;
    }
    out->count += emit_avx512(x.low, x.high, mask, out->symbols + out->count);
    window_close(out, at, &w, mask, left);
    *carry = w.carry;
    return w.used;
}

/* ---- the same with 32 bytes a vector: characters of pages one at a time ------------------------- */

typedef struct {
    uint8_t low[64], high[64];
    uint64_t mask;
} window_avx2;

TEXT_AVX2 static inline __m256i within_avx2(__m256i x, int first, int last) {
    __m256i from = _mm256_sub_epi8(x, _mm256_set1_epi8((char)first));
    return _mm256_cmpeq_epi8(_mm256_min_epu8(from, _mm256_set1_epi8((char)(last - first))), from);
}

TEXT_AVX2 static inline uint64_t bits_avx2(__m256i x) { return (uint32_t)_mm256_movemask_epi8(x); }

/* Half a window: letters and digits of ASCII, then characters of three bytes that are their own symbols. */
TEXT_AVX2 static inline void half_avx2(const uint8_t *p, unsigned half, window_avx2 *x, window_bytes *w) {
    uint32_t keep;
    __m256i first = _mm256_loadu_si256((const __m256i *)(p + half)), low = lower_avx2(first, &keep);
    uint64_t high = bits_avx2(first);
    x->mask |= (uint64_t)keep << half;
    if (high) {
        __m256i two = within_avx2(first, 0xC2, 0xDF), three = within_avx2(first, 0xE0, 0xEF);
        w->high |= high << half;
        w->tails |= bits_avx2(within_avx2(first, 0x80, 0xBF)) << half;
        w->two |= bits_avx2(two) << half;
        w->three |= bits_avx2(three) << half;
        __m256i second = _mm256_loadu_si256((const __m256i *)(p + half + 1)), top = _mm256_set1_epi8((char)0xF0);
        __m256i third = _mm256_loadu_si256((const __m256i *)(p + half + 2)), six = _mm256_set1_epi8(63);
        __m256i own = _mm256_or_si256(_mm256_andnot_si256(six, _mm256_slli_epi16(second, 6)), _mm256_and_si256(third, six));
        __m256i upper = _mm256_and_si256(_mm256_slli_epi16(first, 4), top);
        upper = _mm256_or_si256(upper, _mm256_andnot_si256(top, _mm256_srli_epi16(second, 2)));
        __m256i is_own = _mm256_or_si256(within_avx2(upper, OWN_FIRST, OWN_LAST), within_avx2(upper, OWN_NEXT, OWN_END));
        is_own = _mm256_and_si256(is_own, three);
        low = _mm256_blendv_epi8(low, own, is_own);
        _mm256_storeu_si256((__m256i *)(x->high + half), _mm256_and_si256(upper, is_own));
        x->mask |= bits_avx2(is_own) << half;
    } else _mm256_storeu_si256((__m256i *)(x->high + half), _mm256_setzero_si256());
    _mm256_storeu_si256((__m256i *)(x->low + half), low);
}

/* Look up the characters at `rest`; 0: one of them is not for vectors. */
TEXT_AVX2 static inline int pages_avx2(window_avx2 *x, const uint8_t *p, uint64_t rest, window_bytes *w) {
    for (; rest; rest = _blsr_u64(rest)) {
        unsigned at = text_ctz(rest), number = p[at] & 31, last = p[at + 1] & 63;
        if (p[at] >= 0xE0) {
            number = (unsigned)(p[at] & 15) << 6 | last;
            last = p[at + 2] & 63;
            if (number < 0x800 / 64) return 0; /* fewer bytes would do */
        }
        unsigned sort = text_page_sorts[number];
        if (sort == PAGE_DROPS) continue;
        if (sort == PAGE_ALONE) return 0;
        if (sort == PAGE_KEEPS) {
            x->low[at] = (uint8_t)(number << 6 | last);
            x->high[at] = (uint8_t)(number >> 2);
            x->mask |= (uint64_t)1 << at;
            continue;
        }
        const unicode_page *page = &text_pages[sort - PAGE_FOLDS];
        if (page->alone[last]) return 0;
        if (at + page->parts > 64) {
            window_cut(w, at);
            return 1;
        }
        for (unsigned part = 0; part < page->parts; part++) {
            x->low[at + part] = page->low[part][last];
            x->high[at + part] = page->high[part][last];
            x->mask |= (uint64_t)((page->low[part][last] | page->high[part][last]) != 0) << (at + part);
        }
    }
    return 1;
}

/* Write the symbols of a window, eight places at a time; their number. */
TEXT_AVX2 static inline size_t emit_avx2(const window_avx2 *x, uint32_t *to) {
    const uint32_t *from = to;
    for (unsigned at = 0; at < 64; at += 8) {
        unsigned mask = x->mask >> at & 255;
        __m128i order = _mm_loadl_epi64((const __m128i *)&text_squeeze[mask]);
        __m128i both = _mm_unpacklo_epi8(_mm_loadl_epi64((const __m128i *)(x->low + at)), _mm_loadl_epi64((const __m128i *)(x->high + at)));
        order = _mm_unpacklo_epi8(order, order);
        order = _mm_add_epi8(_mm_add_epi8(order, order), _mm_set1_epi16(0x100));
        _mm256_storeu_si256((__m256i *)to, _mm256_cvtepu16_epi32(_mm_shuffle_epi8(both, order)));
        to += _mm_popcnt_u32(mask);
    }
    return (size_t)(to - from);
}

TEXT_AVX2 static inline size_t window_of_avx2(const uint8_t *p, size_t at, size_t left, uint64_t *carry, text_out *out) {
    window_avx2 x;
    window_bytes w = {.carried = *carry, .used = 64};
    x.mask = 0;
    half_avx2(p, 0, &x, &w);
    half_avx2(p, 32, &x, &w);
    if (w.high) {
        uint64_t own = x.mask & w.three, rest;
        if (!window_is_sound(&w, p)) return 0;
        rest = w.two | (w.three & ~own);
        if (!pages_avx2(&x, p, rest, &w)) return 0;
        if (w.used < 64) x.mask &= ((uint64_t)1 << w.used) - 1;
    }
    out->count += emit_avx2(&x, out->symbols + out->count);
    window_close(out, at, &w, x.mask, left);
    *carry = w.carry;
    return w.used;
}

/* Go through data[0:n]; the last bytes are copied, so that windows may read past them. */
#define WINDOWS_BODY(WINDOW)                                                          \
    size_t i = 0;                                                                     \
    uint64_t carry = 0;                                                               \
    while (i < n) {                                                                   \
        uint8_t tail[64 + WINDOW_PAST];                                               \
        const uint8_t *p = data + i;                                                  \
        size_t left = n - i, used;                                                    \
        if (left < sizeof tail) {                                                     \
            memset(tail, 0, sizeof tail);                                             \
            memcpy(tail, p, left);                                                    \
            p = tail;                                                                 \
        }                                                                             \
        used = WINDOW(p, i, left, &carry, out);                                       \
        if (used) i += used < left ? used : left;                                     \
        else {                                                                        \
            i += carry - (carry >> 1);                                                \
            carry = 0;                                                                \
            if (i < n) i = unicode_scalar(data, i, n - i < 64 ? n : i + 64, n, out);  \
        }                                                                             \
    }

TEXT_AVX2 static void unicode_avx2(const uint8_t *data, size_t n, text_out *out) { WINDOWS_BODY(window_of_avx2) }
TEXT_AVX512 static void unicode_avx512(const uint8_t *data, size_t n, text_out *out) { WINDOWS_BODY(window_of_avx512) }
#endif

#endif
