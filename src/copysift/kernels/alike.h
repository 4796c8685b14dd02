/* Pairs of groups that are nearly the same.  reference/join.py is the definition.

   A pair that shares s hashes of n and m has the resemblance r = s / (n + m - s). It counts when r is at least `least`
   and s times the fifth power of r at least `founded`. As s is at most n, r is at least (founded / n)^(1/5) then, and s at
   least r n: so many of the n hashes are shared that one of the rarest others is. Only on those are later groups looked
   for, and what two groups share is counted from their two rows. */

#ifndef COPYSIFT_ALIKE_H
#define COPYSIFT_ALIKE_H

#include <math.h>

#include "pairs.h"

/* Number the hashes from the rarest on (of equal ones the first), and give the numbers of each group, ascending.
   `starts` has n_groups + 2 places of work space. */
static void alike_rows(const int64_t *offsets, const uint32_t *groups, size_t n_hashes, size_t n_groups,
                       uint32_t *order, int64_t *row_offsets, uint32_t *ranks, int64_t *starts) {
    memset(starts, 0, (n_groups + 2) * sizeof *starts);
    for (size_t h = 0; h < n_hashes; h++) starts[offsets[h + 1] - offsets[h] + 1]++;
    for (size_t d = 1; d < n_groups + 2; d++) starts[d] += starts[d - 1];
    for (size_t h = 0; h < n_hashes; h++) order[starts[offsets[h + 1] - offsets[h]]++] = (uint32_t)h;
    memset(row_offsets, 0, (n_groups + 1) * sizeof *row_offsets);
    for (int64_t p = 0; p < offsets[n_hashes]; p++) row_offsets[groups[p] + 1]++;
    for (size_t g = 0; g < n_groups; g++) row_offsets[g + 1] += row_offsets[g];
    for (size_t rank = 0; rank < n_hashes; rank++)
        for (int64_t p = offsets[order[rank]]; p < offsets[order[rank] + 1]; p++)
            ranks[row_offsets[groups[p]]++] = (uint32_t)rank;
    for (size_t g = n_groups; g > 0; g--) row_offsets[g] = row_offsets[g - 1];
    row_offsets[0] = 0;
}

typedef struct {
    join_list list; /* its rows have the numbers of alike_rows */
    const uint32_t *order, *sizes, *side, *kin;
    size_t n_groups;
    double founded, least;
    size_t most; /* pairs after which no further row is begun; 0: all rows are taken */
} alike_job;

static int alike_enough(const alike_job *job, double shared, double resemblance) {
    double square = resemblance * resemblance;
    return resemblance >= job->least && shared * (square * square * resemblance) >= job->founded;
}

/* How many of its hashes a group shares at least with one that it is alike to. */
static int64_t alike_needed(const alike_job *job, uint32_t size) {
    double least = size ? pow(job->founded / size, 0.2) : 2;
    if (least < job->least) least = job->least;
    return (int64_t)ceil(least * size * (1 - 1e-9));
}

/* What two groups share, or 0 when each has so many hashes that the other has not that it cannot be enough. */
static uint32_t alike_shared(const alike_job *job, uint32_t a, uint32_t b, int64_t needed, double *weight) {
    const join_list *list = &job->list;
    const uint32_t *x = list->row_hashes + list->row_offsets[a], *y = list->row_hashes + list->row_offsets[b];
    const uint32_t *x_end = list->row_hashes + list->row_offsets[a + 1], *y_end = list->row_hashes + list->row_offsets[b + 1];
    int64_t x_spare = x_end - x - needed, y_spare = y_end - y - needed;
    uint32_t shared = 0;
    *weight = 0;
    while (x < x_end && y < y_end) {
        if (*x == *y) {
            shared++;
            *weight += list->weights[job->order[*x++]];
            y++;
        } else if (*x < *y) {
            if (--x_spare < 0) return 0;
            x++;
        } else {
            if (--y_spare < 0) return 0;
            y++;
        }
    }
    return shared;
}

static int alike_labelled(const uint32_t *labels, uint32_t a, uint32_t b) {
    return labels[a] && labels[a] == labels[b];
}

/* Look at two groups; 0: out of memory. */
static int alike_pair(const alike_job *job, uint32_t a, uint32_t b, join_pairs *out) {
    double n = job->sizes[a], m = job->sizes[b], weight;
    if (n > m ? !alike_enough(job, m, m / n) : !alike_enough(job, n, n / m)) return 1;
    if (alike_labelled(job->side, a, b) || alike_labelled(job->kin, a, b)) return 1;
    int64_t ours = alike_needed(job, job->sizes[a]), theirs = alike_needed(job, job->sizes[b]);
    uint32_t shared = alike_shared(job, a, b, ours > theirs ? ours : theirs, &weight);
    if (!shared || !alike_enough(job, shared, shared / (n + m - shared))) return 1;
    join_pair pair = {a, b, shared, join_share(weight, join_least(job->list.totals, a, b))};
    return join_push(out, pair);
}

/* How many of the rarest hashes of a group are looked at: one at least of those is in any group that it is alike to. */
static int64_t alike_looked_at(const alike_job *job, uint32_t a) {
    int64_t held = job->list.row_offsets[a + 1] - job->list.row_offsets[a];
    int64_t most = held - alike_needed(job, job->sizes[a]) + 1;
    return most < held ? most : held;
}

/* Add the pairs of row a. `last` has one past the last number that is looked at of each group. */
static int alike_row(const alike_job *job, uint32_t a, const uint32_t *last, uint32_t *seen, join_pairs *out) {
    const join_list *list = &job->list;
    for (int64_t r = list->row_offsets[a]; r < list->row_offsets[a + 1] && list->row_hashes[r] < last[a]; r++) {
        uint32_t rank = list->row_hashes[r], h = job->order[rank];
        for (int64_t p = list->offsets[h + 1]; p-- > list->offsets[h] && list->groups[p] > a;) {
            uint32_t b = list->groups[p];
            if (rank >= last[b] || seen[b] == a + 1) continue;
            seen[b] = a + 1;
            if (!alike_pair(job, a, b, out)) return 0;
        }
    }
    return 1;
}

/* Add the pairs of the rows first .. end-1; 0: out of memory. */
static int alike_pairs(const alike_job *job, uint32_t first, uint32_t end, join_pairs *out) {
    uint32_t *seen = calloc(job->n_groups + 1, sizeof *seen); /* the last row that has met a group, plus one */
    uint32_t *last = calloc(job->n_groups + 1, sizeof *last);
    int fits = seen && last;
    for (uint32_t g = first; fits && g < job->n_groups; g++) {
        int64_t count = alike_looked_at(job, g);
        if (count > 0) last[g] = job->list.row_hashes[job->list.row_offsets[g] + count - 1] + 1;
    }
    for (uint32_t a = first; fits && a < end && (!job->most || out->n < job->most); a++) {
        size_t before = out->n;
        fits = alike_row(job, a, last, seen, out);
        if (out->n - before > 1) qsort(out->pairs + before, out->n - before, sizeof *out->pairs, join_compare_right);
    }
    free(seen);
    free(last);
    return fits;
}

#endif
