/*
 * The automaton of loads between exchanges, and the channel counts that follow from it. The idea is
 * in channels.h.
 */
#include "channels_private.h"

#include "../../base/list.h"
#include "../../base/random.h"

#include <stdlib.h>
#include <string.h>

#define NONE   UINT32_MAX
#define DIRECT UINT64_MAX /* address of a key that names one slot for all nodes */
/* Largest number of states. An exchange that finds more states clears the automaton. */
#define STATES_MAX (1u << 16)

static void free_key(struct cm_channels_key *key)
{
    free(key->slots);
    free(key->present);
}

static uint32_t hash_slot(const struct cm_channels *channels, uint64_t address, uint32_t field,
                          uint32_t half)
{
    uint64_t mixed = (address * 8 + field * 2 + half) * CM_GOLDEN_RATIO;
    return (uint32_t)(mixed >> 32) & (channels->key_index_size - 1);
}

/* Returns the entry of a key in the hash table, or the empty entry where the key belongs. */
static uint32_t *index_place(const struct cm_channels *channels, uint64_t address, uint32_t field,
                             uint32_t half)
{
    uint32_t at = hash_slot(channels, address, field, half);
    for (;;) {
        uint32_t number = channels->key_index[at];
        const struct cm_channels_key *key = number ? &channels->keys[number - 1] : NULL;
        if (!key || (key->address == address && key->field == field && key->half == half))
            return &channels->key_index[at];
        at = (at + 1) & (channels->key_index_size - 1);
    }
}

static bool index_grow(struct cm_channels *channels)
{
    if (channels->key_index && channels->key_count * 2 < channels->key_index_size)
        return true;
    uint32_t size = channels->key_index_size ? channels->key_index_size * 2 : 64;
    uint32_t *larger = calloc(size, sizeof *larger);
    if (!larger)
        return false;
    free(channels->key_index);
    channels->key_index = larger;
    channels->key_index_size = size;
    for (uint32_t i = 0; i < channels->key_count; i++) {
        const struct cm_channels_key *key = &channels->keys[i];
        *index_place(channels, key->address, key->field, key->half) = i + 1;
    }
    return true;
}

static void forget(struct cm_channels *channels)
{
    for (uint32_t i = 0; i < channels->key_count; i++)
        free_key(&channels->keys[i]);
    channels->key_count = 0;
    if (channels->key_index)
        memset(channels->key_index, 0, channels->key_index_size * sizeof *channels->key_index);
    channels->states[CM_CHANNELS_ROOT] = (struct cm_channels_state){
        .parent = NONE, .key = NONE, .first_child = NONE, .next_sibling = NONE};
    channels->state_count = 1;
    channels->current = CM_CHANNELS_ROOT;
    channels->table_first = UINT64_MAX;
    channels->table_last = 0;
    channels->generation++;
    channels->pending_state = NONE;
}

uint64_t cm_channel_slots(uint32_t slots, uint32_t dimensions, uint32_t channels)
{
    uint64_t one_set = ((UINT64_C(1) << dimensions) - 1) << 1;
    return channels > 1 ? one_set | one_set << slots / 2 : one_set;
}

enum cm_status cm_channels_init(struct cm_channels *channels, const struct cm_memory *memory,
                                uint32_t slots, uint64_t channel_slots, struct cm_error *err)
{
    *channels = (struct cm_channels){.memory = memory,
                                     .nodes = memory->nodes,
                                     .last = memory->nodes,
                                     .slots = slots,
                                     .channel_slots = channel_slots};
    channels->pending = calloc(memory->nodes, sizeof *channels->pending);
    if (!channels->pending || !index_grow(channels) ||
        !cm_array_room(channels->states, 0, channels->state_capacity)) {
        cm_channels_finish(channels);
        return cm_error_no_memory(err);
    }
    forget(channels);
    return CM_OK;
}

void cm_channels_finish(struct cm_channels *channels)
{
    for (uint32_t i = 0; i < channels->key_count; i++)
        free_key(&channels->keys[i]);
    free(channels->keys);
    free(channels->key_index);
    free(channels->states);
    free(channels->carried);
    free(channels->pending);
    free(channels->channel_words);
    free(channels->marked_words);
    *channels = (struct cm_channels){0};
}

/* Combines a finding about this process's nodes with those of other processes, and records the
 * first fault. */
static enum cm_channels_status agree(struct cm_channels *channels,
                                     struct cm_channels_finding *finding)
{
    if (channels->agree && !channels->agree(channels->agree_context, finding))
        return CM_CHANNELS_LOST;
    if (finding->no_memory)
        return CM_CHANNELS_NO_MEMORY;
    if (finding->fault == CM_CHANNELS_NO_FAULT)
        return CM_CHANNELS_OK;
    channels->fault_node = (uint32_t)(finding->fault >> 8);
    channels->fault_slot = (uint32_t)(finding->fault & 0xffu);
    return CM_CHANNELS_CONFLICT;
}

static uint64_t fault_at(uint32_t node, uint32_t slot)
{
    return (uint64_t)node << 8 | slot;
}

/* Reads the slot that each of this process's nodes has in its communication table word. */
static void read_slots(const struct cm_channels *channels, struct cm_channels_key *key,
                       struct cm_channels_finding *finding)
{
    const struct cm_memory *memory = channels->memory;
    /* a word that is not reserved was never written, so it is 0 */
    const bool written = cm_memory_reserved(memory, key->address, 1);
    uint32_t other_set = key->half ? channels->slots / 2 : 0;
    for (uint32_t node = channels->first; node < channels->last; node++) {
        const uint32_t word = written ? *cm_memory_word(memory, node, key->address) : 0;
        uint32_t slot = (word >> (8 * key->field) & 0xffu) | other_set;
        if (slot >= channels->slots) {
            finding->fault = fault_at(node, slot);
            return;
        }
        key->slots[node] = (uint8_t)slot;
        key->present[node / CM_INDIRECT_BLOCK] |= UINT64_C(1) << slot;
        finding->slot_mask |= UINT64_C(1) << slot;
    }
}

/* Reads a communication table into a key. The arrays of the key have room for all nodes, but the
 * host backs only the part for this process's nodes. */
static enum cm_channels_status read_table(struct cm_channels *channels, struct cm_channels_key *key)
{
    struct cm_channels_finding finding = {.fault = CM_CHANNELS_NO_FAULT};
    key->slots = calloc(channels->nodes, 1);
    key->present = calloc(channels->nodes / CM_INDIRECT_BLOCK + 1, sizeof *key->present);
    finding.no_memory = !key->slots || !key->present;
    if (!finding.no_memory)
        read_slots(channels, key, &finding);
    enum cm_channels_status status = agree(channels, &finding);
    if (status != CM_CHANNELS_OK)
        return status == CM_CHANNELS_CONFLICT ? CM_CHANNELS_BAD_SLOT : status;
    key->slot_mask = finding.slot_mask;
    if (key->address < channels->table_first)
        channels->table_first = key->address;
    if (key->address > channels->table_last)
        channels->table_last = key->address;
    return CM_CHANNELS_OK;
}

static enum cm_channels_status add_key(struct cm_channels *channels, struct cm_channels_key key,
                                       uint32_t *number)
{
    enum cm_channels_status status = CM_CHANNELS_OK;
    if (!cm_array_room(channels->keys, channels->key_count, channels->key_capacity) ||
        !index_grow(channels))
        return CM_CHANNELS_NO_MEMORY;
    if (key.address == DIRECT)
        key.slot_mask = UINT64_C(1) << key.field;
    else
        status = read_table(channels, &key);
    if (status != CM_CHANNELS_OK) {
        free_key(&key);
        return status;
    }
    *number = channels->key_count++;
    channels->keys[*number] = key;
    *index_place(channels, key.address, key.field, key.half) = *number + 1;
    return CM_CHANNELS_OK;
}

bool cm_channels_known(const struct cm_channels *channels, uint64_t address, uint32_t field,
                       uint32_t half)
{
    return *index_place(channels, address, field, half) != 0;
}

enum cm_channels_status cm_channels_find(struct cm_channels *channels, uint64_t address,
                                         uint32_t field, uint32_t half, uint32_t *key)
{
    uint32_t number = *index_place(channels, address, field, half);
    if (number == 0)
        return add_key(channels,
                       (struct cm_channels_key){.address = address, .field = field, .half = half},
                       key);
    *key = number - 1;
    return CM_CHANNELS_OK;
}

enum cm_channels_status cm_channels_find_slot(struct cm_channels *channels, uint32_t slot,
                                              uint32_t *key)
{
    return cm_channels_find(channels, DIRECT, slot, 0, key);
}

struct cm_indirect cm_channels_indirect(const struct cm_channels *channels, uint32_t key)
{
    return (struct cm_indirect){.slots = channels->keys[key].slots,
                                .present = channels->keys[key].present};
}

static uint32_t slot_of(const struct cm_channels_key *key, uint32_t node)
{
    return key->slots ? key->slots[node] : key->field;
}

/* Sets channels->pending to the slots of transposer A that are loaded in each node in a state. */
static void replay(struct cm_channels *channels, uint32_t state)
{
    const uint32_t first = channels->first, last = channels->last;
    if (channels->pending_state == state)
        return;
    channels->pending_state = state;
    if (channels->carried)
        memcpy(channels->pending + first, channels->carried + first,
               (last - first) * sizeof *channels->pending);
    else
        memset(channels->pending + first, 0, (last - first) * sizeof *channels->pending);
    for (; state != CM_CHANNELS_ROOT; state = channels->states[state].parent) {
        const struct cm_channels_key *key = &channels->keys[channels->states[state].key];
        for (uint32_t node = first; node < last; node++)
            channels->pending[node] |= UINT64_C(1) << slot_of(key, node);
    }
}

/* Adds a load through a key to the loaded slots of each node. Records a fault if a node has loaded
 * the slot already. */
static void load_pending(struct cm_channels *channels, const struct cm_channels_key *key,
                         struct cm_channels_finding *finding)
{
    for (uint32_t node = channels->first; node < channels->last; node++) {
        uint64_t bit = UINT64_C(1) << slot_of(key, node);
        if (channels->pending[node] & bit) {
            finding->fault = fault_at(node, slot_of(key, node));
            return;
        }
        channels->pending[node] |= bit;
        finding->sent_words += (bit & channels->channel_slots) != 0;
    }
}

static enum cm_channels_status add_state(struct cm_channels *channels, uint32_t number)
{
    struct cm_channels_finding finding = {.fault = CM_CHANNELS_NO_FAULT};
    const struct cm_channels_key *key = &channels->keys[number];
    finding.no_memory =
        !cm_array_room(channels->states, channels->state_count, channels->state_capacity);
    struct cm_channels_state *parent = &channels->states[channels->current];
    replay(channels, channels->current);
    channels->pending_state = NONE; /* `pending` describes no state while the load is added to it */
    load_pending(channels, key, &finding);
    enum cm_channels_status status = agree(channels, &finding);
    if (status != CM_CHANNELS_OK)
        return status;
    channels->states[channels->state_count] = (struct cm_channels_state){
        .parent = channels->current,
        .key = number,
        .first_child = NONE,
        .next_sibling = parent->first_child,
        .sent_words = parent->sent_words + finding.sent_words,
        .slot_mask = parent->slot_mask | key->slot_mask,
    };
    parent->first_child = channels->state_count;
    channels->current = channels->pending_state = channels->state_count++;
    return CM_CHANNELS_OK;
}

enum cm_channels_status cm_channels_load(struct cm_channels *channels, uint32_t key)
{
    uint32_t child = channels->states[channels->current].first_child;
    while (child != NONE && channels->states[child].key != key)
        child = channels->states[child].next_sibling;
    if (child == NONE)
        return add_state(channels, key);
    channels->current = child;
    return CM_CHANNELS_OK;
}

uint64_t cm_channels_loaded_slots(const struct cm_channels *channels)
{
    return channels->states[channels->current].slot_mask;
}

uint32_t cm_channels_pending(const struct cm_channels *channels)
{
    return channels->current;
}

void cm_channels_slots_of(const struct cm_channels *channels, uint32_t key, uint64_t *slots)
{
    const struct cm_channels_key of = channels->keys[key];
    for (uint32_t node = channels->first; node < channels->last; node++)
        slots[node] = UINT64_C(1) << slot_of(&of, node);
}

void cm_channels_slot_of(const struct cm_channels *channels, uint32_t key, uint8_t *slot)
{
    const struct cm_channels_key *of = &channels->keys[key];
    uint32_t first = channels->first, count = channels->last - channels->first;
    if (of->slots)
        memcpy(slot + first, of->slots + first, count);
    else
        memset(slot + first, (int)of->field, count);
}

void cm_channels_slots_pending(struct cm_channels *channels, uint32_t state, uint64_t *slots)
{
    replay(channels, state);
    memcpy(slots + channels->first, channels->pending + channels->first,
           (channels->last - channels->first) * sizeof *slots);
}

bool cm_channels_last_load(const struct cm_channels *channels, uint32_t *state, uint32_t *number,
                           bool *direct)
{
    if (*state == CM_CHANNELS_ROOT)
        return false;
    const struct cm_channels_state *of = &channels->states[*state];
    const struct cm_channels_key *key = &channels->keys[of->key];
    *direct = key->slots == NULL;
    *number = *direct ? key->field : of->key;
    *state = of->parent;
    return true;
}

static bool have_channel_words(struct cm_channels *channels)
{
    if (!channels->channel_words)
        channels->channel_words =
            calloc((size_t)channels->slots * channels->nodes, sizeof *channels->channel_words);
    if (channels->marking && !channels->marked_words)
        channels->marked_words =
            calloc((size_t)channels->slots * channels->nodes, sizeof *channels->marked_words);
    return channels->channel_words != NULL && (!channels->marking || channels->marked_words);
}

/* Adds `exchanges` words to every slot that is loaded in a node (channels->pending), because each
 * exchange sends one word from each loaded slot. */
static void spread_pending(const struct cm_channels *channels, uint64_t *words, uint64_t exchanges)
{
    for (uint32_t node = channels->first; node < channels->last; node++)
        for (uint64_t left = channels->pending[node]; left; left &= left - 1) {
            uint32_t slot = (uint32_t)__builtin_ctzll(left);
            words[(size_t)slot * channels->nodes + node] += exchanges;
        }
}

/* Converts the exchanges that each state has counted to words of the channels. Returns false when
 * out of memory. */
static bool spread(struct cm_channels *channels)
{
    for (uint32_t i = 0; i < channels->state_count; i++) {
        struct cm_channels_state *state = &channels->states[i];
        if (state->exchanges == 0 || state->slot_mask == 0)
            continue;
        if (!have_channel_words(channels))
            return false;
        replay(channels, i);
        spread_pending(channels, channels->channel_words, state->exchanges);
        if (channels->marking)
            spread_pending(channels, channels->marked_words, state->exchanges - state->marked);
        state->exchanges = state->marked = 0;
    }
    return true;
}

enum cm_channels_status cm_channels_abandon(struct cm_channels *channels)
{
    channels->lost = !spread(channels) || channels->lost;
    free(channels->carried);
    channels->carried = NULL;
    forget(channels);
    return channels->lost ? CM_CHANNELS_NO_MEMORY : CM_CHANNELS_OK;
}

enum cm_channels_status cm_channels_exchange(struct cm_channels *channels, uint64_t *sent)
{
    struct cm_channels_state *state = &channels->states[channels->current];
    *sent += state->sent_words;
    state->exchanges++;
    channels->current = CM_CHANNELS_ROOT;
    if (channels->carried || channels->state_count > STATES_MAX)
        return cm_channels_abandon(channels);
    return CM_CHANNELS_OK;
}

/* Returns a copy of `count` bytes, or NULL when out of memory or if `bytes` is NULL. */
static void *copy_of(const void *bytes, size_t count)
{
    void *copy = bytes ? malloc(count) : NULL;
    if (copy)
        memcpy(copy, bytes, count);
    return copy;
}

/* Copies all keys. A key is in the list before its slots are copied, so that it is freed with the
 * other keys after an error. */
static bool copy_keys(struct cm_channels *to, const struct cm_channels *from)
{
    const size_t presents = from->nodes / CM_INDIRECT_BLOCK + 1;
    for (uint32_t i = 0; i < from->key_count; i++) {
        const struct cm_channels_key *other = &from->keys[i];
        if (!cm_array_room(to->keys, to->key_count, to->key_capacity))
            return false;
        struct cm_channels_key *key = &to->keys[to->key_count++];
        *key = *other;
        key->slots = copy_of(other->slots, from->nodes);
        key->present = copy_of(other->present, presents * sizeof *key->present);
        if ((other->slots && (!key->slots || !key->present)) || !index_grow(to))
            return false;
        *index_place(to, key->address, key->field, key->half) = to->key_count;
    }
    return true;
}

static bool copy_states(struct cm_channels *to, const struct cm_channels *from)
{
    for (to->state_count = 0; to->state_count < from->state_count; to->state_count++) {
        if (!cm_array_room(to->states, to->state_count, to->state_capacity))
            return false;
        to->states[to->state_count] = from->states[to->state_count];
        to->states[to->state_count].exchanges = to->states[to->state_count].marked = 0;
    }
    return true;
}

bool cm_channels_copy(struct cm_channels *to, const struct cm_channels *from)
{
    const bool carries = from->carried != NULL;
    forget(to);
    free(to->carried);
    to->carried = copy_of(from->carried, from->nodes * sizeof *from->carried);
    if (!copy_keys(to, from) || !copy_states(to, from) || (carries && !to->carried))
        return false;
    to->current = from->current;
    to->generation = from->generation;
    to->table_first = from->table_first;
    to->table_last = from->table_last;
    return true;
}

/* Clears the automaton, but keeps the slots that are loaded now: they become the loads of the new
 * root state. */
static enum cm_channels_status start_over(struct cm_channels *channels)
{
    if (!spread(channels))
        return CM_CHANNELS_NO_MEMORY;
    struct cm_channels_state now = channels->states[channels->current];
    if (channels->current != CM_CHANNELS_ROOT) {
        replay(channels, channels->current);
        if (!channels->carried)
            channels->carried = calloc(channels->nodes, sizeof *channels->carried);
        if (!channels->carried)
            return CM_CHANNELS_NO_MEMORY;
        memcpy(channels->carried + channels->first, channels->pending + channels->first,
               (channels->last - channels->first) * sizeof *channels->carried);
    }
    forget(channels);
    channels->states[CM_CHANNELS_ROOT].sent_words = now.sent_words;
    channels->states[CM_CHANNELS_ROOT].slot_mask = now.slot_mask;
    return CM_CHANNELS_OK;
}

enum cm_channels_status cm_channels_touch(struct cm_channels *channels, uint64_t address,
                                          uint64_t count)
{
    if (count == 0 || address > channels->table_last || address + count <= channels->table_first)
        return CM_CHANNELS_OK;
    for (uint32_t i = 0; i < channels->key_count; i++) {
        uint64_t table = channels->keys[i].address;
        if (table != DIRECT && table >= address && table - address < count)
            return start_over(channels);
    }
    return CM_CHANNELS_OK;
}

uint64_t *cm_channels_channel_words(struct cm_channels *channels)
{
    bool known = !channels->lost && spread(channels) && have_channel_words(channels);
    return known ? channels->channel_words : NULL;
}

void cm_channels_reset(struct cm_channels *channels)
{
    for (uint32_t i = 0; i < channels->state_count; i++)
        channels->states[i].exchanges = channels->states[i].marked = 0;
    channels->lost = false;
    if (channels->marking)
        cm_channels_mark(channels);
    for (size_t slot = 0; channels->channel_words && slot < channels->slots; slot++)
        memset(channels->channel_words + slot * channels->nodes + channels->first, 0,
               (channels->last - channels->first) * sizeof *channels->channel_words);
}
