/* The file of measurements in the form that the files held_out*.c share. This header is not
 * installed. */
#ifndef CM_PROGRAMS_VALIDATION_HELD_OUT_PRIVATE_H
#define CM_PROGRAMS_VALIDATION_HELD_OUT_PRIVATE_H

#include "held_out.h"

struct cm_held_out {
    struct cm_json_document *document; /* the parsed file, which owns all strings */
    struct cm_held_out_measurement *measurements;
    uint32_t count;
    double bound; /* largest allowed size of a relative error. 0: no bound */
};

/* Reads and checks a file of measurements, without running them (held_out_read.c). */
enum cm_status cm_held_out_read(const char *path, struct cm_held_out **held_out,
                                struct cm_error *err);
/* Names of the units as the file spells them, in the order of enum cm_held_out_unit
 * (held_out_read.c). */
extern const char *const cm_held_out_units[];

/* Returns the relative error of a measurement: simulated / published - 1. */
static inline double cm_held_out_error(const struct cm_held_out_measurement *measurement)
{
    return measurement->simulated / measurement->published - 1;
}

#endif
