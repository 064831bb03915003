/*
 * Values of the IR under construction: the builder of ir_build.c, and functions that add
 * operations. The builder knows the current value of every register vector, of the context flag
 * and of recently stored planes. Equal operations are found by hash and made once.
 *
 * Edges order memory accesses: a store comes after all reads of the plane's old value and after the
 * previous store, and reads of the new value come after the store.
 */
#ifndef CM_SIM_IR_VALUES_H
#define CM_SIM_IR_VALUES_H

#include "ir.h"

/* Element of a list of operations that read a location, a register vector or plane, before it is
 * written again. */
struct cm_ir_reader {
    uint32_t op, next; /* 1 + index of the next reader in the list, or 0 if none */
};

struct cm_ir_plane_use {
    uint32_t written;    /* number of stores so far */
    uint32_t last_store; /* last store in this segment, or CM_IR_NONE */
    uint32_t readers;    /* list of operations that read the plane since the last store */
    /* value that the last store wrote in all nodes, or CM_IR_NONE if unknown */
    uint32_t value;
};

struct cm_ir_builder {
    struct cm_ir *ir;
    const struct cm_signature *signature;
    const struct cm_lane_rules *rules;
    uint32_t at; /* index of the next symbol */
    uint32_t unit;
    uint32_t segment;
    /* Current values of register vectors and, in the last element, of the context flag. CM_IR_NONE
     * means the value before the segment. */
    uint32_t values[CM_LANE_CELLS + 1], readers[CM_LANE_CELLS + 1], after[CM_LANE_CELLS + 1];
    bool written[CM_LANE_CELLS + 1];
    /* true for both vectors of a joined register, if ir->in_lanes */
    bool joined[CM_LANE_CELLS + 1];
    uint32_t later; /* value that will be stored next, or CM_IR_NONE */
    struct cm_ir_plane_use *planes;
    struct cm_ir_reader *list;
    uint32_t list_count, list_capacity;
    uint32_t *index; /* 1 + index of an operation, by hash, or 0 if empty */
    uint32_t index_size, indexed;
};

/* Adds an operation. */
uint32_t cm_ir_append(struct cm_ir_builder *b, struct cm_ir_op op);
/* Adds edges so that operation `op` comes after the given readers. */
void cm_ir_follow_readers(struct cm_ir_builder *b, uint32_t op, uint32_t readers);

/* These functions return an operation with a value: an existing equal operation, or a new one. */

/* Returns a leaf, a value in memory. `version` distinguishes successive values of one location. */
uint32_t cm_ir_leaf(struct cm_ir_builder *b, enum cm_ir_kind kind, uint32_t number,
                    uint32_t version);
uint32_t cm_ir_vector(struct cm_ir_builder *b, enum cm_vector_op op, uint32_t first,
                      uint32_t second);
/* Returns an operation that its kind and its sources describe. */
uint32_t cm_ir_simple(struct cm_ir_builder *b, enum cm_ir_kind kind, uint32_t first,
                      uint32_t second);
uint32_t cm_ir_compare(struct cm_ir_builder *b, enum cm_vector_op op, uint32_t first,
                       uint32_t second);
uint32_t cm_ir_blend(struct cm_ir_builder *b, enum cm_vector_op op, uint32_t clear, uint32_t set,
                     uint32_t mask);
/* Returns a permutation of two vectors. Joining what was split, splitting what was joined, or
 * ordering what was ordered returns the original value. */
uint32_t cm_ir_permute(struct cm_ir_builder *b, enum cm_ir_permutation by, uint32_t first,
                       uint32_t second);
/* Returns the mask for one of the two vectors of a 64-bit value. */
uint32_t cm_ir_half_of_mask(struct cm_ir_builder *b, uint32_t mask, uint32_t half);
/* Returns all ones where the context flag is set, else 0. */
uint32_t cm_ir_context_words(struct cm_ir_builder *b);

/* These functions return current values: of a register vector or (CM_LANE_CELLS) the context flag,
 * of the context flag, and of a plane. */
uint32_t cm_ir_current(struct cm_ir_builder *b, uint32_t cell);
uint32_t cm_ir_context_now(struct cm_ir_builder *b);
uint32_t cm_ir_plane_now(struct cm_ir_builder *b, uint32_t symbol);
/* Sets the current value of a register vector or of the context flag. */
void cm_ir_set(struct cm_ir_builder *b, uint32_t cell, uint32_t value);
/* Adds a store to a plane, where `mask` is set or, for CM_IR_NONE, in all nodes. */
void cm_ir_store(struct cm_ir_builder *b, uint32_t symbol, uint32_t value, uint32_t mask);

#endif
