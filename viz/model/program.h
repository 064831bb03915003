/*
 * A program that is stepped through next to the picture of its run: what the panel "program" shows.
 * Where it stands, its source, what the machine holds. Rows of text, which whoever steps it makes
 * at each stop; drawing knows nothing of debuggers.
 */
#ifndef CM_VIZ_MODEL_PROGRAM_H
#define CM_VIZ_MODEL_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#define CM_VIEW_PROGRAM_ROWS    400u
#define CM_VIEW_PROGRAM_COLUMNS 120u

enum cm_view_row_kind {
    CM_VIEW_ROW_TITLE, /* of the rows that follow */
    CM_VIEW_ROW_STOP,  /* where the program is, and why it stopped there */
    CM_VIEW_ROW_TEXT,
    CM_VIEW_ROW_QUIET, /* what one looks at last */
    CM_VIEW_ROW_WRONG, /* a command that was refused */
    CM_VIEW_ROW_LINE,  /* of the source */
};

struct cm_view_program_row {
    enum cm_view_row_kind kind;
    bool next;       /* a line: it is what happens next */
    uint32_t broken; /* a line: the number of the breakpoint there; 0: none */
    char place[64];  /* a line, as `break` takes it; "": none */
    char text[CM_VIEW_PROGRAM_COLUMNS];
};

struct cm_view_program {
    struct cm_view_program_row rows[CM_VIEW_PROGRAM_ROWS];
    uint32_t count;
    uint64_t cycle; /* charged until there */
    bool runs;      /* it does not stand: what is shown is where it stood */
};

#endif
