/*
 * A checked CM Fortran program: names are resolved, every expression has its type and rank,
 * conversions are explicit, control flow is jumps between numbered statements. The checker
 * (check_*.c) makes it from the syntax tree; the front end (run_*.c) plays it. Everything belongs
 * to the program's arena. Not installed.
 */
#ifndef CM_FORTRAN_PROGRAM_H
#define CM_FORTRAN_PROGRAM_H

#include "../../programs/system/scalar.h"
#include "../../programs/system/system.h"
#include "../source/place.h"

/* Types of expressions: those of arrays (enum cm_type: INTEGER is int32), then these. */
enum { CM_FORTRAN_CHARACTER = CM_TYPE_COUNT, CM_FORTRAN_NO_TYPE };

/* Characters of the front end; who keeps them differs. */
struct cm_fortran_text {
    char *bytes;
    uint32_t length;
};

/* -1, 0 or 1, by the codes of the characters; the shorter one is filled with blanks. */
int cm_fortran_text_compare(const struct cm_fortran_text *a, const struct cm_fortran_text *b);

/* A value of the front end. A logical value is 0 or 1. */
union cm_fortran_value {
    struct cm_fortran_text text; /* where a CHARACTER variable's characters are */
    int32_t integer;
    uint8_t logical;
    float real;
    double real64;
    float complex[2];
    double complex128[2];
};

/* What an expression is. Operands are `args` unless another member is named. */
enum cm_fortran_kind {
    CM_FORTRAN_CONSTANT,    /* `value` */
    CM_FORTRAN_TEXT,        /* `text`, `text_length`: a character constant */
    CM_FORTRAN_VARIABLE,    /* `variable`: a scalar, or a whole array */
    CM_FORTRAN_ELEMENT,     /* `variable`, args: a scalar subscript for each dimension, int32 */
    CM_FORTRAN_SECTION,     /* `variable`, args: one for each dimension: an int32 scalar, an int32
                               vector, or a CM_FORTRAN_TRIPLET */
    CM_FORTRAN_TRIPLET,     /* args: first, last, stride; NULL: the bound, the bound, 1 */
    CM_FORTRAN_CONSTRUCTOR, /* args: the values in order, scalars, arrays of any rank, IMPLIED_DO;
                               all converted to the constructor's type; rank 1 */
    CM_FORTRAN_IMPLIED_DO,  /* `variable`; args: first, last, step (may be NULL), then the values */
    CM_FORTRAN_OPERATION, /* `op`; one or two args of equal type: elementwise, where the operand of
                               rank 0 goes with every element; POWER may have an int32 exponent */
    CM_FORTRAN_CONVERT,   /* to `type`; truncates to an integer */
    CM_FORTRAN_INTRINSIC, /* `intrinsic`; args in the order of intrinsics.def, NULL if absent */
    CM_FORTRAN_CALL,      /* `unit`, or `variable`: an argument; args: the actual arguments, NULL if
                               left out: a function's value */
    CM_FORTRAN_LIBRARY,   /* `library`: a function of library.def */
    CM_FORTRAN_SUBSTRING, /* `variable` or `text`, args: the first and last character, or NULL; an
                               ELEMENT that it is a part of, or NULL */
    CM_FORTRAN_PROCEDURE, /* `unit`, or `variable`: an argument of the caller; as an argument */
    CM_FORTRAN_INDEX,     /* `number`: the value of that index of the FORALL around it */
};

enum cm_fortran_op {
    CM_FORTRAN_ADD,
    CM_FORTRAN_SUBTRACT,
    CM_FORTRAN_MULTIPLY,
    CM_FORTRAN_DIVIDE,
    CM_FORTRAN_POWER,
    CM_FORTRAN_NEGATE,
    CM_FORTRAN_EQ, /* comparisons: the result is logical */
    CM_FORTRAN_NE,
    CM_FORTRAN_LT,
    CM_FORTRAN_LE,
    CM_FORTRAN_GT,
    CM_FORTRAN_GE,
    CM_FORTRAN_NOT, /* of logical values */
    CM_FORTRAN_AND,
    CM_FORTRAN_OR,
    CM_FORTRAN_EQV,
    CM_FORTRAN_NEQV,
    CM_FORTRAN_CONCATENATE, /* of texts */
};

/* Sets of types in the columns of intrinsics.def: I is INTEGER, R is REAL and DOUBLE PRECISION, C
 * is COMPLEX of both precisions, and L is LOGICAL. */
enum {
    CM_TYPES_NONE = 0,
    CM_TYPES_I = 1,
    CM_TYPES_R = 2,
    CM_TYPES_IR = 3,
    CM_TYPES_C = 4,
    CM_TYPES_RC = 6,
    CM_TYPES_IRC = 7,
    CM_TYPES_L = 8,
    CM_TYPES_IRCL = 15,
};

/* The intrinsic functions, one for each row of intrinsics.def. */
enum cm_fortran_intrinsic {
#define CM_INTRINSIC(symbol, name, class, arguments, summary) CM_FORTRAN_##symbol,
#include "intrinsics.def"
#undef CM_INTRINSIC
    CM_FORTRAN_INTRINSICS
};

/* Subroutines of the library, by library.def: CM_LIBRARY(symbol, "name", "ARG ARG ..."). */
enum cm_fortran_library {
#define CM_LIBRARY(symbol, name, arguments) CM_FORTRAN_##symbol,
#include "library.def"
#undef CM_LIBRARY
    CM_FORTRAN_LIBRARY_COUNT
};

struct cm_fortran_variable;
struct cm_fortran_unit;

struct cm_fortran_expression {
    enum cm_fortran_kind kind;
    uint8_t type; /* enum cm_type, or CM_FORTRAN_CHARACTER */
    uint8_t rank; /* 0: a scalar */
    enum cm_fortran_op op;
    enum cm_fortran_intrinsic intrinsic;
    enum cm_fortran_library library;
    struct cm_source_place place;
    union cm_fortran_value value;
    const char *text;
    uint32_t text_length;
    uint32_t number;
    const struct cm_fortran_variable *variable;
    const struct cm_fortran_unit *unit;
    struct cm_fortran_expression **args;
    uint32_t count;
};

/* Lower and upper bound of a dimension. */
struct cm_fortran_bound {
    struct cm_fortran_expression *lower; /* NULL: 1 */
    struct cm_fortran_expression *upper; /* NULL: taken from the actual argument, or ALLOCATE */
};

enum cm_fortran_storage {
    CM_FORTRAN_LOCAL,  /* made at each call */
    CM_FORTRAN_STATIC, /* made once: SAVE, DATA, COMMON and everything of the main program */
    CM_FORTRAN_DUMMY,  /* argument `slot` of the unit */
    CM_FORTRAN_RESULT, /* of the function; `slot` is as of LOCAL */
};

/* An element, or all elements, of a variable that DATA or its declaration gives a value. */
struct cm_fortran_initial {
    uint64_t first, count; /* elements in Fortran order, from 0 */
    union cm_fortran_value value;
};

struct cm_fortran_variable {
    const char *name; /* in lower case */
    uint8_t type;
    uint8_t rank; /* 0: a scalar */
    /* Of a CHARACTER, or an element; -1: that of the actual argument, or of what is assigned. */
    int32_t length;
    bool allocatable;
    bool is_constant;                       /* an array that is a PARAMETER */
    bool is_optional;                       /* an argument that a call may leave out */
    bool is_procedure;                      /* an argument */
    bool is_of_main;                        /* the main program's, and not of COMMON */
    const struct cm_fortran_unit **targets; /* that it may be */
    uint32_t target_count;
    bool assumed_size; /* the last upper bound is `*` */
    bool on_machine;   /* the home of an array: the CM; of a dummy: that of the actual argument */
    enum cm_fortran_storage storage;
    uint32_t slot; /* of the unit's locals, its arguments, or the program's statics */
    struct cm_fortran_bound bounds[CM_RANK_MAX];
    enum cm_order orders[CM_RANK_MAX]; /* CMF$LAYOUT; NEWS without it */
    uint32_t weights[CM_RANK_MAX];
    struct cm_fortran_initial *initials;
    uint32_t initial_count;
    struct cm_source_place place;
};

/* A statement. Jumps name the number of a statement of the same unit. */
enum cm_fortran_statement_kind {
    CM_FORTRAN_ASSIGN,    /* target = value, where the mask of the WHERE blocks around it holds */
    CM_FORTRAN_WHERE,     /* value: a mask; the blocks nest */
    CM_FORTRAN_ELSEWHERE, /* value: a further mask, or NULL */
    CM_FORTRAN_END_WHERE,
    CM_FORTRAN_FORALL,    /* forall */
    CM_FORTRAN_JUMP,      /* to `to` */
    CM_FORTRAN_UNLESS,    /* to `to` if value is false */
    CM_FORTRAN_SIGN_JUMP, /* arithmetic IF: to targets[0], [1], [2] if value is < 0, 0, > 0 */
    CM_FORTRAN_CASE_JUMP, /* computed GOTO: to targets[value - 1], if there is one */
    CM_FORTRAN_DO,        /* args: variable, first, last, step (NULL: 1), of the variable's type;
                               loop number `slot`; to `to` when there is no iteration (left) */
    CM_FORTRAN_DO_NEXT,   /* next iteration of loop `slot`: to `to`, the statement after its DO, or
                               goes on with the next statement */
    CM_FORTRAN_CALL_UNIT, /* unit, or procedure; args */
    CM_FORTRAN_CALL_LIBRARY, /* library, args: a subroutine of CMSSL or of the system */
    CM_FORTRAN_RETURN,
    CM_FORTRAN_STOP,       /* value (int32, a text or NULL) */
    CM_FORTRAN_PRINT,      /* format (NULL: list-directed), args: the items, also IMPLIED_DO */
    CM_FORTRAN_ALLOCATE,   /* args: sections whose triplets are the bounds */
    CM_FORTRAN_DEALLOCATE, /* args: variables */
};

/* FORALL (i = first:last:stride, ..., mask) target = value; ... */
struct cm_fortran_forall {
    uint32_t indices;
    struct cm_fortran_expression *triplets[CM_RANK_MAX];
    struct cm_fortran_expression *mask; /* may be NULL */
    struct cm_fortran_expression **targets, **values;
    uint32_t assignments;
};

struct cm_fortran_statement {
    enum cm_fortran_statement_kind kind;
    struct cm_source_place place;
    struct cm_fortran_expression *target, *value;
    struct cm_fortran_expression **args;
    uint32_t count;
    uint32_t to;
    uint32_t *targets;
    uint32_t target_count;
    uint32_t slot;
    const struct cm_fortran_unit *unit;
    const struct cm_fortran_variable *procedure; /* an argument */
    enum cm_fortran_library library;
    bool keeps_line;    /* PRINT: what is printed next goes on in the line */
    const char *format; /* the text between the parentheses of a FORMAT; NULL: list-directed */
    struct cm_fortran_forall *forall;
};

struct cm_fortran_unit {
    const char *name; /* in lower case; "main" without PROGRAM */
    struct cm_source_place place;
    bool is_function;
    struct cm_fortran_variable **arguments; /* in order; storage DUMMY */
    uint32_t argument_count;
    struct cm_fortran_variable *result;     /* of a function */
    struct cm_fortran_variable **variables; /* all that the unit names, COMMON too */
    uint32_t variable_count;
    uint32_t locals; /* slots of LOCAL and RESULT variables */
    uint32_t loops;  /* DO loops, numbered from 0 */
    struct cm_fortran_statement *statements;
    uint32_t statement_count; /* the last is RETURN or STOP */
};

struct cm_fortran_program {
    const struct cm_source *source; /* the caller's; it outlives the program */
    struct cm_fortran_unit **units;
    uint32_t unit_count;
    const struct cm_fortran_unit *main;   /* NULL: only subprograms */
    struct cm_fortran_variable **statics; /* by slot: each static storage once (COMMON: the members
                                             of a block agree in all units) */
    uint32_t static_count;
    struct cm_arena *arena;
};

struct cm_syntax;

/* What the check of a program is to assume. */
struct cm_fortran_options {
    bool f90_order; /* CSHIFT(A, 1, -1) means (array, shift, dim); without it (array, dim, shift) */
    /* Values for named constants of the main program, which replace those written there. */
    const struct cm_fortran_parameter {
        const char *name;
        double value;
        bool is_logical; /* the value is 0 or 1 */
    } * parameters;
    uint32_t parameter_count;
    /* NULL, or room for what each expression of the tree becomes, by its number; NULL: nothing.
     * Of a statement function: in its last reference. */
    const struct cm_fortran_expression **expressions;
};

/*
 * Checks a program and makes what the front end plays. All faults found go into `messages`, in the
 * order of their places, with those of cm_syntax_parse if there are; NULL if there is one, or when
 * out of memory (messages->status says which). The tree may go afterwards.
 */
struct cm_fortran_program *cm_fortran_check(const struct cm_syntax *tree,
                                            const struct cm_source *source,
                                            const struct cm_fortran_options *options,
                                            struct cm_messages *messages);
/* Frees it; NULL is allowed. */
void cm_fortran_program_destroy(struct cm_fortran_program *program);

struct cm_buffer;

/* Writes the program as text, a line for each variable and statement: for tests, and to look at. */
void cm_fortran_program_write(const struct cm_fortran_program *program, struct cm_buffer *text);

/* The names that intrinsics.def and library.def give; INTEGER, DOUBLE PRECISION, ... */
const char *cm_fortran_intrinsic_name(enum cm_fortran_intrinsic intrinsic);
const char *cm_fortran_library_name(enum cm_fortran_library library);
const char *cm_fortran_type_text(uint32_t type);

#endif
