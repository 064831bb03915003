/* Data that the build generates from pshift-timings.csv and applications.csv (generate.py). This
 * header is not installed. */
#ifndef CM_PROGRAMS_VALIDATION_PUBLISHED_DATA_H
#define CM_PROGRAMS_VALIDATION_PUBLISHED_DATA_H

#include "published.h"

extern const struct cm_published_row cm_published_rows[];
extern const uint32_t cm_published_row_count;

extern const struct cm_published_fact cm_published_facts[];
extern const uint32_t cm_published_fact_count;

#endif
