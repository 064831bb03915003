/* A run: a workload on a simulated system. run.c fills the structs, and execute.c, check.c, save.c,
 * observe.c and the kinds of steps use them. Only one thread uses a run, but any thread may set
 * `interrupted`. */
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
    struct cm_run_common *next; /* state of the next kind. The list has no particular order */
    const struct cm_step_kind *kind;
    void *state; /* struct of kind->common_bytes bytes that the kind defines */
};

/* A step that does not contain other steps, ready for execution. */
struct cm_run_step {
    const struct cm_workload_step *step;
    void *state;      /* struct that the kind of step defines. It lives as long as the run */
    const char *path; /* how the step moves data: "imp", "runtime" or another word */
    /* number of SRAM words of an IMP that stays loaded between executions */
    uint64_t resident_words;
    uint64_t executed;   /* number of executions, without iterations that were only counted */
    double wall_seconds; /* host seconds of these executions and of their checks */
    /* Number of words of each channel over all iterations of a repeat: first by exchanges, then by
     * the router. NULL outside repeats. */
    uint64_t *channel_words;
};

/* A file that the run writes. */
struct cm_run_save {
    uint32_t array; /* number of the array to save. CM_NO_ARRAY: a step writes the file */
    /* file that the workload names. NULL: an option of the run names the file */
    const struct cm_workload_file *file;
    const char *path;
};

struct cm_run {
    const struct cm_workload *workload;
    struct cm_config config;
    struct cm_system *system;
    struct cm_array **arrays;  /* arrays in the workload's order */
    struct cm_number *scalars; /* current values of the scalars */
    struct cm_run_step *steps; /* steps in the workload's order, without repeats */
    uint32_t step_count;
    /* one state for each kind of step in use whose common_bytes is not 0 */
    struct cm_run_common *commons;
    struct cm_run_save *saves;
    uint32_t save_count;
    bool check;
    struct cm_reference_array *reference; /* arrays of the direct evaluation, if the run checks */
    /* Formulas of the arrays, if the run checks without copies of arrays. NULL: `reference` has the
     * copies. */
    struct cm_formula *formulas;
    struct cm_npy_map *maps;      /* mapped files with first values of arrays, for formulas */
    struct cm_result_file *given; /* arrays that cm_run_give set. NULL: there are no such arrays */
    void *gathered; /* buffer for the elements of the largest array, if the run checks */
    /* true if only sums over channels are kept, not the words of each channel */
    bool channels_summed;
    bool own_channels; /* true if this process counts only the channels of its own nodes */
    /* Number of words of each channel before a step: first by exchanges, then by the router. */
    uint64_t *words_before;
    uint64_t *words_after;
    bool counted;  /* true once the run was executed */
    uint64_t done; /* number of executed steps, each iteration of a repeat counted */
    /* step that is being executed. NULL: no step is being executed */
    const struct cm_run_step *now;
    double now_begun;                       /* host seconds when the current step began */
    uint64_t now_cycle;                     /* machine cycle when the current step began */
    struct cm_step_progress step_progress;  /* progress inside the current step */
    bool estimated;                         /* true once cm_run_estimate was called */
    const struct cm_step_result *estimates; /* estimated result of each step. NULL: no estimate */
    uint64_t total;
    /* options of the run, of which only the callbacks and max_output are set */
    struct cm_run_options options;
    atomic_bool interrupted;
    struct cm_result result;
    struct cm_block *blocks; /* memory that is freed with the run */
};

/* Returns zeroed memory that lives as long as the run (run_memory.c). Returns NULL, with
 * CM_NO_MEMORY in `err`, if memory runs out. */
void *cm_run_allocate(struct cm_run *run, size_t count, size_t size, struct cm_error *err);
/* Enters the SHA-256 of values that the caller gives an array in the result, under "given". `name`
 * must live as long as the run. */
enum cm_status cm_run_note_given(struct cm_run *run, const char *name, const void *elements,
                                 size_t bytes, struct cm_error *err);
/* Returns the state that the steps of `kind` share in the run, or NULL if no step of the kind is
 * prepared. The state is zero when the first step is prepared, and lives as long as the run. */
void *cm_run_common(const struct cm_run *run, const struct cm_step_kind *kind);
/* Makes the allocation that an array has before the first step. */
enum cm_status cm_run_place(const struct cm_run *run, uint32_t array,
                            struct cm_allocation *allocation, struct cm_error *err);
/* Refuses an array whose layout differs from that of the array `model`. Their element types may
 * differ. */
enum cm_status cm_run_expect_layout(const struct cm_run *run, struct cm_array_reference array,
                                    struct cm_array_reference model, struct cm_error *err);
/* Returns the number of channels with a counter: nodes * dimensions * 2. */
uint64_t cm_run_channel_count(const struct cm_run *run);
/* These functions (progress.c) return the monotonic time of the host, set the step that is being
 * executed (NULL: none), and report the progress inside a step. */
double cm_run_host_seconds(void);
void cm_run_set_step(struct cm_run *run, const struct cm_run_step *step);
void cm_run_report_progress(struct cm_run *run, const char *unit, uint64_t done, uint64_t total);
/* Reads the number of words that each channel has carried so far (run.c): first by exchanges, then
 * by the router. The caller zeroes the router's half, which stays untouched until the router is
 * used. */
enum cm_status cm_run_read_words(const struct cm_run *run, uint64_t *words, struct cm_error *err);
static inline struct cm_array *cm_run_array_of(const struct cm_run *run,
                                               struct cm_array_reference array)
{
    return run->arrays[array.number];
}

/* These functions (check_formula.c) make run->formulas if every array has a formula, fill an array
 * from its formula, and compare an array with its formula. */
enum cm_status cm_run_create_formulas(struct cm_run *run, struct cm_error *err);
/* Fails with CM_IO if a file that is mapped for first values changed since the run was created. */
enum cm_status cm_run_check_maps(const struct cm_run *run, struct cm_error *err);
enum cm_status cm_run_fill_by_formula(struct cm_run *run, uint32_t array, struct cm_error *err);
enum cm_status cm_run_check_formula(struct cm_run *run, const struct cm_run_step *step,
                                    uint32_t array, struct cm_step_result *result,
                                    struct cm_error *err);

/* The first element that differs from its expected value, for an error message (check.c). */
struct cm_mismatch {
    uint32_t array;
    uint64_t first, differ;
    const void *expected, *found; /* expected value and found value of the element */
};
void cm_run_describe_mismatch(const struct cm_run *run, const struct cm_run_step *step,
                              const struct cm_mismatch *mismatch, struct cm_error *err);

/* Makes run->scalars, with the first values of the scalars (scalars.c). */
enum cm_status cm_run_create_scalars(struct cm_run *run, struct cm_error *err);
/* Returns the number that a value has now, in a run. */
const struct cm_number *cm_run_number(const struct cm_run *run,
                                      const struct cm_workload_value *value);
/* Returns true if the value is a scalar that some step computes. */
bool cm_run_computed(const struct cm_run *run, const struct cm_workload_value *value);
/* These functions refuse a scalar that a step computes: if the type cannot hold its numbers
 * (number), or in any case (constant). `user` names in the message what takes constants only. */
enum cm_status cm_run_expect_number(const struct cm_run *run, const struct cm_workload_value *value,
                                    enum cm_type type, struct cm_error *err);
enum cm_status cm_run_expect_constant(const struct cm_run *run,
                                      const struct cm_workload_value *value, const char *user,
                                      struct cm_error *err);

/* Refuses file names that only a trusted workload may have, with CM_BAD_INPUT (save.c). */
enum cm_status cm_run_check_names(const struct cm_run *run, const struct cm_run_options *options,
                                  struct cm_error *err);
/* Collects the arrays that the workload and the options save. */
enum cm_status cm_run_collect_saves(struct cm_run *run, const struct cm_run_options *options,
                                    struct cm_error *err);
/* Refuses outputs that overwrite an input or each other (CM_USAGE), or that cannot be written
 * (CM_IO). */
enum cm_status cm_run_check_outputs(const struct cm_run *run, const struct cm_run_options *options,
                                    struct cm_error *err);

/* These functions (observe.c) report the layouts of all arrays, or of one array, to the
 * observer. */
void cm_run_notify_arrays(const struct cm_run *run);
void cm_run_notify_array(const struct cm_run *run, uint32_t array);

/* Compares an array with its direct evaluation in run->reference (check.c). The comparison is bit
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
/* Returns a copy of an array's elements, which the caller frees with free(), or NULL if memory runs
 * out. */
void *cm_run_copy_elements(const struct cm_reference_array *from, struct cm_error *err);

#endif
