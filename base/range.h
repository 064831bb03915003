/*
 * Ranges of decimal numbers, as users type them: FIRST:LAST:STEP, or FIRST:LAST:*FACTOR. A range
 * begins with FIRST. LAST belongs to the range if the steps reach it exactly.
 *
 * A number is stored as a whole multiple of a power of ten, so that nothing is rounded: 0.1:0.9:0.1
 * has nine values, of which the last is 0.9. Internal to the library.
 */
#ifndef CM_BASE_RANGE_H
#define CM_BASE_RANGE_H

#include "buffer.h"

#include <stdbool.h>
#include <stdint.h>

/* Largest number of digits of a number, before and after the point together. */
#define CM_RANGE_DIGITS 18u

/* Number `units` / 10^decimals. */
struct cm_decimal {
    int64_t units;
    uint32_t decimals;
};

struct cm_range {
    /* the third number is the factor if `factor` is true, or else the step */
    struct cm_decimal first, last, step;
    bool factor;
};

/* Fault of a text that should be a range. */
enum cm_range_fault {
    CM_RANGE_GOOD,
    CM_RANGE_OTHER,    /* the text is not three numbers with colons between them */
    CM_RANGE_LONG,     /* a number has too many digits */
    CM_RANGE_STEP,     /* the step is not above 0, or the factor is not above 1 */
    CM_RANGE_FIRST,    /* the first number of a range with a factor is not above 0 */
    CM_RANGE_DESCENDS, /* the last number is below the first */
    CM_RANGE_MANY,     /* the range has too many values */
};

/* Returns true if the user can only have meant the text as a range: it has a colon, and all its
 * other characters can be part of numbers. */
bool cm_range_is_meant(const char *text);
/* Reads a range. */
enum cm_range_fault cm_range_read(const char *text, struct cm_range *range);
/* Appends at most `most` values of the range, with commas between them. If the function returns a
 * fault, the text is of no use. */
enum cm_range_fault cm_range_expand(const struct cm_range *range, uint32_t most,
                                    struct cm_buffer *list);
/* Returns the explanation of a fault for messages, such as "the step is not above 0". */
const char *cm_range_explain(enum cm_range_fault fault);

#endif
