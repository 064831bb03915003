/*
 * A kind of step: all that the system needs to know, in one struct that a file of steps/
 * fills; steps.def lists them.
 */
#ifndef CM_PROGRAMS_WORKLOAD_STEP_H
#define CM_PROGRAMS_WORKLOAD_STEP_H

#include "../../report/report.h"
#include "run_private.h"

struct cm_step_kind {
    const char *name;    /* the key that makes an object a step of this kind */
    const char *summary; /* what it does, in one line */
    const char *example; /* such a step */
    /* The keys of its object, which fill `own`; of each entry, where its value is a list. */
    const struct cm_key *keys;
    uint32_t key_count;
    bool is_list;
    uint32_t entries_max; /* of the list */
    const char *rules;    /* JSON Schema: further rules for an object; NULL: none */
    /* Keys next to its name, as the setup of a pshift. */
    const struct cm_key *outer_keys;
    uint32_t outer_count;
    size_t own_bytes;    /* of struct cm_workload_step.own */
    size_t state_bytes;  /* of struct cm_run_step.state */
    size_t common_bytes; /* of the state that all steps of the kind share in a run; 0: none */
    bool holds_steps;    /* it does nothing itself */
    /* What `run` costs depends on the machine and the system alone, and it changes nothing else: a
     * timing-only run may count iterations instead of playing them (repetition.h). */
    bool stateless;
    const char *path; /* by which means data move, unless prepare says otherwise */

    /* What the tables cannot say: checks of shapes and types, keys of other forms. May be
     * NULL. */
    void (*read)(struct cm_workload *workload, struct cm_workload_step *step,
                 struct cm_reader *reader);
    /* On laid arrays: compiles what the step needs; refuses what cannot run. */
    enum cm_status (*prepare)(struct cm_run *run, struct cm_run_step *step, struct cm_error *err);
    enum cm_status (*run)(struct cm_run *run, struct cm_run_step *step, struct cm_error *err);
    /* What a run that was interrupted has counted for what is complete in it, as the statements of
     * a program; `report` then describes the same. NULL: a step is done as a whole or not. */
    struct cm_counters (*so_far)(const struct cm_run_step *step);
    /* Evaluates the step directly on the host's arrays and compares what the machine holds, by the
     * functions of check.h. */
    enum cm_status (*check)(struct cm_run *run, const struct cm_run_step *step,
                            struct cm_step_result *result, struct cm_error *err);
    /* Whether `check` can work out each element by itself (formula.h), in a run without copies of
     * its arrays. NULL: it can't. */
    bool (*has_formula)(const struct cm_workload_step *step);
    /* What it reports besides the common part of a result. May be NULL. */
    void (*report)(const struct cm_step_result *result, struct cm_report *report);
    /* `words` is what each channel carried while it ran, by exchanges. May be NULL. */
    enum cm_status (*sent)(struct cm_run *run, struct cm_run_step *step, const uint64_t *words,
                           struct cm_error *err);
    /* Writes the files that the step's own keys name, after the run. May be NULL. */
    enum cm_status (*save)(struct cm_run *run, struct cm_run_step *step, struct cm_error *err);
    /* IMP number i that `prepare` compiled for this step, for `cm200 compile`; NULL past the last.
     * May be NULL. */
    const struct cm_imp *(*imp)(const struct cm_run_step *step, uint32_t i);
    /* Gives back what `prepare` and `run` took, also after they failed. May be NULL. */
    void (*finish)(struct cm_run *run, struct cm_run_step *step);
    /* Frees what the kind's common state (cm_run_common) holds, after `finish` of all steps. May be
     * NULL. */
    void (*finish_common)(struct cm_run *run, void *common);
};

#define CM_STEP(name) extern const struct cm_step_kind cm_step_##name;
#include "steps.def"
#undef CM_STEP

/* The kinds from 0; NULL past the last. */
const struct cm_step_kind *cm_step_kind_at(uint32_t i);
/* A kind of a room above this one: reader, hints, help and `help --json` know it from now on. Once
 * for each, when a program starts and before it reads a workload; false when there are too many. */
bool cm_step_kind_register(const struct cm_step_kind *kind);

/* How the steps' kinds and keys are described: for people, the list of kinds or one of them, and as
 * JSON, an object by kind. */
void cm_step_kinds_help(struct cm_buffer *text);
void cm_step_kind_help(const struct cm_step_kind *kind, struct cm_buffer *text);
void cm_step_kinds_json(struct cm_json_writer *json);
/* The keys of an array and of its mesh, likewise, as members "array" and "mesh". */
void cm_array_keys_json(struct cm_json_writer *json);

#endif
