/*
 * The rows of text in the viewer's panel "program": the source text, where and why the program
 * stopped, and the contents of the machine.
 *
 * The program of --debug is executed step by step next to the picture of its first run. The
 * application fills in the rows at each stop (viz/app/program_rows.c). Drawing reads the rows and
 * knows no debugger.
 */
#ifndef CM_VIZ_MODEL_PROGRAM_H
#define CM_VIZ_MODEL_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#define CM_VIEW_PROGRAM_ROWS    400u
#define CM_VIEW_PROGRAM_COLUMNS 120u

enum cm_view_row_kind {
    CM_VIEW_ROW_TITLE, /* title of the rows that follow */
    CM_VIEW_ROW_STOP,  /* place and cause of the stop */
    CM_VIEW_ROW_TEXT,
    CM_VIEW_ROW_QUIET, /* detail of less weight */
    CM_VIEW_ROW_WRONG, /* error of a command */
    CM_VIEW_ROW_LINE,  /* line of the source */
};

struct cm_view_program_row {
    enum cm_view_row_kind kind;
    bool next;       /* true for the line that is executed next */
    uint32_t broken; /* number of the breakpoint at the line. 0: no breakpoint */
    /* name of the source line for the command `break`. "": the row is not a source line */
    char place[64];
    char text[CM_VIEW_PROGRAM_COLUMNS];
};

struct cm_view_program {
    struct cm_view_program_row rows[CM_VIEW_PROGRAM_ROWS];
    uint32_t count;
    uint64_t cycle; /* cycle up to which the program has run */
    bool runs;      /* true while the program runs. The rows then show its last stop */
};

#endif
