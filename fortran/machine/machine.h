/*
 * Array statements of a running CM Fortran program on the machine.
 *
 * The room turns an array assignment into one IMP. It builds the graph of the statement's
 * expression (expression.c), which programs/elementwise compiles and runs. All arrays of the IMP
 * have one placement, that is one shape and one layout. The array that is assigned, the `model`,
 * fixes the placement. An operand with this placement is read where it is. A section of serial axes
 * is an array of its own for this purpose, a view (view.c). An element at a subscript of a serial
 * axis that depends on data is read in place too (lookup.c). Any other operand is first copied to a
 * temporary with the model's placement:
 * - by shifts (shift.c),
 * - by the router (move.c),
 * - by the communication library (transform.c, axis.c, pack.c),
 * - or by the front end, which evaluates the operand and writes its elements (host/evaluate.c).
 *
 * Levels of optimization:
 * - 0: every shift is a call of its own.
 * - 1: group.c joins neighbouring statements in one IMP. group_shift.c joins their shifts in one
 *   PSHIFT.
 * - 2: an operand that is an array at an offset is a halo reference (halo.c). It is read in place,
 *   unless shifts take fewer cycles (choice.c).
 *
 * Invariants: a function with a `done` flag sets it to false, and changes nothing that the program
 * sees, if the machine does not do the work. Its caller then uses the front end. A refusal by the
 * communication library ends an attempt (setups.c), and does not stop the program. The machine's
 * results are those of the front end, bit for bit, except where run/approximate.h gives bounds.
 *
 * Called by run/ (assignments, WHERE, FORALL) and, through run->hooks, by host/ (reductions). Uses
 * host/ freely, and nothing of run/. Not installed.
 */
#ifndef CM_FORTRAN_MACHINE_H
#define CM_FORTRAN_MACHINE_H

#include "../../programs/collective/collective.h"
#include "../../programs/elementwise/elementwise.h"
#include "../../programs/elementwise/near.h"
#include "../../programs/gather/gather.h"
#include "../../programs/matmul/matmul.h"
#include "../../programs/pshift/pshift.h"
#include "../../programs/pshift/runtime.h"
#include "../../programs/stencil/stencil_halos.h"
#include "../../programs/transpose/transpose.h"
#include "../host/host.h"

/* ---- statements: machine.c, forall.c, reduce.c ---- */

/* Assigns `value` to an array or a section, where the mask (or NULL) is true. Sets *done to false
 * if the target is in the front end, or of a form that the machine does not take. */
enum cm_status cm_fortran_machine_assign(struct cm_fortran_run *run,
                                         const struct cm_fortran_expression *target,
                                         const struct cm_fortran_expression *value,
                                         const struct cm_fortran_array *mask, bool *done);
/* Evaluates an expression into a new array on the machine. Sets *value to NULL if no operand gives
 * the expression a placement. */
enum cm_status cm_fortran_machine_value(struct cm_fortran_run *run,
                                        const struct cm_fortran_expression *expression,
                                        struct cm_fortran_array **value);
/* Makes the masks of a WHERE block from mask->active, within the mask of the outer block (or
 * NULL). Sets *done to false if the masks are not on the machine with one placement. */
enum cm_status cm_fortran_machine_split(struct cm_fortran_run *run,
                                        const struct cm_fortran_array *outer,
                                        struct cm_fortran_mask *mask, bool *done);
/* Executes a FORALL with one assignment. Sets *done to false if it is not an assignment of
 * sections. */
enum cm_status cm_fortran_machine_forall(struct cm_fortran_run *run,
                                         const struct cm_fortran_forall *forall, bool *done);
/* Reduces an array expression to a scalar. Sets *done to false if the machine does not do it. */
enum cm_status cm_fortran_machine_reduce(struct cm_fortran_run *run,
                                         const struct cm_fortran_expression *call,
                                         union cm_fortran_value *value, bool *done);
/* Frees the setups of a run. */
void cm_fortran_setups_finish(struct cm_fortran_run *run);

/* A setup of PSHIFT. run/library.c makes those of the program, group_shift.c those of groups. */
struct cm_fortran_pshift {
    int id; /* that the system has given it */
    struct cm_layout layout;
    struct cm_pshift_pattern patterns[CM_PSHIFT_MAX];
    uint32_t count;
    bool used;     /* false after it was deallocated */
    bool by_group; /* true if group_shift.c made it */
};

/* ---- lowering of an expression: expression.c, machine.c ---- */

/* Most statements of a group. */
#define CM_FORTRAN_GROUP_MAX 16u

/* Most shifts that may be nested in one halo reference. */
#define CM_FORTRAN_STEPS_MAX CM_RANK_MAX

/* A halo reference (level 2): an operand that is an array at an offset. */
struct cm_fortran_halo_reference {
    struct cm_array *src;                        /* NULL: the operand is the array itself */
    int64_t offset[CM_RANK_MAX];                 /* on a circular axis the shortest one */
    struct cm_shift steps[CM_FORTRAN_STEPS_MAX]; /* shifts with the same effect, in order */
    uint32_t step_count;
    bool moved; /* true if it cannot be read in place, so that the steps are executed */
};

/*
 * A statement while it is lowered to an IMP. Every array that the IMP reads or writes has the
 * placement of the model's array. If the model is a section, operands are sections at the same
 * places. Elements outside of the section hold any values, and are not written.
 */
struct cm_fortran_lowering {
    struct cm_fortran_run *run;
    const struct cm_fortran_section *model;
    bool whole; /* true if the section is all of its array, in order */
    /* Shift of the model's array that is done in place, or NULL (onto.c). */
    const struct cm_fortran_expression *onto;
    struct cm_expression *graph; /* graph that nodes are added to, the last one of `imps` */
    /* Graphs of the IMPs that are run in this order: one for each statement of a group, until
     * fuse.c joins them. All number arrays and scalars in the same way. */
    struct cm_expression *imps[CM_FORTRAN_GROUP_MAX];
    uint32_t imp_count;
    struct cm_array *arrays[CM_EXPRESSION_ARRAYS_MAX]; /* arguments of the IMP */
    uint32_t array_count;
    struct cm_scalar scalars[CM_EXPRESSION_SCALARS_MAX]; /* arguments of the IMP */
    uint32_t scalar_count;
    /* Level 1: shifts made before the statement. Their destinations are temporaries. */
    struct cm_shift shifts[CM_PSHIFT_MAX];
    uint32_t shift_count;
    uint32_t shift_calls; /* calls that make the shifts: of PSHIFT, or of a single shift */
    struct cm_fortran_array *temporaries[CM_EXPRESSION_ARRAYS_MAX]; /* owned */
    uint32_t temporary_count;
    /* Level 2: references[i] says what arrays[i] is. NULL: there is no halo reference. */
    struct cm_fortran_halo_reference *references;
    uint32_t reference_count,
        moved_count;          /* halo references read in place, and those shifted instead */
    const char *shift_reason; /* why references are shifted, or NULL */
    char shift_text[CM_FORTRAN_NOTE_BYTES];
    /* Level 2: arrays that are assigned and also read at offsets. The result goes to the array in
     * `replacing`, and the two exchange their node memory at the end. */
    struct cm_array *replaced[CM_EXPRESSION_ARRAYS_MAX], *replacing[CM_EXPRESSION_ARRAYS_MAX];
    uint32_t replaced_count;
    struct cm_fortran_view *views; /* of operands, owned */
    bool apart;                    /* true if the result goes to an array of its own */
    bool looks_up;                 /* true if the graph has tables */
};

/* Begins to lower a statement. The caller has set `run` and `model`, and all else to zero. */
enum cm_status cm_fortran_lowering_begin(struct cm_fortran_lowering *lowering);
/* Begins the graph of the next statement of a group. */
enum cm_status cm_fortran_lowering_next(struct cm_fortran_lowering *lowering);
void cm_fortran_lowering_end(struct cm_fortran_lowering *lowering);
/* Compiles the graphs and runs their assignments. */
enum cm_status cm_fortran_lowering_run(struct cm_fortran_lowering *lowering);

/* ---- fusing: fuse.c ---- */

/* Joins the graphs of neighbouring statements where one IMP takes no more cycles than two, and runs
 * the IMPs. `nears` are the operands at offsets, or NULL. `entry` says how the first IMP is
 * entered. */
enum cm_status cm_fortran_fuse(struct cm_fortran_lowering *lowering,
                               const struct cm_halo_reference *nears, enum cm_entry entry);
/* Frees the choices of a run. */
void cm_fortran_fusing_finish(struct cm_fortran_run *run);

/* Adds the graph node of an expression that has rank 0 or the section's shape. */
enum cm_status cm_fortran_lower(struct cm_fortran_lowering *lowering,
                                const struct cm_fortran_expression *expression, uint32_t *node);
/* Returns true if the graph has the expression's operator or elemental function. The front end
 * evaluates the others. */
bool cm_fortran_graph_has(const struct cm_fortran_expression *expression);
/* Adds the node of an array with the model's placement, and finds the number of its argument. */
enum cm_status cm_fortran_lower_array(struct cm_fortran_lowering *lowering, struct cm_array *array,
                                      uint32_t *node, uint32_t *number);
/* Makes a temporary with the model's placement, which lives until the lowering ends. */
enum cm_status cm_fortran_lower_temporary(struct cm_fortran_lowering *lowering, enum cm_type type,
                                          struct cm_fortran_array **array);
/* Adds the node of an array with the section's shape, in either home. */
enum cm_status cm_fortran_lower_value(struct cm_fortran_lowering *lowering,
                                      const struct cm_fortran_array *value, uint32_t *node);
/* Adds the node of an array in the front end with the section's shape. */
enum cm_status cm_fortran_lower_values(struct cm_fortran_lowering *lowering,
                                       const struct cm_fortran_array *values, uint32_t *node);
/* Adds the node that is true for the elements of the section. Returns 0 if they are all. */
uint32_t cm_fortran_lower_section(struct cm_fortran_lowering *lowering);
/* Assigns a node to an array with the model's placement, where the node `mask` is true. A mask of 0
 * means everywhere. */
enum cm_status cm_fortran_lower_assign(struct cm_fortran_lowering *lowering, struct cm_array *array,
                                       uint32_t value, uint32_t mask);

/* Returns true if an array on the machine has the shape and layout of `model`. The element types
 * may differ. */
bool cm_fortran_same_placement(const struct cm_fortran_array *array,
                               const struct cm_fortran_array *model);
/* Finds the first operand on the machine that has the expression's shape, as a section. If *found,
 * the caller finishes the section. */
enum cm_status cm_fortran_find_model(struct cm_fortran_run *run,
                                     const struct cm_fortran_expression *expression,
                                     struct cm_fortran_section *section, bool *found);
/* Evaluates an expression into a new array with the model's placement. */
enum cm_status cm_fortran_evaluate_at(struct cm_fortran_run *run,
                                      const struct cm_fortran_section *model,
                                      const struct cm_fortran_expression *expression,
                                      struct cm_fortran_array **array);

/* ---- sections: machine.c, move.c ---- */

/* Returns true if the section is its array, element by element in the same order. */
bool cm_fortran_section_is_whole(const struct cm_fortran_section *section);
/* Returns true if the section has all elements of its array, perhaps in another order. */
bool cm_fortran_section_is_all(const struct cm_fortran_section *section);
bool cm_fortran_section_has_vector(const struct cm_fortran_section *section);
/* Makes the section of all elements of an array. It needs no finish. */
void cm_fortran_section_of_all(struct cm_fortran_array *array, struct cm_fortran_section *section);
/* Narrows a section of all elements to those at the first place of an axis, without this axis. */
void cm_fortran_section_drop(struct cm_fortran_section *section, uint32_t axis);

/* ---- views of serial axes: view.c ---- */

/* An array that consists of the elements of another array at some places of its serial axes. */
struct cm_fortran_view {
    struct cm_fortran_array array; /* borrowed. Its `machine` is the next member. */
    struct cm_array machine;
    const struct cm_array *parent;               /* the viewed array */
    struct cm_fortran_range ranges[CM_RANK_MAX]; /* elements along each axis of the parent */
    int64_t step[CM_RANK_MAX];                   /* stride of subscripts along the view's axes */
    struct cm_fortran_array *copy;               /* of the elements, or NULL. Owned. */
    struct cm_fortran_view *next;                /* of the lowering */
};

bool cm_fortran_has_serial_axis(const struct cm_fortran_array *array);
/* Changes a section to a section of a view. The view has the elements that the scalar subscripts of
 * serial axes select. With `triplets` the triplets of serial axes select elements too. Sets
 * *narrowed to false, and leaves the section, if nothing selects elements. */
enum cm_status cm_fortran_section_narrow(struct cm_fortran_run *run,
                                         struct cm_fortran_section *section, bool triplets,
                                         bool *narrowed);
/* Narrows a section that becomes a model, if its statement becomes cheaper. Without `backward`,
 * triplets with negative strides select no elements. */
enum cm_status cm_fortran_narrow_model(struct cm_fortran_run *run,
                                       struct cm_fortran_section *section, bool backward);
/* Copies the elements of a view to a new array. */
enum cm_status cm_fortran_view_copy(struct cm_fortran_run *run, struct cm_fortran_view *view,
                                    struct cm_fortran_array **copy);
/* Adds the node of a section of serial axes. Sets *done to false if it is not read as a view. */
enum cm_status cm_fortran_lower_view(struct cm_fortran_lowering *lowering,
                                     const struct cm_fortran_section *section, bool *done,
                                     uint32_t *node);
/* Sets whether the view is stepped: not if its elements follow each other in node memory. An axis
 * with one local element gets the layout's distance, so that equal views have equal steps. */
void cm_fortran_find_stepped(struct cm_array *machine);
/* Adds the padding of a padded layout to the mask of an assignment (0 for none) if the IMP has
 * views that the garbage mask does not serve. */
uint32_t cm_fortran_mask_padding(struct cm_fortran_lowering *lowering,
                                 const struct cm_array *target, uint32_t mask);
/* Returns true if two array arguments have the same words. */
bool cm_fortran_is_same_array(const struct cm_array *a, const struct cm_array *b);
/* Returns true if an expression is a section of an array on the machine with serial axes, whose
 * subscripts call no functions. */
bool cm_fortran_is_serial_section(struct cm_fortran_run *run,
                                  const struct cm_fortran_expression *expression);
/* Copies such a section to an array with its shape, or `back` to the section. Sets *done to false
 * if the section is not a view with the array's placement. */
enum cm_status cm_fortran_copy_argument(struct cm_fortran_run *run,
                                        const struct cm_fortran_expression *expression,
                                        struct cm_fortran_array *copy, bool back, bool *done);
void cm_fortran_views_finish(struct cm_fortran_lowering *lowering);

/* ---- elements at subscripts that depend on data: lookup.c ---- */

/* Sets *fits to whether the machine can execute the assignment of a value with LOOKUP expressions
 * to a section. */
enum cm_status cm_fortran_lookups_fit(struct cm_fortran_run *run,
                                      const struct cm_fortran_expression *target,
                                      const struct cm_fortran_expression *value, bool *fits);
/* Adds the node of a LOOKUP expression, for which cm_fortran_lookups_fit has set *fits. */
enum cm_status cm_fortran_lower_lookup(struct cm_fortran_lowering *lowering,
                                       const struct cm_fortran_expression *lookup, uint32_t *node);
/* Assigns a value, or a scalar, to the elements of `place`, a LOOKUP, where the mask (or NULL) is
 * true. `base` is the section with the lower bounds as the subscripts of the table. Sets *done to
 * false if the machine cannot. */
enum cm_status cm_fortran_machine_assign_at(struct cm_fortran_run *run,
                                            const struct cm_fortran_expression *base,
                                            const struct cm_fortran_expression *place,
                                            const struct cm_fortran_expression *value,
                                            const struct cm_fortran_expression *mask, bool *done);

/* ---- shifts: shift.c, group_shift.c, onto.c ---- */

/* Returns true if the distance and the boundary of a CSHIFT or EOSHIFT are scalars. */
bool cm_fortran_has_scalar_arguments(const struct cm_fortran_expression *call);
/* Sets lowering->onto to the shift, or the outermost one of several, through which alone `value`
 * reads the model's array, if it is to be done in place. `joins` says whether the statement could
 * join a group. */
enum cm_status cm_fortran_find_onto(struct cm_fortran_lowering *lowering,
                                    const struct cm_fortran_expression *value, bool joins);
/* Finds axis, distance and boundary of a shift by scalars. */
enum cm_status cm_fortran_find_step(struct cm_fortran_lowering *lowering,
                                    const struct cm_fortran_expression *call,
                                    struct cm_shift *shift);
/* Shifts the model's array onto itself by the steps of lowering->onto. */
enum cm_status cm_fortran_shift_onto(struct cm_fortran_lowering *lowering);
/* Adds the node of a CSHIFT or EOSHIFT. Sets *done to false if the model is not a whole array, or
 * an argument is an array. */
enum cm_status cm_fortran_lower_shift(struct cm_fortran_lowering *lowering,
                                      const struct cm_fortran_expression *call, bool *done,
                                      uint32_t *node);
/* Adds the node of a section that lies in its array as the model's section does, at an offset. Both
 * arrays have one placement. Sets *done to false for other sections. */
enum cm_status cm_fortran_lower_part(struct cm_fortran_lowering *lowering,
                                     const struct cm_fortran_section *section, bool *done,
                                     uint32_t *node);
/* Returns true if a section lies in its array as the model's section does, without an offset. */
bool cm_fortran_section_is_in_place(const struct cm_fortran_section *section,
                                    const struct cm_fortran_section *model);
/* Describes a CSHIFT or EOSHIFT of a whole array with scalar arguments, without a destination. */
enum cm_status cm_fortran_find_shift(struct cm_fortran_lowering *lowering,
                                     const struct cm_fortran_expression *call,
                                     struct cm_shift *shift);
/* Adds the shifts of an expression to lowering->shifts. */
enum cm_status cm_fortran_gather_shifts(struct cm_fortran_lowering *lowering,
                                        const struct cm_fortran_expression *expression);
/* Makes the shifts in lowering->shifts, with as few calls of PSHIFT as possible. */
enum cm_status cm_fortran_make_shifts(struct cm_fortran_lowering *lowering);
/* Returns the destination of an equal shift in lowering->shifts, or NULL. */
struct cm_array *cm_fortran_shifted(const struct cm_fortran_lowering *lowering,
                                    const struct cm_shift *shift);

/* ---- halo references, level 2: halo.c, choice.c ---- */

/* Adds the node of an array shifted by `count` steps, as a halo reference. */
enum cm_status cm_fortran_lower_halo_reference(struct cm_fortran_lowering *lowering,
                                               struct cm_array *array, const struct cm_shift *steps,
                                               uint32_t count, uint32_t *node);
/* Runs the assignments of a graph with halo references. Shifts replace halos where the stencil
 * library refuses them. */
enum cm_status cm_fortran_halo_references_run(struct cm_fortran_lowering *lowering);
/* Returns true if shifted copies of all halo references take fewer cycles than halos. */
bool cm_fortran_shifts_are_cheaper(const struct cm_fortran_lowering *lowering);
/* Exchanges the node memory of replaced and replacing arrays. */
void cm_fortran_halo_references_finish(struct cm_fortran_lowering *lowering);
/* Writes how the halo references were served, for a note. Returns the length of the text. */
size_t cm_fortran_halo_references_note(const struct cm_fortran_lowering *lowering, char *text,
                                       size_t size);

/* ---- compiled communication: setups.c ---- */

/* Each finds a setup of the run for the task, or makes one. The run owns it, and may free it when
 * it makes another. */
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
/* Finds or makes halos for a task, and stores them in taken[count]. They differ from the `count`
 * halos before, which the statement uses too. */
enum cm_status cm_fortran_find_halos(struct cm_fortran_run *run,
                                     const struct cm_fortran_halo_task *task,
                                     struct cm_stencil **taken, uint32_t count);

/* Use of the communication library, which may refuse. Between begin and end run->err collects the
 * refusal. The work done there must change nothing that the program sees if it fails. */
struct cm_fortran_attempt {
    struct cm_error err, *outer;
};
void cm_fortran_attempt_begin(struct cm_fortran_run *run, struct cm_fortran_attempt *attempt);
/* Ends an attempt with the status of its work. If the library refused, notes the reason for the
 * statement's line, sets *done to false and returns CM_OK. */
enum cm_status cm_fortran_attempt_end(struct cm_fortran_run *run,
                                      struct cm_fortran_attempt *attempt, enum cm_status status,
                                      bool *done);

/* ---- the router: move.c ---- */

/* Copies a section with another placement to a temporary by the router, and adds the node of the
 * temporary. Sets *done to false if the router cannot (expression.c). */
enum cm_status cm_fortran_lower_moved(struct cm_fortran_lowering *lowering,
                                      const struct cm_fortran_section *from, bool *done,
                                      uint32_t *node);
/* Copies the elements of a section to a section of another array, with the same shape and type.
 * Sets *done to false if an array is not on the machine, or the library refuses. */
enum cm_status cm_fortran_move(struct cm_fortran_run *run, const struct cm_fortran_section *from,
                               const struct cm_fortran_section *to, bool *done);
/* Copies like cm_fortran_move, between arrays on the machine. Returns CM_BAD_INPUT if the library
 * refuses. */
enum cm_status cm_fortran_route(struct cm_fortran_run *run, const struct cm_fortran_section *from,
                                const struct cm_fortran_section *to);
/* Sends elements to the places that subscripts name (CM_GATHER_SEND), or fetches them from there.
 * `subscripts` has an array for each axis of the indexed array. The mask may be NULL. */
enum cm_status cm_fortran_transfer(struct cm_fortran_run *run, enum cm_gather_kind kind,
                                   const struct cm_fortran_array *src, struct cm_fortran_array *dst,
                                   struct cm_fortran_array *const *subscripts,
                                   const struct cm_fortran_array *mask);

/* ---- functions that change the shape of their arguments: transform.c, reduce.c ---- */

/* Computes such a function into a new array, on the machine or, if the library refuses, in the
 * front end. Sets *value to NULL for a call that the machine does not do. The array has the
 * placement of `model` (or NULL) if that is a whole array with the result's shape. */
enum cm_status cm_fortran_machine_transform(struct cm_fortran_run *run,
                                            const struct cm_fortran_expression *call,
                                            const struct cm_fortran_section *model,
                                            struct cm_fortran_array **value);
/* Returns true if an operand of the expression is an array on the machine. */
bool cm_fortran_is_resident(struct cm_fortran_run *run,
                            const struct cm_fortran_expression *expression);
/* Evaluates an expression into an array, which is on the machine if it has elements. It is a
 * variable's array, or the caller's own if *owned. */
enum cm_status cm_fortran_find_operand(struct cm_fortran_run *run,
                                       const struct cm_fortran_expression *expression,
                                       struct cm_fortran_array **array, bool *owned);
/* Returns true for the infinity that the machine gives as the extreme of no elements, or of NaNs
 * alone. Fortran's extreme differs in these cases. */
bool cm_fortran_is_empty_extreme(enum cm_fortran_intrinsic intrinsic, enum cm_type type,
                                 const union cm_fortran_value *value);
/* Returns the machine's operation for a reduction, CM_COLLECTIVE_OPS for other functions. */
enum cm_collective_op cm_fortran_collective_op(enum cm_fortran_intrinsic intrinsic);

#endif
