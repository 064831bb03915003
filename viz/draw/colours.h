/*
 * The viewer's colours. Text has a contrast of at least 4.5:1 to its ground, marks at least 3:1
 * (WCAG 2.1, 1.4.3 and 1.4.11); tests/view/test_view_colours.c computes the ratios. All are
 * 0xAARRGGBB.
 */
#ifndef CM_VIZ_DRAW_COLOURS_H
#define CM_VIZ_DRAW_COLOURS_H

#include "../model/state.h"

#define CM_VIEW_BACK         0xff0b0e12u /* between panels */
#define CM_VIEW_GROUND       0xff12161cu /* of a panel */
#define CM_VIEW_RAISED       0xff1e252eu /* titles, boxes on a panel */
#define CM_VIEW_TEXT         0xffe8ecf0u
#define CM_VIEW_QUIET        0xffaab4beu /* text of less weight */
#define CM_VIEW_OUTLINE      0xff6a7480u /* idle cells and channels, frames */
#define CM_VIEW_RULE         0xff2b333du /* separators, which mean nothing */
#define CM_VIEW_CURSOR       0xffffffffu
#define CM_VIEW_PIN          0xffff5cd0u /* what is pinned */
#define CM_VIEW_WARNING      0xffffb454u
#define CM_VIEW_SLOT_A       0xff56c8f0u
#define CM_VIEW_SLOT_B       0xfff0a050u
#define CM_VIEW_LAMPS_GROUND 0xff060405u

/* The part `value` (0..1] of a map; 0 is idle and gets no colour but an outline. */
uint32_t cm_view_colour(enum cm_view_colours map, double value);
/* Of a difference, [-1, 1]: less is blue, more is orange. */
uint32_t cm_view_difference_colour(double value);
/* Of a lamp of the front panel. */
uint32_t cm_view_lamp_colour(double value);
uint32_t cm_view_phase_colour(enum cm_trace_phase phase);
/* Black or white, whichever is easier to read on a colour. */
uint32_t cm_view_ink_on(uint32_t colour);

/* Where a busy part lies on a scale with a top: by the square root, or linear; 0 only for 0. */
double cm_view_scale_place(double share, double top, bool linear);

#endif
