/* The panel of senders and receivers: a matrix with a row for each source node and a column for
 * each destination node. */
#include "packets.h"

#include <math.h>

static struct cm_cells cells_of(const struct cm_frame *frame, uint32_t side)
{
    struct cm_view_rect in = frame->inside;
    double room = fmin(in.w - 60.0, in.h - 40.0), each = side > 0 ? room / side : 0;
    each = fmax(1, floor(each * frame->canvas.scale)) / frame->canvas.scale;
    return (struct cm_cells){in.x + 50.0, in.y + 20.0, each * side, each * side, side, side};
}

static void draw_cells(const struct cm_frame *frame, const struct cm_cells *cells,
                       const struct cm_view_matrix *matrix)
{
    double each = cells->w / cells->columns;
    for (uint32_t row = 0; row < cells->rows; row++)
        for (uint32_t column = 0; column < cells->columns; column++) {
            size_t at = (size_t)row * matrix->side + column;
            double x = cells->x + column * each, y = cells->y + row * each;
            if (!(matrix->counts[at] > 0))
                continue;
            double value = matrix->most > 0 ? matrix->cells[at] / matrix->most : 0;
            uint32_t colour = cm_view_colour(frame->state->theme, frame->state->colours,
                                             value > 0.01 ? value : 0.01);
            cm_canvas_fill(&frame->canvas, x, y, each > 4 ? each - 1 : each,
                           each > 4 ? each - 1 : each, colour);
            if (each >= 24)
                cm_text(frame, (struct cm_text_place){CM_CENTRE, x - 2, y + each / 2, each + 4},
                        cm_view_ink_on(colour), "%.4g", matrix->cells[at]);
        }
}

static void label(const struct cm_frame *frame, const struct cm_cells *cells)
{
    uint32_t nodes = frame->run->info->nodes, step = 1, pinned = cm_frame_node(frame);
    double each = cells->w / cells->columns;
    while (step * each < 22 && step < cells->rows)
        step *= 2;
    cm_text(frame, (struct cm_text_place){CM_LEFT, cells->x, cells->y - 18, cells->w},
            CM_VIEW_QUIET, "to node");
    for (uint32_t i = 0; i < cells->rows; i += step) {
        uint32_t node = (uint32_t)((uint64_t)i * nodes / cells->rows);
        double at = (i + 0.5) * each;
        cm_text(frame, (struct cm_text_place){CM_CENTRE, cells->x + at - 18, cells->y - 7, 36},
                CM_VIEW_TEXT, "%u", node);
        cm_text(frame, (struct cm_text_place){CM_RIGHT, cells->x - 42, cells->y + at, 36},
                CM_VIEW_TEXT, "%u", node);
    }
    if (pinned == CM_TRACE_NONE)
        return;
    double at = floor((double)pinned * cells->rows / nodes) * each;
    cm_canvas_frame(&frame->canvas, (struct cm_area){cells->x, cells->y + at, cells->w, each}, 1,
                    CM_VIEW_PIN);
    cm_canvas_frame(&frame->canvas, (struct cm_area){cells->x + at, cells->y, each, cells->h}, 1,
                    CM_VIEW_PIN);
}

/* Writes at the right of the matrix what a cell means and how large the largest cell is, if there
 * is room. */
static void explain(const struct cm_frame *frame, const struct cm_cells *cells,
                    const struct cm_view_matrix *matrix)
{
    double x = cells->x + cells->w + 24, w = frame->inside.x + frame->inside.w - x;
    double y = cells->y + 8;
    uint32_t share = frame->run->info->nodes / cells->rows;
    size_t best = 0;
    if (w < 120)
        return;
    for (size_t i = 1; i < (size_t)matrix->side * matrix->side; i++)
        best = matrix->cells[i] > matrix->cells[best] ? i : best;
    cm_text(frame, (struct cm_text_place){CM_LEFT, x, y, w}, CM_VIEW_TEXT, "%s, from row to column",
            cm_view_quantity_names[frame->state->quantity]);
    cm_text(frame, (struct cm_text_place){CM_LEFT, x, y + 18, w}, CM_VIEW_QUIET, "%s",
            frame->run->info->packets > 0 ? "of packets under way in the interval"
                                          : "that exchanges send to neighbours");
    if (share > 1)
        cm_text(frame, (struct cm_text_place){CM_LEFT, x, y + 36, w}, CM_VIEW_QUIET,
                "a cell is %u x %u nodes", share, share);
    cm_text(frame, (struct cm_text_place){CM_LEFT, x, y + 60, w}, CM_VIEW_TEXT,
            "largest: %.5g, from %zu to %zu", matrix->cells[best], best / matrix->side * share,
            best % matrix->side * share);
    if (frame->state->plain)
        return;
    cm_text(frame, (struct cm_text_place){CM_LEFT, x, y + 84, w}, CM_VIEW_QUIET,
            "Shift+M: the next quantity");
    cm_text(frame, (struct cm_text_place){CM_LEFT, x, y + 102, w}, CM_VIEW_QUIET,
            "W: over instruction, window, all");
    if (frame->run->info->packets == 0 && frame->state->quantity != CM_VIEW_QUANTITY_WORDS)
        cm_text(frame, (struct cm_text_place){CM_LEFT, x, y + 126, w}, CM_VIEW_WARNING,
                "exchanges: words only");
}

/* Returns the top of the scale: the largest cell of the run, or of either of two compared runs. */
static double most_of(const struct cm_frame *frame, double most)
{
    const struct cm_view_state *state = frame->state;
    for (uint32_t i = 0; i < 2 && frame->layout.columns == 3; i++) {
        const struct cm_times *times = &frame->times[i];
        most = fmax(most, cm_view_matrix(&frame->model->runs[i], times->first, times->end,
                                         state->hidden_dimensions, state->quantity)
                              .most);
    }
    return most;
}

static void draw_matrix(const struct cm_frame *frame)
{
    cm_frame_panel(frame, "%s%s: %s, cycles %s\xe2\x80\x93%s", cm_frame_column_name(frame),
                   frame->panel->title, cm_view_quantity_names[frame->state->quantity],
                   cm_format_count(frame->first).text, cm_format_count(frame->end).text);
    if (frame->difference) {
        cm_text(
            frame,
            (struct cm_text_place){CM_LEFT, frame->inside.x, frame->inside.y + 8, frame->inside.w},
            CM_VIEW_QUIET, "the matrices of two runs have no difference");
        return;
    }
    struct cm_view_matrix matrix =
        cm_view_matrix(frame->run, frame->first, frame->end, frame->state->hidden_dimensions,
                       frame->state->quantity);
    matrix.most = most_of(frame, matrix.most);
    struct cm_cells cells = cells_of(frame, matrix.side);
    if (matrix.side == 0 || cells.w + 56 > frame->inside.w || cells.h + 20 > frame->inside.h)
        return;
    cm_canvas_frame(&frame->canvas,
                    (struct cm_area){cells.x - 1, cells.y - 1, cells.w + 2, cells.h + 2}, 1,
                    CM_VIEW_OUTLINE);
    draw_cells(frame, &cells, &matrix);
    label(frame, &cells);
    explain(frame, &cells, &matrix);
}

/* Finds the source node of the row under the pointer. */
static void hit_matrix(const struct cm_frame *frame, double x, double y, struct cm_view_hit *hit)
{
    uint32_t nodes = frame->run->info->nodes, column, row;
    uint32_t side = nodes < CM_VIEW_MATRIX_SIDE ? nodes : CM_VIEW_MATRIX_SIDE;
    struct cm_cells cells = cells_of(frame, side);
    if (!frame->difference && cm_cells_at(&cells, x, y, &column, &row))
        cm_frame_mark(frame, CM_VIEW_MARK_NODE, (uint32_t)((uint64_t)row * nodes / side), hit);
}

/* The panel needs much room, so it is shown only if the user selects it alone. */
const struct cm_panel cm_panel_matrix = {
    .title = "Who sends to whom",
    .about = "Sources are rows, destinations are columns.",
    .keys = "Shift+M Tab Return",
    .region = CM_REGION_NONE,
    .compared = CM_REGION_NONE,
    .yields = 1,
    .draw = draw_matrix,
    .hit = hit_matrix,
};
