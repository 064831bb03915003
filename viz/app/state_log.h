/* --log-state: a line of JSON after each event, for scripts that drive the window. */
#ifndef CM_VIZ_APP_STATE_LOG_H
#define CM_VIZ_APP_STATE_LOG_H

#include "../control/control.h"

#include <stdio.h>

struct cm_view_log {
    FILE *file; /* NULL: none is wanted */
    const char *path;
    uint64_t lines;
    bool failed;
    /* Of the picture, in every line. */
    uint64_t frames; /* drawn so far */
    int w, h;        /* pixels */
    double scale;
};

/* `path` may be NULL, or "-" for the standard output. CM_IO. */
enum cm_status cm_view_log_open(struct cm_view_log *log, const char *path, struct cm_error *err);
/* Writes a line at once, for scripts that wait for it; with `places`, where the panels and the time
 * strips lie, in pixels, too. */
void cm_view_log_write(struct cm_view_log *log, const char *event,
                       const struct cm_view_control *control, bool places);
/* Prints what failed; returns an exit code. */
int cm_view_log_close(struct cm_view_log *log);

#endif
