/* cm200 shift --by all --method all: reads what is asked for, and counts it. */
#include "table.h"

#include "../base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMMAND "shift"

static bool is_table_method(const char *method)
{
    static const enum cm_survey_method own[] = {CM_SURVEY_RING, CM_SURVEY_MESH_FORWARD,
                                                CM_SURVEY_MESH, CM_SURVEY_LINEAR,
                                                CM_SURVEY_ECUBE_GRAY};
    bool found = strcmp(method, "all") == 0 || strchr(method, ',') != NULL;
    for (uint32_t i = 0; i < sizeof own / sizeof *own; i++)
        found = found || strcmp(method, cm_survey_method_name(own[i])) == 0;
    return found;
}

bool cli_shift_is_table(const char *by, const char *method)
{
    return strcmp(by, "all") == 0 || strchr(by, ':') != NULL ||
           (method != NULL && is_table_method(method));
}

/* "all", Q, or FIRST:LAST[:STEP], both ends in. */
static int read_by(struct cm_shift_table *table)
{
    const char *by = table->values->by;
    uint64_t numbers[3] = {1, table->task.nodes - 1, 1};
    uint32_t count = strcmp(by, "all") == 0 ? 3 : shell_read_numbers(by, ':', numbers, 3);
    if (count == 0)
        return shell_usage(COMMAND,
                           "--by is \"%s\", expected Q, FIRST:LAST, FIRST:LAST:STEP or all",
                           shell_shown(by).text);
    if (count == 1)
        numbers[1] = numbers[0];
    if (count < 3)
        numbers[2] = 1;
    if (numbers[2] == 0)
        return shell_usage(COMMAND, "--by %s: the step is 0, expected at least 1",
                           shell_shown(by).text);
    if (numbers[0] > numbers[1])
        return shell_usage(COMMAND, "--by %s: the first q is larger than the last",
                           shell_shown(by).text);
    if (numbers[0] == 0 || numbers[1] >= table->task.nodes)
        return shell_usage(COMMAND, "--by %s: q is from 1 to %" PRIu32 " on %" PRIu32 " nodes",
                           shell_shown(by).text, table->task.nodes - 1, table->task.nodes);
    table->first = (uint32_t)numbers[0];
    table->last = (uint32_t)numbers[1];
    table->step = numbers[2] > table->last ? table->last : (uint32_t)numbers[2];
    return 0;
}

/* "all", or names with commas between them. */
static int read_methods(struct cm_shift_table *table)
{
    const char *names[CM_SURVEY_COUNT + 1] = {[CM_SURVEY_COUNT] = "all"};
    const char *text = table->values->method != NULL ? table->values->method : "all";
    char name[64];
    for (uint32_t m = 0; m < CM_SURVEY_COUNT; m++)
        names[m] = cm_survey_method_name((enum cm_survey_method)m);
    for (;;) {
        size_t length = strcspn(text, ",");
        uint32_t index;
        snprintf(name, sizeof name, "%.*s", (int)(length < 63 ? length : 63), text);
        int code = shell_choose(COMMAND, "method", shell_shown(name).text, names,
                                CM_SURVEY_COUNT + 1, &index);
        if (code != 0)
            return code;
        for (uint32_t m = 0; m < CM_SURVEY_COUNT; m++)
            if (index == m || index == CM_SURVEY_COUNT)
                table->wanted[m] = true;
        if (text[length] == '\0')
            return 0;
        text += length + 1;
    }
}

static int read_time(const char *option, const char *text, struct cm_survey_task *task,
                     double *time)
{
    char *end;
    if (text == NULL)
        return 0;
    *time = strtod(text, &end);
    if (strspn(text, "+.0123456789eE") != strlen(text) || end == text || *end != '\0' ||
        !isfinite(*time))
        return shell_usage(COMMAND, "--%s is \"%s\", expected a time, 0 or more", option,
                           shell_shown(text).text);
    task->timed = true;
    return 0;
}

static int read_sizes(struct cm_shift_table *table)
{
    const struct cli_shift_values *values = table->values;
    uint64_t nodes = values->step->machine.nodes, words = 1, sides[2] = {0, 0};
    struct cm_survey_task *task = &table->task;
    if (values->words != NULL && (shell_read_numbers(values->words, ',', &words, 1) != 1 ||
                                  words == 0 || words > CM_ROUTER_WORDS_MAX))
        return shell_usage(COMMAND, "--words is \"%s\", expected 1 to %u",
                           shell_shown(values->words).text, CM_ROUTER_WORDS_MAX);
    if (values->shape != NULL &&
        (shell_read_numbers(values->shape, 'x', sides, 2) != 2 || sides[0] == 0 || sides[1] == 0 ||
         sides[0] > CM_CIRCULAR_NODES_MAX || sides[1] > CM_CIRCULAR_NODES_MAX))
        return shell_usage(COMMAND, "--shape is \"%s\", expected rows and columns, as in 4x8",
                           shell_shown(values->shape).text);
    if (nodes == 0)
        nodes = values->shape != NULL ? sides[0] * sides[1]
                                      : UINT64_C(1) << table->config.network_dimensions;
    if (nodes < 2 || nodes > CM_CIRCULAR_NODES_MAX)
        return shell_usage(COMMAND, "a circular shift is on 2 to %u nodes, not on %" PRIu64,
                           CM_CIRCULAR_NODES_MAX, nodes);
    *task = (struct cm_survey_task){.nodes = (uint32_t)nodes,
                                    .words = (uint32_t)words,
                                    .rows = (uint32_t)sides[0],
                                    .columns = (uint32_t)sides[1]};
    int code = read_time("ts", values->ts, task, &task->ts);
    if (code == 0)
        code = read_time("tw", values->tw, task, &task->tw);
    return code == 0 ? read_time("th", values->th, task, &task->th) : code;
}

/* Options for a run, or for one shift, that a table does nothing with. */
static int check_idle(const struct cli_shift_values *values)
{
    const struct cli_run_values *run = &values->step->run;
    const char *idle = run->trace != NULL          ? "trace"
                       : run->trace_window != NULL ? "trace-window"
                       : run->explain              ? "explain"
                       : run->why                  ? "why"
                       : run->saves.count > 0      ? "save"
                       : run->intervals != NULL    ? "intervals"
                       : run->timing_only          ? "timing-only"
                       : values->step->emit        ? "emit"
                                                   : NULL;
    if (idle != NULL)
        return shell_usage(COMMAND, "--%s is for one shift, not for a table of them", idle);
    if (values->paths &&
        (run->json || run->output != NULL || values->csv != NULL || values->figure != NULL))
        return shell_usage(COMMAND, "--table prints messages and paths alone, without --json, "
                                    "--result, --csv or --figure");
    return values->figure != NULL ? cm_shift_table_figure_check(values->figure) : 0;
}

static int refuse(const struct cm_error *err)
{
    return shell_refuse(COMMAND, err);
}

static bool is_mesh(uint32_t method)
{
    return method == CM_SURVEY_MESH || method == CM_SURVEY_MESH_FORWARD;
}

/* Methods that were named must serve; of all methods those that don't are left out. */
static int check_methods(struct cm_shift_table *table)
{
    const char *method = table->values->method;
    bool all = method == NULL || strcmp(method, "all") == 0, routed = false;
    uint32_t served = 0;
    for (uint32_t m = 0; m < CM_SURVEY_COUNT; m++) {
        struct cm_circular shift;
        struct cm_error err = {0};
        if (!table->wanted[m])
            continue;
        if (cm_survey_shift(table->survey, (enum cm_survey_method)m, table->first, &shift, &err) ==
            CM_OK) {
            served++;
            routed = routed || shift.method == CM_CIRCULAR_ECUBE;
            continue;
        }
        bool shaped = is_mesh(m) && table->values->shape != NULL;
        if (!all || shaped || err.status == CM_NO_MEMORY)
            return refuse(&err);
        snprintf(table->left_out[m], sizeof table->left_out[m], "%.199s", err.message);
        table->wanted[m] = false;
    }
    if (served == 0)
        return shell_usage(COMMAND, "no method serves these nodes: %s",
                           table->left_out[CM_SURVEY_LINEAR]);
    if (table->values->shape != NULL && !table->wanted[CM_SURVEY_MESH] &&
        !table->wanted[CM_SURVEY_MESH_FORWARD])
        return shell_usage(COMMAND, "--shape is for a mesh, and the table has no mesh");
    return table->values->th != NULL && !routed
               ? shell_usage(COMMAND, "--th is for the method e-cube: in a step every message goes "
                                      "to a neighbour")
               : 0;
}

static uint64_t wanted_count(const struct cm_shift_table *table)
{
    uint64_t count = 0;
    for (uint32_t m = 0; m < CM_SURVEY_COUNT; m++)
        count += table->wanted[m];
    return count;
}

static uint64_t q_count(const struct cm_shift_table *table)
{
    return (table->last - table->first) / table->step + 1;
}

bool cm_shift_table_is_partial(const struct cm_shift_table *table)
{
    return table->done < q_count(table);
}

static enum cm_status count_q(struct cm_shift_table *table, uint32_t by, struct cm_error *err)
{
    enum cm_status status = CM_OK;
    for (uint32_t m = 0; status == CM_OK && !table->stopped && m < CM_SURVEY_COUNT; m++)
        if (table->wanted[m])
            status = cm_survey_row(table->survey, (enum cm_survey_method)m, by,
                                   &table->rows[table->row_count++], err);
    if (status == CM_OK && !table->stopped && table->crossovers != NULL)
        status = cm_survey_crossover(table->survey, by,
                                     &table->crossovers[table->crossover_count++], err);
    return status;
}

static void stop(void *work)
{
    struct cm_shift_table *table = work;
    table->stopped = true;
}

/* Ends with the q that a signal comes in, whose rows are left out. */
static enum cm_status count_each(struct cm_shift_table *table, struct shell_progress *progress,
                                 struct cm_error *err)
{
    enum cm_status status = CM_OK;
    uint64_t count = q_count(table), of_q = wanted_count(table);
    shell_interrupt_watch(table, stop);
    for (uint64_t q = table->first; status == CM_OK && !table->stopped && q <= table->last;
         q += table->step) {
        status = count_q(table, (uint32_t)q, err);
        if (!table->stopped)
            shell_progress_step(progress, ++table->done, count);
    }
    shell_interrupt_watch(NULL, NULL);
    table->row_count = table->done * of_q;
    table->crossover_count = table->crossovers != NULL ? table->done : 0;
    return status;
}

static int count_all(struct cm_shift_table *table)
{
    const struct cli_run_values *run = &table->values->step->run;
    struct shell_progress progress;
    struct cm_error err = {0};
    uint64_t count = q_count(table);
    bool both = table->wanted[CM_SURVEY_PHASES] && table->wanted[CM_SURVEY_ECUBE];
    shell_progress_begin(&progress, run->quiet);
    progress.what = "q";
    progress.even = true;
    int code = shell_progress_ask(&progress, COMMAND, run->progress);
    if (code != 0)
        return code;
    table->rows = calloc(count * wanted_count(table), sizeof *table->rows);
    table->crossovers = both ? calloc(count, sizeof *table->crossovers) : NULL;
    if (table->rows == NULL || (both && table->crossovers == NULL))
        return shell_no_memory();
    enum cm_status status = count_each(table, &progress, &err);
    shell_progress_end(&progress);
    return status == CM_OK ? 0 : refuse(&err);
}

/* Figures 4.22 to 4.24 for each q. */
static int print_paths(const struct cm_shift_table *table)
{
    struct cm_buffer text;
    struct cm_error err = {0};
    enum cm_status status = CM_OK;
    if (table->task.nodes > CM_NETWORK_TABLE_NODES_MAX)
        return shell_usage(COMMAND, "--table is for at most %u nodes: give --nodes",
                           CM_NETWORK_TABLE_NODES_MAX);
    cm_buffer_init(&text);
    for (uint64_t q = table->first; status == CM_OK && q <= table->last; q += table->step)
        for (uint32_t m = 0; status == CM_OK && m < CM_SURVEY_COUNT; m++) {
            struct cm_circular shift;
            struct cm_circular_plan plan = {0};
            if (!table->wanted[m])
                continue;
            status =
                cm_survey_shift(table->survey, (enum cm_survey_method)m, (uint32_t)q, &shift, &err);
            if (status == CM_OK)
                status = cm_circular_plan(&shift, &plan, &err);
            if (status == CM_OK) {
                cm_buffer_printf(&text, "%s%s, ", text.length > 0 ? "\n" : "",
                                 cm_survey_method_name((enum cm_survey_method)m));
                cm_circular_table(&plan, &text);
            }
            cm_circular_plan_finish(&plan);
        }
    return shell_deliver(NULL, &text, status, &err);
}

static int deliver(const struct cm_shift_table *table, const char *path, const char *made_of,
                   void (*render)(const struct cm_shift_table *, struct cm_buffer *))
{
    const struct cli_partial partial = {path, "what was counted until then is", made_of};
    struct cm_buffer text;
    cm_buffer_init(&text);
    render(table, &text);
    if (cm_shift_table_is_partial(table))
        return cli_deliver_partial(&partial, &text, CM_OK, NULL);
    int code = shell_deliver(path, &text, CM_OK, NULL);
    return code == 0 && made_of != NULL ? cli_write_made_by(path, made_of) : code;
}

static int write_csv(const struct cm_shift_table *table)
{
    struct cm_buffer made_of;
    cm_buffer_init(&made_of);
    cm_shift_table_made_of(table, &made_of);
    int code = cm_buffer_ok(&made_of)
                   ? deliver(table, table->values->csv, made_of.data, cm_shift_table_csv)
                   : shell_no_memory();
    cm_buffer_finish(&made_of);
    return code;
}

static int show(const struct cm_shift_table *table)
{
    const struct cli_shift_values *values = table->values;
    const struct cli_run_values *run = &values->step->run;
    bool whole = !cm_shift_table_is_partial(table);
    int code = 0;
    if (run->json && whole)
        code = deliver(table, NULL, NULL, cm_shift_table_json);
    else if (!run->quiet && whole)
        code = deliver(table, NULL, NULL, cm_shift_table_text);
    if (run->output != NULL)
        code = shell_first_of(code, deliver(table, run->output, NULL, cm_shift_table_json));
    if (values->csv != NULL)
        code = shell_first_of(code, write_csv(table));
    return values->figure != NULL ? shell_first_of(code, cm_shift_table_figure(table)) : code;
}

static int make(struct cm_shift_table *table)
{
    struct cm_error err = {0};
    int code = check_idle(table->values);
    if (code == 0)
        code = read_sizes(table);
    if (code == 0)
        code = read_by(table);
    if (code == 0)
        code = read_methods(table);
    if (code != 0)
        return code;
    if (cm_survey_create(&table->config, &table->task, &table->survey, &err) != CM_OK)
        return refuse(&err);
    table->task = *cm_survey_task(table->survey);
    code = check_methods(table);
    if (code != 0)
        return code;
    if (table->values->paths)
        return print_paths(table);
    code = count_all(table);
    if (code != 0 || !cm_shift_table_is_partial(table))
        return code == 0 ? show(table) : code;
    cm_error_set(&err, CM_INTERRUPTED, "interrupted");
    code = shell_error(&err);
    if (table->done > 0)
        show(table);
    return code;
}

int cm_shift_table(const struct cli_shift_values *values)
{
    char path[4096];
    struct cm_error err = {0};
    struct cli_machine_values machine = values->step->machine;
    struct cm_shift_table *table = calloc(1, sizeof *table);
    if (table == NULL)
        return shell_no_memory();
    table->values = values;
    machine.machine = cli_machine_path(&values->step->machine, path, sizeof path);
    enum cm_status status = cli_machine_config(&machine, &table->config, &err);
    int code = status == CM_OK ? make(table) : shell_error(&err);
    cm_survey_destroy(table->survey);
    free(table->rows);
    free(table->crossovers);
    free(table);
    return code;
}
