/* cm200 figure: draws bars, curves and strips of results, traces and sweeps, for papers. */
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
        *title;
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

/* Reads a length: a number with or without its unit. */
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

/* Appends what a row was made of, for the metadata of the figure. */
static void describe_row(const struct cm_figure_row *row, struct cm_buffer *about)
{
    static const char *const names[] = {"workload", "workload_sha256", "machine", "nodes",
                                        "version"};
    char text[300];
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
        describe_row(&data->rows[i], about);
    if (data->count > SOURCES_SHOWN)
        cm_buffer_printf(about, "; and %u more", (unsigned)(data->count - SOURCES_SHOWN));
}

static enum cm_status draw_curve(const struct figure_values *values,
                                 const struct cm_figure_data *data,
                                 const struct cm_figure_page *page, struct cm_buffer *out,
                                 struct cm_error *err)
{
    const char *y = values->y != NULL ? values->y : "cycles";
    const struct cm_figure_curve curve = {values->x, y, values->logarithmic};
    struct cm_figure_point *points = calloc((size_t)data->count + 1, sizeof *points);
    char(*groups)[128] = calloc((size_t)data->count + 1, sizeof *groups);
    uint32_t count = 0;
    for (uint32_t i = 0; points != NULL && groups != NULL && i < data->count; i++) {
        const struct cm_figure_row *row = &data->rows[i];
        struct cm_figure_point point = {.run = i};
        if (!cm_figure_number(row, values->x, &point.x) || !cm_figure_number(row, y, &point.y))
            continue;
        if (values->group != NULL) {
            cm_figure_text(row, values->group, groups[i], sizeof groups[i]);
            point.group = groups[i];
        }
        points[count++] = point;
    }
    enum cm_status status = points != NULL && groups != NULL
                                ? cm_figure_curve(&curve, points, count, page, out, err)
                                : cm_error_no_memory(err);
    free(points);
    free(groups);
    return status;
}

static int draw(const struct figure_values *values, enum kind kind,
                const struct cm_figure_data *data, struct cm_figure_page *page)
{
    const struct cm_figure_bars how = {values->x, kind == BARS ? values->y : NULL,
                                       values->level || kind == STRIP};
    struct cm_buffer about, out;
    struct cm_error err = {0};
    cm_buffer_init(&about);
    cm_buffer_init(&out);
    describe(data, &about);
    page->about = about.data;
    enum cm_status status = !cm_buffer_ok(&about) ? cm_error_no_memory(&err)
                            : kind == CURVE       ? draw_curve(values, data, page, &out, &err)
                            : kind == BARS        ? cm_figure_bars(&how, data, page, &out, &err)
                                                  : cm_figure_strip(&how, data, page, &out, &err);
    cm_buffer_finish(&about);
    return cli_deliver_figure("figure", page->path, false, &out, status, &err);
}

/* Refuses options that belong to other kinds of figures. */
static int check(const struct figure_values *values, enum kind kind)
{
    const char *log = values->logarithmic;
    if (kind == CURVE && values->x == NULL)
        return shell_usage("figure", "--kind curve needs --x, the value along the axis");
    if (kind != CURVE && (values->group != NULL || log != NULL))
        return shell_usage("figure", "--group and --log are for --kind curve");
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
        code = check(values, (enum kind)kind);
    if (code == 0)
        code = read_page(values, &page);
    for (uint32_t i = 0; code == 0 && i < values->common.operands.count; i++)
        if (cm_figure_read(&data, values->common.operands.items[i], &err) != CM_OK)
            code = shell_error(&err);
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
     .help = "bars, cycles by cause (results, sweeps) or phase (traces); curve, --y "
             "against --x; strip, cycles one after the other; default bars"},
    {"x", SHELL_STRING, OPTION(x), .argument = "NAME",
     .help = "a value of the results: along the axis of a curve, or as labels"},
    {"y", SHELL_STRING, OPTION(y), .argument = "NAME",
     .help = "the value that is drawn; a curve's is cycles by default"},
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
};

const struct cli_command cli_command_figure = {
    .syntax = {.command = "figure",
               .operands = "FILE...",
               .operands_min = 1,
               .operands_max = UINT32_MAX,
               .sets = {SHELL_SET(options, 0)}},
    .summary = "draw results, traces and sweeps as figures for papers",
    .about =
        "Draws results (cm200 run --json), traces (--trace) and tables of cm200 sweep (.csv) as "
        "bars, curves or strips, with sizes in millimetres, on white, in colours and hatching "
        "that print. NAME is a path in the result, as cycles, cycles_by_cause/load, "
        "steps/0/cycles or nodes; a number of the machine, as memory.page_words; param.L; or "
        "name, the file's. The figure holds in its metadata what it is made of. PDF has its "
        "fonts in it; SVG names them.",
    .examples = "  cm200 figure a.json b.json -o causes.svg\n"
                "  cm200 figure pages.csv --kind curve --x memory.page_words --log x -o pages.pdf\n"
                "  cm200 figure run.trace --kind strip --width 170mm --height 30mm -o strip.svg\n",
    .values_size = sizeof(struct figure_values),
    .run = run,
};
