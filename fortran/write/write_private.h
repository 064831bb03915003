/* Declarations that the files of the writer share. Internal to the library. */
#ifndef CM_FORTRAN_WRITE_PRIVATE_H
#define CM_FORTRAN_WRITE_PRIVATE_H

#include "write.h"

struct cm_writer;

/* Functions of a caller that writes some expressions in another way. The library itself installs
 * none. The tests of the evaluation order write calls of their own modules with them
 * (tests/fortran/order). */
struct cm_writer_hooks {
    /* Called before an executable statement is written. */
    void (*statement)(struct cm_writer *w, const struct cm_syntax_statement *s);
    /* Called before the condition of IF, or the mask of WHERE or FORALL `s`, is written. */
    void (*condition)(struct cm_writer *w, const struct cm_syntax_statement *s,
                      const struct cm_syntax_expression *condition);
    /* Writes an expression. It may call cm_put_plain() for the ordinary text. */
    void (*expression)(struct cm_writer *w, const struct cm_syntax_expression *e);
    /* Writes the USE statements of the unit, after its other statements are known. */
    void (*uses)(struct cm_writer *w);
};

struct cm_writer {
    const struct cm_syntax *tree;
    const struct cm_source *source;
    struct cm_messages *messages;
    struct cm_write_options options;
    struct cm_buffer text;
    size_t line;       /* offset of the beginning of the current line in `text` */
    bool is_directive; /* true if the current line is a directive */
    uint32_t indent;   /* indentation of statements, in columns */
    uint32_t loops;    /* number of open implied DO loops that replace ranges */
    /* State of the current unit. */
    const struct cm_syntax_unit *unit;
    uint32_t indices; /* number of variables for such loops in the unit */
    /* true if the unit uses names of the machine's libraries */
    bool needs_library;
    bool has_library;                    /* true if any unit does */
    bool has_made;                       /* true if the program uses REPLICATE or DIAGONAL */
    bool has_table;                      /* true if the program calls CMF_AREF_1D or CMF_ASET_1D */
    const struct cm_writer_hooks *hooks; /* hooks, or NULL */
    void *context;                       /* data of the hooks */
};

/* write.c: text of a line. A word that does not fit begins a continuation line. */
void cm_put(struct cm_writer *w, const char *word);
void cm_put_bytes(struct cm_writer *w, const char *bytes, size_t length);
void cm_put_number(struct cm_writer *w, uint64_t number);
/* Writes a character constant, or other text that may be cut anywhere. */
void cm_put_long(struct cm_writer *w, const char *bytes, size_t length);
/* Begins a statement. Label 0 stands for no label. */
void cm_begin_line(struct cm_writer *w, uint32_t label);
void cm_end_line(struct cm_writer *w);
void cm_put_unit(struct cm_writer *w, const struct cm_syntax_unit *unit);
/* Appends the program of a writer whose tree, source, messages and options are set. A module of the
 * machine's libraries precedes the program if it uses them. */
enum cm_status cm_write_program(struct cm_writer *w, struct cm_buffer *text);

/* expression.c */
void cm_put_expression(struct cm_writer *w, const struct cm_syntax_expression *e);
/* Writes an expression without calling the hook for its outermost operation. */
void cm_put_plain(struct cm_writer *w, const struct cm_syntax_expression *e);
void cm_put_arguments(struct cm_writer *w, const struct cm_syntax_arguments *list);
void cm_put_string(struct cm_writer *w, const char *bytes, uint32_t length);

/* declare.c */
void cm_put_type(struct cm_writer *w, const struct cm_syntax_type *type, uint32_t bytes);
/* Writes a declaration or directive, on lines of its own. */
void cm_put_declaration(struct cm_writer *w, const struct cm_syntax_statement *s);

/* statement.c */
void cm_put_block(struct cm_writer *w, const struct cm_syntax_block *block);

/* library.c: replacements of the machine's libraries. */
/* Returns whether a name is a routine of the libraries, and no program unit has the name. Returns
 * false if a tree is written. */
bool cm_is_library_name(const struct cm_writer *w, const char *name);
/* Writes a CSHIFT or EOSHIFT with keywords. Returns false for a call of another function. */
bool cm_put_shift(struct cm_writer *w, const struct cm_syntax_expression *e);
/* Writes PSHIFT_SETUP without the arguments that the module does not need. Returns false for a call
 * of another function. */
bool cm_put_setup(struct cm_writer *w, const struct cm_syntax_expression *e);
/* Returns whether the statement is CALL PSHIFT, which cm_put_pshift() replaces by several
 * statements. */
bool cm_is_pshift(const struct cm_writer *w, const struct cm_syntax_statement *s);
void cm_put_pshift(struct cm_writer *w, const struct cm_syntax_statement *s);
/* Returns the name of a library routine or intrinsic in standard Fortran. */
const char *cm_standard_name(const struct cm_writer *w, const char *name);
/* Appends the module of the machine's libraries. `has_made` adds REPLICATE and DIAGONAL,
 * `has_table` CMF_AREF_1D and CMF_ASET_1D. */
void cm_library_module(bool has_made, bool has_table, struct cm_buffer *text);

/* table.c: writes a call of CMF_AREF_1D or CMF_ASET_1D. Returns false for other calls. */
bool cm_put_table(struct cm_writer *w, const struct cm_syntax_statement *s);
/* Text of these procedures, which take elements of any type as words. */
extern const char cm_table_procedures[];
/* Returns whether a call is REPLICATE or DIAGONAL. */
bool cm_is_made(const struct cm_writer *w, const char *name);

#endif
