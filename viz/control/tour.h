/* Playing of the guided tour. The tour shows its stations one after the other and presses their
 * keys. */
#ifndef CM_VIZ_CONTROL_TOUR_H
#define CM_VIZ_CONTROL_TOUR_H

#include "../model/tour.h"
#include "control.h"

/* Begins the guided tour at a station, numbered from 1. `models` has a model for each run of
 * tour_runs.def. */
void cm_view_tour_begin(struct cm_view_control *control, const struct cm_view_model *const *models,
                        uint32_t station);
/* Goes to the next station of the tour, or to the previous one if direction < 0. Does nothing if
 * there is no such station. */
void cm_view_tour_step(struct cm_view_control *control, int direction);
/* Pauses or resumes the tour. If the tour is over, begins again at the first station. */
void cm_view_tour_pause(struct cm_view_control *control);
/* Advances the tour: presses keys that are due, and goes to the next station when its time is over.
 */
void cm_view_tour_advance(struct cm_view_control *control, double seconds);

#endif
