/* The list of cycles by cause in the interval. Each cause has a bar, its cycles and its share, the
 * largest first. For two runs the list shows the differences. */
#include "draw_private.h"

#define NUMBERS_WIDTH 138 /* width in points of the cycles and the share */
#define SHARE_WIDTH   62

struct line {
    unsigned cause;
    /* cycles of the run, and of the first run if the column shows the difference */
    uint64_t cycles, other;
};

static uint64_t weight(const struct line *line)
{
    if (line->cycles >= line->other)
        return line->cycles - line->other;
    return line->other - line->cycles;
}

static unsigned collect(const struct cm_frame *frame, struct line lines[CM_CAUSE_COUNT])
{
    const uint64_t *cycles = cm_view_causes(frame->run, frame->first, frame->end), *other = NULL;
    unsigned count = 0;
    if (frame->difference)
        other = cm_view_causes(&frame->model->runs[0], frame->times[0].first, frame->times[0].end);
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

/* Returns the number of cycles that is 100 %: all cycles of the run in the interval, or those of
 * the first run for a difference. */
static uint64_t all_cycles(const struct cm_frame *frame, const struct line *lines, unsigned count)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < count; i++)
        sum += frame->difference ? lines[i].other : lines[i].cycles;
    return sum;
}

/* Returns the number of cycles of the longest bar. If two runs are compared, all columns have one
 * scale, which the runs determine. */
static uint64_t longest_bar(const struct cm_frame *frame, const struct line *lines)
{
    uint64_t longest = 0;
    if (frame->layout.columns < 3)
        return weight(&lines[0]);
    for (uint32_t run = 0; run < 2; run++) {
        const struct cm_times *times = &frame->times[run];
        const uint64_t *cycles = cm_view_causes(&frame->model->runs[run], times->first, times->end);
        for (unsigned cause = 0; cause < CM_CAUSE_COUNT; cause++)
            longest = cycles[cause] > longest ? cycles[cause] : longest;
    }
    return longest;
}

static void draw_line(const struct cm_frame *frame, double middle, const struct line *line,
                      uint64_t most, uint64_t all)
{
    double names = 108, numbers = NUMBERS_WIDTH, room = frame->inside.w - names - numbers - 8;
    double left = frame->inside.x, right = left + frame->inside.w;
    double share = all > 0 ? (double)weight(line) / (double)all : 0;
    double w = most > 0 && room > 0 ? room * (double)weight(line) / (double)most : 0;
    bool less = line->cycles < line->other;
    cm_text(frame, (struct cm_text_place){CM_LEFT, left, middle, names - 4}, CM_VIEW_TEXT, "%s",
            cm_cause_name((enum cm_cause)line->cause));
    if (w > 0)
        cm_canvas_fill(&frame->canvas, left + names, middle - 4, w < 1 ? 1 : w, 8,
                       frame->difference
                           ? cm_view_difference_colour(frame->state->theme, less ? -0.5 : 0.5)
                           : CM_VIEW_QUIET);
    const char *sign = !frame->difference || weight(line) == 0 ? "" : less ? "\xe2\x88\x92" : "+";
    cm_text(frame, (struct cm_text_place){CM_RIGHT, right - numbers, middle, 76}, CM_VIEW_TEXT,
            "%s%s", sign, cm_format_count(weight(line)).text);
    cm_text(frame, (struct cm_text_place){CM_RIGHT, right - SHARE_WIDTH, middle, SHARE_WIDTH},
            CM_VIEW_QUIET, "%s%s", sign, all > 0 ? cm_percent_of(share).text : "");
}

/* Writes the headings above the numbers if two runs are compared. */
static void draw_heading(const struct cm_frame *frame)
{
    struct cm_view_rect in = frame->inside;
    static const char *const of[3] = {"of A", "of B", "of A"};
    cm_text(frame, (struct cm_text_place){CM_RIGHT, in.x + in.w - SHARE_WIDTH - 108, in.y + 5, 108},
            CM_VIEW_QUIET, "%s", frame->difference ? "B \xe2\x88\x92 A" : "cycles");
    cm_text(frame, (struct cm_text_place){CM_RIGHT, in.x + in.w - 76, in.y + 5, 76}, CM_VIEW_QUIET,
            "%s", of[frame->column % 3]);
}

static void draw_causes(const struct cm_frame *frame)
{
    struct line lines[CM_CAUSE_COUNT];
    struct cm_view_rect inside = frame->inside;
    unsigned count = collect(frame, lines);
    cm_frame_panel(frame, "%s%s, %s\xe2\x80\x93%s", cm_frame_column_name(frame),
                   frame->panel->title, cm_format_count(frame->first).text,
                   cm_format_count(frame->end).text);
    uint64_t all = all_cycles(frame, lines, count);
    uint64_t longest = count > 0 ? longest_bar(frame, lines) : 0;
    if (frame->layout.columns == 3 && count > 0) {
        draw_heading(frame);
        inside.y += 12;
        inside.h -= 12;
    }
    double height = count > 0 ? (double)inside.h / count : 0;
    height = height > 20 ? 20 : height < 14 ? 14 : height;
    unsigned rows = inside.h > 0 ? (unsigned)(inside.h / height) : 0;
    for (unsigned i = 0; i < count && i < rows; i++) {
        double middle = inside.y + height * i + height / 2;
        if (i + 1 < rows || rows >= count)
            draw_line(frame, middle, &lines[i], longest, all);
        else
            cm_text(frame, (struct cm_text_place){CM_LEFT, inside.x, middle, inside.w},
                    CM_VIEW_QUIET, "and %u more", count - i);
    }
    if (count == 0)
        cm_label_draw(&frame->label, CM_LABEL_BODY,
                      (struct cm_text_place){CM_LEFT, inside.x, inside.y + 12, inside.w},
                      CM_VIEW_QUIET, "the run has no cycles in this interval");
}

static int height_in(const struct cm_room *room)
{
    return room->compare ? 136 : room->column == 0 ? 140 : 190;
}

const struct cm_panel cm_panel_causes = {
    .title = "Cycles by cause",
    .about = "What each cycle of the interval is charged to.",
    .keys = "W",
    .region = CM_REGION_SIDE,
    .compared = CM_REGION_FOOT,
    .height_in = height_in,
    .with = &cm_panel_phases,
    .draw = draw_causes,
};
