/* Finds suggestions for "did you mean": the nearest of a list of names, by edit distance
 * (Damerau-Levenshtein, case folded). */
#ifndef CM_BASE_SUGGEST_H
#define CM_BASE_SUGGEST_H

#include <stddef.h>

/* Returns the candidate nearest to `name`, or NULL if no candidate is near enough to be what the
 * user meant. */
const char *cm_suggest(const char *name, const char *const *candidates, size_t count);

#endif
