/* Pictures without a window: one, or a sequence. */
#ifndef CM_VIZ_APP_HEADLESS_H
#define CM_VIZ_APP_HEADLESS_H

#include "options.h"

/* Draws the files of the options, after the keys of --press. Returns an exit code. */
int cm_view_headless(const struct cm_view_options *options, struct cm_view_control *control);

#endif
