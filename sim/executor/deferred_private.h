/*
 * Functions that the deferred*.c files share: access to registers, operands and uses of memory
 * words.
 */
#ifndef CM_SIM_DEFERRED_PRIVATE_H
#define CM_SIM_DEFERRED_PRIVATE_H

#include "../machine/machine_private.h"

/* These functions return the state of an FPU register: the first one for a caller that changes the
 * state, the second one for reading. */
static inline struct cm_register *cm_deferred_register(struct cm_worker *worker, uint32_t reg)
{
    worker->deferred.changed |= UINT32_C(1) << reg;
    return &worker->deferred.registers[reg];
}

static inline const struct cm_register *cm_deferred_const_register(const struct cm_worker *worker,
                                                                   uint32_t reg)
{
    return &worker->deferred.registers[reg];
}

/* Sets the kind of a register's value, and invalidates its recorded location. */
static inline void cm_deferred_set_kind(struct cm_register *r, enum cm_value_kind kind)
{
    r->kind = kind;
    r->stamp = 0;
}

/* Returns 1 + the number of the next operation. */
static inline uint64_t cm_deferred_next_number(const struct cm_worker *worker)
{
    return worker->deferred.queue.first + worker->deferred.queue.count + 1;
}

static inline struct cm_lane_operand cm_deferred_plane_operand(struct cm_worker *worker,
                                                               const uint32_t *words)
{
    return (struct cm_lane_operand){.at = (uint32_t *)words + worker->lanes.first,
                                    .step = worker->machine->fpu.block_nodes,
                                    .kind = CM_VALUE_MEMORY};
}

static inline struct cm_lane_operand cm_deferred_register_operand(const struct cm_worker *worker,
                                                                  uint32_t reg)
{
    const struct cm_fpu *fpu = &worker->machine->fpu;
    return (struct cm_lane_operand){.at = cm_fpu_register(fpu, cm_worker_node(worker), reg),
                                    .step = (uint32_t)cm_fpu_block_words(fpu),
                                    .kind = CM_VALUE_REGISTER};
}

/* Returns the memory word that a register aliases, as an operand. For a 64-bit alias this is the
 * first of two words. */
static inline struct cm_lane_operand cm_deferred_aliased_operand(struct cm_worker *worker,
                                                                 const struct cm_register *r)
{
    return cm_deferred_plane_operand(worker, cm_worker_plane(worker, r->address));
}

/* Returns the last uses of a memory word. Words with the same hash share an entry, so the recorded
 * uses may be later than the real ones. */
static inline struct cm_word_use *cm_deferred_word(struct cm_worker *worker, uint64_t address)
{
    /* 2^32 divided by the golden ratio */
    uint32_t spread = (uint32_t)address * UINT32_C(2654435769);
    return &worker->deferred.words[spread >> (32 - CM_DEFERRED_WORD_BITS)];
}

/* Records that operation `number` reads or writes memory words. Generated code does not need these
 * records. */
static inline void cm_deferred_record_use(struct cm_worker *worker, uint64_t address,
                                          uint32_t words, uint64_t number, bool writes)
{
    for (uint32_t i = 0; !cm_lane_queue_code(&worker->deferred.queue) && i < words; i++) {
        struct cm_word_use *use = cm_deferred_word(worker, address + i);
        use->used = use->used > number ? use->used : number;
        if (writes)
            use->written = use->written > number ? use->written : number;
    }
}

static inline bool cm_deferred_overlaps(const struct cm_register *r, uint64_t address,
                                        uint64_t words)
{
    return r->address < address + words && address < r->address + (r->wide ? 2 : 1);
}

/* deferred_chain.c: turns a product of registers into a chain of one term, and returns the
 * chain. */
struct cm_chain *cm_deferred_make_chain(struct cm_worker *worker,
                                        struct cm_lane_operation *operation);

#endif
