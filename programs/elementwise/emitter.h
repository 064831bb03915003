/* State of the emission of an IMP. Two emitters share this state: compile.c, which loops over all
 * elements of a node, and near.c, which loops over blocks of elements. */
#ifndef CM_PROGRAMS_ELEMENTWISE_EMITTER_H
#define CM_PROGRAMS_ELEMENTWISE_EMITTER_H

#include "compile.h"

/* Setting of the context flags at a point of the IMP, as far as it is known. */
struct context {
    bool known;
    bool all;    /* true if the flag is set in every node */
    bool masked; /* true if the garbage mask was applied */
    bool negated;
    uint32_t element; /* element of the group whose mask bit or condition set the flag */
    uint32_t test;    /* comparison or CTXREST that set the flag, or HALT for none */
    uint32_t sources[2];
};

struct emitter {
    struct cm_imp *imp;
    const struct cm_elementwise_code *code;
    const struct cm_lower *lower;
    uint8_t address_of[CM_MICRO_ARRAYS];
    uint32_t words_of[CM_MICRO_ARRAYS]; /* number of words of an element, by array */
    /* number of words from one local element to the next, by array */
    int64_t pitch_of[CM_MICRO_ARRAYS];
    struct context context;
    const struct cm_near_block *block; /* block of elements, if operands are at offsets, or NULL */
};

enum cm_type cm_elementwise_array_type(const struct cm_lower *lower, uint32_t number);
/* Begins the IMP: declares its arguments and loads the registers that stay constant. Returns false
 * if memory runs out. */
bool cm_emitter_init(struct emitter *m, const struct cm_elementwise_code *code);
/* Emits the code for a vector of `width` elements that begins at element `position` of the
 * group. */
void cm_emit_vector(struct emitter *m, uint32_t position, uint32_t width);

/* Returns the memory operand for an array's element at a position of the current block (near.c). */
struct cm_operand cm_near_element(const struct emitter *m, const struct cm_micro *entry,
                                  uint32_t position);
/* Returns true if operand number `number` does not change along an axis, so that several elements
 * share its words. */
bool cm_near_is_spread(const struct cm_near_form *form, uint32_t number);

#endif
