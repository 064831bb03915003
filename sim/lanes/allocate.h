/*
 * Register allocation: assigns host registers and stack slots to the values of a loop, and emits
 * the host's instructions.
 */
#ifndef CM_SIM_ALLOCATE_H
#define CM_SIM_ALLOCATE_H

#include "encode_avx512.h"
#include "ir.h"

struct cm_allocator {
    struct cm_x86 x;
    const struct cm_ir *ir;
    const struct cm_ir_plan *plan;
    uint32_t values;     /* number of values */
    int8_t *register_of; /* host register of value v in block b, at b * values + v, or -1 if none */
    int16_t *slot_of;    /* stack slot of value v in block b, at b * values + v, or -1 if none */
    uint32_t *next;      /* per value: index of its first use that is not done yet, at most */
    /* 1 + b * values + v for the value v of block b in each register, or 0 if the register is
     * free */
    uint32_t vectors[CM_X86_VECTORS], masks[CM_X86_MASKS];
    /* registers that the current operation uses, a bit each */
    uint32_t pinned_vectors, pinned_masks;
    bool slots[CM_X86_SLOTS_MAX], mask_slots[CM_X86_MASK_SLOTS_MAX];
    uint32_t most_slots; /* most vector slots in use at a time */
    uint32_t place, end; /* places in the order: current operation, end of the loop */
    uint32_t unit, unit_end;
    uint32_t blocks;
};

/* Initialises an allocator. Returns false when out of memory. cm_allocator_finish must be called
 * in both cases. */
bool cm_allocator_init(struct cm_allocator *e, const struct cm_ir *ir,
                       const struct cm_ir_plan *plan);
void cm_allocator_finish(struct cm_allocator *e);

/* Writes the body of a loop. */
void cm_allocator_emit_loop(struct cm_allocator *e, const struct cm_ir_loop *loop);

#endif
