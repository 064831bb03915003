/* cm200 export: converts a trace for Perfetto, GTKWave or a table program, or into a web page. */
#include "../trace/export.h"
#include "cli.h"
#include "export_html.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define WINDOWS_DEFAULT 1000u
#define WINDOWS_MAX     1000000u
#define EVENTS_MIN      1000u
#define EVENTS_MAX      10000000u
#define GTKW_NODES      64u /* nodes that GTKWave shows at first. The VCD file has all nodes. */

enum format { FORMAT_CHROME, FORMAT_VCD, FORMAT_CSV, FORMAT_HTML, FORMAT_COUNT };
static const char *const format_names[FORMAT_COUNT] = {"chrome", "vcd", "csv", "html"};

struct export_values {
    struct shell_values common;
    const char *format, *what, *output, *gtkw, *compare;
    uint64_t first_cycle, end_cycle, events, windows;
    bool quiet;
};

/* Returns true if a path is the standard input or a pipe. The web page needs the bytes of a trace a
 * second time, and a stream can be read only once. */
static bool is_stream(const char *path)
{
    struct stat about;
    return path != NULL &&
           (strcmp(path, "-") == 0 ||
            (stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode)));
}

/* Refuses options that belong to another format than the chosen one. */
static int check_options(const struct export_values *values, uint32_t format)
{
    if (values->gtkw != NULL && format != FORMAT_VCD)
        return shell_usage("export", "--gtkw belongs to --format vcd");
    if (values->gtkw != NULL && !shell_names_file(values->output))
        return shell_usage("export", "--gtkw names the VCD file: give it with -o FILE.vcd");
    if (values->what != NULL && format != FORMAT_CSV)
        return shell_usage("export", "--what belongs to --format csv");
    if (values->windows != 0 && format != FORMAT_CSV)
        return shell_usage("export", "--windows belongs to --format csv");
    if (values->events != 0 && format != FORMAT_CHROME)
        return shell_usage("export", "--events belongs to --format chrome");
    if (values->compare != NULL && format != FORMAT_HTML)
        return shell_usage("export", "--compare belongs to --format html");
    if ((values->first_cycle != 0 || values->end_cycle != 0) && format == FORMAT_HTML)
        return shell_usage("export", "a page has the whole run: no --from-cycle or --to-cycle");
    if (format == FORMAT_HTML &&
        (is_stream(values->common.operands.items[0]) || is_stream(values->compare)))
        return shell_usage("export", "--format html reads files, not the standard input or a pipe");
    return 0;
}

static enum cm_status choose_range(const struct export_values *values, const struct cm_trace *trace,
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
    cm_error_hint(
        err, "the trace has cycles 0 to %" PRIu64 "; --to-cycle is one more than the last cycle",
        info->cycles);
    return CM_BAD_INPUT;
}

static enum cm_status write_format(const struct export_values *values, const struct cm_trace *trace,
                                   uint32_t format, uint32_t table, struct cm_buffer *text,
                                   struct cm_error *err)
{
    struct cm_export_range range;
    if (format == FORMAT_HTML)
        return cli_export_html(values->common.operands.items[0], values->compare, text, err);
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

/* Writes the save file of GTKWave, which refers to the VCD as a file in the same folder. */
static int write_gtkw(const struct export_values *values, const struct cm_trace *trace)
{
    struct cm_error err = {0};
    struct cm_buffer text;
    const char *slash = strrchr(values->output, '/');
    cm_buffer_init(&text);
    enum cm_status status =
        cm_export_gtkw(trace, slash != NULL ? slash + 1 : values->output, GTKW_NODES, &text, &err);
    return shell_deliver(values->gtkw, &text, status, &err);
}

/* Prints which part of a trace cannot be read. The rest of the trace is exported. */
static void print_notice(const struct cm_trace *trace, const char *path, bool quiet)
{
    const struct cm_trace_info *info = cm_trace_information(trace);
    if (info->notice != NULL && !quiet)
        fprintf(stderr, "%s: %s\n", shell_shown(path).text, info->notice);
}

static enum cm_status open_trace(const struct export_values *values, const char *path,
                                 struct cm_trace **trace, struct cm_error *err)
{
    enum cm_status status = cm_trace_open(path, trace, err);
    if (status == CM_OK)
        print_notice(*trace, path, values->quiet);
    return status;
}

static int export_trace(const void *all)
{
    const struct export_values *values = all;
    const char *tables[CM_EXPORT_TABLE_COUNT];
    struct cm_error err = {0};
    struct cm_buffer text;
    struct cm_trace *trace = NULL;
    uint32_t format, table = CM_EXPORT_CHANNELS;
    for (uint32_t i = 0; i < CM_EXPORT_TABLE_COUNT; i++)
        tables[i] = cm_export_table_name((enum cm_export_table)i);
    if (values->format == NULL)
        return shell_usage("export", "--format is missing: chrome, vcd, csv or html");
    int code =
        shell_choose("export", "format", values->format, format_names, FORMAT_COUNT, &format);
    if (code == 0 && values->what != NULL)
        code = shell_choose("export", "what", values->what, tables, CM_EXPORT_TABLE_COUNT, &table);
    if (code == 0)
        code = check_options(values, format);
    if (code != 0)
        return code;
    cm_buffer_init(&text);
    enum cm_status status = open_trace(values, values->common.operands.items[0], &trace, &err);
    if (status == CM_OK && values->compare != NULL) {
        struct cm_trace *other = NULL;
        status = open_trace(values, values->compare, &other, &err);
        cm_trace_close(other);
    }
    if (status == CM_OK) {
        status = write_format(values, trace, format, table, &text, &err);
    }
    code = shell_deliver(values->output, &text, status, &err);
    if (code == 0 && values->gtkw != NULL)
        code = write_gtkw(values, trace);
    if (code == 0 && format == FORMAT_CSV)
        code = cli_write_made_by(values->output, cm_trace_information(trace)->made_of);
    cm_trace_close(trace);
    return code;
}

#define OPTION(member) offsetof(struct export_values, member)

static const struct shell_option options[] = {
    {"format", SHELL_STRING, OPTION(format), .argument = "FORMAT",
     .help = "chrome: Trace Event JSON, for Perfetto (ui.perfetto.dev)\n"
             "vcd: the bits on the channels of each node, for GTKWave\n"
             "csv: a table, for spreadsheets and scripts\n"
             "html: one file with the viewer, for a browser"},
    {"output", SHELL_OUTPUT, OPTION(output), 'o', .argument = "FILE",
     .help = "write to FILE instead of the standard output"},
    {"from-cycle", SHELL_NUMBER, OPTION(first_cycle), .argument = "N", .max = UINT64_MAX,
     .help = "the first cycle to export (0)"},
    {"to-cycle", SHELL_NUMBER, OPTION(end_cycle), .argument = "N", .min = 1, .max = UINT64_MAX,
     .help = "the cycle to stop before (the end of the run)"},
    {"events", SHELL_NUMBER, OPTION(events), .argument = "N", .min = EVENTS_MIN, .max = EVENTS_MAX,
     .help = "chrome: write at most about N events (100000); if the run has more phases, windows "
             "of equal length replace them"},
    {"gtkw", SHELL_OUTPUT, OPTION(gtkw), .argument = "FILE",
     .help = "vcd: write GTKWave's save file too"},
    {"what", SHELL_STRING, OPTION(what), .argument = "TABLE",
     .help = "csv: channels (counts of each), windows (the dimensions over time), packets "
             "or hops (of the router), lines (of a CM Fortran program) or cycles (by phase and "
             "cause)"},
    {"windows", SHELL_NUMBER, OPTION(windows), .argument = "N", .min = 1, .max = WINDOWS_MAX,
     .help = "csv: the number of windows (1000), each of at least one cycle"},
    {"compare", SHELL_INPUT, OPTION(compare), .argument = "TRACE",
     .help = "html: a second trace next to the first, and how they differ"},
    {"quiet", SHELL_FLAG, OPTION(quiet), 'q', .help = "do not report what is missing in the trace"},
};

const struct cli_command cli_command_export = {
    .syntax = {.command = "export",
               .operands = "TRACE",
               .operands_min = 1,
               .operands_max = 1,
               .sets = {SHELL_SET(options, 0)}},
    .summary = "convert a trace for Perfetto, GTKWave, a spreadsheet or a browser",
    .about = "Writes a trace (cm200 run --trace FILE) in a format that other tools read; "
             "docs/export.md describes each.",
    .examples = "  cm200 run --trace run.trace programs/examples/five-point-pshift.json\n"
                "  cm200 export run.trace --format chrome -o run.json\n"
                "  cm200 export run.trace --format vcd -o run.vcd --gtkw run.gtkw\n"
                "  cm200 export run.trace --format csv --what windows --windows 100\n"
                "  cm200 export run.trace --format html -o run.html\n",
    .values_size = sizeof(struct export_values),
    .run = export_trace,
};
