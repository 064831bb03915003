/* Positions of nodes in pictures of the machine: a grid in Gray order, in which nodes in
 * neighbouring cells are neighbours in the cube. */
#include "model.h"

struct cm_view_channel cm_view_channel_parts(const struct cm_view_run *run, uint32_t index)
{
    uint32_t channels = run->info->channels, dimensions = run->info->dimensions;
    if (channels == 0 || dimensions == 0)
        return (struct cm_view_channel){0, 0, 0};
    return (struct cm_view_channel){index / channels / dimensions, index / channels % dimensions,
                                    index % channels};
}

uint32_t cm_view_channel_index(const struct cm_view_run *run, uint32_t node, uint32_t dimension,
                               uint32_t channel)
{
    return (node * run->info->dimensions + dimension) * run->info->channels + channel;
}

uint32_t cm_view_mark_node(const struct cm_view_run *run, struct cm_view_mark mark)
{
    if (mark.kind == CM_VIEW_MARK_CHANNEL)
        return cm_view_channel_parts(run, mark.index).node;
    return mark.kind == CM_VIEW_MARK_NODE ? mark.index : CM_TRACE_NONE;
}

static uint32_t gray(uint32_t value)
{
    return value ^ value >> 1;
}

uint32_t cm_view_gray_place(uint32_t code)
{
    for (uint32_t shift = 1; shift < 32; shift *= 2)
        code ^= code >> shift;
    return code;
}

/* Returns how many dimensions the columns of the grid stand for: the lower half of all dimensions,
 * rounded up. */
static uint32_t column_bits(const struct cm_view_run *run)
{
    return (run->info->dimensions + 1) / 2;
}

void cm_view_grid_size(const struct cm_view_run *run, uint32_t *columns, uint32_t *rows)
{
    *columns = 1u << column_bits(run);
    *rows = run->info->nodes / *columns;
}

void cm_view_grid_place(const struct cm_view_run *run, uint32_t node, uint32_t *column,
                        uint32_t *row)
{
    uint32_t bits = column_bits(run);
    *column = cm_view_gray_place(node & ((1u << bits) - 1));
    *row = cm_view_gray_place(node >> bits);
}

uint32_t cm_view_grid_node(const struct cm_view_run *run, uint32_t column, uint32_t row)
{
    return gray(column) | gray(row) << column_bits(run);
}
