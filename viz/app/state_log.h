/* The log of states (option --log-state): a line of JSON after each event, for scripts that drive
 * the viewer. */
#ifndef CM_VIZ_APP_STATE_LOG_H
#define CM_VIZ_APP_STATE_LOG_H

#include "../control/control.h"

#include "../../base/buffer.h"

#include <stdio.h>

struct cm_view_log {
    const char *path; /* name of the log file. NULL: no log is written */
    /* file to which each line is written at once. NULL: lines are collected in `text` */
    FILE *file;
    struct cm_buffer text; /* lines that are not written yet */
    uint64_t lines;
    enum cm_status status; /* error of the first line that could not be written, or CM_OK */
    /* Values that every line of the log repeats. */
    uint64_t frames; /* number of frames drawn so far */
    int w, h;        /* size of the picture in pixels */
    double scale;
};

/* Opens the log. `path` may be NULL, or "-" for standard output. If `live` is true, each line is
 * written at once. Otherwise all lines are written at the end, so that after a failure an old file
 * is unchanged. Fails with CM_IO and CM_NO_MEMORY. */
enum cm_status cm_view_log_open(struct cm_view_log *log, const char *path, bool live,
                                struct cm_error *err);
/* Adds a line to the log. If `places` is true, the line has the rectangles of the panels and the
 * ends of the time strips in pixels. */
void cm_view_log_write(struct cm_view_log *log, const char *event,
                       const struct cm_view_control *control, bool places);
/* Ends the log. `status` and *err are the result of the program. Prints the program's error if it
 * failed, otherwise an error of the log if there is one. Returns the exit code. */
int cm_view_log_close(struct cm_view_log *log, enum cm_status status, struct cm_error *err);

#endif
