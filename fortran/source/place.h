/* This header declares places in the source of a program, and the messages about them. Messages of
 * a program are collected up to a limit (CM_MESSAGES_MAX). */
#ifndef CM_FORTRAN_PLACE_H
#define CM_FORTRAN_PLACE_H

#include "../../base/error.h"

#include <stdbool.h>
#include <stdint.h>

CM_BEGIN_DECLS

/* The place of one character of a file, before preprocessing. */
struct cm_source_place {
    uint32_t file;         /* number of the file in its cm_source */
    uint32_t line, column; /* line and column, which count from 1, or 0 if unknown */
};

/* The files that a program was read from, with their texts (source.h). */
struct cm_source;

/* Largest number of messages that are stored. Further messages are only counted. */
#define CM_MESSAGES_MAX 100u

/* The error messages of a program, in the order in which they were found. */
struct cm_messages {
    const struct cm_source *source; /* files with the names and lines that messages show */
    struct cm_error *items;         /* stored messages */
    /* number of stored messages, and number that `items` has room for */
    uint32_t count, capacity;
    /* number of messages beyond CM_MESSAGES_MAX, which are not stored */
    uint32_t more;
    /* number of all errors found, with those that were not stored */
    uint32_t found;
    /* CM_OK, CM_BAD_INPUT after a message, or CM_NO_MEMORY, which no later message changes */
    enum cm_status status;
    struct cm_source_place last; /* place of the message that was added last */
    bool added;                  /* true if the last call of cm_messages_add() stored a message */
    struct cm_error warning;     /* warning about the program, if has_warning is true */
    bool has_warning;            /* true if there is a warning */
};

/* Initialises an empty list of messages. */
CM_API void cm_messages_init(struct cm_messages *messages, const struct cm_source *source);
/* Frees the messages. */
CM_API void cm_messages_finish(struct cm_messages *messages);
/* Adds a message about a place, with the text of its source line. Drops a message about the same
 * character as the last one. */
CM_API void cm_messages_add(struct cm_messages *messages, struct cm_source_place place,
                            const char *format, ...) CM_PRINTF(3, 4);
/* Sets the hint (what to do) of the message that was added last, unless that message was
 * dropped. */
CM_API void cm_messages_hint(struct cm_messages *messages, const char *format, ...) CM_PRINTF(2, 3);

/* Sets the program's only warning and its hint. A warning is not counted as a message, and does not
 * change the status. */
CM_API void cm_messages_warn(struct cm_messages *messages, struct cm_source_place place,
                             const char *text, const char *hint);

/* Sorts the messages by place: the main file first, then each included file. Hints cannot be added
 * after the sort. */
CM_API void cm_messages_sort(struct cm_messages *messages);

/* These functions return the name of a file, as it was given or included, and its NUL-terminated
 * text. */
CM_API const char *cm_source_name(const struct cm_source *source, uint32_t file);
CM_API const char *cm_source_text(const struct cm_source *source, uint32_t file, size_t *length);
/* Returns whether the file is a built-in header of the machine's libraries. */
CM_API bool cm_source_is_builtin(const struct cm_source *source, uint32_t file);

CM_END_DECLS

#endif
