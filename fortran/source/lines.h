/*
 * A program as a sequence of statements and directives: comments left out, continuation lines
 * joined, files included, macros replaced. Each keeps from where its characters came. Internal to
 * the library.
 */
#ifndef CM_FORTRAN_LINES_H
#define CM_FORTRAN_LINES_H

#include "../../base/buffer.h"
#include "../../base/list.h"
#include "source.h"

/* The characters from `offset` up to the next segment came from here: side by side, or, if they are
 * a macro's, all from its name. */
struct cm_line_segment {
    uint32_t offset;
    struct cm_source_place place;
    bool is_macro;
};

enum cm_line_kind { CM_LINE_STATEMENT, CM_LINE_DIRECTIVE, CM_LINE_END };

struct cm_joined_line {
    enum cm_line_kind kind;
    bool is_fixed;                /* in fixed form */
    bool is_cut;                  /* text behind column 72 was left out, and reported */
    uint32_t label;               /* 0: none */
    uint32_t start;               /* offset of the text, behind a label */
    struct cm_source_place place; /* of its first line */
    struct cm_buffer text;        /* NUL-terminated */
    CM_LIST(struct cm_line_segment) segments;
};

struct cm_macro {
    char *name, *text;
    size_t name_length;
    bool is_open; /* being replaced: its name in its own text stays */
};

/* A file being read, in the order in which they were included. */
struct cm_open_file {
    uint32_t file;
    size_t at;     /* offset of the next line */
    uint32_t line; /* its number */
    bool is_fixed;
    uint32_t conditions; /* open #if when it began */
};

/* One line of a file, without its end. */
struct cm_physical_line {
    const char *text;
    uint32_t length;
    struct cm_source_place place; /* of its first character */
    bool is_fixed, is_directive, is_continuation;
    uint32_t body; /* offset of what is behind columns 1 to 6, or behind CMF$ */
};

/* #if .. #else .. #endif */
struct cm_condition {
    struct cm_source_place place;
    bool is_kept;  /* the lines now are */
    bool was_kept; /* those of this or an earlier part were, or the whole is left out */
    bool has_else;
};

struct cm_lines {
    struct cm_source *source;
    struct cm_messages *messages;
    CM_LIST(struct cm_open_file) open;
    CM_LIST(struct cm_macro) macros;
    CM_LIST(struct cm_condition) conditions;
    uint32_t included;   /* files in all */
    uint32_t expansions; /* of macros, in this statement */
    bool is_joining;     /* a statement in free form goes on in the next line */
    bool is_directing;   /* so does a directive: any CMF is one */
    bool has_held;
    struct cm_physical_line held; /* read, and not used yet */
    bool failed;                  /* out of memory */
};

void cm_lines_init(struct cm_lines *lines, struct cm_source *source, struct cm_messages *messages);
void cm_lines_finish(struct cm_lines *lines);

/* Reads the next statement or directive into *line, which is zeros before the first call; false
 * when out of memory. */
bool cm_lines_next(struct cm_lines *lines, struct cm_joined_line *line);
void cm_line_finish(struct cm_joined_line *line);

/* The place of the character at `offset` of the joined text. */
struct cm_source_place cm_line_place(const struct cm_joined_line *line, uint32_t offset);

/* physical.c: the next line that is not a comment; false at the end of the program. */
bool cm_physical_next(struct cm_lines *lines, struct cm_physical_line *line);

/* preprocess.c: does what a line that begins with # says. */
void cm_preprocess(struct cm_lines *lines, const struct cm_physical_line *line);
/* Whether the lines now are left out by #if. */
bool cm_preprocess_skips(const struct cm_lines *lines);
/* The macro of that name; NULL. */
struct cm_macro *cm_macro_find(struct cm_lines *lines, const char *name, size_t length);
/* Adds the macro's text, with the macros in it replaced, to `text`. */
void cm_macro_expand(struct cm_lines *lines, struct cm_macro *macro, struct cm_source_place place,
                     struct cm_buffer *text);
/* physical.c: begins to read a file that INCLUDE or #include names. */
void cm_lines_include(struct cm_lines *lines, struct cm_source_place place, const char *path,
                      size_t length);

#endif
