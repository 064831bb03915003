/*
 * This header has the declarations that the files of fortran/check share. The room checks a CM
 * Fortran program: it reads a syntax tree, and makes a checked program or reports faults.
 * cm_fortran_check() (program.h) is its only entry point. This header is internal to the library.
 *
 * The check makes several passes over all units: declarations, variables, interface blocks, layouts
 * of COMMON arrays, initial values, statements, procedures as arguments, recursion, and the
 * decision which arrays are on the machine. The declarations of all units are known before the
 * first statement is checked, so that a call can be compared with a unit that follows in the file.
 *
 * Invariants:
 *   - A function that reports a fault returns NULL or false. Its caller reports no second fault.
 *   - A unit that could not be read (is_broken) is not checked, and nothing is reported about it.
 *   - All memory belongs to the program's arena. After a failed allocation all later allocations
 *     fail, and cm_fortran_check() reports this at the end.
 *   - An expression gets its final type and rank when it is made. Conversions are expressions of
 *     their own.
 *
 * Files:
 *   check.c              units and passes
 *   symbol.c             names of a unit, implicit types
 *   declare.c            declarations
 *   variable.c           variables of the declarations
 *   common.c             COMMON
 *   data.c               DATA, and other initial values
 *   initial.c            initial values of arrays
 *   interface.c          interface blocks
 *   layout.c             CMF$ directives
 *   home.c               which arrays are on the machine
 *   expression.c         names and references
 *   constructor.c        array constructors and implied DO loops
 *   operation.c          operators and conversions
 *   constant.c           constants and folding
 *   compute_operation.c  values of operations and conversions (compute.h)
 *   compute_intrinsic.c  values of elemental functions (compute.h)
 *   shape.c              shapes, as far as they are constant
 *   intrinsic.c          arguments of intrinsic functions, rows of intrinsics.def
 *   specific.c           specific names of intrinsic functions
 *   elemental.c          elemental functions
 *   transform.c          reductions and transformational functions
 *   inquiry.c            functions of bounds, shapes and kinds
 *   shift.c              arguments of CSHIFT and EOSHIFT
 *   made.c               functions made of other functions
 *   text.c               CHARACTER variables and functions of texts
 *   call.c               calls of units and statement functions, recursion
 *   library.c            routines of the machine's libraries (library.def)
 *   procedure.c          procedures as arguments
 *   passed.c             intrinsic functions as arguments
 *   flow.h               statements: statement.c, block.c, masked.c, case.c, label.c, io.c
 *   format.c             texts of FORMAT
 *   program.h            the checked program
 */
#ifndef CM_FORTRAN_CHECK_H
#define CM_FORTRAN_CHECK_H

#include "../source/arena.h"
#include "../source/syntax.h"
#include "program.h"

enum cm_symbol_kind {
    /* name of unknown use, which becomes a variable if a statement uses it as one */
    CM_SYMBOL_OPEN,
    CM_SYMBOL_VARIABLE,  /* variable, in `variable` */
    CM_SYMBOL_CONSTANT,  /* PARAMETER, in `constant` */
    CM_SYMBOL_FORMULA,   /* statement function */
    CM_SYMBOL_PROCEDURE, /* procedure that is EXTERNAL or called */
};

/* A name that a program unit uses, with all that is known about it. */
struct cm_symbol {
    struct cm_symbol *next;  /* next symbol in the same hash slot */
    struct cm_symbol *later; /* next symbol in the order of appearance */
    const char *name;
    struct cm_source_place place;
    enum cm_symbol_kind kind;
    bool typed; /* true if the type is declared, and not implicit */
    uint8_t type;
    bool is_dummy, is_result, is_saved, is_external, is_intrinsic, is_allocatable, is_common;
    bool is_numbered;   /* true for a dummy argument that has its slot */
    bool is_optional;   /* true for an OPTIONAL argument */
    bool is_valued;     /* true if the unit uses the name as a variable */
    bool has_interface; /* true if an interface block describes the procedure */
    /* true while the statement function is being expanded, to find a function that uses itself */
    bool is_busy;
    uint32_t intent; /* attributes CM_ATTRIBUTE_IN and CM_ATTRIBUTE_OUT */
    /* length of a CHARACTER in characters. -1 if the value or the actual argument decides */
    int32_t length;
    const struct cm_syntax_shape *shape;
    struct cm_fortran_variable *variable;
    struct cm_fortran_expression *constant;
    const struct cm_syntax_statement *formula;
    const struct cm_syntax_layout *layout;
    /* values between slashes, as in REAL X /1.0/, or NULL */
    const struct cm_syntax_arguments *data;
    const struct cm_syntax_expression *initial; /* initial value, as in REAL :: X = 1, or NULL */
};

#define CM_SCOPE_SLOTS 64u

/* A program unit of the file, with its names and the state of its check. */
struct cm_scope {
    const struct cm_syntax_unit *tree;
    struct cm_fortran_unit *unit; /* checked unit that is made of it, or NULL for BLOCK DATA */
    /* unit that contains the ENTRY statement, if the scope is that of an ENTRY, or NULL. Names of
     * an ENTRY are those of its master */
    struct cm_scope *master;
    bool is_main;
    bool is_broken; /* true if the unit could not be read, so that only its name is known */
    bool saves_all, is_recursive;
    bool implicit_none;
    bool declared;        /* true after the pass over the declarations */
    uint8_t implicit[26]; /* implicit types by first letter */
    /* bit mask of the letters that IMPLICIT statements named, where bit 0 is A */
    uint32_t implicit_given;
    struct cm_symbol *slots[CM_SCOPE_SLOTS];
    struct cm_symbol *first, *last;
    struct cm_common_use *commons;
    /* first and last entry of the list of units that this unit calls */
    struct cm_scope_call *calls, *last_call;
    /* number of variables, with the hidden ones that the checker makes. It gives these their
     * names */
    uint32_t variables;
    /* The next members are the state of the search for recursion. */
    enum { CM_SCOPE_NEW, CM_SCOPE_OPEN, CM_SCOPE_DONE } visit;
    struct cm_scope *caller;
    const struct cm_scope_call *next_call;
};

struct cm_scope_call {
    struct cm_scope_call *next;
    struct cm_scope *callee;
    struct cm_source_place place;
};

/* A COMMON block, with its members in the first unit that names it. */
struct cm_common {
    struct cm_common *next;
    const char *name;
    struct cm_source_place place;
    struct cm_fortran_variable **members;
    uint32_t count;
};

/* A temporary meaning of a name, while a statement is checked. Names of these kinds have one: an
 * index of FORALL, the variable of an implied DO loop, and an argument of a statement function. */
struct cm_meaning {
    struct cm_meaning *outer;
    const char *name;
    struct cm_fortran_expression *value;
    /* number of expression nodes in `value` for an argument of a statement function, or 0 for other
     * names */
    uint32_t size;
};

/* These limits bound the number of expression nodes that statement functions add to one statement,
 * and the depth of nested statement functions. */
#define CM_FORMULA_MAX_NODES 100000u
#define CM_FORMULA_MAX_DEPTH 8u

/* A record of an array variable that is passed to a dummy argument. */
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
    struct cm_arena *arena; /* arena of the program */
    struct cm_fortran_program *program;
    struct cm_scope *scopes; /* units of the file, BLOCK DATA included */
    uint32_t scope_count;
    struct cm_scope **by_name; /* pointers to the units, sorted by the addresses of their names */
    struct cm_common *commons;
    struct cm_passing *passings;
    /* records of actual arguments for dummy procedures, and for scalar dummy arguments */
    struct cm_check_link *links;
    struct cm_check_passed *passed;     /* intrinsic functions that are passed as arguments */
    struct cm_check_indirect *indirect; /* calls of dummy procedures */
    struct cm_scope *scope;             /* unit that is checked */
    struct cm_meaning *meanings;
    struct cm_check_flow *flow;                 /* control flow of the unit that is checked */
    const struct cm_syntax_statement *assigned; /* assigned GO TO that is checked */
    /* order of the arguments of CSHIFT and EOSHIFT, never CM_SHIFT_ORDER_BY_SUFFIX */
    enum cm_shift_order shift_order;
    /* Calls of CSHIFT and EOSHIFT whose arguments are valid in both orders, with different
     * meanings. */
    struct {
        uint32_t count;
        struct cm_source_place place; /* place of the first call */
        bool is_end_off;              /* true if the first call is an EOSHIFT */
    } ambiguous;
    /* number of expression nodes that statement functions have added to the current statement */
    uint32_t formula_nodes;
    uint32_t formula_depth;
    /* true within a FORALL, where references to array elements count as array operations */
    bool is_forall;
};

/* ---- check.c ---- */

/* Returns zeroed memory that the program owns, or NULL if memory is exhausted. */
void *cm_check_take(struct cm_check *check, size_t bytes);
/* Returns the array `items` of `count` entries with room for one more entry. The array may move.
 * Returns NULL if memory is exhausted. */
void *cm_check_grow(struct cm_check *check, void *items, uint32_t count, size_t bytes);
const char *cm_check_copy(struct cm_check *check, const char *text);
/* Reports a fault. Returns NULL, so that the caller can return the result of this call. */
void *cm_check_fail(struct cm_check *check, struct cm_source_place place, const char *format, ...)
    CM_PRINTF(3, 4);
/* Returns the unit of the file that has this name, or NULL. The unit may be broken. */
struct cm_scope *cm_check_unit(struct cm_check *check, const char *name);
/* Returns whether nothing is known about a called unit, because a part of the file could not be
 * read. Then the caller reports no fault. */
bool cm_check_is_unknown(const struct cm_check *check, const struct cm_scope *callee);

/* ---- symbol.c ---- */

void cm_scope_init(struct cm_scope *scope);
struct cm_symbol *cm_symbol_find(const struct cm_scope *scope, const char *name);
/* Returns the symbol of a name in the current unit. Creates it if it is missing. Returns NULL if
 * memory is exhausted. */
struct cm_symbol *cm_symbol_of(struct cm_check *check, const char *name,
                               struct cm_source_place place);
/* Sets *result to the type that a declaration names. Reports a type that is not supported, and
 * returns false. */
bool cm_check_type(struct cm_check *check, const struct cm_syntax_type *type, uint32_t bytes,
                   uint8_t *result);
/* Sets *type to the declared or the implicit type of a symbol. Reports a violation of IMPLICIT
 * NONE, and returns false. */
bool cm_symbol_type(struct cm_check *check, struct cm_symbol *symbol, uint8_t *type);
/* Returns the variable of a symbol. A symbol of unknown use becomes a variable. */
struct cm_fortran_variable *cm_symbol_variable(struct cm_check *check, struct cm_symbol *symbol,
                                               struct cm_source_place place);
/* These functions add a hint to the last message: the most similar name of the unit, or the most
 * similar subroutine. */
void cm_check_suggest(struct cm_check *check, const char *name);
void cm_check_suggest_subroutine(struct cm_check *check, const char *name);
void cm_check_push(struct cm_check *check, struct cm_meaning *meaning);

/* ---- declare.c, variable.c, common.c, data.c ---- */

void cm_check_declarations(struct cm_check *check, struct cm_scope *scope);
/* Makes the variables that the declarations of a unit name. */
void cm_check_variables(struct cm_check *check, struct cm_scope *scope);
struct cm_fortran_variable *cm_check_new_variable(struct cm_check *check, const char *name,
                                                  uint8_t type, struct cm_source_place place);
/* Makes a hidden variable, which the program does not name, such as the variable of a range in a
 * constructor. */
struct cm_fortran_variable *cm_check_hidden(struct cm_check *check, const char *name, uint8_t type,
                                            struct cm_source_place place);
void cm_check_storage(struct cm_check *check, struct cm_fortran_variable *variable, bool is_static);
void cm_check_common(struct cm_check *check, const struct cm_syntax_common *common);
void cm_check_commons_agree(struct cm_check *check);
/* Compares the interface blocks of a unit with the units of the file that they describe. */
void cm_check_interfaces(struct cm_check *check, struct cm_scope *scope);
void cm_check_all_data(struct cm_check *check, struct cm_scope *scope);
void cm_check_initial(struct cm_check *check, struct cm_fortran_variable *variable,
                      const struct cm_fortran_expression *value);

/* ---- expression.c ---- */

/* Checks an expression whose arrays are operands of array operations. Such arrays are put on the
 * machine. */
struct cm_fortran_expression *cm_check_expression(struct cm_check *check,
                                                  const struct cm_syntax_expression *tree);
/* Checks an expression, where a whole array or a section is not an array operation, and so need not
 * be on the machine. Arguments, inquiries and output are checked by this function. */
struct cm_fortran_expression *cm_check_named(struct cm_check *check,
                                             const struct cm_syntax_expression *tree);
/* Checks an expression that must be a scalar of this type. `what` describes the expression in
 * messages. */
struct cm_fortran_expression *cm_check_scalar(struct cm_check *check,
                                              const struct cm_syntax_expression *tree, uint8_t type,
                                              const char *what);
/* Checks an expression that must be a constant INTEGER, and sets *value to it. */
bool cm_check_integer(struct cm_check *check, const struct cm_syntax_expression *tree,
                      const char *what, int32_t *value);
/* Checks the target of an assignment: a variable, an element or a section. */
struct cm_fortran_expression *cm_check_target(struct cm_check *check,
                                              const struct cm_syntax_expression *tree);
/* Returns whether a statement may change the variable that `tree` names. Reports a fault if not. */
bool cm_check_changes(struct cm_check *check, const struct cm_syntax_expression *tree);
struct cm_fortran_expression *cm_check_new(struct cm_check *check, enum cm_fortran_kind kind,
                                           uint8_t type, uint32_t rank,
                                           struct cm_source_place place);
/* Allocates `count` arguments of an expression, and sets them to NULL. */
bool cm_check_args(struct cm_check *check, struct cm_fortran_expression *expression,
                   uint32_t count);
struct cm_fortran_expression *cm_check_variable_reference(struct cm_check *check,
                                                          struct cm_fortran_variable *variable,
                                                          struct cm_source_place place);
/* ---- constructor.c ---- */

struct cm_fortran_expression *cm_check_constructor(struct cm_check *check,
                                                   const struct cm_syntax_expression *tree);
/* Makes the array constructor [1:last], the integers from 1 to `last`. */
struct cm_fortran_expression *cm_check_counts(struct cm_check *check,
                                              struct cm_fortran_expression *last,
                                              struct cm_source_place place);
/* Checks an entry of a list of input or output. The function `item` checks entries other than
 * implied DO loops (items, I = first, last, step). */
struct cm_fortran_expression *
cm_check_item(struct cm_check *check, const struct cm_syntax_expression *tree,
              struct cm_fortran_expression *(*item)(struct cm_check *check,
                                                    const struct cm_syntax_expression *tree));
/* Checks the bounds and the step of a loop, and puts them into args[0] to args[2] of `loop`. */
bool cm_check_loop_bounds(struct cm_check *check, struct cm_fortran_expression *loop,
                          const struct cm_syntax_expression *first,
                          const struct cm_syntax_expression *last,
                          const struct cm_syntax_expression *step, uint8_t type);

/* ---- operation.c, constant.c, shape.c ---- */

bool cm_type_is_number(uint32_t type);
bool cm_type_is_complex(uint32_t type);
bool cm_type_is_real(uint32_t type); /* true for REAL and DOUBLE PRECISION */
uint8_t cm_type_parts(uint8_t type);
uint8_t cm_type_join(uint8_t a, uint8_t b); /* returns the type of the sum of two numbers */
/* Makes an expression of a variable's value, which (X) and +X are. A call to which it is passed
 * cannot change the variable. */
struct cm_fortran_expression *cm_check_value(struct cm_check *check,
                                             struct cm_fortran_expression *from);
/* Converts an expression to another number type, or leaves a LOGICAL as it is. The caller has
 * checked that both types are numbers or both are LOGICAL. */
struct cm_fortran_expression *cm_check_convert(struct cm_check *check,
                                               struct cm_fortran_expression *from, uint8_t type);
/* Converts a value to the type of the variable that it is assigned to. Reports a fault if the types
 * are not both numbers, both LOGICAL or both CHARACTER. */
struct cm_fortran_expression *cm_check_assigned(struct cm_check *check,
                                                struct cm_fortran_expression *from, uint8_t type);
/* Makes an operation with two operands, or with one operand if `b` is NULL. The caller has checked
 * that the operands' types fit the operator. */
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
/* These functions get and set a constant number by its real and imaginary part. Parts are rounded
 * to the precision of the constant's type. */
void cm_constant_parts(const struct cm_fortran_expression *constant, double *re, double *im);
void cm_constant_set(struct cm_fortran_expression *constant, double re, double im);
/* Returns a constant with the value of an expression whose operands are constants. Returns the
 * expression itself if an operand is not constant, or if the expression must be evaluated at run
 * time. */
struct cm_fortran_expression *cm_check_fold(struct cm_check *check,
                                            struct cm_fortran_expression *expression);
/* A shape, as far as it is constant. An extent that is not constant is -1. */
struct cm_shape {
    uint32_t rank;
    int64_t extents[CM_RANK_MAX];
};
void cm_check_shape(const struct cm_fortran_expression *expression, struct cm_shape *shape);
void cm_variable_shape(const struct cm_fortran_variable *variable, struct cm_shape *shape);
/* The text of a shape for messages, such as "(3, 4)" or "(3, :)". */
struct cm_check_shape_text {
    char text[160];
} cm_check_shape_text(const struct cm_shape *shape);
/* Returns whether two expressions have the same shape, as far as it is constant. A scalar conforms
 * to any array. Otherwise reports a fault, in which `what` names the two. */
bool cm_check_conform(struct cm_check *check, const struct cm_fortran_expression *a,
                      const struct cm_fortran_expression *b, struct cm_source_place place,
                      const char *what);

/* ---- text.c ---- */

/* Returns whether the symbol can be a CHARACTER variable. Reports a fault if not. */
bool cm_check_character(struct cm_check *check, const struct cm_symbol *symbol);
/* Returns whether the syntax expression is a substring C(2:3) of a variable or a constant. */
bool cm_check_is_substring(struct cm_check *check, struct cm_symbol *symbol,
                           const struct cm_syntax_expression *tree);
struct cm_fortran_expression *cm_check_element_part(struct cm_check *check,
                                                    const struct cm_syntax_expression *tree);
/* Returns whether the variable is a CHARACTER array. */
bool cm_check_is_texts(const struct cm_fortran_variable *variable);
struct cm_fortran_expression *cm_check_substring(struct cm_check *check,
                                                 const struct cm_symbol *symbol,
                                                 const struct cm_syntax_expression *tree);
/* Checks a concatenation, or a comparison of texts. */
struct cm_fortran_expression *cm_check_text_operation(struct cm_check *check, enum cm_fortran_op op,
                                                      struct cm_fortran_expression *a,
                                                      struct cm_fortran_expression *b,
                                                      struct cm_source_place place);
/* Returns the initial value that a constant gives to a variable. */
union cm_fortran_value cm_check_initial_value(const struct cm_fortran_expression *value);

/* ---- intrinsic.c and its functions, call.c, library.c ---- */

/* Returns whether an intrinsic function has this name. */
bool cm_intrinsic_known(const char *name);
bool cm_intrinsic_find(const char *name, enum cm_fortran_intrinsic *intrinsic);
/* Checks a call of an intrinsic function. */
struct cm_fortran_expression *cm_check_intrinsic(struct cm_check *check,
                                                 const struct cm_syntax_expression *tree);
/* The state of a call of an intrinsic function, while the call is checked. */
struct cm_intrinsic_call {
    enum cm_fortran_intrinsic intrinsic;
    const char *name; /* name of the function in upper case, for messages */
    const struct cm_syntax_expression *tree;
    struct cm_source_place place;
    struct cm_fortran_expression *args[8];
    /* number of arguments in the row of intrinsics.def, or in the call of MIN or MAX */
    uint32_t count;
    struct cm_fortran_expression **list; /* arguments: `args`, or a longer array for MIN and MAX */
    bool has_kind;
    uint8_t kind; /* value of the argument KIND, in bytes, if has_kind is true */
};
/* A specific name of an intrinsic function, such as DSQRT, which takes arguments of one type
 * only. */
struct cm_specific_name {
    const char *name;
    enum cm_fortran_intrinsic intrinsic;
    /* type of the arguments, and of the result. CM_FORTRAN_NO_TYPE if the generic function
     * decides */
    uint8_t argument, result;
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
/* A row of intrinsics.def. The members `takes`, `folds` and `result` are set for elemental
 * functions only. */
struct cm_intrinsic_row {
    const char *name, *arguments;
    int class;
    /* sets of types (CM_TYPES_...): of arguments, and of constant arguments that are folded */
    uint32_t takes, folds;
    enum { CM_GIVES_SAME, CM_GIVES_PARTS, CM_GIVES_INTEGER, CM_GIVES_LOGICAL, CM_GIVES_OWN } result;
};
const struct cm_intrinsic_row *cm_intrinsic_row(enum cm_fortran_intrinsic intrinsic);

/* Checks the arguments of a call of CSHIFT or EOSHIFT, and puts them into the order of
 * intrinsics.def. */
bool cm_check_shift_arguments(struct cm_check *check, struct cm_intrinsic_call *call);
/* Adds one warning for all shifts in check->ambiguous. */
void cm_check_warn_of_shifts(struct cm_check *check);
struct cm_fortran_expression *cm_check_replicate(struct cm_check *check,
                                                 struct cm_intrinsic_call *call);
struct cm_fortran_expression *cm_check_diagonal(struct cm_check *check,
                                                struct cm_intrinsic_call *call);
/* Returns whether the argument DIM of a call is an INTEGER scalar that fits an array of this rank.
 * Reports a fault if not. */
bool cm_check_dim(struct cm_check *check, const struct cm_intrinsic_call *call,
                  struct cm_fortran_expression *dim, uint32_t rank);
/* True if the type of its argument alone decides the result of a function, as for KIND, EPSILON and
 * HUGE. */
bool cm_kind_function(const char *name);
struct cm_fortran_expression *cm_check_kind_function(struct cm_check *check,
                                                     const struct cm_syntax_expression *tree);

/* Returns whether an actual argument has the type, rank and shape of the dummy argument. Reports a
 * fault if not. */
bool cm_check_argument(struct cm_check *check, const struct cm_fortran_expression *actual,
                       struct cm_fortran_variable *dummy, const char *unit);

/* ---- procedure.c ---- */

/* Returns whether the symbol is a dummy procedure, or may become a dummy procedure when the program
 * calls it. */
bool cm_check_is_argument(const struct cm_symbol *symbol);
/* Checks an actual argument, which may be a procedure. */
struct cm_fortran_expression *cm_check_actual(struct cm_check *check,
                                              const struct cm_syntax_expression *tree);
/* Records an actual argument for passes that run after all statements are checked
 * (cm_check_procedures()). */
void cm_check_link(struct cm_check *check, const struct cm_fortran_expression *actual,
                   struct cm_fortran_variable *dummy, const char *unit);
struct cm_fortran_expression *cm_check_indirect_function(struct cm_check *check,
                                                         struct cm_symbol *symbol,
                                                         const struct cm_syntax_expression *tree);
void cm_check_indirect_call(struct cm_check *check, struct cm_symbol *symbol,
                            const struct cm_syntax_statement *tree);
/* Finds, after all statements are checked, the units that each dummy procedure may be, and checks
 * the calls of dummy procedures. */
void cm_check_procedures(struct cm_check *check);
/* Returns a unit that calls an intrinsic function, and that is passed in its place as an argument.
 * Reports a function that cannot be passed, and returns NULL. */
const struct cm_fortran_unit *cm_check_passed(struct cm_check *check, const char *name,
                                              struct cm_source_place place);
/* Adds the units that cm_check_passed() made to the program. */
void cm_check_add_passed(struct cm_check *check);

/* Checks the arguments of a call of an unknown unit, each by itself. */
void cm_check_unknown(struct cm_check *check, const struct cm_syntax_arguments *arguments);
/* Checks the actual arguments of a call of a unit. */
bool cm_check_actuals(struct cm_check *check, struct cm_scope *callee, struct cm_source_place place,
                      const struct cm_syntax_arguments *arguments,
                      struct cm_fortran_expression ***args, uint32_t *count);
struct cm_fortran_expression *cm_check_function(struct cm_check *check, struct cm_scope *callee,
                                                const struct cm_syntax_expression *tree);
struct cm_fortran_expression *cm_check_formula(struct cm_check *check, struct cm_symbol *symbol,
                                               const struct cm_syntax_expression *tree);
/* Records that the current unit calls `callee`, for the search for recursion. */
void cm_check_calls(struct cm_check *check, struct cm_scope *callee, struct cm_source_place place);
/* Reports units that call themselves, directly or through other units, and are not RECURSIVE. */
void cm_check_recursion(struct cm_check *check);

/* Finds a routine of the machine's libraries by its name. Returns false if there is no such
 * routine. */
bool cm_library_find(const char *name, enum cm_fortran_library *library);
bool cm_library_is_function(enum cm_fortran_library library);
/* Adds a hint to the last message: how to call a library function, which the program called by
 * CALL. */
void cm_library_hint(struct cm_messages *messages, enum cm_fortran_library library);
/* Adds a hint to the last message: what to write instead of a routine that is not supported, if
 * there is a replacement. */
void cm_library_hint_refused(struct cm_messages *messages, const char *name);
/* Returns whether CM Fortran or Fortran 90 has a routine of this name which cm200 does not
 * support. */
bool cm_library_is_refused(const char *name);
bool cm_check_library_arguments(struct cm_check *check, enum cm_fortran_library library,
                                struct cm_source_place place,
                                const struct cm_syntax_arguments *arguments,
                                struct cm_fortran_expression ***args, uint32_t *count);

/* ---- statements ---- */

/* Checks the statements of the unit check->scope (flow.h). */
void cm_check_statements(struct cm_check *check);
/* Checks the text of a FORMAT, with its parentheses. Returns the text between the parentheses, or
 * NULL after a fault. */
const char *cm_check_format(struct cm_check *check, const struct cm_fortran_expression *text);

/* ---- directives, and which arrays are on the machine ---- */

void cm_check_layouts(struct cm_check *check, struct cm_scope *scope);
/* Records that a variable is used in an array operation, so that its array is put on the
 * machine. */
void cm_check_operates(struct cm_check *check, const struct cm_fortran_variable *variable);
/* Records that an array is passed to a dummy argument, for cm_check_homes(). */
void cm_check_passes(struct cm_check *check, const struct cm_fortran_variable *actual,
                     const struct cm_fortran_variable *dummy);
/* Gives each COMMON array, in all units, the layout that one of its units declares. */
void cm_check_common_layouts(struct cm_check *check);
/* Decides which arrays of the program are on the machine, and which are in the front end. */
void cm_check_homes(struct cm_check *check);

#endif
