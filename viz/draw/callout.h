/* Callouts: labels that name the busiest channel and the hot spot on a map, each with a line to the
 * object that it names. */
#ifndef CM_VIZ_DRAW_CALLOUT_H
#define CM_VIZ_DRAW_CALLOUT_H

#include "draw_private.h"

struct cm_callout {
    char text[64];
    struct cm_point at;  /* place of the named object */
    bool shown;          /* true if the object is on the map */
    struct cm_area area; /* place of the label. Its width is 0 if there is no label */
};

#define CM_CALLOUTS 2u

/* Objects that have callouts, and their texts. */
struct cm_hottest {
    uint32_t channel; /* busiest channel of the interval. CM_TRACE_NONE: no channel stands out */
    uint32_t node;    /* node to which far more packets go than to others. CM_TRACE_NONE: no node */
    struct cm_callout callouts[CM_CALLOUTS]; /* callouts of the channel and of the node */
};
/* Finds the busiest channel and the hot spot of the frame's run. The callouts have no places yet. A
 * difference, and a single instruction, have no callouts. */
struct cm_hottest cm_frame_hottest(const struct cm_frame *frame);
/* Sets the place of a callout. */
void cm_callout_place(struct cm_callout *callout, struct cm_point at);
/* Finds areas within a rectangle for the callouts that have a place, so that they do not cover each
 * other. */
void cm_lay_out_callouts(const struct cm_frame *frame, struct cm_view_rect within,
                         struct cm_hottest *hottest);
/* Returns true if a callout is over an area. */
bool cm_is_under_callout(const struct cm_hottest *hottest, struct cm_area area);
void cm_draw_callouts(const struct cm_frame *frame, const struct cm_hottest *hottest);

#endif
