/*
 * "Did you mean": optimal string alignment over bytes, with ASCII case folded. (The distance is
 * Damerau-Levenshtein's without edits inside a transposition.) A suggestion may differ by one edit
 * in 3 to 5 letters, two in 6 to 8, three from 9 on.
 */
#include "suggest.h"

#include <string.h>

/* Length in bytes of the longest name that is compared. The project's file formats have no longer
 * names. */
#define NAME_MAX_BYTES 64u

static unsigned fold(char c)
{
    return c >= 'A' && c <= 'Z' ? (unsigned)(c - 'A' + 'a') : (unsigned char)c;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t rows[3][NAME_MAX_BYTES + 1];
    size_t *before = rows[0], *above = rows[1], *row = rows[2];
    for (size_t j = 0; j <= b_length; j++)
        above[j] = before[j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            size_t change = fold(a[i - 1]) == fold(b[j - 1]) ? 0 : 1;
            size_t best = least(least(above[j], row[j - 1]) + 1, above[j - 1] + change);
            if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) &&
                fold(a[i - 2]) == fold(b[j - 1]))
                best = least(best, before[j - 2] + 1);
            row[j] = best;
        }
        size_t *oldest = before;
        before = above;
        above = row;
        row = oldest;
    }
    return above[b_length];
}

const char *cm_suggest(const char *name, const char *const *candidates, size_t count)
{
    const char *best = NULL;
    size_t best_distance = 0;
    size_t length = strlen(name);
    if (length > NAME_MAX_BYTES)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        size_t candidate_length = strlen(candidates[i]);
        if (candidate_length > NAME_MAX_BYTES)
            continue;
        size_t longer = length > candidate_length ? length : candidate_length;
        size_t allowed = least(longer / 3, 3);
        size_t distance = edit_distance(name, length, candidates[i], candidate_length);
        if (distance <= allowed && (!best || distance < best_distance)) {
            best = candidates[i];
            best_distance = distance;
        }
    }
    return best;
}
