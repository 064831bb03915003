/* Describes as text and as JSON where an array lies on the nodes, for `cm200 layout`. */
#include "layout.h"

#include "../report/json_writer.h"
#include "../report/numbers.h"

#include <inttypes.h>
#include <stdio.h>

#define PICTURE_COLUMNS 16u /* largest number of blocks across and down in a picture */
#define PICTURE_ROWS    32u

static uint64_t total_elements(const struct cm_layout *layout)
{
    return layout->local_elements << layout->used_bits;
}

static void append_axis(struct cm_buffer *text, const struct cm_axis *axis, uint32_t number)
{
    char dimensions[40] = "none";
    char padding[60] = "";
    uint64_t spanned = axis->local_length << axis->node_bits;
    if (axis->node_bits == 1)
        snprintf(dimensions, sizeof dimensions, "%" PRIu32, axis->first_dimension);
    else if (axis->node_bits > 1)
        snprintf(dimensions, sizeof dimensions, "%" PRIu32 "-%" PRIu32, axis->first_dimension,
                 axis->first_dimension + axis->node_bits - 1);
    if (axis->padded)
        snprintf(padding, sizeof padding, ", padded to %" PRIu64, spanned);
    cm_buffer_printf(text,
                     "  dim %" PRIu32 ": %" PRIu64 " element%s, %s, weight %" PRIu32 ", %" PRIu64
                     " node%s (cube dimensions %s), %" PRIu64 " a node%s\n",
                     number, axis->length, cm_plural(axis->length), cm_order_name(axis->order),
                     axis->weight, UINT64_C(1) << axis->node_bits, axis->node_bits == 0 ? "" : "s",
                     dimensions, axis->local_length, padding);
}

/* Returns the node whose block of the array has these coordinates along the first two axes. */
static uint32_t node_at(const struct cm_layout *layout, uint32_t row, uint32_t column)
{
    uint32_t node = 0;
    const uint32_t coordinates[2] = {row, column};
    for (uint32_t a = 0; a < layout->rank; a++)
        node |= cm_axis_encode(&layout->axes[a], coordinates[a]) << layout->axes[a].first_dimension;
    return node;
}

/* Writes the range of indices of a block along an axis, counted from 1, such as "17-32". "-" means
 * that the block is padding. */
static const char *block_range(const struct cm_axis *axis, uint32_t block, char *out, size_t size)
{
    uint64_t first = block * axis->local_length + 1;
    uint64_t last = first + axis->local_length - 1;
    last = last < axis->length ? last : axis->length;
    if (first > axis->length)
        snprintf(out, size, "-");
    else if (first == last)
        snprintf(out, size, "%" PRIu64, first);
    else
        snprintf(out, size, "%" PRIu64 "-%" PRIu64, first, last);
    return out;
}

/* Appends a picture that shows which node holds which block of an array. The first index runs
 * downwards, the second across. */
static void append_picture(struct cm_buffer *text, const struct cm_layout *layout)
{
    char range[48];
    if (layout->rank > 2 || layout->used_bits == 0)
        return;
    uint64_t rows = UINT64_C(1) << layout->axes[0].node_bits;
    uint64_t columns = layout->rank == 2 ? UINT64_C(1) << layout->axes[1].node_bits : 1;
    if (rows > PICTURE_ROWS || columns > PICTURE_COLUMNS)
        return;
    int width = 4;
    for (uint32_t c = 0; layout->rank == 2 && c < columns; c++) {
        int length = snprintf(NULL, 0, "%s", block_range(&layout->axes[1], c, range, sizeof range));
        width = length > width ? length : width;
    }
    cm_buffer_printf(text, "\n  node of each block (dim 1 down%s):\n",
                     layout->rank == 2 ? ", dim 2 across" : "");
    if (layout->rank == 2) {
        cm_buffer_printf(text, "  %12s", "");
        for (uint32_t c = 0; c < columns; c++)
            cm_buffer_printf(text, "  %*s", width,
                             block_range(&layout->axes[1], c, range, sizeof range));
        cm_buffer_printf(text, "\n");
    }
    for (uint32_t r = 0; r < rows; r++) {
        cm_buffer_printf(text, "  %12s", block_range(&layout->axes[0], r, range, sizeof range));
        for (uint32_t c = 0; c < columns; c++)
            cm_buffer_printf(text, "  %*" PRIu32, width, node_at(layout, r, c));
        cm_buffer_printf(text, "\n");
    }
}

static void append_dimensions(struct cm_buffer *text, const char *what, uint64_t dimensions)
{
    cm_buffer_printf(text, "  %s:", what);
    for (uint32_t d = 64; d-- > 0;)
        if (dimensions >> d & 1)
            cm_buffer_printf(text, " %" PRIu32, d);
    cm_buffer_printf(text, "%s\n", dimensions == 0 ? " none" : "");
}

/* Appends the description of an array with an explicit allocation: the place, in a node number or
 * in memory, of each dimension of the array. A dimension is a bit of an index, and dimension 0 is
 * the least significant bit of the first axis. */
static void append_allocation(struct cm_buffer *text, const struct cm_array *array)
{
    const struct cm_layout *layout = &array->layout;
    const struct cm_allocation *allocation = &array->allocation;
    cm_buffer_printf(text, ", %" PRIu32 " dimensions\n", allocation->dimensions);
    if (allocation->permuted) {
        cm_buffer_printf(text, "  bits of an element's number, from bit 0, lie on dimensions:");
        for (uint32_t m = 0; m < allocation->dimensions; m++)
            cm_buffer_printf(text, " %u", (unsigned)allocation->place[m]);
        cm_buffer_printf(text, "\n");
    }
    append_dimensions(text, "processor dimensions", allocation->processor);
    append_dimensions(text, "Gray-coded with the next higher", allocation->coupled);
    cm_buffer_printf(
        text, "  each node: %" PRIu64 " elements, %" PRIu64 " words from address %" PRIu64 "\n",
        layout->local_elements, layout->local_words, array->address);
}

static void append_canonical(struct cm_buffer *text, const struct cm_array *array)
{
    const struct cm_layout *layout = &array->layout;
    uint64_t total = total_elements(layout), garbage = total - layout->elements;
    cm_buffer_printf(text, " on a grid of ");
    for (uint32_t a = 0; a < layout->rank; a++)
        cm_buffer_printf(text, "%s%" PRIu64, a ? " x " : "",
                         UINT64_C(1) << layout->axes[a].node_bits);
    cm_buffer_printf(text, " node%s\n", layout->used_bits == 0 ? "" : "s");
    for (uint32_t a = 0; a < layout->rank; a++)
        append_axis(text, &layout->axes[a], a + 1);
    cm_buffer_printf(
        text, "  each node: %" PRIu64 " element%s, %" PRIu64 " word%s from address %" PRIu64 "\n",
        layout->local_elements, cm_plural(layout->local_elements), layout->local_words,
        cm_plural(layout->local_words), array->address);
    if (garbage > 0)
        cm_buffer_printf(text,
                         "  garbage: %" PRIu64 " of %" PRIu64 " places hold no element (%.1f %%)\n",
                         garbage, total, 100.0 * (double)garbage / (double)total);
    if (layout->used_bits < layout->node_bits)
        cm_buffer_printf(
            text, "  copies: %" PRIu64 ", as the array needs only %" PRIu64 " of the nodes\n",
            UINT64_C(1) << (layout->node_bits - layout->used_bits),
            UINT64_C(1) << layout->used_bits);
    append_picture(text, layout);
}

void cli_append_layout(struct cm_buffer *text, const struct cm_array *array)
{
    (array->allocation.dimensions > 0 ? append_allocation : append_canonical)(text, array);
}

static void write_axis(struct cm_json_writer *json, const struct cm_axis *axis)
{
    uint64_t dimensions[32];
    for (uint32_t d = 0; d < axis->node_bits; d++)
        dimensions[d] = axis->first_dimension + d;
    cm_json_write_object(json, NULL);
    cm_json_write_members(
        json, {"length", cm_u64(axis->length)}, {"order", cm_text(cm_order_name(axis->order))},
        {"weight", cm_u64(axis->weight)}, {"nodes", cm_u64(UINT64_C(1) << axis->node_bits)});
    cm_json_write_numbers(json, "cube_dimensions", dimensions, axis->node_bits);
    cm_json_write_u64(json, "local_length", axis->local_length);
    cm_json_write_bool(json, "padded", axis->padded);
    cm_json_write_end(json);
}

/* Writes as JSON the place of each dimension (bit of an index) of an array that is not in the
 * canonical layout. */
static void write_allocation(struct cm_json_writer *json, const struct cm_allocation *allocation)
{
    uint64_t bits[CM_LOGIC_DIMENSIONS_MAX];
    for (uint32_t m = 0; m < allocation->dimensions; m++)
        bits[m] = allocation->permuted ? allocation->place[m] : m;
    cm_json_write_object(json, "allocation");
    cm_json_write_u64(json, "dimensions", allocation->dimensions);
    cm_json_write_bits(json, "processor_dimensions", allocation->processor);
    cm_json_write_bits(json, "gray_coded", allocation->coupled);
    cm_json_write_numbers(json, "bits", bits, allocation->dimensions);
    cm_json_write_end(json);
}

void cli_write_layout(struct cm_json_writer *json, const struct cm_array *array)
{
    const struct cm_layout *layout = &array->layout;
    bool canonical = array->allocation.dimensions == 0 && array->allocation.node_bits == 0;
    cm_json_write_list(json, "axes");
    cm_json_write_compact(json, true);
    for (uint32_t a = 0; a < layout->rank; a++) {
        if (canonical)
            write_axis(json, &layout->axes[a]);
        else
            cm_json_write_record(json, NULL, {"length", cm_u64(layout->axes[a].length)});
    }
    cm_json_write_compact(json, false);
    cm_json_write_end(json);
    if (!canonical)
        write_allocation(json, &array->allocation);
    cm_json_write_members(
        json, {"elements", cm_u64(layout->elements)},
        {"local_elements", cm_u64(layout->local_elements)},
        {"local_words", cm_u64(layout->local_words)}, {"address", cm_u64(array->address)},
        {"garbage_elements", cm_u64(total_elements(layout) - layout->elements)},
        {"copies", cm_u64(UINT64_C(1) << (layout->node_bits - layout->used_bits))});
}
