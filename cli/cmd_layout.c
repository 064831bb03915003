/* cm200 layout: shows where each array of a workload lies on the nodes, or where the arrays of a CM
 * Fortran program live. */
#include "../report/json_writer.h"
#include "../report/numbers.h"
#include "cli.h"
#include "layout.h"
#include "program/program.h"

#include <inttypes.h>

struct layout_values {
    struct shell_values common;
    struct cli_machine_values machine;
    struct cli_param_values param;
    struct cli_program_values program;
    bool json;
};

/* Returns the first array before number `i` that has the same layout as array `i`, or `i` if none
 * has. */
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
    {"line-length", SHELL_NUMBER, offsetof(struct layout_values, program.line_length),
     .argument = "N", .min = CM_FORTRAN_LINE_LENGTH, .max = CM_FORTRAN_LINE_LENGTH_MAX,
     .help = "last column of statements in fixed form, 72 by default"},
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
        "Of a CM Fortran program (" CM_FORTRAN_SUFFIXES
        "): the home of each array, and the layout of those "
        "on the CM whose shape is known before it runs.",
    .examples = "  cm200 layout programs/examples/five-point-pshift.json\n"
                "  cm200 layout --nodes 8 workload.json\n"
                "  cm200 layout --json workload.json\n"
                "  cm200 layout --nodes 64 programs/examples/fortran/jacobi.fcm\n",
    .values_size = sizeof(struct layout_values),
    .run = layout,
};
