/* Which slots of which nodes: sets of nodes and patterns made of them, each written once; and the
 * words on the wires. */
#include "record_private.h"

#define WORD_BITS 64u

static uint32_t words_of(const struct cm_recorder *r)
{
    return (r->nodes + WORD_BITS - 1) / WORD_BITS;
}

/*
 * A 64 x 64 bit matrix turned about its diagonal (Hacker's Delight 7-3). When no row uses its upper
 * half, the lower half of the rows is empty from the first round on, and stays so.
 */
static void transpose(uint64_t rows[WORD_BITS], bool narrow)
{
    uint64_t mask = UINT64_C(0x00000000ffffffff);
    uint32_t end = WORD_BITS;
    for (uint32_t width = 32; width != 0; width >>= 1, mask ^= mask << width) {
        for (uint32_t first = 0; first < end; first += 2 * width)
            for (uint32_t k = first; k < first + width; k++) {
                uint64_t swap = (rows[k] >> width ^ rows[k + width]) & mask;
                rows[k] ^= swap << width;
                rows[k + width] ^= swap;
            }
        end = narrow ? WORD_BITS / 2 : WORD_BITS;
    }
}

/*
 * From slots by node to nodes by slot, of the slots in use, which it returns. Nodes often do what
 * those with another high bit of their number do: such words are copied.
 */
static uint64_t turn(struct cm_recorder *r)
{
    uint64_t used = 0;
    uint32_t words = words_of(r);
    for (uint32_t node = 0; node < r->nodes; node++)
        used |= r->masks[node];
    for (uint32_t w = 0; w < words; w++) {
        const uint64_t *masks = r->masks + (size_t)w * WORD_BITS;
        uint32_t count =
            r->nodes - w * WORD_BITS < WORD_BITS ? r->nodes - w * WORD_BITS : WORD_BITS;
        uint32_t like = w & (w - 1); /* without its lowest bit */
        if (w > 0 && count == WORD_BITS &&
            memcmp(masks, r->masks + (size_t)like * WORD_BITS, count * sizeof *masks) == 0) {
            for (uint64_t left = used; left; left &= left - 1) {
                uint64_t *set = r->slot_nodes + (size_t)__builtin_ctzll(left) * words;
                set[w] = set[like];
            }
            continue;
        }
        uint64_t rows[WORD_BITS] = {0};
        memcpy(rows, masks, count * sizeof *rows);
        transpose(rows, used >> WORD_BITS / 2 == 0);
        for (uint64_t left = used; left; left &= left - 1) {
            uint32_t slot = (uint32_t)__builtin_ctzll(left);
            r->slot_nodes[(size_t)slot * words + w] = rows[slot];
        }
    }
    return used;
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
    uint64_t last = 0; /* the node before is in the set */
    for (uint32_t w = 0; w < words_of(r) && runs.length < bytes; w++) {
        uint64_t changes = set[w] ^ (set[w] << 1 | last);
        last = set[w] >> (WORD_BITS - 1);
        for (; changes; changes &= changes - 1, count++) {
            uint32_t node = w * WORD_BITS + (uint32_t)__builtin_ctzll(changes);
            if (node >= r->nodes)
                break;
            cm_put(&runs, node - first);
            first = node;
        }
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

/* The pattern that has `count` slots with their sets, as written in `content`. */
static uint32_t pattern_of(struct cm_recorder *r, const struct cm_bytes *content)
{
    bool is_new = false;
    uint32_t number = UINT32_MAX;
    if (!content->failed)
        number = cm_numbers_of(&r->pattern_numbers, content->data, content->length, &is_new);
    if (is_new) {
        cm_put_byte(&r->definitions, CM_DEFINE_PATTERN);
        cm_put_raw(&r->definitions, content->data, content->length);
    }
    if (number != UINT32_MAX)
        return number + 1;
    cm_recorder_fail(r);
    return 0;
}

static uint32_t pattern_of_slots(struct cm_recorder *r, uint64_t used)
{
    struct cm_bytes content = {0};
    cm_put(&content, (uint64_t)__builtin_popcountll(used));
    for (uint64_t left = used; left; left &= left - 1) {
        uint32_t slot = (uint32_t)__builtin_ctzll(left);
        uint32_t set = set_of(r, r->slot_nodes + (size_t)slot * words_of(r));
        if (set == UINT32_MAX)
            content.failed = true;
        cm_put(&content, slot);
        cm_put(&content, set);
    }
    uint32_t pattern = pattern_of(r, &content);
    cm_bytes_finish(&content);
    return pattern;
}

/* One slot, in every node. */
static uint32_t pattern_of_one(struct cm_recorder *r, uint32_t slot)
{
    unsigned char room[16];
    struct cm_bytes content = {.data = room, .capacity = sizeof room};
    cm_put_byte(&content, 1);
    cm_put_byte(&content, slot);
    cm_put_byte(&content, 0);
    return pattern_of(r, &content);
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
    if (issue->generation != r->generation)
        forget(r, issue->generation);
    if (issue->slots == CM_SLOTS_ONE) {
        r->slot_patterns[issue->number] = pattern_of_one(r, issue->number);
        return r->slot_patterns[issue->number];
    }
    bool way = issue->slots == CM_SLOTS_TABLE;
    struct cm_pattern_map *map = way ? &r->ways : &r->pending;
    if (issue->number >= map->capacity && !map_room(map, issue->number)) {
        cm_recorder_fail(r);
        return 0;
    }
    if (map->patterns[issue->number] == 0) {
        cm_machine_observed_slots(r->machine, issue->slots, issue->number, r->masks);
        map->patterns[issue->number] = pattern_of_slots(r, turn(r));
    }
    return map->patterns[issue->number];
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
