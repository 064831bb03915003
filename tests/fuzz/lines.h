/* The lines of an input, for targets that read text. */
#ifndef CM_TESTS_FUZZ_LINES_H
#define CM_TESTS_FUZZ_LINES_H

#include "caught.h"

#include <stdint.h>

struct lines {
    char *text, *at;
};

/* Copies the input. An input ends at its first NUL. */
static inline void lines_begin(struct lines *lines, const uint8_t *data, size_t size)
{
    lines->at = lines->text = malloc(size + 1);
    require(lines->text != NULL);
    if (size > 0)
        memcpy(lines->text, data, size);
    lines->text[size] = '\0';
}

/* Returns the next line without its newline, or NULL at the end. */
static inline char *lines_next(struct lines *lines)
{
    char *line = lines->at, *end = strchr(line, '\n');
    if (*line == '\0')
        return NULL;
    lines->at = end != NULL ? end + 1 : line + strlen(line);
    if (end != NULL)
        *end = '\0';
    return line;
}

static inline void lines_finish(struct lines *lines)
{
    free(lines->text);
}

#endif
