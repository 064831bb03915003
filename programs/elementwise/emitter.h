/* The state of emitting an IMP, shared by the loops over all of a subgrid (compile.c) and over its
 * parts (near.c). */
#ifndef CM_PROGRAMS_ELEMENTWISE_EMITTER_H
#define CM_PROGRAMS_ELEMENTWISE_EMITTER_H

#include "compile.h"

/* What the context flag is. */
struct context {
    bool known;
    bool all;    /* set in every node */
    bool masked; /* and the bit of the garbage mask */
    bool negated;
    uint32_t element; /* of the group */
    uint32_t test;    /* of a condition; HALT: none */
    uint32_t sources[2];
};

struct emitter {
    struct cm_imp *imp;
    const struct cm_elementwise_code *code;
    const struct cm_lower *lower;
    uint8_t address_of[CM_MICRO_ARRAYS];
    uint32_t words_of[CM_MICRO_ARRAYS]; /* an element */
    int64_t pitch_of[CM_MICRO_ARRAYS];  /* words from one local element to the next */
    struct context context;
    const struct cm_near_block *block; /* where elements are, if operands have offsets */
};

enum cm_type cm_elementwise_array_type(const struct cm_lower *lower, uint32_t number);
/* Begins the IMP: its arguments, and what stays in registers. False when out of memory. */
bool cm_emitter_init(struct emitter *m, const struct cm_elementwise_code *code);
/* The vector that begins at `position` of the group, `width` elements of it. */
void cm_emit_vector(struct emitter *m, uint32_t position, uint32_t width);

/* near.c: an element of an array, at a position of the block. */
struct cm_operand cm_near_element(const struct emitter *m, const struct cm_micro *entry,
                                  uint32_t position);

#endif
