/*
 * State of a running program, shared by the rooms host, machine and run.
 *
 * run/run.c creates and destroys it. Every function that evaluates or executes takes it as `run`.
 * A function that fails fills run->err, which may be NULL, and returns its status.
 *
 * Some members belong to rooms above host: host never reads them, and knows their types only by
 * name. Where the front end needs these rooms, it calls the functions in run->hooks. Not installed.
 */
#ifndef CM_FORTRAN_STATE_H
#define CM_FORTRAN_STATE_H

#include "../../base/buffer.h"
#include "../../base/list.h"
#include "line.h"
#include "options.h"
#include "value.h"

#define CM_FORTRAN_WHERE_MAX 16u /* WHERE blocks that may nest, over all open calls */
#define CM_FORTRAN_TIMERS    64u
/* Most elements of an array in the front end, of a FORALL and of a list in one statement. */
#define CM_FORTRAN_ELEMENTS_MAX (UINT64_C(1) << 30)
/* Most items of a PRINT or WRITE, and most characters of a line of a FORMAT. */
#define CM_FORTRAN_ITEMS_MAX (UINT32_C(1) << 24)
#define CM_FORTRAN_LINE_MAX  (UINT64_C(1) << 24)
/* Turns of the front end's loops between two looks at an interrupt. */
#define CM_FORTRAN_TURNS_BETWEEN 4096u

struct cm_fortran_setup;   /* machine/setups.c */
struct cm_fortran_pshift;  /* machine/machine.h */
struct cm_fortran_checker; /* run/direct.h */
struct cm_fortran_run;

/* Functions of higher rooms that the evaluation of expressions needs. run/run.c sets them. */
struct cm_fortran_hooks {
    /* Calls a unit with the actual arguments `args`. A function's value goes to `value` if it has
     * rank 0, else to `result` as a new array. */
    enum cm_status (*call)(struct cm_fortran_run *run, const struct cm_fortran_unit *unit,
                           struct cm_fortran_expression *const *args, struct cm_source_place place,
                           union cm_fortran_value *value, struct cm_fortran_array **result);
    /* Calls a procedure of library.def. `value` may be NULL. */
    enum cm_status (*library)(struct cm_fortran_run *run, enum cm_fortran_library library,
                              struct cm_fortran_expression *const *args, uint32_t count,
                              struct cm_source_place place, union cm_fortran_value *value);
    /* Reduces an array to a scalar on the machine. Sets *done to false, and changes nothing, if the
     * machine does not do this reduction. */
    enum cm_status (*reduce)(struct cm_fortran_run *run, const struct cm_fortran_expression *call,
                             union cm_fortran_value *value, bool *done);
};

/* Masks of an open WHERE block, both logical arrays. */
struct cm_fortran_mask {
    struct cm_fortran_array *active;  /* true where assignments of the block take place */
    struct cm_fortran_array *pending; /* true where a later ELSEWHERE may still assign */
};

/*
 * Selection of the elements whose values are used, while an argument of a call is evaluated: for
 * MERGE(A / B, C, M), elements of A / B where M is true. Selections nest. An element is used if
 * every selection along `outer` has it.
 */
struct cm_fortran_selection {
    const struct cm_fortran_selection *outer;    /* selection that applies in addition, or NULL */
    const struct cm_fortran_selection *previous; /* run->selection before this selection began */
    const struct cm_fortran_array *mask;         /* logical, NULL for all elements */
    struct cm_fortran_array *owned;              /* the mask, if the selection must free it */
    bool negated;                                /* true if elements with a false mask are used */
    /* true if the mask calls functions, so that it is not evaluated here. Then no element counts as
     * used, and no zero divisor is reported. */
    bool unknown;
};

/* Indices of a FORALL that is rewritten as an assignment of sections. Index i runs along dimension
 * dim[i] of the section. */
struct cm_fortran_indices {
    uint32_t rank; /* of the section */
    uint32_t dim[CM_RANK_MAX];
    int64_t first[CM_RANK_MAX], last[CM_RANK_MAX], stride[CM_RANK_MAX];
    uint64_t extent[CM_RANK_MAX]; /* of the section */
};

/* A timer of CM_TIMER_START and its companions. */
struct cm_fortran_timer {
    bool running;
    uint32_t starts;
    /* Cycles that the machine worked and that elapsed: at the last start, and summed up before. */
    uint64_t since_busy, since_elapsed, busy, elapsed;
};

struct cm_fortran_run {
    const struct cm_fortran_program *program;
    struct cm_fortran_run_options options;
    const struct cm_fortran_hooks *hooks;
    struct cm_system *system;
    uint32_t nodes;
    struct cm_fortran_binding *statics;    /* by slot, as program->statics */
    union cm_fortran_value *static_values; /* values of static scalars, by slot */
    struct cm_fortran_frame *frame;        /* innermost call, NULL outside of calls */
    uint32_t depth;                        /* number of open calls */
    struct cm_fortran_mask masks[CM_FORTRAN_WHERE_MAX];
    uint32_t mask_count;
    /* Values of the FORALL indices, while a FORALL is evaluated element by element. */
    const int64_t *forall_values;
    /* Indices of a FORALL, while it is an assignment of sections, else NULL. */
    const struct cm_fortran_indices *forall_indices;
    const struct cm_fortran_statement *statement; /* statement being executed */
    const struct cm_fortran_selection *selection; /* selection in force, NULL for all elements */
    bool uncharged; /* true while the simulator itself reads elements, which costs no cycles */
    struct cm_buffer output; /* text that was printed and is not forgotten (output.c) */
    size_t passed;           /* bytes of `output` that options.print has */
    uint64_t forgotten;      /* bytes that were passed before those of `output` */
    uint64_t random_state;
    struct cm_fortran_timer timers[CM_FORTRAN_TIMERS];
    bool stopped;                /* true after STOP */
    uint32_t single_shifts;      /* shifts that the current statement has made one by one */
    uint64_t start_cycle;        /* machine cycles at the start of the program or the outer call */
    uint64_t executed;           /* number of statements executed */
    uint64_t host_elements;      /* elements that the front end has computed for the statement */
    uint64_t turns;              /* turns of the front end's loops, for cm_fortran_go_on() */
    struct cm_counters counters; /* sum of the counters of all lines */
    struct cm_fortran_line *lines;
    uint32_t line_count, line_capacity;
    uint8_t **unit_targets; /* for each unit: a byte for each statement, 1 for targets of jumps */
    uint32_t **unit_lines;  /* for each unit: the index in `lines` of each statement */
    CM_LIST(struct cm_fortran_setup) setups; /* compiled communication (machine/setups.c) */
    struct cm_fortran_fusing *fusings;       /* choices of machine/fuse.c, NULL before the first */
    CM_LIST(struct cm_fortran_pshift) pshifts; /* item i has the Fortran program's id i + 1 */
    struct cm_fortran_checker *checker;        /* results of the check, NULL unless options.check */
    struct cm_error *err;                      /* receives the message of a failure, or NULL */
};

/* ---- errors: state.c ---- */

/* Fills run->err with a message about a place in the source. Returns CM_BAD_INPUT. */
enum cm_status cm_fortran_fail(struct cm_fortran_run *run, struct cm_source_place place,
                               const char *format, ...) CM_PRINTF(3, 4);
/* Fills run->err with "out of memory". Returns CM_NO_MEMORY. */
enum cm_status cm_fortran_no_memory(struct cm_fortran_run *run);
/* Fails with CM_BAD_INPUT because the current statement has more than CM_FORTRAN_ELEMENTS_MAX
 * elements. The statement's place is added later. */
enum cm_status cm_fortran_too_many(struct cm_fortran_run *run);
/* Fails with CM_INTERRUPTED if the machine was interrupted. */
enum cm_status cm_fortran_look(struct cm_fortran_run *run);

/* Lets a loop of the front end go on, or fails with CM_INTERRUPTED. Every loop whose length a
 * program decides calls this function in each turn. */
static inline enum cm_status cm_fortran_go_on(struct cm_fortran_run *run)
{
    return ++run->turns % CM_FORTRAN_TURNS_BETWEEN == 0 ? cm_fortran_look(run) : CM_OK;
}

/* ---- variables and masks: state.c ---- */

/* Returns the storage of a variable in the innermost call. */
struct cm_fortran_binding *cm_fortran_binding_of(struct cm_fortran_run *run,
                                                 const struct cm_fortran_variable *variable);
/* Finds the unit that a call names: `unit`, or the procedure that was passed for `argument`. Fails
 * if the argument was left out. */
enum cm_status cm_fortran_unit_of(struct cm_fortran_run *run, const struct cm_fortran_unit *unit,
                                  const struct cm_fortran_variable *argument,
                                  struct cm_source_place place,
                                  const struct cm_fortran_unit **called);
/* Finds the value of a scalar variable. Fails for an argument that was left out. */
enum cm_status cm_fortran_scalar_of(struct cm_fortran_run *run,
                                    const struct cm_fortran_variable *variable,
                                    struct cm_source_place place, union cm_fortran_value **scalar);
/* Finds the array of a variable. Fails if it is not allocated, or was left out. */
enum cm_status cm_fortran_array_of(struct cm_fortran_run *run,
                                   const struct cm_fortran_variable *variable,
                                   struct cm_source_place place, struct cm_fortran_array **array);
/* Returns the mask of the innermost WHERE block of the current unit, NULL outside of WHERE. */
const struct cm_fortran_array *cm_fortran_mask(const struct cm_fortran_run *run);

/* ---- records of lines: lines.c ---- */

/* Makes the records of all lines on which statements begin, and marks the targets of jumps. */
enum cm_status cm_fortran_line_records_make(struct cm_fortran_run *run);
void cm_fortran_line_records_finish(struct cm_fortran_run *run);
/* Returns a byte for each statement of a unit: 1 if the statement is the target of a jump. */
const uint8_t *cm_fortran_jump_targets(const struct cm_fortran_run *run,
                                       const struct cm_fortran_unit *unit);
/* Returns, for each statement of a unit, the index of its line in run->lines. */
uint32_t *cm_fortran_lines_of(const struct cm_fortran_run *run, const struct cm_fortran_unit *unit);
/* Sets the note of a statement's line, for --explain. A later note replaces an earlier one. */
void cm_fortran_note(struct cm_fortran_run *run, const struct cm_fortran_statement *statement,
                     const char *text);
/* Notes that the IMP of statement `first` does the work of `statement` too. */
void cm_fortran_note_shared_imp(struct cm_fortran_run *run,
                                const struct cm_fortran_statement *statement,
                                const struct cm_fortran_statement *first);
/* Notes that `count` shifts were made one by one, before the text that the line's note has. */
void cm_fortran_note_shifts(struct cm_fortran_run *run,
                            const struct cm_fortran_statement *statement, uint32_t count);

#endif
