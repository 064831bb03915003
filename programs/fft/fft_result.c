/* Tables and reports of FFT communication. Shapes are written as the paper does, the most
 * significant axis first. */
#include "fft_result.h"

#include "../../base/buffer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define CELL_BYTES 48u

void cm_fft_result_begin(const struct cm_fft_task *task, struct cm_fft_result *outcome)
{
    memset(outcome, 0, sizeof *outcome);
    outcome->task = *task;
    cm_fft_task_schedule(task, &outcome->schedule);
    outcome->diameter = cm_fft_mesh_diameter(&task->mapping);
    if (task->broadcast)
        outcome->bound = cm_fft_broadcast_bound(task);
}

static void append_shape(const uint32_t *bits, uint32_t rank, struct cm_buffer *text)
{
    for (uint32_t a = rank; a-- > 0;)
        cm_buffer_printf(text, "%" PRIu64 "%s", UINT64_C(1) << bits[a], a > 0 ? " x " : "");
}

static void append_shapes(const struct cm_fft_mapping *mapping, struct cm_buffer *text)
{
    append_shape(mapping->array_bits, mapping->rank, text);
    cm_buffer_printf(text, " on a mesh of ");
    append_shape(mapping->mesh_bits, mapping->mesh_rank, text);
    cm_buffer_printf(text, "\n    ");
    cm_fft_permutation_write(mapping, text);
    cm_buffer_printf(text, " mapping");
}

static bool takes_part(const struct cm_fft_task *task, uint32_t p)
{
    return task->axes >> p & 1 && task->mapping.array_bits[p] > 0;
}

static void format_step(const struct cm_fft_step *step, char *cell)
{
    if (step->local)
        snprintf(cell, CELL_BYTES, "local");
    else
        snprintf(cell, CELL_BYTES, "sd(%" PRIu32 ",%" PRIu64 ")", step->mesh_axis, step->distance);
}

static void append_row(const struct cm_fft_task *task, uint32_t p, uint32_t columns,
                       const int *widths, struct cm_buffer *text)
{
    uint32_t bits = task->mapping.array_bits[p];
    cm_buffer_printf(text, "p = %" PRIu32, p);
    for (uint32_t n = 0; n < columns; n++) {
        uint32_t q = task->order == CM_FFT_POSTMORPHISM ? n : columns - 1 - n;
        char cell[CELL_BYTES] = "";
        struct cm_fft_step step;
        if (q < bits) {
            cm_fft_mapping_step(&task->mapping, p, q, &step);
            format_step(&step, cell);
        }
        bool last = task->order == CM_FFT_POSTMORPHISM ? q + 1 >= bits : q == 0;
        cm_buffer_printf(text, "  %-*s", last ? 0 : widths[n], cell);
        if (last)
            break;
    }
    cm_buffer_printf(text, "\n");
}

static void append_cost(const struct cm_fft_schedule *schedule,
                        const struct cm_fft_mapping *mapping, struct cm_buffer *text)
{
    cm_buffer_printf(text, "mesh cost %" PRIu64 ", diameter %" PRIu64 ", hops on the cube %" PRIu64,
                     schedule->mesh_cost, cm_fft_mesh_diameter(mapping), schedule->hops);
    cm_buffer_printf(text, "; by mesh axis");
    for (uint32_t i = 0; i < mapping->mesh_rank; i++)
        cm_buffer_printf(text, "%s %" PRIu64, i > 0 ? "," : "", schedule->axis_loads[i]);
    cm_buffer_printf(text, "\n");
}

static int column_width(const struct cm_fft_task *task, uint32_t q, const char *head)
{
    size_t width = strlen(head);
    for (uint32_t p = 0; p < task->mapping.rank; p++) {
        char cell[CELL_BYTES];
        struct cm_fft_step step;
        if (!takes_part(task, p) || q >= task->mapping.array_bits[p])
            continue;
        cm_fft_mapping_step(&task->mapping, p, q, &step);
        format_step(&step, cell);
        width = strlen(cell) > width ? strlen(cell) : width;
    }
    return (int)width;
}

void cm_fft_table(const struct cm_fft_task *task, struct cm_buffer *text)
{
    const struct cm_fft_mapping *mapping = &task->mapping;
    struct cm_fft_schedule schedule;
    uint32_t columns = 0;
    int widths[CM_FFT_AXES_MAX] = {0};
    for (uint32_t p = 0; p < mapping->rank; p++)
        if (takes_part(task, p) && mapping->array_bits[p] > columns)
            columns = mapping->array_bits[p];
    cm_buffer_printf(text, "%s", columns > 0 ? "     " : "no steps");
    for (uint32_t n = 0; n < columns; n++) {
        uint32_t q = task->order == CM_FFT_POSTMORPHISM ? n : columns - 1 - n;
        char head[CELL_BYTES];
        snprintf(head, sizeof head, "q = %" PRIu32, q);
        widths[n] = column_width(task, q, head);
        cm_buffer_printf(text, "  %-*s", n + 1 < columns ? widths[n] : 0, head);
    }
    cm_buffer_printf(text, "\n");
    for (uint32_t p = 0; p < mapping->rank; p++)
        if (takes_part(task, p))
            append_row(task, p, columns, widths, text);
    cm_fft_schedule(mapping, task->order, task->axes, &schedule);
    append_cost(&schedule, mapping, text);
}

static void append_axes(const struct cm_fft_task *task, struct cm_buffer *text)
{
    const char *comma = "";
    cm_buffer_printf(text, " along p =");
    for (uint32_t p = 0; p < task->mapping.rank; p++) {
        if (!(task->axes >> p & 1))
            continue;
        cm_buffer_printf(text, "%s %" PRIu32, comma, p);
        comma = ",";
    }
}

static bool takes_all(const struct cm_fft_task *task)
{
    for (uint32_t p = 0; p < task->mapping.rank; p++)
        if (!(task->axes >> p & 1))
            return false;
    return true;
}

static struct cm_fft_cost sum_costs(const struct cm_fft_result *outcome)
{
    struct cm_fft_cost sum = {0};
    for (uint32_t n = 0; n < outcome->schedule.count; n++) {
        sum.exchanges += outcome->costs[n].exchanges;
        sum.cycles += outcome->costs[n].cycles;
    }
    return sum;
}

static void append_rates(const struct cm_fft_report *report, struct cm_buffer *text)
{
    cm_buffer_printf(text,
                     "    %" PRIu32 " steps, %" PRIu32 " within nodes; %" PRIu64
                     " exchanges, %" PRIu64 " cycles, reordering %" PRIu64 " and %" PRIu64 "\n",
                     report->steps, report->local_steps, report->counted.exchanges,
                     report->counted.cycles, report->reordered.exchanges, report->reordered.cycles);
    cm_buffer_printf(
        text, "    %.4g Gflop/s by 5 N log2 N, %.4g by operations done; %.4g Gbyte/s moved\n",
        report->nominal_gflops, report->gflops, report->gbytes_moved);
}

void cm_fft_summary(const struct cm_fft_result *outcome, struct cm_buffer *text)
{
    const struct cm_fft_task *task = &outcome->task;
    struct cm_fft_cost sum = sum_costs(outcome);
    append_shapes(&task->mapping, text);
    cm_buffer_printf(text, ", %" PRIu64 " point%s a node, ",
                     UINT64_C(1) << task->mapping.local_bits,
                     task->mapping.local_bits == 0 ? "" : "s");
    cm_buffer_printf(text, "%s",
                     task->order == CM_FFT_POSTMORPHISM ? "postmorphism" : "premorphism");
    if (!takes_all(task))
        append_axes(task, text);
    cm_buffer_printf(text, "\n    ");
    append_cost(&outcome->schedule, &task->mapping, text);
    if (task->broadcast)
        cm_buffer_printf(text, "    lower bound %" PRIu64 " on the mesh, %" PRIu32 " on the cube\n",
                         outcome->bound.distance, outcome->bound.hops);
    if (outcome->transformed)
        append_rates(&outcome->report, text);
    else
        cm_buffer_printf(text, "    %" PRIu32 " steps, %" PRIu64 " exchanges, %" PRIu64 " cycles\n",
                         outcome->schedule.count, sum.exchanges, sum.cycles);
}

static void append_step_costs(const struct cm_fft_result *outcome, const char *indent,
                              struct cm_buffer *text)
{
    cm_buffer_printf(text, "%s\"step_costs\": [", indent);
    for (uint32_t n = 0; n < outcome->schedule.count; n++)
        cm_buffer_printf(text, "%s[%" PRIu64 ", %" PRIu64 "]", n > 0 ? ", " : "",
                         outcome->costs[n].exchanges, outcome->costs[n].cycles);
    cm_buffer_printf(text, "],\n");
}

static void append_schedule(const struct cm_fft_result *outcome, const char *indent,
                            struct cm_buffer *text)
{
    cm_buffer_printf(text, "%s\"schedule\": [", indent);
    for (uint32_t n = 0; n < outcome->schedule.count; n++) {
        const struct cm_fft_step *step = &outcome->schedule.steps[n];
        cm_buffer_printf(text, "%s[%" PRIu32 ", %" PRIu32 ", ", n > 0 ? ", " : "", step->axis,
                         step->bit);
        if (step->local)
            cm_buffer_printf(text, "null, 0]");
        else
            cm_buffer_printf(text, "%" PRIu32 ", %" PRIu64 "]", step->mesh_axis, step->distance);
    }
    cm_buffer_printf(text, "],\n");
    if (!outcome->transformed)
        append_step_costs(outcome, indent, text);
    cm_buffer_printf(text, "%s\"mesh_loads\": [", indent);
    for (uint32_t i = 0; i < outcome->task.mapping.mesh_rank; i++)
        cm_buffer_printf(text, "%s%" PRIu64, i > 0 ? ", " : "", outcome->schedule.axis_loads[i]);
    cm_buffer_printf(text, "],\n");
}

static void append_transform(const struct cm_fft_result *outcome, const char *indent,
                             struct cm_buffer *text)
{
    const struct cm_fft_report *report = &outcome->report;
    const struct {
        const char *name;
        double value;
    } rates[] = {
        {"seconds", report->seconds},
        {"nominal_flops", report->nominal_flops},
        {"gflops", report->gflops},
        {"nominal_gflops", report->nominal_gflops},
        {"gbytes_moved_per_second", report->gbytes_moved},
        {"reorder_seconds", report->reorder_seconds},
    };
    cm_buffer_printf(
        text, "%s\"transform\": {\n%s  \"direction\": \"%s\",\n%s  \"decimation\": \"%s\",\n",
        indent, indent, outcome->transform.inverse ? "inverse" : "forward", indent,
        cm_fft_decimation_name(report->decimation));
    cm_buffer_printf(text,
                     "%s  \"points\": %" PRIu64 ",\n%s  \"transforms\": %" PRIu64
                     ",\n%s  \"table_words\": %" PRIu64 ",\n",
                     indent, report->points, indent, report->transforms, indent,
                     report->table_words);
    cm_buffer_printf(text,
                     "%s  \"cycles\": %" PRIu64 ",\n%s  \"exchanges\": %" PRIu64
                     ",\n%s  \"reorder_cycles\": %" PRIu64 ",\n%s  \"reorder_exchanges\": %" PRIu64,
                     indent, report->counted.cycles, indent, report->counted.exchanges, indent,
                     report->reordered.cycles, indent, report->reordered.exchanges);
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        cm_buffer_printf(text, ",\n%s  \"%s\": %.15g", indent, rates[i].name, rates[i].value);
    cm_buffer_printf(text, "\n%s},\n", indent);
}

void cm_fft_json(const struct cm_fft_result *outcome, const char *indent, struct cm_buffer *text)
{
    append_schedule(outcome, indent, text);
    cm_buffer_printf(text,
                     "%s\"mesh_cost\": %" PRIu64 ",\n%s\"mesh_diameter\": %" PRIu64
                     ",\n%s\"hops\": %" PRIu64 ",\n%s\"points_per_node\": %" PRIu64 ",\n",
                     indent, outcome->schedule.mesh_cost, indent, outcome->diameter, indent,
                     outcome->schedule.hops, indent,
                     UINT64_C(1) << outcome->task.mapping.local_bits);
    if (outcome->task.broadcast)
        cm_buffer_printf(text,
                         "%s\"lower_bound\": %" PRIu64 ",\n%s\"lower_bound_hops\": %" PRIu32 ",\n",
                         indent, outcome->bound.distance, indent, outcome->bound.hops);
    else
        cm_buffer_printf(text, "%s\"flops\": %.15g,\n", indent,
                         outcome->transformed ? outcome->report.flops : 0);
    if (outcome->transformed)
        append_transform(outcome, indent, text);
}
