/* The viewer's colours, in two themes: colour maps computed by tests/view/colour-tables.py, and a
 * table of colours with a fixed meaning. */
#include "colours.h"

#include <math.h>

#define MAP_SIZE 256

/* Colour maps: first the palettes that users choose from, then the palettes with one purpose. */
enum map {
    MAP_CIVIDIS = CM_VIEW_CIVIDIS,
    MAP_VIRIDIS = CM_VIEW_VIRIDIS,
    MAP_GREY = CM_VIEW_GREY,
    MAP_LESS = CM_VIEW_COLOURS_COUNT,
    MAP_MORE,
    MAP_LAMP,
    MAP_COUNT,
};

static const uint32_t maps[CM_VIEW_THEME_COUNT][MAP_COUNT][MAP_SIZE] = {
#define CM_VIEW_MAP(theme, name, ...) [CM_VIEW_##theme][MAP_##name] = {__VA_ARGS__},
#include "colour_tables.def"
#undef CM_VIEW_MAP
};

static const uint32_t roles[CM_VIEW_THEME_COUNT][CM_VIEW_ROLE_COUNT] = {
#define CM_VIEW_ROLE(name, dark, light)                                                            \
    [CM_VIEW_DARK][CM_VIEW_##name] = (dark), [CM_VIEW_LIGHT][CM_VIEW_##name] = (light),
#include "colour_roles.def"
#undef CM_VIEW_ROLE
};

uint32_t cm_view_theme_colour(enum cm_view_theme theme, uint32_t colour)
{
    return colour < CM_VIEW_ROLE_COUNT ? roles[theme][colour] : colour;
}

static uint32_t look_up(enum cm_view_theme theme, enum map map, double value)
{
    double place = value * (MAP_SIZE - 1) + 0.5;
    if (!(place > 0))
        place = 0;
    return maps[theme][map][place < MAP_SIZE - 1 ? (size_t)place : MAP_SIZE - 1];
}

uint32_t cm_view_colour(enum cm_view_theme theme, enum cm_view_colours map, double value)
{
    return look_up(theme, (enum map)map, value);
}

uint32_t cm_view_difference_colour(enum cm_view_theme theme, double value)
{
    return value < 0 ? look_up(theme, MAP_LESS, -value) : look_up(theme, MAP_MORE, value);
}

uint32_t cm_view_lamp_colour(enum cm_view_theme theme, double value)
{
    return look_up(theme, MAP_LAMP, value);
}

uint32_t cm_view_phase_colour(enum cm_view_theme theme, enum cm_trace_phase phase)
{
    static const enum cm_view_role phases[CM_TRACE_PHASE_COUNT] = {
        [CM_TRACE_START] = CM_VIEW_PHASE_START,       [CM_TRACE_CONTROL] = CM_VIEW_PHASE_CONTROL,
        [CM_TRACE_MOVE] = CM_VIEW_PHASE_MOVE,         [CM_TRACE_LOAD] = CM_VIEW_PHASE_LOAD,
        [CM_TRACE_EXCHANGE] = CM_VIEW_PHASE_EXCHANGE, [CM_TRACE_UNLOAD] = CM_VIEW_PHASE_UNLOAD,
        [CM_TRACE_BOUNDARY] = CM_VIEW_PHASE_BOUNDARY, [CM_TRACE_FPU] = CM_VIEW_PHASE_FPU,
        [CM_TRACE_ROUTER] = CM_VIEW_PHASE_ROUTER,
    };
    return roles[theme][phases[phase < CM_TRACE_PHASE_COUNT ? phase : CM_TRACE_START]];
}

uint32_t cm_view_node_colour(enum cm_view_theme theme, uint32_t node)
{
    return roles[theme][CM_VIEW_HUE_0 + ((node ^ node >> 3 ^ node >> 6 ^ node >> 9) & 7)];
}

/* Returns the relative luminance of a colour (WCAG 2.1). */
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
    /* At this luminance l, black and white text have the same contrast, 4.58:1: (l + 0.05) / 0.05
     * equals 1.05 / (l + 0.05). */
    return luminance(colour) > 0.1791 ? 0xff000000u : 0xffffffffu;
}

double cm_view_scale_place(double share, double top, bool linear)
{
    if (!(share > 0) || !(top > 0))
        return 0;
    double place = share < top ? share / top : 1;
    return linear ? place : sqrt(place);
}
