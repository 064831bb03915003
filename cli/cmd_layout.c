/* cm200 layout: where each array of a workload is on the nodes; of a program, its home. */
#include "../report/json_writer.h"
#include "../report/numbers.h"
#include "cli.h"
#include "layout.h"
#include "program.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PICTURE_COLUMNS 16u /* blocks across and down that a picture shows at most */
#define PICTURE_ROWS    32u

struct layout_values {
    struct shell_values common;
    struct cli_machine_values machine;
    struct cli_param_values param;
    struct cli_program_values program;
    bool json;
};

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

/* The node whose block has these coordinates along the first two axes. */
static uint32_t node_at(const struct cm_layout *layout, uint32_t row, uint32_t column)
{
    uint32_t node = 0;
    const uint32_t coordinates[2] = {row, column};
    for (uint32_t a = 0; a < layout->rank; a++)
        node |= cm_axis_encode(&layout->axes[a], coordinates[a]) << layout->axes[a].first_dimension;
    return node;
}

/* "17-32", the indices of a block along an axis, from 1; "-" when it holds padding only. */
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

/* Which node holds which block: the first index goes down, the second across. */
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

/* The first array before `i` with the same layout; `i` itself when no other has it. */
static uint32_t find_model(struct cm_run *run, uint32_t i)
{
    const struct cm_array *array = cm_run_array_at(run, i);
    for (uint32_t k = 0; k < i; k++) {
        const struct cm_array *other = cm_run_array_at(run, k);
        if (cm_layout_equal(&other->layout, &array->layout) &&
            cm_allocation_equal(&other->allocation, &array->allocation))
            return k;
    }
    return i;
}

static void append_dimensions(struct cm_buffer *text, const char *what, uint64_t dimensions)
{
    cm_buffer_printf(text, "  %s:", what);
    for (uint32_t d = 64; d-- > 0;)
        if (dimensions >> d & 1)
            cm_buffer_printf(text, " %" PRIu32, d);
    cm_buffer_printf(text, "%s\n", dimensions == 0 ? " none" : "");
}

/* An array with an allocation of its own: dimension by dimension, 0 the least significant of the
 * first axis. */
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

static void append_array(struct cm_buffer *text, struct cm_run *run, uint32_t i)
{
    const struct cm_array *array = cm_run_array_at(run, i);
    const struct cm_layout *layout = &array->layout;
    uint32_t model = find_model(run, i);
    if (model != i) {
        cm_buffer_printf(text, "\n%s: as %s, from address %" PRIu64 "\n", array->name,
                         cm_run_array_at(run, model)->name, array->address);
        return;
    }
    cm_buffer_printf(text, "\n%s: %s (", array->name, cm_type_name(layout->type));
    for (uint32_t a = 0; a < layout->rank; a++)
        cm_buffer_printf(text, "%s%" PRIu64, a ? ", " : "", layout->axes[a].length);
    cm_buffer_printf(text, ")");
    cli_append_layout(text, array);
}

static void append_text(struct cm_buffer *text, struct cm_run *run)
{
    const struct cm_result *result = cm_run_result(run);
    cm_buffer_printf(text, "%s on %s: %" PRIu32 " node%s\n", result->workload, result->machine,
                     result->nodes, cm_plural(result->nodes));
    for (uint32_t i = 0; i < cm_run_array_count(run); i++)
        append_array(text, run, i);
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

/* Where each dimension of an array goes that is not in the canonical layout. */
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

static void write_array(struct cm_json_writer *json, const struct cm_array *array)
{
    cm_json_write_object(json, array->name);
    cm_json_write_string(json, "type", cm_type_name(array->layout.type));
    cli_write_layout(json, array);
    cm_json_write_end(json);
}

static void append_json(struct cm_buffer *text, struct cm_run *run)
{
    struct cm_json_writer json;
    cm_json_writer_begin(&json, text);
    cm_json_write_object(&json, NULL);
    cm_json_write_string(&json, "format", "cm200-layout/1");
    cm_json_write_u64(&json, "nodes", cm_run_result(run)->nodes);
    cm_json_write_object(&json, "arrays");
    for (uint32_t i = 0; i < cm_run_array_count(run); i++)
        write_array(&json, cm_run_array_at(run, i));
    cm_json_write_end(&json);
    cm_json_write_end(&json);
}

static int layout(const void *all)
{
    const struct layout_values *values = all;
    struct cm_workload *workload = NULL;
    struct cm_run *run = NULL;
    struct cm_buffer text;
    if (cm_fortran_is_source_name(values->common.operands.items[0]))
        return cli_layout_program(&values->common, &values->machine, &values->param,
                                  &values->program, values->json);
    if (values->program.order != NULL)
        return shell_usage("layout", "--cshift-order is for CM Fortran programs");
    int code =
        cli_prepare_timing_only(&values->common, &values->machine, &values->param, &workload, &run);
    if (code == 0) {
        cm_buffer_init(&text);
        (values->json ? append_json : append_text)(&text, run);
        code = shell_deliver(NULL, &text, CM_OK, NULL);
    }
    cm_run_destroy(run);
    cm_workload_destroy(workload);
    return code;
}

static const struct shell_option options[] = {
    {"json", SHELL_FLAG, offsetof(struct layout_values, json), .help = "print it as JSON"},
    {"cshift-order", SHELL_STRING, offsetof(struct layout_values, program.order),
     .argument = "ORDER", .help = "of a CM Fortran program, as in cm200 run"},
};

const struct cli_command cli_command_layout = {
    .syntax = {.command = "layout",
               .operands = "FILE",
               .operands_min = 1,
               .operands_max = 1,
               .sets = {SHELL_SET(cli_machine_options, offsetof(struct layout_values, machine)),
                        SHELL_SET(cli_param_options, offsetof(struct layout_values, param)),
                        SHELL_SET(options, 0)}},
    .summary = "show where each array is placed on the nodes",
    .about =
        "For each array: its axes and their orders, the grid of nodes, cube dimensions, elements "
        "in a node, padding, words of node memory and where they begin. Small grids are drawn. "
        "Of a CM Fortran program (.fcm, .f, .f90): the home of each array, and the layout of those "
        "on the CM whose shape is known before it runs.",
    .examples = "  cm200 layout programs/examples/five-point-pshift.json\n"
                "  cm200 layout --nodes 8 workload.json\n"
                "  cm200 layout --json workload.json\n"
                "  cm200 layout --nodes 64 programs/examples/fortran/jacobi.fcm\n",
    .values_size = sizeof(struct layout_values),
    .run = layout,
};
