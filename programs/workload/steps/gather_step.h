/* Code that the steps gather and scatter share: subscripts, mask and setup. */
#ifndef CM_PROGRAMS_WORKLOAD_STEPS_GATHER_STEP_H
#define CM_PROGRAMS_WORKLOAD_STEPS_GATHER_STEP_H

#include "../../gather/gather.h"
#include "../step.h"

/* Keys of the steps gather and scatter. Keys that a kind lacks stay 0. */
struct cm_gather_step {
    struct cm_array_reference dst, src, mask;
    /* Subscripts: one array for each dimension of the indexed array. */
    struct cm_array_reference index[CM_RANK_MAX];
    enum cm_gather_op op;
    uint32_t first;
    bool has_mask;
};

struct cm_gather_state {
    struct cm_gather *gather;
};

#define CM_GATHER_KEYS(indexed, indexing)                                                          \
    CM_KEY(ARRAY, "dst", struct cm_gather_step, dst, "the array to write; not src",                \
           .required = true),                                                                      \
        CM_KEY(ARRAY, "src", struct cm_gather_step, src, "the array to read, of dst's type",       \
               .required = true),                                                                  \
        CM_KEY_FORM("index", "name of an array, or list of such names", "subscripts",              \
                    "the subscripts: an int32 array of " indexing                                  \
                    "'s shape and layout for each dimension of " indexed,                          \
                    .required = true),                                                             \
        CM_KEY(ARRAY, "mask", struct cm_gather_step, mask,                                         \
               "a logical array of " indexing "'s shape and layout: the elements that take part",  \
               .otherwise = "all take part"),                                                      \
        CM_KEY(INTEGER, "first", struct cm_gather_step, first,                                     \
               "the index of the first element along a dimension", .max = 1, .initial = 1)
void cm_gather_step_read(struct cm_workload *workload, struct cm_workload_step *step,
                         struct cm_reader *reader, enum cm_gather_kind kind);
enum cm_status cm_gather_step_prepare(struct cm_run *run, struct cm_run_step *step,
                                      enum cm_gather_kind kind, struct cm_error *err);
enum cm_status cm_gather_step_run(struct cm_run *run, struct cm_run_step *step,
                                  struct cm_error *err);
/* Evaluates the subscripts for the check. Returns true if element `e` of the indexing array takes
 * part, and sets *number to the number of the element of `indexed` that its subscripts name. */
bool cm_gather_step_find(const struct cm_run *run, const struct cm_gather_step *own, uint64_t e,
                         const struct cm_reference_array *indexed, uint64_t *number);
void cm_gather_step_report(const struct cm_step_result *result, struct cm_report *report);
void cm_gather_step_finish(struct cm_run *run, struct cm_run_step *step);

#endif
