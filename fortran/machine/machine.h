/*
 * This header declares how array statements of a running CM Fortran program are executed on the
 * machine.
 *
 * The room fortran/machine turns an array assignment into one IMP. It builds the graph of the
 * statement's expression (expression.c), which programs/elementwise compiles and runs. All arrays
 * of the IMP have the same placement, that is the same shape and layout. The array that is
 * assigned, the `model`, fixes the placement. An operand with this placement is read in place. A
 * section along serial axes counts as an array of its own, called a view (view.c). Elements whose
 * subscripts of serial axes depend on data are also read in place (lookup.c). Any other operand is
 * first copied to a temporary with the model's placement:
 * - by shifts (shift.c),
 * - by the router (move.c),
 * - by the communication library (transform.c, axis.c, pack.c),
 * - or by the front end, which evaluates the operand and writes its elements (host/evaluate.c).
 *
 * Levels of optimization:
 * - 0: every shift is a runtime call of its own.
 * - 1: group.c joins neighbouring statements in one IMP. group_shift.c joins their shifts in one
 *   PSHIFT.
 * - 2: an operand that is an array at an offset is a halo reference (halo.c). It is read in place,
 *   unless shifts take fewer cycles (choice.c).
 *
 * Invariants: a function with a `done` flag sets it to false, and changes nothing that the program
 * sees, if the machine cannot execute its argument. The caller then uses the front end. If the
 * communication library refuses an operation, the attempt ends (setups.c), and the program goes on.
 * The machine's results equal those of the front end, bit for bit, except for results whose bounds
 * run/approximate.h gives.
 *
 * The room run calls this room (assignments, WHERE, FORALL), and the room host calls it through
 * run->hooks (reductions). This room uses host, and not run. This header is not installed.
 */
#ifndef CM_FORTRAN_MACHINE_H
#define CM_FORTRAN_MACHINE_H

#include "../../programs/collective/collective.h"
#include "../../programs/elementwise/bands.h"
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

/* Assigns `value` to an array or a section, where the mask is true, or everywhere if it is NULL.
 * Sets *done to false if the target is in the front end, or has a form that the machine does not
 * support. */
enum cm_status cm_fortran_machine_assign(struct cm_fortran_run *run,
                                         const struct cm_fortran_expression *target,
                                         const struct cm_fortran_expression *value,
                                         const struct cm_fortran_array *mask, bool *done);
/* Evaluates an expression into a new array on the machine. Sets *value to NULL if no operand has a
 * placement that the new array could have. */
enum cm_status cm_fortran_machine_value(struct cm_fortran_run *run,
                                        const struct cm_fortran_expression *expression,
                                        struct cm_fortran_array **value);
/* Makes both masks of a WHERE block from mask->active, within the mask of the outer WHERE block, or
 * NULL. Sets *done to false if the masks are not on the machine with the same placement. */
enum cm_status cm_fortran_machine_split(struct cm_fortran_run *run,
                                        const struct cm_fortran_array *outer,
                                        struct cm_fortran_mask *mask, bool *done);
/* Executes a FORALL that has one assignment. Sets *done to false if the FORALL cannot be rewritten
 * as an assignment of array sections. */
enum cm_status cm_fortran_machine_forall(struct cm_fortran_run *run,
                                         const struct cm_fortran_forall *forall, bool *done);
/* Reduces an array expression to a scalar. Sets *done to false if the machine does not support the
 * reduction. */
enum cm_status cm_fortran_machine_reduce(struct cm_fortran_run *run,
                                         const struct cm_fortran_expression *call,
                                         union cm_fortran_value *value, bool *done);
/* Frees the compiled communication (run->setups). */
void cm_fortran_setups_finish(struct cm_fortran_run *run);

/* A setup of PSHIFT, which describes several shifts. run/library.c makes setups for calls of the
 * program, group_shift.c for groups of statements. */
struct cm_fortran_pshift {
    int id; /* number that the system gave the setup */
    struct cm_layout layout;
    struct cm_pshift_pattern patterns[CM_PSHIFT_MAX];
    uint32_t count;
    bool used;     /* false after the setup was deallocated */
    bool by_group; /* true if group_shift.c made the setup */
};

/* ---- lowering of an expression: expression.c, machine.c ---- */

/* Largest number of statements in a group. */
#define CM_FORTRAN_GROUP_MAX 16u

/* Largest number of nested shifts in one halo reference. */
#define CM_FORTRAN_STEPS_MAX CM_RANK_MAX

/* A halo reference (level 2 of optimization): an operand that is an array at an offset. */
struct cm_fortran_halo_reference {
    /* source array, or NULL if the operand is the array itself */
    struct cm_array *src;
    /* offset along each axis, the shortest equivalent offset if the axis is circular */
    int64_t offset[CM_RANK_MAX];
    /* shifts with the same effect as the offset, in order */
    struct cm_shift steps[CM_FORTRAN_STEPS_MAX];
    uint32_t step_count;
    /* true if the operand cannot be read in place, so that the shifts in `steps` are executed */
    bool moved;
    uint32_t last_graph; /* last graph of the lowering that reads the operand, from 1 */
    /* true if a graph that reads the array, or a later one, assigns the array in place */
    bool settled;
};

/*
 * A statement while it is lowered to an IMP. Every array that the IMP reads or writes has the
 * placement of the model's array, which is the array that the statement assigns. If the model is a
 * section, operands are sections with the same subscripts. Elements outside of the section may have
 * any values, and the IMP does not write them.
 */
struct cm_fortran_lowering {
    struct cm_fortran_run *run;
    const struct cm_fortran_section *model;
    bool whole; /* true if the model is all of its array, in the array's order */
    /* Shift of the model's array that is executed in place, or NULL (onto.c). */
    const struct cm_fortran_expression *onto;
    /* graph that nodes are added to, which is the last graph of `imps` */
    struct cm_expression *graph;
    /* Graphs of the IMPs, in the order of their execution: one graph for each statement of a group,
     * until fuse.c joins graphs. Array and scalar numbers mean the same arguments in all graphs. */
    struct cm_expression *imps[CM_FORTRAN_GROUP_MAX];
    uint32_t imp_count;
    struct cm_array *arrays[CM_EXPRESSION_ARRAYS_MAX]; /* arguments of the IMP */
    uint32_t array_count;
    struct cm_scalar scalars[CM_EXPRESSION_SCALARS_MAX]; /* arguments of the IMP */
    uint32_t scalar_count;
    /* Level 1: shifts that are executed before the statement. Their destinations are temporary
     * arrays. */
    struct cm_shift shifts[CM_PSHIFT_MAX];
    uint32_t shift_count;
    /* number of calls for the shifts, each to PSHIFT or to the runtime's single shift */
    uint32_t shift_calls;
    /* temporary arrays, which the lowering owns */
    struct cm_fortran_array *temporaries[CM_EXPRESSION_ARRAYS_MAX];
    uint32_t temporary_count;
    /* Level 2: references[i] describes how arrays[i] is read, at an offset or in place. NULL if no
     * operand is a halo reference. */
    struct cm_fortran_halo_reference *references;
    uint32_t reference_count,
        /* number of halo references read in place, and of those replaced by shifted copies */
        moved_count;
    /* reason why halo references are replaced by shifted copies, or NULL */
    const char *shift_reason;
    char shift_text[CM_FORTRAN_NOTE_BYTES];
    /* Level 2: arrays that the statement assigns and also reads at offsets. The result goes to the
     * array in `replacing`. At the end the two arrays exchange their node memory, if `exchanged` is
     * true, or else the result is copied (result.c). */
    struct cm_array *replaced[CM_EXPRESSION_ARRAYS_MAX], *replacing[CM_EXPRESSION_ARRAYS_MAX];
    bool exchanged[CM_EXPRESSION_ARRAYS_MAX];
    uint32_t replaced_count;
    /* Halo references to arrays that are assigned in place: true if there are any, the axes along
     * which they have offsets, and those of these axes along which the elements are computed from
     * the high end, a bit each (cm_near_arguments). */
    bool ordered;
    uint32_t ordered_axes, down;
    /* for each graph, number of the first graphs that must not be in the same IMP */
    uint32_t after[CM_FORTRAN_GROUP_MAX];
    /* views that operands are read through, which the lowering owns */
    struct cm_fortran_view *views;
    /* true if the result goes to a new array, false if it goes to the assigned array */
    bool apart;
    /* True if node memory has no room for the temporary arrays of the statement. At every level,
     * shifted operands are then halo references, and results are stored in bands (bands.c). */
    bool in_bands;
    /* In bands: shifts around the expression that is lowered, in the order of their execution. Each
     * array of the expression is shifted by them. */
    const struct cm_shift *around;
    uint32_t around_count;
    struct cm_bands *bands; /* buffers for the results, which the lowering owns, or NULL */
    bool looks_up;          /* true if a graph has look-ups or stores in tables */
};

/* Begins to lower a statement. The caller has set the members `run` and `model` (and perhaps `onto`
 * and `apart`), and the other members to zero. */
enum cm_status cm_fortran_lowering_begin(struct cm_fortran_lowering *lowering);
/* Begins the graph of the next statement of a group of statements. */
enum cm_status cm_fortran_lowering_next(struct cm_fortran_lowering *lowering);
void cm_fortran_lowering_end(struct cm_fortran_lowering *lowering);
/* Compiles the lowering's graphs to IMPs, and runs the IMPs. */
enum cm_status cm_fortran_lowering_run(struct cm_fortran_lowering *lowering);

/* ---- fusing: fuse.c ---- */

/* Joins the graphs of neighbouring statements into one IMP if it takes no more cycles than separate
 * IMPs, and runs the IMPs. `nears` describes which operands are read at offsets, or is NULL.
 * `entry` says how the front end starts the first IMP. */
enum cm_status cm_fortran_fuse(struct cm_fortran_lowering *lowering,
                               const struct cm_halo_reference *nears, enum cm_entry entry);
/* Frees the choices that fuse.c keeps for a run. */
void cm_fortran_fusing_finish(struct cm_fortran_run *run);

/* Adds a graph node for an expression, which has rank 0 or the shape of the model's section. */
enum cm_status cm_fortran_lower(struct cm_fortran_lowering *lowering,
                                const struct cm_fortran_expression *expression, uint32_t *node);
/* Returns true if the graph supports the expression's operator or elemental function. The front end
 * evaluates other expressions. */
bool cm_fortran_graph_has(const struct cm_fortran_expression *expression);
/* Adds a graph node for an array that has the model's placement, and finds the number of the array
 * among the IMP's array arguments. */
enum cm_status cm_fortran_lower_array(struct cm_fortran_lowering *lowering, struct cm_array *array,
                                      uint32_t *node, uint32_t *number);
/* Makes a temporary array with the model's placement, which the lowering frees at its end. */
enum cm_status cm_fortran_lower_temporary(struct cm_fortran_lowering *lowering, enum cm_type type,
                                          struct cm_fortran_array **array);
/* Adds a graph node for an array, in the front end or on the machine, that has the shape of the
 * model's section. */
enum cm_status cm_fortran_lower_value(struct cm_fortran_lowering *lowering,
                                      const struct cm_fortran_array *value, uint32_t *node);
/* Adds a graph node for an array in the front end that has the shape of the model's section. Copies
 * the array to the machine first. */
enum cm_status cm_fortran_lower_values(struct cm_fortran_lowering *lowering,
                                       const struct cm_fortran_array *values, uint32_t *node);
/* Adds a graph node that is true for the elements of the section that the statement assigns. Adds
 * nothing and returns 0 if the section has all elements of its array. */
uint32_t cm_fortran_lower_section(struct cm_fortran_lowering *lowering);
/* Adds an assignment to the expression graph: the elements of `array` become the values of graph
 * node `value` where graph node `mask` is true. A mask of 0 means all elements. The array is laid
 * out as the lowering's model, which is the array whose elements the graph loops over. */
enum cm_status cm_fortran_lower_assign(struct cm_fortran_lowering *lowering, struct cm_array *array,
                                       uint32_t value, uint32_t mask);

/* Returns true if `array` is on the machine and has the shape and layout of `model`. The element
 * types may differ. */
bool cm_fortran_same_placement(const struct cm_fortran_array *array,
                               const struct cm_fortran_array *model);
/* Finds the first operand on the machine that has the expression's shape, as a section. If *found
 * is true, the caller finishes the section. */
enum cm_status cm_fortran_find_model(struct cm_fortran_run *run,
                                     const struct cm_fortran_expression *expression,
                                     struct cm_fortran_section *section, bool *found);
/* Evaluates an expression into a new array that has the model's placement. */
enum cm_status cm_fortran_evaluate_at(struct cm_fortran_run *run,
                                      const struct cm_fortran_section *model,
                                      const struct cm_fortran_expression *expression,
                                      struct cm_fortran_array **array);

/* ---- sections: machine.c, move.c ---- */

/* Returns true if the section has all elements of its array, in the same order. */
bool cm_fortran_section_is_whole(const struct cm_fortran_section *section);
/* Returns true if the section has all elements of its array, perhaps in another order. */
bool cm_fortran_section_is_all(const struct cm_fortran_section *section);
bool cm_fortran_section_has_vector(const struct cm_fortran_section *section);
/* Makes the section of all elements of an array. cm_fortran_section_finish() need not be called. */
void cm_fortran_section_of_all(struct cm_fortran_array *array, struct cm_fortran_section *section);
/* Narrows a section that has all elements to the elements at the first index of an axis. The
 * section then lacks this axis. */
void cm_fortran_section_drop(struct cm_fortran_section *section, uint32_t axis);

/* ---- views of serial axes: view.c ---- */

/* An array that consists of selected elements of another array: a serial axis of the other array
 * may have only some of its indices. */
struct cm_fortran_view {
    /* the view as an array, which is borrowed. Its `machine` is the next member */
    struct cm_fortran_array array;
    struct cm_array machine;
    const struct cm_array *parent; /* array whose elements the view shows */
    /* indices of the parent that the view has, along each axis of the parent */
    struct cm_fortran_range ranges[CM_RANK_MAX];
    /* stride of the parent's subscripts along each axis of the view */
    int64_t step[CM_RANK_MAX];
    /* copy of the view's elements, which the view owns, or NULL */
    struct cm_fortran_array *copy;
    struct cm_fortran_view *next; /* next view of the lowering, or NULL */
};

bool cm_fortran_has_serial_axis(const struct cm_fortran_array *array);
/* Replaces a section by a section of a view. The view has the elements that the scalar subscripts
 * of serial axes select. If `triplets` is true, triplets of serial axes select elements, too. If no
 * subscript selects elements, sets *narrowed to false and does not change the section. */
enum cm_status cm_fortran_section_narrow(struct cm_fortran_run *run,
                                         struct cm_fortran_section *section, bool triplets,
                                         bool *narrowed);
/* Narrows a section, before it becomes a model, to a view if this makes its statement cheaper. If
 * `backward` is false, triplets with negative strides do not become a view. */
enum cm_status cm_fortran_narrow_model(struct cm_fortran_run *run,
                                       struct cm_fortran_section *section, bool backward);
/* Copies the elements of a view to a new array on the machine. */
enum cm_status cm_fortran_view_copy(struct cm_fortran_run *run, struct cm_fortran_view *view,
                                    struct cm_fortran_array **copy);
/* Adds a graph node for a section of an array that has serial axes. Sets *done to false if the
 * section is not read as a view. */
enum cm_status cm_fortran_lower_view(struct cm_fortran_lowering *lowering,
                                     const struct cm_fortran_section *section, bool *done,
                                     uint32_t *node);
/* Sets the member `stepped` of a view: false if its elements are adjacent in node memory. An axis
 * with one element in a node gets the distance that the layout has, so that equal views have equal
 * distances. */
void cm_fortran_find_stepped(struct cm_array *machine);
/* Makes a mask false in the padding of the assignment's layout. `mask` is a graph node, or 0 for no
 * mask. Returns the node of the new mask. If nothing is padded, that is `mask`. */
uint32_t cm_fortran_leave_out_padding(struct cm_fortran_lowering *lowering, uint32_t mask);
/* Excludes the padding of a padded layout from the mask of an assignment, if the IMP has views that
 * the garbage mask cannot serve. `mask` is a graph node, or 0 for no mask. Returns the node of the
 * new mask. */
uint32_t cm_fortran_mask_padding(struct cm_fortran_lowering *lowering,
                                 const struct cm_array *target, uint32_t mask);
/* Returns true if two array arguments have the same elements in node memory. */
bool cm_fortran_is_same_array(const struct cm_array *a, const struct cm_array *b);
/* Returns true if an expression is a section, with subscripts that call no functions, of an array
 * on the machine that has serial axes. */
bool cm_fortran_is_serial_section(struct cm_fortran_run *run,
                                  const struct cm_fortran_expression *expression);
/* Copies a section, for which cm_fortran_is_serial_section() is true, to an array with its shape.
 * If `back` is true, copies the array to the section. Sets *done to false if the section is not a
 * view with the array's placement. */
enum cm_status cm_fortran_copy_argument(struct cm_fortran_run *run,
                                        const struct cm_fortran_expression *expression,
                                        struct cm_fortran_array *copy, bool back, bool *done);
void cm_fortran_views_finish(struct cm_fortran_lowering *lowering);

/* ---- elements at subscripts that depend on data: lookup.c ---- */

/* Sets *fits to true if the machine can assign a value with LOOKUP expressions to a section. */
enum cm_status cm_fortran_lookups_fit(struct cm_fortran_run *run,
                                      const struct cm_fortran_expression *target,
                                      const struct cm_fortran_expression *value, bool *fits);
/* Adds a graph node for a LOOKUP expression, for which cm_fortran_lookups_fit() has set *fits to
 * true. */
enum cm_status cm_fortran_lower_lookup(struct cm_fortran_lowering *lowering,
                                       const struct cm_fortran_expression *lookup, uint32_t *node);
/*
 * Assigns a value, which may be a scalar, to the elements that the LOOKUP expression `place` names,
 * where the mask is true, or everywhere if it is NULL. `base` is the section that has lower bounds
 * instead of the subscripts that depend on data. Sets *done to false if the machine cannot execute
 * the assignment.
 */
enum cm_status cm_fortran_machine_assign_at(struct cm_fortran_run *run,
                                            const struct cm_fortran_expression *base,
                                            const struct cm_fortran_expression *place,
                                            const struct cm_fortran_expression *value,
                                            const struct cm_fortran_expression *mask, bool *done);

/* ---- shifts: shift.c, group_shift.c, onto.c ---- */

/* Returns true if an expression is a call of CSHIFT or EOSHIFT. */
bool cm_fortran_is_shift(const struct cm_fortran_expression *expression);
/* Returns true if a variable is the array on the machine. */
bool cm_fortran_is_array(struct cm_fortran_run *run, const struct cm_fortran_expression *expression,
                         const struct cm_array *array);
/* Returns true if the lowering reads shifted operands in place, as halo references. */
bool cm_fortran_reads_in_place(const struct cm_fortran_lowering *lowering);
/* Returns true if the distance and the boundary of a CSHIFT or EOSHIFT are scalars. */
bool cm_fortran_has_scalar_arguments(const struct cm_fortran_expression *call);
/* Sets lowering->onto to the shift that is to be executed in place, or to NULL. `value` must read
 * the model's array only through this shift, or chain of shifts, of which the outermost shift is
 * stored. `joins` is true if the statement could join a group. */
enum cm_status cm_fortran_find_onto(struct cm_fortran_lowering *lowering,
                                    const struct cm_fortran_expression *value, bool joins);
/* Finds the axis, distance and boundary of a shift whose arguments are scalars. */
enum cm_status cm_fortran_find_step(struct cm_fortran_lowering *lowering,
                                    const struct cm_fortran_expression *call,
                                    struct cm_shift *shift);
/* Shifts the model's array in place, by lowering->onto and the shifts within it. */
enum cm_status cm_fortran_shift_onto(struct cm_fortran_lowering *lowering);
/* Adds a graph node for a CSHIFT or EOSHIFT. Sets *done to false if the model is not a whole array,
 * or if the distance or boundary of the shift is an array. */
enum cm_status cm_fortran_lower_shift(struct cm_fortran_lowering *lowering,
                                      const struct cm_fortran_expression *call, bool *done,
                                      uint32_t *node);
/* Adds a graph node for a section whose subscripts are those of the model's section plus an offset.
 * Both arrays have the same placement. Sets *done to false for other sections. */
enum cm_status cm_fortran_lower_part(struct cm_fortran_lowering *lowering,
                                     const struct cm_fortran_section *section, bool *done,
                                     uint32_t *node);
/* Returns true if a section and the model's section have the same subscripts, without an offset. */
bool cm_fortran_section_is_in_place(const struct cm_fortran_section *section,
                                    const struct cm_fortran_section *model);
/* Adds a graph node for an array that is shifted by the shifts in lowering->around. */
enum cm_status cm_fortran_lower_shifted(struct cm_fortran_lowering *lowering,
                                        struct cm_array *array, uint32_t *node);
/* Describes a CSHIFT or EOSHIFT of a whole array with scalar arguments. The caller sets the
 * destination. */
enum cm_status cm_fortran_find_shift(struct cm_fortran_lowering *lowering,
                                     const struct cm_fortran_expression *call,
                                     struct cm_shift *shift);
/* Adds all shifts within an expression to lowering->shifts. */
enum cm_status cm_fortran_gather_shifts(struct cm_fortran_lowering *lowering,
                                        const struct cm_fortran_expression *expression);
/* Executes the shifts in lowering->shifts, with as few calls of PSHIFT as possible. */
enum cm_status cm_fortran_make_shifts(struct cm_fortran_lowering *lowering);
/* Returns the destination of the shift in lowering->shifts that equals `shift`, or NULL. */
struct cm_array *cm_fortran_shifted(const struct cm_fortran_lowering *lowering,
                                    const struct cm_shift *shift);

/* ---- halo references, level 2: halo.c, choice.c ---- */

/* Returns the shortest offset that is equivalent to `offset` along a circular axis. */
int64_t cm_fortran_nearest(int64_t offset, int64_t length);
/* Adds a graph node for an array that is shifted by `count` steps, as a halo reference. */
enum cm_status cm_fortran_lower_halo_reference(struct cm_fortran_lowering *lowering,
                                               struct cm_array *array, const struct cm_shift *steps,
                                               uint32_t count, uint32_t *node);
/* Runs the lowering's graphs, whose operands may be halo references. A halo reference that the
 * stencil library refuses is replaced by a shifted copy. */
enum cm_status cm_fortran_halo_references_run(struct cm_fortran_lowering *lowering);
/* Returns true if shifted copies of all operands that are halo references take fewer cycles than
 * halo exchanges. */
bool cm_fortran_shifts_are_cheaper(const struct cm_fortran_lowering *lowering);
/* Returns the last of a halo reference's steps along an axis, or NULL if it has no such step. */
const struct cm_shift *cm_fortran_step_along(const struct cm_fortran_halo_reference *reference,
                                             uint32_t axis);
/* Writes, as text for --explain, how many halo references were read in place, and how many were
 * shifted and why. Returns the length of the text. */
size_t cm_fortran_halo_references_note(const struct cm_fortran_lowering *lowering, char *text,
                                       size_t size);

/* ---- results of statements with halo references: result.c ---- */

/* Lets results go to the assigned arrays themselves where no operand reads these arrays, and any
 * graphs become one IMP, after all halo references were replaced by shifted copies. */
void cm_fortran_results_settle(struct cm_fortran_lowering *lowering);
/* Brings the results in lowering->replacing to the arrays in lowering->replaced. */
enum cm_status cm_fortran_results_finish(struct cm_fortran_lowering *lowering);

/* ---- statements without temporary arrays: bands.c ---- */

/* Returns the largest number of temporary arrays that the shifts of an expression need at the run's
 * level, if it is assigned to `target`. `onto` is a shift that needs none, or NULL. */
uint32_t cm_fortran_count_temporaries(struct cm_fortran_run *run,
                                      const struct cm_fortran_expression *value,
                                      const struct cm_fortran_expression *onto,
                                      const struct cm_array *target);
/* Returns true if node memory has room for `count` temporary arrays like `model`, and for halos or
 * tables next to each of them. */
bool cm_fortran_has_room(struct cm_fortran_run *run, const struct cm_fortran_array *model,
                         uint32_t count);
/* Sets lowering->in_bands to whether node memory has no room for the temporary arrays of the
 * statement that assigns `value` to the model. */
void cm_fortran_find_bands(struct cm_fortran_lowering *lowering,
                           const struct cm_fortran_expression *value);
/* Makes the buffers for the results of an assignment to an array that the statement reads by halo
 * references. */
enum cm_status cm_fortran_bands_begin(struct cm_fortran_lowering *lowering, struct cm_array *array);
/* Runs the statement band by band. The parameters are those of cm_fortran_fuse(). */
enum cm_status cm_fortran_bands_run(struct cm_fortran_lowering *lowering,
                                    const struct cm_halo_reference *nears, enum cm_entry entry);

/* ---- halo references in padded layouts: padding.c ---- */

/* Makes the layout in which the places of each axis, padding included, form an unpadded ring. */
void cm_fortran_ring_layout(const struct cm_layout *layout, struct cm_layout *ring);
/* Returns true if the padding of an axis has room for the elements that operands at an offset, or
 * at the opposite offset, read beyond the ends of the axis. */
bool cm_fortran_padding_takes(const struct cm_axis *axis, int64_t offset);
/* Stores in the padding of an array what the terms of a pattern read beyond the ends of padded
 * axes. The array has the layout of the ring, and `axes` are those of its own layout. */
enum cm_status cm_fortran_fill_padding(struct cm_fortran_run *run, struct cm_array *array,
                                       const struct cm_axis *axes,
                                       const struct cm_stencil_pattern *pattern,
                                       const struct cm_scalar *boundaries);

/* ---- compiled communication: setups.c ---- */

/* These functions find the run's setup for a task, or make it. A task names an operation of the
 * communication library and the layouts of its arrays. The run owns the setup, and may free it when
 * it makes another setup. */
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
/* Finds or makes halos for an array layout and its offsets (`task`), and stores them in
 * taken[count]. The statement already uses the halos in taken[0] to taken[count - 1], so that
 * others are taken. */
enum cm_status cm_fortran_find_halos(struct cm_fortran_run *run,
                                     const struct cm_fortran_halo_task *task,
                                     struct cm_stencil **taken, uint32_t count);

/* Frees the halos that the run keeps. No statement may be using them. Returns false if the run
 * keeps no halos. */
bool cm_fortran_drop_halos(struct cm_fortran_run *run);

/* An attempt to use the communication library, which may refuse the operation. Between
 * cm_fortran_attempt_begin() and cm_fortran_attempt_end(), run->err points to the attempt's own
 * error. An operation that fails in between must change nothing that the program sees. */
struct cm_fortran_attempt {
    struct cm_error err, *outer;
};
void cm_fortran_attempt_begin(struct cm_fortran_run *run, struct cm_fortran_attempt *attempt);
/* Ends an attempt. `status` is the result of its operations. If the library refused (CM_BAD_INPUT),
 * notes the reason for the statement's line, sets *done to false and returns CM_OK. */
enum cm_status cm_fortran_attempt_end(struct cm_fortran_run *run,
                                      struct cm_fortran_attempt *attempt, enum cm_status status,
                                      bool *done);

/* ---- the router: move.c ---- */

/* Copies a section that has another placement than the model to a temporary array, by the router,
 * and adds a graph node for this array. Sets *done to false if the router cannot copy the section
 * (expression.c). */
enum cm_status cm_fortran_lower_moved(struct cm_fortran_lowering *lowering,
                                      const struct cm_fortran_section *from, bool *done,
                                      uint32_t *node);
/* Copies the elements of a section to a section of another array, which has the same shape and
 * type. Sets *done to false if one of the arrays is not on the machine, or if the communication
 * library refuses. */
enum cm_status cm_fortran_move(struct cm_fortran_run *run, const struct cm_fortran_section *from,
                               const struct cm_fortran_section *to, bool *done);
/* Copies between sections of arrays on the machine, like cm_fortran_move(). Returns CM_BAD_INPUT if
 * the communication library refuses. */
enum cm_status cm_fortran_route(struct cm_fortran_run *run, const struct cm_fortran_section *from,
                                const struct cm_fortran_section *to);
/* Sends each element to the element that its subscripts name (CM_GATHER_SEND), or fetches the
 * element that they name (CM_GATHER_GET). `subscripts` has an array for each axis of the array that
 * is indexed. The mask may be NULL. */
enum cm_status cm_fortran_transfer(struct cm_fortran_run *run, enum cm_gather_kind kind,
                                   const struct cm_fortran_array *src, struct cm_fortran_array *dst,
                                   struct cm_fortran_array *const *subscripts,
                                   const struct cm_fortran_array *mask);

/* ---- functions that change the shape of their arguments: transform.c, reduce.c ---- */

/*
 * Computes a function that changes the shape of its arguments into a new array, on the machine or,
 * if the communication library refuses, in the front end. Sets *value to NULL if the machine does
 * not support the call. The new array has the placement of `model` if `model` is a whole array with
 * the result's shape. `model` may be NULL.
 */
enum cm_status cm_fortran_machine_transform(struct cm_fortran_run *run,
                                            const struct cm_fortran_expression *call,
                                            const struct cm_fortran_section *model,
                                            struct cm_fortran_array **value);
/* Returns true if an operand of the expression is an array on the machine. */
bool cm_fortran_is_resident(struct cm_fortran_run *run,
                            const struct cm_fortran_expression *expression);
/* Evaluates an expression into an array, which is on the machine if it has elements. It may be the
 * array of a variable. If *owned is true, it is a new array, which the caller destroys. */
enum cm_status cm_fortran_find_operand(struct cm_fortran_run *run,
                                       const struct cm_fortran_expression *expression,
                                       struct cm_fortran_array **array, bool *owned);
/* Returns true if the value of a MAXVAL or MINVAL is the infinity that the machine computes for no
 * elements, or for NaNs alone. Fortran has other values in these cases. */
bool cm_fortran_is_empty_extreme(enum cm_fortran_intrinsic intrinsic, enum cm_type type,
                                 const union cm_fortran_value *value);
/* Returns the communication library's operation for a reduction, or CM_COLLECTIVE_OPS for other
 * functions. */
enum cm_collective_op cm_fortran_collective_op(enum cm_fortran_intrinsic intrinsic);

#endif
