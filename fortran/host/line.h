/* Record of a source line: its cycles, and a note on how the machine did its work. Not
 * installed. */
#ifndef CM_FORTRAN_LINE_H
#define CM_FORTRAN_LINE_H

#include "../check/program.h"

#define CM_FORTRAN_NOTE_BYTES 240u

struct cm_fortran_line {
    uint32_t file, line;
    uint64_t times; /* number of statements of the line that were executed */
    struct cm_counters counters;
    /* Number of the line, in the same file, whose IMP does this line's work too. 0: none. */
    uint32_t imp_line;
    /* Text for --explain: how the line's shifts were made, with which lines it shares an IMP, or
     * why the front end did its work. Empty if there is nothing to say. */
    char note[CM_FORTRAN_NOTE_BYTES];
};

#endif
