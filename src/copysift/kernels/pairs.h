/* Candidate pairs of a sort-join: rows of hashes, and the pairs of a row that reach the threshold.

   Beside the list of hashes there may be two more lists over the same groups. Then the similarity of a
   pair is the largest of three shares, those of the first list, of the first and second together, and of
   the third, and a small part of it depends on how much of the third list the two have in common. */

#ifndef COPYSIFT_PAIRS_H
#define COPYSIFT_PAIRS_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows: which hashes a group holds, by a counting transposition ---- */

static void join_transpose(const int64_t *offsets, const uint32_t *groups, size_t n_hashes,
                           size_t n_groups, int64_t *row_offsets, uint32_t *row_hashes) {
    memset(row_offsets, 0, (n_groups + 1) * sizeof *row_offsets);
    for (int64_t p = 0; p < offsets[n_hashes]; p++) row_offsets[groups[p] + 1]++;
    for (size_t g = 0; g < n_groups; g++) row_offsets[g + 1] += row_offsets[g];
    for (size_t h = 0; h < n_hashes; h++)
        for (int64_t p = offsets[h]; p < offsets[h + 1]; p++)
            row_hashes[row_offsets[groups[p]]++] = (uint32_t)h;
    for (size_t g = n_groups; g > 0; g--) row_offsets[g] = row_offsets[g - 1];
    row_offsets[0] = 0;
}

/* ---- candidates: pairs of a row that reach the threshold ---- */

enum { JOIN_SHARED, JOIN_RESEMBLANCE, JOIN_CONTAINMENT, JOIN_SIMILARITY };

typedef struct {
    uint32_t left, right, shared;
    double similarity;
} join_pair;

typedef struct {
    join_pair *pairs;
    size_t n, room;
} join_pairs;

typedef struct {
    double weight;
    uint32_t shared;
} join_cell;

typedef struct {
    const int64_t *offsets;
    const uint32_t *groups;
    const int64_t *row_offsets;
    const uint32_t *row_hashes;
    const float *weights; /* of each hash */
    const double *totals;
} join_list;

typedef struct {
    join_list list, added, apart;
    const uint32_t *sizes;
    const uint32_t *side; /* equal labels other than 0 are never compared */
    const uint32_t *kin;  /* a second such label */
    size_t n_groups;
    int measure;
    double threshold;
    uint32_t min_shared;
    int more;             /* whether there are the lists `added` and `apart` */
    double verbatim;      /* of the similarity depends on what is shared of `apart` */
    double founded;       /* shared hashes times resemblance that a pair needs at least, or `plenty` hashes */
    uint32_t plenty;
    double likeness;      /* similarity of the first list that a pair needs, whatever the measure */
    size_t most;          /* pairs after which no further row is begun; 0: all rows are taken */
} join_job;

typedef struct {
    join_cell *cells;
    uint32_t *touched;
    size_t n;
} join_tally;

static int join_push(join_pairs *out, join_pair pair) {
    if (out->n == out->room) {
        size_t room = out->room ? out->room + out->room / 2 : 256;
        join_pair *pairs = realloc(out->pairs, room * sizeof *pairs);
        if (!pairs) return 0;
        out->pairs = pairs;
        out->room = room;
    }
    out->pairs[out->n++] = pair;
    return 1;
}

static double join_least(const double *totals, uint32_t a, uint32_t b) {
    return totals[a] < totals[b] ? totals[a] : totals[b];
}

static double join_share(double part, double whole) {
    if (whole <= 0) return 0;
    return part < whole ? part / whole : 1;
}

/* The similarity of two groups; what they share of the other lists stands in cells that may be 0. */
static double join_similarity(const join_job *job, uint32_t a, uint32_t b, double weight,
                              const join_tally *added, const join_tally *apart) {
    double least = join_least(job->list.totals, a, b);
    double best = join_share(weight, least);
    if (!job->more) return best;
    double pooled_a = job->list.totals[a] + job->added.totals[a];
    double pooled_b = job->list.totals[b] + job->added.totals[b];
    double share = join_share(weight + added->cells[b].weight, pooled_a < pooled_b ? pooled_a : pooled_b);
    if (share > best) best = share;
    double both = apart->cells[b].weight;
    share = join_share(both, join_least(job->apart.totals, a, b));
    if (share > best) best = share;
    double together = job->apart.totals[a] + job->apart.totals[b] - both;
    double same = together > 0 ? join_share(both, together) : 1;
    return best * (1 - job->verbatim + job->verbatim * same);
}

static double join_measure(const join_job *job, uint32_t a, uint32_t b, uint32_t shared, double similarity) {
    double left = job->sizes[a], right = job->sizes[b];
    switch (job->measure) {
    case JOIN_RESEMBLANCE: return shared / (left + right - shared);
    case JOIN_CONTAINMENT: return shared / (left < right ? left : right);
    case JOIN_SIMILARITY: return similarity;
    default: return shared;
    }
}

static int join_may(const join_job *job, uint32_t a, uint32_t b, uint32_t shared) {
    uint32_t most = job->sizes[a] > job->sizes[b] ? job->sizes[a] : job->sizes[b];
    if (shared < (job->min_shared < most ? job->min_shared : most)) return 0;
    if (job->founded > 0 && shared < job->plenty) {
        double s = shared;
        if (s * s < job->founded * ((double)job->sizes[a] + job->sizes[b] - s)) return 0;
    }
    if (job->side[a] && job->side[a] == job->side[b]) return 0;
    return !(job->kin[a] && job->kin[a] == job->kin[b]);
}

static int join_compare_right(const void *a, const void *b) {
    uint32_t x = ((const join_pair *)a)->right, y = ((const join_pair *)b)->right;
    return (x > y) - (x < y);
}

/* Count every later group on the postings of a's hashes. */
static void join_tell(const join_list *list, uint32_t a, join_tally *tally) {
    join_cell *cells = tally->cells;
    size_t n = 0;
    for (int64_t r = list->row_offsets[a]; r < list->row_offsets[a + 1]; r++) {
        uint32_t h = list->row_hashes[r];
        int64_t start = list->offsets[h], p = list->offsets[h + 1];
        double weight = list->weights[h];
        while (p-- > start && list->groups[p] > a) { /* ascending, so the later ones stand last */
            join_cell *cell = &cells[list->groups[p]];
            if (!cell->shared++) tally->touched[n++] = list->groups[p];
            cell->weight += weight;
        }
    }
    tally->n = n;
}

static void join_forget(join_tally *tally) {
    for (size_t t = 0; t < tally->n; t++) {
        tally->cells[tally->touched[t]].shared = 0;
        tally->cells[tally->touched[t]].weight = 0;
    }
}

/* Add row a: keep the pairs that pass. */
static int join_row(const join_job *job, uint32_t a, join_tally tallies[3], join_pairs *out) {
    size_t first = out->n;
    int fits = 1;
    join_tell(&job->list, a, &tallies[0]);
    if (job->more && tallies[0].n) {
        join_tell(&job->added, a, &tallies[1]);
        join_tell(&job->apart, a, &tallies[2]);
    }
    for (size_t t = 0; fits && t < tallies[0].n; t++) {
        uint32_t b = tallies[0].touched[t], shared = tallies[0].cells[b].shared;
        if (!join_may(job, a, b, shared)) continue;
        double weight = tallies[0].cells[b].weight;
        if (job->likeness > 0 && join_share(weight, join_least(job->list.totals, a, b)) < job->likeness) continue;
        join_pair pair = {a, b, shared, join_similarity(job, a, b, weight, &tallies[1], &tallies[2])};
        if (join_measure(job, a, b, shared, pair.similarity) >= job->threshold) fits = join_push(out, pair);
    }
    for (int list = 0; list < (job->more ? 3 : 1); list++) {
        join_forget(&tallies[list]);
        tallies[list].n = 0;
    }
    if (out->n - first > 1)
        qsort(out->pairs + first, out->n - first, sizeof *out->pairs, join_compare_right);
    return fits;
}

static int join_rows(const join_job *job, uint32_t first, uint32_t last, join_pairs *out) {
    size_t room = job->n_groups ? job->n_groups : 1;
    join_tally tallies[3] = {{0}};
    int fits = 1;
    for (int list = 0; list < (job->more ? 3 : 1); list++) {
        tallies[list].cells = calloc(room, sizeof(join_cell));
        tallies[list].touched = malloc(room * sizeof(uint32_t));
        fits &= tallies[list].cells && tallies[list].touched;
    }
    for (uint32_t a = first; fits && a < last && (!job->most || out->n < job->most); a++)
        fits = join_row(job, a, tallies, out);
    for (int list = 0; list < 3; list++) {
        free(tallies[list].cells);
        free(tallies[list].touched);
    }
    return fits;
}

#endif
