/* What the files that bring array statements to the machine share. Not installed. */
#ifndef CM_FORTRAN_MACHINE_PRIVATE_H
#define CM_FORTRAN_MACHINE_PRIVATE_H

#include "../../programs/collective/collective.h"
#include "../../programs/elementwise/elementwise.h"
#include "../../programs/elementwise/near.h"
#include "../../programs/gather/gather.h"
#include "../../programs/matmul/matmul.h"
#include "../../programs/pshift/runtime.h"
#include "../../programs/stencil/stencil_halos.h"
#include "../../programs/transpose/transpose.h"
#include "../run/run_private.h"

/* Shifts of shifts that are seen as one. */
#define CM_FORTRAN_STEPS_MAX CM_RANK_MAX

/* -O2: an operand that is an array at an offset. */
struct cm_fortran_near {
    struct cm_array *src;                        /* NULL: the argument is the array itself */
    int64_t offset[CM_RANK_MAX];                 /* of circular axes the nearest */
    struct cm_shift steps[CM_FORTRAN_STEPS_MAX]; /* that bring it there, in order */
    uint32_t step_count;
    bool moved; /* by these steps: it can't be read in place */
};

/*
 * A statement on its way to the machine. All arrays that its IMP reads and writes have the shape
 * and placement of one array, the model: that of the target. Where the target is a section of the
 * model, so are the operands; elements outside it hold anything, and are not written.
 */
struct cm_fortran_lowering {
    struct cm_fortran_run *run;
    const struct cm_fortran_section *model;
    bool whole; /* the section is all of the model */
    struct cm_expression *graph;
    struct cm_array *arrays[CM_EXPRESSION_ARRAYS_MAX];
    uint32_t array_count;
    struct cm_scalar scalars[CM_EXPRESSION_SCALARS_MAX];
    uint32_t scalar_count;
    /* -O1: shifts that were made before the statement, and where their results are */
    struct cm_shift shifts[CM_PSHIFT_MAX];
    uint32_t shift_count;
    uint32_t shift_calls; /* of PSHIFT, and of the run-time library for a shift alone */
    struct cm_fortran_array *temporaries[CM_EXPRESSION_ARRAYS_MAX];
    uint32_t temporary_count;
    /* -O2: what array arguments are, and how many are operands at offsets */
    struct cm_fortran_near *nears;    /* or NULL: none */
    uint32_t near_count, moved_count; /* that are read in place; that are shifted after all */
    const char *near_reason;          /* why, or NULL */
    char near_text[CM_FORTRAN_NOTE_BYTES];
    /* -O2: arrays that are assigned and read at offsets: the result goes to another array, which
     * then takes its place */
    struct cm_array *replaced[CM_EXPRESSION_ARRAYS_MAX], *replacing[CM_EXPRESSION_ARRAYS_MAX];
    uint32_t replaced_count;
};

/* Begins with everything else zero. */
enum cm_status cm_fortran_lowering_begin(struct cm_fortran_lowering *lowering);
void cm_fortran_lowering_end(struct cm_fortran_lowering *lowering);

/* The node of an expression that conforms with the section, or has rank 0. */
enum cm_status cm_fortran_lower(struct cm_fortran_lowering *lowering,
                                const struct cm_fortran_expression *expression, uint32_t *node);
/* Whether the graph has an operation or elemental function; others are left to the front end. */
bool cm_fortran_graph_has(const struct cm_fortran_expression *expression);
/* The node of an array of the model's placement; the number of its argument. */
enum cm_status cm_fortran_lower_array(struct cm_fortran_lowering *lowering, struct cm_array *array,
                                      uint32_t *node, uint32_t *number);
/* A temporary of the model's placement, which ends with the lowering. */
enum cm_status cm_fortran_lower_temporary(struct cm_fortran_lowering *lowering, enum cm_type type,
                                          struct cm_fortran_array **array);
/* The node of an array of the section's shape, wherever it is. */
enum cm_status cm_fortran_lower_value(struct cm_fortran_lowering *lowering,
                                      const struct cm_fortran_array *value, uint32_t *node);
/* The node of values in the front end, of the section's shape. */
enum cm_status cm_fortran_lower_values(struct cm_fortran_lowering *lowering,
                                       const struct cm_fortran_array *values, uint32_t *node);
/* The node that is true for elements of the section; 0 if it is all of the model. */
uint32_t cm_fortran_lower_section(struct cm_fortran_lowering *lowering);
/* Runs the assignments of the graph. */
enum cm_status cm_fortran_lowering_run(struct cm_fortran_lowering *lowering);

/* Whether an array on the machine has the model's shape and placement. */
bool cm_fortran_is_placed(const struct cm_fortran_array *array,
                          const struct cm_fortran_array *model);

/* shift.c: CSHIFT and EOSHIFT of an array of the model's shape; a section that lies in its
 * array as the section of the model does, but for an offset: *done. */
enum cm_status cm_fortran_lower_shift(struct cm_fortran_lowering *lowering,
                                      const struct cm_fortran_expression *call, bool *done,
                                      uint32_t *node);
enum cm_status cm_fortran_lower_part(struct cm_fortran_lowering *lowering,
                                     const struct cm_fortran_expression *expression, bool *done,
                                     uint32_t *node);

/* A CSHIFT or EOSHIFT of a whole array, with scalar arguments, as a shift without a destination. */
enum cm_status cm_fortran_find_shift(struct cm_fortran_lowering *lowering,
                                     const struct cm_fortran_expression *call,
                                     struct cm_shift *shift);

/* group_shift.c: notes the shifts of an expression; makes those noted; gives the result of one, or
 * NULL. */
enum cm_status cm_fortran_gather_shifts(struct cm_fortran_lowering *lowering,
                                        const struct cm_fortran_expression *expression);
enum cm_status cm_fortran_make_shifts(struct cm_fortran_lowering *lowering);
struct cm_array *cm_fortran_shifted(const struct cm_fortran_lowering *lowering,
                                    const struct cm_shift *shift);

/* halo.c, -O2: the node of an array shifted by steps, an operand at an offset. */
enum cm_status cm_fortran_lower_near(struct cm_fortran_lowering *lowering, struct cm_array *array,
                                     const struct cm_shift *steps, uint32_t count, uint32_t *node);
/* Assigns a node to an array of the model's placement, where a mask is true (0: everywhere). */
enum cm_status cm_fortran_lower_assign(struct cm_fortran_lowering *lowering, struct cm_array *array,
                                       uint32_t value, uint32_t mask);
/* Runs the assignments of a graph that has operands at offsets: with halos, or, where the library
 * refuses, with shifts. */
enum cm_status cm_fortran_near_run(struct cm_fortran_lowering *lowering);
/* choice.c: whether operands of several arrays take fewer cycles as shifted copies. */
bool cm_fortran_shifts_are_cheaper(const struct cm_fortran_lowering *lowering);
/* Puts results in the place of the arrays that they replace. */
void cm_fortran_near_finish(struct cm_fortran_lowering *lowering);
/* What was done, for a note; returns its length. */
size_t cm_fortran_near_note(const struct cm_fortran_lowering *lowering, char *text, size_t size);

/* The first operand of an expression on the machine whose elements conform with the expression's,
 * as a section; *found. The caller finishes the section. */
enum cm_status cm_fortran_find_model(struct cm_fortran_run *run,
                                     const struct cm_fortran_expression *expression,
                                     struct cm_fortran_section *section, bool *found);
/* The expression for all elements of the model, in `array`. */
enum cm_status cm_fortran_evaluate_at(struct cm_fortran_run *run,
                                      const struct cm_fortran_section *model,
                                      const struct cm_fortran_expression *expression,
                                      struct cm_fortran_array **array);
bool cm_fortran_section_is_whole(const struct cm_fortran_section *section);
/* Whether it has all elements of its array, in whatever order. */
bool cm_fortran_section_is_all(const struct cm_fortran_section *section);
bool cm_fortran_section_has_vector(const struct cm_fortran_section *section);

/* All of an array; at the first place of an axis. */
void cm_fortran_section_of_all(struct cm_fortran_array *array, struct cm_fortran_section *section);
void cm_fortran_section_drop(struct cm_fortran_section *section, uint32_t axis);

/* ---- setups.c ---- */

/* A setup for the task: one that the run has, or a new one. */
enum cm_status cm_fortran_find_collective(struct cm_fortran_run *run,
                                          const struct cm_collective_task *task,
                                          struct cm_collective **collective);
enum cm_status cm_fortran_find_gather(struct cm_fortran_run *run, const struct cm_gather_task *task,
                                      struct cm_gather **gather);
enum cm_status cm_fortran_find_transpose(struct cm_fortran_run *run,
                                         const struct cm_transpose_task *task,
                                         struct cm_transpose **transpose);
enum cm_status cm_fortran_find_matmul(struct cm_fortran_run *run, const struct cm_matmul_task *task,
                                      struct cm_matmul **matmul);

struct cm_fortran_halo_task {
    struct cm_layout layout;
    struct cm_stencil_pattern pattern;
};
/* Halos other than the first `count` of `taken`, as taken[count]. */
enum cm_status cm_fortran_find_halos(struct cm_fortran_run *run,
                                     const struct cm_fortran_halo_task *task,
                                     struct cm_stencil **taken, uint32_t count);

/* What the library may refuse: then the front end does it, and a note of the line says why. What
 * lies between begin and end changes nothing that the program sees if it fails. */
struct cm_fortran_attempt {
    struct cm_error err, *outer;
};
void cm_fortran_attempt_begin(struct cm_fortran_run *run, struct cm_fortran_attempt *attempt);
/* CM_OK where the library refused, with *done false. */
enum cm_status cm_fortran_attempt_end(struct cm_fortran_run *run,
                                      struct cm_fortran_attempt *attempt, enum cm_status status,
                                      bool *done);

/* move.c: the elements of a section to a section of the same shape and type of another
 * array; *done unless one of them is not on the machine, or the library refuses. */
enum cm_status cm_fortran_move(struct cm_fortran_run *run, const struct cm_fortran_section *from,
                               const struct cm_fortran_section *to, bool *done);
/* The same of arrays on the machine; CM_BAD_INPUT where the library refuses. */
enum cm_status cm_fortran_route(struct cm_fortran_run *run, const struct cm_fortran_section *from,
                                const struct cm_fortran_section *to);

/* Sends elements to where subscripts say, or gets them from there, an array of subscripts for each
 * axis of the indexed array; where the mask (or NULL) is true. */
enum cm_status cm_fortran_transfer(struct cm_fortran_run *run, enum cm_gather_kind kind,
                                   const struct cm_fortran_array *src, struct cm_fortran_array *dst,
                                   struct cm_fortran_array *const *subscripts,
                                   const struct cm_fortran_array *mask);

/* transform.c: a function that changes the shape of its argument, as a new array, on the
 * machine or, where the library refuses, in the front end; NULL for any that the machine does
 * not do. The array is placed like the model's (or NULL) if that is whole and of its shape. */
enum cm_status cm_fortran_machine_transform(struct cm_fortran_run *run,
                                            const struct cm_fortran_expression *call,
                                            const struct cm_fortran_section *model,
                                            struct cm_fortran_array **value);
/* Whether an array on the machine is among the operands of an expression. */
bool cm_fortran_is_resident(struct cm_fortran_run *run,
                            const struct cm_fortran_expression *expression);
/* The array that an expression is, on the machine if it has elements: *owned, and the caller's,
 * unless it is a variable's. */
enum cm_status cm_fortran_find_operand(struct cm_fortran_run *run,
                                       const struct cm_fortran_expression *expression,
                                       struct cm_fortran_array **array, bool *owned);
/* CM_COLLECTIVE_OPS for functions that are not reductions of the machine. */
/* Whether an extreme is what the machine has of no elements, or of NaNs alone: an infinity of the
 * wrong sign. */
bool cm_fortran_is_of_none(enum cm_fortran_intrinsic intrinsic, enum cm_type type,
                           const union cm_fortran_value *value);
enum cm_collective_op cm_fortran_collective_op(enum cm_fortran_intrinsic intrinsic);

#endif
