/* Which candidate is the choice after each candidate of a chunk, for all of them at once; window.h follows the steps. */
#ifndef COPYSIFT_STEPS_H
#define COPYSIFT_STEPS_H
#include "kgrams_avx2.h"
#include "kgrams_vector.h"

enum { CS_STEP_SCAN = 253, CS_STEP_FOLLOW = 254, CS_STEP_END = 255 };
enum { CS_AHEAD = 10, CS_FAR = 15 }; /* candidates that are compared with each; the bits that hold a distance */

/* The choice after every candidate at once, without branches. A candidate ahead, as a number: its key and how far it
 * is; that distance alone, when it beats the choice, so that the first that does has the least; the largest of all
 * numbers outside of the window. The least of these numbers is the next choice. Keys leave out the lowest bits of the
 * order, so equal keys are left to cs_follow: those of the choice and one ahead here, those of two ahead in cs_choose,
 * which comes upon the first of them. */
CS_INLINE uint32_t cs_ahead(uint32_t mine, uint32_t limit, uint32_t key, uint32_t place, uint32_t distance) {
    uint32_t number = ((int32_t)key < (int32_t)mine ? 0 : key) | distance;
    return (int32_t)place > (int32_t)limit ? UINT32_MAX : number;
}

CS_INLINE uint8_t cs_step_code(uint32_t least, int tie, int more, int ends) {
    if (tie) return CS_STEP_FOLLOW;
    if (least <= CS_FAR) return (uint8_t)(least + 1);
    return more ? CS_STEP_FOLLOW : ends ? CS_STEP_END : least == UINT32_MAX ? CS_STEP_SCAN : (uint8_t)((least & CS_FAR) + 1);
}

CS_INLINE void cs_keys(cs_chunk *c) {
    size_t n = c->found + CS_AHEAD + 8;
    for (size_t j = 0; j < n; j++) c->x->key[j] = c->x->rank[j] >> 5 << 4;
}

static void cs_steps_plain(cs_chunk *c) {
    uint32_t least[256], tie[256], w = (uint32_t)c->q->w, last = (uint32_t)c->count - 1;
    cs_keys(c);
    for (size_t from = 0; from < c->found; from += 256) {
        const uint32_t *key = c->x->key + from, *place = c->x->place + from;
        size_t n = c->found - from < 256 ? c->found - from : 256;
        memset(least, 255, sizeof least);
        memset(tie, 0, sizeof tie);
        for (uint32_t d = 1; d <= CS_AHEAD; d++)
            for (size_t j = 0; j < n; j++) {
                uint32_t number = cs_ahead(key[j], place[j] + w, key[j + d], place[j + d], d - 1);
                least[j] = least[j] < number ? least[j] : number;
                tie[j] |= (key[j] == key[j + d]) & (place[j + d] <= place[j] + w);
            }
        for (size_t j = 0; j < n; j++)
            c->x->step[from + j] = cs_step_code(least[j], (int)tie[j], place[j + CS_AHEAD] <= place[j] + w, place[j] + w > last);
    }
}

#if CS_VECTORS
/* A number outside of the window is the largest that has a sign here, as there is no comparison without. */
CS_VECTOR static void cs_steps_vector(cs_chunk *c) {
    const uint32_t *key = c->x->key, *place = c->x->place;
    const cs_i4 none = (cs_i4){0} + INT32_MAX, last = (cs_i4){0} + ((int32_t)c->count - 1);
    cs_keys(c);
    for (size_t j = 0; j < c->found; j += 4) {
        cs_i4 mine = (cs_i4)cs_get4(key + j), limit = (cs_i4)cs_get4(place + j) + (int32_t)c->q->w;
        cs_i4 least = none, tie = {0}, out = {0};
        for (int32_t d = 1; d <= CS_AHEAD; d++) {
            cs_i4 r = (cs_i4)cs_get4(key + j + d);
            out = (cs_i4)cs_get4(place + j + d) > limit;
            tie |= (mine == r) & ~out;
            cs_i4 number = (r & ~(mine > r)) | (d - 1) | (out & none), less = number < least;
            least = (number & less) | (least & ~less);
        }
        cs_i4 won = least <= CS_FAR, scan = least == none, ends = (limit > last) & ~won, code = (least & CS_FAR) + 1;
        code = (code & ~scan) | (CS_STEP_SCAN & scan);
        code = (code & ~ends) | (CS_STEP_END & ends);
        tie |= ~(won | out);
        code = (code & ~tie) | (CS_STEP_FOLLOW & tie);
        for (int lane = 0; lane < 4; lane++) c->x->step[j + lane] = (uint8_t)code[lane];
    }
}
#endif

#if CS_X86
CS_AVX2 static void cs_steps_avx2(cs_chunk *c) {
    const uint32_t *key = c->x->key, *place = c->x->place;
    const __m256i w = _mm256_set1_epi32((int)c->q->w), last = _mm256_set1_epi32((int)c->count - 1);
    cs_keys(c);
    for (size_t j = 0; j < c->found; j += 8) {
        __m256i mine = _mm256_loadu_si256((const __m256i *)(key + j)), out = _mm256_setzero_si256(), tie = out;
        __m256i limit = _mm256_add_epi32(_mm256_loadu_si256((const __m256i *)(place + j)), w);
        __m256i least = _mm256_set1_epi32(-1);
        for (int d = 1; d <= CS_AHEAD; d++) {
            __m256i r = _mm256_loadu_si256((const __m256i *)(key + j + d));
            out = _mm256_cmpgt_epi32(_mm256_loadu_si256((const __m256i *)(place + j + d)), limit);
            tie = _mm256_or_si256(tie, _mm256_andnot_si256(out, _mm256_cmpeq_epi32(mine, r)));
            __m256i number = _mm256_andnot_si256(_mm256_cmpgt_epi32(mine, r), r);
            number = _mm256_or_si256(_mm256_or_si256(number, _mm256_set1_epi32(d - 1)), out);
            least = _mm256_min_epu32(least, number);
        }
        const __m256i far = _mm256_set1_epi32(CS_FAR);
        __m256i won = _mm256_cmpeq_epi32(_mm256_min_epu32(least, far), least);
        __m256i code = _mm256_add_epi32(_mm256_and_si256(least, far), _mm256_set1_epi32(1));
        __m256i none = _mm256_cmpeq_epi32(least, _mm256_set1_epi32(-1)), ends = _mm256_cmpgt_epi32(limit, last);
        code = _mm256_blendv_epi8(code, _mm256_set1_epi32(CS_STEP_SCAN), none);
        code = _mm256_blendv_epi8(code, _mm256_set1_epi32(CS_STEP_END), _mm256_andnot_si256(won, ends));
        tie = _mm256_or_si256(tie, _mm256_andnot_si256(_mm256_or_si256(won, out), _mm256_set1_epi32(-1)));
        code = _mm256_blendv_epi8(code, _mm256_set1_epi32(CS_STEP_FOLLOW), tie);
        code = _mm256_packus_epi32(code, code);
        code = _mm256_permute4x64_epi64(_mm256_packus_epi16(code, code), 0xD8);
        code = _mm256_shuffle_epi32(code, 0xD8);
        _mm_storel_epi64((__m128i *)(c->x->step + j), _mm256_castsi256_si128(code));
    }
}
#endif
#endif
