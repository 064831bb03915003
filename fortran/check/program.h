/*
 * This header declares a checked CM Fortran program, which fortran/check makes of a syntax tree and
 * fortran/run executes. Names are resolved, every expression has its type and rank, conversions are
 * expressions, and control flow is jumps between numbered statements. The program's arena owns all
 * parts of the program. This header is not installed.
 */
#ifndef CM_FORTRAN_PROGRAM_H
#define CM_FORTRAN_PROGRAM_H

#include "../../programs/system/scalar.h"
#include "../../programs/system/system.h"
#include "../source/parse.h"

/* Types of expressions: enum cm_type, where INTEGER is CM_TYPE_INT32, and two further types. */
enum { CM_FORTRAN_CHARACTER = CM_TYPE_COUNT, CM_FORTRAN_NO_TYPE };

/* Characters of a CHARACTER value, in the front end. The use of the struct decides who owns the
 * bytes. */
struct cm_fortran_text {
    char *bytes;
    uint32_t length;
};

/* Compares two texts by character codes. The shorter text counts as padded with blanks. Returns -1,
 * 0 or 1. */
int cm_fortran_text_compare(const struct cm_fortran_text *a, const struct cm_fortran_text *b);

/* A scalar value in the front end. Its type decides which member is valid. A LOGICAL value is 0 or
 * 1. */
union cm_fortran_value {
    struct cm_fortran_text text; /* characters of a CHARACTER variable */
    int32_t integer;
    uint8_t logical;
    float real;
    double real64;
    float complex[2];
    double complex128[2];
};

/* Kind of an expression. Operands are in `args`. The comment of a kind names the other members of
 * struct cm_fortran_expression that it uses. */
enum cm_fortran_kind {
    CM_FORTRAN_CONSTANT, /* `value` */
    CM_FORTRAN_TEXT,     /* `text`, `text_length`: a character constant */
    CM_FORTRAN_VARIABLE, /* `variable`: a scalar, or a whole array */
    CM_FORTRAN_ELEMENT,  /* `variable`, args: an int32 scalar subscript for each dimension */
    /* `variable`, args: for each dimension an int32 scalar, an int32 vector or a TRIPLET */
    CM_FORTRAN_SECTION,
    /* args: first, last, stride. NULL stands for the bounds of the array and for stride 1 */
    CM_FORTRAN_TRIPLET,
    /* args: the values in order, which are scalars, arrays and IMPLIED_DO, converted to the
     * constructor's type. The rank is 1 */
    CM_FORTRAN_CONSTRUCTOR,
    /* implied DO loop. `variable`, args: first, last, step or NULL, and then the values */
    CM_FORTRAN_IMPLIED_DO,
    /* `op`, one or two args of the same type. The operation is elementwise. A scalar operand is
     * combined with every element. POWER may have an int32 exponent */
    CM_FORTRAN_OPERATION,
    CM_FORTRAN_CONVERT, /* conversion to `type`, which truncates to an integer */
    /* call of `intrinsic`, args in the order of intrinsics.def, NULL if absent */
    CM_FORTRAN_INTRINSIC,
    /* call of the function `unit`, or of the dummy procedure `variable`. args: the actual
     * arguments, NULL if left out */
    CM_FORTRAN_CALL,
    CM_FORTRAN_LIBRARY, /* call of `library`, a function of library.def */
    /* substring of `variable` or of `text`. args: numbers of the first and last character, or NULL,
     * and the ELEMENT whose substring it is, or NULL */
    CM_FORTRAN_SUBSTRING,
    /* actual argument that is a procedure: `unit`, or a dummy procedure `variable` of the caller */
    CM_FORTRAN_PROCEDURE,
    CM_FORTRAN_INDEX, /* value of index number `number` of the enclosing FORALL */
    /* look-up in an array whose subscripts depend on data, made at run time only. `variable`, args:
     * for each dimension an int32 scalar, an int32 array of the expression's shape, or a TRIPLET
     * along dimension `number` of the shape */
    CM_FORTRAN_LOOKUP,
};

enum cm_fortran_op {
    CM_FORTRAN_ADD,
    CM_FORTRAN_SUBTRACT,
    CM_FORTRAN_MULTIPLY,
    CM_FORTRAN_DIVIDE,
    CM_FORTRAN_POWER,
    CM_FORTRAN_NEGATE,
    CM_FORTRAN_EQ, /* comparisons, with a LOGICAL result */
    CM_FORTRAN_NE,
    CM_FORTRAN_LT,
    CM_FORTRAN_LE,
    CM_FORTRAN_GT,
    CM_FORTRAN_GE,
    CM_FORTRAN_NOT, /* operators of LOGICAL values */
    CM_FORTRAN_AND,
    CM_FORTRAN_OR,
    CM_FORTRAN_EQV,
    CM_FORTRAN_NEQV,
    CM_FORTRAN_CONCATENATE, /* operator of texts */
};

/* Sets of types in the columns `takes`, `folds` and `lowers` of intrinsics.def: I is INTEGER, R is
 * REAL and DOUBLE PRECISION, C is COMPLEX of both precisions, and L is LOGICAL. */
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

/* The routines of the machine's libraries, one for each row of library.def. */
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
    uint8_t rank; /* rank, 0 for a scalar */
    /* true for a constant whose bits are assigned, such as Z'FF', or 4HTEXT as a TEXT */
    bool is_bits;
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

/* Lower and upper bound of an array dimension. */
struct cm_fortran_bound {
    struct cm_fortran_expression *lower; /* lower bound, or NULL for 1 */
    /* upper bound, or NULL if the actual argument or ALLOCATE decides */
    struct cm_fortran_expression *upper;
};

enum cm_fortran_storage {
    CM_FORTRAN_LOCAL, /* variable that is made at each call */
    /* variable that is made once: SAVE, DATA, COMMON, and all variables of the main program */
    CM_FORTRAN_STATIC,
    CM_FORTRAN_DUMMY,  /* argument number `slot` of the unit */
    CM_FORTRAN_RESULT, /* result of the function, with a slot among the local variables */
};

/* An initial value of one element, or of consecutive elements, of a variable. */
struct cm_fortran_initial {
    uint64_t first, count; /* first element in Fortran order, from 0, and number of elements */
    union cm_fortran_value value;
};

struct cm_fortran_variable {
    const char *name; /* name in lower case */
    uint8_t type;
    uint8_t rank; /* rank, 0 for a scalar */
    /* Length of a CHARACTER in characters. -1 if the actual argument or the assigned value
     * decides. */
    int32_t length;
    bool allocatable;
    bool is_constant;  /* true for an array that is a PARAMETER */
    bool is_optional;  /* true for an argument that a call may leave out */
    bool is_procedure; /* true for a dummy procedure */
    /* true for a variable of the main program that is not in COMMON */
    bool is_of_main;
    const struct cm_fortran_unit **targets; /* units that may be passed for the dummy procedure */
    uint32_t target_count;
    bool assumed_size; /* true if the last upper bound is `*` */
    /* true for an array on the machine, false for one in the front end. For a dummy argument, the
     * actual argument decides */
    bool on_machine;
    enum cm_fortran_storage storage;
    /* index of the variable in the unit's locals, in its arguments, or in the program's statics */
    uint32_t slot;
    struct cm_fortran_bound bounds[CM_RANK_MAX];
    /* axis orders that CMF$ LAYOUT gives, NEWS without a directive */
    enum cm_order orders[CM_RANK_MAX];
    uint32_t weights[CM_RANK_MAX];
    struct cm_fortran_initial *initials;
    uint32_t initial_count;
    struct cm_source_place place;
};

/* Kind of a statement. A jump names the number of a statement of the same unit. */
enum cm_fortran_statement_kind {
    CM_FORTRAN_ASSIGN,    /* target = value, under the masks of the enclosing WHERE blocks */
    CM_FORTRAN_WHERE,     /* value: the mask. WHERE blocks nest */
    CM_FORTRAN_ELSEWHERE, /* value: a further mask, or NULL */
    CM_FORTRAN_END_WHERE,
    CM_FORTRAN_FORALL, /* forall */
    CM_FORTRAN_JUMP,   /* jump to `to` */
    CM_FORTRAN_UNLESS, /* jump to `to` if value is false */
    /* arithmetic IF: jump to targets[0], [1] or [2] if value is < 0, 0 or > 0 */
    CM_FORTRAN_SIGN_JUMP,
    /* computed GOTO: jump to targets[value - 1], if there are so many targets */
    CM_FORTRAN_CASE_JUMP,
    /* begins DO loop number `slot`, or jumps to `to` if the loop has no iteration. args: variable,
     * first, last, step (NULL for 1), all of the variable's type */
    CM_FORTRAN_DO,
    /* end of DO loop number `slot`: jumps to `to`, the statement after the DO, unless the loop has
     * no further iteration */
    CM_FORTRAN_DO_NEXT,
    /* call of `unit`, or of the dummy procedure `procedure`, with args. targets: where alternate
     * returns continue */
    CM_FORTRAN_CALL_UNIT,
    CM_FORTRAN_CALL_LIBRARY, /* call of `library`, a subroutine of library.def, with args */
    CM_FORTRAN_RETURN,       /* value: the number of an alternate return, or NULL */
    CM_FORTRAN_NO_LABEL,     /* fault of an assigned GO TO. value: its variable */
    CM_FORTRAN_STOP,         /* value: exit code or text, or NULL. `is_error`, `is_silent` */
    CM_FORTRAN_PAUSE,        /* value */
    /* input or output. `io`, `format` (a constant format), args: the items, among them IMPLIED_DO.
     * targets: the statements of ERR, END and EOR */
    CM_FORTRAN_IO,
    CM_FORTRAN_ALLOCATE,   /* args: sections whose triplets are the bounds of the arrays */
    CM_FORTRAN_DEALLOCATE, /* args: variables */
};

/* Statements of input and output, as bits. PRINT is a WRITE. */
enum cm_io_statement {
    CM_IO_READ = 1,
    CM_IO_WRITE = 2,
    CM_IO_OPEN = 4,
    CM_IO_CLOSE = 8,
    CM_IO_INQUIRE = 16,
    CM_IO_REWIND = 32,
    CM_IO_BACKSPACE = 64,
    CM_IO_ENDFILE = 128,
    CM_IO_ALL = 255,
    CM_IO_TRANSFER = CM_IO_READ | CM_IO_WRITE,
    CM_IO_OPEN_OR_CLOSE = CM_IO_OPEN | CM_IO_CLOSE,
    CM_IO_OPEN_OR_INQUIRE = CM_IO_OPEN | CM_IO_INQUIRE,
};

/* The specifiers, one for each row of io.def. The labels ERR, END and EOR are the first ones. */
enum cm_io_specifier {
#define CM_IO(symbol, keyword, statements, kind) CM_IO_##symbol,
#include "io.def"
#undef CM_IO
    CM_IO_COUNT
};

/* A statement of input or output. */
struct cm_fortran_io {
    enum cm_io_statement statement;
    /* unit: an int32 scalar, a CHARACTER variable for an internal file, or NULL for `*` */
    struct cm_fortran_expression *unit;
    struct cm_fortran_expression *format; /* format that is not constant, or NULL */
    bool is_unformatted;
    const char *group; /* name of a NAMELIST, whose variables are the items, or NULL */
    uint32_t jumps;    /* bit mask of the specifiers ERR, END and EOR that are given */
    struct cm_fortran_expression *values[CM_IO_COUNT]; /* the other specifiers, or NULL */
};

/* A statement FORALL (i = first:last:stride, ..., mask), with its assignments. */
struct cm_fortran_forall {
    uint32_t indices;
    struct cm_fortran_expression *triplets[CM_RANK_MAX];
    struct cm_fortran_expression *mask; /* mask, or NULL */
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
    const struct cm_fortran_variable *procedure; /* a dummy procedure */
    enum cm_fortran_library library;
    bool is_error;  /* true for ERROR STOP */
    bool is_silent; /* true for CALL EXIT, which prints nothing */
    const struct cm_fortran_io *io;
    const char *format; /* text between the parentheses of a constant format, or NULL */
    struct cm_fortran_forall *forall;
};

struct cm_fortran_unit {
    const char *name; /* name in lower case, "main" without PROGRAM */
    struct cm_source_place place;
    bool is_function;
    /* true for an ENTRY. Its statements and variables are those of its unit */
    bool is_entry;
    uint32_t first; /* number of the statement at which a call begins */
    uint32_t slots; /* number of slots of dummy arguments, with those of all ENTRYs */
    /* dummy arguments in order, with storage DUMMY. Their slots differ from their order in an
     * ENTRY */
    struct cm_fortran_variable **arguments;
    uint32_t argument_count;
    struct cm_fortran_variable *result;     /* result of a function */
    struct cm_fortran_variable **variables; /* all variables of the unit, COMMON included */
    uint32_t variable_count;
    uint32_t locals; /* number of slots of LOCAL and RESULT variables */
    uint32_t loops;  /* number of DO loops */
    struct cm_fortran_statement *statements;
    uint32_t statement_count; /* number of statements. The last statement is RETURN or STOP */
};

struct cm_fortran_program {
    /* files of the program, which belong to the caller and outlive the program */
    const struct cm_source *source;
    struct cm_fortran_unit **units;
    uint32_t unit_count;
    const struct cm_fortran_unit *main; /* main program, or NULL */
    /* static variables, indexed by slot. A member of a COMMON block has one entry for all units */
    struct cm_fortran_variable **statics;
    uint32_t static_count;
    struct cm_arena *arena;
};

struct cm_syntax;

/* Options of the check of a program by fortran/check. */
struct cm_fortran_options {
    /* order of the arguments of CSHIFT and EOSHIFT without keywords */
    enum cm_shift_order shift_order;
    /* Values of PARAMETERs of the main program, which replace the values in the source. */
    const struct cm_fortran_parameter {
        const char *name;
        double value;
        bool is_logical; /* true if the constant is a LOGICAL, and the value is 0 or 1 */
    } * parameters;
    uint32_t parameter_count;
    /* NULL, or an array that receives the checked expression of each syntax expression, indexed by
     * cm_syntax_expression.number. The entry is NULL if there is no checked expression. For a
     * syntax expression in a statement function, the entry is that of the last reference to the
     * function. */
    const struct cm_fortran_expression **expressions;
};

/*
 * Checks a syntax tree, and returns the checked program, which does not need the tree. All faults
 * are added to `messages`, sorted by place with the faults of cm_syntax_parse(). Returns NULL if
 * there is a fault, or if memory is exhausted. Then messages->status is CM_BAD_INPUT or
 * CM_NO_MEMORY.
 */
struct cm_fortran_program *cm_fortran_check(const struct cm_syntax *tree,
                                            const struct cm_source *source,
                                            const struct cm_fortran_options *options,
                                            struct cm_messages *messages);
/* Frees the program. Accepts NULL. */
void cm_fortran_program_destroy(struct cm_fortran_program *program);

/* These functions return the name of an intrinsic function (intrinsics.def), of a library routine
 * (library.def), and of a type, such as "DOUBLE PRECISION". */
const char *cm_fortran_intrinsic_name(enum cm_fortran_intrinsic intrinsic);
const char *cm_fortran_library_name(enum cm_fortran_library library);
const char *cm_fortran_type_text(uint32_t type);

#endif
