/*
 * The syntax tree of a CM Fortran program: what was written, in the order in which it was written,
 * each piece with its place. Nothing here is checked beyond the grammar: whether X(I) is an array
 * element, a function reference or a substring is known once the declarations are. All nodes live
 * in the tree's arena, and are valid until cm_syntax_destroy.
 *
 * Names and keywords are in lower case (Fortran knows no other difference), and each is stored
 * once: two names are the same when their pointers are. Every expression and every statement has a
 * number of its own, so that later stages can keep what they find in arrays.
 */
#ifndef CM_FORTRAN_SYNTAX_H
#define CM_FORTRAN_SYNTAX_H

#include "../../programs/system/geometry.h"
#include "place.h"

#include <stdbool.h>
#include <stdint.h>

CM_BEGIN_DECLS

/* ---- Expressions ---- */

/* What an expression is, and which members it has. */
enum cm_expression_kind {
    CM_EXPRESSION_INTEGER,     /* integer: 12, 12_8 */
    CM_EXPRESSION_REAL,        /* real: 1.5, 1D0, 1.0_8 */
    CM_EXPRESSION_COMPLEX,     /* pair: (1.0, -2.0) of constants */
    CM_EXPRESSION_LOGICAL,     /* logical: .TRUE. */
    CM_EXPRESSION_STRING,      /* string: 'text' */
    CM_EXPRESSION_NAME,        /* name */
    CM_EXPRESSION_CALL,        /* call: NAME(arguments): element, section or function reference */
    CM_EXPRESSION_SUBSTRING,   /* substring: C(2:3), behind an element too: only character strings;
                                  C(2:3) itself is a CALL whose argument is a RANGE */
    CM_EXPRESSION_UNARY,       /* op, operand in right */
    CM_EXPRESSION_BINARY,      /* op, left and right */
    CM_EXPRESSION_PARENTHESES, /* right: (x); its operations are not regrouped */
    CM_EXPRESSION_RANGE,       /* range: lower:upper:stride, a subscript or in a constructor */
    CM_EXPRESSION_CONSTRUCTOR, /* items: [1, 2] or (/ 1, 2 /) */
    CM_EXPRESSION_IMPLIED_DO,  /* loop: (items, I = 1, N): in constructors, DATA and input/output */
    CM_EXPRESSION_REPEAT,      /* repeat: 3*0.0 in DATA; 3[1, 2] in a constructor */
};

/* Operators of UNARY and BINARY. */
enum cm_operator {
    CM_OPERATOR_NONE,
    CM_OPERATOR_PLUS,  /* + and - with one operand too */
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

/* Limits, so that a tree may be walked by recursion; a program beyond them is refused. */
#define CM_EXPRESSION_MAX_DEPTH 1000u
#define CM_CONSTRUCT_MAX_DEPTH  100u

struct cm_syntax_expression;

/* An actual argument, a subscript, or an entry of a list. */
struct cm_syntax_argument {
    struct cm_syntax_argument *next;    /* behind it in the list; NULL: the last */
    const char *keyword;                /* DIM=1; NULL without one */
    struct cm_source_place place;       /* of its first character */
    struct cm_syntax_expression *value; /* never NULL */
};

/* A list of arguments, subscripts or values. */
struct cm_syntax_arguments {
    struct cm_syntax_argument *first; /* NULL: empty */
    uint32_t count;                   /* how many */
};

/* An expression; `kind` says which members count. */
struct cm_syntax_expression {
    enum cm_expression_kind kind; /* what it is */
    enum cm_operator op;          /* UNARY, BINARY */
    uint32_t number;              /* below cm_syntax.expression_count */
    uint32_t depth;               /* levels of expressions below; at most CM_EXPRESSION_MAX_DEPTH */
    struct cm_source_place place; /* of the first character; of BINARY the operator's */
    /* the parameter of a constant: 8 of 1.0_8; 0 when it has none */
    uint32_t kind_value;
    const char *kind_name;                     /* of 1.0_DP; NULL when it has none */
    struct cm_syntax_expression *left, *right; /* operands; UNARY has left alone */
    union {
        uint64_t integer; /* INTEGER: the magnitude */
        struct {
            const char *digits; /* for strtod: "1.5e3", whatever the exponent's letter */
            bool is_double;     /* the letter was D */
        } real;
        struct {
            struct cm_syntax_expression *real, *imaginary;
        } pair;
        bool logical;
        struct {
            const char *bytes; /* NUL-terminated; quotes are single */
            uint32_t length;
        } string;
        const char *name;
        struct {
            const char *name;
            struct cm_syntax_arguments arguments;
        } call;
        struct {
            struct cm_syntax_expression *of;
            struct cm_syntax_expression *range; /* a RANGE */
        } substring;
        struct {
            struct cm_syntax_expression *lower, *upper, *stride; /* NULL: left out */
        } range;
        struct cm_syntax_arguments items; /* without keywords */
        struct {
            struct cm_syntax_arguments items;
            const char *variable;
            struct cm_source_place variable_place;
            struct cm_syntax_expression *first, *last, *step; /* step NULL: left out */
        } loop;
        struct {
            struct cm_syntax_expression *count; /* a constant or a name in DATA */
            struct cm_syntax_expression *value; /* a CONSTRUCTOR in a constructor */
        } repeat;
    };
};

/* ---- Declarations ---- */

/* The types of the language. */
enum cm_base_type {
    CM_BASE_INTEGER,
    CM_BASE_REAL,
    CM_BASE_COMPLEX,
    CM_BASE_LOGICAL,
    CM_BASE_CHARACTER,
};

/* REAL, REAL*8, REAL(8), REAL(KIND=8), DOUBLE PRECISION (REAL of 8), DOUBLE COMPLEX (of 16). */
struct cm_syntax_type {
    enum cm_base_type base;              /* the type without its length */
    struct cm_source_place place;        /* of its first word */
    uint32_t bytes;                      /* behind the *: of all parts of a COMPLEX; 0: not given */
    struct cm_syntax_expression *kind;   /* KIND=; NULL: not given */
    struct cm_syntax_expression *length; /* CHARACTER*n, LEN=; NULL: not given, or * */
    bool any_length;                     /* CHARACTER*(*) */
};

/* How a bound of an array is written. */
enum cm_bound_kind {
    CM_BOUND_EXPLICIT, /* lower:upper */
    CM_BOUND_DEFERRED, /* : (allocatable, or a dummy argument of assumed shape), lower: */
    CM_BOUND_ASSUMED,  /* * as the last of a dummy argument */
};

/* The bounds of one axis. */
struct cm_syntax_bound {
    struct cm_syntax_bound *next;       /* of the next axis; NULL: the last */
    enum cm_bound_kind kind;            /* how it is given */
    struct cm_source_place place;       /* of its first character */
    struct cm_syntax_expression *lower; /* NULL: 1 */
    struct cm_syntax_expression *upper; /* of EXPLICIT */
};

/* The bounds of an array, in the order of its axes. */
struct cm_syntax_shape {
    struct cm_syntax_bound *first; /* NULL, and count 0: not given */
    uint32_t count;                /* of the axes */
};

/* A name that a declaration lists, with what is written behind it. */
struct cm_syntax_entity {
    struct cm_syntax_entity *next;       /* behind it in the list; NULL: the last */
    const char *name;                    /* in lower case */
    struct cm_source_place place;        /* of its name */
    bool is_block;                       /* SAVE /NAME/: a COMMON block */
    uint32_t bytes;                      /* REAL X*8; 0: not given */
    struct cm_syntax_shape shape;        /* X(10) */
    struct cm_syntax_expression *length; /* CHARACTER C*8 */
    bool any_length;                     /* CHARACTER C*(*) */
    struct cm_syntax_expression *value;  /* PARAMETER (X = 1), REAL :: X = 1 */
    /* REAL X /1.0/: the values between the slashes, as in DATA */
    struct cm_syntax_arguments data;
};

/* A list of declared names. */
struct cm_syntax_entities {
    struct cm_syntax_entity *first; /* NULL: empty */
    uint32_t count;                 /* how many */
};

/* Attributes, as bits. */
enum {
    CM_ATTRIBUTE_PARAMETER = 1,
    CM_ATTRIBUTE_ALLOCATABLE = 2,
    CM_ATTRIBUTE_SAVE = 4,
    CM_ATTRIBUTE_EXTERNAL = 8,
    CM_ATTRIBUTE_INTRINSIC = 16,
    CM_ATTRIBUTE_OPTIONAL = 32,
    CM_ATTRIBUTE_IN = 64,   /* INTENT(IN) */
    CM_ATTRIBUTE_OUT = 128, /* INTENT(OUT); both bits: INTENT(INOUT) */
};

/* COMMON /NAME/ A, B(10) */
struct cm_syntax_common {
    struct cm_syntax_common *next;      /* the next block of the statement; NULL: the last */
    const char *name;                   /* "" for blank COMMON */
    struct cm_source_place place;       /* of its name */
    struct cm_syntax_entities entities; /* its variables in their order */
};

/* DATA objects / values /: values may be REPEAT. */
struct cm_syntax_data {
    struct cm_syntax_data *next;                /* the next pair of lists; NULL: the last */
    struct cm_syntax_arguments objects, values; /* what is filled, and with what */
};

/* IMPLICIT REAL*8 (A-H, O-Z), a range of letters each. */
struct cm_syntax_implicit {
    struct cm_syntax_implicit *next; /* the next range; NULL: the last */
    struct cm_syntax_type type;      /* of names that begin with these letters */
    char from, to;                   /* lower case */
};

/* CMF$ LAYOUT A(:NEWS, 2:SERIAL) */

/* An axis of a LAYOUT directive. */
struct cm_syntax_axis {
    struct cm_syntax_axis *next;         /* the next axis; NULL: the last */
    struct cm_source_place place;        /* of its first character */
    enum cm_order order;                 /* NEWS when only : is there */
    struct cm_syntax_expression *weight; /* NULL: not given */
};

/* A LAYOUT directive for one array. */
struct cm_syntax_layout {
    struct cm_syntax_layout *next; /* the next array; NULL: the last */
    const char *name;              /* of the array */
    struct cm_source_place place;  /* of its name */
    struct cm_syntax_axis *axes;   /* the first of them */
    uint32_t axis_count;           /* how many */
};

/* ---- Statements ---- */

/* What a statement is, and which members it has. */
enum cm_statement_kind {
    /* declarations */
    CM_STATEMENT_TYPE,        /* declare: type and attributes are of this kind alone */
    CM_STATEMENT_DIMENSION,   /* declare.entities, as for the next; ARRAY A(10) too */
    CM_STATEMENT_ALLOCATABLE, /* */
    CM_STATEMENT_PARAMETER,   /* */
    CM_STATEMENT_SAVE,        /* without entities: all */
    CM_STATEMENT_EXTERNAL,    /* */
    CM_STATEMENT_INTRINSIC,   /* */
    CM_STATEMENT_OPTIONAL,    /* */
    CM_STATEMENT_INTENT,      /* declare.attributes says which */
    CM_STATEMENT_COMMON,      /* common */
    CM_STATEMENT_DATA,        /* data; may be among the executable statements */
    CM_STATEMENT_IMPLICIT,    /* implicit */
    CM_STATEMENT_FUNCTION,    /* function: a statement function */
    CM_STATEMENT_INTERFACE,   /* interface */
    CM_STATEMENT_FORMAT,      /* format; may be anywhere */
    /* directives */
    CM_STATEMENT_LAYOUT,     /* layout */
    CM_STATEMENT_ALIGN,      /* align */
    CM_STATEMENT_CMF_COMMON, /* cmf_common */
    /* executable */
    CM_STATEMENT_ASSIGNMENT,    /* assignment */
    CM_STATEMENT_CALL,          /* call */
    CM_STATEMENT_IF,            /* branch: IF (..) THEN, and IF (..) statement */
    CM_STATEMENT_ARITHMETIC_IF, /* arithmetic */
    CM_STATEMENT_SELECT,        /* select */
    CM_STATEMENT_DO,            /* loop */
    CM_STATEMENT_WHERE,         /* branch: WHERE (..), ELSEWHERE; WHERE (..) statement */
    CM_STATEMENT_FORALL,        /* forall */
    CM_STATEMENT_GOTO,          /* jump: one label, or several and a selector */
    CM_STATEMENT_CONTINUE,      /* */
    CM_STATEMENT_CYCLE,         /* construct: the loop's name, NULL: the innermost */
    CM_STATEMENT_EXIT,          /* construct */
    CM_STATEMENT_RETURN,        /* */
    CM_STATEMENT_STOP,          /* stop: NULL, or a constant */
    CM_STATEMENT_PRINT,         /* print: PRINT f, items */
    CM_STATEMENT_WRITE,         /* print: WRITE (u, f) items */
    CM_STATEMENT_ALLOCATE,      /* allocate */
    CM_STATEMENT_DEALLOCATE,    /* allocate */
};

struct cm_syntax_statement;
struct cm_syntax_unit;

/* Statements in their order. */
struct cm_syntax_block {
    struct cm_syntax_statement *first, *last; /* NULL when it is empty */
};

/* IF and WHERE: a condition with what follows it; ELSE IF, ELSE, ELSEWHERE. */
struct cm_syntax_branch {
    struct cm_syntax_branch *next;          /* the next branch; NULL: the last */
    struct cm_source_place place;           /* of the IF, ELSE IF, ELSE, WHERE, ELSEWHERE */
    struct cm_syntax_expression *condition; /* NULL: ELSE, ELSEWHERE */
    struct cm_syntax_block block;           /* what it runs */
};

/* CASE (values); each value is a RANGE without stride, or a constant. */
struct cm_syntax_case {
    struct cm_syntax_case *next;       /* the next CASE; NULL: the last */
    struct cm_source_place place;      /* of the CASE */
    bool is_default;                   /* CASE DEFAULT */
    struct cm_syntax_arguments values; /* that it is for */
    struct cm_syntax_block block;      /* what it runs */
};

/* I = first:last:step of a FORALL. */
struct cm_syntax_index {
    struct cm_syntax_index *next;                     /* the next index; NULL: the last */
    const char *name;                                 /* of the index */
    struct cm_source_place place;                     /* of the name */
    struct cm_syntax_expression *first, *last, *step; /* step NULL: left out */
};

/* A label in a list, as of GO TO. */
struct cm_syntax_label {
    struct cm_syntax_label *next; /* behind it in the list; NULL: the last */
    struct cm_source_place place; /* of its first digit */
    uint32_t label;               /* 1..99999 */
};

/* DO with an index, DO WHILE, DO without either. */
enum cm_loop_kind { CM_LOOP_COUNTED, CM_LOOP_WHILE, CM_LOOP_ENDLESS };

/* How input or output is formatted: not at all, *, a label, a string. */
enum cm_format_kind { CM_FORMAT_NONE, CM_FORMAT_LIST, CM_FORMAT_LABEL, CM_FORMAT_EXPRESSION };

/* A statement; `kind` says which members count. */
struct cm_syntax_statement {
    struct cm_syntax_statement *next; /* behind it in the block; NULL: the last */
    enum cm_statement_kind kind;      /* what it is */
    uint32_t label;                   /* 1..99999; 0: none */
    uint32_t number;                  /* below cm_syntax.statement_count */
    struct cm_source_place place;     /* of the first character behind the label */
    struct cm_source_place end;       /* of the END of a construct; else as place */
    const char *construct; /* the name of a construct, or what CYCLE and EXIT name; or NULL */
    uint32_t end_label;    /* the label of the END; 0: none */
    bool is_single;        /* IF, WHERE, FORALL with one statement on the same line */
    union {
        struct {
            struct cm_syntax_type type;
            uint32_t attributes;
            struct cm_syntax_shape shape; /* ARRAY(..), DIMENSION(..) before the :: */
            struct cm_syntax_entities entities;
        } declare;
        struct cm_syntax_common *common;
        struct cm_syntax_data *data;
        struct {
            bool none; /* IMPLICIT NONE */
            struct cm_syntax_implicit *first;
        } implicit;
        struct {
            const char *name;
            struct cm_syntax_entities arguments;
            struct cm_syntax_expression *value;
        } function;
        struct {
            const char *name; /* a generic name; NULL: none */
            struct cm_syntax_unit *units;
        } interface;
        struct cm_syntax_expression *format; /* a STRING: "(1X, I5)", with its parentheses */
        struct cm_syntax_layout *layout;
        struct {
            struct cm_syntax_expression *array, *with; /* CALLs */
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
        } call;
        struct cm_syntax_branch *branch;
        struct {
            struct cm_syntax_expression *value;
            uint32_t labels[3]; /* below, at and above 0 */
        } arithmetic;
        struct {
            struct cm_syntax_expression *value;
            struct cm_syntax_case *cases;
        } select;
        struct {
            enum cm_loop_kind kind;
            /* DO 10 ..: the last statement of the block has it; several loops may share it, and
             * then it is in the innermost. 0: END DO. */
            uint32_t label;
            bool ends_with_do; /* with END DO, which may have the label itself */
            const char *variable;
            struct cm_source_place variable_place;
            struct cm_syntax_expression *first, *last, *step; /* step NULL: left out */
            struct cm_syntax_expression *condition;           /* of WHILE */
            struct cm_syntax_block block;
        } loop;
        struct {
            struct cm_syntax_index *indices;
            struct cm_syntax_expression *mask; /* NULL: none */
            struct cm_syntax_block block;
        } forall;
        struct {
            struct cm_syntax_label *labels;
            struct cm_syntax_expression *selector; /* NULL: not computed */
        } jump;
        struct cm_syntax_expression *stop;
        struct {
            struct cm_syntax_expression *unit; /* NULL: * */
            enum cm_format_kind format_kind;
            uint32_t format_label;
            struct cm_syntax_expression *format;
            struct cm_syntax_arguments items;
            bool keep_line; /* ADVANCE='NO' */
        } print;
        struct {
            struct cm_syntax_arguments objects; /* NAME (DEALLOCATE) or CALL, with RANGEs */
            struct cm_syntax_expression *stat;  /* NULL: none */
        } allocate;
    };
};

/* ---- Program units ---- */

/* The kinds of program units. */
enum cm_unit_kind { CM_UNIT_PROGRAM, CM_UNIT_SUBROUTINE, CM_UNIT_FUNCTION, CM_UNIT_BLOCK_DATA };

/* A program unit, with the units that it contains. */
struct cm_syntax_unit {
    struct cm_syntax_unit *next; /* the next one on its level; NULL: the last */
    enum cm_unit_kind kind;      /* what it is */
    const char *name;            /* "" for a main program or BLOCK DATA without a name */
    struct cm_source_place
        place; /* of its first statement; name_place is as place without a name */
    struct cm_source_place name_place; /* of its name */
    struct cm_source_place end;        /* of its END statement */
    uint32_t end_label;                /* the label of END; 0: none */
    bool has_type;                     /* REAL FUNCTION F */
    bool is_recursive;                 /* RECURSIVE */
    bool is_broken;                    /* something in it could not be read, and is missing here */
    struct cm_syntax_type type;        /* of a function, when has_type */
    const char *result;                /* RESULT(R); NULL: as name */
    struct cm_syntax_entities arguments; /* its dummy arguments */
    struct cm_syntax_block block;        /* its statements */
};

struct cm_arena;

/* The tree of a file; cm_syntax_finish frees all of it. */
struct cm_syntax {
    struct cm_syntax_unit *units; /* in the order of the source */
    uint32_t unit_count;          /* of the file's level, those they contain left out */
    bool is_incomplete;           /* there may be units that could not be read at all */
    uint32_t expression_count, statement_count; /* numbers given */
    struct cm_arena *arena;                     /* has all memory of the tree */
};

/* Frees the tree; NULL is taken. */
CM_API void cm_syntax_destroy(struct cm_syntax *tree);

/* The operator as it is written: "+", ".and."; "<=" as "<=". */
CM_API const char *cm_operator_text(enum cm_operator op);
/* The base type as it is written: "real". */
CM_API const char *cm_base_type_text(enum cm_base_type base);

CM_END_DECLS

#endif
