/*
 * Workloads: what a person asks the system to do (format "cm200-workload/1", docs/workload.md), and
 * the one way that every run goes: read, prepare (lay arrays, compile setups), execute, check,
 * save.
 */
#ifndef CM_PROGRAMS_WORKLOAD_WORKLOAD_H
#define CM_PROGRAMS_WORKLOAD_WORKLOAD_H

#include "../../sim/machine/observer.h"
#include "../fft/fft_result.h"
#include "../network/network.h"
#include "../pshift/pshift.h"
#include "../reshape/reshape_plan.h"
#include "../system/system.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cm_workload;
struct cm_step_kind; /* step.h, not installed */

/* Reads and checks a workload; `name` and relative paths inside refer to the file's folder. */
CM_API enum cm_status cm_workload_read(const char *path, struct cm_workload **workload,
                                       struct cm_error *err);
CM_API enum cm_status cm_workload_parse(const char *name, const char *text, size_t length,
                                        struct cm_workload **workload, struct cm_error *err);
/* The same with "NAME=INTEGER" for some of the workload's parameters. */
CM_API enum cm_status cm_workload_read_with(const char *path, const char *const *parameters,
                                            uint32_t count, struct cm_workload **workload,
                                            struct cm_error *err);
CM_API enum cm_status cm_workload_parse_with(const char *name, const char *text, size_t length,
                                             const char *const *parameters, uint32_t count,
                                             struct cm_workload **workload, struct cm_error *err);
/* Frees a workload. All its runs must have been destroyed, because a run uses its workload to its
 * end. Builds with assertions check this. */
CM_API void cm_workload_destroy(struct cm_workload *workload);
CM_API const char *cm_workload_name(const struct cm_workload *workload);

/* The most nodes for which a run keeps what each channel carried. */
#define CM_CHANNELS_KEPT_NODES (UINT32_C(1) << 22)

/* How a workload runs; all zeros: as the workload says. */
struct cm_run_options {
    const char *machine;     /* overrides the workload's machine file; NULL: the workload's */
    const char *const *sets; /* "section.key=value" */
    uint32_t set_count;      /* how many */
    uint32_t nodes;          /* 0: the workload's, or the whole machine's when it names none */
    uint32_t threads;        /* 0: what the host has */
    bool timing_only;        /* count cycles, move no data */
    bool no_check;           /* skip the workload's check */
    /* Do with little memory, as runs on more than CM_CHANNELS_KEPT_NODES nodes do on their own: sum
     * up what channels carried instead of keeping it for each, where no step needs it (repeats and
     * the router do); and where all steps are shifts of arrays, check without copies of arrays. */
    bool sparing;
    /* The workload may write anywhere and read devices and pipes; else it is refused (CM_BAD_INPUT)
     * when it names such a file: programs/workload/files.h has the rules. */
    bool trusted;
    const char *const *saves; /* "ARRAY=FILE.npy", besides the workload's own */
    uint32_t save_count;      /* how many */
    /* Files that the caller will write: refused (CM_USAGE) when a save or a file that the run reads
     * is the same one. */
    const char *const *outputs;
    uint32_t output_count;                                          /* how many */
    void (*progress)(void *context, uint64_t done, uint64_t total); /* steps; may be NULL */
    void *progress_context;                                         /* its first argument */
    /* A machine read already, so that no file is read for it; may be NULL. */
    const struct cm_config *config;
};

struct cm_run; /* a workload on a system */

/* Lays the arrays, initialises them, makes the setups. Everything that can be refused is refused
 * here. The workload must outlive the run. */
CM_API enum cm_status cm_run_create(const struct cm_workload *workload,
                                    const struct cm_run_options *options, struct cm_run **run,
                                    struct cm_error *err);
/* Executes the steps; checks each when the workload says so. CM_CHECK_FAILED when data were wrong
 * (the run is complete then). A further call executes the steps again, on the arrays as the last
 * call left them. Cycles and counters of the result are sums over all calls. */
CM_API enum cm_status cm_run_execute(struct cm_run *run, struct cm_error *err);
/* The same for one run of several: calls watch (which may be NULL) with the run before it and with
 * NULL after it, so that it can be interrupted; false ends all with CM_INTERRUPTED. */
CM_API enum cm_status cm_run_execute_watched(struct cm_run *run,
                                             bool (*watch)(void *context, struct cm_run *run),
                                             void *context, struct cm_error *err);
/* The observer gets the events of cm_run_execute; it must outlive the run. */
CM_API void cm_run_observe(struct cm_run *run, const struct cm_observer *observer);
/* Asks cm_run_execute to stop soon with CM_INTERRUPTED; safe in a signal handler and from other
 * threads. */
CM_API void cm_run_interrupt(struct cm_run *run);
/* How long the steps that are left will take at the pace of those that ran, on this host; negative
 * when that is not known: see cm_run_foresee. For the progress report. */
CM_API double cm_run_seconds_left(const struct cm_run *run);
/* What the step that runs now says of itself; for the progress report. */
struct cm_run_part {
    const char *unit; /* "rate": one of what the step does one after the other; NULL: unknown */
    uint64_t done;    /* so many of them */
    uint64_t total;   /* of so many */
};
/* The same of a run; all zeros where the step says nothing. */
CM_API struct cm_run_part cm_run_step_part(const struct cm_run *run);
/* Plays the workload once more without data, for at most so much processor time, to know the cycles
 * of each step: then the time left is known before all steps have run once. Of steps whose
 * cycles depend on data it is a guess. Nothing more is known when it fails or takes longer. */
CM_API void cm_run_foresee(struct cm_run *run, double seconds);
/* Writes what the workload and options save: the arrays as they are now. Before cm_run_execute they
 * have their first values. */
CM_API enum cm_status cm_run_save(struct cm_run *run, struct cm_error *err);
CM_API void cm_run_destroy(struct cm_run *run);

/* Gives an array its first values, instead of the workload's "init": all elements in Fortran order.
 * The check evaluates on them, too. CM_USAGE for an unknown array, or once the run has begun. */
CM_API enum cm_status cm_run_give(struct cm_run *run, const char *name, const void *elements,
                                  struct cm_error *err);
/* The system that the run made, for a look at its machine; owned by the run. */
CM_API struct cm_system *cm_run_system(struct cm_run *run);
/* Arrays by name (NULL when unknown) and in the workload's order. */
CM_API struct cm_array *cm_run_array(struct cm_run *run, const char *name);
CM_API uint32_t cm_run_array_count(const struct cm_run *run);
CM_API struct cm_array *cm_run_array_at(struct cm_run *run, uint32_t i);
/* Setups in order of first use: for `cm200 compile`. `title` says which step it serves. */
CM_API uint32_t cm_run_setup_count(const struct cm_run *run);
CM_API int cm_run_setup_at(const struct cm_run *run, uint32_t i, const char **title);
/* IMP `i` of a step that has code of its own, from 0, both; NULL past the last. *op and *where, its
 * name and JSON pointer, are set for every step. */
CM_API uint32_t cm_run_step_count(const struct cm_run *run);
CM_API const struct cm_imp *cm_run_step_imp(const struct cm_run *run, uint32_t step, uint32_t i,
                                            const char **op, const char **where);
/* The layout of the arrays that setup `i` was made for. */
CM_API const struct cm_layout *cm_run_setup_layout(const struct cm_run *run, uint32_t i);
/* The shifts that setup `i` was made for; *count is their number. */
CM_API const struct cm_pshift_pattern *cm_run_setup_patterns(const struct cm_run *run, uint32_t i,
                                                             uint32_t *count);

/* What a reshape step planned (reshape_plan.h says what each means). */
struct cm_reshape_summary {
    uint64_t dimensions, processor_dimensions; /* a bit each */
    uint32_t delta;                            /* dimensions of D_paddr */
    uint64_t elements_per_node;                /* K, in the unit counted */
    /* as planned; the theorem's bound; what no algorithm can better */
    uint64_t steps, bound, lower_bound;
    uint64_t permutation_steps;          /* of the second phase of a consistent allocation */
    uint64_t link_load_max;              /* elements over one link in one direction */
    enum cm_reshape_algorithm algorithm; /* the one taken */
    bool has_start;                      /* one sequence of exchanges for all elements */
    uint32_t start;                      /* a logic dimension, when has_start */
    char reasons[CM_RESHAPE_ALGORITHM_COUNT][160]; /* why the others were not taken, for auto */
};

/* What one step did; steps inside a repeat are summed over its iterations. */
struct cm_step_result {
    const char *op;                 /* "pshift", "cshift", "combine", ... */
    const char *where;              /* JSON pointer of the step in the workload */
    const char *path;               /* "imp", "runtime", "imp+runtime" */
    uint64_t times;                 /* how often it ran */
    struct cm_counters counters;    /* what it cost, all times together */
    struct cm_channel_use channels; /* what it sent */
    uint64_t sram_words; /* of the IMPs that one time of it ran, each as often as it was loaded */
    bool checked;        /* its results were compared with the direct evaluation */
    bool partly;         /* not checked, but parts of it were; it reports which were not */
    bool rounded;        /* its results equal the direct evaluation up to rounding */
    uint64_t mismatches; /* elements that differ from it */
    const struct cm_step_kind *kind; /* what it reports more is read by the functions below */
    const void *own;                 /* the step as the workload has it, of the kind's table */
    const void *state;               /* the step's own, for these functions */
};

struct cm_intervals; /* intervals.h */

/* A parameter of the workload, with the value that it was read with. */
struct cm_parameter {
    const char *name; /* as `$NAME` has it */
    int64_t value;    /* after --param */
};

/* A file that the run read. */
struct cm_result_file {
    const char *file; /* as the workload writes it */
    char sha256[65];  /* of its content, in hexadecimal */
};

/* What an array's random values begin with. */
struct cm_result_seed {
    const char *array; /* by name */
    uint64_t seed;     /* as the workload has it */
};

/* What a run did. Texts and lists belong to the run. */
struct cm_result {
    const char *workload;                  /* its name */
    const char *workload_sha256;           /* of its text */
    const struct cm_result_file *files;    /* read besides the workload */
    uint32_t file_count;                   /* how many */
    const struct cm_result_seed *seeds;    /* of arrays with random values */
    uint32_t seed_count;                   /* how many */
    const struct cm_result_file *given;    /* arrays by name: what cm_run_give gave them */
    uint32_t given_count;                  /* how many */
    const struct cm_config *config;        /* of the machine, as it ran */
    const struct cm_parameter *parameters; /* in the workload's order */
    uint32_t parameter_count;              /* how many */
    const char *machine;                   /* its name */
    uint32_t nodes;                        /* that the run used */
    uint64_t clock_hz;                     /* of the simulated machine */
    bool timing_only;                      /* no data moved */
    bool overlap;                          /* the machine hides exchanges: exchange.overlap */
    struct cm_counters total;              /* of all steps */
    struct cm_channel_use channels;        /* over all steps */
    struct cm_step_result *steps;          /* in the workload's order, repeats left out */
    uint32_t step_count;                   /* how many */
    bool checked;                          /* every step that can be checked was */
    uint64_t mismatches;                   /* elements that differ from the direct evaluation */
    /* Of a run that was interrupted (CM_INTERRUPTED), `partial`: all counters are those of the
     * steps that are complete, and of the complete statements of a program. */
    bool partial;
    uint64_t steps_done, steps_total; /* counting each iteration of a repeat */
    const char *interrupted_in;       /* JSON pointer of the step that was not ended; NULL: none */
    double wall_seconds;              /* simulating the steps only */
    uint32_t threads;                 /* of the host that played the machine */
    /* For "host", filled by who prints it: the command line, and the commit that the program is
     * of; NULL: not known. */
    const char *command, *commit;
    const struct cm_intervals *intervals; /* NULL: not asked for */
};
CM_API const struct cm_result *cm_run_result(const struct cm_run *run); /* owned by the run */
/* What a step of certain kinds did more, the last time that it ran; NULL for other kinds: shift and
 * route; reshape; fft and broadcast. */
CM_API const struct cm_network_report *cm_step_network(const struct cm_step_result *step);
CM_API const struct cm_reshape_summary *cm_step_reshaped(const struct cm_step_result *step);
CM_API const struct cm_fft_result *cm_step_transformed(const struct cm_step_result *step);

#ifdef __cplusplus
}
#endif

#endif
