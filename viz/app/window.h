/* The window of cm200-view: the loop of events, through SDL2, without a GPU. */
#ifndef CM_VIZ_APP_WINDOW_H
#define CM_VIZ_APP_WINDOW_H

#include "options.h"

/* Opens a window and shows the run until the user quits. Prints mistakes; returns an exit code. */
int cm_view_window(const struct cm_view_options *options, struct cm_view_control *control);

#endif
