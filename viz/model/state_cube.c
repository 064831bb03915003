/* Functions that magnify and move the cube. */
#include "state.h"

#include <math.h>

/* magnification for one notch of the wheel: two notches double the size */
#define STEP 1.4142135623730951

/* Returns a value limited to [least, most]. NaN becomes `least`. */
static double within(double value, double least, double most)
{
    return !(value >= least) ? least : value > most ? most : value;
}

void cm_view_look_at_cube(struct cm_view_state *state, double zoom, double x, double y)
{
    zoom = within(zoom, 1, CM_VIEW_CUBE_ZOOM_MAX);
    state->cube_zoom = zoom < 1.001 ? 1 : zoom;
    double half = 0.5 / state->cube_zoom;
    state->cube_x = within(x, half, 1 - half);
    state->cube_y = within(y, half, 1 - half);
}

void cm_view_zoom_cube(struct cm_view_state *state, int steps, double x, double y)
{
    double before = state->cube_zoom;
    double after = within(before * pow(STEP, steps), 1, CM_VIEW_CUBE_ZOOM_MAX);
    cm_view_look_at_cube(state, after, state->cube_x + (x - 0.5) * (1 / before - 1 / after),
                         state->cube_y + (y - 0.5) * (1 / before - 1 / after));
}

void cm_view_pan_cube(struct cm_view_state *state, double right, double down)
{
    cm_view_look_at_cube(state, state->cube_zoom, state->cube_x - right / state->cube_zoom,
                         state->cube_y - down / state->cube_zoom);
}
