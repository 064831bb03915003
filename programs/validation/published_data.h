/* Data that the build generates from pshift-timings.csv, applications.csv and the machines in
 * configs/ (generate.py). Not installed. */
#ifndef CM_PROGRAMS_VALIDATION_PUBLISHED_DATA_H
#define CM_PROGRAMS_VALIDATION_PUBLISHED_DATA_H

#include "published.h"

#include <stddef.h>

extern const struct cm_published_row cm_published_rows[];
extern const uint32_t cm_published_row_count;

extern const struct cm_published_fact cm_published_facts[];
extern const uint32_t cm_published_fact_count;

/* Texts of configs/cm200.json, cm200-first-fit.json and cm2.json, each followed by a NUL that its
 * length does not count. */
extern const char cm_builtin_cm200[], cm_builtin_first_fit[], cm_builtin_cm2[];
extern const size_t cm_builtin_cm200_length, cm_builtin_first_fit_length, cm_builtin_cm2_length;

#endif
