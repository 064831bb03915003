/* The automaton behind struct cm_channels, shared by the channels*.c files. */
#ifndef CM_SIM_CHANNELS_PRIVATE_H
#define CM_SIM_CHANNELS_PRIVATE_H

#include "channels.h"

#define CM_CHANNELS_ROOT 0u /* state without loads */

struct cm_channels_key {
    /* address of the communication table word, or DIRECT if the key names one slot for all nodes */
    uint64_t address;
    uint32_t field; /* number of the byte in the table word. In a DIRECT key: the slot itself */
    uint32_t half;
    uint8_t *slots; /* slot of each node. NULL in a DIRECT key */
    /* slots that occur in each block of nodes, a bit each. NULL in a DIRECT key */
    uint64_t *present;
    uint64_t slot_mask;
};

struct cm_channels_state {
    uint32_t parent;
    uint32_t key; /* key of the load that leads from the parent to this state */
    uint32_t first_child;
    uint32_t next_sibling;
    uint64_t exchanges;
    uint64_t marked;     /* number of exchanges before the mark */
    uint64_t sent_words; /* words sent by one exchange in this state */
    uint64_t slot_mask;
};

#endif
