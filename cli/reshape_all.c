/* cm200 reshape --algorithm all: compares the steps, bounds and cycles of all reshape algorithms.
 */
#include "../programs/workload/provenance.h"
#include "../programs/workload/steps/reshape.h"
#include "../report/table.h"
#include "step.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct row {
    bool possible;
    char reason[160]; /* why the algorithm was refused */
    uint64_t steps, bound, lower_bound, link_load_max;
    uint64_t exchanges, cycles; /* counts of the algorithm's run */
};

struct comparison {
    struct row rows[CM_RESHAPE_ALGORITHM_COUNT];
    /* summary of the run whose algorithm the simulator chose ("auto") */
    struct cm_reshape_summary chosen;
    enum cm_reshape_algorithm now; /* algorithm whose run is in progress */
    bool as_json;
    struct cm_buffer text;
    struct cm_json_writer json;
};

static void survey_one(const struct cm_reshape_task *given, enum cm_reshape_algorithm algorithm,
                       struct row *row)
{
    struct cm_reshape_task task = *given;
    struct cm_reshape_plan plan;
    struct cm_error err;
    memset(&err, 0, sizeof err);
    task.algorithm = algorithm;
    row->possible = cm_reshape_plan_elements(&task, &plan, &err) == CM_OK;
    if (row->possible) {
        row->steps = plan.steps + plan.swap_steps;
        row->bound = plan.bound;
        row->lower_bound = plan.lower_bound;
        row->link_load_max = plan.link_load_max;
    } else {
        snprintf(row->reason, sizeof row->reason, "%.159s", err.message);
    }
    cm_reshape_plan_finish(&plan);
}

/* Begins the JSON with the inputs and the version of the first run, whose algorithm is "auto". The
 * workloads of the other runs differ only in the algorithm. */
static void begin_json(struct comparison *comparison, const struct cm_result *result)
{
    struct cm_json_writer *json = &comparison->json;
    cm_json_writer_begin(json, &comparison->text);
    cm_json_write_object(json, NULL);
    cm_json_write_members(json, {"format", cm_text("cm200-reshape-algorithms/1")},
                          {"workload", cm_text(result->workload)},
                          {"machine", cm_text(result->machine)}, {"nodes", cm_u64(result->nodes)},
                          {"timing_only", cm_bool(result->timing_only)});
    cm_provenance_write(json, result);
}

/* Computes the plan of each algorithm, after the run with the algorithm "auto". */
static void survey(const void *context, const struct cm_result *result, struct cm_buffer *text)
{
    struct comparison *const *comparison = context;
    (void)text;
    if ((*comparison)->as_json)
        begin_json(*comparison, result);
    (*comparison)->chosen = *cm_step_reshape_summary(&result->steps[0]);
    for (int a = CM_RESHAPE_ROTATE; a < CM_RESHAPE_ALGORITHM_COUNT; a++)
        survey_one(cm_step_reshape_task(&result->steps[0]), (enum cm_reshape_algorithm)a,
                   &(*comparison)->rows[a]);
}

static void record(const void *context, const struct cm_result *result, struct cm_buffer *text)
{
    struct comparison *const *comparison = context;
    struct row *row = &(*comparison)->rows[(*comparison)->now];
    (void)text;
    row->exchanges = result->steps[0].counters.exchanges;
    row->cycles = result->steps[0].counters.cycles;
}

static void fill_table(const struct comparison *comparison, struct cm_table *table)
{
    for (int a = CM_RESHAPE_ROTATE; a < CM_RESHAPE_ALGORITHM_COUNT; a++) {
        const struct row *row = &comparison->rows[a];
        cm_table_string(table, cm_reshape_algorithm_name((enum cm_reshape_algorithm)a));
        if (row->possible)
            cm_table_row(table, cm_u64(row->steps), cm_u64(row->bound), cm_u64(row->lower_bound),
                         cm_u64(row->link_load_max), cm_u64(row->exchanges), cm_u64(row->cycles),
                         cm_text(a == (int)comparison->chosen.algorithm ? "taken by auto" : NULL));
        else
            for (uint32_t c = 0; c < 6; c++)
                cm_table_empty(table);
        if (!row->possible)
            cm_table_string(table, row->reason);
    }
}

static int print(struct comparison *comparison)
{
    static const struct cm_column columns[] = {
        {.name = "algorithm"},
        {.name = "steps", .kind = CM_COLUMN_COUNT},
        {.name = "theorem_bound", .heading = "theorem", .kind = CM_COLUMN_COUNT},
        {.name = "lower_bound", .heading = "lower bound", .kind = CM_COLUMN_COUNT},
        {.name = "link_load_max", .heading = "busiest link", .kind = CM_COLUMN_COUNT},
        {.name = "exchanges", .kind = CM_COLUMN_COUNT},
        {.name = "cycles", .kind = CM_COLUMN_COUNT},
        {.name = "note", .heading = ""},
    };
    struct cm_table table;
    struct cm_json_writer *json = &comparison->json;
    const struct cm_reshape_summary *chosen = &comparison->chosen;
    cm_table_init(&table, columns, sizeof columns / sizeof *columns);
    fill_table(comparison, &table);
    if (comparison->as_json) {
        cm_json_write_members(json, {"delta", cm_u64(chosen->delta)},
                              {"elements_per_node", cm_u64(chosen->elements_per_node)},
                              {"chosen", cm_text(cm_reshape_algorithm_name(chosen->algorithm))});
        cm_table_json(&table, json, "algorithms");
        cm_json_write_end(json);
    } else {
        cm_buffer_printf(&comparison->text, "K = %" PRIu64 ", delta = %" PRIu32 "\n\n",
                         chosen->elements_per_node, chosen->delta);
        cm_table_text(&table, 0, &comparison->text);
    }
    cm_table_finish(&table);
    return shell_write(NULL, &comparison->text);
}

int cli_reshape_all(const void *values, bool json, cli_reshape_run run)
{
    struct comparison comparison, *const reached = &comparison;
    memset(&comparison, 0, sizeof comparison);
    comparison.as_json = json;
    cm_buffer_init(&comparison.text);
    int code = run(values, "auto", survey, &reached);
    for (int a = CM_RESHAPE_ROTATE; a < CM_RESHAPE_ALGORITHM_COUNT && code == 0; a++) {
        comparison.now = (enum cm_reshape_algorithm)a;
        if (comparison.rows[a].possible)
            code = run(values, cm_reshape_algorithm_name(comparison.now), record, &reached);
    }
    code = code == 0 ? print(&comparison) : code;
    cm_buffer_finish(&comparison.text);
    return code;
}
