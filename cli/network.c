/* Making and running the one-step workloads of `cm200 shift` and `cm200 route`. */
#include "network.h"
#include "../programs/workload/json_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_BYTES 4096u

void cli_network_begin(const struct cli_values *values, const char *step, const char *name,
                       uint64_t nodes, struct cm_buffer *text)
{
    cm_buffer_init(text);
    cm_buffer_printf(text, "{\n  \"format\": \"cm200-workload/1\",\n  \"name\": ");
    cm_json_append_string(text, name);
    cm_buffer_printf(text, ",\n  \"machine\": ");
    cm_json_append_string(text, values->machine != NULL ? values->machine : "configs/cm200.json");
    if (nodes != 0)
        cm_buffer_printf(text, ",\n  \"nodes\": %" PRIu64, nodes);
    cm_buffer_printf(text, ",\n  \"arrays\": {},\n  \"steps\": [\n    { \"%s\": {", step);
}

static bool is_number(const char *string, enum cli_member_kind kind)
{
    char *end;
    size_t digits = strspn(string, "0123456789");
    if (digits == 0 || (digits > 1 && string[0] == '0' && string[1] != '.'))
        return false;
    if (kind == CLI_MEMBER_INTEGER)
        return string[digits] == '\0';
    strtod(string, &end);
    return *end == '\0' && strpbrk(string, "xXnNiI") == NULL;
}

enum cm_status cli_network_members(const struct cli_values *values, const char *command,
                                   const struct cli_member *members, uint32_t count,
                                   struct cm_buffer *text)
{
    bool first = true;
    for (uint32_t i = 0; i < count; i++) {
        const char *value = *(const char *const *)((const char *)values + members[i].offset);
        if (value == NULL)
            continue;
        bool name = members[i].kind == CLI_MEMBER_NAME;
        if (!name && !is_number(value, members[i].kind)) {
            cli_usage(command, "--%s is \"%s\", expected %s number", members[i].key, value,
                      members[i].kind == CLI_MEMBER_INTEGER ? "a whole" : "a");
            return CM_USAGE;
        }
        cm_buffer_printf(text, "%s\"%s\": ", first ? " " : ", ", members[i].key);
        if (name)
            cm_json_append_string(text, value);
        else
            cm_buffer_printf(text, "%s", value);
        first = false;
    }
    return CM_OK;
}

static void append_network(const struct cli_values *values, const struct cm_result *result,
                           struct cm_buffer *text)
{
    const struct cm_network_report *report = result->steps[0].network;
    cm_network_summary(report, text);
    if (values->heatmap)
        cm_network_heatmap(report, cli_summary_style(), text);
}

static int print_result(const struct cli_values *values, const struct cm_result *result)
{
    const struct cm_network_report *report = result->steps[0].network;
    struct cm_buffer text;
    struct cm_error err;
    int code = 0;
    cm_buffer_init(&text);
    if (values->json) {
        if (cm_result_json(result, &text, &err) != CM_OK)
            code = cli_error(&err);
    } else if (values->shift_table) {
        cm_buffer_printf(&text, "%s",
                         report->table != NULL ? report->table
                                               : "tables are printed for up to 64 nodes\n");
    } else if (!values->quiet) {
        cm_result_summary(result, cli_summary_style(), &text);
        append_network(values, result, &text);
    }
    if (code == 0)
        code = cli_write(&text);
    cm_buffer_finish(&text);
    return code;
}

static int write_files(const struct cli_values *values, const struct cm_result *result)
{
    struct cm_buffer text;
    struct cm_error err;
    int code = 0;
    if (values->stats != NULL) {
        cm_buffer_init(&text);
        code = cm_result_json(result, &text, &err) == CM_OK ? cli_write_to(values->stats, &text)
                                                            : cli_error(&err);
        cm_buffer_finish(&text);
    }
    if (values->csv != NULL && code == 0) {
        cm_buffer_init(&text);
        cm_network_csv(result->steps[0].network, &text);
        code = cli_write_to(values->csv, &text);
        cm_buffer_finish(&text);
    }
    if (values->packets != NULL && code == 0) {
        cm_buffer_init(&text);
        cm_network_packets_csv(result->steps[0].network, &text);
        code = cli_write_to(values->packets, &text);
        cm_buffer_finish(&text);
    }
    return code;
}

static int finish(const struct cli_values *values, struct cm_run *run, enum cm_status status,
                  const struct cm_error *err)
{
    if (status != CM_OK && status != CM_CHECK_FAILED)
        return cli_error(err);
    cli_interrupt_hold(true);
    int code = print_result(values, cm_run_result(run));
    if (status == CM_CHECK_FAILED)
        code = cli_error(err);
    int files = write_files(values, cm_run_result(run));
    cli_interrupt_hold(false);
    return code != 0 ? code : files;
}

static int execute(const struct cli_values *values, struct cm_run *run)
{
    struct cm_error err;
    struct cli_tracing tracing;
    memset(&err, 0, sizeof err);
    int code = cli_trace_begin(values, run, &tracing);
    if (code != 0)
        return code;
    cli_interrupt_watch(run);
    enum cm_status status = cm_run_execute(run, &err);
    cli_interrupt_watch(NULL);
    code = finish(values, run, status, &err);
    int traced = cli_trace_end(values, run, &tracing, status == CM_OK || status == CM_CHECK_FAILED);
    return code != 0 ? code : traced;
}

static int run_workload(const struct cli_values *values, const char *command,
                        const struct cm_buffer *text)
{
    struct cm_workload *workload = NULL;
    struct cm_run *run = NULL;
    struct cm_error err;
    struct cm_config builtin;
    char path[PATH_BYTES], name[32];
    struct cm_run_options options = cli_run_settings(values);
    options.machine = cli_machine_path(values, path, sizeof path);
    options.nodes = 0; /* stand in the workload */
    memset(&err, 0, sizeof err);
    if (options.machine == NULL) {
        if (cli_machine_config(NULL, &builtin, &err) != CM_OK)
            return cli_error(&err);
        options.config = &builtin;
    }
    snprintf(name, sizeof name, "cm200 %s", command);
    cli_interrupt_watch(NULL);
    enum cm_status status = cm_workload_parse(name, text->data, text->length, &workload, &err);
    if (status == CM_OK)
        status = cm_run_create(workload, &options, &run, &err);
    int code = status == CM_OK ? execute(values, run) : cli_error(&err);
    cm_run_destroy(run);
    cm_workload_destroy(workload);
    return code;
}

int cli_network_finish(const struct cli_values *values, const char *command, struct cm_buffer *text)
{
    struct cm_error err;
    int code;
    cm_buffer_printf(text, " } }\n  ],\n  \"check\": true\n}\n");
    if (!cm_buffer_ok(text)) {
        cm_error_set(&err, CM_NO_MEMORY, "out of memory for the workload");
        code = cli_error(&err);
    } else {
        code = values->emit ? cli_write(text) : run_workload(values, command, text);
    }
    cm_buffer_finish(text);
    return code;
}
