/* Making and running the one-step workloads of `cm200 shift` and `cm200 route`. */
#include "network.h"
#include "../base/json_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_BYTES 4096u
#define RATES_MAX  1000u /* of one step */

void cli_network_begin(const struct cli_values *values, const char *step, const char *name,
                       uint64_t nodes, const char *arrays, struct cm_buffer *text)
{
    char path[PATH_BYTES];
    const char *machine = cli_machine_path(values, path, sizeof path);
    cm_buffer_init(text);
    cm_buffer_printf(text, "{\n  \"format\": \"cm200-workload/1\",\n  \"name\": ");
    cm_json_append_string(text, name);
    if (machine != NULL) {
        cm_buffer_printf(text, ",\n  \"machine\": ");
        cm_json_append_string(text, machine);
    }
    if (nodes != 0)
        cm_buffer_printf(text, ",\n  \"nodes\": %" PRIu64, nodes);
    cm_buffer_printf(text, ",\n  \"arrays\": {%s},\n  \"steps\": [\n    { \"%s\": {", arrays, step);
}

/* As JSON has it. A number below 0 is one too: the workload refuses it as out of range. */
static bool is_number(const char *string, enum cli_member_kind kind)
{
    char *end;
    string += string[0] == '-';
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

/* "0.05:0.95:0.05": where the rates begin, where they end, and how far apart they are. */
static bool read_sweep(const char *string, double *first, double *last, double *step)
{
    char parts[3][32], end;
    if (sscanf(string, "%31[0-9.-]:%31[0-9.-]:%31[0-9.-]%c", parts[0], parts[1], parts[2], &end) !=
        3)
        return false;
    for (int i = 0; i < 3; i++)
        if (!is_number(parts[i], CLI_MEMBER_REAL))
            return false;
    *first = strtod(parts[0], NULL);
    *last = strtod(parts[1], NULL);
    *step = strtod(parts[2], NULL);
    return true;
}

static enum cm_status check_sweep(const char *string, double first, double last, double step,
                                  struct cm_error *err)
{
    const char *why = NULL;
    if (step <= 0)
        why = "the step is not above 0";
    else if (last < first)
        why = "the last rate is below the first";
    else if ((last - first) / step > RATES_MAX - 1)
        why = "too many rates";
    if (why == NULL)
        return CM_OK;
    cm_error_set(err, CM_BAD_INPUT, "--rate is \"%.100s\": %s", string, why);
    return cm_error_hint(err, "FIRST:LAST:STEP with at most %u rates, as in 0.1:1:0.1", RATES_MAX);
}

enum cm_status cli_network_rate(const struct cli_values *values, const char *command,
                                struct cm_buffer *text)
{
    struct cm_error err;
    double first, last, step;
    if (values->rate == NULL)
        return CM_OK;
    if (is_number(values->rate, CLI_MEMBER_REAL)) {
        cm_buffer_printf(text, ", \"rate\": %s", values->rate);
        return CM_OK;
    }
    if (!read_sweep(values->rate, &first, &last, &step)) {
        cli_usage(command, "--rate is \"%s\", expected a number, or FIRST:LAST:STEP", values->rate);
        return CM_USAGE;
    }
    memset(&err, 0, sizeof err);
    if (check_sweep(values->rate, first, last, step, &err) != CM_OK) {
        cli_error(&err);
        return err.status;
    }
    cm_buffer_printf(text, ", \"rates\": [");
    /* The last rate is taken though the steps to it add up to a little more. */
    for (uint32_t i = 0; first + i * step <= last + step * 1e-6; i++)
        cm_buffer_printf(text, "%s%.10g", i > 0 ? ", " : "", first + i * step);
    cm_buffer_printf(text, "]");
    return CM_OK;
}

static enum cm_status render_text(const struct cli_values *values, const void *what,
                                  struct cm_buffer *text, struct cm_error *err)
{
    const struct cm_result *result = what;
    const struct cm_network_report *report = cm_step_network(&result->steps[0]);
    (void)err;
    if (values->shift_table) {
        cm_buffer_printf(text, "%s", report->table != NULL ? report->table : "");
        return CM_OK;
    }
    cm_result_summary(result, cli_summary_style() | CM_SUMMARY_COMMON, text);
    cm_network_summary(report, text);
    if (values->heatmap)
        cm_network_heatmap(report, cli_summary_style(), text);
    return CM_OK;
}

static enum cm_status render_csv(const struct cli_values *values, const void *report,
                                 struct cm_buffer *text, struct cm_error *err)
{
    (void)values;
    (void)err;
    cm_network_csv(report, text);
    return CM_OK;
}

static enum cm_status render_packets(const struct cli_values *values, const void *report,
                                     struct cm_buffer *text, struct cm_error *err)
{
    (void)values;
    (void)err;
    cm_network_packets_csv(report, text);
    return CM_OK;
}

static int write_files(const struct cli_values *values, const struct cm_result *result)
{
    const struct cm_network_report *report = cm_step_network(&result->steps[0]);
    int code = 0;
    if (values->csv != NULL)
        code = cli_render_to(values->csv, render_csv, values, report);
    if (values->packets != NULL)
        code = cli_first_of(code, cli_render_to(values->packets, render_packets, values, report));
    return code;
}

static int run_workload(const struct cli_values *values, const char *command,
                        const struct cm_buffer *text)
{
    struct cm_workload *workload = NULL;
    struct cm_error err;
    char path[PATH_BYTES], name[32];
    const char *machine = cli_machine_path(values, path, sizeof path);
    memset(&err, 0, sizeof err);
    snprintf(name, sizeof name, "cm200 %s", command);
    enum cm_status status = cm_workload_parse(name, text->data, text->length, &workload, &err);
    const struct cli_job job = {
        .workload = workload,
        .builtin = machine == NULL,
        .machine = machine,
        .own_nodes = true,
        .text = render_text,
        .files = write_files,
    };
    int code = status == CM_OK ? cli_run_workload(values, &job) : cli_error(&err);
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
