/*
 * --to fortran --same-order: what a checked program says about where its arrays are and what
 * operates on them there, so that the text can name the order of each sum. Internal to the library.
 */
#ifndef CM_FORTRAN_SAME_H
#define CM_FORTRAN_SAME_H

#include "../check/program.h"

/* Who computes an expression, as far as the text tells. */
enum cm_same_where { CM_SAME_FRONT_END, CM_SAME_MACHINE, CM_SAME_UNSURE };

struct cm_same_dummy;

struct cm_same {
    const struct cm_fortran_program *program;
    struct cm_same_dummy *dummies;
    uint32_t dummy_count;
};

/* Finds the array that each dummy argument is passed. CM_NO_MEMORY. */
enum cm_status cm_same_begin(struct cm_same *same, const struct cm_fortran_program *program);
void cm_same_end(struct cm_same *same);

/* The variable whose home and layout a variable has: itself; of a dummy argument, what is
 * passed. */
const struct cm_fortran_variable *cm_same_home(const struct cm_same *same,
                                               const struct cm_fortran_variable *variable);
/* False of an argument that arrays of several layouts are passed to. */
bool cm_same_has_one_layout(const struct cm_same *same, const struct cm_fortran_variable *variable);
/* The operand at whose places an expression is computed on the machine; NULL: none is there. */
const struct cm_fortran_expression *cm_same_model(const struct cm_same *same,
                                                  const struct cm_fortran_expression *expression);
/* Whether an operand is on the machine. */
bool cm_same_is_resident(const struct cm_same *same,
                         const struct cm_fortran_expression *expression);
/* Whether it is all of an array, whatever the values of its subscripts. */
bool cm_same_is_whole(const struct cm_fortran_expression *expression);
bool cm_same_has_vector(const struct cm_fortran_expression *expression);
/* Whether it has an index of a FORALL. */
bool cm_same_has_index(const struct cm_fortran_expression *expression);
/* Who computes the FORALL with this target. */
enum cm_same_where cm_same_forall(const struct cm_same *same,
                                  const struct cm_fortran_expression *target);
/* Functions that the machine makes of arrays of another shape. */
bool cm_same_is_transform(const struct cm_same *same, const struct cm_fortran_expression *call);

#endif
