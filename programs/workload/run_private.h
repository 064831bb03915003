/* A workload on a system: what is made before the steps run, and what the check holds; shared by
 * the run_*.c files. */
#ifndef CM_PROGRAMS_WORKLOAD_RUN_PRIVATE_H
#define CM_PROGRAMS_WORKLOAD_RUN_PRIVATE_H

#include "../../base/buffer.h"
#include "reference.h"
#include "workload_private.h"

#include <stdatomic.h>

/* A PSHIFT setup and the steps it serves. */
struct cm_run_setup {
    int id;
    enum cm_setup_kind kind;
    struct cm_layout layout;
    struct cm_pshift_pattern *patterns;
    uint32_t count;
    struct cm_buffer title; /* the steps, by JSON pointer */
};

/* A hand-written IMP, loaded for the whole run. */
struct cm_run_imp {
    char *path;
    struct cm_imp *imp;
    bool loaded;
};

/* A step that does something, ready to run. */
struct cm_run_step {
    const struct cm_workload_step *step;
    struct cm_shift *shifts;
    struct cm_term *terms;
    int setup;
    const struct cm_imp *imp;
    struct cm_actual *actuals;
    struct cm_network *network;
    uint64_t resident_words; /* of SRAM: its IMP, where that stays loaded */
    struct cm_reshape_task *reshape;
    struct cm_fft_result *fft;
    struct cm_layout layout_after; /* of the array that a reshape reshapes */
    struct cm_allocation allocation_after;
    /* Summed over the iterations of a repeat: words by exchanges, then by the router; NULL outside
     * repeats. */
    uint64_t *channel_words;
};

struct cm_run_save {
    uint32_t array;
    char *path;
};

struct cm_run {
    const struct cm_workload *workload;
    struct cm_config config;
    struct cm_system *system;
    struct cm_array **arrays;  /* in the workload's order */
    struct cm_run_step *steps; /* in the workload's order, repeats left out */
    uint32_t step_count;
    struct cm_run_setup *setups;
    uint32_t setup_count;
    struct cm_run_imp *imps;
    uint32_t imp_count;
    struct cm_run_save *saves;
    uint32_t save_count;
    bool check;
    struct cm_reference_array *reference; /* one an array, filled while checking */
    void *gathered;                       /* room for the largest array, while checking */
    uint64_t *words_before; /* of each channel, before a step: by exchanges, then by the router */
    uint64_t *words_after;
    uint64_t *words_at_start;
    uint64_t done; /* steps, counting iterations */
    uint64_t total;
    struct cm_run_options options; /* of them the progress report alone */
    atomic_bool interrupted;
    struct cm_result result;
};

/* run_steps.c: makes run->steps with their setups and IMPs. */
enum cm_status cm_run_prepare_steps(struct cm_run *run, struct cm_error *err);
void cm_run_finish_steps(struct cm_run *run);

/* run_imp.c: reads the IMP of a step, loads it, binds its arguments. */
enum cm_status cm_run_prepare_imp(struct cm_run *run, struct cm_run_step *plan,
                                  struct cm_error *err);

/* run_reshape.c: an array's allocation at the start; reshape steps. */
enum cm_status cm_run_allocate(const struct cm_run *run, uint32_t array,
                               struct cm_allocation *allocation, struct cm_error *err);
enum cm_status cm_run_prepare_reshape(struct cm_run *run, struct cm_run_step *plan,
                                      struct cm_error *err);
enum cm_status cm_run_reshape(struct cm_run *run, const struct cm_run_step *plan,
                              struct cm_error *err);
/* run_fft.c */
enum cm_status cm_run_allocate_mesh(const struct cm_run *run, const struct cm_workload_array *array,
                                    struct cm_allocation *allocation, struct cm_error *err);
enum cm_status cm_run_prepare_fft(struct cm_run *run, struct cm_run_step *plan,
                                  struct cm_error *err);
enum cm_status cm_run_fft(struct cm_run *run, const struct cm_run_step *plan, struct cm_error *err);
/* The direct evaluation of such a step. */
enum cm_status cm_run_evaluate_fft(struct cm_run *run, const struct cm_run_step *plan,
                                   struct cm_error *err);
/* Takes all arrays back to how they lie before the first step. */
enum cm_status cm_run_rewind(struct cm_run *run, struct cm_error *err);
/* run_save.c: which arrays are to be saved, by the workload and by options. */
enum cm_status cm_run_collect_saves(struct cm_run *run, const struct cm_run_options *options,
                                    struct cm_error *err);
/* Refuses outputs that would overwrite an input or each other (CM_USAGE) or that cannot be written
 * (CM_IO). */
enum cm_status cm_run_check_outputs(const struct cm_run *run, const struct cm_run_options *options,
                                    struct cm_error *err);

/* run_observe.c: what the observer is told of steps and arrays. */
void cm_run_tell_arrays(const struct cm_run *run);
void cm_run_tell_array(const struct cm_run *run, uint32_t array);
void cm_run_tell_step(const struct cm_run *run, const struct cm_run_step *plan);
void cm_run_tell_step_end(const struct cm_run *run);

/* run_check.c: evaluates the step directly and compares the arrays it wrote. */
enum cm_status cm_run_check_step(struct cm_run *run, const struct cm_run_step *plan,
                                 struct cm_step_result *result, struct cm_error *err);

/* Channels that words are counted for: nodes * dimensions * 2. */
uint64_t cm_run_channel_count(const struct cm_run *run);

#endif
