/*
 * Workloads and their runs. A workload is a JSON file (format "cm200-workload/1", docs/workload.md)
 * that names a machine, arrays and the steps to execute on them.
 *
 * Data: struct cm_workload is the parsed file and does not change. struct cm_run is a workload on a
 * simulated machine, with its arrays and compiled steps. struct cm_result holds the cycles, channel
 * loads and check results of a run.
 *
 * Every run goes one way. cm_workload_read parses and checks the file. cm_run_create makes the
 * machine, lays out the arrays and compiles the steps. cm_run_execute executes and checks the
 * steps. cm_run_save writes files, cm_run_result returns the result, and cm_run_destroy frees the
 * run. A workload must outlive its runs.
 *
 * Invariants: cm_run_create refuses everything that can be refused before data move. A result does
 * not depend on the number of threads or processes, nor on an observer. The check shares no code
 * with the steps that it checks.
 *
 * Files: read*.c, keys.c and parameters.c parse the workload. run.c creates a run, execute.c
 * executes it, repetition.c counts iterations that repeat, check*.c and reference*.c check, save.c
 * writes arrays, result.c and provenance.c report. step.h is the interface of a kind of step.
 * steps/ has one file for each kind. A report that only one kind has is declared in steps/NAME.h.
 */
#ifndef CM_PROGRAMS_WORKLOAD_WORKLOAD_H
#define CM_PROGRAMS_WORKLOAD_WORKLOAD_H

#include "../../base/file.h"
#include "../../sim/machine/observer.h"
#include "../system/system.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cm_workload;
struct cm_step_kind; /* struct in step.h, which is not installed */

/* Reads and checks a workload from a file, or from `text`. Paths in the workload are relative to
 * the folder of `path` or `name`. Errors have file, line and column. */
CM_API enum cm_status cm_workload_read(const char *path, struct cm_workload **workload,
                                       struct cm_error *err);
CM_API enum cm_status cm_workload_parse(const char *name, const char *text, size_t length,
                                        struct cm_workload **workload, struct cm_error *err);
/* Reads a workload with other values for `count` of its parameters, each written "NAME=INTEGER". */
CM_API enum cm_status cm_workload_read_with(const char *path, const char *const *parameters,
                                            uint32_t count, struct cm_workload **workload,
                                            struct cm_error *err);
CM_API enum cm_status cm_workload_parse_with(const struct cm_file_text *text,
                                             const char *const *parameters, uint32_t count,
                                             struct cm_workload **workload, struct cm_error *err);
/* Frees a workload. All its runs must have been destroyed, because a run uses its workload to its
 * end. Builds with assertions check this. */
CM_API void cm_workload_destroy(struct cm_workload *workload);
CM_API const char *cm_workload_name(const struct cm_workload *workload);

/* Largest number of nodes for which a run counts the words of every single channel. */
#define CM_CHANNELS_KEPT_NODES (UINT32_C(1) << 22)

/* Largest number of bytes that a Fortran program may print, unless max_output sets another limit.
 */
#define CM_OUTPUT_BYTES (UINT64_C(64) << 20)

/* Options of a run. A struct of zeros means: run as the workload says. */
struct cm_run_options {
    const char *machine;     /* machine file to use. NULL: the machine that the workload names */
    const char *const *sets; /* changes of machine numbers, each written "section.key=value" */
    uint32_t set_count;      /* number of entries in `sets` */
    /* Number of nodes. 0: the workload's number, or the whole machine if the workload has no
     * number. */
    uint32_t nodes;
    uint32_t threads; /* number of host threads. 0: as many as the host offers */
    /* how the host executes instructions: "auto", "loops", "code", "avx2" or "avx512" (enum
     * cm_executor). NULL: "auto" */
    const char *executor;
    bool timing_only; /* true to count cycles without moving data */
    bool no_check;    /* true to skip the workload's check */
    /* True to save memory, as runs on more than CM_CHANNELS_KEPT_NODES nodes always do. The run
     * then keeps only sums over all channels, unless a step (repeat, route) needs each channel. If
     * every step is a shift of arrays, the check works without copies of the arrays. */
    bool sparing;
    /* True if the workload may write anywhere and read devices and pipes. Otherwise a workload that
     * names such a file is refused (CM_BAD_INPUT) by the rules of programs/workload/files.h. */
    bool trusted;
    /* arrays to save in addition to the workload's, each written "ARRAY=FILE.npy" */
    const char *const *saves;
    uint32_t save_count; /* number of entries in `saves` */
    /* Paths of files that the caller will write after the run. A run that reads or saves such a
     * file is refused (CM_USAGE). */
    const char *const *outputs;
    uint32_t output_count; /* number of entries in `outputs` */
    /* Reports how many steps are executed. May be NULL. */
    void (*progress)(void *context, uint64_t done, uint64_t total);
    void *progress_context; /* first argument of `progress` */
    /* Takes the text that Fortran programs print, while they run. If this function fails, the run
     * ends with its status. NULL: the text is kept in the result. */
    enum cm_status (*print)(void *context, const char *text, size_t length, struct cm_error *err);
    /* Takes the text for the standard error output, as `print` does. NULL: the text is kept in the
     * result. */
    enum cm_status (*print_error)(void *context, const char *text, size_t length,
                                  struct cm_error *err);
    /* Reads the standard input for Fortran programs. Sets *got to the number of bytes, 0 at the
     * end. NULL: the standard input is empty. */
    enum cm_status (*input)(void *context, char *bytes, size_t size, size_t *got,
                            struct cm_error *err);
    void *print_context; /* first argument of `print`, `print_error` and `input` */
    bool keep_output;    /* true if the result keeps the text in addition to these functions */
    /* True if Fortran programs may open files outside of their folders. Devices and pipes are
     * refused. */
    bool files_anywhere;
    bool no_files; /* true if Fortran programs may open no files but scratch files */
    /* Largest number of bytes that each Fortran program may print and write to files. A program
     * that writes more is refused. 0: the limit is CM_OUTPUT_BYTES */
    uint64_t max_output;
    /* Machine description to use instead of reading a file. May be NULL. */
    const struct cm_config *config;
};

struct cm_run; /* A run: a workload on a simulated machine. */

/* Creates a run: makes the machine, lays out and initialises the arrays, compiles the steps.
 * Refuses every workload that cannot run. The workload must outlive the run. */
CM_API enum cm_status cm_run_create(const struct cm_workload *workload,
                                    const struct cm_run_options *options, struct cm_run **run,
                                    struct cm_error *err);
/*
 * Executes all steps, and checks each step if the workload asks for checks. Returns
 * CM_CHECK_FAILED, after executing all steps, if data were wrong. A further call executes the steps
 * again, on the arrays as the last call left them. Cycles and counters of the result are sums over
 * all calls.
 */
CM_API enum cm_status cm_run_execute(struct cm_run *run, struct cm_error *err);
/* Executes a run in a way that lets the caller interrupt it. Calls `watch` (may be NULL)
 * with the run before execution and with NULL afterwards. If `watch` returns false, returns
 * CM_INTERRUPTED. */
CM_API enum cm_status cm_run_execute_watched(struct cm_run *run,
                                             bool (*watch)(void *context, struct cm_run *run),
                                             void *context, struct cm_error *err);
/* Sends the events of cm_run_execute to an observer. The observer must outlive the run. */
CM_API void cm_run_observe(struct cm_run *run, const struct cm_observer *observer);
/* Asks cm_run_execute to stop soon with CM_INTERRUPTED. Safe in a signal handler and from other
 * threads. */
CM_API void cm_run_interrupt(struct cm_run *run);
/* Returns the estimated host seconds until the run ends, from the speed of the steps so far, or a
 * negative number if unknown. After a call of cm_run_estimate an estimate is available earlier. */
CM_API double cm_run_seconds_left(const struct cm_run *run);
/* Progress inside the step that is being executed. Not all steps report it. */
struct cm_step_progress {
    /* Name of the unit that is counted, such as "rate" for the rates of a route. NULL: unknown. */
    const char *unit;
    uint64_t done;  /* number of units that are done */
    uint64_t total; /* number of units in all */
};
/* Returns the progress inside the current step. All zeros if the step reports none. */
CM_API struct cm_step_progress cm_run_step_progress(const struct cm_run *run);
/*
 * Executes the workload once without data, for at most `seconds` of processor time, to learn the
 * cycles of each step. cm_run_seconds_left can then estimate before every step has run once. The
 * estimate is rough for steps whose cycles depend on data. On failure or timeout, nothing is
 * learned.
 */
CM_API void cm_run_estimate(struct cm_run *run, double seconds);
/* Writes the files that the workload and the options save, with the arrays as they are now. Before
 * cm_run_execute the arrays have their first values. */
CM_API enum cm_status cm_run_save(struct cm_run *run, struct cm_error *err);
CM_API void cm_run_destroy(struct cm_run *run);

/* Sets the first values of an array, instead of the workload's "init", from all its elements in
 * Fortran order. The check starts from the same values. Returns CM_USAGE for an unknown array, or
 * once execution has begun. */
CM_API enum cm_status cm_run_give(struct cm_run *run, const char *name, const void *elements,
                                  struct cm_error *err);
/* Returns the simulated system of the run. The run owns it. */
CM_API struct cm_system *cm_run_system(struct cm_run *run);
/* Returns an array by its name (NULL if there is no such array), the number of arrays, or an array
 * by its number in the workload's order. */
CM_API struct cm_array *cm_run_array(struct cm_run *run, const char *name);
CM_API uint32_t cm_run_array_count(const struct cm_run *run);
CM_API struct cm_array *cm_run_array_at(struct cm_run *run, uint32_t i);
/* Returns IMP number `i` that was compiled for step number `step`, both counted from 0, or NULL
 * past the last IMP. Sets *op to the name of the step's kind and *where to the step's JSON pointer,
 * even past the last IMP. cm_run_step_count returns the number of steps. */
CM_API uint32_t cm_run_step_count(const struct cm_run *run);
CM_API const struct cm_imp *cm_run_step_imp(const struct cm_run *run, uint32_t step, uint32_t i,
                                            const char **op, const char **where);

/* Result of one step. A step inside a repeat has the sum over all iterations. */
struct cm_step_result {
    const char *op;    /* name of the step's kind: "pshift", "cshift", "combine", ... */
    const char *where; /* JSON pointer of the step in the workload */
    const char *path;  /* how data moved: "imp", "runtime", "imp+runtime", "router", ... */
    uint64_t times;    /* number of executions */
    struct cm_counters counters;    /* cycles, instructions and events of all executions */
    struct cm_channel_use channels; /* use of the channels: words and load */
    /* number of SRAM words of the IMPs of one execution, counted at each load */
    uint64_t sram_words;
    bool checked;        /* true if the results were compared with the direct evaluation */
    bool partly;         /* true if only parts were compared. The step reports which */
    bool rounded;        /* true if the results are equal up to rounding, not bit for bit */
    uint64_t mismatches; /* number of elements that differ from the direct evaluation */
    /* kind of the step. steps/NAME.h reads more of its result from this struct */
    const struct cm_step_kind *kind;
    const void *own;   /* the step's keys, in the struct that its kind defines */
    const void *state; /* the step's state in the run, in the struct that its kind defines */
};

struct cm_intervals; /* struct in intervals.h */

/* Parameter of the workload, with the value that the run uses. */
struct cm_parameter {
    const char *name; /* name, as in the expression `$NAME` */
    int64_t value;    /* value that the run uses, after changes by --param */
};

/* A file that the run read. */
struct cm_result_file {
    const char *file; /* path as the workload writes it */
    char sha256[65];  /* SHA-256 of the content, in hexadecimal */
};

/* Seed of the random values of an array. */
struct cm_result_seed {
    const char *array; /* name of the array */
    uint64_t seed;     /* seed from the workload */
};

/* Result of a run. The run owns texts and lists. */
struct cm_result {
    const char *workload;               /* name of the workload */
    const char *workload_sha256;        /* SHA-256 of the workload's text */
    const struct cm_result_file *files; /* files that the run read in addition to the workload */
    uint32_t file_count;                /* number of entries in `files` */
    const struct cm_result_seed *seeds; /* seeds of the arrays with random values */
    uint32_t seed_count;                /* number of entries in `seeds` */
    /* Arrays that cm_run_give set. `file` is the name and `sha256` the hash of the elements. */
    const struct cm_result_file *given;
    uint32_t given_count;                  /* number of entries in `given` */
    const struct cm_config *config;        /* machine description, with all changes */
    const struct cm_parameter *parameters; /* parameters, in the workload's order */
    uint32_t parameter_count;              /* number of entries in `parameters` */
    const char *machine;                   /* name of the machine */
    uint32_t nodes;                        /* number of nodes that the run used */
    uint64_t clock_hz;                     /* clock of the simulated machine */
    bool timing_only;                      /* true if no data moved */
    bool overlap;                   /* true if the machine hides exchanges (exchange.overlap) */
    struct cm_counters total;       /* counters of all steps */
    struct cm_channel_use channels; /* channel loads of all steps */
    /* Results of the steps in the workload's order, without repeats. */
    struct cm_step_result *steps;
    uint32_t step_count; /* number of entries in `steps` */
    bool checked;        /* true if every step that can be checked was checked */
    uint64_t mismatches; /* number of elements that differ from the direct evaluation */
    /* True if the run was interrupted (CM_INTERRUPTED). Counters then include complete steps only,
     * and the complete statements of a CM Fortran program. */
    bool partial;
    /* Number of executed steps and of planned steps. Each iteration of a repeat counts. */
    uint64_t steps_done, steps_total;
    /* JSON pointer of the interrupted step. NULL: no step was interrupted */
    const char *interrupted_in;
    /* Exit code of the first STOP of a Fortran program with a number other than 0. 0: there is no
     * such STOP */
    uint32_t stop_code;
    double wall_seconds; /* host seconds for the simulation of the steps */
    uint32_t threads;    /* host threads that simulated the machine */
    /* how the host executed instructions: "loops", "avx2" or "avx512". NULL: no data moved */
    const char *executor;
    /* Command line and commit of the program, for the "host" object of the JSON result. The program
     * sets them. NULL: unknown. */
    const char *command, *commit;
    /* Confidence intervals of the cycles. NULL: not requested. */
    const struct cm_intervals *intervals;
};
/* Returns the result, which the run owns. */
CM_API const struct cm_result *cm_run_result(const struct cm_run *run);

#ifdef __cplusplus
}
#endif

#endif
