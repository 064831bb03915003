/* What the build makes of programs/validation/pshift-timings.csv and configs/cm200.json; not
 * installed. */
#ifndef CM_PROGRAMS_VALIDATION_PUBLISHED_DATA_H
#define CM_PROGRAMS_VALIDATION_PUBLISHED_DATA_H

#include "published.h"

#include <stddef.h>

extern const struct cm_published_row cm_published_rows[];
extern const uint32_t cm_published_row_count;

/* The text of configs/cm200.json, NUL-terminated beyond its length. */
extern const char cm_builtin_machine[];
extern const size_t cm_builtin_machine_length;

#endif
