/* Hatching, by which phases can be distinguished without colours. */
#include "draw_private.h"

#include <math.h>

#define APART 6 /* points between two lines of a hatching */

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

/* Returns a colour mixed with one third of black or white, whichever is readable on it. */
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

/* Lines of a hatching, in pixels. */
struct hatching {
    int top, bottom;
    int thick, apart;
    uint32_t colour;
};

/* Draws the pixels at which hatching lines cross pixel column `x`: every `apart`-th pixel from y =
 * `phase` on. */
static void dot(const struct cm_canvas *canvas, const struct hatching *h, int x, int phase)
{
    for (int y = h->top + remainder_of(phase - h->top, h->apart); y < h->bottom; y += h->apart)
        cm_canvas_fill_pixels(canvas, x, y, 1, y + h->thick < h->bottom ? h->thick : h->bottom - y,
                              h->colour);
}

void cm_fill_phase(const struct cm_canvas *canvas, struct cm_view_rect place,
                   enum cm_trace_phase phase)
{
    uint32_t colour = cm_view_phase_colour(canvas->theme, phase);
    int thick = (int)fmax(1, canvas->scale + 0.25);
    const struct hatching lines = {place.y, place.y + place.h, thick, APART * thick,
                                   shade_of(colour)};
    cm_canvas_fill_pixels(canvas, place.x, place.y, place.w, place.h, colour);
    for (int x = place.x; x < place.x + place.w; x++) {
        if (hatches[phase] & UP)
            dot(canvas, &lines, x, -x);
        if (hatches[phase] & DOWN)
            dot(canvas, &lines, x, x);
        if (hatches[phase] & LEVEL)
            dot(canvas, &lines, x, 0);
        if (hatches[phase] & UPRIGHT && remainder_of(x, lines.apart) < thick)
            cm_canvas_fill_pixels(canvas, x, place.y, 1, place.h, lines.colour);
    }
}
