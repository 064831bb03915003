/*
 * The viewer's colours, as 0xAARRGGBB.
 *
 * Text has a contrast of at least 4.5:1 to its ground, and marks have at least 3:1 (WCAG 2.1, 1.4.3
 * and 1.4.11). tests/view/test_view_colours.c computes the contrasts.
 */
#ifndef CM_VIZ_DRAW_COLOURS_H
#define CM_VIZ_DRAW_COLOURS_H

#include "../model/state.h"

/* Role: a colour with a fixed meaning. The number of a role is a valid colour argument, and the
 * canvas looks up its value in the table of the theme (colour_roles.def). Values have an alpha of
 * 0xff, which no role number has. */
enum cm_view_role {
    CM_VIEW_NO_ROLE,
#define CM_VIEW_ROLE(name, dark, light) CM_VIEW_##name,
#include "colour_roles.def"
#undef CM_VIEW_ROLE
    CM_VIEW_ROLE_COUNT,
};

/* Returns the value of a role. Returns any other colour unchanged. */
uint32_t cm_view_theme_colour(enum cm_view_theme theme, uint32_t colour);

/* Returns the colour of a value in (0, 1] on a colour map. The value 0 has no colour, and idle
 * objects get an outline. */
uint32_t cm_view_colour(enum cm_view_theme theme, enum cm_view_colours map, double value);
/* Returns the colour of a difference in [-1, 1]. Negative values are blue, positive values are
 * orange. */
uint32_t cm_view_difference_colour(enum cm_view_theme theme, double value);
/* Returns the colour of a lamp of the front panel. */
uint32_t cm_view_lamp_colour(enum cm_view_theme theme, double value);
uint32_t cm_view_phase_colour(enum cm_view_theme theme, enum cm_trace_phase phase);
/* Returns the colour that stands for a node, as the source of a packet or the owner of an array
 * element. Neighbours in a dimension have different colours. */
uint32_t cm_view_node_colour(enum cm_view_theme theme, uint32_t node);
/* Returns black or white, whichever is easier to read on `colour`. The colour is not a role. */
uint32_t cm_view_ink_on(uint32_t colour);

/* Returns the position of a busy fraction on a colour scale that ends at `top`, 0 to 1. The scale
 * is linear or goes by the square root. Only the fraction 0 has the position 0. */
double cm_view_scale_place(double share, double top, bool linear);

#endif
