/* Hatching, which distinguishes phases without colour. */
#include "draw_private.h"

#include <math.h>

#define APART 6 /* points between two lines */

enum {
    UP = 1,
    DOWN = 2,
    LEVEL = 4,
    UPRIGHT = 8,
};

static const unsigned char hatches[CM_TRACE_PHASE_COUNT] = {
    [CM_TRACE_MOVE] = UP,     [CM_TRACE_LOAD] = DOWN,          [CM_TRACE_UNLOAD] = LEVEL,
    [CM_TRACE_FPU] = UPRIGHT, [CM_TRACE_BOUNDARY] = UP | DOWN, [CM_TRACE_ROUTER] = LEVEL | UPRIGHT,
};

/* Mixes a colour with a third of the ink that is readable on it. */
static uint32_t shade_of(uint32_t colour)
{
    uint32_t ink = cm_view_ink_on(colour), mixed = 0xff000000u;
    for (unsigned shift = 0; shift < 24; shift += 8)
        mixed |= ((colour >> shift & 255) * 2 + (ink >> shift & 255)) / 3 << shift;
    return mixed;
}

static int remainder_of(int a, int b)
{
    return (a % b + b) % b;
}

/* Draws pixels [top, bottom) of a column, every `apart`-th from the first one that a line meets. */
static void dot(const struct cm_canvas *canvas, int x, int top, int bottom, int phase, int apart,
                int thick, uint32_t colour)
{
    for (int y = top + remainder_of(phase - top, apart); y < bottom; y += apart)
        cm_canvas_fill_pixels(canvas, x, y, 1, y + thick < bottom ? thick : bottom - y, colour);
}

void cm_fill_phase(const struct cm_canvas *canvas, struct cm_view_rect place,
                   enum cm_trace_phase phase)
{
    uint32_t colour = cm_view_phase_colour(canvas->theme, phase), shade = shade_of(colour);
    int thick = (int)fmax(1, canvas->scale + 0.25), apart = APART * thick;
    int bottom = place.y + place.h;
    cm_canvas_fill_pixels(canvas, place.x, place.y, place.w, place.h, colour);
    for (int x = place.x; x < place.x + place.w; x++) {
        if (hatches[phase] & UP)
            dot(canvas, x, place.y, bottom, -x, apart, thick, shade);
        if (hatches[phase] & DOWN)
            dot(canvas, x, place.y, bottom, x, apart, thick, shade);
        if (hatches[phase] & LEVEL)
            dot(canvas, x, place.y, bottom, 0, apart, thick, shade);
        if (hatches[phase] & UPRIGHT && remainder_of(x, apart) < thick)
            cm_canvas_fill_pixels(canvas, x, place.y, 1, place.h, shade);
    }
}
