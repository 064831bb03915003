/*
 * What goes over the channels. Exchanges repeat: the same few loads, through the same communication
 * tables, precede thousands of them. So the sequence of loads since the last exchange is a state of
 * an automaton, which grows as new sequences come. What holds in a state (no channel carries two
 * words, which slots carry, how many words) is worked out once, and an exchange only counts its
 * state. The counts are spread over the channels when somebody asks for them.
 */
#ifndef CM_SIM_CHANNELS_H
#define CM_SIM_CHANNELS_H

#include "../executor/indirect.h"
#include "machine.h"
#include "memory.h"

/* A choice of a slot in each node: one slot for all, or what a byte of a table word names. */
struct cm_channels_key;
/* A sequence of loads into transposer A since the last exchange. */
struct cm_channels_state;

/* What a table or a load is found to do in some nodes, to be combined with what it does in others.
 */
struct cm_channels_news {
    uint64_t fault;      /* node << 8 | slot, of the first node; CM_CHANNELS_NO_FAULT: none */
    uint64_t slot_mask;  /* all together */
    uint64_t sent_words; /* their sum */
    bool no_memory;
};
#define CM_CHANNELS_NO_FAULT UINT64_MAX

struct cm_channels {
    uint32_t fault_node, fault_slot; /* of the last call that failed */
    const struct cm_memory *memory;
    uint32_t nodes;
    uint32_t first, last; /* the nodes that are accounted for here */
    /* Where others account for other nodes: finds out together what is new; false: one is gone. */
    bool (*agree)(void *context, struct cm_channels_news *news);
    void *agree_context;
    uint32_t slots;
    uint64_t channel_slots; /* slots that drive a channel of this machine */
    struct cm_channels_key *keys;
    uint32_t key_count, key_capacity;
    uint32_t *key_index; /* hash table: key number + 1, 0 for empty */
    uint32_t key_index_size;
    struct cm_channels_state *states;
    uint32_t state_count, state_capacity;
    uint32_t current;
    uint64_t *carried;       /* [node]: slots pending before the root state; NULL: none */
    uint64_t *pending;       /* [node]: slots pending in ... */
    uint32_t pending_state;  /* ... this state; UINT32_MAX: in none */
    uint64_t *channel_words; /* [slot * nodes + node], spread so far; NULL: none */
    bool marking;            /* a mark was set: spreading keeps what came after it apart */
    uint64_t *marked_words;  /* of channel_words, what came after the mark; NULL: nothing */
    bool lost;               /* counts that there was no memory to spread */
    uint32_t generation;     /* counts how often keys and states were forgotten */
    uint64_t table_first, table_last; /* addresses of all table words known; first > last: none */
};

enum cm_channels_status {
    CM_CHANNELS_OK,
    CM_CHANNELS_BAD_SLOT, /* a table names a slot that does not exist */
    CM_CHANNELS_CONFLICT, /* two words for one slot of A in one exchange */
    CM_CHANNELS_NO_MEMORY,
    CM_CHANNELS_LOST, /* another process has ended */
};

/* The slots of a transposer that drive a channel, a bit each: `channels` for each of `dimensions`
 * dimensions. */
uint64_t cm_channel_slots(uint32_t slots, uint32_t dimensions, uint32_t channels);

enum cm_status cm_channels_init(struct cm_channels *channels, const struct cm_memory *memory,
                                uint32_t slots, uint64_t channel_slots, struct cm_error *err);
void cm_channels_finish(struct cm_channels *channels);

/* True when the key of table word `address` is known already: then cm_channels_find reads no
 * memory. */
bool cm_channels_known(const struct cm_channels *channels, uint64_t address, uint32_t field,
                       uint32_t half);
/* The number of a table's key; reads the table when it is new. */
enum cm_channels_status cm_channels_find(struct cm_channels *channels, uint64_t address,
                                         uint32_t field, uint32_t half, uint32_t *key);
/* The number of the key that is `slot` in every node. */
enum cm_channels_status cm_channels_find_slot(struct cm_channels *channels, uint32_t slot,
                                              uint32_t *key);
/* The slot of each node by a table's key; valid until the next cm_channels_touch. */
struct cm_indirect cm_channels_indirect(const struct cm_channels *channels, uint32_t key);

/* A word goes into transposer A, into the slots of `key`. */
enum cm_channels_status cm_channels_load(struct cm_channels *channels, uint32_t key);
/* Slots of A that some node loaded since the last exchange. */
uint64_t cm_channels_loaded_slots(const struct cm_channels *channels);
/* An exchange; adds the words that it sends over channels, in all nodes together, to *sent. */
enum cm_channels_status cm_channels_exchange(struct cm_channels *channels, uint64_t *sent);

/* The number of the current state: the loads since the last exchange. */
uint32_t cm_channels_pending(const struct cm_channels *channels);
/* For observers: slots[node], a bit each, of a key, and those pending in a state; of our nodes. */
void cm_channels_slots_of(const struct cm_channels *channels, uint32_t key, uint64_t *slots);
/* The same of a key, as a number: slot[node]. */
void cm_channels_slot_of(const struct cm_channels *channels, uint32_t key, uint8_t *slot);
void cm_channels_slots_pending(struct cm_channels *channels, uint32_t state, uint64_t *slots);
/* Of the last load before a state the key, or the slot that is the same in every node (*direct);
 * *state is then the one before it. False for the state without loads. */
bool cm_channels_last_load(const struct cm_channels *channels, uint32_t *state, uint32_t *number,
                           bool *direct);

/* Forgets everything but the counts: pending words are dropped, tables will be read again. Without
 * memory the counts are lost, for good. */
enum cm_channels_status cm_channels_abandon(struct cm_channels *channels);

/* `to` knows what `from` does, but for the counts: for a worker that did not take part for a while.
 * False when out of memory; then it must be called again before `to` is used. */
bool cm_channels_copy(struct cm_channels *to, const struct cm_channels *from);

/* Memory at [address, address + count) changes: forgets what was read from tables there. */
enum cm_channels_status cm_channels_touch(struct cm_channels *channels, uint64_t address,
                                          uint64_t count);

/* The counts, spread over channels, [slot * nodes + node], of our nodes, to be read or added to;
 * NULL when out of memory, or when they are lost. */
uint64_t *cm_channels_channel_words(struct cm_channels *channels);
/* Sets a mark between what is carried before and after it; the one before is forgotten. */
void cm_channels_mark(struct cm_channels *channels);

#define CM_CHANNELS_BLOCK 64u
#define CM_CHANNELS_SLOTS 64u /* of a transposer, at most */

/* The counts of at most CM_CHANNELS_BLOCK of our nodes, from `first` on: words[node][slot]. */
void cm_channels_words_of(const struct cm_channels *channels, uint32_t first, uint32_t count,
                          enum cm_channels_part part, uint64_t (*words)[CM_CHANNELS_SLOTS]);

/* Sets the counts back to zero, and the mark. */
void cm_channels_reset(struct cm_channels *channels);

#endif
