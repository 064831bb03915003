/* The automaton of loads between exchanges, and the channel counts that follow from it. */
#include "channels.h"

#include <stdlib.h>
#include <string.h>

#define ROOT        0u
#define NONE        UINT32_MAX
#define DIRECT      UINT64_MAX /* address of a key that names one slot */
#define STATES_MAX  (1u << 16) /* beyond it the automaton begins anew */
#define HASH_FACTOR 0x9e3779b97f4a7c15u

struct cm_channels_key {
    uint64_t address; /* of the table word, or DIRECT */
    uint32_t field;   /* of the table word; the slot when DIRECT */
    uint32_t half;
    uint8_t *slots;    /* a node each; NULL when DIRECT */
    uint64_t *present; /* slots that occur in each block of nodes; likewise */
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

static bool grow(void **array, uint32_t *capacity, size_t size)
{
    uint32_t next = *capacity ? *capacity * 2 : 16;
    void *larger = realloc(*array, (size_t)next * size);
    if (!larger)
        return false;
    *array = larger;
    *capacity = next;
    return true;
}

static uint32_t hash_slot(const struct cm_channels *traffic, uint64_t address, uint32_t field,
                          uint32_t half)
{
    uint64_t mixed = (address * 8 + field * 2 + half) * HASH_FACTOR;
    return (uint32_t)(mixed >> 32) & (traffic->key_index_size - 1);
}

/* The place in the hash table of a key, or the empty place where it would go. */
static uint32_t *index_place(const struct cm_channels *traffic, uint64_t address, uint32_t field,
                             uint32_t half)
{
    uint32_t at = hash_slot(traffic, address, field, half);
    for (;;) {
        uint32_t number = traffic->key_index[at];
        const struct cm_channels_key *key = number ? &traffic->keys[number - 1] : NULL;
        if (!key || (key->address == address && key->field == field && key->half == half))
            return &traffic->key_index[at];
        at = (at + 1) & (traffic->key_index_size - 1);
    }
}

static bool index_grow(struct cm_channels *traffic)
{
    if (traffic->key_index && traffic->key_count * 2 < traffic->key_index_size)
        return true;
    uint32_t size = traffic->key_index_size ? traffic->key_index_size * 2 : 64;
    uint32_t *larger = calloc(size, sizeof *larger);
    if (!larger)
        return false;
    free(traffic->key_index);
    traffic->key_index = larger;
    traffic->key_index_size = size;
    for (uint32_t i = 0; i < traffic->key_count; i++) {
        const struct cm_channels_key *key = &traffic->keys[i];
        *index_place(traffic, key->address, key->field, key->half) = i + 1;
    }
    return true;
}

static void forget(struct cm_channels *traffic)
{
    for (uint32_t i = 0; i < traffic->key_count; i++)
        free_key(&traffic->keys[i]);
    traffic->key_count = 0;
    if (traffic->key_index)
        memset(traffic->key_index, 0, traffic->key_index_size * sizeof *traffic->key_index);
    traffic->states[ROOT] = (struct cm_channels_state){
        .parent = NONE, .key = NONE, .first_child = NONE, .next_sibling = NONE};
    traffic->state_count = 1;
    traffic->current = ROOT;
    traffic->table_first = UINT64_MAX;
    traffic->table_last = 0;
    traffic->generation++;
    traffic->pending_state = NONE;
}

uint64_t cm_channel_slots(uint32_t slots, uint32_t dimensions, uint32_t channels)
{
    uint64_t one_set = ((UINT64_C(1) << dimensions) - 1) << 1;
    return channels > 1 ? one_set | one_set << slots / 2 : one_set;
}

enum cm_status cm_channels_init(struct cm_channels *traffic, const struct cm_memory *memory,
                                uint32_t slots, uint64_t channel_slots, struct cm_error *err)
{
    *traffic = (struct cm_channels){
        .memory = memory, .nodes = memory->nodes, .slots = slots, .channel_slots = channel_slots};
    traffic->pending = calloc(memory->nodes, sizeof *traffic->pending);
    if (!traffic->pending || !index_grow(traffic) ||
        !grow((void **)&traffic->states, &traffic->state_capacity, sizeof *traffic->states)) {
        cm_channels_finish(traffic);
        return cm_error_set(err, CM_NO_MEMORY, "out of memory for channel counters");
    }
    forget(traffic);
    return CM_OK;
}

void cm_channels_finish(struct cm_channels *traffic)
{
    for (uint32_t i = 0; i < traffic->key_count; i++)
        free_key(&traffic->keys[i]);
    free(traffic->keys);
    free(traffic->key_index);
    free(traffic->states);
    free(traffic->carried);
    free(traffic->pending);
    free(traffic->channel_words);
    *traffic = (struct cm_channels){0};
}

/* Reads the slots that a table word names in each node. */
static enum cm_channels_status read_slots(const struct cm_channels *traffic,
                                          struct cm_channels_key *key,
                                          struct cm_channels_fault *fault)
{
    const uint32_t *table = cm_memory_plane(traffic->memory, key->address);
    uint32_t other_set = key->half ? traffic->slots / 2 : 0;
    for (uint32_t node = 0; node < traffic->nodes; node++) {
        uint32_t slot = (table[node] >> (8 * key->field) & 0xffu) | other_set;
        if (slot >= traffic->slots) {
            *fault = (struct cm_channels_fault){.node = node, .slot = slot};
            return CM_CHANNELS_BAD_SLOT;
        }
        key->slots[node] = (uint8_t)slot;
        key->present[node / CM_INDIRECT_BLOCK] |= UINT64_C(1) << slot;
        key->slot_mask |= UINT64_C(1) << slot;
    }
    return CM_CHANNELS_OK;
}

static enum cm_channels_status add_key(struct cm_channels *traffic, struct cm_channels_key key,
                                       uint32_t *number, struct cm_channels_fault *fault)
{
    if ((traffic->key_count == traffic->key_capacity &&
         !grow((void **)&traffic->keys, &traffic->key_capacity, sizeof *traffic->keys)) ||
        !index_grow(traffic))
        return CM_CHANNELS_NO_MEMORY;
    if (key.address == DIRECT) {
        key.slot_mask = UINT64_C(1) << key.field;
    } else {
        key.slots = malloc(traffic->nodes);
        key.present = calloc(traffic->nodes / CM_INDIRECT_BLOCK + 1, sizeof *key.present);
        if (!key.slots || !key.present) {
            free_key(&key);
            return CM_CHANNELS_NO_MEMORY;
        }
        enum cm_channels_status status = read_slots(traffic, &key, fault);
        if (status != CM_CHANNELS_OK) {
            free_key(&key);
            return status;
        }
        if (key.address < traffic->table_first)
            traffic->table_first = key.address;
        if (key.address > traffic->table_last)
            traffic->table_last = key.address;
    }
    *number = traffic->key_count++;
    traffic->keys[*number] = key;
    *index_place(traffic, key.address, key.field, key.half) = *number + 1;
    return CM_CHANNELS_OK;
}

bool cm_channels_known(const struct cm_channels *traffic, uint64_t address, uint32_t field,
                       uint32_t half)
{
    return *index_place(traffic, address, field, half) != 0;
}

enum cm_channels_status cm_channels_find(struct cm_channels *traffic, uint64_t address,
                                         uint32_t field, uint32_t half, uint32_t *key,
                                         struct cm_channels_fault *fault)
{
    uint32_t number = *index_place(traffic, address, field, half);
    if (number == 0)
        return add_key(traffic,
                       (struct cm_channels_key){.address = address, .field = field, .half = half},
                       key, fault);
    *key = number - 1;
    return CM_CHANNELS_OK;
}

enum cm_channels_status cm_channels_find_slot(struct cm_channels *traffic, uint32_t slot,
                                              uint32_t *key)
{
    return cm_channels_find(traffic, DIRECT, slot, 0, key, NULL);
}

struct cm_indirect cm_channels_indirect(const struct cm_channels *traffic, uint32_t key)
{
    return (struct cm_indirect){.slots = traffic->keys[key].slots,
                                .present = traffic->keys[key].present};
}

static uint32_t slot_of(const struct cm_channels_key *key, uint32_t node)
{
    return key->slots ? key->slots[node] : key->field;
}

/* Slots pending in each node in a state, into traffic->pending. */
static void replay(struct cm_channels *traffic, uint32_t state)
{
    if (traffic->pending_state == state)
        return;
    traffic->pending_state = state;
    if (traffic->carried)
        memcpy(traffic->pending, traffic->carried, traffic->nodes * sizeof *traffic->pending);
    else
        memset(traffic->pending, 0, traffic->nodes * sizeof *traffic->pending);
    for (; state != ROOT; state = traffic->states[state].parent) {
        const struct cm_channels_key *key = &traffic->keys[traffic->states[state].key];
        for (uint32_t node = 0; node < traffic->nodes; node++)
            traffic->pending[node] |= UINT64_C(1) << slot_of(key, node);
    }
}

static enum cm_channels_status add_state(struct cm_channels *traffic, uint32_t number,
                                         struct cm_channels_fault *fault)
{
    if (traffic->state_count == traffic->state_capacity &&
        !grow((void **)&traffic->states, &traffic->state_capacity, sizeof *traffic->states))
        return CM_CHANNELS_NO_MEMORY;
    const struct cm_channels_key *key = &traffic->keys[number];
    struct cm_channels_state *parent = &traffic->states[traffic->current];
    uint64_t sent = parent->sent_words;
    replay(traffic, traffic->current);
    traffic->pending_state = NONE; /* until it is the new state's */
    for (uint32_t node = 0; node < traffic->nodes; node++) {
        uint64_t bit = UINT64_C(1) << slot_of(key, node);
        if (traffic->pending[node] & bit) {
            *fault = (struct cm_channels_fault){.node = node, .slot = slot_of(key, node)};
            return CM_CHANNELS_CONFLICT;
        }
        traffic->pending[node] |= bit;
        sent += (bit & traffic->channel_slots) != 0;
    }
    traffic->states[traffic->state_count] = (struct cm_channels_state){
        .parent = traffic->current,
        .key = number,
        .first_child = NONE,
        .next_sibling = parent->first_child,
        .sent_words = sent,
        .slot_mask = parent->slot_mask | key->slot_mask,
    };
    parent->first_child = traffic->state_count;
    traffic->current = traffic->pending_state = traffic->state_count++;
    return CM_CHANNELS_OK;
}

enum cm_channels_status cm_channels_load(struct cm_channels *traffic, uint32_t key,
                                         struct cm_channels_fault *fault)
{
    uint32_t child = traffic->states[traffic->current].first_child;
    while (child != NONE && traffic->states[child].key != key)
        child = traffic->states[child].next_sibling;
    if (child == NONE)
        return add_state(traffic, key, fault);
    traffic->current = child;
    return CM_CHANNELS_OK;
}

uint64_t cm_channels_loaded_slots(const struct cm_channels *traffic)
{
    return traffic->states[traffic->current].slot_mask;
}

uint32_t cm_channels_pending(const struct cm_channels *traffic)
{
    return traffic->current;
}

void cm_channels_slots_of(const struct cm_channels *traffic, uint32_t key, uint64_t *slots)
{
    for (uint32_t node = 0; node < traffic->nodes; node++)
        slots[node] = UINT64_C(1) << slot_of(&traffic->keys[key], node);
}

void cm_channels_slots_pending(struct cm_channels *traffic, uint32_t state, uint64_t *slots)
{
    replay(traffic, state);
    memcpy(slots, traffic->pending, traffic->nodes * sizeof *slots);
}

static bool have_channel_words(struct cm_channels *traffic)
{
    if (!traffic->channel_words)
        traffic->channel_words =
            calloc((size_t)traffic->slots * traffic->nodes, sizeof *traffic->channel_words);
    return traffic->channel_words != NULL;
}

/* Adds the words of `exchanges` exchanges with traffic->pending to the channels. */
static void spread_pending(struct cm_channels *traffic, uint64_t exchanges)
{
    for (uint32_t node = 0; node < traffic->nodes; node++)
        for (uint64_t left = traffic->pending[node]; left; left &= left - 1) {
            uint32_t slot = (uint32_t)__builtin_ctzll(left);
            traffic->channel_words[(size_t)slot * traffic->nodes + node] += exchanges;
        }
}

/* Adds the words that were counted by state to their channels. */
static bool spread(struct cm_channels *traffic)
{
    for (uint32_t i = 0; i < traffic->state_count; i++) {
        struct cm_channels_state *state = &traffic->states[i];
        if (state->exchanges == 0 || state->slot_mask == 0)
            continue;
        if (!have_channel_words(traffic))
            return false;
        replay(traffic, i);
        spread_pending(traffic, state->exchanges);
        state->exchanges = 0;
    }
    return true;
}

void cm_channels_abandon(struct cm_channels *traffic)
{
    (void)spread(traffic); /* without memory the channel counts are lost, not the run */
    free(traffic->carried);
    traffic->carried = NULL;
    forget(traffic);
}

uint64_t cm_channels_exchange(struct cm_channels *traffic)
{
    struct cm_channels_state *state = &traffic->states[traffic->current];
    uint64_t sent = state->sent_words;
    state->exchanges++;
    if (traffic->carried || traffic->state_count > STATES_MAX)
        cm_channels_abandon(traffic);
    traffic->current = ROOT;
    return sent;
}

/* Forgets keys and states but not what is pending. */
static enum cm_channels_status begin_anew(struct cm_channels *traffic)
{
    if (!spread(traffic))
        return CM_CHANNELS_NO_MEMORY;
    struct cm_channels_state now = traffic->states[traffic->current];
    if (traffic->current != ROOT) {
        replay(traffic, traffic->current);
        if (!traffic->carried)
            traffic->carried = calloc(traffic->nodes, sizeof *traffic->carried);
        if (!traffic->carried)
            return CM_CHANNELS_NO_MEMORY;
        memcpy(traffic->carried, traffic->pending, traffic->nodes * sizeof *traffic->carried);
    }
    forget(traffic);
    traffic->states[ROOT].sent_words = now.sent_words;
    traffic->states[ROOT].slot_mask = now.slot_mask;
    return CM_CHANNELS_OK;
}

enum cm_channels_status cm_channels_touch(struct cm_channels *traffic, uint64_t address,
                                          uint64_t count)
{
    if (count == 0 || address > traffic->table_last || address + count <= traffic->table_first)
        return CM_CHANNELS_OK;
    for (uint32_t i = 0; i < traffic->key_count; i++) {
        uint64_t table = traffic->keys[i].address;
        if (table != DIRECT && table >= address && table - address < count)
            return begin_anew(traffic);
    }
    return CM_CHANNELS_OK;
}

const uint64_t *cm_channels_channel_words(struct cm_channels *traffic)
{
    return spread(traffic) && have_channel_words(traffic) ? traffic->channel_words : NULL;
}

void cm_channels_reset(struct cm_channels *traffic)
{
    for (uint32_t i = 0; i < traffic->state_count; i++)
        traffic->states[i].exchanges = 0;
    if (traffic->channel_words)
        memset(traffic->channel_words, 0,
               (size_t)traffic->slots * traffic->nodes * sizeof *traffic->channel_words);
}
