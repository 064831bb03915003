/* --log-state: a line of JSON after each event, for scripts that drive the window. */
#ifndef CM_VIZ_APP_STATE_LOG_H
#define CM_VIZ_APP_STATE_LOG_H

#include "../control/control.h"

#include "../../base/buffer.h"

#include <stdio.h>

struct cm_view_log {
    const char *path;      /* NULL: no log is wanted */
    FILE *file;            /* where each line goes at once; NULL: to the text, written at the end */
    struct cm_buffer text; /* of lines that are not written yet */
    uint64_t lines;
    enum cm_status status; /* of the first line that failed */
    /* Of the picture, in every line. */
    uint64_t frames; /* drawn so far */
    int w, h;        /* pixels */
    double scale;
};

/* `path` may be NULL, or "-" for the standard output. `live`: each line is written at once, for
 * scripts that wait for it; otherwise all at the end, so that a failure leaves the old file. CM_IO,
 * CM_NO_MEMORY. */
enum cm_status cm_view_log_open(struct cm_view_log *log, const char *path, bool live,
                                struct cm_error *err);
/* Adds a line; with `places`, where the panels and the time
 * strips lie, in pixels, too. */
void cm_view_log_write(struct cm_view_log *log, const char *event,
                       const struct cm_view_control *control, bool places);
/* After the program has come to `status` and, if that is not CM_OK, *err: prints it, or else what
 * failed here. Returns an exit code. */
int cm_view_log_close(struct cm_view_log *log, enum cm_status status, struct cm_error *err);

#endif
