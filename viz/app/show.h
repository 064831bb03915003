/* The two ways to show a run. Both print mistakes and return an exit code.
 * `session`: a program that is stepped through; NULL: none is. */
#ifndef CM_VIZ_APP_SHOW_H
#define CM_VIZ_APP_SHOW_H

#include "program.h"

/* headless.c: draws the files of the options, after the keys of --press. */
int cm_view_headless(const struct cm_view_options *options, struct cm_view_control *control,
                     struct cm_view_session *session);
/* window.c: opens a window, through SDL2, without a GPU, and shows the run until the user quits. */
int cm_view_window(const struct cm_view_options *options, struct cm_view_control *control,
                   struct cm_view_session *session);

#endif
