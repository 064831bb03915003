/* This header has the declarations that the files of the writer share. It is internal to the
 * library. */
#ifndef CM_FORTRAN_WRITE_PRIVATE_H
#define CM_FORTRAN_WRITE_PRIVATE_H

#include "write.h"

struct cm_writer;

/* Functions of a caller that writes some expressions in another way. The library itself installs no
 * such functions. The tests of the evaluation order use them to write calls of their own modules
 * (tests/fortran/order). */
struct cm_writer_hooks {
    /* Called before an executable statement is written. */
    void (*statement)(struct cm_writer *w, const struct cm_syntax_statement *s);
    /* Called before the condition of an IF, or the mask of a WHERE or FORALL, is written. `s` is
     * the statement that has it. */
    void (*condition)(struct cm_writer *w, const struct cm_syntax_statement *s,
                      const struct cm_syntax_expression *condition);
    /* Writes an expression. The function may call cm_put_plain() for the ordinary text. */
    void (*expression)(struct cm_writer *w, const struct cm_syntax_expression *e);
    /* Writes USE statements of the unit. Called when all other statements of the unit have been
     * written, because these decide what is used. */
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
    /* number of open implied DO loops that were made of ranges or repeat counts */
    uint32_t loops;
    bool is_data; /* true while values of DATA are written, where bits are constants alone */
    /* The next members are the state of the current unit. */
    const struct cm_syntax_unit *unit;
    uint32_t indices; /* number of variables that the unit needs for these implied DO loops */
    /* true if the unit uses names of the machine's libraries */
    bool needs_library;
    /* true if any unit uses names of the machine's libraries */
    bool has_library;
    bool has_made;                       /* true if the program uses REPLICATE or DIAGONAL */
    bool has_table;                      /* true if the program calls CMF_AREF_1D or CMF_ASET_1D */
    const struct cm_writer_hooks *hooks; /* hooks, or NULL */
    void *context;                       /* data of the hooks */
};

/* write.c: These functions append text to the current line. A word that does not fit begins a
 * continuation line. */
void cm_put(struct cm_writer *w, const char *word);
void cm_put_bytes(struct cm_writer *w, const char *bytes, size_t length);
void cm_put_number(struct cm_writer *w, uint64_t number);
/* Writes a character constant, or other text that may be divided between lines at any character. */
void cm_put_long(struct cm_writer *w, const char *bytes, size_t length);
/* Begins a statement. Label 0 stands for no label. */
void cm_begin_line(struct cm_writer *w, uint32_t label);
void cm_end_line(struct cm_writer *w);
void cm_put_unit(struct cm_writer *w, const struct cm_syntax_unit *unit);
/* Writes the dummy arguments of a unit or of an ENTRY, in parentheses. */
void cm_put_dummies(struct cm_writer *w, const struct cm_syntax_unit *unit);
/* Writes the program of a writer, and appends it to `text`. The caller has set the writer's tree,
 * source, messages and options. If the program uses the machine's libraries, their module precedes
 * it. */
enum cm_status cm_write_program(struct cm_writer *w, struct cm_buffer *text);

/* expression.c */
void cm_put_expression(struct cm_writer *w, const struct cm_syntax_expression *e);
/* Writes an expression. Calls the hook `expression` for its operands, and not for the expression
 * itself. */
void cm_put_plain(struct cm_writer *w, const struct cm_syntax_expression *e);
void cm_put_arguments(struct cm_writer *w, const struct cm_syntax_arguments *list);
void cm_put_string(struct cm_writer *w, const char *bytes, uint32_t length);

/* declare.c */
void cm_put_type(struct cm_writer *w, const struct cm_syntax_type *type, uint32_t bytes);
/* Writes a declaration or directive on lines of its own. */
void cm_put_declaration(struct cm_writer *w, const struct cm_syntax_statement *s);

/* io.c */
void cm_put_io(struct cm_writer *w, const struct cm_syntax_statement *s);

/* statement.c */
void cm_put_block(struct cm_writer *w, const struct cm_syntax_block *block);

/* library.c: These functions replace the machine's libraries by standard Fortran. */
/* Returns whether a name is a routine of the machine's libraries, and no program unit has this
 * name. Returns false if the tree itself is written. */
bool cm_is_library_name(const struct cm_writer *w, const char *name);
/* Writes a call of CSHIFT or EOSHIFT with keywords. Returns false for a call of another
 * function. */
bool cm_put_shift(struct cm_writer *w, const struct cm_syntax_expression *e);
/* Writes a call of PSHIFT_SETUP without the arguments that the module's function does not have.
 * Returns false for a call of another function. */
bool cm_put_setup(struct cm_writer *w, const struct cm_syntax_expression *e);
/* Returns whether the statement is CALL PSHIFT, which cm_put_pshift() replaces by several
 * statements. */
bool cm_is_pshift(const struct cm_writer *w, const struct cm_syntax_statement *s);
void cm_put_pshift(struct cm_writer *w, const struct cm_syntax_statement *s);
/* Returns the name that a library routine or intrinsic function has in standard Fortran. */
const char *cm_standard_name(const struct cm_writer *w, const char *name);
/* Appends the module of the machine's libraries to `text`. The module has REPLICATE and DIAGONAL if
 * `has_made` is true, and CMF_AREF_1D and CMF_ASET_1D if `has_table` is true. */
void cm_library_module(bool has_made, bool has_table, struct cm_buffer *text);

/* table.c: writes a call of CMF_AREF_1D or CMF_ASET_1D. Returns false for other calls. */
bool cm_put_table(struct cm_writer *w, const struct cm_syntax_statement *s);
/* Text of the procedures CMF_AREF_1D and CMF_ASET_1D in standard Fortran. They take elements of any
 * type as 32-bit words. */
extern const char cm_table_procedures[];
/* Returns whether a called function is REPLICATE or DIAGONAL. */
bool cm_is_made(const struct cm_writer *w, const char *name);

#endif
