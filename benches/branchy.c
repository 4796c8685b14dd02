/* The plain loops that benches/canonicalise.py measures the text kernel against. */
#include <stddef.h>
#include <stdint.h>

/* Letters and digits, lower-cased, each with its place. */
size_t letters(const uint8_t *text, size_t n, uint8_t *out, uint32_t *where) {
    size_t m = 0;
    for (size_t i = 0; i < n; i++) {
        uint8_t c = text[i];
        if (c >= 'A' && c <= 'Z') c |= 32;
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
            where[m] = (uint32_t)i;
            out[m++] = c;
        }
    }
    return m;
}

/* Words of letters, digits and _, lower-cased, as FNV-1a hashes with their spans. */
size_t words(const uint8_t *text, size_t n, uint64_t *hashes, uint32_t *starts, uint32_t *ends) {
    size_t m = 0;
    uint64_t hash = 0;
    int open = 0;
    for (size_t i = 0; i < n; i++) {
        uint8_t c = text[i];
        if (c >= 'A' && c <= 'Z') c |= 32;
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c >= 0x80) {
            if (!open) {
                open = 1;
                hash = 0xcbf29ce484222325ULL;
                starts[m] = (uint32_t)i;
            }
            hash = (hash ^ c) * 0x100000001b3ULL;
        } else if (open) {
            hashes[m] = hash;
            ends[m++] = (uint32_t)i;
            open = 0;
        }
    }
    return m;
}
