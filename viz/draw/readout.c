/* The readout of a time strip under the pointer: a box with the cycle and its time, the phase and
 * step there, and the loads of a dimension. The box covers the strip's title, so that it hides no
 * data. */
#include "draw_private.h"

#include <stdarg.h>
#include <stdio.h>

#define HEIGHT 18.0

static size_t append(char *text, size_t size, size_t length, const char *format, ...)
    CM_PRINTF(4, 5);

static size_t append(char *text, size_t size, size_t length, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int more = vsnprintf(text + length, size - length, format, arguments);
    va_end(arguments);
    return more > 0 && (size_t)more < size - length ? length + (size_t)more : length;
}

/* Appends the loads of a dimension in the pixel column under the pointer. Returns the new length of
 * the text. */
static size_t print_loads(const struct cm_frame *frame, char *text, size_t size, size_t length)
{
    const struct cm_view_pointed *pointed = &frame->state->pointed;
    struct cm_strip strip = cm_frame_strip(frame);
    int first;
    uint32_t parts = cm_strip_columns(frame, &strip, &first);
    if (parts == 0 || pointed->dimension >= frame->run->info->dimensions || frame->difference)
        return length;
    const struct cm_trace_use *use = cm_view_use(frame->run, strip.first, strip.end, &parts);
    double at = (double)(pointed->cycle - strip.first) / (double)(strip.end - strip.first);
    uint32_t part = (uint32_t)(at * parts);
    use += (size_t)pointed->dimension * parts + (part < parts ? part : parts - 1);
    return append(text, size, length, "   dimension %u: busiest %s, mean %s", pointed->dimension,
                  cm_percent_of((double)use->max).text, cm_percent_of((double)use->mean).text);
}

static void print_readout(const struct cm_frame *frame, char *text, size_t size)
{
    const struct cm_view_pointed *pointed = &frame->state->pointed;
    struct cm_trace_event event;
    size_t length = append(text, size, 0, "cycle %s (%s)", cm_format_count(pointed->cycle).text,
                           cm_time_of(pointed->cycle, frame->run->info->clock_hz).text);
    if (pointed->cycle >= frame->run->info->cycles)
        length = append(text, size, length, "   the run has ended");
    else if (!cm_view_event(frame->run, pointed->cycle, &event) ||
             event.first_cycle > pointed->cycle)
        length = append(text, size, length, "   control flow");
    else
        length = append(text, size, length, "   %s", cm_trace_phase_name(event.phase));
    if (pointed->part == CM_VIEW_TIME)
        print_loads(frame, text, size, length);
}

void cm_draw_readout(const struct cm_frame *frame)
{
    const struct cm_view_state *state = frame->state;
    struct cm_strip strip = cm_frame_strip(frame);
    struct cm_view_rect place = frame->place;
    char text[200];
    if (place.w <= 0 || state->pointed.cycle < strip.first || state->pointed.cycle >= strip.end)
        return;
    print_readout(frame, text, sizeof text);
    double x = cm_strip_x(&strip, state->pointed.cycle);
    double w = cm_label_width_of(&frame->label, CM_LABEL_SMALL, text) + 12;
    double left = x - w / 2, top = place.y + 1;
    left = left > place.x + place.w - w ? place.x + place.w - w : left;
    left = left < place.x ? place.x : left;
    w = w > place.w ? place.w : w;
    if (frame->panel->title == NULL) /* the time axis has no title, so its box is above it */
        top = place.y - HEIGHT - 2;
    cm_canvas_shade(&frame->canvas, (struct cm_area){x, place.y, 1, place.h}, CM_VIEW_CURSOR, 110);
    cm_canvas_fill(&frame->canvas, left, top, w, HEIGHT, CM_VIEW_BACK);
    cm_canvas_frame(&frame->canvas, (struct cm_area){left, top, w, HEIGHT}, 1, CM_VIEW_OUTLINE);
    cm_text(frame, (struct cm_text_place){CM_LEFT, left + 6, top + HEIGHT / 2, w - 8}, CM_VIEW_TEXT,
            "%s", text);
}
