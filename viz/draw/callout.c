/* Callouts of the maps. A callout tries places around its object and takes the first that is free.
 * */
#include "callout.h"

#include <math.h>
#include <stdio.h>

#define HEIGHT 16.0
#define AWAY   14.0 /* distance in points between an object and its callout */

struct cm_hottest cm_frame_hottest(const struct cm_frame *frame)
{
    struct cm_hottest hottest = {.channel = CM_TRACE_NONE, .node = CM_TRACE_NONE};
    const struct cm_view_state *state = frame->state;
    const uint32_t *busiest;
    double share;
    if (frame->difference || (state->span == CM_VIEW_SPAN_NOW && !state->playing))
        return hottest;
    uint32_t count =
        cm_view_busiest(frame->run, frame->first, frame->end, state->hidden_dimensions, &busiest);
    const uint64_t *busy = cm_view_busy(frame->run, frame->first, frame->end);
    /* where many channels are equally busy, none of them stands out */
    if (count > 0 && (count < CM_VIEW_BUSIEST || busy[busiest[0]] > busy[busiest[count - 1]])) {
        struct cm_view_channel at = cm_view_channel_parts(frame->run, busiest[0]);
        hottest.channel = busiest[0];
        share = (double)busy[busiest[0]] / (double)(frame->end - frame->first);
        snprintf(hottest.callouts[0].text, sizeof hottest.callouts[0].text,
                 "%u \xe2\x86\x92 %u: %s", at.node, at.node ^ 1u << at.dimension,
                 cm_percent_of(share).text);
    }
    hottest.node = cm_view_hot_spot(frame->run, &share);
    if (hottest.node != CM_TRACE_NONE)
        snprintf(hottest.callouts[1].text, sizeof hottest.callouts[1].text, "hot spot %u: %s",
                 hottest.node, cm_percent_of(share).text);
    return hottest;
}

void cm_callout_place(struct cm_callout *callout, struct cm_point at)
{
    callout->at = at;
    callout->shown = true;
}

static bool overlap(struct cm_area a, struct cm_area b)
{
    return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

bool cm_is_under_callout(const struct cm_hottest *hottest, struct cm_area area)
{
    for (uint32_t i = 0; i < CM_CALLOUTS; i++)
        if (hottest->callouts[i].area.w > 0 && overlap(area, hottest->callouts[i].area))
            return true;
    return false;
}

/* Returns true if a callout may have this area: it is within the rectangle, and hides neither an
 * earlier callout nor an object that has one. */
static bool is_free(const struct cm_hottest *hottest, struct cm_view_rect within,
                    struct cm_area area)
{
    if (area.x < within.x || area.y < within.y || area.x + area.w > within.x + within.w ||
        area.y + area.h > within.y + within.h)
        return false;
    if (cm_is_under_callout(hottest, area))
        return false;
    for (uint32_t i = 0; i < CM_CALLOUTS; i++) {
        struct cm_point at = hottest->callouts[i].at;
        if (hottest->callouts[i].shown && overlap(area, (struct cm_area){at.x - 3, at.y - 3, 6, 6}))
            return false;
    }
    return true;
}

/* Finds an area for a callout: right or left of its object, or where it just fits, further and
 * further above or below. */
static bool find_area(const struct cm_hottest *hottest, struct cm_point at,
                      struct cm_view_rect within, struct cm_area *area)
{
    double w = area->w, most = within.x + within.w - w;
    const double left[] = {at.x + AWAY, at.x - AWAY - w, at.x + AWAY < most ? at.x + AWAY : most};
    for (int up = 1; up <= 4; up++)
        for (size_t i = 0; i < sizeof left / sizeof *left; i++)
            for (int sign = -1; sign <= 1; sign += 2) {
                area->x = left[i];
                area->y = at.y + sign * up * AWAY - HEIGHT / 2;
                if (is_free(hottest, within, *area))
                    return true;
            }
    return false;
}

void cm_lay_out_callouts(const struct cm_frame *frame, struct cm_view_rect within,
                         struct cm_hottest *hottest)
{
    for (uint32_t i = 0; i < CM_CALLOUTS; i++) {
        struct cm_callout *callout = &hottest->callouts[i];
        double w = cm_label_width_of(&frame->label, CM_LABEL_SMALL, callout->text) + 10;
        struct cm_area area = {.w = w, .h = HEIGHT};
        if (callout->shown && cm_rect_has(within, callout->at.x, callout->at.y) &&
            find_area(hottest, callout->at, within, &area))
            callout->area = area;
    }
}

void cm_draw_callouts(const struct cm_frame *frame, const struct cm_hottest *hottest)
{
    const struct cm_canvas *canvas = &frame->canvas;
    for (uint32_t i = 0; i < CM_CALLOUTS; i++) {
        struct cm_point at = hottest->callouts[i].at;
        struct cm_area area = hottest->callouts[i].area;
        struct cm_point end = {fmin(fmax(at.x, area.x), area.x + area.w), area.y + HEIGHT / 2};
        if (!(area.w > 0))
            continue;
        cm_canvas_line(canvas, at, end, 3, 0, CM_VIEW_BACK);
        cm_canvas_line(canvas, at, end, 1.2, 0, CM_VIEW_TEXT);
        cm_canvas_disc(canvas, at, 4, CM_VIEW_BACK);
        cm_canvas_ring(canvas, at, 3.5, 1.5, CM_VIEW_TEXT);
        cm_canvas_fill(canvas, area.x, area.y, area.w, area.h, CM_VIEW_BACK);
        cm_canvas_frame(canvas, area, 1, CM_VIEW_TEXT);
        cm_text(frame, (struct cm_text_place){CM_LEFT, area.x + 5, area.y + HEIGHT / 2, area.w},
                CM_VIEW_TEXT, "%s", hottest->callouts[i].text);
    }
}
