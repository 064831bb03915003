/*
 * What a queue of lane work does to a block of nodes, as operations on vectors of the host: each
 * makes one value, which nothing changes afterwards, of values made before. Where a value is, in
 * which order operations are done, and how many blocks at a time, is decided later.
 *
 *   ir_build.c   a shape to operations; equal ones are one
 *   ir_schedule.c   which are needed; their order; which of them are one loop over the nodes
 *   allocate.c    registers of the host, instructions
 */
#ifndef CM_SIM_LANE_IR_H
#define CM_SIM_LANE_IR_H

#include "signature.h"

enum cm_ir_kind {
    /* Values that are in memory: they are read when they are needed, and again if need be. */
    CM_IR_CELL,        /* number: a vector of an FPU register, as it was before */
    CM_IR_PLANE,       /* number: a plane; c: how often it has been written before */
    CM_IR_CONSTANT_32, /* number: a constant */
    CM_IR_CONSTANT_64,
    CM_IR_CONTEXT, /* a mask: the context flag, as it was before */
    /* Vectors. */
    CM_IR_VECTOR,     /* an instruction on a, if it has a first source, and b */
    CM_IR_PERMUTE,    /* of the words of a and b; number: enum cm_ir_permutation */
    CM_IR_UPPER,      /* the upper half of a, as the lower one */
    CM_IR_INSERT,     /* the lower half of a, and that of b behind it */
    CM_IR_BLEND,      /* an instruction: b where mask c is set, else a */
    CM_IR_MASK_WORDS, /* all ones where mask c is set, else 0 */
    /* Masks. */
    CM_IR_COMPARE,    /* an instruction on a and b */
    CM_IR_MASK_AND,   /* of masks a and b */
    CM_IR_MASK_NOT,   /* of mask a */
    CM_IR_MASK_PAIR,  /* of 8 bits of mask a and 8 of mask b behind them */
    CM_IR_MASK_UPPER, /* the upper 8 bits of mask a */
    /* No values. */
    CM_IR_STORE,        /* plane number = a, where mask c is set */
    CM_IR_KEEP,         /* cell number = a */
    CM_IR_KEEP_CONTEXT, /* the context flag = mask a */
    CM_IR_CALL,         /* number: of the call */
};

enum cm_ir_permutation {
    CM_IR_JOIN0, /* of low words a and high words b the values of the first nodes, of the others */
    CM_IR_JOIN1,
    CM_IR_LOW, /* the low words of values a and b, the high ones */
    CM_IR_HIGH,
};

#define CM_IR_NONE UINT32_MAX

struct cm_ir_op {
    uint8_t kind;
    bool streams; /* a store does */
    struct cm_host_instruction instruction;
    uint32_t a, b, c, number; /* operands are numbers of operations; CM_IR_NONE: none */
    uint32_t unit;  /* operations that follow each other here and stay together have the same one */
    uint32_t edges; /* where the operations that must come before it begin in the list */
    uint32_t after; /* of what keeps a value: the operation behind which it may be done */
};

/* A kernel that is called, with the symbols of its operands. */
struct cm_ir_call {
    uint16_t operands[CM_LANE_OPERANDS];
    uint16_t kernel, word; /* constants */
    bool adds_number;
};

/* Operations are done in segments, the last of which is a call, or all that is left. */
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
    uint32_t planes; /* numbers of planes are below */
    bool failed;     /* out of memory */
};

/* Makes the operations of a shape; whether that failed is in ir->failed. */
void cm_ir_build(struct cm_ir *ir, const struct cm_lane_shape *shape,
                 const struct cm_lane_rules *rules);
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

/* A loop over the nodes: operations order[first] to order[end - 1]. */
struct cm_ir_loop {
    uint32_t first, end;
    uint32_t blocks; /* at a time */
};

/* The operations in the order in which they are done, without leaves. */
struct cm_ir_plan {
    uint32_t *order;
    uint32_t count;
    struct cm_ir_loop *loops;
    uint32_t loop_count;
    /* Where values are used, as places in the order: those of value v begin at uses[first[v]]. */
    uint32_t *uses, *first;
    bool crowded; /* a loop touches so many planes that shorter queues are better */
    bool failed;
};
/* `registers` for vectors of the host; at most `blocks` blocks at a time. */
void cm_ir_plan_make(struct cm_ir_plan *plan, const struct cm_ir *ir, uint32_t registers,
                     uint32_t blocks);
void cm_ir_plan_finish(struct cm_ir_plan *plan);

#endif
