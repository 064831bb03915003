/* The panel of the program that is stepped through (--debug): its source, and the contents of the
 * sequencer and the pinned node. */
#include "../model/program.h"

#include "draw_private.h"

#include <inttypes.h>

#define LINE   14
#define GUTTER 14 /* width in points for a line's breakpoint, and for the mark of the next line */

static bool is_wanted(const struct cm_view_model *model, const struct cm_view_state *state)
{
    return model->program != NULL && !state->compare;
}

static double row_top(const struct cm_frame *frame, uint32_t row)
{
    return frame->inside.y + (double)row * LINE;
}

/* Returns the number of rows that fit into the panel. */
static uint32_t rows_shown(const struct cm_frame *frame)
{
    uint32_t count = frame->model->program != NULL ? frame->model->program->count : 0;
    uint32_t room = frame->inside.h > 0 ? (uint32_t)(frame->inside.h / LINE) : 0;
    return count < room ? count : room;
}

static uint32_t colour_of(enum cm_view_row_kind kind)
{
    switch (kind) {
    case CM_VIEW_ROW_STOP:
        return CM_VIEW_PIN;
    case CM_VIEW_ROW_WRONG:
        return CM_VIEW_WARNING;
    case CM_VIEW_ROW_TITLE:
    case CM_VIEW_ROW_QUIET:
        return CM_VIEW_QUIET;
    default:
        return CM_VIEW_TEXT;
    }
}

static void draw_row(const struct cm_frame *frame, uint32_t i)
{
    const struct cm_view_program_row *row = &frame->model->program->rows[i];
    const struct cm_view_rect in = frame->inside;
    double top = row_top(frame, i), middle = top + LINE / 2.0;
    bool line = row->kind == CM_VIEW_ROW_LINE, title = row->kind == CM_VIEW_ROW_TITLE;
    int indent = title || row->kind == CM_VIEW_ROW_STOP ? 0 : GUTTER;
    if (row->next)
        cm_canvas_fill(&frame->canvas, in.x - 4, top, in.w + 8, LINE, CM_VIEW_RAISED);
    if (line && frame->state->program_row == i + 1)
        cm_canvas_frame(&frame->canvas, (struct cm_area){in.x - 4, top, in.w + 8, LINE}, 1,
                        CM_VIEW_OUTLINE);
    if (line && row->broken > 0)
        cm_canvas_fill(&frame->canvas, in.x, middle - 3, 7, 7, CM_VIEW_WARNING);
    cm_label_draw(&frame->label, title ? CM_LABEL_SMALL : CM_LABEL_MONO,
                  (struct cm_text_place){CM_LEFT, in.x + indent, middle, in.w - indent},
                  row->next ? CM_VIEW_PIN : colour_of(row->kind), row->text);
}

static void draw_program(const struct cm_frame *frame)
{
    const struct cm_view_program *program = frame->model->program;
    uint32_t shown = rows_shown(frame);
    if (program == NULL) {
        cm_frame_panel(frame, "%s: none is stepped through; --debug opens one",
                       frame->panel->title);
        return;
    }
    const char *more = shown < program->count ? "; Return shows more" : "";
    if (program->runs)
        cm_frame_panel(frame, "%s: it runs; Shift+S stops it", frame->panel->title);
    else if (program->cycle != frame->cursor)
        cm_frame_panel(frame, "%s, at cycle %s%s", frame->panel->title,
                       cm_format_count(program->cycle).text, more);
    else
        cm_frame_panel(frame, "%s%s", frame->panel->title, more);
    for (uint32_t i = 0; i < shown; i++)
        draw_row(frame, i);
}

static void hit_program(const struct cm_frame *frame, double x, double y, struct cm_view_hit *hit)
{
    uint32_t shown = rows_shown(frame);
    if (!cm_rect_has(frame->inside, x, y))
        return;
    uint32_t row = (uint32_t)((y - frame->inside.y) / LINE);
    if (row >= shown || frame->model->program->rows[row].place[0] == '\0')
        return;
    hit->kind = CM_VIEW_HIT_LINE;
    hit->row = row;
}

static int height_in(const struct cm_room *room)
{
    return room->column == 0 ? 160 : room->column * 72 / 100 > 160 ? room->column * 72 / 100 : 160;
}

const struct cm_panel cm_panel_program = {
    .title = "Program",
    .about = "Where the program stands, its source, and what the machine and the pinned node hold; "
             "a click on a line sets a breakpoint, or deletes it.",
    .keys = "Shift+S Shift+E Shift+G Backspace Shift+B Shift+Return",
    .region = CM_REGION_SIDE,
    .compared = CM_REGION_NONE,
    .height_in = height_in,
    .yields = 8,
    .is_wanted = is_wanted,
    .draw = draw_program,
    .hit = hit_program,
};
