/*
 * The panel of an array. Each element has a cell, with the first index across and the others down.
 * The cell has the colour and number of the node that holds the element at the end of the interval.
 * Elements that moved within the interval, or whose words crossed a channel, have a frame, and the
 * numbers of the source and destination node.
 */
#include "draw_private.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* Returns the number of elements in a row of the picture. An array of one axis is folded into rows.
 * In an array of more axes the first ones are combined, so that the picture has about the aspect
 * ratio of its place. */
static uint64_t elements_across(const struct cm_trace_array *array, double aspect)
{
    uint64_t across = 1;
    /* a power of two, so that elements in a column agree in the low bits of their index */
    if (array->rank <= 1) {
        while ((double)(across * across) < (double)array->elements * aspect)
            across *= 2;
        return across;
    }
    for (uint32_t i = 0; i + 1 < array->rank; i++) {
        uint64_t wider = across * array->shape[i];
        /* The first axis is always in the row. The next axis is added if the aspect ratio gets
         * closer. */
        double have = (double)(across * across) / ((double)array->elements * aspect);
        double then = (double)(wider * wider) / ((double)array->elements * aspect);
        if (i > 0 && (have >= 1 || then > 1 / have))
            break;
        across = wider;
    }
    return across > 0 ? across : 1;
}

/* Returns the size of a cell in points. A number in a cell needs more width than height. */
static double cell_size(uint64_t elements, uint64_t across, double w, double h)
{
    return fmin(w / (double)across, 1.6 * h / (double)((elements + across - 1) / across));
}

/* Part of an array that is shown, and its cells. No columns: there is nothing to show, or no
 * room. */
struct shown {
    uint64_t first, count; /* number of the first element, and number of elements */
    struct cm_cells cells;
};

static const struct cm_trace_array *array_of(const struct cm_frame *frame)
{
    if (frame->state->array >= frame->run->info->arrays)
        return NULL;
    return cm_trace_array_then(frame->run->trace, frame->state->array, frame->end);
}

/* Returns the number + 1 of the slice that is shown (the first two axes of an array), or 0 for the
 * whole array. */
static uint64_t slice_of(const struct cm_frame *frame, const struct cm_trace_array *array)
{
    uint64_t plane = array->rank >= 3 ? array->shape[0] * array->shape[1] : 0;
    return plane > 0 && frame->state->slice <= array->elements / plane ? frame->state->slice : 0;
}

static uint64_t fold(const struct cm_frame *frame, const struct cm_trace_array *array,
                     double height)
{
    struct cm_view_rect inside = frame->inside;
    uint64_t across = elements_across(array, inside.w / height / 2);
    while (across % 2 == 0 && cell_size(array->elements, across / 2, inside.w, height) >
                                  cell_size(array->elements, across, inside.w, height))
        across /= 2; /* rows that are too long are split in half */
    return across;
}

static struct shown shown_of(const struct cm_frame *frame)
{
    struct cm_view_rect inside = frame->inside;
    const struct cm_trace_array *array = array_of(frame);
    struct shown shown = {.cells = {.x = inside.x, .y = inside.y}};
    struct cm_cells *cells = &shown.cells;
    if (array == NULL || inside.w < 8 || inside.h < 24 || !array->placed || array->elements == 0)
        return shown;
    double scale = frame->canvas.scale, height = inside.h - 18;
    uint64_t slice = slice_of(frame, array), across = array->shape[0];
    shown.count = array->elements;
    if (slice > 0) {
        shown.count = array->shape[0] * array->shape[1];
        shown.first = (slice - 1) * shown.count;
    } else {
        across = fold(frame, array, height);
    }
    uint64_t down = (shown.count + across - 1) / across;
    double each = inside.w / (double)across, tall = fmin(height / (double)down, each);
    /* Cells are whole pixels, so all are equally large. If cells are smaller than a pixel, a pixel
     * shows one of its elements. */
    each = each * scale >= 1 ? floor(each * scale) / scale : each;
    each = fmin(each, fmax(3 * tall, 1 / scale));
    tall = tall * scale >= 1 ? floor(tall * scale) / scale : tall;
    cells->columns = (uint32_t)across;
    cells->rows = (uint32_t)down;
    cells->w = each * (double)across;
    cells->h = tall * (double)down;
    cells->x = inside.x + floor((inside.w - cells->w) / 2);
    return shown;
}

static const struct cm_view_places *places_of(const struct cm_frame *frame)
{
    return cm_view_places(frame->run, frame->state->array, frame->first, frame->end);
}

static uint32_t node_colour(const struct cm_frame *frame, uint32_t node)
{
    return cm_view_node_colour(frame->state->theme, node);
}

/* Writes from which node to which node the element's words go. Writes only the node that holds the
 * element if there is no room, or no word moves. */
static void label_element(const struct cm_frame *frame, const struct cm_view_element *element,
                          double x, double middle, double w)
{
    uint32_t ink = cm_view_ink_on(node_colour(frame, element->node));
    uint32_t from = element->node, to = CM_TRACE_NONE;
    if (element->moved && element->before != element->node) {
        from = element->before;
        to = element->node;
    } else {
        to = element->leaves;
    }
    if (to != CM_TRACE_NONE && w >= 36)
        cm_text(frame, (struct cm_text_place){CM_CENTRE, x, middle, w - 1}, ink, "%u\xe2\x86\x92%u",
                from, to);
    else
        cm_text(frame, (struct cm_text_place){CM_CENTRE, x, middle, w - 1}, ink, "%u",
                element->node);
}

static bool fits_number(double w, double h)
{
    return w >= 18 && h >= 12;
}

static void draw_element(const struct cm_frame *frame, const struct cm_view_element *element,
                         double x, double y, double w, double h)
{
    double gap = w >= 5 && h >= 5 ? 1 : 0;
    bool crosses = element->moved || element->leaves != CM_TRACE_NONE || element->arrives;
    if (element->node == CM_TRACE_NONE) {
        cm_canvas_frame(&frame->canvas, (struct cm_area){x, y, w - gap, h - gap}, 1,
                        CM_VIEW_OUTLINE);
        return;
    }
    cm_canvas_fill(&frame->canvas, x, y, w - gap, h - gap, node_colour(frame, element->node));
    if (crosses && w >= 4 && h >= 4)
        cm_canvas_frame(&frame->canvas, (struct cm_area){x, y, w - gap, h - gap}, w >= 14 ? 2 : 1,
                        CM_VIEW_PIN);
    if (fits_number(w, h))
        label_element(frame, element, x, y + h / 2, w);
}

/* Draws an array with more elements than pixels. Each pixel shows one of its elements. */
static void draw_pixels(const struct cm_frame *frame, const struct cm_view_places *places,
                        const struct shown *shown)
{
    const struct cm_canvas *canvas = &frame->canvas;
    const struct cm_cells *cells = &shown->cells;
    int left = cm_canvas_pixel(canvas, cells->x), top = cm_canvas_pixel(canvas, cells->y);
    int w = cm_canvas_pixel(canvas, cells->x + cells->w) - left;
    int h = cm_canvas_pixel(canvas, cells->y + cells->h) - top;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            uint64_t i = (uint64_t)y * cells->rows / (uint64_t)h * cells->columns +
                         (uint64_t)x * cells->columns / (uint64_t)w;
            if (i < shown->count && shown->first + i < places->elements &&
                places->element[shown->first + i].node != CM_TRACE_NONE)
                cm_canvas_fill_pixels(canvas, left + x, top + y, 1, 1,
                                      node_colour(frame, places->element[shown->first + i].node));
        }
}

/* Returns the node that holds the element of a cell, or CM_TRACE_NONE outside the cells. */
static uint32_t node_at(const struct cm_view_places *places, const struct shown *shown,
                        uint32_t column, uint32_t row)
{
    uint64_t i = (uint64_t)row * shown->cells.columns + column;
    if (column >= shown->cells.columns || i >= shown->count || shown->first + i >= places->elements)
        return CM_TRACE_NONE;
    return places->element[shown->first + i].node;
}

/* Returns true if cells of one or two pixels often have neighbours on other nodes, so that lines
 * between nodes would hide the cells. */
static bool is_too_fine(const struct cm_frame *frame, const struct cm_view_places *places,
                        const struct shown *shown)
{
    const struct cm_cells *cells = &shown->cells;
    double least = fmin(cells->w / cells->columns, cells->h / cells->rows) * frame->canvas.scale;
    uint64_t borders = 0;
    for (uint64_t i = 1; i < shown->count && shown->first + i < places->elements && least < 3; i++)
        borders +=
            places->element[shown->first + i].node != places->element[shown->first + i - 1].node;
    return borders > shown->count / 3;
}

/* Draws lines between neighbouring elements that are on different nodes. */
static void draw_borders(const struct cm_frame *frame, const struct cm_view_places *places,
                         const struct shown *shown)
{
    const struct cm_cells *cells = &shown->cells;
    double w = cells->w / cells->columns, h = cells->h / cells->rows;
    double pixel = 1 / frame->canvas.scale;
    for (uint32_t row = 0; row < cells->rows; row++)
        for (uint32_t column = 0; column < cells->columns; column++) {
            uint32_t node = node_at(places, shown, column, row);
            double x = cells->x + (column + 1) * w, y = cells->y + (row + 1) * h;
            uint32_t right = node_at(places, shown, column + 1, row);
            uint32_t below = node_at(places, shown, column, row + 1);
            if (right != CM_TRACE_NONE && right != node)
                cm_canvas_fill(&frame->canvas, x - pixel, y - h, pixel, h, CM_VIEW_TEXT);
            if (below != CM_TRACE_NONE && below != node)
                cm_canvas_fill(&frame->canvas, x - w, y - pixel, w, pixel, CM_VIEW_TEXT);
        }
}

/* Writes the number of a node over the block of its elements, if single cells are too small for a
 * number. */
static void label_block(const struct cm_frame *frame, const struct cm_view_places *places,
                        const struct shown *shown, uint32_t column, uint32_t row)
{
    const struct cm_cells *cells = &shown->cells;
    double w = cells->w / cells->columns, h = cells->h / cells->rows;
    uint32_t node = node_at(places, shown, column, row), across = 1, down = 1;
    if (node == CM_TRACE_NONE || (column > 0 && node_at(places, shown, column - 1, row) == node) ||
        (row > 0 && node_at(places, shown, column, row - 1) == node))
        return;
    while (node_at(places, shown, column + across, row) == node)
        across++;
    while (node_at(places, shown, column, row + down) == node)
        down++;
    if (!fits_number(across * w, down * h))
        return;
    uint32_t colour = node_colour(frame, node);
    double x = cells->x + (column + across / 2.0) * w, y = cells->y + (row + down / 2.0) * h;
    double half = fmin(14, across * w / 2 - 1);
    cm_canvas_fill(&frame->canvas, x - half, y - 6, 2 * half, 12, colour);
    cm_text(frame, (struct cm_text_place){CM_CENTRE, x - 20, y, 40}, cm_view_ink_on(colour), "%u",
            node);
}

/* Writes a sentence that says how many elements have a frame and why. */
static void print_moves(const struct cm_view_places *places, char *text, size_t size)
{
    if (places->moved_count > 0)
        snprintf(text, size, "%s of %s elements move in the interval",
                 cm_format_count(places->moved_count).text, cm_format_count(places->elements).text);
    else if (!places->crossings_known)
        snprintf(text, size, "a shorter interval shows what crosses channels");
    else if (places->leave_count + places->arrive_count > 0)
        snprintf(text, size, "words sent from %s elements, received for %s",
                 cm_format_count(places->leave_count).text,
                 cm_format_count(places->arrive_count).text);
    else
        snprintf(text, size, "no element moves in the interval");
}

static void draw_cells(const struct cm_frame *frame, const struct cm_view_places *places,
                       const struct shown *shown)
{
    const struct cm_cells *cells = &shown->cells;
    double w = cells->w / cells->columns, h = cells->h / cells->rows;
    for (uint64_t i = 0; i < shown->count && shown->first + i < places->elements; i++)
        draw_element(frame, &places->element[shown->first + i],
                     cells->x + (double)(i % cells->columns) * w,
                     cells->y + (double)(i / cells->columns) * h, w, h);
    if (!is_too_fine(frame, places, shown))
        draw_borders(frame, places, shown);
    for (uint32_t row = 0; row < cells->rows && !fits_number(w, h); row++)
        for (uint32_t column = 0; column < cells->columns; column++)
            label_block(frame, places, shown, column, row);
}

static void draw_elements(const struct cm_frame *frame, const struct cm_view_places *places,
                          const struct shown *shown)
{
    double scale = frame->canvas.scale;
    const struct cm_cells *cells = &shown->cells;
    struct cm_view_rect in = frame->inside;
    char text[120];
    if (cells->w * scale < cells->columns || cells->h * scale < cells->rows)
        draw_pixels(frame, places, shown);
    else
        draw_cells(frame, places, shown);
    bool moves = places->moved_count > 0 ||
                 (places->crossings_known && places->leave_count + places->arrive_count > 0);
    print_moves(places, text, sizeof text);
    cm_text(frame, (struct cm_text_place){CM_LEFT, in.x, in.y + in.h - 6, in.w},
            moves ? CM_VIEW_TEXT : CM_VIEW_QUIET, "%s", text);
}

static void print_shape(const struct cm_trace_array *array, char *text, size_t size)
{
    size_t length = 0;
    for (uint32_t i = 0; i < array->rank && length + 24 < size; i++)
        length += (size_t)snprintf(text + length, size - length, "%s%" PRIu64,
                                   i > 0 ? "\xc3\x97" : "", array->shape[i]);
}

/* Writes the shape of the array, such as "(8x8x4)", or for a slice "(:,:,3) of 8x8x4". Indices
 * count from 1, as in CM Fortran. */
static void print_what(const struct cm_frame *frame, const struct cm_trace_array *array, char *text,
                       size_t size)
{
    char shape[160] = "";
    uint64_t slice = slice_of(frame, array), rest = slice - 1;
    print_shape(array, shape, sizeof shape);
    if (slice == 0) {
        snprintf(text, size, "(%s)", shape);
        return;
    }
    size_t length = (size_t)snprintf(text, size, "(:,:");
    for (uint32_t a = 2; a < array->rank && length + 24 < size; a++) {
        length +=
            (size_t)snprintf(text + length, size - length, ",%" PRIu64, rest % array->shape[a] + 1);
        rest /= array->shape[a];
    }
    snprintf(text + length, size - length, ") of %s", shape);
}

static void draw_array(const struct cm_frame *frame)
{
    const struct cm_trace_array *array = array_of(frame);
    const struct cm_view_places *places = places_of(frame);
    struct shown shown = shown_of(frame);
    char what[240];
    if (array != NULL) {
        print_what(frame, array, what, sizeof what);
        cm_frame_panel(frame, "Array %s %s: node of each element", array->name, what);
    } else {
        cm_frame_panel(frame, "Array: the workload has no arrays");
    }
    if (places != NULL && shown.cells.columns > 0)
        draw_elements(frame, places, &shown);
    else if (array != NULL)
        cm_label_draw(
            &frame->label, CM_LABEL_BODY,
            (struct cm_text_place){CM_LEFT, frame->inside.x, frame->inside.y + 14, frame->inside.w},
            CM_VIEW_QUIET, "the places of its elements are not recorded");
}

static void hit_array(const struct cm_frame *frame, double x, double y, struct cm_view_hit *hit)
{
    struct shown shown = shown_of(frame);
    const struct cm_view_places *places = places_of(frame);
    uint32_t column, row;
    if (places == NULL || !cm_cells_at(&shown.cells, x, y, &column, &row))
        return;
    uint32_t node = node_at(places, &shown, column, row);
    if (node != CM_TRACE_NONE)
        cm_frame_mark(frame, CM_VIEW_MARK_NODE, node, hit);
}

static bool has_places(const struct cm_view_model *model, const struct cm_view_state *state)
{
    const struct cm_view_run *run = &model->runs[state->run];
    for (uint32_t i = 0; i < run->info->arrays; i++)
        if (cm_trace_array_at(run->trace, i)->placed)
            return true;
    return false;
}

static int height_in(const struct cm_room *room)
{
    return room->column == 0 ? 140 : 190;
}

const struct cm_panel cm_panel_array = {
    .title = "Array",
    .about = "Which node has each element, and which elements move.",
    .keys = "Y Shift+Up Tab Return",
    .region = CM_REGION_SIDE,
    .compared = CM_REGION_NONE,
    .height_in = height_in,
    .grows = true,
    .yields = 1,
    .is_wanted = has_places,
    .draw = draw_array,
    .hit = hit_array,
};
