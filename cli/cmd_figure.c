/* cm200 figure: draws bars, curves and strips from results, traces and tables of sweeps, for
 * papers. */
#include "../base/json.h"
#include "../base/version.h"
#include "../figure/figure.h"
#include "../trace/trace.h"
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SOURCES_SHOWN 40u

struct figure_values {
    struct shell_values common;
    const char *output, *kind, *x, *y, *group, *logarithmic, *width, *height, *letters, *font,
        *title, *x_title, *y_title;
    bool level;
};

enum kind { BARS, CURVE, STRIP, KIND_COUNT };
static const char *const kinds[] = {"bars", "curve", "strip"};

int cli_deliver_figure(const char *command, const char *path, bool partial, struct cm_buffer *out,
                       enum cm_status status, const struct cm_error *err)
{
    const struct cli_partial rest = {path, "a figure of what was done is", NULL};
    if (status == CM_USAGE) {
        cm_buffer_finish(out);
        return shell_refuse(command, err);
    }
    return partial ? cli_deliver_partial(&rest, out, status, err)
                   : shell_deliver(path, out, status, err);
}

/* Reads a length for a figure: a number with or without its unit. `fallback` is used if the option
 * is not given. */
static int read_length(const char *option, const char *text, const char *unit, double fallback,
                       const double limits[2], double *value)
{
    char *end;
    *value = fallback;
    if (text == NULL)
        return 0;
    *value = strtod(text, &end);
    bool plain = text[strspn(text, "0123456789.")] == *end && end != text;
    if (plain && (*end == '\0' || strcmp(end, unit) == 0) && *value >= limits[0] &&
        *value <= limits[1])
        return 0;
    return shell_usage("figure", "--%s %s: expected %g to %g %s", option, shell_shown(text).text,
                       limits[0], limits[1], unit);
}

static int read_page(const struct figure_values *values, struct cm_figure_page *page)
{
    static const double sides[2] = {20, 1000}, letters[2] = {3, 40};
    *page = (struct cm_figure_page){
        .path = values->output,
        .font = values->font != NULL ? values->font : "Helvetica, Arial, sans-serif",
        .title = values->title,
        .name = values->title != NULL ? values->title : values->common.operands.items[0],
    };
    int code = read_length("width", values->width, "mm", 85, sides, &page->millimetres[0]);
    if (code == 0)
        code = read_length("height", values->height, "mm", 60, sides, &page->millimetres[1]);
    if (code == 0)
        code = read_length("letters", values->letters, "pt", 8, letters, &page->points);
    struct cm_error err = {0};
    if (code == 0 && cm_figure_check(page, &err) != CM_OK)
        code = shell_refuse("figure", &err);
    return code;
}

/* Appends the inputs and the version that a row of the figure was made of, for the metadata of the
 * figure. If a table has a .made_by.json file, that file describes all its rows, at the first of
 * them. */
static void describe_row(const struct cm_figure_row *row, bool first, struct cm_buffer *about)
{
    static const char *const names[] = {"workload", "workload_sha256", "machine", "nodes",
                                        "version"};
    char text[300];
    const struct cm_figure_table *table = row->table;
    if (table != NULL && table->made_of != NULL) {
        if (first)
            cm_buffer_printf(about, "; %s: %s", table->name, table->made_of);
        return;
    }
    cm_buffer_printf(about, "; %s:", row->name);
    if (row->trace != NULL)
        cm_buffer_printf(about, " %s", cm_trace_information(row->trace)->made_of);
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++)
        if (cm_figure_text(row, names[i], text, sizeof text))
            cm_buffer_printf(about, " %s %s", names[i], text);
    struct cm_json set;
    if (row->result == NULL || !cm_json_member(cm_json_root(row->result), "overrides", &set))
        return;
    for (uint32_t i = 0; i < cm_json_count(set); i++) {
        const char *key;
        char name[300];
        (void)cm_json_at(set, i, &key);
        snprintf(name, sizeof name, "overrides/%s", key);
        if (cm_figure_text(row, name, text, sizeof text))
            cm_buffer_printf(about, " %s=%s", key, text);
    }
}

static void describe(const struct cm_figure_data *data, struct cm_buffer *about)
{
    cm_buffer_printf(about, "made by cm200 %s", cm_version());
    for (uint32_t i = 0; i < data->count && i < SOURCES_SHOWN; i++)
        describe_row(&data->rows[i], i == 0 || data->rows[i - 1].table != data->rows[i].table,
                     about);
    if (data->count > SOURCES_SHOWN)
        cm_buffer_printf(about, "; and %u more", (unsigned)(data->count - SOURCES_SHOWN));
}

static int draw(const struct figure_values *values, enum kind kind,
                const struct cm_figure_data *data, struct cm_figure_page *page)
{
    const struct cm_figure_bars how = {values->x, kind == BARS ? values->y : NULL,
                                       values->level || kind == STRIP};
    const bool load = cm_figure_is_load(data);
    const struct cm_figure_curve curve = {
        .x = values->x != NULL ? values->x : CM_FIGURE_LOAD_X,
        .y = values->y != NULL ? values->y
             : load            ? CM_FIGURE_LOAD_Y
                               : "cycles",
        .group = values->group,
        .x_title = values->x_title,
        .y_title = values->y_title,
        .logarithmic = values->logarithmic,
    };
    struct cm_buffer about, out;
    struct cm_error err = {0};
    cm_buffer_init(&about);
    cm_buffer_init(&out);
    describe(data, &about);
    page->about = about.data;
    enum cm_status status = !cm_buffer_ok(&about) ? cm_error_no_memory(&err)
                            : kind == CURVE ? cm_figure_rows_curve(&curve, data, page, &out, &err)
                            : kind == BARS  ? cm_figure_bars(&how, data, page, &out, &err)
                                            : cm_figure_strip(&how, data, page, &out, &err);
    cm_buffer_finish(&about);
    return cli_deliver_figure("figure", page->path, false, &out, status, &err);
}

/* Refuses options that belong to another kind of figure than the chosen one. */
static int check(const struct figure_values *values, enum kind kind, bool load)
{
    const char *log = values->logarithmic;
    if (kind == CURVE && values->x == NULL && !load)
        return shell_usage("figure", "--kind curve needs --x, the value along the axis");
    if (kind != CURVE && (values->group != NULL || log != NULL))
        return shell_usage("figure", "--group and --log are for --kind curve");
    if (kind != CURVE && (values->x_title != NULL || values->y_title != NULL))
        return shell_usage("figure", "--x-title and --y-title are for --kind curve");
    if (kind == STRIP && values->y != NULL)
        return shell_usage("figure", "--y is for curves and bars; a strip shows cycles");
    if (log != NULL && strcmp(log, "x") != 0 && strcmp(log, "y") != 0 && strcmp(log, "xy") != 0)
        return shell_usage("figure", "--log is x, y or xy");
    return 0;
}

static int run(const void *all)
{
    const struct figure_values *values = all;
    struct cm_figure_data data = {0};
    struct cm_figure_page page;
    struct cm_error err = {0};
    uint32_t kind = BARS;
    int code = 0;
    if (values->kind != NULL)
        code = shell_choose("figure", "kind", values->kind, kinds, KIND_COUNT, &kind);
    if (code == 0)
        code = read_page(values, &page);
    for (uint32_t i = 0; code == 0 && i < values->common.operands.count; i++)
        if (cm_figure_read(&data, values->common.operands.items[i], &err) != CM_OK)
            code = shell_error(&err);
    const bool load = code == 0 && cm_figure_is_load(&data);
    if (values->kind == NULL && load)
        kind = CURVE;
    if (code == 0)
        code = check(values, (enum kind)kind, load);
    if (code == 0)
        code = draw(values, (enum kind)kind, &data, &page);
    cm_figure_data_finish(&data);
    return code;
}

#define OPTION(member) offsetof(struct figure_values, member)

static const struct shell_option options[] = {
    {"output", SHELL_OUTPUT, OPTION(output), 'o', .required = true, .argument = "FILE",
     .help = "the figure, as .svg or .pdf"},
    {"kind", SHELL_STRING, OPTION(kind), .argument = "KIND",
     .help = "bars, cycles by cause (results, sweeps) or phase (traces); curve, --y against --x; "
             "strip, cycles one after the other; bars by default, but curve for latency against "
             "load (cm200 route --csv)"},
    {"x", SHELL_STRING, OPTION(x), .argument = "NAME",
     .help = "a value of the results: along the axis of a curve, or as labels"},
    {"y", SHELL_STRING, OPTION(y), .argument = "NAME",
     .help = "the value that is drawn; a curve's is cycles by default, or mean against\n"
             "offered for latency against load"},
    {"group", SHELL_STRING, OPTION(group), .argument = "NAME",
     .help = "a line of a curve for each value of this"},
    {"log", SHELL_STRING, OPTION(logarithmic), .argument = "x|y|xy", .help = "logarithmic axes"},
    {"level", SHELL_FLAG, OPTION(level), .help = "bars lie, the first one at the top"},
    {"width", SHELL_STRING, OPTION(width), .argument = "MM", .help = "of the figure, as 85mm (85)"},
    {"height", SHELL_STRING, OPTION(height), .argument = "MM", .help = "likewise (60)"},
    {"letters", SHELL_STRING, OPTION(letters), .argument = "PT", .help = "size of the text (8)"},
    {"font", SHELL_STRING, OPTION(font), .argument = "NAME",
     .help = "of the text (Helvetica, Arial, sans-serif)"},
    {"title", SHELL_STRING, OPTION(title), .argument = "TEXT", .help = "above the figure; none"},
    {"x-title", SHELL_STRING, OPTION(x_title), .argument = "TEXT",
     .help = "below the x axis of a curve, instead of the name and its unit"},
    {"y-title", SHELL_STRING, OPTION(y_title), .argument = "TEXT",
     .help = "next to the y axis of a curve, likewise"},
};

const struct cli_command cli_command_figure = {
    .syntax = {.command = "figure",
               .operands = "FILE...",
               .operands_min = 1,
               .operands_max = UINT32_MAX,
               .sets = {SHELL_SET(options, 0)}},
    .summary = "draw results, traces and sweeps as figures for papers",
    .about =
        "Draws results (cm200 run --json), traces (--trace) and tables of cm200 sweep and cm200 "
        "route (.csv) as bars, curves or strips, with sizes in millimetres, on white, in colours "
        "and hatching that print. NAME is a path in the result, as cycles, cycles_by_cause/load, "
        "steps/0/cycles or nodes; a number of the machine, as memory.page_words; param.L; a "
        "column of the table; or name, the file's. A curve has error bars where the table has "
        "the ends of intervals, open marks where the network was not steady, and the bound of "
        "the rate as a dashed line. Several tables give a line each. The figure holds in its "
        "metadata what it is made of. PDF has its "
        "fonts in it; SVG names them.",
    .examples = "  cm200 figure a.json b.json -o causes.svg\n"
                "  cm200 figure e-cube.csv valiant.csv -o load.svg --title \"64 nodes\"\n"
                "  cm200 figure pages.csv --kind curve --x memory.page_words --log x -o pages.pdf\n"
                "  cm200 figure run.trace --kind strip --width 170mm --height 30mm -o strip.svg\n",
    .values_size = sizeof(struct figure_values),
    .run = run,
};
