/* This header declares the options of a run, which the caller of cm_fortran_run_create() sets. It
 * is not installed. */
#ifndef CM_FORTRAN_OPTIONS_H
#define CM_FORTRAN_OPTIONS_H

#include "../../programs/workload/workload.h"
#include "../check/program.h"

struct cm_fortran_run_options {
    /* Level of optimization, from 0 to 2.
     * 0: each shift is a runtime call of its own, as in code of the CM-200's compilers.
     * 1: shifts of neighbouring statements share a PSHIFT (machine/group.h).
     * 2: shifted operands are read in place, with halos (machine/halo.c). */
    uint32_t level;
    /* true to compare the result of every array statement with its evaluation in the front end */
    bool check;
    uint64_t max_cycles; /* machine cycles after which the program is stopped, 0 for no limit */
    /* Function that takes the text that the program prints, while it runs. NULL: the text is kept
     * for the caller. */
    enum cm_status (*print)(void *context, const char *text, size_t length, struct cm_error *err);
    /* Function like `print` that takes the text for the standard error output. NULL: the text is
     * kept for the caller. */
    enum cm_status (*print_error)(void *context, const char *text, size_t length,
                                  struct cm_error *err);
    void *print_context; /* first argument of both functions */
    /* true to keep text that these functions have taken. Without them, text is always kept */
    bool keep_output;
    uint64_t max_output; /* limit of the bytes that the program may print, 0 for CM_OUTPUT_BYTES */
    /* Function that reads the standard input for unit 5. Sets *got to the number of bytes, 0 at the
     * end. NULL: the standard input is empty. */
    enum cm_status (*input)(void *context, char *bytes, size_t size, size_t *got,
                            struct cm_error *err);
    void *input_context;
    /* true if the program may use files outside of its folder, and devices and pipes never */
    bool files_anywhere;
    bool no_files; /* true if the program may use no files but scratch files */
    /* Program unit that is called (run/entry.h) instead of the main program. NULL: the main program
     * runs. */
    const struct cm_fortran_unit *unit;
};

#endif
