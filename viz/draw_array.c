/*
 * An array: a cell an element, the first index across, the others down; in it the node that holds the element at the end of the interval.
 * Elements that moved within the interval are lit, with the node that they came from.
 */
#include "draw_private.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

struct cm_cells cm_array_cells(const struct cm_frame *frame, uint32_t column)
{
    const struct cm_view_run *run = cm_frame_run(frame, column);
    struct cm_view_rect inside = cm_panel_inside(frame->layout.place[column][CM_VIEW_ARRAY]);
    struct cm_cells cells = {.x = inside.x, .y = inside.y};
    if (frame->state->array >= run->info->arrays)
        return cells;
    const struct cm_trace_array *array = cm_trace_array_at(run->trace, frame->state->array);
    if (!array->placed || array->elements == 0 || inside.w < 8 || inside.h < 24)
        return cells;
    double height = inside.h - 18;
    uint64_t across = array->rank > 0 ? array->shape[0] : 1;
    if (array->rank ==
        1) /* one axis folds into rows; a power of two, so that bits of the index stay in columns */
        for (across = 1; (double)(across * across) * height < (double)array->elements * inside.w;)
            across *= 2;
    uint64_t down = (array->elements + across - 1) / across;
    double each = fmin(fmin(inside.w / (double)across, 64), 2.2 * height / (double)down);
    each = floor(each * frame->canvas.scale) / frame->canvas.scale;
    double tall = fmin(fmin(height / (double)down, each), 26);
    tall = floor(tall * frame->canvas.scale) / frame->canvas.scale;
    if (each <= 0 || tall <= 0)
        return cells;
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
    struct cm_cells cells;
    uint64_t moved;
};

/* Nodes take their places on the colour scale in the order of their numbers: a picture of which share a node. */
static uint32_t node_colour(const struct scene *scene, uint32_t node)
{
    return cm_view_colour(scene->frame->state->colours,
                          (node + 0.5) / (double)scene->run->info->nodes);
}

static void draw_element(struct scene *scene, uint64_t element)
{
    const struct cm_frame *frame = scene->frame;
    uint32_t node = 0, before = 0;
    uint64_t address = 0, address_before = 0;
    double w = scene->cells.w / scene->cells.columns, h = scene->cells.h / scene->cells.rows;
    double x = scene->cells.x + (double)(element % scene->cells.columns) * w;
    double y = scene->cells.y + (double)(element / scene->cells.columns) * h;
    double gap = w >= 5 ? 1 : 0;
    if (!cm_trace_array_place(scene->run->trace, frame->state->array, element, frame->end - 1,
                              &node, &address)) {
        cm_canvas_frame(&frame->canvas, x, y, w - gap, h - gap, 1, CM_VIEW_OUTLINE);
        return;
    }
    bool moved = cm_trace_array_place(scene->run->trace, frame->state->array, element, frame->first,
                                      &before, &address_before) &&
                 (before != node || address_before != address);
    uint32_t colour = node_colour(scene, node);
    cm_canvas_fill(&frame->canvas, x, y, w - gap, h - gap, colour);
    scene->moved += moved;
    if (moved)
        cm_canvas_frame(&frame->canvas, x, y, w - gap, h - gap, w >= 14 ? 2 : 1, CM_VIEW_PIN);
    if (w < 18 || h < 12)
        return;
    if (moved && before != node && w >= 40)
        cm_label_print(&frame->label, CM_LABEL_SMALL, CM_LABEL_CENTRE, x, y + h / 2, w - 1,
                       cm_view_ink_on(colour), "%u\xe2\x86\x92%u", before, node);
    else
        cm_label_print(&frame->label, CM_LABEL_SMALL, CM_LABEL_CENTRE, x, y + h / 2, w - 1,
                       cm_view_ink_on(colour), "%u", node);
}

static void print_title(const struct cm_trace_array *array, char *title, size_t size)
{
    size_t length = (size_t)snprintf(title, size, "Array %s (", array->name);
    for (uint32_t i = 0; i < array->rank && length + 24 < size; i++)
        length += (size_t)snprintf(title + length, size - length, "%s%" PRIu64,
                                   i > 0 ? "\xc3\x97" : "", array->shape[i]);
    snprintf(title + length, size - length, "): the node of each element");
}

void cm_draw_array(const struct cm_frame *frame, uint32_t column)
{
    struct scene scene = {.frame = frame, .run = cm_frame_run(frame, column)};
    struct cm_view_rect place = frame->layout.place[column][CM_VIEW_ARRAY];
    char title[200] = "Array: the workload has none";
    const struct cm_trace_array *array = NULL;
    if (frame->state->array < scene.run->info->arrays) {
        array = cm_trace_array_at(scene.run->trace, frame->state->array);
        print_title(array, title, sizeof title);
    }
    struct cm_view_rect inside = cm_frame_panel(frame, place, CM_VIEW_ARRAY, title);
    if (array == NULL)
        return;
    scene.cells = cm_array_cells(frame, column);
    double last = inside.y + inside.h - 6;
    if (scene.cells.columns == 0) {
        cm_label_draw(&frame->label, CM_LABEL_BODY, CM_LABEL_LEFT, inside.x, inside.y + 14,
                      inside.w, CM_VIEW_QUIET,
                      "too large: the places of its elements are not recorded");
        return;
    }
    for (uint64_t element = 0; element < array->elements; element++)
        draw_element(&scene, element);
    if (scene.moved > 0)
        cm_label_print(&frame->label, CM_LABEL_SMALL, CM_LABEL_LEFT, inside.x, last, inside.w,
                       CM_VIEW_TEXT, "%s of %s elements moved in the interval (framed)",
                       cm_number_of(scene.moved).text, cm_number_of(array->elements).text);
    else
        cm_label_draw(&frame->label, CM_LABEL_SMALL, CM_LABEL_LEFT, inside.x, last, inside.w,
                      CM_VIEW_QUIET, "no element moves in the interval");
}
