/* What the files that turn instructions into work on lane blocks share. */
#ifndef CM_SIM_PENDING_PRIVATE_H
#define CM_SIM_PENDING_PRIVATE_H

#include "../host/host.h"
#include "../machine/machine_private.h"

/* A register that may change, and one that does not. */
static inline struct cm_register *cm_pending_register(struct cm_worker *worker, uint32_t reg)
{
    worker->pending.changed |= UINT32_C(1) << reg;
    return &worker->pending.registers[reg];
}

static inline const struct cm_register *cm_pending_same_register(const struct cm_worker *worker,
                                                                 uint32_t reg)
{
    return &worker->pending.registers[reg];
}

/* What a register has changes. */
static inline void cm_pending_become(struct cm_register *r, enum cm_value_kind kind)
{
    r->kind = kind;
    r->stamp = 0;
}

/* 1 + the number of the next work. */
static inline uint64_t cm_pending_next_number(const struct cm_worker *worker)
{
    return worker->pending.queue.first + worker->pending.queue.count + 1;
}

static inline struct cm_lane_operand cm_pending_plane_operand(struct cm_worker *worker,
                                                              const uint32_t *words)
{
    return (struct cm_lane_operand){.at = (uint32_t *)words + worker->lanes.first,
                                    .step = worker->machine->fpu.block_nodes,
                                    .kind = CM_VALUE_MEMORY};
}

static inline struct cm_lane_operand cm_pending_register_operand(const struct cm_worker *worker,
                                                                 uint32_t reg)
{
    const struct cm_fpu *fpu = &worker->machine->fpu;
    return (struct cm_lane_operand){.at = cm_fpu_register(fpu, cm_worker_node(worker), reg),
                                    .step = (uint32_t)cm_fpu_block_words(fpu),
                                    .kind = CM_VALUE_REGISTER};
}

/* The memory words that a register is a copy of, as an operand: one plane, or the first of two. */
static inline struct cm_lane_operand cm_pending_copied_operand(struct cm_worker *worker,
                                                               const struct cm_register *r)
{
    return cm_pending_plane_operand(worker, cm_worker_plane(worker, r->address));
}

/* When work last used or wrote a memory word; words share it, so it may be later. */
static inline struct cm_word_use *cm_pending_word(struct cm_worker *worker, uint64_t address)
{
    uint32_t spread = (uint32_t)address * UINT32_C(2654435769); /* 2^32 over the golden ratio */
    return &worker->pending.words[spread >> (32 - CM_PENDING_WORD_BITS)];
}

/* The work of a number uses memory words, and may write them; code does not ask for that. */
static inline void cm_pending_note(struct cm_worker *worker, uint64_t address, uint32_t words,
                                   uint64_t number, bool writes)
{
    for (uint32_t i = 0; !cm_lane_queue_code(&worker->pending.queue) && i < words; i++) {
        struct cm_word_use *use = cm_pending_word(worker, address + i);
        use->used = use->used > number ? use->used : number;
        if (writes)
            use->written = use->written > number ? use->written : number;
    }
}

static inline bool cm_pending_overlaps(const struct cm_register *r, uint64_t address,
                                       uint64_t words)
{
    return r->address < address + words && address < r->address + (r->wide ? 2 : 1);
}

/* deferred_chain.c: a product of registers becomes a chain. */
struct cm_chain *cm_pending_become_chain(struct cm_worker *worker, struct cm_lane_work *work);

#endif
