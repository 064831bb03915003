/* The guided tour plays: stations follow each other, and their keys are pressed. */
#ifndef CM_VIZ_CONTROL_TOUR_H
#define CM_VIZ_CONTROL_TOUR_H

#include "../model/tour.h"
#include "control.h"

/* Begins at a station, from 1, or goes there. `models` has one for each run of tour_runs.def. */
void cm_view_tour_begin(struct cm_view_control *control, const struct cm_view_model *const *models,
                        uint32_t station);
/* To the previous station (direction < 0) or the next; at an end it stays. */
void cm_view_tour_step(struct cm_view_control *control, int direction);
/* Pauses, or goes on; after the last station from the first again. */
void cm_view_tour_pause(struct cm_view_control *control);
/* Time goes on: keys are pressed when they are due, and stations end. */
void cm_view_tour_advance(struct cm_view_control *control, double seconds);

#endif
