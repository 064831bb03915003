/* Code that the steps reduce, scan and spread share. */
#ifndef CM_PROGRAMS_WORKLOAD_STEPS_COLLECTIVE_STEP_H
#define CM_PROGRAMS_WORKLOAD_STEPS_COLLECTIVE_STEP_H

#include "../../collective/collective.h"
#include "../reference_collective.h"
#include "../step.h"

#define CM_STEP_INDEX_MAX (UINT64_C(1) << 62)

/* Keys of the steps reduce, scan and spread. Keys that a kind lacks stay 0. */
struct cm_collective_step {
    struct cm_array_reference dst, src, mask;
    enum cm_collective_op op;
    uint64_t dim;   /* dimension, from 1. 0: the whole array */
    uint64_t place; /* index along the dimension, from 1. 0: all indices */
    bool has_dst, has_mask, has_segments;
    struct cm_array_reference segments;
    uint32_t scalar; /* number of the scalar that receives the value, from 1. 0: no scalar */
    bool exclusive;
    uint32_t downward;
};

struct cm_collective_state {
    struct cm_collective *collective;
    bool has_value;                   /* true after a whole reduction was executed with data */
    struct cm_collective_value value; /* value that the last execution computed */
    struct cm_layout layout;          /* layout of src */
    bool located;                     /* true if the value is the location of an element in src */
};

/* Returns the name of an operation, for tables of keys. */
const char *cm_collective_step_op(uint32_t index);
/* Returns the type of the result of a step. Refuses a source whose type the operation does not
 * accept. */
enum cm_type cm_collective_step_result(const struct cm_workload *workload,
                                       const struct cm_workload_step *step,
                                       struct cm_reader *reader);
/* Finds which optional arrays the step names. Refuses a dimension or place that src lacks, or an
 * array of another shape. `place` is the key of the place (NULL: the kind has no such key), and
 * `result` is the type of dst. */
void cm_collective_step_read(struct cm_workload *workload, struct cm_workload_step *step,
                             struct cm_reader *reader, const char *place, enum cm_type result);
/* Compiles the reduction, scan or spread that `task` describes. The task's layout, axis and place
 * are taken from the step. */
enum cm_status cm_collective_step_prepare(struct cm_run *run, struct cm_run_step *step,
                                          struct cm_collective_task *task, struct cm_error *err);
enum cm_status cm_collective_step_run(struct cm_run *run, struct cm_run_step *step,
                                      struct cm_error *err);
/* Fills in, for the check, the arrays on the host and the blocks into which the nodes cut
 * the axes. */
void cm_collective_step_describe(const struct cm_run *run, const struct cm_collective_step *own,
                                 struct cm_reference_reduction *reduction);
/* Returns the value of a reduction of a whole array as a number. */
struct cm_number cm_collective_step_number(const struct cm_collective_value *value);
void cm_collective_step_report(const struct cm_step_result *result, struct cm_report *report);
const struct cm_imp *cm_collective_step_imp(const struct cm_run_step *step, uint32_t i);
void cm_collective_step_finish(struct cm_run *run, struct cm_run_step *step);

#endif
