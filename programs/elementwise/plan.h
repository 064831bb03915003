/*
 * Micro code in an order, for a vector of elements, with registers: what is emitted for each vector
 * of the subgrid.
 *
 * The order is that of R. Sethi and J. D. Ullman (JACM 17, 1970): of an entry's sources, the one
 * that needs more registers comes first. Each entry is done for all elements of the vector before
 * the next one, so that a page of DRAM is opened once for the vector. Registers go to values as
 * they are made; when none is free, the value whose next use is farthest gives its register up (L.
 * A. Belady, IBM Systems Journal 5, 1966): scalars and elements of arrays are read again, others
 * are kept in node memory.
 */
#ifndef CM_PROGRAMS_ELEMENTWISE_PLAN_H
#define CM_PROGRAMS_ELEMENTWISE_PLAN_H

#include "micro.h"

#define CM_VECTOR_MAX  8u
#define CM_NO_REGISTER UINT8_MAX

enum cm_step_kind {
    CM_STEP_COMPUTE, /* what the entry says */
    CM_STEP_FETCH,   /* an entry that is a scalar or a load, again */
    CM_STEP_SPILL,   /* the value to node memory */
    CM_STEP_FILL     /* and back */
};

struct cm_vector_step {
    uint32_t entry;  /* of micro code */
    uint32_t place;  /* of a spilled value, in units of 2 words */
    uint8_t kind;    /* enum cm_step_kind */
    uint8_t element; /* of the vector; 0 of what all share */
    bool shared;     /* by all elements */
    uint8_t to;      /* FPU register, or CM_NO_REGISTER */
    uint8_t from[CM_MICRO_SOURCES];
};

struct cm_plan {
    struct cm_lower *lower;
    uint32_t vector; /* elements */
    CM_LIST(uint32_t) order;
    CM_LIST(struct cm_vector_step) steps;
    uint8_t *resident; /* of a scalar slot: its register, or CM_NO_REGISTER */
    uint32_t resident_count;
    uint32_t spill_places;
    uint32_t registers; /* in use at most */
    uint8_t *shared;    /* of an entry: whether it is the same for all elements */
    uint32_t *uses;     /* of an entry, by entries that are needed */
};

/* For vectors of at most `vector` elements; false when out of memory. Finish it in any case. Also
 * changes `lower`: products become part of sums. */
bool cm_plan_init(struct cm_plan *schedule, struct cm_lower *lower, uint32_t vector);
void cm_plan_finish(struct cm_plan *schedule);

/* Registers: the second half of cm_plan_init (registers.c). */
bool cm_plan_registers(struct cm_plan *schedule);

static inline bool cm_micro_same_condition(const struct cm_micro *a, const struct cm_micro *b)
{
    return a->test != CM_OP_HALT && a->test == b->test && a->sources[3] == b->sources[3] &&
           a->sources[4] == b->sources[4];
}

#endif
