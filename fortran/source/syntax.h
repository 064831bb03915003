/*
 * This header declares the syntax tree of a CM Fortran program. The nodes are in the order of the
 * source text, and each node has its place in the text. The tree is checked against the grammar
 * alone. Declarations, which the parser does not look at, decide whether X(I) is an array element,
 * a function reference or a substring. All nodes belong to the tree's arena, and are valid until
 * cm_syntax_destroy().
 *
 * Names and keywords are in lower case, because Fortran ignores case. Each name is stored once, so
 * two equal names have equal pointers. Every expression and every statement has a number, so that
 * later stages can store their results in arrays with these numbers as indices.
 */
#ifndef CM_FORTRAN_SYNTAX_H
#define CM_FORTRAN_SYNTAX_H

#include "../../programs/system/geometry.h"
#include "place.h"

#include <stdbool.h>
#include <stdint.h>

CM_BEGIN_DECLS

/* ---- Expressions ---- */

/* Kind of an expression. The comment of a kind names the members of struct cm_syntax_expression
 * that the kind uses. */
enum cm_expression_kind {
    CM_EXPRESSION_INTEGER, /* integer: 12, 12_8 */
    CM_EXPRESSION_REAL,    /* real: 1.5, 1D0, 1.0_8 */
    CM_EXPRESSION_COMPLEX, /* pair: (1.0, -2.0) of constants */
    CM_EXPRESSION_LOGICAL, /* logical: .TRUE. */
    CM_EXPRESSION_STRING,  /* string: 'text' */
    CM_EXPRESSION_NAME,    /* name */
    CM_EXPRESSION_CALL,    /* call: NAME(arguments): element, section or function reference */
    /* substring: C(I)(2:3), behind an array element. The parser makes a CALL with a RANGE of
     * C(2:3) */
    CM_EXPRESSION_SUBSTRING,
    CM_EXPRESSION_UNARY,       /* op, operand in right */
    CM_EXPRESSION_BINARY,      /* op, and operands in left and right */
    CM_EXPRESSION_PARENTHESES, /* right: (x), whose operations are not regrouped */
    CM_EXPRESSION_RANGE,       /* range: lower:upper:stride, as a subscript or in a constructor */
    CM_EXPRESSION_CONSTRUCTOR, /* items: [1, 2] or (/ 1, 2 /) */
    /* loop: (items, I = 1, N) in constructors, DATA and input or output */
    CM_EXPRESSION_IMPLIED_DO,
    CM_EXPRESSION_REPEAT, /* repeat: 3*0.0 in DATA, or 3[1, 2] in a constructor */
};

/* Operators of the expression kinds UNARY and BINARY. */
enum cm_operator {
    CM_OPERATOR_NONE,
    CM_OPERATOR_PLUS,  /* addition, or a sign */
    CM_OPERATOR_MINUS, /* */
    CM_OPERATOR_TIMES,
    CM_OPERATOR_DIVIDE,
    CM_OPERATOR_POWER,
    CM_OPERATOR_CONCATENATE,
    CM_OPERATOR_EQ,
    CM_OPERATOR_NE,
    CM_OPERATOR_LT,
    CM_OPERATOR_LE,
    CM_OPERATOR_GT,
    CM_OPERATOR_GE,
    CM_OPERATOR_NOT,
    CM_OPERATOR_AND,
    CM_OPERATOR_OR,
    CM_OPERATOR_EQV,
    CM_OPERATOR_NEQV,
};

/* Limits of the nesting depth of expressions and constructs, which keep recursion over a tree
 * within the stack. The parser refuses a program beyond these limits. */
#define CM_EXPRESSION_MAX_DEPTH 1000u
#define CM_CONSTRUCT_MAX_DEPTH  100u

struct cm_syntax_expression;

/* An actual argument, a subscript, or a value in a list. */
struct cm_syntax_argument {
    struct cm_syntax_argument *next;    /* next entry of the list, or NULL */
    const char *keyword;                /* "dim" of DIM=1, or NULL */
    struct cm_source_place place;       /* place of the first character */
    struct cm_syntax_expression *value; /* value, never NULL */
};

/* A list of arguments, subscripts or values. */
struct cm_syntax_arguments {
    struct cm_syntax_argument *first; /* first entry, or NULL */
    uint32_t count;                   /* number of entries */
};

/* An expression. `kind` decides which members are valid. */
struct cm_syntax_expression {
    enum cm_expression_kind kind; /* kind of the expression */
    enum cm_operator op;          /* operator of UNARY and BINARY */
    uint32_t number;              /* number below cm_syntax.expression_count */
    /* height of the expression as a tree, at most CM_EXPRESSION_MAX_DEPTH */
    uint32_t depth;
    /* place of the first character. For a BINARY, place of the operator */
    struct cm_source_place place;
    /* kind of a constant: 8 for 1.0_8, or 0 */
    uint32_t kind_value;
    const char *kind_name; /* name of the kind: "dp" for 1.0_DP, or NULL */
    /* true for an INTEGER such as Z'FF', and for a STRING such as 4HTEXT */
    bool is_bits;
    struct cm_syntax_expression *left, *right; /* operands. UNARY has right alone */
    union {
        uint64_t integer; /* magnitude of an INTEGER */
        struct {
            /* text that strtod() can read, such as "1.5e3". The exponent's letter is always `e` */
            const char *digits;
            bool is_double; /* true if the exponent's letter was D */
        } real;
        struct {
            struct cm_syntax_expression *real, *imaginary;
        } pair;
        bool logical;
        struct {
            const char *bytes; /* NUL-terminated text, with doubled quotes made single */
            uint32_t length;
        } string;
        const char *name;
        struct {
            const char *name;
            struct cm_syntax_arguments arguments;
        } call;
        struct {
            struct cm_syntax_expression *of;
            struct cm_syntax_expression *range; /* expression of kind RANGE */
        } substring;
        struct {
            struct cm_syntax_expression *lower, *upper, *stride; /* bounds, or NULL */
        } range;
        struct cm_syntax_arguments items; /* items without keywords */
        struct {
            struct cm_syntax_arguments items;
            const char *variable;
            struct cm_source_place variable_place;
            /* bounds of the loop, with step NULL if it is left out */
            struct cm_syntax_expression *first, *last, *step;
        } loop;
        struct {
            struct cm_syntax_expression *count; /* count: a constant, or a name in DATA */
            /* repeated value, of kind CONSTRUCTOR within an array constructor */
            struct cm_syntax_expression *value;
        } repeat;
    };
};

/* ---- Declarations ---- */

/* Base types of the language. */
enum cm_base_type {
    CM_BASE_INTEGER,
    CM_BASE_REAL,
    CM_BASE_COMPLEX,
    CM_BASE_LOGICAL,
    CM_BASE_CHARACTER,
};

/* A type as it was written: REAL, REAL*8, REAL(8), REAL(KIND=8), DOUBLE PRECISION (REAL of 8 bytes)
 * or DOUBLE COMPLEX (COMPLEX of 16 bytes). */
struct cm_syntax_type {
    enum cm_base_type base;       /* type without its length */
    struct cm_source_place place; /* place of the first word */
    /* length in bytes behind the `*`, which counts both parts of a COMPLEX, or 0 */
    uint32_t bytes;
    struct cm_syntax_expression *kind; /* value of KIND=, or NULL */
    /* length of CHARACTER*n or of LEN=n. NULL if the length is `*` or left out */
    struct cm_syntax_expression *length;
    bool any_length; /* true for CHARACTER*(*) */
};

/* Form of an array bound. */
enum cm_bound_kind {
    CM_BOUND_EXPLICIT, /* lower:upper */
    /* `:` of an allocatable array or an assumed-shape argument, or `lower:` without an upper
     * bound */
    CM_BOUND_DEFERRED,
    CM_BOUND_ASSUMED, /* `*`, as the last bound of a dummy argument */
};

/* The bounds of one dimension. */
struct cm_syntax_bound {
    struct cm_syntax_bound *next;       /* bounds of the next dimension, or NULL */
    enum cm_bound_kind kind;            /* form of the bounds */
    struct cm_source_place place;       /* place of the first character */
    struct cm_syntax_expression *lower; /* lower bound, or NULL for 1 */
    struct cm_syntax_expression *upper; /* upper bound, if EXPLICIT */
};

/* The bounds of an array, in the order of its dimensions. */
struct cm_syntax_shape {
    struct cm_syntax_bound *first; /* bounds of the first dimension. NULL if no shape is given */
    uint32_t count;                /* number of dimensions */
};

/* A declared name, with the shape, length and value that may follow it. */
struct cm_syntax_entity {
    struct cm_syntax_entity *next;       /* next name of the list, or NULL */
    const char *name;                    /* name in lower case */
    struct cm_source_place place;        /* place of the name */
    bool is_block;                       /* true for SAVE /NAME/, which names a COMMON block */
    uint32_t bytes;                      /* length in bytes, 8 of REAL X*8, or 0 */
    struct cm_syntax_shape shape;        /* shape of X(10) */
    struct cm_syntax_expression *length; /* length of CHARACTER C*8 */
    bool any_length;                     /* true for CHARACTER C*(*) */
    struct cm_syntax_expression *value;  /* value of PARAMETER (X = 1) or REAL :: X = 1 */
    /* values between slashes, as in REAL X /1.0/ */
    struct cm_syntax_arguments data;
};

/* A list of declared names. */
struct cm_syntax_entities {
    struct cm_syntax_entity *first; /* first name, or NULL */
    uint32_t count;                 /* number of names */
};

/* Attributes of a declaration, as bits of a mask. */
enum {
    CM_ATTRIBUTE_PARAMETER = 1,
    CM_ATTRIBUTE_ALLOCATABLE = 2,
    CM_ATTRIBUTE_SAVE = 4,
    CM_ATTRIBUTE_EXTERNAL = 8,
    CM_ATTRIBUTE_INTRINSIC = 16,
    CM_ATTRIBUTE_OPTIONAL = 32,
    CM_ATTRIBUTE_IN = 64,   /* INTENT(IN) */
    CM_ATTRIBUTE_OUT = 128, /* INTENT(OUT). The bits IN and OUT together stand for INTENT(INOUT) */
};

/* A block of a COMMON statement: /NAME/ A, B(10). */
struct cm_syntax_common {
    struct cm_syntax_common *next;      /* next block of the statement, or NULL */
    const char *name;                   /* name of the block, "" for blank COMMON */
    struct cm_source_place place;       /* place of the name */
    struct cm_syntax_entities entities; /* variables of the block, in their order */
};

/* One pair of lists of a DATA statement, written objects / values /. Values may be of kind
 * REPEAT. */
struct cm_syntax_data {
    struct cm_syntax_data *next;                /* next pair of lists, or NULL */
    struct cm_syntax_arguments objects, values; /* variables, and their values */
};

/* A range of letters of an IMPLICIT statement: REAL*8 (A-H). */
struct cm_syntax_implicit {
    struct cm_syntax_implicit *next; /* next range, or NULL */
    struct cm_syntax_type type;      /* type of the names that begin with these letters */
    char from, to;                   /* first and last letter, in lower case */
};

/* A dimension of a LAYOUT directive, as in CMF$ LAYOUT A(:NEWS, 2:SERIAL). */
struct cm_syntax_axis {
    struct cm_syntax_axis *next;  /* next dimension, or NULL */
    struct cm_source_place place; /* place of the first character */
    /* axis order of the dimension, which is NEWS for a mere `:` */
    enum cm_order order;
    /* weight before the order, such as 2 in 2:SERIAL, or NULL */
    struct cm_syntax_expression *weight;
};

/* A LAYOUT directive for one array. */
struct cm_syntax_layout {
    struct cm_syntax_layout *next; /* next array, or NULL */
    const char *name;              /* name of the array */
    struct cm_source_place place;  /* place of the name */
    struct cm_syntax_axis *axes;   /* first dimension */
    uint32_t axis_count;           /* number of dimensions */
};

/* ---- Statements ---- */

/* Kind of a statement. The comment of a kind names the members of struct cm_syntax_statement that
 * the kind uses. */
enum cm_statement_kind {
    /* declarations */
    CM_STATEMENT_TYPE, /* declare, with its type and attributes */
    /* declare.entities, which the next kinds use, too. ARRAY A(10) is of this kind */
    CM_STATEMENT_DIMENSION,
    CM_STATEMENT_ALLOCATABLE, /* */
    CM_STATEMENT_PARAMETER,   /* */
    CM_STATEMENT_SAVE,        /* SAVE of all variables if there are no entities */
    CM_STATEMENT_EXTERNAL,    /* */
    CM_STATEMENT_INTRINSIC,   /* */
    CM_STATEMENT_OPTIONAL,    /* */
    CM_STATEMENT_INTENT,      /* declare, whose attributes have the intent */
    CM_STATEMENT_COMMON,      /* common */
    CM_STATEMENT_DATA,        /* data. Allowed among executable statements */
    CM_STATEMENT_IMPLICIT,    /* implicit */
    CM_STATEMENT_FUNCTION,    /* function, a statement function */
    CM_STATEMENT_INTERFACE,   /* interface */
    CM_STATEMENT_NAMELIST,    /* common, with the groups */
    CM_STATEMENT_FORMAT,      /* format. Allowed anywhere */
    /* directives */
    CM_STATEMENT_LAYOUT,     /* layout */
    CM_STATEMENT_ALIGN,      /* align */
    CM_STATEMENT_CMF_COMMON, /* cmf_common */
    /* executable */
    CM_STATEMENT_ASSIGNMENT,    /* assignment */
    CM_STATEMENT_ENTRY,         /* entry */
    CM_STATEMENT_CALL,          /* call */
    CM_STATEMENT_IF,            /* branch: IF (..) THEN, or IF (..) statement */
    CM_STATEMENT_ARITHMETIC_IF, /* arithmetic */
    CM_STATEMENT_SELECT,        /* select */
    CM_STATEMENT_DO,            /* loop */
    CM_STATEMENT_WHERE,         /* branch: WHERE (..) with ELSEWHERE, or WHERE (..) statement */
    CM_STATEMENT_FORALL,        /* forall */
    CM_STATEMENT_GOTO,          /* jump: one label, or several labels and a selector */
    CM_STATEMENT_ASSIGN,        /* jump: ASSIGN label TO selector */
    CM_STATEMENT_CONTINUE,      /* */
    CM_STATEMENT_CYCLE,         /* construct: name of the loop, or NULL for the innermost loop */
    CM_STATEMENT_EXIT,          /* construct */
    CM_STATEMENT_RETURN,        /* alternate */
    CM_STATEMENT_STOP,          /* stop: STOP or ERROR STOP */
    CM_STATEMENT_PAUSE,         /* stop */
    CM_STATEMENT_PRINT,         /* print: PRINT f, items */
    CM_STATEMENT_WRITE,         /* print: WRITE (u, f) items */
    CM_STATEMENT_READ,          /* print: READ (u, f) items, READ f, items */
    CM_STATEMENT_OPEN,          /* print.unit and print.controls, as the next kinds */
    CM_STATEMENT_CLOSE,         /* */
    CM_STATEMENT_INQUIRE,       /* */
    CM_STATEMENT_REWIND,        /* */
    CM_STATEMENT_BACKSPACE,     /* */
    CM_STATEMENT_ENDFILE,       /* */
    CM_STATEMENT_ALLOCATE,      /* allocate */
    CM_STATEMENT_DEALLOCATE,    /* allocate */
};

struct cm_syntax_statement;
struct cm_syntax_unit;

/* Statements in their order. */
struct cm_syntax_block {
    struct cm_syntax_statement *first, *last; /* first and last statement, or NULL */
};

/* A branch of IF or WHERE: IF, ELSE IF, ELSE, WHERE or ELSEWHERE. */
struct cm_syntax_branch {
    struct cm_syntax_branch *next;          /* next branch, or NULL */
    struct cm_source_place place;           /* place of the keyword */
    struct cm_syntax_expression *condition; /* condition or mask. NULL for ELSE and ELSEWHERE */
    struct cm_syntax_block block;           /* statements of the branch */
};

/* A CASE of a SELECT. Each of its values is a constant, or a RANGE without stride. */
struct cm_syntax_case {
    struct cm_syntax_case *next;       /* next CASE, or NULL */
    struct cm_source_place place;      /* place of the keyword CASE */
    bool is_default;                   /* true for CASE DEFAULT */
    struct cm_syntax_arguments values; /* values that select the CASE */
    struct cm_syntax_block block;      /* statements of the CASE */
};

/* An index of a FORALL: I = first:last:step. */
struct cm_syntax_index {
    struct cm_syntax_index *next;                     /* next index, or NULL */
    const char *name;                                 /* name of the index */
    struct cm_source_place place;                     /* place of the name */
    struct cm_syntax_expression *first, *last, *step; /* bounds, with step NULL if it is left out */
};

/* A label in a list of labels, such as that of a computed GO TO. */
struct cm_syntax_label {
    struct cm_syntax_label *next; /* next label of the list, or NULL */
    struct cm_source_place place; /* place of the first digit */
    uint32_t label;               /* label, 1..99999 */
};

/* Kind of a DO loop: with an index, DO WHILE, or without either. */
enum cm_loop_kind { CM_LOOP_COUNTED, CM_LOOP_WHILE, CM_LOOP_ENDLESS };

/* Kind of the format of input or output: no format, `*`, a label, or a string. */
enum cm_format_kind { CM_FORMAT_NONE, CM_FORMAT_LIST, CM_FORMAT_LABEL, CM_FORMAT_EXPRESSION };

/* A statement. `kind` decides which members are valid. */
struct cm_syntax_statement {
    struct cm_syntax_statement *next; /* next statement of the block, or NULL */
    enum cm_statement_kind kind;      /* kind of the statement */
    uint32_t label;                   /* label 1..99999, or 0 */
    uint32_t number;                  /* number below cm_syntax.statement_count */
    struct cm_source_place place;     /* place of the first character behind the label */
    /* place of the END of a construct, or `place` for other statements */
    struct cm_source_place end;
    /* name of the construct, or the name that CYCLE or EXIT refers to, or NULL */
    const char *construct;
    uint32_t end_label; /* label of the END, or 0 */
    bool is_single;     /* true for IF, WHERE or FORALL with one statement on the same line */
    union {
        struct {
            struct cm_syntax_type type;
            uint32_t attributes;
            struct cm_syntax_shape shape; /* shape of ARRAY(..) or DIMENSION(..) before the :: */
            struct cm_syntax_entities entities;
        } declare;
        struct cm_syntax_common *common;
        struct cm_syntax_data *data;
        struct {
            bool none; /* true for IMPLICIT NONE */
            struct cm_syntax_implicit *first;
        } implicit;
        struct {
            const char *name;
            struct cm_syntax_entities arguments;
            struct cm_syntax_expression *value;
        } function;
        struct {
            const char *name; /* generic name, or NULL */
            struct cm_syntax_unit *units;
        } interface;
        struct cm_syntax_expression *format; /* STRING such as "(1X, I5)", with its parentheses */
        struct cm_syntax_layout *layout;
        struct {
            struct cm_syntax_expression *array, *with; /* expressions of kind CALL */
        } align;
        struct {
            struct cm_syntax_entities blocks;
            bool cm_only, fe_only, initialized;
        } cmf_common;
        struct {
            struct cm_syntax_expression *target; /* NAME, CALL or SUBSTRING */
            struct cm_syntax_expression *value;
        } assignment;
        struct {
            const char *name;
            struct cm_source_place name_place;
            struct cm_syntax_arguments arguments;
            struct cm_syntax_label *labels; /* labels of alternate returns, such as *10 */
        } call;
        struct cm_syntax_expression *alternate; /* value of RETURN, or NULL */
        struct cm_syntax_unit *entry;           /* name and dummy arguments of an ENTRY */
        struct cm_syntax_branch *branch;
        struct {
            struct cm_syntax_expression *value;
            uint32_t labels[3]; /* labels for a value below, at and above 0 */
        } arithmetic;
        struct {
            struct cm_syntax_expression *value;
            struct cm_syntax_case *cases;
        } select;
        struct {
            enum cm_loop_kind kind;
            /* Label of a DO loop such as DO 10, or 0. The last statement of the block has this
             * label. If several loops share a label, this statement is in the innermost loop. */
            uint32_t label;
            bool ends_with_do; /* true if an END DO ends the loop. The END DO may have the label */
            const char *variable;
            struct cm_source_place variable_place;
            /* bounds of the loop, with step NULL if it is left out */
            struct cm_syntax_expression *first, *last, *step;
            struct cm_syntax_expression *condition; /* condition of DO WHILE */
            struct cm_syntax_block block;
        } loop;
        struct {
            struct cm_syntax_index *indices;
            struct cm_syntax_expression *mask; /* mask, or NULL */
            struct cm_syntax_block block;
        } forall;
        struct {
            struct cm_syntax_label *labels; /* labels, or NULL for GO TO I without a list */
            /* selector of a computed GO TO, variable of an assigned GO TO or ASSIGN, or NULL */
            struct cm_syntax_expression *selector;
            bool is_assigned; /* true for GO TO I and GO TO I, (10, 20) */
        } jump;
        struct {
            struct cm_syntax_expression *code; /* constant behind STOP, or NULL */
            bool is_error;                     /* true for ERROR STOP */
        } stop;
        struct {
            struct cm_syntax_expression *unit; /* unit, or NULL for `*` */
            enum cm_format_kind format_kind;
            uint32_t format_label;
            struct cm_syntax_expression *format;
            struct cm_syntax_arguments items;
            /* specifiers such as IOSTAT=K, except UNIT and FMT. A label is an INTEGER */
            struct cm_syntax_arguments controls;
        } print;
        struct {
            /* expressions of kind NAME for DEALLOCATE, of kind CALL with ranges for ALLOCATE */
            struct cm_syntax_arguments objects;
            struct cm_syntax_expression *stat; /* variable of STAT=, or NULL */
        } allocate;
    };
};

/* ---- Program units ---- */

/* Kinds of program units. */
enum cm_unit_kind { CM_UNIT_PROGRAM, CM_UNIT_SUBROUTINE, CM_UNIT_FUNCTION, CM_UNIT_BLOCK_DATA };

/* A program unit. */
struct cm_syntax_unit {
    struct cm_syntax_unit *next;  /* next unit of the same level, or NULL */
    enum cm_unit_kind kind;       /* kind of the unit */
    const char *name;             /* name, "" for a main program or BLOCK DATA without a name */
    struct cm_source_place place; /* place of the first statement */
    struct cm_source_place name_place; /* place of the name, or `place` without a name */
    struct cm_source_place end;        /* place of the END statement */
    uint32_t end_label;                /* label of END, or 0 */
    bool has_type;                     /* true if a FUNCTION begins with a type */
    bool is_recursive;                 /* true for RECURSIVE */
    /* true if a part of the unit could not be read, and is missing in the tree */
    bool is_broken;
    struct cm_syntax_type type;          /* type of the function, if has_type */
    const char *result;                  /* name in RESULT(R), or NULL */
    struct cm_syntax_entities arguments; /* dummy arguments */
    uint32_t alternates;                 /* number of dummy arguments `*`, the alternate returns */
    struct cm_syntax_block block;        /* statements */
};

struct cm_arena;

/* The syntax tree of a file. */
struct cm_syntax {
    struct cm_syntax_unit *units; /* units in the order of the source */
    uint32_t unit_count;          /* number of units, interface bodies excluded */
    /* true if whole units may be missing in the tree, because they could not be read */
    bool is_incomplete;
    /* number of expressions and number of statements in the tree */
    uint32_t expression_count, statement_count;
    struct cm_arena *arena; /* arena that owns all nodes */
};

/* Frees the tree. Accepts NULL. */
CM_API void cm_syntax_destroy(struct cm_syntax *tree);

/* Returns the operator in lower case: "+", ".and.", "<=". */
CM_API const char *cm_operator_text(enum cm_operator op);
/* Returns the base type in lower case, such as "real". */
CM_API const char *cm_base_type_text(enum cm_base_type base);

CM_END_DECLS

#endif
