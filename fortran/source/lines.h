/*
 * This header declares the reader of a program's lines, which makes statements and directives. It
 * leaves out comments, joins continuation lines, includes files and replaces macros. A joined line
 * remembers the place of each of its characters. This header is internal to the library.
 */
#ifndef CM_FORTRAN_LINES_H
#define CM_FORTRAN_LINES_H

#include "../../base/buffer.h"
#include "../../base/list.h"
#include "source.h"

/* The origin of a part of a joined line: the characters from `offset` to the next segment. They are
 * adjacent in the file, and the first one is at `place`. The characters of a macro's text all have
 * the place of the macro's name. */
struct cm_line_segment {
    uint32_t offset;
    struct cm_source_place place;
    bool is_macro;
};

enum cm_line_kind { CM_LINE_STATEMENT, CM_LINE_DIRECTIVE, CM_LINE_END };

struct cm_joined_line {
    enum cm_line_kind kind;
    bool is_fixed; /* true in fixed form */
    /* true if a line had text behind column 72, which was left out and reported */
    bool is_cut;
    uint32_t label;               /* label, or 0 */
    uint32_t start;               /* offset of the text behind the label */
    struct cm_source_place place; /* place of the first line */
    struct cm_buffer text;        /* NUL-terminated text */
    CM_LIST(struct cm_line_segment) segments;
};

struct cm_macro {
    char *name, *text;
    size_t name_length;
    /* true while the macro's text is being inserted. The macro's own name within it is not replaced
     * again. */
    bool is_open;
};

/* A file that is being read. The stack of open files grows by one entry for each INCLUDE. */
struct cm_open_file {
    uint32_t file;
    size_t at;     /* offset of the next line */
    uint32_t line; /* number of the next line */
    bool is_fixed;
    uint32_t conditions; /* number of #if that were open when the file began */
};

/* One line of a file, without its newline. */
struct cm_physical_line {
    const char *text;
    uint32_t length;
    struct cm_source_place place; /* place of the first character */
    bool is_fixed, is_directive, is_continuation;
    /* offset of the text, which begins behind column 6 of fixed form, or behind CMF$ */
    uint32_t body;
};

/* An #if, #ifdef or #ifndef whose #endif has not been read. */
struct cm_condition {
    struct cm_source_place place;
    bool is_kept; /* true if the current lines are kept */
    /* true if the lines behind #if or #else were kept already, or if an outer #if leaves out the
     * whole #if */
    bool was_kept;
    bool has_else;
};

struct cm_lines {
    struct cm_source *source;
    struct cm_messages *messages;
    CM_LIST(struct cm_open_file) open;
    CM_LIST(struct cm_macro) macros;
    CM_LIST(struct cm_condition) conditions;
    uint32_t included;   /* number of included files */
    uint32_t expansions; /* number of macros that were replaced in this statement */
    bool is_joining;     /* true if a statement in free form continues on the next line */
    /* true if a directive continues on the next line, where `CMF` without `$` is enough */
    bool is_directing;
    bool has_held;
    struct cm_physical_line held; /* line that was read ahead, if `has_held` is true */
    bool failed;                  /* true if memory is exhausted */
};

void cm_lines_init(struct cm_lines *lines, struct cm_source *source, struct cm_messages *messages);
void cm_lines_finish(struct cm_lines *lines);

/* Reads the next statement or directive into *line. The caller sets *line to zero before the first
 * call. Returns false if memory is exhausted. */
bool cm_lines_next(struct cm_lines *lines, struct cm_joined_line *line);
void cm_line_finish(struct cm_joined_line *line);

/* Returns the place of the character at `offset` of the joined text. */
struct cm_source_place cm_line_place(const struct cm_joined_line *line, uint32_t offset);

/* physical.c: Reads the next line of the program that is not a comment. Returns false at the end of
 * the program. */
bool cm_physical_next(struct cm_lines *lines, struct cm_physical_line *line);

/* preprocess.c: Executes a line that begins with `#`, such as #define. */
void cm_preprocess(struct cm_lines *lines, const struct cm_physical_line *line);
/* Returns whether a false #if leaves out the current lines. */
bool cm_preprocess_skips(const struct cm_lines *lines);
/* Returns the macro of this name, or NULL if it is not defined. */
struct cm_macro *cm_macro_find(struct cm_lines *lines, const char *name, size_t length);
/* Appends the macro's text to `text`. Names of macros within the macro's text are replaced, too. */
void cm_macro_expand(struct cm_lines *lines, struct cm_macro *macro, struct cm_source_place place,
                     struct cm_buffer *text);
/* physical.c: Opens the file that an INCLUDE or #include names. Its lines are read next. */
void cm_lines_include(struct cm_lines *lines, struct cm_source_place place, const char *path,
                      size_t length);

#endif
