/*
 * The plan of a vector: micro code in order, for several elements, with registers. The emitter
 * emits the plan once for each vector of the loop body.
 *
 * *Order.* Of an entry's sources, the source that needs more registers comes first (R. Sethi and J.
 * D. Ullman, JACM 17, 1970). The parts of a complex value come one after the other, because they
 * mostly share sources.
 *
 * *Vector.* Each entry is done for all elements of the vector before the next entry, so that a page
 * of DRAM is opened once for the vector.
 *
 * *Registers.* A value gets a register when it is made. If no register is free, the value whose
 * next use is farthest loses its register (L. A. Belady, IBM Systems Journal 5, 1966). A scalar or
 * an element of an array is then read again at its next use, and other values wait in node memory.
 */
#ifndef CM_PROGRAMS_ELEMENTWISE_PLAN_H
#define CM_PROGRAMS_ELEMENTWISE_PLAN_H

#include "micro.h"

#define CM_VECTOR_MAX  8u
#define CM_NO_REGISTER UINT8_MAX

enum cm_step_kind {
    CM_STEP_COMPUTE, /* executes the micro code entry */
    CM_STEP_FETCH,   /* reads a scalar or an array's element again */
    CM_STEP_SPILL,   /* stores a value to node memory, because registers are needed */
    CM_STEP_FILL     /* loads a spilled value */
};

struct cm_vector_step {
    uint32_t entry;  /* number of the entry of micro code */
    uint32_t place;  /* place of a spilled value in node memory, in units of 2 words */
    uint8_t kind;    /* an enum cm_step_kind */
    uint8_t element; /* number of the element in the vector. 0 if the value is shared */
    bool shared;     /* true if the value is the same for all elements */
    uint8_t to;      /* FPU register of the result, or CM_NO_REGISTER */
    uint8_t from[CM_MICRO_SOURCES];
};

struct cm_plan {
    struct cm_lower *lower;
    /* for each array, the number of the first array with the same elements, which operands at
     * offsets have. NULL: each array has elements of its own */
    const uint32_t *same;
    uint32_t vector; /* number of elements in a vector */
    CM_LIST(uint32_t) order;
    CM_LIST(struct cm_vector_step) steps;
    uint8_t *resident; /* register of each scalar slot, or CM_NO_REGISTER */
    uint32_t resident_count;
    uint32_t spill_places;
    uint32_t registers; /* most registers that are in use at a time */
    uint8_t *shared;    /* for each entry, 1 if the value is the same for all elements */
    uint32_t *uses;     /* for each entry, the number of needed entries that use it */
};

/* Plans vectors of at most `vector` elements. Merges products in `lower` into multiply-adds. `same`
 * is the plan's member. Returns false if memory runs out. The caller finishes `schedule` in any
 * case. */
bool cm_plan_init(struct cm_plan *schedule, struct cm_lower *lower, uint32_t vector,
                  const uint32_t *same);
/* Returns true if two arrays have the same elements. */
static inline bool cm_plan_is_same(const struct cm_plan *schedule, uint32_t a, uint32_t b)
{
    if (!schedule->same || a >= CM_EXPRESSION_ARRAYS_MAX || b >= CM_EXPRESSION_ARRAYS_MAX)
        return a == b;
    return schedule->same[a] == schedule->same[b];
}
void cm_plan_finish(struct cm_plan *schedule);

/* Allocates registers (registers.c). This is the second half of cm_plan_init. */
bool cm_plan_registers(struct cm_plan *schedule);

static inline bool cm_micro_same_condition(const struct cm_micro *a, const struct cm_micro *b)
{
    return a->test != CM_OP_HALT && a->test == b->test && a->sources[3] == b->sources[3] &&
           a->sources[4] == b->sources[4];
}

#endif
