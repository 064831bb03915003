/* Which slots of which nodes: sets of nodes and patterns made of them, each written once; and the words on the wires. */
#include "record_private.h"

#define WORD_BITS 64u

static uint32_t words_of(const struct cm_recorder *r)
{
    return (r->nodes + WORD_BITS - 1) / WORD_BITS;
}

/* A 64 x 64 bit matrix turned about its diagonal (Hacker's Delight 7-3). */
static void transpose(uint64_t rows[WORD_BITS])
{
    uint64_t mask = UINT64_C(0x00000000ffffffff);
    for (uint32_t width = 32; width != 0; width >>= 1, mask ^= mask << width)
        for (uint32_t k = 0; k < WORD_BITS; k = (k + width + 1) & ~width) {
            uint64_t swap = (rows[k] >> width ^ rows[k + width]) & mask;
            rows[k] ^= swap << width;
            rows[k + width] ^= swap;
        }
}

/* From slots by node to nodes by slot; returns the slots in use. */
static uint64_t turn(struct cm_recorder *r)
{
    uint64_t used = 0;
    uint32_t words = words_of(r);
    for (uint32_t w = 0; w < words; w++) {
        uint64_t rows[WORD_BITS] = {0};
        uint32_t count =
            r->nodes - w * WORD_BITS < WORD_BITS ? r->nodes - w * WORD_BITS : WORD_BITS;
        memcpy(rows, r->masks + (size_t)w * WORD_BITS, count * sizeof *rows);
        for (uint32_t i = 0; i < count; i++)
            used |= rows[i];
        transpose(rows);
        for (uint32_t slot = 0; slot < r->slots; slot++)
            r->slot_nodes[(size_t)slot * words + w] = rows[slot];
    }
    return used;
}

static bool bit_of(const uint64_t *set, uint32_t node)
{
    return set[node / WORD_BITS] >> node % WORD_BITS & 1;
}

static bool has_all(const struct cm_recorder *r, const uint64_t *set)
{
    uint32_t words = words_of(r);
    uint64_t last = r->nodes % WORD_BITS == 0 ? UINT64_MAX : (UINT64_C(1) << r->nodes) - 1;
    for (uint32_t w = 0; w + 1 < words; w++)
        if (set[w] != UINT64_MAX)
            return false;
    return set[words - 1] == last;
}

/* Nodes that alternate in runs are written as lengths of runs, others bit by bit. */
static void define_set(struct cm_recorder *r, const uint64_t *set)
{
    struct cm_bytes runs = {0};
    uint32_t bytes = (r->nodes + 7) / 8, count = 0, first = 0;
    bool bit = false;
    for (uint32_t node = 0; node < r->nodes && runs.length < bytes; node++)
        if (bit_of(set, node) != bit) {
            cm_put(&runs, node - first);
            first = node;
            bit = !bit;
            count++;
        }
    cm_put_byte(&r->definitions, CM_DEFINE_SET);
    if (runs.length < bytes && !runs.failed) {
        cm_put_byte(&r->definitions, 1);
        cm_put(&r->definitions, count);
        cm_put_raw(&r->definitions, runs.data, runs.length);
    } else {
        cm_put_byte(&r->definitions, 0);
        for (uint32_t b = 0; b < bytes; b++)
            cm_put_byte(&r->definitions, set[b / 8] >> 8 * (b % 8) & 0xff);
    }
    cm_bytes_finish(&runs);
}

/* Number of a set of nodes + 1; 0: all nodes. UINT32_MAX: out of memory. */
static uint32_t set_of(struct cm_recorder *r, const uint64_t *set)
{
    bool is_new;
    if (has_all(r, set))
        return 0;
    uint32_t number = cm_numbers_of(&r->set_numbers, set, words_of(r) * sizeof *set, &is_new);
    if (number == UINT32_MAX)
        return UINT32_MAX;
    if (is_new)
        define_set(r, set);
    return number + 1;
}

static uint32_t pattern_of_masks(struct cm_recorder *r)
{
    struct cm_bytes content = {0};
    bool is_new = false;
    uint32_t number = UINT32_MAX;
    uint64_t used = turn(r);
    cm_put(&content, (uint64_t)__builtin_popcountll(used));
    for (uint64_t left = used; left; left &= left - 1) {
        uint32_t slot = (uint32_t)__builtin_ctzll(left);
        uint32_t set = set_of(r, r->slot_nodes + (size_t)slot * words_of(r));
        if (set == UINT32_MAX)
            content.failed = true;
        cm_put(&content, slot);
        cm_put(&content, set);
    }
    if (!content.failed)
        number = cm_numbers_of(&r->pattern_numbers, content.data, content.length, &is_new);
    if (is_new) {
        cm_put_byte(&r->definitions, CM_DEFINE_PATTERN);
        cm_put_raw(&r->definitions, content.data, content.length);
    }
    cm_bytes_finish(&content);
    if (number != UINT32_MAX)
        return number + 1;
    cm_recorder_fail(r);
    return 0;
}

static bool map_room(struct cm_pattern_map *map, uint32_t number)
{
    uint32_t capacity = map->capacity == 0 ? 64 : map->capacity;
    while (capacity <= number)
        capacity *= 2;
    uint32_t *larger = realloc(map->patterns, capacity * sizeof *larger);
    if (larger == NULL)
        return false;
    memset(larger + map->capacity, 0, (capacity - map->capacity) * sizeof *larger);
    *map = (struct cm_pattern_map){larger, capacity};
    return true;
}

static void forget(struct cm_recorder *r, uint32_t generation)
{
    if (r->ways.capacity > 0)
        memset(r->ways.patterns, 0, r->ways.capacity * sizeof *r->ways.patterns);
    if (r->pending.capacity > 0)
        memset(r->pending.patterns, 0, r->pending.capacity * sizeof *r->pending.patterns);
    r->generation = generation;
}

uint32_t cm_recorder_new_pattern(struct cm_recorder *r, const struct cm_observed_issue *issue)
{
    uint32_t *place = NULL;
    if (issue->generation != r->generation)
        forget(r, issue->generation);
    if (issue->slots == CM_SLOTS_ONE) {
        place = &r->slot_patterns[issue->number];
    } else {
        struct cm_pattern_map *map = issue->slots == CM_SLOTS_WAY ? &r->ways : &r->pending;
        if (issue->number >= map->capacity && !map_room(map, issue->number)) {
            cm_recorder_fail(r);
            return 0;
        }
        place = &map->patterns[issue->number];
        if (*place != 0)
            return *place;
    }
    cm_machine_observed_slots(r->machine, issue->slots, issue->number, r->masks);
    *place = pattern_of_masks(r);
    return *place;
}

void cm_recorder_record_wires(struct cm_recorder *r, const struct cm_observed_issue *issue,
                              uint32_t pattern)
{
    struct cm_bytes *payload = &r->payload;
    cm_recorder_define(r);
    payload->length = 0;
    cm_put(payload, issue->first_cycle);
    cm_put(payload, pattern);
    cm_machine_observed_slots(r->machine, issue->slots, issue->number, r->masks);
    for (uint32_t node = 0; node < r->nodes; node++)
        for (uint32_t d = 0; d < r->dimensions; d++)
            for (uint32_t c = 0; c < r->channels; c++) {
                uint32_t slot = cm_slot_of_channel(r->slots, d, c);
                if (r->masks[node] >> slot & 1)
                    cm_put_u32(payload, issue->wires[(size_t)slot * r->nodes + node]);
            }
    r->wires++;
    cm_recorder_block(r, CM_BLOCK_WIRES, payload);
}
