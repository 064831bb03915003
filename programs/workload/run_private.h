/* A workload on a system: what is made before the steps run, and what the check holds; shared by
 * run.c, execute.c, check.c, save.c, observe.c and the kinds of steps. */
#ifndef CM_PROGRAMS_WORKLOAD_RUN_PRIVATE_H
#define CM_PROGRAMS_WORKLOAD_RUN_PRIVATE_H

#include "../../base/buffer.h"
#include "../pshift/pshift.h"
#include "../system/system_private.h"
#include "formula.h"
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
    void *state;             /* the kind's struct; its blocks live as long as the run */
    const char *path;        /* by which means its data move: "imp", "runtime", ... */
    uint64_t resident_words; /* of SRAM: its IMP, where that stays loaded */
    uint64_t played;         /* times that it ran, without those that were only counted */
    double wall_seconds;     /* that these took, with their checks */
    /* Summed over the iterations of a repeat: words by exchanges, then by the router; NULL outside
     * repeats. */
    uint64_t *channel_words;
};

/* A file that the run writes. */
struct cm_run_save {
    uint32_t array;                      /* CM_NO_ARRAY: a step writes it */
    const struct cm_workload_file *file; /* that the workload names; NULL: an option does */
    const char *path;
};

struct cm_run {
    const struct cm_workload *workload;
    struct cm_config config;
    struct cm_system *system;
    struct cm_array **arrays;  /* in the workload's order */
    struct cm_number *scalars; /* as they are now */
    struct cm_run_step *steps; /* in the workload's order, repeats left out */
    uint32_t step_count;
    struct cm_run_setup *setups;
    uint32_t setup_count;
    struct cm_run_imp *imps; /* room for one a step */
    uint32_t imp_count;
    struct cm_run_save *saves;
    uint32_t save_count;
    bool check;
    struct cm_reference_array *reference; /* one an array, filled while checking */
    /* What the arrays hold, while checking; NULL: `reference` has copies of them. */
    struct cm_formula *formulas;
    struct cm_npy_map *maps;      /* files that arrays begin with, where they are needed so */
    struct cm_result_file *given; /* arrays that cm_run_give filled; NULL: none yet */
    void *gathered;               /* room for the largest array, while checking */
    bool channels_summed;         /* what channels carry is not kept for each, but summed up */
    bool own_channels;            /* what channels carry is known of our nodes alone */
    uint64_t *words_before; /* of each channel, before a step: by exchanges, then by the router */
    uint64_t *words_after;
    bool counted;                          /* channels were counted in a run before */
    uint64_t done;                         /* steps, counting iterations */
    const struct cm_run_step *now;         /* the step that runs; NULL: none */
    double now_begun;                      /* on the host's clock */
    uint64_t now_cycle;                    /* of the machine, when it began */
    struct cm_run_part part;               /* what it says of itself */
    bool looked_ahead;                     /* cm_run_foresee was called */
    const struct cm_step_result *foreseen; /* of each step, without data; NULL: not known */
    uint64_t total;
    struct cm_run_options options; /* of them the progress report alone */
    atomic_bool interrupted;
    struct cm_result result;
    struct cm_block *blocks; /* memory that is freed with the run */
};

/* run.c: zeroed memory that lives as long as the run; NULL and CM_NO_MEMORY when there is not
 * enough. */
void *cm_run_allocate(struct cm_run *run, size_t count, size_t size, struct cm_error *err);
/* How an array lies before the first step. */
enum cm_status cm_run_place(const struct cm_run *run, uint32_t array,
                            struct cm_allocation *allocation, struct cm_error *err);
/* Refuses an array that has the model's shape, but lies differently on the nodes. */
enum cm_status cm_run_expect_layout(const struct cm_run *run, struct cm_array_reference array,
                                    struct cm_array_reference model, struct cm_error *err);
/* Channels that words are counted for: nodes * dimensions * 2. */
uint64_t cm_run_channel_count(const struct cm_run *run);
/* foresee.c: the time, and a step that begins or ends (NULL). What it says of itself: it reports
 * the progress. */
double cm_run_host_seconds(void);
void cm_run_step_is(struct cm_run *run, const struct cm_run_step *step);
void cm_run_tell_part(struct cm_run *run, const char *unit, uint64_t done, uint64_t total);
/* execute.c: what every channel has carried until now, by exchanges, then by the router. The
 * router's half of `words` must be zero at first; it is written once something goes through it. */
enum cm_status cm_run_read_words(const struct cm_run *run, uint64_t *words, struct cm_error *err);
static inline struct cm_array *cm_run_array_of(const struct cm_run *run,
                                               struct cm_array_reference array)
{
    return run->arrays[array.number];
}

/* check_formula.c: makes run->formulas, if all that the run does has a formula; fills an array, and
 * compares one with its formula. */
enum cm_status cm_run_create_formulas(struct cm_run *run, struct cm_error *err);
/* Fails with CM_IO if a file that is mapped for first values changed since the run was created. */
enum cm_status cm_run_check_maps(const struct cm_run *run, struct cm_error *err);
enum cm_status cm_run_fill_by_formula(struct cm_run *run, uint32_t array, struct cm_error *err);
enum cm_status cm_run_check_formula(struct cm_run *run, const struct cm_run_step *step,
                                    uint32_t array, struct cm_step_result *result,
                                    struct cm_error *err);

/* check.c: the message about the first element that differs. */
struct cm_mismatch {
    uint32_t array;
    uint64_t first, differ;
    const void *expected, *found; /* one element */
};
void cm_run_describe_mismatch(const struct cm_run *run, const struct cm_run_step *step,
                              const struct cm_mismatch *mismatch, struct cm_error *err);

/* scalars.c */
enum cm_status cm_run_create_scalars(struct cm_run *run, struct cm_error *err);
/* The number that a value stands for now. */
const struct cm_number *cm_run_number(const struct cm_run *run,
                                      const struct cm_workload_value *value);
/* Whether it is a scalar that some step computes. */
bool cm_run_computed(const struct cm_run *run, const struct cm_workload_value *value);
/* Refuses a computed scalar that the type cannot hold; any computed scalar. */
enum cm_status cm_run_expect_number(const struct cm_run *run, const struct cm_workload_value *value,
                                    enum cm_type type, struct cm_error *err);
enum cm_status cm_run_expect_constant(const struct cm_run *run,
                                      const struct cm_workload_value *value, const char *user,
                                      struct cm_error *err);

/* save.c: refuses names of files that only a workload that is trusted may have (CM_BAD_INPUT). */
enum cm_status cm_run_check_names(const struct cm_run *run, const struct cm_run_options *options,
                                  struct cm_error *err);
/* Which arrays are to be saved, by the workload and by options. */
enum cm_status cm_run_collect_saves(struct cm_run *run, const struct cm_run_options *options,
                                    struct cm_error *err);
/* Refuses outputs that would overwrite an input or each other (CM_USAGE) or that cannot be written
 * (CM_IO). */
enum cm_status cm_run_check_outputs(const struct cm_run *run, const struct cm_run_options *options,
                                    struct cm_error *err);

/* observe.c: where arrays lie, for the observer. */
void cm_run_notify_arrays(const struct cm_run *run);
void cm_run_notify_array(const struct cm_run *run, uint32_t array);

/* check.c: compares an array with the direct evaluation, run->reference: bit for bit; or, `bits`
 * not 0, as a transform of so many steps, which rounds in another order, within bounds. */
enum cm_status cm_run_check_array(struct cm_run *run, const struct cm_run_step *step,
                                  uint32_t array, uint32_t bits, struct cm_step_result *result,
                                  struct cm_error *err);
/* Counts what is wrong besides elements of arrays; the first fault describes itself. */
void cm_run_count_mismatches(struct cm_run *run, const struct cm_run_step *step,
                             uint64_t mismatches, const char *what, struct cm_step_result *result,
                             struct cm_error *err);
/* A copy of an array's elements; NULL when there is no memory for it. Free it with free(). */
void *cm_run_copy_elements(const struct cm_reference_array *from, struct cm_error *err);

#endif
