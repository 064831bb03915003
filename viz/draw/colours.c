/* The viewer's colours: tables computed by tests/view/colour-tables.py, and the few that have a
 * meaning of their own. */
#include "colours.h"

#include <math.h>

#define MAP_SIZE 256

/* The palettes that users choose from, then those with one meaning. */
enum map {
    MAP_CIVIDIS = CM_VIEW_CIVIDIS,
    MAP_VIRIDIS = CM_VIEW_VIRIDIS,
    MAP_GREY = CM_VIEW_GREY,
    MAP_LESS = CM_VIEW_COLOURS_COUNT,
    MAP_MORE,
    MAP_LAMP,
    MAP_COUNT,
};

static const uint32_t maps[MAP_COUNT][MAP_SIZE] = {
#define CM_VIEW_MAP(name, ...) [MAP_##name] = {__VA_ARGS__},
#include "colour_tables.def"
#undef CM_VIEW_MAP
};

static uint32_t look_up(enum map map, double value)
{
    double place = value * (MAP_SIZE - 1) + 0.5;
    if (!(place > 0))
        place = 0;
    return maps[map][place < MAP_SIZE - 1 ? (size_t)place : MAP_SIZE - 1];
}

uint32_t cm_view_colour(enum cm_view_colours map, double value)
{
    return look_up((enum map)map, value);
}

uint32_t cm_view_difference_colour(double value)
{
    return value < 0 ? look_up(MAP_LESS, -value) : look_up(MAP_MORE, value);
}

uint32_t cm_view_lamp_colour(double value)
{
    return look_up(MAP_LAMP, value);
}

uint32_t cm_view_phase_colour(enum cm_trace_phase phase)
{
    /* At least 30 apart in CIELAB, each from each, also as red-green blind people see them. */
    static const uint32_t colours[CM_TRACE_PHASE_COUNT] = {
        [CM_TRACE_START] = 0xff97a4a6u,    [CM_TRACE_CONTROL] = 0xfff7ffffu,
        [CM_TRACE_MOVE] = 0xff476996u,     [CM_TRACE_LOAD] = 0xff8ebeffu,
        [CM_TRACE_EXCHANGE] = 0xfff1e75au, [CM_TRACE_UNLOAD] = 0xffae7804u,
        [CM_TRACE_BOUNDARY] = 0xff986effu, [CM_TRACE_FPU] = 0xff91e692u,
        [CM_TRACE_ROUTER] = 0xffbd3047u,
    };
    return colours[phase < CM_TRACE_PHASE_COUNT ? phase : CM_TRACE_START];
}

/* Relative luminance, WCAG 2.1. */
static double luminance(uint32_t colour)
{
    static const double weights[3] = {0.0722, 0.7152, 0.2126};
    double sum = 0;
    for (unsigned i = 0; i < 3; i++) {
        double c = (colour >> (8 * i) & 255) / 255.0;
        sum += weights[i] * (c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
    }
    return sum;
}

uint32_t cm_view_ink_on(uint32_t colour)
{
    /* Where (l + 0.05) / 0.05 equals 1.05 / (l + 0.05): both inks have 4.58:1. */
    return luminance(colour) > 0.1791 ? 0xff000000u : 0xffffffffu;
}

double cm_view_scale_place(double share, double top, bool linear)
{
    if (!(share > 0) || !(top > 0))
        return 0;
    double place = share < top ? share / top : 1;
    return linear ? place : sqrt(place);
}
