/* From operations to instructions of the host: where values are while a loop does them. */
#ifndef CM_SIM_LANE_EMIT_H
#define CM_SIM_LANE_EMIT_H

#include "encode_avx512.h"
#include "ir.h"

struct cm_lane_emitter {
    struct cm_x86 x;
    const struct cm_ir *ir;
    const struct cm_ir_plan *plan;
    uint32_t values;     /* how many there are */
    int8_t *register_of; /* of value v in block b, at b * values + v; -1: none */
    int16_t *slot_of;    /* on the stack; the same */
    uint32_t *next;      /* uses of a value up to here have been done */
    uint32_t vectors[CM_X86_VECTORS], masks[CM_X86_MASKS]; /* 1 + b * values + v; 0: free */
    uint32_t pinned_vectors, pinned_masks;                 /* used by the operation, a bit each */
    bool slots[CM_X86_SLOTS_MAX], mask_slots[CM_X86_MASK_SLOTS_MAX];
    uint32_t most_slots; /* of vectors, in use at a time */
    uint32_t place, end; /* in the order: of the operation, of the end of the loop */
    uint32_t unit, unit_end;
    uint32_t blocks;
};

/* False when out of memory; then too it must be finished. */
bool cm_lane_emitter_init(struct cm_lane_emitter *e, const struct cm_ir *ir,
                          const struct cm_ir_plan *plan);
void cm_lane_emitter_finish(struct cm_lane_emitter *e);

/* Writes the body of a loop. */
void cm_lane_emit_loop(struct cm_lane_emitter *e, const struct cm_ir_loop *loop);

#endif
