/* The log of states (--log-state): a line of JSON after each event, for scripts that drive the
 * viewer. */
#ifndef CM_VIZ_APP_STATE_LOG_H
#define CM_VIZ_APP_STATE_LOG_H

#include "../control/control.h"

#include "../../base/buffer.h"

#include <stdio.h>

struct cm_view_log {
    const char *path; /* NULL: no log is written */
    /* file that receives each line at once. NULL: lines are collected in `text` */
    FILE *file;
    struct cm_buffer text; /* lines that are not written yet */
    uint64_t lines;
    enum cm_status status; /* status of the first line that failed */
    /* Numbers that every line repeats. */
    uint64_t frames; /* number of frames drawn so far */
    int w, h;        /* size of the picture in pixels */
    double scale;
};

/* Opens the log. `path` may be NULL, or "-" for standard output. If `live`, each line is written at
 * once. Otherwise all lines are written at the end, so that a failure leaves the old file. Fails
 * with CM_IO and CM_NO_MEMORY. */
enum cm_status cm_view_log_open(struct cm_view_log *log, const char *path, bool live,
                                struct cm_error *err);
/* Adds a line. If `places`, the line has the rectangles of the panels and the time strips in
 * pixels. */
void cm_view_log_write(struct cm_view_log *log, const char *event,
                       const struct cm_view_control *control, bool places);
/* Ends the log. `status` and *err are the result of the program. Prints the program's error, or
 * else an error of the log. Returns an exit code. */
int cm_view_log_close(struct cm_view_log *log, enum cm_status status, struct cm_error *err);

#endif
