/* cm200 shift --by all --method all: reads the options of a table of shifts, calls the folder
 * shifts/ to compute it, and prints it and writes its files. */
#include "shift_table.h"

#include "../base/text.h"
#include "../shifts/table.h"
#include "../sim/router/router.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMMAND "shift"

/* ---- options ---- */

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

/* Reads the option --by: "all", one distance Q, or FIRST:LAST[:STEP] including both ends. */
static int read_by(const struct cli_shift_values *values, struct cm_shift_table_settings *settings)
{
    const char *by = values->by;
    const uint32_t nodes = settings->task.nodes;
    uint64_t numbers[3] = {1, nodes - 1, 1};
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
    if (numbers[0] == 0 || numbers[1] >= nodes)
        return shell_usage(COMMAND, "--by %s: q is from 1 to %" PRIu32 " on %" PRIu32 " nodes",
                           shell_shown(by).text, nodes - 1, nodes);
    settings->first = (uint32_t)numbers[0];
    settings->last = (uint32_t)numbers[1];
    settings->step = numbers[2] > settings->last ? settings->last : (uint32_t)numbers[2];
    return 0;
}

/* Reads the option --method: "all", or names of methods with commas between them. */
static int read_methods(const struct cli_shift_values *values,
                        struct cm_shift_table_settings *settings)
{
    const char *names[CM_SURVEY_COUNT + 1] = {[CM_SURVEY_COUNT] = "all"};
    const char *text = values->method != NULL ? values->method : "all";
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
                settings->wanted[m] = true;
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

static int read_sizes(const struct cli_shift_values *values,
                      struct cm_shift_table_settings *settings)
{
    uint64_t nodes = values->step->machine.nodes, words = 1, sides[2] = {0, 0};
    struct cm_survey_task *task = &settings->task;
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
                                      : UINT64_C(1) << settings->config.network_dimensions;
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

/* Refuses options of a run, or of a single shift, that a table of shifts does not use. */
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
        return shell_usage(COMMAND, "--table prints messages and paths only, without --json, "
                                    "--result, --csv or --figure");
    struct cm_error err = {0};
    if (values->figure != NULL && cm_shift_table_figure_check(values->figure, &err) != CM_OK)
        return shell_refuse(COMMAND, &err);
    return 0;
}

/* Reads all options of a table of shifts. The machine is read first, because it determines the
 * number of nodes. */
static int read_settings(const struct cli_shift_values *values,
                         struct cm_shift_table_settings *settings)
{
    struct cm_error err = {0};
    if (cli_machine_config(&values->step->machine, &settings->config, &err) != CM_OK)
        return shell_error(&err);
    settings->all = values->method == NULL || strcmp(values->method, "all") == 0;
    settings->shaped = values->shape != NULL;
    settings->hops = values->th != NULL;
    settings->commit = cli_commit[0] != '\0' ? cli_commit : NULL;
    int code = check_idle(values);
    if (code == 0)
        code = read_sizes(values, settings);
    if (code == 0)
        code = read_by(values, settings);
    return code == 0 ? read_methods(values, settings) : code;
}

/* ---- output ---- */

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

static int write_csv(const struct cm_shift_table *table, const char *path)
{
    struct cm_buffer made_of;
    cm_buffer_init(&made_of);
    cm_shift_table_made_of(table, &made_of);
    int code = cm_buffer_ok(&made_of) ? deliver(table, path, made_of.data, cm_shift_table_csv)
                                      : shell_no_memory();
    cm_buffer_finish(&made_of);
    return code;
}

static int draw(const struct cm_shift_table *table, const char *path)
{
    struct cm_buffer out;
    struct cm_error err = {0};
    cm_buffer_init(&out);
    enum cm_status status = cm_shift_table_figure(table, path, &out, &err);
    return cli_deliver_figure(COMMAND, path, cm_shift_table_is_partial(table), &out, status, &err);
}

static int print_paths(const struct cm_shift_table *table)
{
    struct cm_buffer text;
    struct cm_error err = {0};
    cm_buffer_init(&text);
    enum cm_status status = cm_shift_table_paths(table, &text, &err);
    if (status != CM_USAGE)
        return shell_deliver(NULL, &text, status, &err);
    cm_buffer_finish(&text);
    return shell_refuse(COMMAND, &err);
}

/* Prints the rows of the table, and writes its files. An interrupted, partial table is not printed.
 */
static int show(const struct cli_shift_values *values, const struct cm_shift_table *table)
{
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
        code = shell_first_of(code, write_csv(table, values->csv));
    return values->figure != NULL ? shell_first_of(code, draw(table, values->figure)) : code;
}

/* ---- the command ---- */

static int count(const struct cli_shift_values *values, struct cm_shift_table *table)
{
    const struct cli_run_values *run = &values->step->run;
    struct shell_progress progress;
    struct cm_error err = {0};
    shell_progress_begin(&progress, run->quiet);
    progress.what = "q";
    progress.even = true;
    int code = shell_progress_ask(&progress, COMMAND, run->progress);
    if (code != 0)
        return code;
    shell_interrupt_watch(table, cm_shift_table_stop);
    enum cm_status status = cm_shift_table_count(table, shell_progress_step, &progress, &err);
    shell_interrupt_watch(NULL, NULL);
    shell_progress_end(&progress);
    if (status == CM_OK)
        return 0;
    return status == CM_NO_MEMORY ? shell_error(&err) : shell_refuse(COMMAND, &err);
}

static int make(const struct cli_shift_values *values, struct cm_shift_table *table)
{
    struct cm_error err = {0};
    if (values->paths)
        return print_paths(table);
    int code = count(values, table);
    if (code != 0 || !cm_shift_table_is_partial(table))
        return code == 0 ? show(values, table) : code;
    cm_error_set(&err, CM_INTERRUPTED, "interrupted");
    code = shell_error(&err);
    if (table->done > 0)
        show(values, table);
    return code;
}

int cli_shift_table(const struct cli_shift_values *values)
{
    struct cm_shift_table_settings *settings = calloc(1, sizeof *settings);
    struct cm_shift_table *table = NULL;
    struct cm_error err = {0};
    struct cm_buffer command;
    if (settings == NULL)
        return shell_no_memory();
    cm_buffer_init(&command);
    shell_command_line(&values->step->common, &command);
    settings->command = command.data;
    int code = cm_buffer_ok(&command) ? read_settings(values, settings) : shell_no_memory();
    if (code == 0)
        code = cm_shift_table_create(settings, &table, &err) == CM_OK ? make(values, table)
                                                                      : shell_refuse(COMMAND, &err);
    cm_shift_table_destroy(table);
    cm_buffer_finish(&command);
    free(settings);
    return code;
}
