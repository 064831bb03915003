/* Tables and reports of FFT communication. Shapes are written as in the paper (mapping.h), most
 * significant axis first. */
#include "fft_result.h"

#include "../../report/numbers.h"
#include "../../report/report.h"
#include "figure.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define CELL_BYTES  48u
#define RATE_DIGITS 15 /* significant digits of rates in JSON */

void cm_fft_result_begin(const struct cm_fft_task *task, struct cm_fft_result *result)
{
    memset(result, 0, sizeof *result);
    result->task = *task;
    cm_fft_task_schedule(task, &result->schedule);
    result->diameter = cm_fft_mesh_diameter(&task->mapping);
    if (task->broadcast)
        result->bound = cm_fft_broadcast_bound(task);
}

static void append_shape(const uint32_t *bits, uint32_t rank, struct cm_buffer *text)
{
    for (uint32_t a = rank; a-- > 0;)
        cm_buffer_printf(text, "%" PRIu64 "%s", UINT64_C(1) << bits[a], a > 0 ? " x " : "");
}

void cm_fft_shapes_write(const struct cm_fft_mapping *mapping, struct cm_buffer *text)
{
    append_shape(mapping->array_bits, mapping->rank, text);
    cm_buffer_printf(text, " on a mesh of ");
    append_shape(mapping->mesh_bits, mapping->mesh_rank, text);
}

static void append_shapes(const struct cm_fft_mapping *mapping, struct cm_buffer *text)
{
    cm_fft_shapes_write(mapping, text);
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
    cm_buffer_printf(text, "mesh cost %" PRIu64 ", diameter %" PRIu64, schedule->mesh_cost,
                     cm_fft_mesh_diameter(mapping));
    if (mapping->idle_bits > 0)
        cm_buffer_printf(text, ", of the nodes with points %" PRIu64, cm_fft_spread(mapping));
    cm_buffer_printf(text, ", hops on the cube %" PRIu64, schedule->hops);
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

static struct cm_fft_cost sum_costs(const struct cm_fft_result *result)
{
    struct cm_fft_cost sum = {0};
    for (uint32_t n = 0; n < result->schedule.count; n++) {
        sum.exchanges += result->costs[n].exchanges;
        sum.cycles += result->costs[n].cycles;
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

static void append_ratio(const struct cm_fft_mapping *mapping, struct cm_buffer *text)
{
    uint64_t points = UINT64_C(1) << mapping->local_bits, nodes = UINT64_C(1) << mapping->idle_bits;
    if (mapping->idle_bits > 0)
        cm_buffer_printf(text, ", a point on one node in %" PRIu64 ", ", nodes);
    else
        cm_buffer_printf(text, ", %" PRIu64 " point%s a node, ", points, cm_plural(points));
}

static void append_summary(const struct cm_fft_result *result, struct cm_buffer *text)
{
    const struct cm_fft_task *task = &result->task;
    struct cm_fft_cost sum = sum_costs(result);
    append_shapes(&task->mapping, text);
    append_ratio(&task->mapping, text);
    cm_buffer_printf(text, "%s",
                     task->order == CM_FFT_POSTMORPHISM ? "postmorphism" : "premorphism");
    if (!takes_all(task))
        append_axes(task, text);
    cm_buffer_printf(text, "\n    ");
    append_cost(&result->schedule, &task->mapping, text);
    if (task->broadcast)
        cm_buffer_printf(text, "    lower bound %" PRIu64 " on the mesh, %" PRIu32 " on the cube\n",
                         result->bound.distance, result->bound.hops);
    if (task->mesh_wires)
        cm_buffer_printf(
            text, "    over the wires of the mesh alone, a hop an exchange: %" PRIu64 " hops\n",
            result->schedule.mesh_cost);
    if (result->transformed)
        append_rates(&result->report, text);
    else
        cm_buffer_printf(text, "    %" PRIu32 " steps, %" PRIu64 " exchanges, %" PRIu64 " cycles\n",
                         result->schedule.count, sum.exchanges, sum.cycles);
}

/* Writes each step as [axis, bit, mesh axis, distance]. In a step within nodes, the mesh axis is
 * null and the distance 0. */
static void write_schedule(const struct cm_fft_result *result, struct cm_json_writer *json)
{
    const struct cm_fft_schedule *schedule = &result->schedule;
    cm_json_write_compact(json, true);
    cm_json_write_list(json, "schedule");
    for (uint32_t n = 0; n < schedule->count; n++) {
        const struct cm_fft_step *step = &schedule->steps[n];
        cm_json_write_list(json, NULL);
        cm_json_write_u64(json, NULL, step->axis);
        cm_json_write_u64(json, NULL, step->bit);
        if (step->local)
            cm_json_write_null(json, NULL);
        else
            cm_json_write_u64(json, NULL, step->mesh_axis);
        cm_json_write_u64(json, NULL, step->local ? 0 : step->distance);
        cm_json_write_end(json);
    }
    cm_json_write_end(json);
    if (!result->transformed) {
        cm_json_write_list(json, "step_costs");
        for (uint32_t n = 0; n < schedule->count; n++)
            cm_json_write_numbers(
                json, NULL, (const uint64_t[]){result->costs[n].exchanges, result->costs[n].cycles},
                2);
        cm_json_write_end(json);
    }
    cm_json_write_compact(json, false);
    cm_json_write_numbers(json, "mesh_loads", schedule->axis_loads, result->task.mapping.mesh_rank);
}

static void write_transform(const struct cm_fft_result *result, struct cm_json_writer *json)
{
    const struct cm_fft_report *report = &result->report;
    cm_json_write_object(json, "transform");
    cm_json_write_string(json, "direction", result->transform.inverse ? "inverse" : "forward");
    cm_json_write_string(json, "decimation", cm_fft_decimation_name(report->decimation));
    cm_json_write_u64(json, "points", report->points);
    cm_json_write_u64(json, "transforms", report->transforms);
    cm_json_write_u64(json, "factors", report->factors);
    cm_json_write_u64(json, "table_words", report->table_words);
    cm_json_write_u64(json, "cycles", report->counted.cycles);
    cm_json_write_u64(json, "exchanges", report->counted.exchanges);
    cm_json_write_u64(json, "reorder_cycles", report->reordered.cycles);
    cm_json_write_u64(json, "reorder_exchanges", report->reordered.exchanges);
    cm_json_write_rounded(json, "seconds", report->seconds, RATE_DIGITS);
    cm_json_write_rounded(json, "nominal_flops", report->nominal_flops, RATE_DIGITS);
    cm_json_write_rounded(json, "gflops", report->gflops, RATE_DIGITS);
    cm_json_write_rounded(json, "nominal_gflops", report->nominal_gflops, RATE_DIGITS);
    cm_json_write_rounded(json, "gbytes_moved_per_second", report->gbytes_moved, RATE_DIGITS);
    cm_json_write_rounded(json, "reorder_seconds", report->reorder_seconds, RATE_DIGITS);
    cm_json_write_end(json);
}

static void write_json(const struct cm_fft_result *result, struct cm_json_writer *json)
{
    const struct cm_fft_mapping *mapping = &result->task.mapping;
    write_schedule(result, json);
    cm_json_write_u64(json, "mesh_cost", result->schedule.mesh_cost);
    cm_json_write_u64(json, "mesh_diameter", result->diameter);
    if (result->task.mesh_wires)
        cm_json_write_string(json, "wires", "mesh");
    cm_json_write_u64(json, "hops",
                      result->task.mesh_wires ? result->schedule.mesh_cost : result->schedule.hops);
    if (mapping->idle_bits == 0) {
        cm_json_write_u64(json, "points_per_node", UINT64_C(1) << mapping->local_bits);
    } else {
        cm_json_write_f64(json, "points_per_node",
                          1.0 / (double)(UINT64_C(1) << mapping->idle_bits));
        cm_json_write_u64(json, "occupied_diameter", cm_fft_spread(mapping));
    }
    if (result->task.broadcast) {
        cm_json_write_u64(json, "lower_bound", result->bound.distance);
        cm_json_write_u64(json, "lower_bound_hops", result->bound.hops);
    } else {
        cm_json_write_rounded(json, "flops", result->transformed ? result->report.flops : 0,
                              RATE_DIGITS);
    }
    if (result->transformed)
        write_transform(result, json);
}

void cm_fft_report_result(const struct cm_fft_result *result, struct cm_report *report)
{
    if (report->text != NULL)
        append_summary(result, report->text);
    if (report->json != NULL)
        write_json(result, report->json);
}
