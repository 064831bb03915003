/* Cycles by cause in the interval: bars, cycles and parts, the largest first; with two runs, the
 * difference of each. */
#include "draw_private.h"

#include <stdio.h>

struct line {
    unsigned cause;
    uint64_t cycles, other; /* other: of the first run, in the difference */
};

static uint64_t weight(const struct line *line)
{
    if (line->cycles >= line->other)
        return line->cycles - line->other;
    return line->other - line->cycles;
}

static unsigned collect(const struct cm_frame *frame, uint32_t column,
                        struct line lines[CM_CAUSE_COUNT])
{
    const uint64_t *cycles = cm_view_causes(cm_frame_run(frame, column), frame->first, frame->end);
    const uint64_t *other = NULL;
    unsigned count = 0;
    if (cm_frame_is_difference(frame, column))
        other = cm_view_causes(&frame->model->runs[0], frame->first, frame->end);
    for (unsigned cause = 0; cause < CM_CAUSE_COUNT; cause++) {
        struct line line = {cause, cycles[cause], other != NULL ? other[cause] : 0};
        if (line.cycles == 0 && line.other == 0)
            continue;
        unsigned at = count++;
        for (; at > 0 && weight(&lines[at - 1]) < weight(&line); at--)
            lines[at] = lines[at - 1];
        lines[at] = line;
    }
    return count;
}

static void draw_line(const struct cm_frame *frame, struct cm_view_rect inside, double middle,
                      const struct line *line, uint64_t most, bool difference)
{
    double names = 108, numbers = 128, room = inside.w - names - numbers - 8;
    double length = (double)(frame->end - frame->first);
    double w = most > 0 && room > 0 ? room * (double)weight(line) / (double)most : 0;
    bool less = line->cycles < line->other;
    cm_label_draw(&frame->label, CM_LABEL_SMALL, CM_LABEL_LEFT, inside.x, middle, names - 4,
                  CM_VIEW_TEXT, cm_cause_name((enum cm_cause)line->cause));
    uint32_t colour = difference ? cm_view_difference_colour(less ? -0.5 : 0.5) : CM_VIEW_QUIET;
    if (w > 0)
        cm_canvas_fill(&frame->canvas, inside.x + names, middle - 4, w < 1 ? 1 : w, 8, colour);
    double right = inside.x + inside.w;
    const char *sign = !difference || weight(line) == 0 ? "" : less ? "\xe2\x88\x92" : "+";
    cm_label_print(&frame->label, CM_LABEL_SMALL, CM_LABEL_RIGHT, right - numbers, middle, 76,
                   CM_VIEW_TEXT, "%s%s", sign, cm_number_of(weight(line)).text);
    cm_label_print(&frame->label, CM_LABEL_SMALL, CM_LABEL_RIGHT, right - 52, middle, 52,
                   CM_VIEW_QUIET, "%s%s", sign, cm_percent_of((double)weight(line) / length).text);
}

void cm_draw_causes(const struct cm_frame *frame, uint32_t column)
{
    struct cm_view_rect place = frame->layout.place[column][CM_VIEW_PART_CAUSES];
    struct line lines[CM_CAUSE_COUNT];
    unsigned count = collect(frame, column, lines);
    char title[160];
    snprintf(title, sizeof title, "%sCycles by cause, %s\xe2\x80\x93%s",
             cm_frame_column_name(frame, column), cm_number_of(frame->first).text,
             cm_number_of(frame->end).text);
    struct cm_view_rect inside = cm_frame_panel(frame, place, CM_VIEW_PHASES, title);
    double height = count > 0 ? (double)inside.h / count : 0;
    height = height > 20 ? 20 : height < 14 ? 14 : height;
    unsigned rows = (unsigned)(inside.h / height);
    for (unsigned i = 0; i < count && i < rows; i++) {
        double middle = inside.y + height * i + height / 2;
        if (i + 1 == rows && rows < count) {
            cm_label_print(&frame->label, CM_LABEL_SMALL, CM_LABEL_LEFT, inside.x, middle, inside.w,
                           CM_VIEW_QUIET, "and %u more", count - i);
            break;
        }
        draw_line(frame, inside, middle, &lines[i], weight(&lines[0]),
                  cm_frame_is_difference(frame, column));
    }
    if (count == 0)
        cm_label_draw(&frame->label, CM_LABEL_BODY, CM_LABEL_LEFT, inside.x, inside.y + 12,
                      inside.w, CM_VIEW_QUIET, "no cycle of the run in this interval");
}
