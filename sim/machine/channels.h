/*
 * Accounting of channels: which channels carry words in an exchange, how many, and whether two
 * words meet on one channel.
 *
 * Exchanges repeat: the same few loads, through the same communication tables, precede thousands of
 * exchanges. So the sequence of loads since the last exchange is a state of an automaton, which
 * grows when a new sequence appears. The properties of a state are computed once: no channel
 * carries two words, which slots carry words, and how many words. An exchange then only counts its
 * state. The counts are distributed to channels when somebody asks for them.
 *
 * Each worker has an automaton of its own. All workers make the same calls in the same order.
 */
#ifndef CM_SIM_CHANNELS_H
#define CM_SIM_CHANNELS_H

#include "../lanes/indirect.h"
#include "machine.h"
#include "memory.h"

/* Choice of a slot in each node: one slot for all nodes, or the slot named by a byte of a table
 * word. */
struct cm_channels_key;
/* Sequence of loads into transposer A since the last exchange. */
struct cm_channels_state;

/* Finding about a table or a load in some nodes, to be combined with the findings about other
 * nodes. */
struct cm_channels_finding {
    uint64_t fault;      /* node << 8 | slot of the first fault, or CM_CHANNELS_NO_FAULT */
    uint64_t slot_mask;  /* union of the slots of all nodes */
    uint64_t sent_words; /* sum of the words that all nodes send */
    bool no_memory;
};
#define CM_CHANNELS_NO_FAULT UINT64_MAX

struct cm_channels {
    uint32_t fault_node, fault_slot; /* node and slot of the last call that failed */
    const struct cm_memory *memory;
    uint32_t nodes;
    uint32_t first, last; /* range of nodes that are accounted for here */
    /* Combines a finding with those of other processes, or NULL if there is one process. Returns
     * false when a process has ended. */
    bool (*agree)(void *context, struct cm_channels_finding *finding);
    void *agree_context;
    uint32_t slots;
    uint64_t channel_slots; /* slots that drive a channel of this machine */
    struct cm_channels_key *keys;
    uint32_t key_count, key_capacity;
    uint32_t *key_index; /* hash table of 1 + index of a key, or 0 if empty */
    uint32_t key_index_size;
    struct cm_channels_state *states;
    uint32_t state_count, state_capacity;
    uint32_t current;
    /* [node]: slots pending before the root state, or NULL if none are pending */
    uint64_t *carried;
    uint64_t *pending; /* [node]: slots pending in the state `pending_state` */
    /* state that `pending` describes, or UINT32_MAX if it describes none */
    uint32_t pending_state;
    uint64_t *channel_words; /* [slot * nodes + node]: words distributed so far, or NULL if none */
    /* true if a mark was set: words counted after the mark are kept separately */
    bool marking;
    uint64_t *marked_words; /* part of channel_words counted after the mark, or NULL if none */
    /* true if counts were lost because memory to distribute them was lacking */
    bool lost;
    uint32_t generation; /* number of times that keys and states were forgotten */
    /* Range of addresses of all known table words. It is empty if first > last. */
    uint64_t table_first, table_last;
};

enum cm_channels_status {
    CM_CHANNELS_OK,
    CM_CHANNELS_BAD_SLOT, /* a table names a slot that does not exist */
    CM_CHANNELS_CONFLICT, /* two words for one slot of A in one exchange */
    CM_CHANNELS_NO_MEMORY,
    CM_CHANNELS_LOST, /* another process has ended */
};

/* Returns the transposer slots that drive a channel, a bit each: `channels` slots for each of
 * `dimensions` dimensions. */
uint64_t cm_channel_slots(uint32_t slots, uint32_t dimensions, uint32_t channels);

enum cm_status cm_channels_init(struct cm_channels *channels, const struct cm_memory *memory,
                                uint32_t slots, uint64_t channel_slots, struct cm_error *err);
void cm_channels_finish(struct cm_channels *channels);

/* True if the key of table word `address` is known. cm_channels_find then reads no memory. */
bool cm_channels_known(const struct cm_channels *channels, uint64_t address, uint32_t field,
                       uint32_t half);
/* Returns the number of a table's key in *key. Reads the table if the key is new. */
enum cm_channels_status cm_channels_find(struct cm_channels *channels, uint64_t address,
                                         uint32_t field, uint32_t half, uint32_t *key);
/* Returns the number of the key that names `slot` in every node. */
enum cm_channels_status cm_channels_find_slot(struct cm_channels *channels, uint32_t slot,
                                              uint32_t *key);
/* Returns the slot of each node for a table's key, valid until the next cm_channels_touch. */
struct cm_indirect cm_channels_indirect(const struct cm_channels *channels, uint32_t key);

/* Accounts for a load of a word into transposer A, into the slots of `key`. */
enum cm_channels_status cm_channels_load(struct cm_channels *channels, uint32_t key);
/* Returns the slots of A that some node loaded since the last exchange, a bit each. */
uint64_t cm_channels_loaded_slots(const struct cm_channels *channels);
/* Accounts for an exchange. Adds the words sent over channels, by all nodes together, to *sent. */
enum cm_channels_status cm_channels_exchange(struct cm_channels *channels, uint64_t *sent);

/* Returns the number of the current state: the loads since the last exchange. */
uint32_t cm_channels_pending(const struct cm_channels *channels);
/* These functions serve observers. They write a bit set of slots for each node of this process: the
 * slots of a key, or the slots pending in a state. */
void cm_channels_slots_of(const struct cm_channels *channels, uint32_t key, uint64_t *slots);
/* Writes the slot of a key in each node, as a number. */
void cm_channels_slot_of(const struct cm_channels *channels, uint32_t key, uint8_t *slot);
void cm_channels_slots_pending(struct cm_channels *channels, uint32_t state, uint64_t *slots);
/* Returns the last load that led to *state, and sets *state to the state before. *number is a slot
 * if *direct, else a key. Returns false for the state without loads. */
bool cm_channels_last_load(const struct cm_channels *channels, uint32_t *state, uint32_t *number,
                           bool *direct);

/* Forgets everything but the counts: pending words are dropped, and tables will be read again. If
 * memory is lacking, the counts are lost for good. */
enum cm_channels_status cm_channels_abandon(struct cm_channels *channels);

/* Copies everything but the counts, for a worker that was inactive. Returns false when out of
 * memory. The copy must then be repeated before `to` is used. */
bool cm_channels_copy(struct cm_channels *to, const struct cm_channels *from);

/* Forgets what was read from tables at [address, address + count), because memory changes there. */
enum cm_channels_status cm_channels_touch(struct cm_channels *channels, uint64_t address,
                                          uint64_t count);

/* Returns the counts of our nodes by channel, [slot * nodes + node], which the caller may read or
 * increase. Returns NULL when out of memory or when the counts are lost. */
uint64_t *cm_channels_channel_words(struct cm_channels *channels);
/* Sets a mark that separates words carried before and after. It replaces an earlier mark. */
void cm_channels_mark(struct cm_channels *channels);

#define CM_CHANNELS_BLOCK 64u
#define CM_CHANNELS_SLOTS 64u /* slots of a transposer, at most */

/* Writes the counts of at most CM_CHANNELS_BLOCK of our nodes, beginning with node `first`:
 * words[node][slot]. */
void cm_channels_words_of(const struct cm_channels *channels, uint32_t first, uint32_t count,
                          enum cm_channels_period period, uint64_t (*words)[CM_CHANNELS_SLOTS]);

/* Clears the counts, and moves the mark here. */
void cm_channels_reset(struct cm_channels *channels);

#endif
