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

/* Key: the choice of a transposer slot in each node. It is one slot for all nodes, or the slot that
 * a byte of each node's communication table word names. */
struct cm_channels_key;
/* State of the automaton: sequence of loads into transposer A since the last exchange. */
struct cm_channels_state;

/* Finding: what a check of a communication table, or of a load into transposer A, found in some
 * nodes. Findings about different nodes are combined. */
struct cm_channels_finding {
    /* First fault: node << 8 | slot, or CM_CHANNELS_NO_FAULT. For a check of the indices of an
     * indexed load or store: node << 32 | index. */
    uint64_t fault;
    uint64_t slot_mask;  /* slots that a communication table names in some node, a bit each */
    uint64_t sent_words; /* words that a load adds to the next exchange, over all nodes */
    bool no_memory;
};
#define CM_CHANNELS_NO_FAULT UINT64_MAX

struct cm_channels {
    uint32_t fault_node, fault_slot; /* node and slot of the last fault */
    const struct cm_memory *memory;
    uint32_t nodes;
    /* range of this process's nodes, whose channels are counted: first node, end */
    uint32_t first, last;
    /* Function that combines a finding with those of other processes, or NULL if there is one
     * process. It returns false when a process has ended. */
    bool (*agree)(void *context, struct cm_channels_finding *finding);
    void *agree_context;
    uint32_t slots;
    uint64_t channel_slots; /* slots that drive a channel of this machine, a bit each */
    struct cm_channels_key *keys;
    uint32_t key_count, key_capacity;
    uint32_t *key_index; /* hash table of 1 + index of a key, or 0 if empty */
    uint32_t key_index_size;
    struct cm_channels_state *states;
    uint32_t state_count, state_capacity;
    uint32_t current;
    /* [node]: slots of transposer A that are loaded in the root state, a bit each. NULL: no slot is
     * loaded in the root state */
    uint64_t *carried;
    /* [node]: slots of transposer A that are loaded in the state with the number `pending_state`, a
     * bit each */
    uint64_t *pending;
    /* number of the state whose slots `pending` holds, or UINT32_MAX if `pending` is not valid */
    uint32_t pending_state;
    /* [slot * nodes + node]: words that each channel carried, without exchanges that the states
     * still count. NULL: no such words */
    uint64_t *channel_words;
    /* true if a mark was set: words counted after the mark are kept separately */
    bool marking;
    uint64_t *marked_words; /* part of channel_words counted after the mark, or NULL if none */
    /* true if counts were lost because there was no memory for channel_words */
    bool lost;
    uint32_t generation; /* number of times that the automaton was cleared */
    /* Range of the addresses of all communication table words that were read. It is empty if first
     * > last. */
    uint64_t table_first, table_last;
};

enum cm_channels_status {
    CM_CHANNELS_OK,
    CM_CHANNELS_BAD_SLOT, /* a table names a slot that does not exist */
    CM_CHANNELS_CONFLICT, /* two words for one slot of A in one exchange */
    CM_CHANNELS_NO_MEMORY,
    CM_CHANNELS_LOST, /* another process has ended */
};

/* Returns the set of transposer slots that drive a channel, a bit each. Each of `dimensions`
 * dimensions has `channels` slots. */
uint64_t cm_channel_slots(uint32_t slots, uint32_t dimensions, uint32_t channels);

enum cm_status cm_channels_init(struct cm_channels *channels, const struct cm_memory *memory,
                                uint32_t slots, uint64_t channel_slots, struct cm_error *err);
void cm_channels_finish(struct cm_channels *channels);

/* True if the key of the communication table word at `address` is known. cm_channels_find then
 * reads no memory. */
bool cm_channels_known(const struct cm_channels *channels, uint64_t address, uint32_t field,
                       uint32_t half);
/* Writes the number of a communication table's key to *key. Reads the table if the key is new. */
enum cm_channels_status cm_channels_find(struct cm_channels *channels, uint64_t address,
                                         uint32_t field, uint32_t half, uint32_t *key);
/* Writes the number of the key that names `slot` in every node to *key. */
enum cm_channels_status cm_channels_find_slot(struct cm_channels *channels, uint32_t slot,
                                              uint32_t *key);
/* Returns the slot that the key of a communication table names in each node. The result is valid
 * until the next cm_channels_touch. */
struct cm_indirect cm_channels_indirect(const struct cm_channels *channels, uint32_t key);

/* Accounts for a load that puts one word of each node into the slot of transposer A that the key
 * names in the node. */
enum cm_channels_status cm_channels_load(struct cm_channels *channels, uint32_t key);
/* Returns the slots of transposer A that some node loaded since the last exchange, a bit each. */
uint64_t cm_channels_loaded_slots(const struct cm_channels *channels);
/* Accounts for an exchange. Adds the number of words that all nodes together send over channels to
 * *sent. */
enum cm_channels_status cm_channels_exchange(struct cm_channels *channels, uint64_t *sent);

/* Returns the number of the automaton's current state, which identifies the loads since the last
 * exchange. */
uint32_t cm_channels_pending(const struct cm_channels *channels);
/* These functions serve observers. They write a bit set of slots for each node of this process.
 * cm_channels_slots_of writes the slots of a key. cm_channels_slots_pending writes the slots of
 * transposer A that are loaded in a state. */
void cm_channels_slots_of(const struct cm_channels *channels, uint32_t key, uint64_t *slots);
/* Writes the number of the slot that a key names in each node. */
void cm_channels_slot_of(const struct cm_channels *channels, uint32_t key, uint8_t *slot);
void cm_channels_slots_pending(struct cm_channels *channels, uint32_t state, uint64_t *slots);
/* Steps back in the sequence of loads that a state stands for. Sets *state to the state before the
 * last load, and *number to the load's slot if *direct is true, else to the number of its key.
 * Returns false for a state without loads. */
bool cm_channels_last_load(const struct cm_channels *channels, uint32_t *state, uint32_t *number,
                           bool *direct);

/* Clears the automaton, but keeps the counts of words. Words loaded for the next exchange are
 * dropped, and communication tables are read again at their next use. When out of memory, the
 * counts are lost until cm_channels_reset. */
enum cm_channels_status cm_channels_abandon(struct cm_channels *channels);

/* Copies the automaton of an active worker, without counts, to a worker that becomes active.
 * Returns false when out of memory. The copy must then be repeated before `to` is used. */
bool cm_channels_copy(struct cm_channels *to, const struct cm_channels *from);

/* Forgets communication tables in the memory words [address, address + count), because these words
 * change. */
enum cm_channels_status cm_channels_touch(struct cm_channels *channels, uint64_t address,
                                          uint64_t count);

/* Returns the number of words carried by each channel of this process's nodes, [slot * nodes +
 * node], which the caller may read or increase. Returns NULL when out of memory or when the counts
 * are lost. */
uint64_t *cm_channels_channel_words(struct cm_channels *channels);
/* Marks the present point of the run, so that words carried before and after the mark are counted
 * separately. Replaces an earlier mark. */
void cm_channels_mark(struct cm_channels *channels);

#define CM_CHANNELS_BLOCK 64u
#define CM_CHANNELS_SLOTS 64u /* largest number of slots of a transposer */

/* Writes the number of words carried by the channels of at most CM_CHANNELS_BLOCK of this process's
 * nodes, beginning with node `first`: words[node][slot]. */
void cm_channels_words_of(const struct cm_channels *channels, uint32_t first, uint32_t count,
                          enum cm_channels_period period, uint64_t (*words)[CM_CHANNELS_SLOTS]);

/* Clears all counts of words. If a mark was set, sets it again at this point of the run. */
void cm_channels_reset(struct cm_channels *channels);

#endif
