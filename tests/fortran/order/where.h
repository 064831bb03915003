/*
 * Where a program computes each expression: on the machine, at the places of some array, or in the
 * front end. A test uses it to write the order of evaluation into a standard Fortran program. It
 * works on the checked program alone. fortran/machine/machine.c and fortran/machine/transform.c
 * take the same decisions while the program runs.
 */
#ifndef CM_TESTS_FORTRAN_ORDER_WHERE_H
#define CM_TESTS_FORTRAN_ORDER_WHERE_H

#include "fortran/check/program.h"

/* The computer that evaluates an expression, as far as the checked program shows. */
enum order_where { ORDER_FRONT_END, ORDER_MACHINE, ORDER_UNSURE };

struct order_dummy;

/* A checked program, and the arrays that its dummy arguments are associated with. */
struct order_map {
    const struct cm_fortran_program *program;
    struct order_dummy *dummies;
    uint32_t dummy_count;
};

/* Finds the array that each dummy argument is associated with. Returns CM_OK or CM_NO_MEMORY. */
enum cm_status order_begin(struct order_map *map, const struct cm_fortran_program *program);
void order_end(struct order_map *map);

/* Returns the variable whose home and layout `variable` has: the actual argument for a dummy
 * argument, and otherwise the variable itself. */
const struct cm_fortran_variable *order_home(const struct order_map *map,
                                             const struct cm_fortran_variable *variable);
/* Returns false for a dummy argument that is passed arrays of several layouts. */
bool order_has_one_layout(const struct order_map *map, const struct cm_fortran_variable *variable);
/* Returns the array operand at whose places the machine evaluates an expression, or NULL if the
 * expression has no such operand. */
const struct cm_fortran_expression *order_model(const struct order_map *map,
                                                const struct cm_fortran_expression *expression);
/* Returns whether any array operand of the expression lives on the machine. */
bool order_is_resident(const struct order_map *map, const struct cm_fortran_expression *expression);
/* Returns whether each subscript of the expression is a plain ":", so that it is a whole array. */
bool order_is_whole(const struct cm_fortran_expression *expression);
/* Returns whether the expression is a section with a vector subscript. */
bool order_has_vector(const struct cm_fortran_expression *expression);
/* Returns whether the expression reads an index of a FORALL. */
bool order_has_index(const struct cm_fortran_expression *expression);
/* Returns whether `target` is assigned by a FORALL. Sets *where to the computer that executes the
 * assignment if so. */
bool order_forall(const struct order_map *map, const struct cm_fortran_expression *target,
                  enum order_where *where);
/* Returns whether the call is a function that the machine computes into an array of another
 * shape. */
bool order_is_transform(const struct order_map *map, const struct cm_fortran_expression *call);

#endif
