/* The automaton of loads between exchanges, and the channel counts that follow from it. */
#include "channels.h"

#include "../base/list.h"
#include "../base/random.h"

#include <stdlib.h>
#include <string.h>

#define ROOT       0u
#define NONE       UINT32_MAX
#define DIRECT     UINT64_MAX /* address of a key that names one slot */
#define STATES_MAX (1u << 16) /* beyond it the automaton starts over */

struct cm_channels_key {
    uint64_t address; /* of the table word, or DIRECT */
    uint32_t field;   /* of the table word; the slot when DIRECT */
    uint32_t half;
    uint8_t *slots;    /* a node each; NULL when DIRECT */
    uint64_t *present; /* slots that occur in each block of nodes; NULL when DIRECT */
    uint64_t slot_mask;
};

struct cm_channels_state {
    uint32_t parent;
    uint32_t key; /* of the load that leads here from the parent */
    uint32_t first_child;
    uint32_t next_sibling;
    uint64_t exchanges;
    uint64_t sent_words; /* by one exchange in this state */
    uint64_t slot_mask;
};

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

/* A key's place in the hash table, or the empty place for it. */
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
    channels->states[ROOT] = (struct cm_channels_state){
        .parent = NONE, .key = NONE, .first_child = NONE, .next_sibling = NONE};
    channels->state_count = 1;
    channels->current = ROOT;
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
    *channels = (struct cm_channels){
        .memory = memory, .nodes = memory->nodes, .slots = slots, .channel_slots = channel_slots};
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
    *channels = (struct cm_channels){0};
}

static enum cm_channels_status fail(struct cm_channels *channels, enum cm_channels_status status,
                                    uint32_t node, uint32_t slot)
{
    channels->fault_node = node;
    channels->fault_slot = slot;
    return status;
}

/* Reads the slots that a table word names in each node. */
static enum cm_channels_status read_table(struct cm_channels *channels, struct cm_channels_key *key)
{
    const uint32_t *table = NULL; /* never written: zeros */
    if (cm_memory_reserved(channels->memory, key->address, 1))
        table = cm_memory_plane(channels->memory, key->address);
    uint32_t other_set = key->half ? channels->slots / 2 : 0;
    key->slots = malloc(channels->nodes);
    key->present = calloc(channels->nodes / CM_INDIRECT_BLOCK + 1, sizeof *key->present);
    if (!key->slots || !key->present)
        return CM_CHANNELS_NO_MEMORY;
    for (uint32_t node = 0; node < channels->nodes; node++) {
        uint32_t slot = (table ? table[node] >> (8 * key->field) & 0xffu : 0) | other_set;
        if (slot >= channels->slots)
            return fail(channels, CM_CHANNELS_BAD_SLOT, node, slot);
        key->slots[node] = (uint8_t)slot;
        key->present[node / CM_INDIRECT_BLOCK] |= UINT64_C(1) << slot;
        key->slot_mask |= UINT64_C(1) << slot;
    }
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

/* Sets channels->pending to the slots pending in each node in a state. */
static void replay(struct cm_channels *channels, uint32_t state)
{
    if (channels->pending_state == state)
        return;
    channels->pending_state = state;
    if (channels->carried)
        memcpy(channels->pending, channels->carried, channels->nodes * sizeof *channels->pending);
    else
        memset(channels->pending, 0, channels->nodes * sizeof *channels->pending);
    for (; state != ROOT; state = channels->states[state].parent) {
        const struct cm_channels_key *key = &channels->keys[channels->states[state].key];
        for (uint32_t node = 0; node < channels->nodes; node++)
            channels->pending[node] |= UINT64_C(1) << slot_of(key, node);
    }
}

static enum cm_channels_status add_state(struct cm_channels *channels, uint32_t number)
{
    if (!cm_array_room(channels->states, channels->state_count, channels->state_capacity))
        return CM_CHANNELS_NO_MEMORY;
    const struct cm_channels_key *key = &channels->keys[number];
    struct cm_channels_state *parent = &channels->states[channels->current];
    uint64_t sent = parent->sent_words;
    replay(channels, channels->current);
    channels->pending_state = NONE; /* until it holds the new state's */
    for (uint32_t node = 0; node < channels->nodes; node++) {
        uint64_t bit = UINT64_C(1) << slot_of(key, node);
        if (channels->pending[node] & bit)
            return fail(channels, CM_CHANNELS_CONFLICT, node, slot_of(key, node));
        channels->pending[node] |= bit;
        sent += (bit & channels->channel_slots) != 0;
    }
    channels->states[channels->state_count] = (struct cm_channels_state){
        .parent = channels->current,
        .key = number,
        .first_child = NONE,
        .next_sibling = parent->first_child,
        .sent_words = sent,
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
    for (uint32_t node = 0; node < channels->nodes; node++)
        slots[node] = UINT64_C(1) << slot_of(&channels->keys[key], node);
}

void cm_channels_slots_pending(struct cm_channels *channels, uint32_t state, uint64_t *slots)
{
    replay(channels, state);
    memcpy(slots, channels->pending, channels->nodes * sizeof *slots);
}

static bool have_channel_words(struct cm_channels *channels)
{
    if (!channels->channel_words)
        channels->channel_words =
            calloc((size_t)channels->slots * channels->nodes, sizeof *channels->channel_words);
    return channels->channel_words != NULL;
}

/* Adds to the channels what `exchanges` exchanges of the pending slots carry. */
static void spread_pending(struct cm_channels *channels, uint64_t exchanges)
{
    for (uint32_t node = 0; node < channels->nodes; node++)
        for (uint64_t left = channels->pending[node]; left; left &= left - 1) {
            uint32_t slot = (uint32_t)__builtin_ctzll(left);
            channels->channel_words[(size_t)slot * channels->nodes + node] += exchanges;
        }
}

/* Adds the words that were counted by state to their channels. */
static bool spread(struct cm_channels *channels)
{
    for (uint32_t i = 0; i < channels->state_count; i++) {
        struct cm_channels_state *state = &channels->states[i];
        if (state->exchanges == 0 || state->slot_mask == 0)
            continue;
        if (!have_channel_words(channels))
            return false;
        replay(channels, i);
        spread_pending(channels, state->exchanges);
        state->exchanges = 0;
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
    channels->current = ROOT;
    if (channels->carried || channels->state_count > STATES_MAX)
        return cm_channels_abandon(channels);
    return CM_CHANNELS_OK;
}

/* Forgets keys and states but not what is pending. */
static enum cm_channels_status start_over(struct cm_channels *channels)
{
    if (!spread(channels))
        return CM_CHANNELS_NO_MEMORY;
    struct cm_channels_state now = channels->states[channels->current];
    if (channels->current != ROOT) {
        replay(channels, channels->current);
        if (!channels->carried)
            channels->carried = calloc(channels->nodes, sizeof *channels->carried);
        if (!channels->carried)
            return CM_CHANNELS_NO_MEMORY;
        memcpy(channels->carried, channels->pending, channels->nodes * sizeof *channels->carried);
    }
    forget(channels);
    channels->states[ROOT].sent_words = now.sent_words;
    channels->states[ROOT].slot_mask = now.slot_mask;
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
        channels->states[i].exchanges = 0;
    channels->lost = false;
    if (channels->channel_words)
        memset(channels->channel_words, 0,
               (size_t)channels->slots * channels->nodes * sizeof *channels->channel_words);
}
