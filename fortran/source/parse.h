/*
 * This header declares the entry points of the room fortran/source, which reads the text of a CM
 * Fortran program into a syntax tree.
 *
 * The text passes these stages. Each stage gets the next piece from the stage before it:
 *
 *   source.c      files of the program, built-in headers, INCLUDE
 *   physical.c    lines of a file: fixed or free form, comments, directives
 *   preprocess.c  #if, #define and macros
 *   lines.c       statements: continuation lines joined, with the place of each character
 *   lexer.c       words of a statement
 *   statements.c  the kind of a statement, with the parse_*.c, which make its nodes
 *
 * place.h defines places and messages, syntax.h the tree, arena.h the memory of the tree, and
 * parser.h the functions that the parser's files share. The checker (fortran/check) and the writer
 * (fortran/write) read the tree.
 *
 * Invariants: every node of the tree and every message has the place of its characters in the
 * original file, also behind macros and continuation lines. The parser reports at most one fault a
 * statement, and continues with the next statement. It never looks at declarations to decide what a
 * statement means, except for names with a shape (cm_is_shaped() in parser.h).
 */
#ifndef CM_FORTRAN_PARSE_H
#define CM_FORTRAN_PARSE_H

#include "../../base/file.h"
#include "syntax.h"

CM_BEGIN_DECLS

/* How the text of a program is read. */
struct cm_syntax_reader {
    /* Function that reads the files which INCLUDE and #include name, with the parameters of
     * cm_file_read(). The caller frees the text with free(). NULL: the files are read from disk. */
    enum cm_status (*read)(void *context, const char *path, char **text, size_t *length,
                           struct cm_error *err);
    void *context; /* first argument of the function */
    /* last column of a statement in fixed form, from CM_FORTRAN_LINE_LENGTH to
     * CM_FORTRAN_LINE_LENGTH_MAX. 0: CM_FORTRAN_LINE_LENGTH */
    uint32_t line_length;
};

/* Last column of statements in fixed form, unless an option sets another one. */
#define CM_FORTRAN_LINE_LENGTH 72u
/* Largest last column that the option can set. */
#define CM_FORTRAN_LINE_LENGTH_MAX 10000u

/* Length of the longest file that the parser accepts, in bytes. */
#define CM_FORTRAN_MAX_BYTES (16u * 1024u * 1024u)

/* File name suffixes of Fortran sources, as messages and help texts of commands list them. */
#define CM_FORTRAN_SUFFIXES ".fcm, .f, .for, .f90, .f95, .f03, .f08"

/* Returns whether a file name has one of CM_FORTRAN_SUFFIXES, in lower or upper case. */
CM_API bool cm_fortran_is_source_name(const char *name);

/* Order of the arguments of CSHIFT and EOSHIFT, if they have no keywords: which argument of
 * CSHIFT(A, 1, -1) is the dimension. */
enum cm_shift_order {
    /* order of Fortran 90 in .f90, .f95, .f03 and .f08 files, order of CM Fortran in other files */
    CM_SHIFT_ORDER_BY_SUFFIX,
    /* (array, dim, shift), as in the PSHIFT paper, and (array, dim, shift, boundary) for EOSHIFT */
    CM_SHIFT_ORDER_CM,
    CM_SHIFT_ORDER_F90, /* (array, shift, dim), and (array, shift, boundary, dim) for EOSHIFT */
};

/* Reads the name of an argument order, "cm" or "f90". A `name` of NULL stands for
 * CM_SHIFT_ORDER_BY_SUFFIX. Returns false for another name. */
CM_API bool cm_shift_order_read(const char *name, enum cm_shift_order *order);
/* Returns the argument order of a program: `order`, or the order that the suffix of its main file
 * implies if `order` is CM_SHIFT_ORDER_BY_SUFFIX. */
CM_API enum cm_shift_order cm_shift_order_of(enum cm_shift_order order,
                                             const struct cm_source *source);

/*
 * Parses a program. Its name decides the source form: free for .f90, .f95, .f03 and .f08, fixed
 * otherwise. A `reader` of NULL reads included files from disk,
 * and lines of the usual length.
 *
 * `messages` must be empty. Returns CM_BAD_INPUT if a message was added to them. Then *tree has the
 * program units that could be read, and marks units with faults as broken. cm_fortran_check()
 * accepts this tree to find further faults, but no other function does. *tree and *source are NULL
 * after CM_NO_MEMORY only. They belong to the caller.
 */
CM_API enum cm_status cm_syntax_parse(const struct cm_file_text *program,
                                      const struct cm_syntax_reader *reader,
                                      struct cm_source **source, struct cm_messages *messages,
                                      struct cm_syntax **tree);

/* Frees the files of a program, with their texts. Accepts NULL. */
CM_API void cm_source_destroy(struct cm_source *source);

CM_END_DECLS

#endif
