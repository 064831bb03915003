/* Translation of SDL events into calls of control.h. */
#ifndef CM_VIZ_APP_EVENTS_H
#define CM_VIZ_APP_EVENTS_H

#include "../control/control.h"
#include "../control/keys.h"

#include <SDL.h>

/* Handles an SDL event. Writes the event's name for the log into `name`, such as "key Space",
 * "press" or "wheel". Returns false if the viewer ignores the event. */
bool cm_view_take_event(const SDL_Event *event, const struct cm_view_target *target,
                        struct cm_view_control *control, char *name, size_t size);

#endif
