/* From SDL's events to calls of control.h. */
#ifndef CM_VIZ_APP_EVENTS_H
#define CM_VIZ_APP_EVENTS_H

#include "../control/control.h"
#include "../control/keys.h"

#include <SDL.h>

/*
 * Hands an event to the control. Returns what it was, for the log ("key Space", "press", "wheel",
 * ...), in `name`; false: the viewer has no use for it.
 */
bool cm_view_take_event(const SDL_Event *event, const struct cm_view_target *target,
                        struct cm_view_control *control, char *name, size_t size);

#endif
