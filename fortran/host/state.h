/*
 * This header declares the state of a running program, which the rooms host, machine and run of
 * fortran/ share.
 *
 * run/run.c creates and destroys the state. Every function that evaluates or executes has a
 * parameter `run` for it. A function that fails fills run->err, which may be NULL, and returns its
 * status.
 *
 * Some members belong to the rooms machine and run. The room host never reads these members, and
 * knows their types only by name. If the front end needs these rooms, it calls the functions in
 * run->hooks. This header is not installed.
 */
#ifndef CM_FORTRAN_STATE_H
#define CM_FORTRAN_STATE_H

#include "../../base/buffer.h"
#include "../../base/list.h"
#include "line.h"
#include "options.h"
#include "value.h"

#define CM_FORTRAN_WHERE_MAX 16u /* limit of nested WHERE blocks, counted over all open calls */
#define CM_FORTRAN_TIMERS    64u
/* Largest number of elements of an array in the front end, of a FORALL, and of an array
 * constructor. */
#define CM_FORTRAN_ELEMENTS_MAX (UINT64_C(1) << 30)
/* These two limits are the largest number of items of a PRINT or WRITE, and the largest number of
 * characters in a line that a FORMAT writes. */
#define CM_FORTRAN_ITEMS_MAX (UINT32_C(1) << 24)
#define CM_FORTRAN_LINE_MAX  (UINT64_C(1) << 24)
/* Number of iterations of the front end's loops after which they check for an interrupt again. */
#define CM_FORTRAN_TURNS_BETWEEN 4096u

struct cm_fortran_setup;   /* machine/setups.c */
struct cm_fortran_pshift;  /* machine/machine.h */
struct cm_fortran_checker; /* run/direct.h */
struct cm_fortran_run;
struct cm_fortran_units; /* io.h */

/* Functions of the rooms machine and run that the evaluation of expressions calls. run/run.c sets
 * them. */
struct cm_fortran_hooks {
    /* Calls a subroutine or function with the actual arguments `args`. The value of a function of
     * rank 0 goes to `value`, of other functions to `result` as a new array. */
    enum cm_status (*call)(struct cm_fortran_run *run, const struct cm_fortran_unit *unit,
                           struct cm_fortran_expression *const *args, struct cm_source_place place,
                           union cm_fortran_value *value, struct cm_fortran_array **result);
    /* Calls a library procedure of check/library.def. `value` may be NULL for a subroutine. */
    enum cm_status (*library)(struct cm_fortran_run *run, enum cm_fortran_library library,
                              struct cm_fortran_expression *const *args, uint32_t count,
                              struct cm_source_place place, union cm_fortran_value *value);
    /* Computes a reduction of an array to a scalar on the machine. If the machine does not support
     * this reduction, sets *done to false and changes nothing. */
    enum cm_status (*reduce)(struct cm_fortran_run *run, const struct cm_fortran_expression *call,
                             union cm_fortran_value *value, bool *done);
    /* Frees node memory that is kept for later statements alone. Returns false if no memory was
     * freed. */
    bool (*free_memory)(struct cm_fortran_run *run);
};

/* The masks of an open WHERE block, which are logical arrays. */
struct cm_fortran_mask {
    /* mask that is true where assignments of the block take place */
    struct cm_fortran_array *active;
    /* mask that is true where a later ELSEWHERE may still assign */
    struct cm_fortran_array *pending;
};

/*
 * Selection of those elements of a call's argument whose values are used, while the argument is
 * evaluated. For MERGE(A / B, C, M), elements of A / B are used where M is true. Selections nest.
 * An element is used if it is in all selections of the list along `outer`.
 */
struct cm_fortran_selection {
    const struct cm_fortran_selection *outer;    /* outer selection that applies, too, or NULL */
    const struct cm_fortran_selection *previous; /* run->selection before this selection began */
    const struct cm_fortran_array *mask;         /* logical mask, or NULL for all elements */
    /* the mask, if the selection must free it, or NULL */
    struct cm_fortran_array *owned;
    /* true if the used elements are those with a false mask */
    bool negated;
    /* True if the mask calls functions of the program. Such a mask must not be evaluated
     * twice, so the elements that are used are not known, and zero divisors are not reported. */
    bool unknown;
};

/* Indices of a FORALL that is executed as an assignment of array sections. Index number i runs
 * along dimension dim[i] of the section. */
struct cm_fortran_indices {
    uint32_t rank; /* of the section */
    uint32_t dim[CM_RANK_MAX];
    int64_t first[CM_RANK_MAX], last[CM_RANK_MAX], stride[CM_RANK_MAX];
    uint64_t extent[CM_RANK_MAX]; /* of the section */
};

/* A timer, which the program controls by CM_TIMER_START and similar calls. */
struct cm_fortran_timer {
    bool running;
    uint32_t starts;
    /* Busy cycles and elapsed cycles of the machine. since_*: counts at the last start. `busy` and
     * `elapsed`: sums of the intervals that have ended. */
    uint64_t since_busy, since_elapsed, busy, elapsed;
};

struct cm_fortran_run {
    const struct cm_fortran_program *program;
    struct cm_fortran_run_options options;
    const struct cm_fortran_hooks *hooks;
    struct cm_system *system;
    uint32_t nodes;
    /* storage of static variables, indexed by slot like program->statics */
    struct cm_fortran_binding *statics;
    union cm_fortran_value *static_values; /* values of static scalars, indexed by slot */
    struct cm_fortran_frame *frame;        /* innermost open call, NULL outside of calls */
    uint32_t depth;                        /* number of open calls */
    struct cm_fortran_mask masks[CM_FORTRAN_WHERE_MAX];
    uint32_t mask_count;
    /* Current values of the FORALL indices, while a FORALL is evaluated element by element. */
    const int64_t *forall_values;
    /* Indices of a FORALL, while it is executed as an assignment of array sections, or NULL. */
    const struct cm_fortran_indices *forall_indices;
    const struct cm_fortran_statement *statement; /* statement being executed */
    /* innermost selection in force, or NULL if all elements are used */
    const struct cm_fortran_selection *selection;
    /* true while the simulator reads elements for its own checks, which costs no cycles */
    bool uncharged;
    struct cm_buffer output; /* text that was printed and that memory still holds (output.c) */
    size_t passed;           /* number of bytes of `output` that were passed to options.print */
    struct cm_buffer errors; /* like `output`, for the text of the standard error output */
    size_t errors_passed;    /* number of bytes of `errors` that were passed */
    /* number of bytes that were passed, and removed from `output` and `errors` */
    uint64_t forgotten;
    struct cm_fortran_units
        *units; /* units of input and output (units.c), NULL before the first use */
    uint64_t random_state;
    struct cm_fortran_timer timers[CM_FORTRAN_TIMERS];
    bool stopped;       /* true after the program has executed STOP */
    uint32_t stop_code; /* exit code that STOP asks for */
    int64_t alternate;  /* value of the RETURN that ended the last call, or 0 */
    /* number of shifts that the current statement made one by one, without a PSHIFT */
    uint32_t single_shifts;
    /* Cycle of the machine, and sum of `executed` and `turns`, at which the program or the
     * outermost call began. */
    uint64_t start_cycle, start_work;
    uint64_t executed; /* number of statements executed */
    /* number of elements that the front end computed for the current statement */
    uint64_t host_elements;
    /* iterations of the front end's loops so far, which cm_fortran_go_on() counts */
    uint64_t turns;
    struct cm_counters counters; /* sum of the counters of all lines */
    struct cm_fortran_line *lines;
    uint32_t line_count, line_capacity;
    /* for each unit, an array with a byte for each statement: 1 if it is a target of jumps */
    uint8_t **unit_targets;
    /* for each unit, an array with the index in `lines` of each statement */
    uint32_t **unit_lines;
    /* compiled communication, such as PSHIFTs, that statements use again (machine/setups.c) */
    CM_LIST(struct cm_fortran_setup) setups;
    /* choices of machine/fuse.c. NULL before the first choice */
    struct cm_fortran_fusing *fusings;
    /* PSHIFTs that the program itself set up. Item i has the program's id i + 1 */
    CM_LIST(struct cm_fortran_pshift) pshifts;
    /* results of the comparison with the front end. NULL unless options.check is true */
    struct cm_fortran_checker *checker;
    struct cm_error *err; /* receives the message of a failure, or NULL */
};

/* ---- errors: state.c ---- */

/* Fills run->err with a message about a place in the source text. Returns CM_BAD_INPUT. */
enum cm_status cm_fortran_fail(struct cm_fortran_run *run, struct cm_source_place place,
                               const char *format, ...) CM_PRINTF(3, 4);
/* Fills run->err with "out of memory". Returns CM_NO_MEMORY. */
enum cm_status cm_fortran_no_memory(struct cm_fortran_run *run);
/* Fails with CM_BAD_INPUT because the current statement has more than CM_FORTRAN_ELEMENTS_MAX
 * elements. The caller adds the place of the statement to the message later. */
enum cm_status cm_fortran_too_many(struct cm_fortran_run *run);
/* Fails with CM_INTERRUPTED, and the place of the current statement, if the machine was
 * interrupted. Fails with CM_BAD_INPUT if the program has taken more than options.max_cycles. */
enum cm_status cm_fortran_look(struct cm_fortran_run *run);
/* Fills run->err with "interrupted" and the place of the current statement. Returns
 * CM_INTERRUPTED. */
enum cm_status cm_fortran_interrupted(struct cm_fortran_run *run);

/* Calls cm_fortran_look() after every CM_FORTRAN_TURNS_BETWEEN calls. A loop of the front end calls
 * this function in each iteration if the program decides the number of iterations. */
static inline enum cm_status cm_fortran_go_on(struct cm_fortran_run *run)
{
    return ++run->turns % CM_FORTRAN_TURNS_BETWEEN == 0 ? cm_fortran_look(run) : CM_OK;
}

/* ---- variables and masks: state.c ---- */

/* Returns the storage that a variable has in the innermost call. */
struct cm_fortran_binding *cm_fortran_binding_of(struct cm_fortran_run *run,
                                                 const struct cm_fortran_variable *variable);
/* Finds the program unit that a call executes: `unit`, or, if `unit` is NULL, the procedure that
 * was passed for the dummy argument `argument`. Fails if no procedure was passed. */
enum cm_status cm_fortran_unit_of(struct cm_fortran_run *run, const struct cm_fortran_unit *unit,
                                  const struct cm_fortran_variable *argument,
                                  struct cm_source_place place,
                                  const struct cm_fortran_unit **called);
/* Finds the storage of a scalar variable's value. Fails for an optional argument that was left
 * out. */
enum cm_status cm_fortran_scalar_of(struct cm_fortran_run *run,
                                    const struct cm_fortran_variable *variable,
                                    struct cm_source_place place, union cm_fortran_value **scalar);
/* Finds the array of a variable. Fails if the variable is not allocated, or is an argument that was
 * left out. */
enum cm_status cm_fortran_array_of(struct cm_fortran_run *run,
                                   const struct cm_fortran_variable *variable,
                                   struct cm_source_place place, struct cm_fortran_array **array);
/* Returns the mask of the innermost WHERE block of the current unit, NULL outside of WHERE. */
const struct cm_fortran_array *cm_fortran_mask(const struct cm_fortran_run *run);

/* ---- records of lines: lines.c ---- */

/* Makes a record for each source line on which a statement begins, and marks the targets of
 * jumps. */
enum cm_status cm_fortran_line_records_make(struct cm_fortran_run *run);
void cm_fortran_line_records_finish(struct cm_fortran_run *run);
/* Returns an array with a byte for each statement of a unit: 1 if the statement is the target of a
 * jump. */
const uint8_t *cm_fortran_jump_targets(const struct cm_fortran_run *run,
                                       const struct cm_fortran_unit *unit);
/* Returns an array with the index in run->lines of each statement of a unit. */
uint32_t *cm_fortran_lines_of(const struct cm_fortran_run *run, const struct cm_fortran_unit *unit);
/* Sets the note (text for --explain) of a statement's source line. A later note replaces an earlier
 * one. */
void cm_fortran_note(struct cm_fortran_run *run, const struct cm_fortran_statement *statement,
                     const char *text);
/* Notes, for --explain, that the IMP of statement `first` also does the computation of
 * `statement`. */
void cm_fortran_note_shared_imp(struct cm_fortran_run *run,
                                const struct cm_fortran_statement *statement,
                                const struct cm_fortran_statement *first);
/* Notes, for --explain, that a statement made `count` shifts one by one. The text goes before the
 * text that the line's note already has. */
void cm_fortran_note_shifts(struct cm_fortran_run *run,
                            const struct cm_fortran_statement *statement, uint32_t count);

#endif
