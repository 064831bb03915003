/* cm200 export: a trace for Perfetto, GTKWave or a table program. */
#include "../trace/export.h"
#include "cli.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define WINDOWS_DEFAULT 1000u
#define WINDOWS_MAX     1000000u
#define EVENTS_MIN      1000u
#define EVENTS_MAX      10000000u
#define GTKW_NODES      64u /* shown at first; the others are in the VCD too */

enum format { FORMAT_CHROME, FORMAT_VCD, FORMAT_CSV, FORMAT_COUNT };
static const char *const format_names[FORMAT_COUNT] = {"chrome", "vcd", "csv"};

/* A choice of names: its number, or -1 after a message. */
static int choose(const char *option, const char *value, const char *const *names, uint32_t count)
{
    char list[128] = "";
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(value, names[i]) == 0)
            return (int)i;
        size_t length = strlen(list);
        snprintf(list + length, sizeof list - length, "%s%s", i > 0 ? ", " : "", names[i]);
    }
    cli_usage("export", "--%s is \"%s\", expected one of %s", option, value, list);
    return -1;
}

/* --gtkw and --what go with one format each. */
static int check_options(const struct cli_values *values, int format)
{
    if (values->gtkw != NULL && format != FORMAT_VCD)
        return cli_usage("export", "--gtkw belongs to --format vcd");
    if (values->gtkw != NULL && (values->output == NULL || strcmp(values->output, "-") == 0))
        return cli_usage("export", "--gtkw names the VCD file: give it with -o FILE.vcd");
    if (values->what != NULL && format != FORMAT_CSV)
        return cli_usage("export", "--what belongs to --format csv");
    if (values->windows != 0 && format != FORMAT_CSV)
        return cli_usage("export", "--windows belongs to --format csv");
    if (values->events != 0 && format != FORMAT_CHROME)
        return cli_usage("export", "--events belongs to --format chrome");
    return 0;
}

static enum cm_status choose_range(const struct cli_values *values, const struct cm_trace *trace,
                                   struct cm_export_range *range, struct cm_error *err)
{
    const struct cm_trace_info *info = cm_trace_information(trace);
    *range = cm_export_all(trace);
    range->first_cycle = values->first_cycle;
    if (values->end_cycle != 0)
        range->end_cycle = values->end_cycle;
    if (range->end_cycle > info->cycles)
        cm_error_set(err, CM_BAD_INPUT,
                     "--to-cycle is %" PRIu64 ", but the trace ends at cycle %" PRIu64,
                     range->end_cycle, info->cycles);
    else if (range->first_cycle > range->end_cycle && values->end_cycle == 0)
        cm_error_set(err, CM_BAD_INPUT,
                     "--from-cycle is %" PRIu64 ", but the trace ends at cycle %" PRIu64,
                     range->first_cycle, info->cycles);
    else if (range->first_cycle >= range->end_cycle && info->cycles > 0)
        cm_error_set(err, CM_BAD_INPUT, "cycles %" PRIu64 " to %" PRIu64 " hold nothing to export",
                     range->first_cycle, range->end_cycle);
    else
        return CM_OK;
    cm_error_hint(err,
                  "the trace has cycles 0 to %" PRIu64 "; --to-cycle names the one after the last",
                  info->cycles);
    return CM_BAD_INPUT;
}

static enum cm_status write_format(const struct cli_values *values, const struct cm_trace *trace,
                                   int format, int table, struct cm_buffer *text,
                                   struct cm_error *err)
{
    struct cm_export_range range;
    enum cm_status status = choose_range(values, trace, &range, err);
    if (status != CM_OK)
        return status;
    if (format == FORMAT_CHROME)
        return cm_export_chrome(trace, range, values->events ? values->events : CM_EXPORT_EVENTS,
                                text, err);
    if (format == FORMAT_VCD)
        return cm_export_vcd(trace, range, text, err);
    return cm_export_csv(trace, range, (enum cm_export_table)table,
                         values->windows ? (uint32_t)values->windows : WINDOWS_DEFAULT, text, err);
}

/* The save file names the VCD as it lies beside it. */
static int write_gtkw(const struct cli_values *values, const struct cm_trace *trace)
{
    struct cm_error err;
    struct cm_buffer text;
    const char *slash = strrchr(values->output, '/');
    memset(&err, 0, sizeof err);
    cm_buffer_init(&text);
    enum cm_status status =
        cm_export_gtkw(trace, slash != NULL ? slash + 1 : values->output, GTKW_NODES, &text, &err);
    int code = status == CM_OK ? cli_write_to(values->gtkw, &text) : cli_error(&err);
    cm_buffer_finish(&text);
    return code;
}

/* What cannot be read of a trace is said, and the rest exported. */
static void tell_notice(const struct cm_trace *trace, const char *path, bool quiet)
{
    const struct cm_trace_info *info = cm_trace_information(trace);
    if (info->notice != NULL && !quiet)
        fprintf(stderr, "%s: %s\n", path, info->notice);
}

static int export_trace(const struct cli_values *values)
{
    const char *tables[CM_EXPORT_TABLE_COUNT];
    struct cm_error err;
    struct cm_buffer text;
    struct cm_trace *trace = NULL;
    int table = CM_EXPORT_CHANNELS;
    for (uint32_t i = 0; i < CM_EXPORT_TABLE_COUNT; i++)
        tables[i] = cm_export_table_name((enum cm_export_table)i);
    if (values->format == NULL)
        return cli_usage("export", "--format is missing: chrome, vcd or csv");
    int format = choose("format", values->format, format_names, FORMAT_COUNT);
    if (format >= 0 && values->what != NULL)
        table = choose("what", values->what, tables, CM_EXPORT_TABLE_COUNT);
    if (format < 0 || table < 0)
        return cm_status_exit_code(CM_USAGE);
    int code = check_options(values, format);
    if (code != 0)
        return code;
    memset(&err, 0, sizeof err);
    cm_buffer_init(&text);
    enum cm_status status = cm_trace_open(values->operands.items[0], &trace, &err);
    if (status == CM_OK) {
        tell_notice(trace, values->operands.items[0], values->quiet);
        status = write_format(values, trace, format, table, &text, &err);
    }
    code = status == CM_OK ? cli_write_to(values->output, &text) : cli_error(&err);
    if (code == 0 && values->gtkw != NULL)
        code = write_gtkw(values, trace);
    cm_buffer_finish(&text);
    cm_trace_close(trace);
    return code;
}

static const struct cli_option options[] = {
    {"format", 0, CLI_STRING, "FORMAT",
     "chrome: Trace Event JSON, for Perfetto (ui.perfetto.dev)\n"
     "vcd: the bits on the channels of each node, for GTKWave\n"
     "csv: a table, for whatever reads tables",
     CLI_OPTION(format), 0, 0},
    {"output", 'o', CLI_STRING, "FILE", "write to FILE instead of the standard output",
     CLI_OPTION(output), 0, 0},
    {"from-cycle", 0, CLI_NUMBER, "N", "the first cycle of the part to export (0)",
     CLI_OPTION(first_cycle), 0, UINT64_MAX},
    {"to-cycle", 0, CLI_NUMBER, "N", "the cycle before which the part ends (the end of the run)",
     CLI_OPTION(end_cycle), 1, UINT64_MAX},
    {"events", 0, CLI_NUMBER, "N",
     "chrome: about so many events at most (100000); where the run has\n"
     "more phases, windows of equal length stand for them",
     CLI_OPTION(events), EVENTS_MIN, EVENTS_MAX},
    {"gtkw", 0, CLI_STRING, "FILE", "vcd: write GTKWave's save file too", CLI_OPTION(gtkw), 0, 0},
    {"what", 0, CLI_STRING, "TABLE",
     "csv: channels (what each did), windows (the dimensions over\n"
     "time) or packets (of the router)",
     CLI_OPTION(what), 0, 0},
    {"windows", 0, CLI_NUMBER, "N",
     "csv: into how many windows the part is divided, of a cycle at least\n(1000)",
     CLI_OPTION(windows), 1, WINDOWS_MAX},
    {"quiet", 'q', CLI_FLAG, NULL, "say nothing of what is missing in the trace", CLI_OPTION(quiet),
     0, 0},
};
static const struct cli_option_set option_set = {options, sizeof options / sizeof *options};

const struct cli_command cli_command_export = {
    .name = "export",
    .summary = "a trace for Perfetto, GTKWave or a table program",
    .operands = "TRACE",
    .operands_min = 1,
    .operands_max = 1,
    .about = "Writes a trace (cm200 run --trace FILE) in a format that other tools read;\n"
             "docs/export.md describes each.",
    .examples = "  cm200 run --trace run.trace programs/examples/five-point-pshift.json\n"
                "  cm200 export run.trace --format chrome -o run.json\n"
                "  cm200 export run.trace --format vcd -o run.vcd --gtkw run.gtkw\n"
                "  cm200 export run.trace --format csv --what windows --windows 100\n",
    .sets = {&option_set},
    .run = export_trace,
};
