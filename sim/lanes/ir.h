/*
 * Intermediate representation (IR) of a queue of deferred operations: the effect of the queue on
 * one lane block, as operations on host vectors in static single assignment form. Each operation
 * makes one value from earlier values, and no value changes afterwards. Host registers, the order
 * of operations and the number of blocks at a time are decided later.
 *
 *   ir_build.c      makes the IR from a signature
 *   ir_values.c     adds operations, and merges equal ones
 *   ir_schedule.c   drops unneeded operations, orders the others, and divides them into loops
 *   allocate.c      assigns host registers and emits instructions
 */
#ifndef CM_SIM_IR_H
#define CM_SIM_IR_H

#include "signature.h"

enum cm_ir_kind {
    /* Leaves: values in memory, read when they are needed, possibly several times. */
    CM_IR_CELL, /* vector `number` of the FPU registers, as it was before the segment */
    /* the same, for one half (number % 2) of the nodes of a joined register, if ir.in_lanes */
    CM_IR_JOINED,
    CM_IR_PLANE,       /* plane `number`, as it was after c stores to it */
    CM_IR_CONSTANT_32, /* constant `number` */
    CM_IR_CONSTANT_64,
    CM_IR_CONTEXT, /* a mask: the context flag, as it was before the segment */
    /* Operations whose value is a vector. */
    CM_IR_VECTOR,     /* an operation on b, or on a and b */
    CM_IR_PERMUTE,    /* permutation `number` (enum cm_ir_permutation) of the words of a and b */
    CM_IR_UPPER,      /* the upper half of a, moved to the lower half */
    CM_IR_INSERT,     /* the lower half of a, followed by the lower half of b */
    CM_IR_BLEND,      /* b where mask c is set, else a */
    CM_IR_MASK_WORDS, /* all ones where mask c is set, else 0 */
    /* Operations whose value is a mask. */
    CM_IR_COMPARE,    /* a comparison of a and b */
    CM_IR_MASK_AND,   /* masks a and b */
    CM_IR_MASK_NOT,   /* complement of mask a */
    CM_IR_MASK_PAIR,  /* masks a and b of the two vectors of a 64-bit value, as one mask */
    CM_IR_MASK_LOWER, /* mask a for the values of CM_IR_JOIN0, if ir.in_lanes */
    CM_IR_MASK_UPPER, /* the upper 8 bits of mask a, for the values of CM_IR_JOIN1 */
    /* Operations without a value. */
    CM_IR_STORE,             /* plane number = a, where mask c is set */
    CM_IR_WRITEBACK,         /* vector `number` of the FPU registers = a */
    CM_IR_WRITEBACK_JOINED,  /* the same, for the leaf CM_IR_JOINED */
    CM_IR_WRITEBACK_CONTEXT, /* the context flag = mask a */
    CM_IR_CALL,              /* call `number` */
};

enum cm_ir_permutation {
    /* JOIN0 and JOIN1: 64-bit values of low words a and high words b, for the first and the last
     * nodes */
    CM_IR_JOIN0,
    CM_IR_JOIN1,
    CM_IR_LOW, /* LOW and HIGH: the low and the high words of 64-bit values a and b */
    CM_IR_HIGH,
    /* if ir.in_lanes: from the order of nodes of a register in memory to that of JOIN0 and JOIN1,
     * and back */
    CM_IR_ORDER0,
    CM_IR_ORDER1,
};

#define CM_IR_NONE UINT32_MAX

struct cm_ir_op {
    uint8_t kind;
    uint8_t op;   /* enum cm_vector_op */
    bool streams; /* true if a store bypasses the host's caches */
    /* indices of operand operations or CM_IR_NONE, and a number that depends on the kind */
    uint32_t a, b, c, number;
    /* number of the operation's unit. Operations of one unit are adjacent, in whatever order units
     * are executed */
    uint32_t unit;
    /* index in `edges` of the first edge of this operation. Edges are operations that must come
     * before this operation. */
    uint32_t edges;
    /* for WRITEBACK kinds: index of the first operation before which it may be placed */
    uint32_t after;
};

/* Call of a kernel, with the symbols of its operands. */
struct cm_ir_call {
    uint16_t operands[CM_LANE_OPERANDS];
    uint16_t kernel, word; /* constants, by number */
    bool adds_number;
};

/* Segment: range of operations that ends with a call of a kernel, or at the end of the queue. */
struct cm_ir_segment {
    uint32_t first, end;
};

struct cm_ir {
    struct cm_ir_op *ops;
    uint32_t count, capacity;
    uint32_t *edges;
    uint32_t edge_count, edge_capacity;
    struct cm_ir_call *calls;
    uint32_t call_count, call_capacity;
    struct cm_ir_segment *segments;
    uint32_t segment_count, segment_capacity;
    uint32_t planes; /* number of planes */
    /* True if the host joins and splits words only within the two halves of its vectors, as AVX2
     * does. JOIN0 then has nodes 0, 1, 4, 5 of every 8 nodes and JOIN1 nodes 2, 3, 6, 7, which is
     * visible only in registers in memory. Masks are vectors then, as wide as what they select. */
    bool in_lanes;
    bool failed; /* true if memory ran out */
};

/* Builds the IR of the queue that a signature describes. Sets ir->failed when out of memory. */
void cm_ir_build(struct cm_ir *ir, const struct cm_signature *signature,
                 const struct cm_lane_rules *rules, bool in_lanes);
void cm_ir_finish(struct cm_ir *ir);

static inline bool cm_ir_is_leaf(const struct cm_ir_op *op)
{
    return op->kind <= CM_IR_CONTEXT;
}

static inline bool cm_ir_is_mask(const struct cm_ir_op *op)
{
    return op->kind == CM_IR_CONTEXT || (op->kind >= CM_IR_COMPARE && op->kind <= CM_IR_MASK_UPPER);
}

static inline bool cm_ir_has_value(const struct cm_ir_op *op)
{
    return op->kind < CM_IR_STORE;
}

/* Loop over the nodes that executes operations order[first] to order[end - 1]. */
struct cm_ir_loop {
    uint32_t first, end;
    uint32_t blocks; /* number of lane blocks at a time */
};

/* Schedule: the operations in execution order, without leaves. */
struct cm_ir_plan {
    uint32_t *order;
    uint32_t count;
    struct cm_ir_loop *loops;
    uint32_t loop_count;
    /* Indices in `order` of the operations that use a value. Those of value v begin at
     * uses[first[v]]. */
    uint32_t *uses, *first;
    bool crowded; /* true if a loop accesses so many planes that shorter queues are faster */
    bool failed;
};
/* Makes a schedule for `registers` host vectors and at most `blocks` lane blocks at a time. */
void cm_ir_plan_make(struct cm_ir_plan *plan, const struct cm_ir *ir, uint32_t registers,
                     uint32_t blocks);
void cm_ir_plan_finish(struct cm_ir_plan *plan);

#endif
