/*
 * The viewer's colours, as 0xAARRGGBB.
 *
 * Text has a contrast of at least 4.5:1 to its background, and marks have at least 3:1 (WCAG 2.1,
 * 1.4.3 and 1.4.11). tests/view/test_view_colours.c computes the contrasts.
 */
#ifndef CM_VIZ_DRAW_COLOURS_H
#define CM_VIZ_DRAW_COLOURS_H

#include "../model/state.h"

/* Role: number that stands for a colour with a fixed meaning, such as text. Drawing functions take
 * a role wherever they take a colour, and the canvas looks up the role's colour in the table of the
 * theme (colour_roles.def). Colours have an alpha of 0xff, so no role number equals a colour. */
enum cm_view_role {
    CM_VIEW_NO_ROLE,
#define CM_VIEW_ROLE(name, dark, light) CM_VIEW_##name,
#include "colour_roles.def"
#undef CM_VIEW_ROLE
    CM_VIEW_ROLE_COUNT,
};

/* Returns the colour of a role in a theme. Returns any other colour unchanged. */
uint32_t cm_view_theme_colour(enum cm_view_theme theme, uint32_t colour);

/* Returns the colour of a value in (0, 1] on a colour map. The value 0 has no colour, because idle
 * objects are drawn as outlines. */
uint32_t cm_view_colour(enum cm_view_theme theme, enum cm_view_colours map, double value);
/* Returns the colour of a difference in [-1, 1]: blue if negative, orange if positive. */
uint32_t cm_view_difference_colour(enum cm_view_theme theme, double value);
/* Returns the colour of a lamp of the front panel for a value from 0 to 1. */
uint32_t cm_view_lamp_colour(enum cm_view_theme theme, double value);
uint32_t cm_view_phase_colour(enum cm_view_theme theme, enum cm_trace_phase phase);
/* Returns the colour of a node that is the source or destination of a packet, or that holds an
 * array element. Neighbours in a dimension have different colours. */
uint32_t cm_view_node_colour(enum cm_view_theme theme, uint32_t node);
/* Returns black or white, whichever is easier to read on `colour`. `colour` must be a value, not a
 * role. */
uint32_t cm_view_ink_on(uint32_t colour);

/* Returns the position, from 0 to 1, of a busy fraction on a colour scale that ends at the fraction
 * `top`. If `linear` is false, the position is proportional to the square root. Only the fraction 0
 * has the position 0. */
double cm_view_scale_place(double share, double top, bool linear);

#endif
