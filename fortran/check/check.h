/*
 * The check of a CM Fortran program: what its parts share. A check goes over the tree twice: first
 * the declarations of all units, so that calls can be compared with units that follow, then the
 * statements. What is wrong is reported where it is found and gives NULL; who gets a NULL says
 * nothing more. Internal to the library.
 *
 *   check.c             units, order of the passes
 *   symbol.c      names of a unit, implicit types
 *   declare.c     declarations; variable.c: the variables that they make
 *   common.c      COMMON; data.c: DATA; initial.c: values in declarations
 *   interface.c   interface blocks
 *   layout.c      CMF$ directives; home.c: homes of arrays
 *   expression.c  names and references; constructor.c: constructors, implied DO
 *   operation.c   operators, conversions; constant.c: their values
 *   shape.c       shapes, as far as they are constant
 *   intrinsic.c   intrinsic functions; specific.c: their specific names
 *   elemental.c, transform.c, inquiry.c: the classes of these
 *   text.c        CHARACTER variables and functions of texts
 *   shift.c       the orders of the arguments of CSHIFT and EOSHIFT
 *   call.c        calls of units and statement functions, recursion; library.c
 *   made.c        functions made of other functions
 *   procedure.c   procedures as arguments
 *   flow.h        what concerns statements alone
 */
#ifndef CM_FORTRAN_CHECK_H
#define CM_FORTRAN_CHECK_H

#include "../source/arena.h"
#include "../source/syntax.h"
#include "program.h"

enum cm_symbol_kind {
    CM_SYMBOL_OPEN,      /* nothing decides yet: a variable if it is used as one */
    CM_SYMBOL_VARIABLE,  /* variable */
    CM_SYMBOL_CONSTANT,  /* PARAMETER: constant */
    CM_SYMBOL_FORMULA,   /* a statement function */
    CM_SYMBOL_PROCEDURE, /* EXTERNAL, or called */
};

/* A name of a unit. */
struct cm_symbol {
    struct cm_symbol *next;  /* in its slot */
    struct cm_symbol *later; /* in the order in which the names appear */
    const char *name;
    struct cm_source_place place;
    enum cm_symbol_kind kind;
    bool typed; /* by a declaration */
    uint8_t type;
    bool is_dummy, is_result, is_saved, is_external, is_intrinsic, is_allocatable, is_common;
    bool is_optional;   /* an argument */
    bool is_valued;     /* used as a variable */
    bool has_interface; /* an interface block describes it */
    bool is_busy;       /* a formula that is being expanded */
    uint32_t intent;    /* attributes IN, OUT */
    int32_t length;     /* of a CHARACTER; -1: that of its value, or of the actual argument */
    const struct cm_syntax_shape *shape;
    struct cm_fortran_variable *variable;
    struct cm_fortran_expression *constant;
    const struct cm_syntax_statement *formula;
    const struct cm_syntax_layout *layout;
    const struct cm_syntax_arguments *data;     /* REAL X /1.0/ */
    const struct cm_syntax_expression *initial; /* REAL :: X = 1 */
};

#define CM_SCOPE_SLOTS 64u

/* A unit with its names. */
struct cm_scope {
    const struct cm_syntax_unit *tree;
    struct cm_fortran_unit *unit; /* NULL: BLOCK DATA */
    bool is_main;
    bool is_broken; /* it could not be read: nothing is known of it but its name */
    bool saves_all, is_recursive;
    bool implicit_none;
    bool declared;           /* its declarations are checked */
    uint8_t implicit[26];    /* types by first letter */
    uint32_t implicit_given; /* the letters of IMPLICIT, a bit for each, the lowest for A */
    struct cm_symbol *slots[CM_SCOPE_SLOTS];
    struct cm_symbol *first, *last;
    struct cm_common_use *commons;
    struct cm_scope_call *calls, *last_call; /* units that it calls */
    uint32_t variables;                      /* hidden ones too, for their names */
    /* of the search for recursion */
    enum { CM_SCOPE_NEW, CM_SCOPE_OPEN, CM_SCOPE_DONE } visit;
    struct cm_scope *caller;
    const struct cm_scope_call *next_call;
};

struct cm_scope_call {
    struct cm_scope_call *next;
    struct cm_scope *callee;
    struct cm_source_place place;
};

/* A COMMON block; the members of the unit that was checked first. */
struct cm_common {
    struct cm_common *next;
    const char *name;
    struct cm_source_place place;
    struct cm_fortran_variable **members;
    uint32_t count;
};

/* What a name stands for while a statement is checked: an index of FORALL, the variable of an
 * implied DO, a value in DATA, an argument of a statement function. */
struct cm_meaning {
    struct cm_meaning *outer;
    const char *name;
    struct cm_fortran_expression *value;
    uint32_t size; /* > 0: an argument of a statement function, of so many nodes */
};

/* Nodes that statement functions may add to a statement, and how deep they may nest. */
#define CM_FORMULA_MAX_NODES 100000u
#define CM_FORMULA_MAX_DEPTH 8u

/* An array that is passed to an argument. */
struct cm_passing {
    struct cm_passing *next;
    struct cm_fortran_variable *actual;
    const struct cm_fortran_variable *dummy;
};

struct cm_check_flow;
struct cm_check_link;
struct cm_check_indirect;

struct cm_check {
    const struct cm_syntax *tree;
    const struct cm_fortran_options *options;
    struct cm_messages *messages;
    struct cm_arena *arena; /* the program's */
    struct cm_fortran_program *program;
    struct cm_scope *scopes; /* of all units of the file, BLOCK DATA too */
    uint32_t scope_count;
    struct cm_scope **by_name; /* the same, ordered by the addresses of their names */
    struct cm_common *commons;
    struct cm_passing *passings;
    struct cm_check_link *links;        /* arguments without dimensions, and procedures */
    struct cm_check_passed *passed;     /* intrinsic functions that are arguments */
    struct cm_check_indirect *indirect; /* calls of arguments */
    struct cm_scope *scope;             /* that is checked */
    struct cm_meaning *meanings;
    struct cm_check_flow *flow; /* of the unit that is checked */
    uint32_t formula_nodes;     /* that statement functions have added to the statement */
    uint32_t formula_depth;
    bool is_forall; /* elements with indices are array operations */
};

/* ---- check.c ---- */

/* Zeroed memory of the program. NULL when out of memory, which the arena remembers. */
void *cm_check_take(struct cm_check *check, size_t bytes);
/* Room for one more entry behind `count`: the list, perhaps moved; NULL when out of memory. */
void *cm_check_grow(struct cm_check *check, void *items, uint32_t count, size_t bytes);
const char *cm_check_copy(struct cm_check *check, const char *text);
/* Reports a fault; NULL, for who returns what would have been made. */
void *cm_check_fail(struct cm_check *check, struct cm_source_place place, const char *format, ...)
    CM_PRINTF(3, 4);
/* The unit of the file with that name, broken or not; NULL if there is not one. */
struct cm_scope *cm_check_unit(struct cm_check *check, const char *name);
/* Whether there may be a unit that was called, about which no more is known: no more is said then.
 */
bool cm_check_is_unknown(const struct cm_check *check, const struct cm_scope *callee);

/* ---- symbol.c ---- */

void cm_scope_init(struct cm_scope *scope);
struct cm_symbol *cm_symbol_find(const struct cm_scope *scope, const char *name);
/* As find; makes it where it is missing. NULL when out of memory. */
struct cm_symbol *cm_symbol_of(struct cm_check *check, const char *name,
                               struct cm_source_place place);
/* The type of a declaration; false where it is refused. */
bool cm_check_type(struct cm_check *check, const struct cm_syntax_type *type, uint32_t bytes,
                   uint8_t *result);
/* The type of a symbol: its own, or the implicit one; false: IMPLICIT NONE, reported. */
bool cm_symbol_type(struct cm_check *check, struct cm_symbol *symbol, uint8_t *type);
/* The symbol as a variable of the unit, which it becomes if nothing else is known of it. */
struct cm_fortran_variable *cm_symbol_variable(struct cm_check *check, struct cm_symbol *symbol,
                                               struct cm_source_place place);
/* Adds a hint to the last message: the nearest name of the unit; the nearest subroutine. */
void cm_check_suggest(struct cm_check *check, const char *name);
void cm_check_suggest_subroutine(struct cm_check *check, const char *name);
void cm_check_push(struct cm_check *check, struct cm_meaning *meaning);

/* ---- declare.c, variable.c, common.c, data.c ---- */

void cm_check_declarations(struct cm_check *check, struct cm_scope *scope);
/* All variables that the declarations name. */
void cm_check_variables(struct cm_check *check, struct cm_scope *scope);
struct cm_fortran_variable *cm_check_new_variable(struct cm_check *check, const char *name,
                                                  uint8_t type, struct cm_source_place place);
/* A variable of the compiler's own. */
struct cm_fortran_variable *cm_check_hidden(struct cm_check *check, const char *name, uint8_t type,
                                            struct cm_source_place place);
void cm_check_storage(struct cm_check *check, struct cm_fortran_variable *variable, bool is_static);
void cm_check_common(struct cm_check *check, const struct cm_syntax_common *common);
void cm_check_commons_agree(struct cm_check *check);
/* Compares the interface blocks of a unit with the units of the file. */
void cm_check_interfaces(struct cm_check *check, struct cm_scope *scope);
void cm_check_all_data(struct cm_check *check, struct cm_scope *scope);
void cm_check_initial(struct cm_check *check, struct cm_fortran_variable *variable,
                      const struct cm_fortran_expression *value);

/* ---- expression.c ---- */

/* An expression, whose arrays are operated on. */
struct cm_fortran_expression *cm_check_expression(struct cm_check *check,
                                                  const struct cm_syntax_expression *tree);
/* As expression; an array or a section that it is as a whole is named alone (as an argument, for
 * its bounds, to be printed), which is not an array operation. */
struct cm_fortran_expression *cm_check_named(struct cm_check *check,
                                             const struct cm_syntax_expression *tree);
/* A scalar of that type, without conversion. `what` names it in messages. */
struct cm_fortran_expression *cm_check_scalar(struct cm_check *check,
                                              const struct cm_syntax_expression *tree, uint8_t type,
                                              const char *what);
/* A constant integer. */
bool cm_check_integer(struct cm_check *check, const struct cm_syntax_expression *tree,
                      const char *what, int32_t *value);
/* What can be assigned to: a variable, an element or a section. */
struct cm_fortran_expression *cm_check_target(struct cm_check *check,
                                              const struct cm_syntax_expression *tree);
/* Whether what is named may be changed; reports where not. */
bool cm_check_changes(struct cm_check *check, const struct cm_syntax_expression *tree);
struct cm_fortran_expression *cm_check_new(struct cm_check *check, enum cm_fortran_kind kind,
                                           uint8_t type, uint32_t rank,
                                           struct cm_source_place place);
/* Arguments of an expression, zeroed. */
bool cm_check_args(struct cm_check *check, struct cm_fortran_expression *expression,
                   uint32_t count);
struct cm_fortran_expression *cm_check_variable_reference(struct cm_check *check,
                                                          struct cm_fortran_variable *variable,
                                                          struct cm_source_place place);
/* ---- constructor.c ---- */

struct cm_fortran_expression *cm_check_constructor(struct cm_check *check,
                                                   const struct cm_syntax_expression *tree);
/* [1:last] */
struct cm_fortran_expression *cm_check_counts(struct cm_check *check,
                                              struct cm_fortran_expression *last,
                                              struct cm_source_place place);
/* (items, I = first, last, step) in a list of output. */
struct cm_fortran_expression *cm_check_output_do(struct cm_check *check,
                                                 const struct cm_syntax_expression *tree);
/* The bounds first, last, step of a loop: args 0 to 2 of an expression. */
bool cm_check_loop_bounds(struct cm_check *check, struct cm_fortran_expression *loop,
                          const struct cm_syntax_expression *first,
                          const struct cm_syntax_expression *last,
                          const struct cm_syntax_expression *step, uint8_t type);

/* ---- operation.c, constant.c, shape.c ---- */

bool cm_type_is_number(uint32_t type);
bool cm_type_is_complex(uint32_t type);
bool cm_type_is_real(uint32_t type); /* REAL or DOUBLE PRECISION */
uint8_t cm_type_parts(uint8_t type);
uint8_t cm_type_join(uint8_t a, uint8_t b); /* of two numbers: the type of their sum */
/* The value of a variable, as (X) and +X are: not the variable, which a call could change. */
struct cm_fortran_expression *cm_check_value(struct cm_check *check,
                                             struct cm_fortran_expression *from);
/* To a type of the same class (number, logical); the caller has made sure of it. */
struct cm_fortran_expression *cm_check_convert(struct cm_check *check,
                                               struct cm_fortran_expression *from, uint8_t type);
/* As an assignment converts; reports where it cannot. */
struct cm_fortran_expression *cm_check_assigned(struct cm_check *check,
                                                struct cm_fortran_expression *from, uint8_t type);
/* Two args, or one with b NULL, of types that fit the operator. */
struct cm_fortran_expression *cm_check_operation(struct cm_check *check, enum cm_fortran_op op,
                                                 struct cm_fortran_expression *a,
                                                 struct cm_fortran_expression *b,
                                                 struct cm_source_place place);
struct cm_fortran_expression *cm_check_unary(struct cm_check *check,
                                             const struct cm_syntax_expression *tree);
struct cm_fortran_expression *cm_check_binary(struct cm_check *check,
                                              const struct cm_syntax_expression *tree);
const char *cm_fortran_op_text(enum cm_fortran_op op);

struct cm_fortran_expression *cm_check_int(struct cm_check *check, int32_t value,
                                           struct cm_source_place place);
struct cm_fortran_expression *cm_check_logical(struct cm_check *check, bool value,
                                               struct cm_source_place place);
bool cm_constant_is_int(const struct cm_fortran_expression *expression, int32_t *value);
/* The parts of a number, as double. */
void cm_constant_parts(const struct cm_fortran_expression *constant, double *re, double *im);
void cm_constant_set(struct cm_fortran_expression *constant, double re, double im);
/* Replaces an expression of constants by its value, where that is known before the program runs. */
struct cm_fortran_expression *cm_check_fold(struct cm_check *check,
                                            struct cm_fortran_expression *expression);
/* A shape, as far as it is constant: -1 where it is not. */
struct cm_shape {
    uint32_t rank;
    int64_t extents[CM_RANK_MAX];
};
void cm_check_shape(const struct cm_fortran_expression *expression, struct cm_shape *shape);
void cm_variable_shape(const struct cm_fortran_variable *variable, struct cm_shape *shape);
/* "(3, 4)", "(3, :)" */
struct cm_check_shape_text {
    char text[160];
} cm_check_shape_text(const struct cm_shape *shape);
/* Whether two expressions conform, a scalar to anything; reports as a fault of `what`. */
bool cm_check_conform(struct cm_check *check, const struct cm_fortran_expression *a,
                      const struct cm_fortran_expression *b, struct cm_source_place place,
                      const char *what);

/* ---- text.c ---- */

/* Whether the symbol can be a CHARACTER variable; reports where not. */
bool cm_check_character(struct cm_check *check, const struct cm_symbol *symbol);
/* C(2:3): whether the tree is one, of a variable or a constant; the expression. */
bool cm_check_is_substring(struct cm_check *check, struct cm_symbol *symbol,
                           const struct cm_syntax_expression *tree);
struct cm_fortran_expression *cm_check_element_part(struct cm_check *check,
                                                    const struct cm_syntax_expression *tree);
/* Whether it is an array of texts. */
bool cm_check_is_texts(const struct cm_fortran_variable *variable);
struct cm_fortran_expression *cm_check_substring(struct cm_check *check,
                                                 const struct cm_symbol *symbol,
                                                 const struct cm_syntax_expression *tree);
/* Concatenation and comparison, where one operand is a text. */
struct cm_fortran_expression *cm_check_text_operation(struct cm_check *check, enum cm_fortran_op op,
                                                      struct cm_fortran_expression *a,
                                                      struct cm_fortran_expression *b,
                                                      struct cm_source_place place);
/* What a constant gives a variable in the beginning. */
union cm_fortran_value cm_check_initial_value(const struct cm_fortran_expression *value);

/* ---- intrinsics, calls ---- */

/* Whether the name is that of an intrinsic function. */
bool cm_intrinsic_known(const char *name);
bool cm_intrinsic_find(const char *name, enum cm_fortran_intrinsic *intrinsic);
/* NAME(arguments) as an intrinsic function. */
struct cm_fortran_expression *cm_check_intrinsic(struct cm_check *check,
                                                 const struct cm_syntax_expression *tree);
/* Intrinsic functions with rules of their own. */
struct cm_intrinsic_call {
    enum cm_fortran_intrinsic intrinsic;
    const char *name; /* as it was written */
    const struct cm_syntax_expression *tree;
    struct cm_source_place place;
    struct cm_fortran_expression *args[8];
    uint32_t count; /* of MIN and MAX; else the number of arguments in intrinsics.def */
    struct cm_fortran_expression **list; /* args, or a longer list of MIN and MAX */
    bool has_kind;
    uint8_t kind; /* KIND=: bytes */
};
/* Names of intrinsic functions for one type: what they stand for. */
struct cm_specific_name {
    const char *name;
    enum cm_fortran_intrinsic intrinsic;
    uint8_t argument, result; /* types; CM_FORTRAN_NO_TYPE: as the generic function's */
};
const struct cm_specific_name *cm_specific_find(const char *name);
const char *cm_intrinsic_suggest(const char *name);
struct cm_fortran_expression *cm_intrinsic_result(struct cm_check *check,
                                                  struct cm_intrinsic_call *call, uint8_t type,
                                                  uint32_t rank);
struct cm_fortran_expression *cm_check_elemental(struct cm_check *check,
                                                 struct cm_intrinsic_call *call);
struct cm_fortran_expression *cm_check_reduction(struct cm_check *check,
                                                 struct cm_intrinsic_call *call);
struct cm_fortran_expression *cm_check_transformation(struct cm_check *check,
                                                      struct cm_intrinsic_call *call);
struct cm_fortran_expression *cm_check_inquiry(struct cm_check *check,
                                               struct cm_intrinsic_call *call);
struct cm_fortran_expression *cm_check_text_function(struct cm_check *check,
                                                     struct cm_intrinsic_call *call);
/* A row of intrinsics.def. The last three members are those of elemental functions. */
struct cm_intrinsic_row {
    const char *name, *arguments;
    int class;
    uint32_t takes, folds; /* sets of types */
    enum { CM_GIVES_SAME, CM_GIVES_PARTS, CM_GIVES_INTEGER, CM_GIVES_LOGICAL, CM_GIVES_OWN } result;
};
const struct cm_intrinsic_row *cm_intrinsic_row(enum cm_fortran_intrinsic intrinsic);

/* CSHIFT and EOSHIFT: brings the arguments into the order of intrinsics.def. */
bool cm_check_shift_arguments(struct cm_check *check, struct cm_intrinsic_call *call);
/* Checks DIM of a call against the rank. */
/* made.c */
struct cm_fortran_expression *cm_check_replicate(struct cm_check *check,
                                                 struct cm_intrinsic_call *call);
struct cm_fortran_expression *cm_check_diagonal(struct cm_check *check,
                                                struct cm_intrinsic_call *call);
bool cm_check_dim(struct cm_check *check, const struct cm_intrinsic_call *call,
                  struct cm_fortran_expression *dim, uint32_t rank);
/* KIND, EPSILON, HUGE, ...: functions of a type alone. */
bool cm_kind_function(const char *name);
struct cm_fortran_expression *cm_check_kind_function(struct cm_check *check,
                                                     const struct cm_syntax_expression *tree);

/* Whether type, rank and shape of an actual argument are those of the unit's. */
bool cm_check_argument(struct cm_check *check, const struct cm_fortran_expression *actual,
                       struct cm_fortran_variable *dummy, const char *unit);

/* ---- procedure.c ---- */

/* Whether the name is an argument that is a procedure, or becomes one when it is called. */
bool cm_check_is_argument(const struct cm_symbol *symbol);
/* An actual argument, also a procedure. */
struct cm_fortran_expression *cm_check_actual(struct cm_check *check,
                                              const struct cm_syntax_expression *tree);
/* Notes what is passed to an argument of the unit. */
void cm_check_link(struct cm_check *check, const struct cm_fortran_expression *actual,
                   struct cm_fortran_variable *dummy, const char *unit);
struct cm_fortran_expression *cm_check_indirect_function(struct cm_check *check,
                                                         struct cm_symbol *symbol,
                                                         const struct cm_syntax_expression *tree);
void cm_check_indirect_call(struct cm_check *check, struct cm_symbol *symbol,
                            const struct cm_syntax_statement *tree);
/* After all statements: what the arguments may be, and the calls of each. */
void cm_check_procedures(struct cm_check *check);
/* The unit that an intrinsic function is as an argument; NULL, and reported: it cannot be one. */
const struct cm_fortran_unit *cm_check_passed(struct cm_check *check, const char *name,
                                              struct cm_source_place place);
/* Adds these units to the program, when all are known. */
void cm_check_add_passed(struct cm_check *check);

/* The arguments of a unit about which nothing is known. */
void cm_check_unknown(struct cm_check *check, const struct cm_syntax_arguments *arguments);
/* The actual arguments of a call of a unit. */
bool cm_check_actuals(struct cm_check *check, struct cm_scope *callee, struct cm_source_place place,
                      const struct cm_syntax_arguments *arguments,
                      struct cm_fortran_expression ***args, uint32_t *count);
struct cm_fortran_expression *cm_check_function(struct cm_check *check, struct cm_scope *callee,
                                                const struct cm_syntax_expression *tree);
struct cm_fortran_expression *cm_check_formula(struct cm_check *check, struct cm_symbol *symbol,
                                               const struct cm_syntax_expression *tree);
/* The unit that is checked calls another. */
void cm_check_calls(struct cm_check *check, struct cm_scope *callee, struct cm_source_place place);
/* Reports units that call themselves, through others too, and are not RECURSIVE. */
void cm_check_recursion(struct cm_check *check);

/* The routine of the library with that name; false if there is not one. */
bool cm_library_find(const char *name, enum cm_fortran_library *library);
bool cm_library_is_function(enum cm_fortran_library library);
/* Whether CM Fortran or Fortran 90 has a routine of that name, which is not supported. */
/* What to write in place of CALL. */
void cm_library_hint(struct cm_messages *messages, enum cm_fortran_library library);
/* What does the same as a routine that is refused, where something does. */
void cm_library_hint_refused(struct cm_messages *messages, const char *name);
bool cm_library_is_refused(const char *name);
bool cm_check_library_arguments(struct cm_check *check, enum cm_fortran_library library,
                                struct cm_source_place place,
                                const struct cm_syntax_arguments *arguments,
                                struct cm_fortran_expression ***args, uint32_t *count);

/* ---- statements ---- */

/* Checks the statements of the unit of check->scope (flow.h). */
void cm_check_statements(struct cm_check *check);
/* Checks the text of a FORMAT, with its parentheses; the text between them, NULL if it is wrong. */
const char *cm_check_format(struct cm_check *check, const struct cm_fortran_expression *text);

/* ---- directives, homes ---- */

void cm_check_layouts(struct cm_check *check, struct cm_scope *scope);
/* An array operation on the variable. */
void cm_check_operates(struct cm_check *check, const struct cm_fortran_variable *variable);
/* The array is passed to the argument. */
void cm_check_passes(struct cm_check *check, const struct cm_fortran_variable *actual,
                     const struct cm_fortran_variable *dummy);
/* Gives each COMMON array the layout that one of its units declares. */
void cm_check_common_layouts(struct cm_check *check);
/* Decides where the arrays of the program are. */
void cm_check_homes(struct cm_check *check);

#endif
