/* What the files that write a syntax tree share. Internal to the library. */
#ifndef CM_FORTRAN_WRITE_PRIVATE_H
#define CM_FORTRAN_WRITE_PRIVATE_H

#include "write.h"

struct cm_writer;

/* Functions of a caller that writes some expressions in another way. The library has none. Tests
 * write the machine's order of evaluation with them (tests/fortran/order). */
struct cm_writer_hooks {
    /* Called before an executable statement is written. */
    void (*statement)(struct cm_writer *w, const struct cm_syntax_statement *s);
    /* Called before the condition of IF, or the mask of WHERE or FORALL `s`, is written. */
    void (*condition)(struct cm_writer *w, const struct cm_syntax_statement *s,
                      const struct cm_syntax_expression *condition);
    /* Writes an expression. cm_put_plain() writes it as it is. */
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
    size_t line;       /* offset at which the line begins */
    bool is_directive; /* the line is */
    uint32_t indent;   /* of statements */
    uint32_t loops;    /* implied loops that are open, which replace ranges */
    /* of the unit that is written */
    const struct cm_syntax_unit *unit;
    uint32_t indices;                    /* variables that such loops need */
    bool needs_library;                  /* names of the machine's libraries are used */
    bool has_library;                    /* of any unit */
    bool has_made;                       /* the program uses REPLICATE or DIAGONAL */
    const struct cm_writer_hooks *hooks; /* NULL: none */
    void *context;                       /* of the hooks */
};

/* write.c: text of a line. A word that does not fit goes into a continuation line. */
void cm_put(struct cm_writer *w, const char *word);
void cm_put_bytes(struct cm_writer *w, const char *bytes, size_t length);
void cm_put_number(struct cm_writer *w, uint64_t number);
/* A character constant, or other text that may be cut anywhere. */
void cm_put_long(struct cm_writer *w, const char *bytes, size_t length);
/* Begins a statement; label 0: none. */
void cm_begin_line(struct cm_writer *w, uint32_t label);
void cm_end_line(struct cm_writer *w);
void cm_put_unit(struct cm_writer *w, const struct cm_syntax_unit *unit);
/* Appends the program of a writer whose tree, source, messages and options are set, after the
 * module of the machine's libraries if the program needs it. */
enum cm_status cm_write_program(struct cm_writer *w, struct cm_buffer *text);

/* expression.c */
void cm_put_expression(struct cm_writer *w, const struct cm_syntax_expression *e);
/* Writes an expression without asking the hook for its top. */
void cm_put_plain(struct cm_writer *w, const struct cm_syntax_expression *e);
void cm_put_arguments(struct cm_writer *w, const struct cm_syntax_arguments *list);
void cm_put_string(struct cm_writer *w, const char *bytes, uint32_t length);

/* declare.c */
void cm_put_type(struct cm_writer *w, const struct cm_syntax_type *type, uint32_t bytes);
/* A declaration or directive, on lines of its own. */
void cm_put_declaration(struct cm_writer *w, const struct cm_syntax_statement *s);

/* statement.c */
void cm_put_block(struct cm_writer *w, const struct cm_syntax_block *block);

/* library.c: what stands for the machine's libraries. */
/* Whether the name is one of theirs, and no program unit has it; no name of a tree is. */
bool cm_is_library_name(const struct cm_writer *w, const char *name);
/* Writes a shift with keywords; false when the name is another one. */
bool cm_put_shift(struct cm_writer *w, const struct cm_syntax_expression *e);
/* Writes PSHIFT_SETUP with what is left of its arguments; false when the name is another one. */
bool cm_put_setup(struct cm_writer *w, const struct cm_syntax_expression *e);
/* Whether the statement is CALL PSHIFT, which becomes several statements; and these. */
bool cm_is_pshift(const struct cm_writer *w, const struct cm_syntax_statement *s);
void cm_put_pshift(struct cm_writer *w, const struct cm_syntax_statement *s);
/* The name that a library routine or intrinsic has in standard Fortran. */
const char *cm_standard_name(const struct cm_writer *w, const char *name);
/* The text of the module; with REPLICATE and DIAGONAL. */
void cm_library_module(bool has_made, struct cm_buffer *text);
/* Whether the call is one of these. */
bool cm_is_made(const struct cm_writer *w, const char *name);

#endif
