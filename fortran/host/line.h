/* This header declares the record of a source line of a program: its cycles, and a note on how the
 * machine executed it. It is not installed. */
#ifndef CM_FORTRAN_LINE_H
#define CM_FORTRAN_LINE_H

#include "../check/program.h"

#define CM_FORTRAN_NOTE_BYTES 240u

struct cm_fortran_line {
    uint32_t file, line;
    uint64_t times; /* number of executions of statements of this line */
    struct cm_counters counters;
    /* Number of the line, in the same file, whose IMP also does the computation of this line. 0 if
     * there is no such line. */
    uint32_t imp_line;
    /* Text for --explain: how the line's shifts were made, with which lines it shares an IMP, or
     * why the front end computed it. Empty if there is nothing to say. */
    char note[CM_FORTRAN_NOTE_BYTES];
};

#endif
