/* The two ways to show runs: in files and in a window. Both functions print mistakes and return an
 * exit code. `session` is the session of --debug, or NULL. */
#ifndef CM_VIZ_APP_SHOW_H
#define CM_VIZ_APP_SHOW_H

#include "program.h"

/* Presses the keys of --press and draws the picture files that the options name. Defined in
 * headless.c. */
int cm_view_headless(const struct cm_view_options *options, struct cm_view_control *control,
                     struct cm_view_session *session);
/* Opens a window and shows the runs until the user quits. The window needs no GPU. Defined in
 * window.c. */
int cm_view_window(const struct cm_view_options *options, struct cm_view_control *control,
                   struct cm_view_session *session);

#endif
