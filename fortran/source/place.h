/* Places in the source of a program, and the messages about them. All messages of a program are
 * collected, up to a limit beyond which further messages do not help. */
#ifndef CM_FORTRAN_PLACE_H
#define CM_FORTRAN_PLACE_H

#include "../../base/error.h"

#include <stdbool.h>
#include <stdint.h>

CM_BEGIN_DECLS

/* The place of one character of a file, before preprocessing. */
struct cm_source_place {
    uint32_t file;         /* number of the file in its cm_source */
    uint32_t line, column; /* line and column from 1, or 0 if unknown */
};

/* The files that a program was read from, with their texts. */
struct cm_source;

/* Number of messages that are stored. Further messages are counted. */
#define CM_MESSAGES_MAX 100u

/* The errors of a program, in the order in which they were found. */
struct cm_messages {
    const struct cm_source *source; /* source of file names and lines */
    struct cm_error *items;         /* stored errors */
    uint32_t count, capacity;       /* number of stored errors, and of allocated ones */
    uint32_t more;                  /* number of errors found beyond CM_MESSAGES_MAX */
    uint32_t found;                 /* number of all errors, dropped ones included */
    enum cm_status status; /* CM_OK, CM_BAD_INPUT after a message, or CM_NO_MEMORY, which sticks */
    struct cm_source_place last; /* place of the message that was added last */
    bool added;                  /* true if the last cm_messages_add() stored a message */
    struct cm_error warning;     /* warning about the program, if has_warning is true */
    bool has_warning;
};

/* Initialises an empty list of messages. */
CM_API void cm_messages_init(struct cm_messages *messages, const struct cm_source *source);
/* Frees the messages. */
CM_API void cm_messages_finish(struct cm_messages *messages);
/* Adds a message about a place, with its source line. Drops a second message about the same
 * character. */
CM_API void cm_messages_add(struct cm_messages *messages, struct cm_source_place place,
                            const char *format, ...) CM_PRINTF(3, 4);
/* Sets the hint of the message added last, unless that message was dropped. */
CM_API void cm_messages_hint(struct cm_messages *messages, const char *format, ...) CM_PRINTF(2, 3);

/* Sets the program's warning and its hint. A warning is not counted as a message, and leaves the
 * status as it is. */
CM_API void cm_messages_warn(struct cm_messages *messages, struct cm_source_place place,
                             const char *text, const char *hint);

/* Sorts the messages by place: the main file first, then each included file. Hints cannot be added
 * afterwards. */
CM_API void cm_messages_sort(struct cm_messages *messages);

/* Return the name of a file, as it was given or included, and its NUL-terminated text. */
CM_API const char *cm_source_name(const struct cm_source *source, uint32_t file);
CM_API const char *cm_source_text(const struct cm_source *source, uint32_t file, size_t *length);
/* Returns whether the file is a built-in header of the machine's libraries. */
CM_API bool cm_source_is_builtin(const struct cm_source *source, uint32_t file);

CM_END_DECLS

#endif
