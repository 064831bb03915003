/*
 * Recording of patterns. A pattern says for each slot which set of nodes uses the slot. Each set
 * and each pattern is written to the trace once. This file also records the words that an exchange
 * sends.
 *
 * The machine numbers its assignments of slots to nodes, and starts a new generation when it reuses
 * numbers. The recorder maps the machine's numbers of the current generation to patterns. So most
 * instructions find their pattern without looking at nodes.
 */
#include "record_private.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define WORD_BITS 64u

static uint32_t words_of(const struct cm_recorder *r)
{
    return (r->nodes + WORD_BITS - 1) / WORD_BITS;
}

static uint32_t nodes_of_word(const struct cm_recorder *r, uint32_t w)
{
    return r->nodes - w * WORD_BITS < WORD_BITS ? r->nodes - w * WORD_BITS : WORD_BITS;
}

/*
 * Returns the index of an earlier word of 64 nodes whose slots are probably the same as those of
 * word `w`, or `w` itself. Clearing the lowest 1 bit of the word's index gives the earlier word.
 * The caller compares the contents.
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

/* Compares 64 bytes below 128 with `value`. Returns a bit set with a 1 for each equal byte. */
static uint64_t equal_bytes(const uint8_t *bytes, uint8_t value)
{
    uint64_t found = 0;
#ifdef __SSE2__
    const __m128i wanted = _mm_set1_epi8((char)value);
    for (uint32_t i = 0; i < WORD_BITS / 16; i++) {
        __m128i sixteen = _mm_loadu_si128((const __m128i *)(const void *)(bytes + 16 * i));
        unsigned same = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(sixteen, wanted));
        found |= (uint64_t)same << 16 * i;
    }
#else
    const uint64_t ones = UINT64_C(0x0101010101010101);
    for (uint32_t i = 0; i < WORD_BITS / 8; i++) {
        uint64_t eight = 0;
        for (uint32_t k = 0; k < 8; k++)
            eight |= (uint64_t)bytes[8 * i + k] << 8 * k;
        /* bit 7 of each byte is 1 if the byte differs from `value` */
        uint64_t differ = (eight ^ ones * value) + ones * 0x7f;
        uint64_t same = ~differ >> 7 & ones;
        /* the product gathers bit 0 of byte k as bit k of its highest byte */
        found |= same * UINT64_C(0x0102040810204080) >> 56 << 8 * i;
    }
#endif
    return found;
}

/* Transposes one word of 64 nodes, from the slot of each node to the set of nodes of each slot.
 * `used` has the slots found in earlier words. Clears the sets of slots found for the first time.
 * Returns all slots found. */
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

/* Transposes r->slot_of_node (the slot of each node) into r->slot_nodes (the nodes of each slot).
 * Returns a bit set of the slots in use. */
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

/* Transposes r->masks (the slots of each node) into r->slot_nodes (the nodes of each slot). Returns
 * a bit set of the slots in use. */
static uint64_t turn_masks(struct cm_recorder *r)
{
    uint64_t used = 0;
    uint32_t words = words_of(r);
    memset(r->slot_nodes, 0, (size_t)r->slots * words * sizeof *r->slot_nodes);
    for (uint32_t node = 0; node < r->nodes; node++) {
        used |= r->masks[node];
        for (uint64_t left = r->masks[node]; left; left &= left - 1) {
            uint64_t *set = r->slot_nodes + (size_t)__builtin_ctzll(left) * words;
            set[node / WORD_BITS] |= UINT64_C(1) << node % WORD_BITS;
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

/* Writes a set of nodes as lengths of runs, or as a bit for each node if the runs take more
 * bytes. */
static void define_set(struct cm_recorder *r, const uint64_t *set)
{
    struct cm_buffer *runs = &r->text;
    uint32_t bytes = (r->nodes + 7) / 8, count = 0, first = 0;
    uint64_t last = 0; /* 1 if the previous node is in the set */
    if (count_runs(r, set) > bytes) {
        put_bits(r, set, bytes);
        return;
    }
    runs->length = 0;
    for (uint32_t w = 0; w < words_of(r) && runs->length < bytes; w++) {
        uint64_t changes = set[w] ^ (set[w] << 1 | last);
        last = set[w] >> (WORD_BITS - 1);
        for (; changes; changes &= changes - 1, count++) {
            uint32_t node = w * WORD_BITS + (uint32_t)__builtin_ctzll(changes);
            if (node >= r->nodes)
                break;
            cm_put(runs, node - first);
            first = node;
        }
    }
    if (runs->length < bytes && !runs->failed) {
        cm_put_byte(&r->definitions, CM_DEFINE_SET);
        cm_put(&r->definitions, 1, count);
        cm_put_bytes(&r->definitions, runs->data, runs->length);
    } else {
        put_bits(r, set, bytes);
    }
}

/* Returns the number + 1 of a set of nodes, or 0 for the set of all nodes. Writes a definition if
 * the set is new. */
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

/* Slots of a pattern under construction. `sets` has for each slot the number + 1 of the set of
 * nodes that use it, or 0 for all nodes. The sets of the slots in `unnumbered` have no number yet
 * and are in r->slot_nodes. */
struct slots {
    uint64_t used, unnumbered;
    uint32_t sets[CM_TRACE_SLOTS_MAX];
};

/* Adds the nodes of a set, given by its number + 1, to a slot. */
static void unite(struct cm_recorder *r, uint32_t slot, uint32_t number)
{
    const char *bits = r->set_numbers.contents.data + r->set_numbers.given.items[number - 1].at;
    uint64_t *set = r->slot_nodes + (size_t)slot * words_of(r);
    for (uint32_t w = 0; w < words_of(r); w++) {
        uint64_t word;
        memcpy(&word, bits + w * sizeof word, sizeof word);
        set[w] |= word;
    }
}

/* Adds the slots of a pattern, and the nodes that use them, to the pattern under construction. */
static void add_pattern(struct cm_recorder *r, uint32_t pattern, struct slots *slots)
{
    const struct cm_recorded_pattern of = r->patterns.items[pattern - 1];
    uint32_t at = of.first;
    for (uint64_t left = of.slots; left; left &= left - 1, at++) {
        const uint32_t slot = (uint32_t)__builtin_ctzll(left);
        const uint32_t set = r->pattern_sets.items[at], before = slots->sets[slot];
        if ((slots->used >> slot & 1) == 0) {
            slots->sets[slot] = set;
        } else if (set != 0 && before != 0) {
            if ((slots->unnumbered >> slot & 1) == 0) {
                memset(r->slot_nodes + (size_t)slot * words_of(r), 0,
                       words_of(r) * sizeof *r->slot_nodes);
                unite(r, slot, before);
            }
            unite(r, slot, set);
            slots->unnumbered |= UINT64_C(1) << slot;
        }
    }
    slots->used |= of.slots;
}

static_assert(CM_TRACE_SLOTS_MAX < 0x80, "slots are counted by a byte");

static uint32_t pattern_of(struct cm_recorder *r, struct slots *slots)
{
    char room[1 + CM_TRACE_SLOTS_MAX * (1 + CM_NUMBER_MAX_BYTES)], *at = room + 1;
    /* The number of slots and each slot number are less than 128, so each takes one byte. */
    room[0] = 0;
    for (uint64_t left = slots->used; left; left &= left - 1, room[0]++) {
        uint32_t slot = (uint32_t)__builtin_ctzll(left);
        if (slots->unnumbered >> slot & 1)
            slots->sets[slot] = set_of(r, r->slot_nodes + (size_t)slot * words_of(r));
        *at++ = (char)slot;
        at = cm_write_small(at, slots->sets[slot]);
    }
    const struct cm_buffer content = {.data = room, .length = (size_t)(at - room)};
    uint32_t pattern = cm_recorder_number(r, &r->pattern_numbers, CM_DEFINE_PATTERN, &content);
    if (pattern < r->patterns.count)
        return pattern + 1;
    struct cm_recorded_pattern made = {.slots = slots->used, .first = r->pattern_sets.count};
    bool stored = cm_list_push(&r->patterns, made);
    for (uint64_t left = slots->used; left && stored; left &= left - 1)
        stored = cm_list_push(&r->pattern_sets, slots->sets[__builtin_ctzll(left)]);
    if (!stored)
        cm_recorder_fail(r);
    return pattern + 1;
}

static uint32_t pattern_of_number(struct cm_recorder *r, enum cm_slots_kind kind, uint32_t number);

/* Adds the patterns of the loads since the last exchange, at most one load for each slot, to the
 * pattern under construction. Returns false if these loads do not determine the slots of the
 * exchange. */
static bool find_loads(struct cm_recorder *r, uint32_t state, struct slots *slots)
{
    uint32_t patterns[CM_TRACE_SLOTS_MAX], count = 0, number = 0;
    enum cm_slots_kind kind;
    while ((kind = cm_machine_observed_load(r->machine, &state, &number)) == CM_SLOTS_ONE ||
           kind == CM_SLOTS_TABLE)
        patterns[count++] = pattern_of_number(r, kind, number);
    for (uint32_t i = count; i > 0 && !r->failed; i--)
        add_pattern(r, patterns[i - 1], slots);
    return kind == CM_SLOTS_NONE;
}

static uint32_t new_pattern(struct cm_recorder *r, enum cm_slots_kind kind, uint32_t number)
{
    struct slots slots;
    slots.used = slots.unnumbered = 0;
    if (kind == CM_SLOTS_ONE) {
        slots.used = UINT64_C(1) << number;
        slots.sets[number] = 0;
    } else if (kind == CM_SLOTS_TABLE) {
        cm_machine_observed_table(r->machine, number, r->slot_of_node);
        slots.used = slots.unnumbered = turn_slots(r);
    } else if (!find_loads(r, number, &slots)) {
        cm_machine_observed_slots(r->machine, kind, number, r->masks);
        slots.used = slots.unnumbered = turn_masks(r);
    }
    return r->failed ? 0 : pattern_of(r, &slots);
}

/* Returns the trace's pattern for an assignment of slots to nodes. `kind` and `number` are the
 * machine's name of the assignment. */
static uint32_t pattern_of_number(struct cm_recorder *r, enum cm_slots_kind kind, uint32_t number)
{
    if (kind == CM_SLOTS_ONE) {
        if (r->slot_patterns[number] == CM_PATTERN_NOT_KNOWN)
            r->slot_patterns[number] = new_pattern(r, kind, number);
        return r->slot_patterns[number];
    }
    struct cm_pattern_map *map = kind == CM_SLOTS_TABLE ? &r->table_patterns : &r->pending;
    if (number < map->patterns.count && map->patterns.items[number] != 0)
        return map->patterns.items[number];
    uint32_t pattern = new_pattern(r, kind, number);
    if (!cm_list_extend(&map->patterns, (uint64_t)number + 1)) {
        cm_recorder_fail(r);
        return 0;
    }
    map->patterns.items[number] = pattern;
    return pattern;
}

void cm_recorder_find_pattern(struct cm_recorder *r, const struct cm_observed_issue *issue)
{
    /* in a new generation the machine uses its pattern numbers for other assignments */
    if (issue->generation != r->generation)
        r->table_patterns.patterns.count = r->pending.patterns.count = 0;
    r->generation = issue->generation;
    if (issue->slots != CM_SLOTS_NONE)
        (void)pattern_of_number(r, issue->slots, issue->number);
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
