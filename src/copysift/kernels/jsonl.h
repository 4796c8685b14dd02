/* JSON lines of nothing but two strings, an id and a text: unescaped and checked in one pass.

   A line that is anything else makes the whole block one for the reader that takes line by line, which is the
   definition; so everything doubtful is refused here. Twin: reference/jsonl.py. */
#ifndef COPYSIFT_JSONL_H
#define COPYSIFT_JSONL_H

#include "text.h"

#define JSONL_PAD 64 /* bytes that may be written past what is given */

static size_t jsonl_breaks(const uint8_t *data, size_t n) {
    size_t found = 0;
    for (size_t i = 0; i < n;) { /* in stretches whose count fits a byte, which vectorise */
        size_t stop = n - i < 128 ? n : i + 128;
        uint8_t here = 0;
        for (; i < stop; i++) here = (uint8_t)(here + (data[i] == '\n'));
        found += here;
    }
    return found;
}

/* Copy the plain bytes of a string, printable ASCII without quote and backslash; gives how many. */
static size_t jsonl_plain(const uint8_t *in, size_t n, uint8_t *out) {
    size_t i = 0;
    while (i < n && in[i] >= 0x20 && in[i] < 0x80 && in[i] != '"' && in[i] != '\\') {
        out[i] = in[i];
        i++;
    }
    return i;
}

#if TEXT_HAS_AVX2
TEXT_AVX2 static size_t jsonl_plain_avx2(const uint8_t *in, size_t n, uint8_t *out) {
    const __m256i quote = _mm256_set1_epi8('"'), slash = _mm256_set1_epi8('\\'), low = _mm256_set1_epi8(0x20);
    size_t i = 0;
    for (; i + 32 <= n; i += 32) {
        __m256i x = _mm256_loadu_si256((const __m256i *)(in + i));
        _mm256_storeu_si256((__m256i *)(out + i), x);
        /* signed: what is over 0x7F is negative, so below 0x20 as well */
        __m256i stop = _mm256_or_si256(_mm256_cmpgt_epi8(low, x),
                                       _mm256_or_si256(_mm256_cmpeq_epi8(x, quote), _mm256_cmpeq_epi8(x, slash)));
        uint32_t bits = (uint32_t)_mm256_movemask_epi8(stop);
        if (bits) return i + text_ctz(bits);
    }
    return i + jsonl_plain(in + i, n - i, out + i);
}
#endif

static int jsonl_hex(const uint8_t *in, uint32_t *value) {
    *value = 0;
    for (int i = 0; i < 4; i++) {
        uint8_t c = in[i], low = (uint8_t)(c | 32);
        uint32_t digit = c >= '0' && c <= '9' ? c - '0' : low >= 'a' && low <= 'f' ? low - 'a' + 10u : 99u;
        if (digit == 99u) return 0;
        *value = *value << 4 | digit;
    }
    return 1;
}

static unsigned jsonl_utf8(uint32_t c, uint8_t *out) {
    if (c < 0x80) { out[0] = (uint8_t)c; return 1; }
    if (c < 0x800) { out[0] = (uint8_t)(0xC0 | c >> 6); out[1] = (uint8_t)(0x80 | (c & 63)); return 2; }
    if (c < 0x10000) {
        out[0] = (uint8_t)(0xE0 | c >> 12); out[1] = (uint8_t)(0x80 | (c >> 6 & 63)); out[2] = (uint8_t)(0x80 | (c & 63));
        return 3;
    }
    out[0] = (uint8_t)(0xF0 | c >> 18); out[1] = (uint8_t)(0x80 | (c >> 12 & 63));
    out[2] = (uint8_t)(0x80 | (c >> 6 & 63)); out[3] = (uint8_t)(0x80 | (c & 63));
    return 4;
}

/* Take the escape after a backslash at in[0]; gives the bytes read, 0 for none that is well formed. */
static size_t jsonl_escape(const uint8_t *in, size_t n, uint8_t *out, size_t *written) {
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    uint32_t high, low;
    if (n < 2) return 0;
    for (int i = 0; i < 8; i++)
        if (in[1] == (uint8_t)from[i]) {
            out[0] = (uint8_t)to[i];
            *written = 1;
            return 2;
        }
    if (in[1] != 'u' || n < 6 || !jsonl_hex(in + 2, &high)) return 0;
    if (high - 0xD800 >= 0x800) {
        *written = jsonl_utf8(high, out);
        return 6;
    }
    if (high >= 0xDC00 || n < 12 || in[6] != '\\' || in[7] != 'u' || !jsonl_hex(in + 8, &low) || low - 0xDC00 >= 0x400) return 0;
    *written = jsonl_utf8(0x10000 + (high - 0xD800) * 0x400 + low - 0xDC00, out);
    return 12;
}

/* Unescape the string whose opening quote is in[-1]; gives the bytes read with the closing quote, 0 if it is not
   a well-formed one. */
static size_t jsonl_string(const uint8_t *in, size_t n, uint8_t *out, size_t *written) {
    size_t i = 0, o = 0;
    while (i < n) {
#if TEXT_HAS_AVX2
        size_t plain = text_use_avx2 ? jsonl_plain_avx2(in + i, n - i, out + o) : jsonl_plain(in + i, n - i, out + o);
#else
        size_t plain = jsonl_plain(in + i, n - i, out + o);
#endif
        i += plain;
        o += plain;
        if (i == n) return 0;
        if (in[i] == '"') {
            *written = o;
            return i + 1;
        }
        if (in[i] == '\\' && i + 1 < n && in[i + 1] == 'n') { /* most escapes are line breaks */
            out[o++] = '\n';
            i += 2;
            continue;
        }
        if (in[i] == '\\') {
            size_t more = 0, used = jsonl_escape(in + i, n - i, out + o, &more);
            if (!used) return 0;
            i += used;
            o += more;
            continue;
        }
        while (i < n && in[i] >= 0x80) {
            uint32_t point;
            unsigned length = utf8_decode(in + i, n - i, &point);
            if (length == 1) return 0;
            memcpy(out + o, in + i, length);
            i += length;
            o += length;
        }
        if (i < n && in[i] < 0x20) return 0;
    }
    return 0;
}

static size_t jsonl_space(const uint8_t *in, size_t i, size_t n) {
    while (i < n && (in[i] == ' ' || in[i] == '\t' || in[i] == '\r')) i++;
    return i;
}

typedef struct {
    const uint8_t *id, *text; /* names of the fields, without quotes */
    size_t id_size, text_size;
    uint8_t *ids, *texts; /* room for the block and JSONL_PAD */
    int32_t *id_ends;     /* one more than lines, the first 0 */
    int64_t *text_ends;
} jsonl_out;

/* Is the key at in[i], after its quote, this one, plainly spelled? */
static size_t jsonl_key(const uint8_t *in, size_t i, size_t n, const uint8_t *name, size_t size) {
    if (n - i < size + 1 || memcmp(in + i, name, size) || in[i + size] != '"') return 0;
    i = jsonl_space(in, i + size + 1, n);
    if (i >= n || in[i] != ':') return 0;
    i = jsonl_space(in, i + 1, n);
    return i < n && in[i] == '"' ? i + 1 : 0;
}

/* Take the object of one line; gives the place after it, 0 if it is not one of the two strings. */
static size_t jsonl_object(const uint8_t *in, size_t i, size_t n, jsonl_out *out, size_t row) {
    int seen = 0;
    if (in[i] != '{') return 0;
    for (int field = 0; field < 2; field++) {
        i = jsonl_space(in, i + 1, n);
        if (i >= n || in[i] != '"') return 0;
        size_t written, used, id = jsonl_key(in, i + 1, n, out->id, out->id_size);
        size_t at = id ? id : jsonl_key(in, i + 1, n, out->text, out->text_size);
        if (!at || seen == (id ? 1 : 2)) return 0;
        seen = id ? 1 : 2;
        used = jsonl_string(in + at, n - at, id ? out->ids + out->id_ends[row] : out->texts + out->text_ends[row], &written);
        if (!used || (id && !written)) return 0; /* an empty id is no id */
        if (id) out->id_ends[row + 1] = out->id_ends[row] + (int32_t)written;
        else out->text_ends[row + 1] = out->text_ends[row] + (int64_t)written;
        i = jsonl_space(in, at + used, n);
        if (i >= n || in[i] != (field ? '}' : ',')) return 0;
    }
    return jsonl_space(in, i + 1, n);
}

/* Take whole lines, `lines` of them, of which the last has no break; 0 when one is anything else. */
static int jsonl_block(const uint8_t *in, size_t n, size_t lines, jsonl_out *out) {
    size_t i = 0;
    out->id_ends[0] = 0;
    out->text_ends[0] = 0;
    for (size_t row = 0; row < lines; row++) {
        if (i >= n) return 0;
        i = jsonl_object(in, i, n, out, row);
        if (!i || (row + 1 < lines ? i >= n || in[i] != '\n' : i != n)) return 0;
        i++;
    }
    return 1;
}

#endif
