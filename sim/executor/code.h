/*
 * Machine code of the host for what waits in a queue of lane work (lanes.h), on hosts with AVX-512.
 * The code plays all of the queue for 16 nodes at a time and keeps FPU registers in the host's from
 * one instruction to the next. Loops of the sequencer give queues that differ in addresses and
 * constants only; these are parameters of the code, so it is made once for each shape of a queue.
 *
 * The gain is more than five times on arithmetic (docs/speed.md). Hosts that have no AVX-512, or
 * refuse memory for code, play the same work by the loops of the kernels.
 */
#ifndef CM_SIM_LANE_CODE_H
#define CM_SIM_LANE_CODE_H

#include "../../isa/isa.h"
#include "lanes.h"

struct cm_lane_code;
struct cm_lane_entry; /* the code of a shape */

/* What the code of a worker works on. */
struct cm_lane_place {
    uint32_t *registers;     /* FPU registers of the worker's first block */
    const uint32_t *context; /* from the worker's first node on */
    uint32_t block_words;    /* from the registers of a block to those of the next */
    uint32_t nodes;          /* of the worker, a multiple of CM_LANE_CODE_NODES */
    uint32_t least_nodes;    /* that it ever has: `nodes` is a multiple of it */
    uint32_t plane_words;    /* nodes of the machine */
    /* Stores to node memory bypass the host's caches; those to the slots of transposers do not. */
    bool streams;
    uint64_t dead; /* vectors of FPU registers that are not needed afterwards, a bit each */
    const uint32_t *slots[CM_TRANSPOSER_COUNT];
    size_t slot_words; /* of each */
};

/* For queues of at most `capacity` works on planes of `plane_words`; NULL when this host has no
 * AVX-512, or refuses memory for code. `refused`: nothing is played, for tests. */
struct cm_lane_code *cm_lane_code_create(uint32_t capacity, uint32_t plane_words, bool refused);
void cm_lane_code_destroy(struct cm_lane_code *code);

/* The numbers of planes, which operands may have. */
struct cm_lane_numbers *cm_lane_code_planes(struct cm_lane_code *code);
/* A queue begins. */
void cm_lane_code_begin(struct cm_lane_code *code, const uint32_t *context);
/* Plays the work of the queue; false, and nothing is done, when the host refuses memory. Sets
 * *crowded when shorter queues would be faster. */
bool cm_lane_code_play(struct cm_lane_code *code, const struct cm_lane_queue *queue,
                       const struct cm_lane_place *place, bool *crowded);

/* What was played last. Its parameters are the values of cm_lane_code_planes, and the constants
 * before them, until the next queue is described. */
struct cm_lane_played {
    struct cm_lane_entry *entry;
    uint32_t plane_count, constant_count;
};
struct cm_lane_played cm_lane_code_played(const struct cm_lane_code *code);
/* Entries are valid as long as this is the same. */
uint64_t cm_lane_code_generation(const struct cm_lane_code *code);

/* Plays an entry again, with other parameters. */
struct cm_lane_run {
    const uint64_t *planes; /* constants are before them */
    uint32_t *registers;
    uint32_t nodes;
    bool streams;
};
void cm_lane_code_run(struct cm_lane_code *code, struct cm_lane_entry *entry,
                      const struct cm_lane_run *run, bool *crowded);

#endif
