/* A place in the source of a program, and the messages about it: all of a program are kept, up to a
 * number beyond which they help nobody. */
#ifndef CM_FORTRAN_PLACE_H
#define CM_FORTRAN_PLACE_H

#include "../../base/error.h"

#include <stdbool.h>
#include <stdint.h>

CM_BEGIN_DECLS

/* One character of one file, as it was before preprocessing. */
struct cm_source_place {
    uint32_t file;         /* number of the file in its cm_source */
    uint32_t line, column; /* from 1; 0: unknown */
};

/* The files that a program was read from, with their texts. */
struct cm_source;

/* The messages that are kept; more are counted. */
#define CM_MESSAGES_MAX 100u

/* The errors of a program, in the order in which they were found. */
struct cm_messages {
    const struct cm_source *source; /* for names and source lines */
    struct cm_error *items;         /* the errors, count of them */
    uint32_t count, capacity;       /* errors in items, and room for */
    uint32_t more;                  /* found beyond CM_MESSAGES_MAX */
    uint32_t found;                 /* all, those that were dropped too */
    enum cm_status status; /* CM_OK; CM_BAD_INPUT once there is a message; CM_NO_MEMORY sticks */
    struct cm_source_place last; /* of the message added last */
    bool added;                  /* by the last call of cm_messages_add */
};

/* No messages yet. */
CM_API void cm_messages_init(struct cm_messages *messages, const struct cm_source *source);
/* Frees them. */
CM_API void cm_messages_finish(struct cm_messages *messages);
/* Adds a message about the place, with its source line; a second one about the same character is
 * dropped. */
CM_API void cm_messages_add(struct cm_messages *messages, struct cm_source_place place,
                            const char *format, ...) CM_PRINTF(3, 4);
/* Sets the hint of the message added last, if that was not dropped. */
CM_API void cm_messages_hint(struct cm_messages *messages, const char *format, ...) CM_PRINTF(2, 3);

/* Orders the messages by their places: those of the main file, then those of each included one.
 * Hints cannot be added to them any more. */
CM_API void cm_messages_sort(struct cm_messages *messages);

/* The name of a file, as it was given or included; its text, NUL-terminated. */
CM_API const char *cm_source_name(const struct cm_source *source, uint32_t file);
CM_API const char *cm_source_text(const struct cm_source *source, uint32_t file, size_t *length);
/* Whether the file is a header of the machine's libraries that cm200 has built in. */
CM_API bool cm_source_is_builtin(const struct cm_source *source, uint32_t file);

CM_END_DECLS

#endif
