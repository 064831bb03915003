/*
 * The viewer's colours. Text has a contrast of at least 4.5:1 to its ground, marks at least 3:1
 * (WCAG 2.1, 1.4.3 and 1.4.11); tests/view/test_view_colours.c computes the ratios. All are
 * 0xAARRGGBB.
 */
#ifndef CM_VIZ_DRAW_COLOURS_H
#define CM_VIZ_DRAW_COLOURS_H

#include "../model/state.h"

/*
 * A colour with a meaning of its own: a number that the canvas looks up in the theme's table
 * (colour_roles.def). Real colours have an alpha of 0xff, so that the two are not mistaken for each
 * other.
 */
enum cm_view_role {
    CM_VIEW_NO_ROLE,
#define CM_VIEW_ROLE(name, dark, light) CM_VIEW_##name,
#include "colour_roles.def"
#undef CM_VIEW_ROLE
    CM_VIEW_ROLE_COUNT,
};

/* The colour of a role; another colour stays as it is. */
uint32_t cm_view_theme_colour(enum cm_view_theme theme, uint32_t colour);

/* The part `value` (0..1] of a map; 0 is idle and gets no colour but an outline. */
uint32_t cm_view_colour(enum cm_view_theme theme, enum cm_view_colours map, double value);
/* Of a difference, [-1, 1]: less is blue, more is orange. */
uint32_t cm_view_difference_colour(enum cm_view_theme theme, double value);
/* Of a lamp of the front panel. */
uint32_t cm_view_lamp_colour(enum cm_view_theme theme, double value);
uint32_t cm_view_phase_colour(enum cm_view_theme theme, enum cm_trace_phase phase);
/* Of a node where it names itself: of packets and of elements of an array. Neighbours in a
 * dimension differ. */
uint32_t cm_view_node_colour(enum cm_view_theme theme, uint32_t node);
/* Black or white, whichever is easier to read on a colour, which is not a role. */
uint32_t cm_view_ink_on(uint32_t colour);

/* Where a busy part lies on a scale with a top: by the square root, or linear; 0 only for 0. */
double cm_view_scale_place(double share, double top, bool linear);

#endif
