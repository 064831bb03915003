/*
 * All-to-all communication played word by word on a cube of queues: who sends what over which
 * channel in which exchange, as the schedules are published. It shares nothing with the compiler.
 */
#ifndef CM_TESTS_PROPERTY_ALLTOALL_ORACLE_H
#define CM_TESTS_PROPERTY_ALLTOALL_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

enum oracle_schedule {
    ORACLE_GRAY,
    ORACLE_ROTATED,
    ORACLE_ONE_DIMENSION,
    ORACLE_PATHS,
    ORACLE_PACKETS,
    ORACLE_TREES, /* one-to-all */
    ORACLE_HALVES /* one-to-each */
};

struct oracle_alltoall {
    enum oracle_schedule schedule;
    bool personalised, by_source;
    uint32_t root; /* of trees and halves: its address in every group */
    uint32_t nodes, first, dimensions, channels; /* of the machine; of the groups */
    uint64_t words;                              /* of a block */
    const uint32_t *src; /* by node: a block, or a block for each node of the group */
    /* Of paths: by part and address within the group, the dimension over which words come. */
    const uint8_t *came;
    uint32_t parts;
    uint32_t buffer_words; /* of packets: at most so many words */
    /* Filled by the play: the result by node, block and word; what each channel carried, numbered
     * (node * machine_dimensions + dimension) * 2 + channel; the exchanges. */
    uint32_t *dst;
    uint64_t *carried;
    uint32_t machine_dimensions;
    /* of packets: the words of both channels count for the first */
    uint64_t exchanges;
    bool collided; /* two words on one channel in one exchange */
};

/* The edges of tree `tree` of d, by address xor the root's: visits each child after its parent, at
 * its level. */
typedef void (*oracle_visit)(void *context, uint32_t parent, uint32_t dimension, uint32_t level);
void oracle_tree_walk(uint32_t d, uint32_t tree, oracle_visit visit, void *context);

/* False when out of memory. */
bool oracle_alltoall_play(struct oracle_alltoall *play);

#endif
