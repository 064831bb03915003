/*
 * Generated machine code for a queue of deferred operations (lanes.h), on x86-64 hosts with AVX2 or
 * AVX-512.
 *
 * The code executes the whole queue for 16 nodes at a time and keeps FPU registers in host
 * registers from one operation to the next. Loops of the sequencer produce queues that differ only
 * in addresses and constants. Addresses and constants are parameters of the code, so code is
 * generated once for each block signature (signature.h).
 *
 * Generated code is more than five times faster on arithmetic (docs/speed.md). Hosts without these
 * instructions, or hosts that refuse memory for code, execute the same operations by compiled loops
 * (kernels.h).
 */
#ifndef CM_SIM_CODE_H
#define CM_SIM_CODE_H

#include "../../isa/isa.h"
#include "../host/host.h"
#include "lanes.h"

struct cm_lane_code;
struct cm_lane_entry; /* generated code of one signature */

/* Memory that the code of a worker works on. */
struct cm_lane_place {
    uint32_t *registers;     /* FPU registers of the worker's first block */
    const uint32_t *context; /* context flags from the worker's first node on */
    uint32_t block_words;    /* distance between the registers of consecutive blocks, in words */
    uint32_t nodes;          /* number of the worker's nodes, a multiple of CM_LANE_CODE_NODES */
    /* fewest nodes that the worker has in any run, a divisor of `nodes` */
    uint32_t least_nodes;
    uint32_t plane_words; /* number of nodes in a plane */
    /* True if stores to node memory bypass the host's caches. Stores to transposer slots never
     * do. */
    bool streams;
    uint64_t dead; /* vectors of FPU registers that are not needed after the queue, a bit each */
    const uint32_t *slots[CM_TRANSPOSER_COUNT];
    size_t slot_words; /* number of words of each transposer: slots times nodes of a plane */
};

/* Returns a code generator for queues of at most `capacity` operations on planes of `plane_words`.
 * It uses instructions of the vector unit `vectors`, which the host has. Returns NULL when there is
 * no encoder for it, or when the host refuses memory for code. With `refused`, cm_lane_code_execute
 * always returns false, for tests. */
struct cm_lane_code *cm_lane_code_create(uint32_t capacity, uint32_t plane_words,
                                         enum cm_host vectors, bool refused);
void cm_lane_code_destroy(struct cm_lane_code *code);

/* Returns the numbering of planes that operands may refer to. */
struct cm_lane_numbers *cm_lane_code_planes(struct cm_lane_code *code);
/* Begins a queue: planes are numbered again, with the context flag as plane 0. */
void cm_lane_code_begin(struct cm_lane_code *code, const uint32_t *context);
/* Executes the operations of the queue. Returns false, with no effect, when the host refuses memory
 * or the queue is too large. Sets *crowded when shorter queues would be faster. */
bool cm_lane_code_execute(struct cm_lane_code *code, const struct cm_lane_queue *queue,
                          const struct cm_lane_place *place, bool *crowded);

/* True if the host has refused memory for code, so that loops execute every queue. */
bool cm_lane_code_refused(const struct cm_lane_code *code);

/* Generated code that was executed last. Its parameters are the values of cm_lane_code_planes, and
 * the constants that are stored before these values. They are valid until the next queue is
 * described. */
struct cm_lane_executed {
    struct cm_lane_entry *entry;
    uint32_t plane_count, constant_count;
};
struct cm_lane_executed cm_lane_code_last(const struct cm_lane_code *code);
/* Returns the generation of the generated code. Entries are valid as long as the generation is
 * unchanged. */
uint64_t cm_lane_code_generation(const struct cm_lane_code *code);

/* Arguments of generated code. */
struct cm_lane_run {
    /* Addresses of planes, with the constants stored before the first address. */
    const uint64_t *planes;
    uint32_t *registers;
    uint32_t nodes;
    bool streams;
};
void cm_lane_code_run(struct cm_lane_code *code, struct cm_lane_entry *entry,
                      const struct cm_lane_run *run, bool *crowded);

#endif
