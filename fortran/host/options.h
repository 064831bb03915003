/* Options of a run, which the caller of cm_fortran_run_create sets. Not installed. */
#ifndef CM_FORTRAN_OPTIONS_H
#define CM_FORTRAN_OPTIONS_H

#include "../../programs/workload/workload.h"
#include "../check/program.h"

struct cm_fortran_run_options {
    /* Level of optimization, from 0 to 2.
     * 0: each shift is a call of its own, as the CM-200's compilers made it.
     * 1: shifts of neighbouring statements share a PSHIFT (machine/group.h).
     * 2: shifted operands are read in place, with halos (machine/halo.c). */
    uint32_t level;
    bool check; /* true to compare every array statement with its evaluation in the front end */
    uint64_t max_cycles; /* cycles after which the program is stopped, 0 for no limit */
    /* Takes text that the program prints, while it runs. NULL: none does. */
    enum cm_status (*print)(void *context, const char *text, size_t length, struct cm_error *err);
    void *print_context;
    bool keep_output; /* true to keep text that `print` has taken. Without `print`, text is kept. */
    uint64_t max_output; /* bytes that the program may print, 0 for CM_OUTPUT_BYTES */
    /* Unit that run/entry.h calls instead of the main program. NULL runs the main program. */
    const struct cm_fortran_unit *unit;
};

#endif
