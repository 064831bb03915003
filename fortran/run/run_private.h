/*
 * A CM Fortran program while it runs. The front end plays statements and scalar expressions
 * (execute.c, host/scalar.c); array statements go to the machine (machine/machine.c) or, where no
 * operand lives there or nothing better is built, are evaluated in the front end (host/evaluate.c).
 * Not installed.
 */
#ifndef CM_FORTRAN_RUN_PRIVATE_H
#define CM_FORTRAN_RUN_PRIVATE_H

#include "../../base/buffer.h"
#include "../../base/list.h"
#include "../../programs/pshift/pshift.h"
#include "../check/compute.h"
#include "../host/value.h"
#include "run.h"

/* Calls that nest deeper are refused. */
#define CM_FORTRAN_DEPTH_MAX     200u
#define CM_FORTRAN_WHERE_MAX     16u
#define CM_FORTRAN_TIMERS        64u
#define CM_FORTRAN_ARGUMENTS_MAX 64u

struct cm_fortran_setup;
struct cm_fortran_checker;

/* A setup of PSHIFT that the program has made: its id is its number here, from 1. */
struct cm_fortran_pshift {
    int id; /* of the system */
    struct cm_layout layout;
    struct cm_pshift_pattern patterns[CM_PSHIFT_MAX];
    uint32_t count;
    bool used;     /* not deallocated */
    bool by_group; /* made for statements at -O1, not by the program */
};

/* A WHERE block that is open: where assignments happen, and where they did not yet. */
struct cm_fortran_mask {
    struct cm_fortran_array *active;  /* logical */
    struct cm_fortran_array *pending; /* for ELSEWHERE */
};

/* Which elements of an expression that is evaluated are used: those where the mask is true, and
 * those of the outer ones too. */
struct cm_fortran_active {
    const struct cm_fortran_active *outer, *before;
    const struct cm_fortran_array *mask; /* logical; NULL: all */
    struct cm_fortran_array *owned;
    bool negated; /* where it is false */
    bool unknown; /* no one says which */
};

/* The indices of a FORALL as subscripts of a section: index i runs along its dimension dim[i]. */
struct cm_fortran_indices {
    uint32_t rank; /* of the section */
    uint32_t dim[CM_RANK_MAX];
    int64_t first[CM_RANK_MAX], last[CM_RANK_MAX], stride[CM_RANK_MAX];
    uint64_t extent[CM_RANK_MAX]; /* of the section */
};

struct cm_fortran_timer {
    bool running;
    uint32_t starts;
    uint64_t since, cycles;
};

struct cm_fortran_run {
    const struct cm_fortran_program *program;
    struct cm_fortran_run_options options;
    struct cm_system *system;
    uint32_t nodes;
    struct cm_fortran_binding *statics;
    union cm_fortran_value *static_values; /* of scalars */
    struct cm_fortran_frame *frame;        /* of the call under way */
    uint32_t depth;
    struct cm_fortran_mask masks[CM_FORTRAN_WHERE_MAX];
    uint32_t mask_count;
    const int64_t *forall_values; /* of the indices, while a FORALL is evaluated */
    /* The indices, while a FORALL is an assignment of sections; else NULL. */
    const struct cm_fortran_indices *forall_indices;
    const struct cm_fortran_statement *statement; /* being played */
    const struct cm_fortran_active *active;       /* of what is evaluated; NULL: all elements */
    bool observing;                               /* what is read costs nothing */
    struct cm_buffer output;
    uint64_t random_state;
    struct cm_fortran_timer timers[CM_FORTRAN_TIMERS];
    bool stopped;
    uint32_t single_shifts;     /* that the statement's play has made, one after the other */
    uint64_t begun;             /* the machine's cycles when the program, or the call, began */
    uint64_t played;            /* statements */
    struct cm_counters counted; /* what lines have got */
    struct cm_fortran_line *lines;
    uint32_t line_count, line_capacity;
    uint8_t **unit_targets; /* for each unit: which statements are targets of jumps */
    uint32_t **unit_lines;  /* for each unit of the program: the line of each statement */
    CM_LIST(struct cm_fortran_setup) setups;   /* of the communication library; machine/setups.c */
    CM_LIST(struct cm_fortran_pshift) pshifts; /* by their ids; library.c */
    struct cm_fortran_checker *checker;        /* NULL: nothing is compared; direct.h */
    struct cm_error *err;
};

/* ---- errors ---- */

/* Fills run->err with a message about a place; CM_BAD_INPUT. */
enum cm_status cm_fortran_fail(struct cm_fortran_run *run, struct cm_source_place place,
                               const char *format, ...) CM_PRINTF(3, 4);
enum cm_status cm_fortran_no_memory(struct cm_fortran_run *run);

/* ---- host/arrays.c ---- */

/* An array of zeros in the front end. */
enum cm_status cm_fortran_array_host(struct cm_fortran_run *run, enum cm_type type, uint32_t rank,
                                     const uint64_t *extent, struct cm_fortran_array **array);
/* An array on the machine, of zeros, laid out as the variable says. */
enum cm_status cm_fortran_array_machine(struct cm_fortran_run *run,
                                        const struct cm_fortran_variable *variable,
                                        const uint64_t *extent, struct cm_fortran_array **array);
/* The same of a shape alone, in the layout of an array without a directive. */
enum cm_status cm_fortran_array_plain(struct cm_fortran_run *run, enum cm_type type, uint32_t rank,
                                      const uint64_t *extent, struct cm_fortran_array **array);
/* An array on the machine of the model's shape and layout, of another type. */
enum cm_status cm_fortran_array_like(struct cm_fortran_run *run,
                                     const struct cm_fortran_array *model, enum cm_type type,
                                     struct cm_fortran_array **array);
/* NULL is allowed. */
void cm_fortran_array_destroy(struct cm_fortran_run *run, struct cm_fortran_array *array);
/* A copy in the front end; from the machine, `charged` elements are charged. */
enum cm_status cm_fortran_array_copy(struct cm_fortran_run *run,
                                     const struct cm_fortran_array *array, uint64_t charged,
                                     struct cm_fortran_array **copy);
/* New elements for all of an array on the machine, of which `charged` are charged. */
enum cm_status cm_fortran_array_replace(struct cm_fortran_run *run, struct cm_fortran_array *array,
                                        const void *elements, uint64_t charged);
/* One element, `index` in Fortran order from 0; of an array on the machine, charged. */
enum cm_status cm_fortran_element_get(struct cm_fortran_run *run,
                                      const struct cm_fortran_array *array, uint64_t index,
                                      union cm_fortran_value *value);
enum cm_status cm_fortran_element_put(struct cm_fortran_run *run, struct cm_fortran_array *array,
                                      uint64_t index, const union cm_fortran_value *value);
/* The same without a charge, and the charge for some elements. */
enum cm_status cm_fortran_element_peek(struct cm_fortran_run *run,
                                       const struct cm_fortran_array *array, uint64_t index,
                                       union cm_fortran_value *value);
enum cm_status cm_fortran_element_poke(struct cm_fortran_run *run, struct cm_fortran_array *array,
                                       uint64_t index, const union cm_fortran_value *value);
void cm_fortran_charge(struct cm_fortran_run *run, const struct cm_fortran_array *array,
                       uint64_t elements);
static inline bool cm_fortran_on_machine(const struct cm_fortran_array *array)
{
    return array->machine != NULL;
}
/* Elements of host arrays. */
void cm_fortran_load(enum cm_type type, const void *elements, uint64_t index,
                     union cm_fortran_value *value);
void cm_fortran_store(enum cm_type type, void *elements, uint64_t index,
                      const union cm_fortran_value *value);

/* ---- host/scalar.c ---- */

struct cm_fortran_binding *cm_fortran_binding_of(struct cm_fortran_run *run,
                                                 const struct cm_fortran_variable *variable);
/* The unit that is called: `unit`, or what an argument is. */
enum cm_status cm_fortran_unit_of(struct cm_fortran_run *run, const struct cm_fortran_unit *unit,
                                  const struct cm_fortran_variable *argument,
                                  struct cm_source_place place,
                                  const struct cm_fortran_unit **called);
/* The value of a scalar variable; refuses an argument that was left out. */
enum cm_status cm_fortran_scalar_of(struct cm_fortran_run *run,
                                    const struct cm_fortran_variable *variable,
                                    struct cm_source_place place, union cm_fortran_value **scalar);
/* The array that a variable is; refuses one that is not allocated, or was left out. */
enum cm_status cm_fortran_array_of(struct cm_fortran_run *run,
                                   const struct cm_fortran_variable *variable,
                                   struct cm_source_place place, struct cm_fortran_array **array);
/* The value of an expression of rank 0. */
enum cm_status cm_fortran_scalar(struct cm_fortran_run *run,
                                 const struct cm_fortran_expression *expression,
                                 union cm_fortran_value *value);
enum cm_status cm_fortran_integer(struct cm_fortran_run *run,
                                  const struct cm_fortran_expression *expression, int64_t *value);
enum cm_status cm_fortran_truth(struct cm_fortran_run *run,
                                const struct cm_fortran_expression *expression, bool *value);
/* Number of the element that subscripts name; refuses subscripts out of bounds. */
enum cm_status cm_fortran_offset(struct cm_fortran_run *run,
                                 const struct cm_fortran_expression *element,
                                 const struct cm_fortran_array *array, uint64_t *index);
enum cm_status cm_fortran_assign_scalar(struct cm_fortran_run *run,
                                        const struct cm_fortran_expression *target,
                                        const union cm_fortran_value *value);

/* ---- host/text.c: CHARACTER values ---- */

/* Adds the characters of an expression; a copy of them, which the caller frees. */
enum cm_status cm_fortran_text(struct cm_fortran_run *run,
                               const struct cm_fortran_expression *expression,
                               struct cm_buffer *out);
enum cm_status cm_fortran_text_copy(struct cm_fortran_run *run,
                                    const struct cm_fortran_expression *expression,
                                    struct cm_fortran_text *copy);
/* Where the characters of a variable, or of a part of one, are. */
enum cm_status cm_fortran_text_place(struct cm_fortran_run *run,
                                     const struct cm_fortran_expression *expression,
                                     struct cm_fortran_text *text);
/* Cuts off what is too long; blanks fill the rest. */
void cm_fortran_text_fill(const struct cm_fortran_text *to, const struct cm_fortran_text *from);
/* The characters of a variable, blanks, which the caller frees. */
enum cm_status cm_fortran_text_make(struct cm_fortran_run *run,
                                    const struct cm_fortran_variable *variable,
                                    const struct cm_fortran_array *array,
                                    struct cm_fortran_text *text);
/* How many characters an element of an array has, all of which have `text`. */
uint32_t cm_fortran_text_length(const struct cm_fortran_variable *variable,
                                const struct cm_fortran_array *array,
                                const struct cm_fortran_text *text);
/* Of the characters of an array those of an element. */
void cm_fortran_text_element(const struct cm_fortran_variable *variable,
                             const struct cm_fortran_array *array, uint64_t index,
                             struct cm_fortran_text *text);
/* The characters of a section, which the caller frees, and an array with its bounds; and back. */
enum cm_status cm_fortran_text_section(struct cm_fortran_run *run,
                                       const struct cm_fortran_expression *section,
                                       struct cm_fortran_text *text,
                                       struct cm_fortran_array **array);
enum cm_status cm_fortran_text_section_put(struct cm_fortran_run *run,
                                           const struct cm_fortran_expression *section,
                                           const char *bytes);
enum cm_status cm_fortran_text_assign(struct cm_fortran_run *run,
                                      const struct cm_fortran_expression *target,
                                      const struct cm_fortran_expression *value);
/* A comparison, or a function of texts with an INTEGER value. */
enum cm_status cm_fortran_text_number(struct cm_fortran_run *run,
                                      const struct cm_fortran_expression *expression,
                                      union cm_fortran_value *value);

/* ---- host/section.c ---- */

/* The elements that a section names, dimension by dimension of the array: a scalar subscript, a
 * triplet or a vector of subscripts. */
struct cm_fortran_section {
    struct cm_fortran_array *array;
    uint32_t rank; /* of the section */
    struct cm_fortran_range {
        bool dropped; /* a scalar subscript: not a dimension of the section */
        uint64_t count;
        int64_t first, stride; /* offsets from 0 in the array's dimension */
        int32_t *vector;       /* offsets, instead of first and stride */
    } ranges[CM_RANK_MAX];
    uint64_t extent[CM_RANK_MAX]; /* of the section */
    uint64_t elements;
};

/* Evaluates the subscripts of a section, or takes a whole array; refuses what is out of bounds. */
enum cm_status cm_fortran_section_find(struct cm_fortran_run *run,
                                       const struct cm_fortran_expression *expression,
                                       struct cm_fortran_section *section);
void cm_fortran_section_finish(struct cm_fortran_section *section);
/* Number in the array of the section's element `number`, both in Fortran order. */
uint64_t cm_fortran_section_index(const struct cm_fortran_section *section, uint64_t number);
/* The elements of a section as a packed array, and the other way; from and to the machine, charged.
 * `value` has as many elements, or one for all; the mask may be NULL. */
enum cm_status cm_fortran_section_get(struct cm_fortran_run *run,
                                      const struct cm_fortran_section *section, void *elements);
enum cm_status cm_fortran_section_put(struct cm_fortran_run *run,
                                      const struct cm_fortran_section *section,
                                      const struct cm_fortran_array *value, const uint8_t *mask);

enum cm_fortran_class {
    CM_FORTRAN_CLASS_ELEMENTAL,
    CM_FORTRAN_CLASS_REDUCTION,
    CM_FORTRAN_CLASS_TRANSFORMATION,
    CM_FORTRAN_CLASS_INQUIRY,
    CM_FORTRAN_CLASS_TEXT,
};
enum cm_fortran_class cm_fortran_intrinsic_class(enum cm_fortran_intrinsic intrinsic);

/* ---- host/evaluate.c: arrays evaluated in the front end ---- */

/* The value of an expression as a new array of the front end; an expression of rank 0 gives rank 0
 * and one element. */
enum cm_status cm_fortran_host(struct cm_fortran_run *run,
                               const struct cm_fortran_expression *expression,
                               struct cm_fortran_array **value);
/* Refuses shapes that differ. */
enum cm_status cm_fortran_conform(struct cm_fortran_run *run, struct cm_source_place place,
                                  const struct cm_fortran_array *a,
                                  const struct cm_fortran_array *b);
/* target = value under a mask (or NULL); value is in the front end. */
enum cm_status cm_fortran_host_assign(struct cm_fortran_run *run,
                                      const struct cm_fortran_expression *target,
                                      const struct cm_fortran_array *value,
                                      const struct cm_fortran_array *mask);
/* host/division.c: whether an expression divides integers, and its divisor may be 0. */
bool cm_fortran_divides(const struct cm_fortran_expression *expression);
/* While an argument of a call is evaluated: which of its elements are used. */
enum cm_status cm_fortran_active_begin(struct cm_fortran_run *run,
                                       const struct cm_fortran_expression *call, uint32_t argument,
                                       struct cm_fortran_active *active);
void cm_fortran_active_end(struct cm_fortran_run *run, struct cm_fortran_active *active);
/* Refuses a divisor of 0 in elements that are used: of an expression that divides by an array; of
 * values in the front end. */
enum cm_status cm_fortran_check_divisor(struct cm_fortran_run *run,
                                        const struct cm_fortran_expression *expression);
enum cm_status cm_fortran_check_quotient(struct cm_fortran_run *run,
                                         const struct cm_fortran_expression *expression,
                                         const struct cm_fortran_array *shape,
                                         const struct cm_fortran_array *divisor);
/* host/intrinsic.c: functions of arrays; args are values of host/evaluate.c, NULL where absent. */
enum cm_status cm_fortran_host_intrinsic(struct cm_fortran_run *run,
                                         const struct cm_fortran_expression *call,
                                         struct cm_fortran_array **args,
                                         struct cm_fortran_array **value);

/* ---- machine/machine.c: array statements on the machine ---- */

/* target = value under a mask (or NULL) if the machine can do it: *done. */
enum cm_status cm_fortran_machine_assign(struct cm_fortran_run *run,
                                         const struct cm_fortran_expression *target,
                                         const struct cm_fortran_expression *value,
                                         const struct cm_fortran_array *mask, bool *done);
/* An expression as a new array on the machine, if the machine can do it; else *value is NULL. */
enum cm_status cm_fortran_machine_value(struct cm_fortran_run *run,
                                        const struct cm_fortran_expression *expression,
                                        struct cm_fortran_array **value);
/* The masks of a WHERE inside another mask (or NULL), if they are on the machine: *done. */
enum cm_status cm_fortran_machine_split(struct cm_fortran_run *run,
                                        const struct cm_fortran_array *outer,
                                        struct cm_fortran_mask *mask, bool *done);
enum cm_status cm_fortran_machine_forall(struct cm_fortran_run *run,
                                         const struct cm_fortran_forall *forall, bool *done);
/* A reduction of a whole array, if the machine can do it: *done. */
enum cm_status cm_fortran_machine_reduce(struct cm_fortran_run *run,
                                         const struct cm_fortran_expression *call,
                                         union cm_fortran_value *value, bool *done);

void cm_fortran_setups_finish(struct cm_fortran_run *run);

/* ---- assign.c ---- */

/* The current mask of WHERE; NULL outside. */
const struct cm_fortran_array *cm_fortran_mask(const struct cm_fortran_run *run);
enum cm_status cm_fortran_assign(struct cm_fortran_run *run,
                                 const struct cm_fortran_expression *target,
                                 const struct cm_fortran_expression *value);
enum cm_status cm_fortran_where(struct cm_fortran_run *run,
                                const struct cm_fortran_statement *statement);
void cm_fortran_masks_drop(struct cm_fortran_run *run, uint32_t keep);
enum cm_status cm_fortran_forall(struct cm_fortran_run *run,
                                 const struct cm_fortran_forall *forall);

/* ---- execute.c, call.c, run.c ---- */

/* Calls a unit from outside, its arguments in the variables of run->frame. */
enum cm_status cm_fortran_run_enter(struct cm_fortran_run *run, const struct cm_fortran_unit *unit,
                                    struct cm_fortran_expression *const *args,
                                    struct cm_error *err);

/* Which statements of a unit are targets of jumps, a byte each. */
const uint8_t *cm_fortran_jump_targets(const struct cm_fortran_run *run,
                                       const struct cm_fortran_unit *unit);
/* Notes what was done about a statement, for --explain: of its line, the last note counts. */
void cm_fortran_note(struct cm_fortran_run *run, const struct cm_fortran_statement *statement,
                     const char *text);
/* Notes that a statement's work is done in the IMP of another one. */
void cm_fortran_note_with(struct cm_fortran_run *run, const struct cm_fortran_statement *statement,
                          const struct cm_fortran_statement *first);
/* The same of shifts that were made one by one, in front of what is noted already. */
void cm_fortran_note_shifts(struct cm_fortran_run *run,
                            const struct cm_fortran_statement *statement, uint32_t count);
/* Reports to the observer, if there is one, that a statement runs. */
void cm_fortran_observe(const struct cm_fortran_run *run,
                        const struct cm_fortran_statement *statement);
/* Plays the statements of the unit of run->frame. */
enum cm_status cm_fortran_play(struct cm_fortran_run *run);
/* An array of a variable, where its home is: of these extents; of those that are declared. */
enum cm_status cm_fortran_array_make(struct cm_fortran_run *run,
                                     const struct cm_fortran_variable *variable,
                                     const uint64_t *extent, struct cm_fortran_array **array);
enum cm_status cm_fortran_array_declare(struct cm_fortran_run *run,
                                        const struct cm_fortran_variable *variable,
                                        struct cm_fortran_array **array);
uint32_t *cm_fortran_lines_of(const struct cm_fortran_run *run, const struct cm_fortran_unit *unit);
void cm_fortran_add_counters(struct cm_counters *sum, const struct cm_counters *more);
/* Calls a unit; a function's value goes to `value` (rank 0) or `result` (an array). */
enum cm_status cm_fortran_call(struct cm_fortran_run *run, const struct cm_fortran_unit *unit,
                               struct cm_fortran_expression *const *args,
                               struct cm_source_place place, union cm_fortran_value *value,
                               struct cm_fortran_array **result);

/* ---- library.c, host/print.c ---- */

enum cm_status cm_fortran_library(struct cm_fortran_run *run, enum cm_fortran_library library,
                                  struct cm_fortran_expression *const *args, uint32_t count,
                                  struct cm_source_place place, union cm_fortran_value *value);
enum cm_status cm_fortran_print(struct cm_fortran_run *run,
                                const struct cm_fortran_statement *statement);

#endif
