/* The file of measurements, as the files held_out*.c share it. Not installed. */
#ifndef CM_PROGRAMS_VALIDATION_HELD_OUT_PRIVATE_H
#define CM_PROGRAMS_VALIDATION_HELD_OUT_PRIVATE_H

#include "held_out.h"

struct cm_held_out {
    struct cm_json_document *document; /* owns all strings */
    struct cm_held_out_measurement *measurements;
    uint32_t count;
    double bound; /* largest allowed size of an error. 0: no bound */
};

/* held_out_read.c: reads and checks the file alone. */
enum cm_status cm_held_out_read(const char *path, struct cm_held_out **held_out,
                                struct cm_error *err);
/* held_out_read.c: names of units, in the order of the enum, as the file spells them. */
extern const char *const cm_held_out_units[];

/* Returns simulated / published - 1. */
static inline double cm_held_out_error(const struct cm_held_out_measurement *measurement)
{
    return measurement->simulated / measurement->published - 1;
}

#endif
