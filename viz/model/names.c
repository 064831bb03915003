/* Names of the values of the viewer's enumerations, in the order of the enumerations. */
#include "state.h"

#include <string.h>

const char *const cm_view_panel_names[] = {
#define CM_VIEW_PANEL(symbol, name) #name,
#include "panels.def"
    "all", NULL};

const char *const cm_view_machine_names[] = {
    [CM_VIEW_GRID] = "grid",
    [CM_VIEW_HEAT] = "heat",
    [CM_VIEW_LAMPS] = "lamps",
    [CM_VIEW_MACHINE_COUNT] = NULL,
};

const char *const cm_view_colours_names[] = {
    [CM_VIEW_CIVIDIS] = "cividis",
    [CM_VIEW_VIRIDIS] = "viridis",
    [CM_VIEW_GREY] = "grey",
    [CM_VIEW_COLOURS_COUNT] = NULL,
};

const char *const cm_view_range_names[] = {
    [CM_VIEW_RANGE_BUSIEST] = "busiest",
    [CM_VIEW_RANGE_ABSOLUTE] = "absolute",
    [CM_VIEW_RANGE_COUNT] = NULL,
};

const char *const cm_view_theme_names[] = {
    [CM_VIEW_DARK] = "dark",
    [CM_VIEW_LIGHT] = "light",
    [CM_VIEW_THEME_COUNT] = NULL,
};

const char *const cm_view_text_names[] = {"normal", "large", NULL};

const char *const cm_view_span_names[] = {
    [CM_VIEW_SPAN_NOW] = "now",
    [CM_VIEW_SPAN_WINDOW] = "window",
    [CM_VIEW_SPAN_VISIBLE] = "visible",
    [CM_VIEW_SPAN_COUNT] = NULL,
};

const char *const cm_view_tint_names[] = {
    [CM_VIEW_TINT_SOURCE] = "source",
    [CM_VIEW_TINT_DESTINATION] = "destination",
    [CM_VIEW_TINT_DISTANCE] = "distance left",
    [CM_VIEW_TINT_AGE] = "age",
    [CM_VIEW_TINT_COUNT] = NULL,
};

const char *const cm_view_quantity_names[] = {
    [CM_VIEW_QUANTITY_WORDS] = "words",
    [CM_VIEW_QUANTITY_PACKETS] = "packets",
    [CM_VIEW_QUANTITY_TIME] = "mean cycles under way",
    [CM_VIEW_QUANTITY_WAITS] = "mean cycles of waiting",
    [CM_VIEW_QUANTITY_COUNT] = NULL,
};

const char *const cm_view_load_names[] = {
    [CM_VIEW_LOAD_BUSIEST] = "busiest",     [CM_VIEW_LOAD_MEAN] = "mean",
    [CM_VIEW_LOAD_TOTAL] = "total",         [CM_VIEW_LOAD_WAITS] = "waits",
    [CM_VIEW_LOAD_SENT] = "sent",           [CM_VIEW_LOAD_RECEIVED] = "received",
    [CM_VIEW_LOAD_DIMENSION] = "dimension", [CM_VIEW_LOAD_COUNT] = NULL,
};

const char *const cm_view_load_titles[] = {
    [CM_VIEW_LOAD_BUSIEST] = "busiest channel, busy part",
    [CM_VIEW_LOAD_MEAN] = "mean of channels, busy part",
    [CM_VIEW_LOAD_TOTAL] = "busy cycles of all channels",
    [CM_VIEW_LOAD_WAITS] = "cycles that packets wait",
    [CM_VIEW_LOAD_SENT] = "words sent",
    [CM_VIEW_LOAD_RECEIVED] = "words received",
    [CM_VIEW_LOAD_DIMENSION] = "busy part",
    [CM_VIEW_LOAD_COUNT] = NULL,
};

bool cm_view_name_find(const char *const *names, const char *name, uint32_t *place)
{
    for (uint32_t i = 0; names[i] != NULL; i++)
        if (strcmp(names[i], name) == 0) {
            *place = i;
            return true;
        }
    return false;
}
