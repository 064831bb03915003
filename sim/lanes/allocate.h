/*
 * Register allocation for generated code: assigns host registers and stack slots to the values of a
 * loop, and emits the host's instructions.
 */
#ifndef CM_SIM_ALLOCATE_H
#define CM_SIM_ALLOCATE_H

#include "encoder.h"

struct cm_allocator {
    struct cm_x86 x;
    const struct cm_encoder *encoder;
    const struct cm_ir *ir;
    const struct cm_ir_plan *plan;
    uint32_t values; /* number of values */
    /* host register of value v in part b of the lane blocks, at b * values + v, or -1 if none */
    int8_t *register_of;
    /* stack slot of value v in part b, at b * values + v, or -1 if none */
    int16_t *slot_of;
    uint32_t *next; /* [value]: index in plan->uses where the search for its next use begins */
    /* Owner of each host register: 1 + b * values + v if it holds value v of part b, or 0 if
     * it is free. */
    uint32_t vectors[CM_ENCODER_VECTORS_MAX], masks[CM_ENCODER_MASKS_MAX];
    /* registers that the current operation uses, a bit each */
    uint32_t pinned_vectors, pinned_masks;
    bool slots[CM_X86_SLOTS_MAX], mask_slots[CM_X86_MASK_SLOTS_MAX];
    uint32_t most_slots; /* most vector slots in use at a time */
    uint32_t place, end; /* indices in plan->order: current operation, and end of the loop */
    uint32_t unit, unit_end;
    uint32_t blocks; /* number of parts of all lane blocks of the loop */
};

/* Initialises an allocator. Returns false when out of memory. cm_allocator_finish must be called
 * in both cases. */
bool cm_allocator_init(struct cm_allocator *e, const struct cm_ir *ir,
                       const struct cm_ir_plan *plan);
void cm_allocator_finish(struct cm_allocator *e);

/* Writes copies of constants to slots, if the encoder needs them. */
void cm_allocator_copy_constants(struct cm_allocator *e);
/* Writes the host instructions for the body of a loop. */
void cm_allocator_emit_loop(struct cm_allocator *e, const struct cm_ir_loop *loop);

#endif
