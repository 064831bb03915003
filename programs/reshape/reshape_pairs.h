/*
 * Pairs of elements that share a channel. Where the control of an exchange depends on local bits,
 * two elements of a node whose local numbers differ by `with` have opposite controls if an odd
 * number of the control's local bits is in `with`: one of the two crosses, the other stays. Which
 * one differs from node to node. Not installed.
 */
#ifndef CM_PROGRAMS_RESHAPE_RESHAPE_PAIRS_H
#define CM_PROGRAMS_RESHAPE_RESHAPE_PAIRS_H

#include "reshape_streams.h"

/* A linear system over bits: rows in reduced echelon form, each with its highest bit as pivot. */
struct cm_reshape_bits {
    uint64_t rows[64];
    bool right[64];
    uint32_t count;
};
/* Adds the equation "the sum of these bits is `right`"; false if it contradicts the others. */
bool cm_reshape_bits_add(struct cm_reshape_bits *bits, uint64_t row, bool right);
/* Solves it; bits without a pivot are 0. */
uint64_t cm_reshape_bits_solve(const struct cm_reshape_bits *bits);

/* A run of elements, one a step, that cross in one dimension under one control. */
struct cm_reshape_run {
    uint32_t dimension; /* logic */
    struct cm_reshape_control control;
    uint64_t step, element, count;
    uint64_t with; /* 0: single elements; else each with its partner, in the same steps */
};

enum cm_status cm_reshape_add_elements(const struct cm_reshape_work *work,
                                       const struct cm_reshape_run *run, struct cm_error *err);

/* Makes `run` longer by `more` if that goes on where it ends; false if it does not. */
bool cm_reshape_run_extend(struct cm_reshape_run *run, const struct cm_reshape_run *more);

/* Bits of `number`, the lowest first, put at the places that `mask` names. */
uint64_t cm_reshape_deposit(uint64_t number, uint64_t mask);

#endif
