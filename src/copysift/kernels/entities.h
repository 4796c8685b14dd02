/* The named character references of HTML, looked up by name. */
#ifndef COPYSIFT_ENTITIES_H
#define COPYSIFT_ENTITIES_H

#include <string.h>

#include "entity_tables.h"

/* The references of up to eight bytes as numbers, hashed; the others are found by bisection. */
enum { SHORT_ENTITIES = 8192 };
static uint16_t entity_slots[SHORT_ENTITIES]; /* an index and 1; 0: empty */

static inline uint64_t entity_key(const uint8_t *name, size_t length) {
    uint64_t key = 0;
    for (size_t i = 0; i < length; i++) key |= (uint64_t)name[i] << 8 * i;
    return key;
}

static inline unsigned entity_slot(uint64_t key) { return (unsigned)(key * 0x9E3779B97F4A7C15ULL >> 51); }

static void entity_init(void) {
    memset(entity_slots, 0, sizeof entity_slots);
    for (unsigned i = 0; i < ENTITIES; i++) {
        size_t length = (size_t)(ENTITY_NAME_AT[i + 1] - ENTITY_NAME_AT[i]);
        if (length > 8) continue;
        unsigned slot = entity_slot(entity_key((const uint8_t *)ENTITY_NAMES + ENTITY_NAME_AT[i], length));
        while (entity_slots[slot]) slot = (slot + 1) % SHORT_ENTITIES;
        entity_slots[slot] = (uint16_t)(i + 1);
    }
}

static int find_short_entity(const uint8_t *name, size_t length) {
    for (unsigned slot = entity_slot(entity_key(name, length)); entity_slots[slot]; slot = (slot + 1) % SHORT_ENTITIES) {
        unsigned i = entity_slots[slot] - 1u;
        size_t size = (size_t)(ENTITY_NAME_AT[i + 1] - ENTITY_NAME_AT[i]);
        if (size == length && !memcmp(name, ENTITY_NAMES + ENTITY_NAME_AT[i], size)) return (int)i;
    }
    return -1;
}

/* Index of a name among the references; -1 if it is none. */
static int find_entity(const uint8_t *name, size_t length) {
    if (length <= 8) return find_short_entity(name, length);
    int low = 0, high = ENTITIES - 1;
    while (low <= high) {
        int mid = (low + high) / 2;
        size_t size = (size_t)(ENTITY_NAME_AT[mid + 1] - ENTITY_NAME_AT[mid]);
        int order = memcmp(name, ENTITY_NAMES + ENTITY_NAME_AT[mid], size < length ? size : length);
        if (!order && size == length) return mid;
        if (order > 0 || (!order && length > size)) low = mid + 1;
        else high = mid - 1;
    }
    return -1;
}

#endif
