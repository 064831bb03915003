/*
 * This header declares partners: pairs of elements that share a channel. If the control of an
 * exchange depends on local bits, two elements of a node can have opposite controls. This is so if
 * their local numbers differ in a set of bits, `with`, that contains an odd number of the control's
 * local bits. Then one element of the pair crosses while its partner stays. Each node decides by
 * its address which element crosses. This header is not installed.
 */
#ifndef CM_PROGRAMS_RESHAPE_RESHAPE_PAIRS_H
#define CM_PROGRAMS_RESHAPE_RESHAPE_PAIRS_H

#include "reshape_streams.h"

/* Linear system over bits (modulo 2): rows in reduced echelon form, each with its highest bit as
 * pivot. */
struct cm_reshape_bits {
    uint64_t rows[64];
    bool right[64];
    uint32_t count;
};
/* Adds the equation "the sum modulo 2 of the bits in `row` is `right`". Returns false if it
 * contradicts the other equations. */
bool cm_reshape_bits_add(struct cm_reshape_bits *bits, uint64_t row, bool right);
/* Solves the linear system. Bits without a pivot are 0. */
uint64_t cm_reshape_bits_solve(const struct cm_reshape_bits *bits);

/* Sequence of elements that cross one dimension under one control, one element in each step. */
struct cm_reshape_run {
    uint32_t dimension; /* logic dimension */
    struct cm_reshape_control control;
    uint64_t step, element, count;
    /* Bits in which the numbers of an element and its partner differ. In each node one of the two
     * crosses, in the same step. 0: the elements have no partners. */
    uint64_t with;
};

enum cm_status cm_reshape_add_elements(const struct cm_reshape_work *work,
                                       const struct cm_reshape_run *run, struct cm_error *err);

/* Appends the sequence `more` to `run` if it continues where `run` ends. Returns false if it does
 * not. */
bool cm_reshape_run_extend(struct cm_reshape_run *run, const struct cm_reshape_run *more);

/* Spreads the bits of `number` over the set bits of `mask`: bit i of `number` goes to the place of
 * the mask's set bit number i, counted from the lowest. */
uint64_t cm_reshape_deposit(uint64_t number, uint64_t mask);

#endif
