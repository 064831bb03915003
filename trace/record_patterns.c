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

static uint32_t nodes_of_word(const struct cm_recorder *r, uint32_t w)
{
    return r->nodes - w * WORD_BITS < WORD_BITS ? r->nodes - w * WORD_BITS : WORD_BITS;
}

/*
 * The word of nodes that `w` may be a copy of: nodes often do what those with another high bit of
 * their number do. Whoever asks compares; w: none.
 */
static uint32_t like_word(const struct cm_recorder *r, uint32_t w)
{
    return nodes_of_word(r, w) == WORD_BITS ? w & (w - 1) : w;
}

static void copy_word(struct cm_recorder *r, uint64_t used, uint32_t w, uint32_t like)
{
    uint32_t words = words_of(r);
    for (uint64_t left = used; left; left &= left - 1) {
        uint64_t *set = r->slot_nodes + (size_t)__builtin_ctzll(left) * words;
        set[w] = set[like];
    }
}

/* From the slots of each node, r->masks, to the nodes of each slot in use; returns these slots. */
static uint64_t turn_masks(struct cm_recorder *r)
{
    uint64_t used = 0;
    uint32_t words = words_of(r);
    for (uint32_t node = 0; node < r->nodes; node++)
        used |= r->masks[node];
    for (uint32_t w = 0; w < words; w++) {
        const uint64_t *masks = r->masks + (size_t)w * WORD_BITS;
        uint32_t count = nodes_of_word(r, w), like = like_word(r, w);
        if (like != w &&
            memcmp(masks, r->masks + (size_t)like * WORD_BITS, count * sizeof *masks) == 0) {
            copy_word(r, used, w, like);
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

/* Which of 64 bytes, all below 128, are `value`: a bit each. */
static uint64_t equal_bytes(const uint8_t *bytes, uint8_t value)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t found = 0;
    for (uint32_t i = 0; i < WORD_BITS / 8; i++) {
        uint64_t eight = 0;
        for (uint32_t k = 0; k < 8; k++)
            eight |= (uint64_t)bytes[8 * i + k] << 8 * k;
        uint64_t differ = (eight ^ ones * value) + ones * 0x7f; /* bit 7 of each byte */
        uint64_t same = ~differ >> 7 & ones;
        /* bit 8 k goes to 56 + k */
        found |= same * UINT64_C(0x0102040810204080) >> 56 << 8 * i;
    }
    return found;
}

/* Of a word of nodes; `used`: the slots found so far, whose nodes from here on are missing. */
static uint64_t turn_word(struct cm_recorder *r, uint64_t used, uint32_t w)
{
    const uint8_t *slots = r->slot_of_node + (size_t)w * WORD_BITS;
    uint32_t words = words_of(r), count = nodes_of_word(r, w);
    uint64_t nodes = count == WORD_BITS ? UINT64_MAX : (UINT64_C(1) << count) - 1;
    for (uint64_t left = nodes, same; left; left &= ~same) {
        uint8_t slot = slots[__builtin_ctzll(left)];
        uint64_t *set = r->slot_nodes + (size_t)slot * words;
        same = equal_bytes(slots, slot) & nodes;
        if ((used >> slot & 1) == 0)
            memset(set, 0, words * sizeof *set);
        set[w] = same;
        used |= UINT64_C(1) << slot;
    }
    return used;
}

/* From the slot of each node, r->slot_of_node, to the nodes of each slot. */
static uint64_t turn_slots(struct cm_recorder *r)
{
    uint64_t used = 0;
    uint32_t words = words_of(r);
    for (uint32_t w = 0; w < words; w++) {
        const uint8_t *slots = r->slot_of_node + (size_t)w * WORD_BITS;
        uint32_t like = like_word(r, w);
        if (like != w && memcmp(slots, r->slot_of_node + (size_t)like * WORD_BITS, WORD_BITS) == 0)
            copy_word(r, used, w, like);
        else
            used = turn_word(r, used, w);
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

static void put_bits(struct cm_recorder *r, const uint64_t *set, uint32_t bytes)
{
    cm_put_byte(&r->definitions, CM_DEFINE_SET);
    cm_put_byte(&r->definitions, 0);
    for (uint32_t first = 0; first < bytes; first += 8) {
        char eight[8];
        for (uint32_t b = 0; b < 8; b++)
            eight[b] = (char)(set[first / 8] >> 8 * b & 0xff);
        cm_buffer_append(&r->definitions, eight, bytes - first < 8 ? bytes - first : 8);
    }
}

static uint32_t count_runs(const struct cm_recorder *r, const uint64_t *set)
{
    uint32_t count = 0;
    uint64_t last = 0;
    for (uint32_t w = 0; w < words_of(r); w++) {
        count += (uint32_t)__builtin_popcountll(set[w] ^ (set[w] << 1 | last));
        last = set[w] >> (WORD_BITS - 1);
    }
    return count;
}

/* Nodes that alternate in runs are written as lengths of runs, others bit by bit. */
static void define_set(struct cm_recorder *r, const uint64_t *set)
{
    struct cm_buffer runs = {0};
    uint32_t bytes = (r->nodes + 7) / 8, count = 0, first = 0;
    uint64_t last = 0; /* the node before is in the set */
    if (count_runs(r, set) > bytes) {
        put_bits(r, set, bytes);
        return;
    }
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
    if (runs.length < bytes && !runs.failed) {
        cm_put_byte(&r->definitions, CM_DEFINE_SET);
        cm_put(&r->definitions, 1, count);
        cm_buffer_append(&r->definitions, runs.data, runs.length);
    } else {
        put_bits(r, set, bytes);
    }
    cm_buffer_finish(&runs);
}

/* Number of a set of nodes + 1; 0: all nodes. */
static uint32_t set_of(struct cm_recorder *r, uint64_t *set)
{
    const struct cm_buffer content = {.data = (char *)set, .length = words_of(r) * sizeof *set};
    uint32_t known = r->set_numbers.given.count;
    if (has_all(r, set))
        return 0;
    uint32_t number = cm_recorder_number(r, &r->set_numbers, 0, &content);
    if (number == known)
        define_set(r, set);
    return number + 1;
}

/* The pattern of these slots, each with its nodes of r->slot_nodes, or with all. */
static uint32_t pattern_of(struct cm_recorder *r, uint64_t used, bool all)
{
    struct cm_buffer content = {0};
    cm_put(&content, (uint64_t)__builtin_popcountll(used));
    for (uint64_t left = used; left; left &= left - 1) {
        uint32_t slot = (uint32_t)__builtin_ctzll(left);
        cm_put(&content, slot, all ? 0 : set_of(r, r->slot_nodes + (size_t)slot * words_of(r)));
    }
    uint32_t pattern = cm_recorder_number(r, &r->pattern_numbers, CM_DEFINE_PATTERN, &content) + 1;
    cm_buffer_finish(&content);
    return pattern;
}

uint32_t cm_recorder_new_pattern(struct cm_recorder *r, const struct cm_observed_issue *issue)
{
    if (issue->generation != r->generation) /* all is forgotten */
        r->ways.patterns.count = r->pending.patterns.count = 0;
    r->generation = issue->generation;
    if (issue->slots == CM_SLOTS_ONE) {
        r->slot_patterns[issue->number] = pattern_of(r, UINT64_C(1) << issue->number, true);
        return r->slot_patterns[issue->number];
    }
    struct cm_pattern_map *map = issue->slots == CM_SLOTS_TABLE ? &r->ways : &r->pending;
    if (!cm_list_extend(&map->patterns, (uint64_t)issue->number + 1)) {
        cm_recorder_fail(r);
        return 0;
    }
    uint32_t *pattern = &map->patterns.items[issue->number];
    if (*pattern == 0) {
        uint64_t used;
        if (issue->slots == CM_SLOTS_TABLE) {
            cm_machine_observed_table(r->machine, issue->number, r->slot_of_node);
            used = turn_slots(r);
        } else {
            cm_machine_observed_slots(r->machine, issue->slots, issue->number, r->masks);
            used = turn_masks(r);
        }
        *pattern = pattern_of(r, used, false);
    }
    return *pattern;
}

void cm_recorder_record_wires(struct cm_recorder *r, const struct cm_observed_issue *issue,
                              uint32_t pattern)
{
    struct cm_buffer *payload = &r->payload;
    cm_recorder_define(r);
    payload->length = 0;
    cm_put(payload, issue->first_cycle, pattern);
    cm_machine_observed_slots(r->machine, issue->slots, issue->number, r->masks);
    for (uint32_t node = 0; node < r->nodes; node++)
        for (uint32_t d = 0; d < r->dimensions; d++)
            for (uint32_t c = 0; c < r->channels; c++) {
                uint32_t slot = cm_slot_of_channel(r->slots, d, c);
                if (r->masks[node] >> slot & 1)
                    cm_put_u32(payload, *cm_planes_word(&issue->wires, slot, node));
            }
    r->wires++;
    cm_recorder_block(r, CM_BLOCK_WIRES, payload);
}
