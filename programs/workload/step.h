/*
 * Interface of a kind of step. A kind is one constant struct cm_step_kind: a table of the keys that
 * a step of this kind has in a workload, and functions that read, prepare, execute, check and
 * report a step. Each file of steps/ defines one kind, and steps.def lists the kinds of this
 * folder.
 *
 * The generic code (read_steps.c, run.c, execute.c, check.c, result.c) calls a kind only through
 * this struct. It must not know or test for particular kinds. What only the users of one kind need
 * belongs into steps/NAME.h.
 *
 * A step has two structs that its kind defines. `own` holds the keys, is filled while the workload
 * is read and never changes afterwards. The `state` holds what one run has compiled for the step. A
 * kind can also have a common state, shared by all its steps in a run.
 *
 * Order of calls: `read` is called once for each step. `prepare` is called once in each run, in the
 * order of the steps, with every array in the layout that the first execution finds. `run` and then
 * `check` are called for each execution, `report` and `save` after the last execution. `finish` and
 * then `finish_common` are called when the run ends.
 */
#ifndef CM_PROGRAMS_WORKLOAD_STEP_H
#define CM_PROGRAMS_WORKLOAD_STEP_H

#include "../../report/report.h"
#include "run_private.h"

struct cm_step_kind {
    const char *name;    /* key whose presence makes a JSON object a step of this kind */
    const char *summary; /* what a step does, in one line of help */
    const char *example; /* a step of this kind as JSON, for help and tests */
    /* Keys of the step's JSON object, stored in `own`. If is_list is set, the value is a list, and
     * these are the keys of each of its entries. */
    const struct cm_key *keys;
    uint32_t key_count;
    bool is_list;
    uint32_t entries_max; /* largest length of the list */
    const char *rules; /* JSON Schema with further rules for the object. NULL: no further rules */
    /* Keys next to the kind's name in the step's object, such as "setup" of a pshift. */
    const struct cm_key *outer_keys;
    uint32_t outer_count;
    size_t own_bytes;   /* size in bytes of the struct at cm_workload_step.own */
    size_t state_bytes; /* size in bytes of the struct at cm_run_step.state */
    /* size in bytes of the state that all steps of the kind share. 0: no shared state */
    size_t common_bytes;
    bool holds_steps; /* true for a kind whose steps contain other steps (repeat) */
    /* True if the cost of an execution depends on the state of machine and system alone, and an
     * execution changes no other state. A timing-only run may then count iterations instead of
     * executing them (repetition.h). */
    bool stateless;
    const char *path; /* how a step moves data, such as "imp", unless `prepare` sets another text */

    /* Reads and checks what the key table cannot express: shapes, types, values of special form.
     * May be NULL. */
    void (*read)(struct cm_workload *workload, struct cm_workload_step *step,
                 struct cm_reader *reader);
    /* Compiles what the step needs, on arrays that are laid out. Refuses a step that cannot run. */
    enum cm_status (*prepare)(struct cm_run *run, struct cm_run_step *step, struct cm_error *err);
    enum cm_status (*run)(struct cm_run *run, struct cm_run_step *step, struct cm_error *err);
    /* Returns the counters of the completed parts of a step that was interrupted. The statements of
     * a CM Fortran program are such parts. `report` describes the same parts. NULL: an interrupted
     * step counts nothing. */
    struct cm_counters (*so_far)(const struct cm_run_step *step);
    /* Evaluates the step directly on the host's arrays (run->reference) and compares the machine's
     * arrays with them (cm_run_check_array). */
    enum cm_status (*check)(struct cm_run *run, const struct cm_run_step *step,
                            struct cm_step_result *result, struct cm_error *err);
    /* Returns true if `check` can compute every element by itself (formula.h), so that the run does
     * not need copies of the step's arrays. NULL: such steps always need copies. */
    bool (*has_formula)(const struct cm_workload_step *step);
    /* Reports what the step has to report in addition to the common part of a result. May be
     * NULL. */
    void (*report)(const struct cm_step_result *result, struct cm_report *report);
    /* Writes the settings that the step ran with, in addition to the names that its keys choose, as
     * JSON members. Settings are known before the run. May be NULL. */
    void (*settings)(const struct cm_step_result *result, struct cm_json_writer *json);
    /* Receives the number of words that each channel carried by exchanges during an execution. May
     * be NULL. */
    enum cm_status (*sent)(struct cm_run *run, struct cm_run_step *step, const uint64_t *words,
                           struct cm_error *err);
    /* Returns how many channels of each dimension the step may use. NULL: all channels of the
     * machine. */
    uint32_t (*channels)(const struct cm_run_step *step);
    /* Writes the files that the step's keys name, after the run. May be NULL. */
    enum cm_status (*save)(struct cm_run *run, struct cm_run_step *step, struct cm_error *err);
    /* Returns IMP number `i` of the IMPs that `prepare` compiled for this step, for `cm200
     * compile`, or NULL past the last IMP. May be NULL. */
    const struct cm_imp *(*imp)(const struct cm_run_step *step, uint32_t i);
    /* Frees what `prepare` and `run` allocated, also after a failure. May be NULL. */
    void (*finish)(struct cm_run *run, struct cm_run_step *step);
    /* Frees what the kind's common state (cm_run_common) holds, after all calls of `finish`. May be
     * NULL. */
    void (*finish_common)(struct cm_run *run, void *common);
};

#define CM_STEP(name) extern const struct cm_step_kind cm_step_##name;
#include "steps.def"
#undef CM_STEP

/* Returns kind number `i`, counted from 0, or NULL past the last kind. */
const struct cm_step_kind *cm_step_kind_at(uint32_t i);
/* Adds a kind that a folder above programs/workload defines, for the reader, hints and help. A
 * program calls this function once for each kind, before it reads a workload. Returns false if
 * there are too many kinds. */
bool cm_step_kind_register(const struct cm_step_kind *kind);

/* Append the description of all kinds or of one kind: as help text, or as a JSON object with a
 * member for each kind. */
void cm_step_kinds_help(struct cm_buffer *text);
void cm_step_kind_help(const struct cm_step_kind *kind, struct cm_buffer *text);
void cm_step_kinds_json(struct cm_json_writer *json);
/* Writes the keys of an array and of its mesh, as JSON members "array" and "mesh". */
void cm_array_keys_json(struct cm_json_writer *json);

#endif
