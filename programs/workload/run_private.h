/* A run: a workload on a simulated system. run.c fills the structs, execute.c, check.c, save.c,
 * observe.c and the kinds of steps use them. One thread uses a run. Only `interrupted` may be set
 * from others. */
#ifndef CM_PROGRAMS_WORKLOAD_RUN_PRIVATE_H
#define CM_PROGRAMS_WORKLOAD_RUN_PRIVATE_H

#include "../../base/buffer.h"
#include "../system/system_private.h"
#include "formula.h"
#include "reference.h"
#include "workload_private.h"

#include <stdatomic.h>

/* State that all steps of one kind share in a run. */
struct cm_run_common {
    struct cm_run_common *next; /* next kind, in no particular order */
    const struct cm_step_kind *kind;
    void *state; /* struct that the kind defines, of common_bytes */
};

/* A step that contains no others, ready for execution. */
struct cm_run_step {
    const struct cm_workload_step *step;
    void *state;             /* struct that the kind defines. Lives as long as the run */
    const char *path;        /* how the step moves data: "imp", "runtime", ... */
    uint64_t resident_words; /* SRAM words of an IMP that stays loaded between executions */
    uint64_t executed;       /* executions, without iterations that were only counted */
    double wall_seconds;     /* host seconds of these executions, with their checks */
    /* Words of each channel over all iterations of a repeat: by exchanges, then by the router. NULL
     * outside repeats. */
    uint64_t *channel_words;
};

/* File that the run writes. */
struct cm_run_save {
    uint32_t array;                      /* CM_NO_ARRAY: a step writes the file */
    const struct cm_workload_file *file; /* NULL: an option of the run names the file */
    const char *path;
};

struct cm_run {
    const struct cm_workload *workload;
    struct cm_config config;
    struct cm_system *system;
    struct cm_array **arrays;  /* in the workload's order */
    struct cm_number *scalars; /* current values */
    struct cm_run_step *steps; /* in the workload's order, without repeats */
    uint32_t step_count;
    struct cm_run_common *commons; /* one for each kind with common_bytes and a step */
    struct cm_run_save *saves;
    uint32_t save_count;
    bool check;
    struct cm_reference_array *reference; /* direct evaluation of each array, if the run checks */
    /* Formulas of the arrays, if the run checks without copies of arrays. NULL: `reference` has
     * copies. */
    struct cm_formula *formulas;
    struct cm_npy_map *maps;      /* mapped files of first values, for formulas */
    struct cm_result_file *given; /* arrays that cm_run_give set. NULL: none */
    void *gathered;               /* buffer for the largest array, if the run checks */
    bool channels_summed;         /* true if only sums over channels are kept */
    bool own_channels; /* true if this process counts the channels of its own nodes only */
    /* Words of each channel before a step: by exchanges, then by the router. */
    uint64_t *words_before;
    uint64_t *words_after;
    bool counted;                           /* true once the run was executed */
    uint64_t done;                          /* executed steps, with iterations */
    const struct cm_run_step *now;          /* step that is being executed. NULL: none */
    double now_begun;                       /* host seconds when the current step began */
    uint64_t now_cycle;                     /* machine cycle when the current step began */
    struct cm_step_progress step_progress;  /* progress inside the current step */
    bool estimated;                         /* true once cm_run_estimate was called */
    const struct cm_step_result *estimates; /* estimated result of each step. NULL: unknown */
    uint64_t total;
    struct cm_run_options options; /* only the progress callback is set */
    atomic_bool interrupted;
    struct cm_result result;
    struct cm_block *blocks; /* memory that is freed with the run */
};

/* run.c: returns zeroed memory that lives as long as the run. NULL with CM_NO_MEMORY in `err`. */
void *cm_run_allocate(struct cm_run *run, size_t count, size_t size, struct cm_error *err);
/* Returns the state that the steps of `kind` share in the run, or NULL if no step of the kind is
 * prepared. The state is zeros when the first step is prepared, and lives as long as the run. */
void *cm_run_common(const struct cm_run *run, const struct cm_step_kind *kind);
/* Sets the allocation that an array has before the first step. */
enum cm_status cm_run_place(const struct cm_run *run, uint32_t array,
                            struct cm_allocation *allocation, struct cm_error *err);
/* Refuses an array whose layout differs from the model's. Their types may differ. */
enum cm_status cm_run_expect_layout(const struct cm_run *run, struct cm_array_reference array,
                                    struct cm_array_reference model, struct cm_error *err);
/* Returns the number of channels with a counter: nodes * dimensions * 2. */
uint64_t cm_run_channel_count(const struct cm_run *run);
/* progress.c: monotonic host time. Start of a step, or end (NULL). Report of the progress inside a
 * step. */
double cm_run_host_seconds(void);
void cm_run_set_step(struct cm_run *run, const struct cm_run_step *step);
void cm_run_report_progress(struct cm_run *run, const char *unit, uint64_t done, uint64_t total);
/* execute.c: reads the words that each channel has carried so far: by exchanges, then by the
 * router. The caller zeroes the router's half, which stays untouched until the router is used. */
enum cm_status cm_run_read_words(const struct cm_run *run, uint64_t *words, struct cm_error *err);
static inline struct cm_array *cm_run_array_of(const struct cm_run *run,
                                               struct cm_array_reference array)
{
    return run->arrays[array.number];
}

/* check_formula.c: makes run->formulas if every array has a formula, fills an array from its
 * formula, and compares an array with its formula. */
enum cm_status cm_run_create_formulas(struct cm_run *run, struct cm_error *err);
/* Fails with CM_IO if a file that is mapped for first values changed since the run was created. */
enum cm_status cm_run_check_maps(const struct cm_run *run, struct cm_error *err);
enum cm_status cm_run_fill_by_formula(struct cm_run *run, uint32_t array, struct cm_error *err);
enum cm_status cm_run_check_formula(struct cm_run *run, const struct cm_run_step *step,
                                    uint32_t array, struct cm_step_result *result,
                                    struct cm_error *err);

/* check.c: the first element that differs, for a message. */
struct cm_mismatch {
    uint32_t array;
    uint64_t first, differ;
    const void *expected, *found; /* value of the element */
};
void cm_run_describe_mismatch(const struct cm_run *run, const struct cm_run_step *step,
                              const struct cm_mismatch *mismatch, struct cm_error *err);

/* scalars.c */
enum cm_status cm_run_create_scalars(struct cm_run *run, struct cm_error *err);
/* Returns the number that a value has now. */
const struct cm_number *cm_run_number(const struct cm_run *run,
                                      const struct cm_workload_value *value);
/* Returns true if the value is a scalar that some step computes. */
bool cm_run_computed(const struct cm_run *run, const struct cm_workload_value *value);
/* Refuse a computed scalar: if the type cannot hold it, or in any case. */
enum cm_status cm_run_expect_number(const struct cm_run *run, const struct cm_workload_value *value,
                                    enum cm_type type, struct cm_error *err);
enum cm_status cm_run_expect_constant(const struct cm_run *run,
                                      const struct cm_workload_value *value, const char *user,
                                      struct cm_error *err);

/* save.c: refuses file names that only a trusted workload may have (CM_BAD_INPUT). */
enum cm_status cm_run_check_names(const struct cm_run *run, const struct cm_run_options *options,
                                  struct cm_error *err);
/* Collects the arrays that the workload and the options save. */
enum cm_status cm_run_collect_saves(struct cm_run *run, const struct cm_run_options *options,
                                    struct cm_error *err);
/* Refuses outputs that overwrite an input or each other (CM_USAGE), or that cannot be written
 * (CM_IO). */
enum cm_status cm_run_check_outputs(const struct cm_run *run, const struct cm_run_options *options,
                                    struct cm_error *err);

/* observe.c: report the layouts of all arrays, or of one, to the observer. */
void cm_run_notify_arrays(const struct cm_run *run);
void cm_run_notify_array(const struct cm_run *run, uint32_t array);

/* check.c: compares an array with its direct evaluation in run->reference. The comparison is bit
 * for bit if `bits` is 0. Otherwise the array is the result of a transform of `bits` steps, which
 * may round in another order, and errors up to a bound are accepted. */
enum cm_status cm_run_check_array(struct cm_run *run, const struct cm_run_step *step,
                                  uint32_t array, uint32_t bits, struct cm_step_result *result,
                                  struct cm_error *err);
/* Counts mismatches that are not elements of arrays. The first mismatch of a run sets the error
 * message. */
void cm_run_count_mismatches(struct cm_run *run, const struct cm_run_step *step,
                             uint64_t mismatches, const char *what, struct cm_step_result *result,
                             struct cm_error *err);
/* Returns a copy of an array's elements, to be freed with free(), or NULL if out of memory. */
void *cm_run_copy_elements(const struct cm_reference_array *from, struct cm_error *err);

#endif
