/* Many texts at once: markup blanked where there is any, canonicalised, winnowed.  reference/batch.py is the
 * definition; here one work space serves all of them. */
#ifndef COPYSIFT_BATCH_H
#define COPYSIFT_BATCH_H

#include "markup.h"
#include "text.h"
#include "unicode_text.h"
#include "window.h"

typedef struct {
    cs_rule rule;
    cs_edition edition;
    cs_space narrow, wide;          /* of symbols of one byte, and of four */
    uint8_t *blanked, *symbols;     /* a text without its markup; its symbols when all are ASCII */
    uint32_t *from, *to;            /* character references of HTML, which nobody asks for here */
    uint64_t *masks, *hashes;
    uint32_t *ranks, *places;
    text_out points;                /* its symbols when they are not */
    size_t room;
} bt_space;

static void bt_free(bt_space *b) {
    cs_free_space(&b->narrow); cs_free_space(&b->wide);
    free(b->blanked); free(b->symbols); free(b->from); free(b->to); free(b->masks); free(b->hashes);
    free(b->ranks); free(b->places); free(b->points.symbols); free(b->points.masks); free(b->points.bounds);
    free(b->points.extra);
    memset(b, 0, sizeof *b);
}

/* Make a space for texts of up to `room` bytes; -1: out of memory. */
static int bt_make(bt_space *b, const cs_rule *rule, const cs_edition *edition, size_t room, int marked) {
    memset(b, 0, sizeof *b);
    b->rule = *rule;
    b->edition = *edition;
    b->room = room;
    b->symbols = (uint8_t *)malloc(room + 8);
    b->masks = (uint64_t *)malloc((room / 64 + 2) * 8);
    b->ranks = (uint32_t *)malloc((room / 64 + 2) * 4);
    b->places = (uint32_t *)malloc((room + room / 2 + 16) * 4);
    b->hashes = (uint64_t *)malloc((room + room / 2 + 16) * 8);
    if (marked) {
        b->blanked = (uint8_t *)malloc(room + 1);
        b->from = (uint32_t *)malloc((room / 3 + 2) * 4); /* a reference has three bytes at least */
        b->to = (uint32_t *)malloc((room / 3 + 2) * 4);
    }
    if (!b->symbols || !b->masks || !b->ranks || !b->places || !b->hashes ||
        (marked && (!b->blanked || !b->from || !b->to)) ||
        cs_make_space(&b->narrow, rule->k, rule->w, &rule->p, 1, rule->r > 0)) {
        bt_free(b);
        return -1;
    }
    return 0;
}

/* Letters outside ASCII are rare enough that their space is made when the first one comes. */
static int bt_widen(bt_space *b) {
    size_t groups = unicode_groups(b->room);
    if (b->points.symbols) return 0;
    b->points.symbols = (uint32_t *)malloc(unicode_room(b->room) * 4);
    b->points.masks = (uint64_t *)malloc(groups * 8);
    b->points.bounds = (uint64_t *)malloc(groups * 8);
    b->points.extra = (uint32_t *)malloc((b->room / 2 + 1) * 4);
    if (!b->points.symbols || !b->points.masks || !b->points.bounds || !b->points.extra) return -1;
    return cs_make_space(&b->wide, b->rule.k, b->rule.w, &b->rule.p, 4, b->rule.r > 0);
}

/* Winnow one text; its hashes stand in b->hashes. Gives their number; -1: out of memory. */
static int64_t bt_winnow(bt_space *b, const uint8_t *data, size_t n, int marked) {
    cs_symbols s = {b->symbols, 1};
    size_t count, k = b->rule.k;
    if (marked) {
        blanker m = {.data = data, .out = b->blanked, .n = n, .starts = b->from, .ends = b->to, .final = 1};
        text_markup(&m, 0);
        data = b->blanked;
        n = m.at;
    }
    if (text_plain(data, n, b->symbols, b->masks, b->ranks)) count = b->ranks[(n + 63) / 64];
    else {
        if (bt_widen(b)) return -1;
        b->points.count = b->points.extras = 0;
        memset(b->points.masks, 0, unicode_groups(n) * 8);
        memset(b->points.bounds, 0, unicode_groups(n) * 8);
        text_unicode(data, n, 1, &b->points);
        s.data = b->points.symbols;
        s.width = 4;
        count = b->points.count;
    }
    if (count < k) return 0;
    cs_space *x = s.width == 1 ? &b->narrow : &b->wide;
    return (int64_t)cs_winnow_in(x, s, count - k + 1, &b->rule, &b->edition, 0, 1, b->places, b->hashes);
}

#endif
