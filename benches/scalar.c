/* The plain C loops that the kernels are measured against; compiled with -O3 by the bench. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BASE 0x9e3779b97f4a7c15ULL

static uint64_t power(uint64_t b, size_t k) { uint64_t r = 1; while (k--) r *= b; return r; }

/* Robust winnowing, tuned: rolling 64-bit hash, a ring without division, a rescan only on expiry. */
size_t tuned(const uint8_t *t, size_t n, size_t k, size_t w, uint64_t *hashes, uint32_t *places) {
    if (n < k) return 0;
    uint64_t *ring = malloc(w * sizeof *ring), h = 0, top = power(BASE, k), low = UINT64_MAX;
    size_t found = 0, r = 0, min = 0, grams = n - k + 1;
    for (size_t j = 0; j < k; j++) h = (h + t[j]) * BASE;
    for (size_t i = 0; i < w; i++) ring[i] = UINT64_MAX;
    for (size_t i = 0;;) {
        ring[r] = h;
        if (min == r && i >= w) {
            low = h;
            size_t age = 0, best = 0, j = r;
            for (age = 1; age < w; age++) {
                j = j ? j - 1 : w - 1;
                if (ring[j] < low) { low = ring[j]; min = j; best = age; }
            }
            hashes[found] = low; places[found++] = (uint32_t)(i - best);
        } else if (h < low) {
            low = h; min = r;
            if (i + 1 >= w) { hashes[found] = low; places[found++] = (uint32_t)i; }
        }
        if (++i == grams) break;
        if (++r == w) r = 0;
        h = (h - t[i - 1] * top + t[i + k - 1]) * BASE;
    }
    free(ring);
    return found;
}

/* Figure 5 of the winnowing paper as printed, with (*) changed for robust winnowing. */
size_t figure5(const uint8_t *t, size_t n, size_t kk, size_t ww, uint64_t *hashes, uint32_t *places) {
    if (n < kk) return 0;
    int w = (int)ww, r = 0, min = 0;
    uint64_t *h = malloc(ww * sizeof *h), value = 0, top = power(BASE, kk);
    size_t found = 0, grams = n - kk + 1;
    for (int i = 0; i < w; ++i) h[i] = UINT64_MAX;
    for (size_t j = 0; j < kk; j++) value = (value + t[j]) * BASE;
    for (size_t at = 0;;) {
        r = (r + 1) % w;
        h[r] = value;
        if (min == r) {
            for (int i = (r - 1 + w) % w; i != r; i = (i - 1 + w) % w)
                if (h[i] < h[min]) min = i;
            hashes[found] = h[min]; places[found++] = (uint32_t)(at - (size_t)((r - min + w) % w));
        } else if (h[r] < h[min]) {
            min = r;
            hashes[found] = h[min]; places[found++] = (uint32_t)at;
        }
        if (++at == grams) break;
        value = (value - t[at - 1] * top + t[at + kk - 1]) * BASE;
    }
    free(h);
    return found;
}

/* Letters and digits, lower-cased, with where each stood: a table and no branch. */
size_t canonical(const uint8_t *t, size_t n, uint8_t *out, uint32_t *where) {
    uint8_t fold[256] = {0};
    for (int c = '0'; c <= '9'; c++) fold[c] = (uint8_t)c;
    for (int c = 'a'; c <= 'z'; c++) fold[c] = fold[c - 32] = (uint8_t)c;
    size_t m = 0;
    for (size_t i = 0; i < n; i++) {
        out[m] = fold[t[i]];
        where[m] = (uint32_t)i;
        m += fold[t[i]] != 0;
    }
    return m;
}

/* The three steps of one document after the other, in blocks that fit the cache. */
size_t pipeline(const uint8_t *t, size_t n, size_t k, size_t w, uint64_t *hashes, uint32_t *places, uint8_t *symbols,
                uint32_t *where) {
    size_t m = canonical(t, n, symbols, where), found = tuned(symbols, m, k, w, hashes, places);
    for (size_t i = 0; i < found; i++) places[i] = where[places[i]];
    return found;
}
