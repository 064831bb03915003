/*
 * An array: a cell an element, the first index across, the others down; in it the node that holds
 * the element at the end of the interval. Elements that moved within the interval, or whose words
 * crossed a channel, are lit, with the nodes that they went from and to.
 */
#include "draw_private.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* Elements in a row: of one axis by folding it, of more by taking axes together, so that the
 * picture is about as wide as its place. */
static uint64_t elements_across(const struct cm_trace_array *array, double aspect)
{
    uint64_t across = 1;
    if (array->rank <= 1) { /* a power of two, so that bits of the index stay in columns */
        while ((double)(across * across) < (double)array->elements * aspect)
            across *= 2;
        return across;
    }
    for (uint32_t i = 0; i + 1 < array->rank; i++) {
        uint64_t wider = across * array->shape[i];
        /* The next axis joins when that comes nearer to the aspect asked for; the first always. */
        double have = (double)(across * across) / ((double)array->elements * aspect);
        double then = (double)(wider * wider) / ((double)array->elements * aspect);
        if (i > 0 && (have >= 1 || then > 1 / have))
            break;
        across = wider;
    }
    return across > 0 ? across : 1;
}

/* What room a cell gets; numbers take more across than down. */
static double cell_size(uint64_t elements, uint64_t across, double w, double h)
{
    return fmin(w / (double)across, 1.6 * h / (double)((elements + across - 1) / across));
}

struct cm_cells cm_array_cells(const struct cm_frame *frame, uint32_t column)
{
    const struct cm_view_run *run = cm_frame_run(frame, column);
    struct cm_view_rect inside = cm_panel_inside(frame->layout.place[column][CM_VIEW_ARRAY]);
    struct cm_cells cells = {.x = inside.x, .y = inside.y};
    if (frame->state->array >= run->info->arrays || inside.w < 8 || inside.h < 24)
        return cells;
    const struct cm_trace_array *array =
        cm_trace_array_then(run->trace, frame->state->array, frame->end);
    if (!array->placed || array->elements == 0)
        return cells;
    double scale = frame->canvas.scale, height = inside.h - 18;
    uint64_t across = elements_across(array, inside.w / height / 2);
    while (across % 2 == 0 && cell_size(array->elements, across / 2, inside.w, height) >
                                  cell_size(array->elements, across, inside.w, height))
        across /= 2; /* a row that is too long goes on in the next line */
    uint64_t down = (array->elements + across - 1) / across;
    double each = fmin(inside.w / (double)across, 64);
    double tall = fmin(fmin(height / (double)down, each), 26);
    /* Whole pixels, so that all cells are alike; below one, a pixel shows one of the elements that
     * it stands for. */
    each = each * scale >= 1 ? floor(each * scale) / scale : each;
    each = fmin(each, fmax(3 * tall, 1 / scale));
    tall = tall * scale >= 1 ? floor(tall * scale) / scale : tall;
    cells.columns = (uint32_t)across;
    cells.rows = (uint32_t)down;
    cells.w = each * (double)across;
    cells.h = tall * (double)down;
    cells.x = inside.x + floor((inside.w - cells.w) / 2);
    return cells;
}

struct scene {
    const struct cm_frame *frame;
    const struct cm_view_run *run;
    const struct cm_view_places *places;
    struct cm_cells cells;
};

/* Nodes take their places on the colour scale in the order of their numbers: a picture of which
 * share a node. */
static uint32_t node_colour(const struct scene *scene, uint32_t node)
{
    return cm_view_colour(scene->frame->state->colours,
                          (node + 0.5) / (double)scene->run->info->nodes);
}

static void draw_element(const struct scene *scene, uint64_t element)
{
    const struct cm_frame *frame = scene->frame;
    double w = scene->cells.w / scene->cells.columns, h = scene->cells.h / scene->cells.rows;
    double x = scene->cells.x + (double)(element % scene->cells.columns) * w;
    double y = scene->cells.y + (double)(element / scene->cells.columns) * h;
    double gap = w >= 5 && h >= 5 ? 1 : 0;
    uint32_t node = scene->places->node[element], before = scene->places->before[element];
    if (node == CM_TRACE_NONE) {
        cm_canvas_frame(&frame->canvas, x, y, w - gap, h - gap, 1, CM_VIEW_OUTLINE);
        return;
    }
    bool moved = scene->places->moved[element];
    uint32_t leaves = scene->places->leaves[element];
    bool crosses = leaves != CM_TRACE_NONE || scene->places->arrives[element];
    uint32_t colour = node_colour(scene, node);
    cm_canvas_fill(&frame->canvas, x, y, w - gap, h - gap, colour);
    if ((moved || crosses) && w >= 4 && h >= 4)
        cm_canvas_frame(&frame->canvas, x, y, w - gap, h - gap, w >= 14 ? 2 : 1, CM_VIEW_PIN);
    if (w < 18 || h < 12)
        return;
    if (moved && before != node && w >= 36)
        cm_label_print(&frame->label, CM_LABEL_SMALL, CM_LABEL_CENTRE, x, y + h / 2, w - 1,
                       cm_view_ink_on(colour), "%u\xe2\x86\x92%u", before, node);
    else if (leaves != CM_TRACE_NONE && w >= 36)
        cm_label_print(&frame->label, CM_LABEL_SMALL, CM_LABEL_CENTRE, x, y + h / 2, w - 1,
                       cm_view_ink_on(colour), "%u\xe2\x86\x92%u", node, leaves);
    else
        cm_label_print(&frame->label, CM_LABEL_SMALL, CM_LABEL_CENTRE, x, y + h / 2, w - 1,
                       cm_view_ink_on(colour), "%u", node);
}

/* More elements than pixels: each pixel shows the first of those that it stands for. */
static void draw_pixels(const struct scene *scene)
{
    const struct cm_canvas *canvas = &scene->frame->canvas;
    const struct cm_cells *cells = &scene->cells;
    int left = cm_canvas_pixel(canvas, cells->x), top = cm_canvas_pixel(canvas, cells->y);
    int w = cm_canvas_pixel(canvas, cells->x + cells->w) - left;
    int h = cm_canvas_pixel(canvas, cells->y + cells->h) - top;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            uint64_t element = (uint64_t)y * cells->rows / (uint64_t)h * cells->columns +
                               (uint64_t)x * cells->columns / (uint64_t)w;
            if (element < scene->places->elements && scene->places->node[element] != CM_TRACE_NONE)
                cm_canvas_fill_pixels(canvas, left + x, top + y, 1, 1,
                                      node_colour(scene, scene->places->node[element]));
        }
}

static void print_title(const struct cm_trace_array *array, char *title, size_t size)
{
    size_t length = (size_t)snprintf(title, size, "Array %s (", array->name);
    for (uint32_t i = 0; i < array->rank && length + 24 < size; i++)
        length += (size_t)snprintf(title + length, size - length, "%s%" PRIu64,
                                   i > 0 ? "\xc3\x97" : "", array->shape[i]);
    snprintf(title + length, size - length, "): node of each element");
}

/* What the frames of the cells mean. */
static void tell_moves(const struct scene *scene, struct cm_view_rect inside, double y)
{
    const struct cm_frame *frame = scene->frame;
    const struct cm_view_places *places = scene->places;
    if (places->moved_count > 0)
        cm_label_print(&frame->label, CM_LABEL_SMALL, CM_LABEL_LEFT, inside.x, y, inside.w,
                       CM_VIEW_TEXT, "%s of %s elements move in the interval",
                       cm_number_of(places->moved_count).text, cm_number_of(places->elements).text);
    else if (!places->crossings_known)
        cm_label_draw(&frame->label, CM_LABEL_SMALL, CM_LABEL_LEFT, inside.x, y, inside.w,
                      CM_VIEW_QUIET, "a shorter interval shows what crosses channels");
    else if (places->leave_count + places->arrive_count > 0)
        cm_label_print(&frame->label, CM_LABEL_SMALL, CM_LABEL_LEFT, inside.x, y, inside.w,
                       CM_VIEW_TEXT, "over channels: from %s elements, into %s",
                       cm_number_of(places->leave_count).text,
                       cm_number_of(places->arrive_count).text);
    else
        cm_label_draw(&frame->label, CM_LABEL_SMALL, CM_LABEL_LEFT, inside.x, y, inside.w,
                      CM_VIEW_QUIET, "no element moves in the interval");
}

static void draw_elements(struct scene *scene, struct cm_view_rect inside)
{
    const struct cm_frame *frame = scene->frame;
    double scale = frame->canvas.scale, last = inside.y + inside.h - 6;
    if (scene->cells.w * scale < scene->cells.columns || scene->cells.h * scale < scene->cells.rows)
        draw_pixels(scene);
    else
        for (uint64_t element = 0; element < scene->places->elements; element++)
            draw_element(scene, element);
    tell_moves(scene, inside, last);
}

void cm_draw_array(const struct cm_frame *frame, uint32_t column)
{
    struct scene scene = {.frame = frame, .run = cm_frame_run(frame, column)};
    struct cm_view_rect place = frame->layout.place[column][CM_VIEW_ARRAY];
    char title[200] = "Array: the workload has none";
    if (frame->state->array < scene.run->info->arrays)
        print_title(cm_trace_array_then(scene.run->trace, frame->state->array, frame->end), title,
                    sizeof title);
    struct cm_view_rect inside = cm_frame_panel(frame, place, CM_VIEW_ARRAY, title);
    scene.places = cm_view_places(scene.run, frame->state->array, frame->first, frame->end);
    scene.cells = cm_array_cells(frame, column);
    if (scene.places != NULL && scene.cells.columns > 0)
        draw_elements(&scene, inside);
    else if (frame->state->array < scene.run->info->arrays)
        cm_label_draw(&frame->label, CM_LABEL_BODY, CM_LABEL_LEFT, inside.x, inside.y + 14,
                      inside.w, CM_VIEW_QUIET, "where its elements lie is not recorded");
}
