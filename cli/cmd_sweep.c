/* cm200 sweep: runs a workload over a grid of settings, and writes a table and a figure of the
 * results. */
#include "../sweep/sweep.h"
#include "cli.h"
#include "sweep_axes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct sweep_values {
    struct shell_values common;
    struct cli_machine_values machine;
    struct cli_param_values param;
    struct shell_list over;
    bool timing_only, quiet;
    const char *csv, *json_lines, *figure, *x, *y, *group, *logarithmic, *progress;
    const char *columns, *title, *x_title, *y_title;
    uint64_t jobs;
};

#define OPTION(member) offsetof(struct sweep_values, member)

static const struct shell_option options[] = {
    {"over", SHELL_LIST, OPTION(over), .argument = "NAME=LIST",
     .help = "an axis of the grid; may be given several times, the first varies "
             "slowest. LIST is A,B,C or FIRST:LAST:STEP or FIRST:LAST:*FACTOR"},
    {"csv", SHELL_OUTPUT, OPTION(csv), .argument = "FILE", .help = "a row for each run"},
    {"columns", SHELL_STRING, OPTION(columns), .argument = "LIST",
     .help = "of the CSV, next to the axes: names with commas, as in\n"
             "cycles,steps/0/latency; all: everything that the results have"},
    {"json-lines", SHELL_OUTPUT, OPTION(json_lines), .argument = "FILE",
     .help = "also a line for each run, with its whole result as JSON"},
    {"jobs", SHELL_NUMBER, OPTION(jobs), 'j', .argument = "N", .min = 1, .max = 256,
     .help = "runs at a time, as many as the host has processors by default"},
    {"timing-only", SHELL_FLAG, OPTION(timing_only),
     .help = "count cycles, move no data: fast, nothing checked"},
    {"figure", SHELL_OUTPUT, OPTION(figure), .argument = "FILE",
     .help = "draw --y against --x, as .svg or .pdf"},
    {"x", SHELL_STRING, OPTION(x), .argument = "COLUMN",
     .help = "the figure's x: a column of the CSV"},
    {"y", SHELL_STRING, OPTION(y), .argument = "COLUMN", .help = "its y; cycles by default"},
    {"group", SHELL_STRING, OPTION(group), .argument = "NAME",
     .help = "a line for each value of this axis"},
    {"title", SHELL_STRING, OPTION(title), .argument = "TEXT",
     .help = "above the figure, instead of the file's name"},
    {"x-title", SHELL_STRING, OPTION(x_title), .argument = "TEXT",
     .help = "below its x axis, instead of the column and its unit"},
    {"y-title", SHELL_STRING, OPTION(y_title), .argument = "TEXT",
     .help = "next to its y axis, likewise"},
    {"log", SHELL_STRING, OPTION(logarithmic), .argument = "x|y|xy",
     .help = "logarithmic axes of the figure"},
    {"progress", SHELL_STRING, OPTION(progress), .optional = true, .argument = "SECONDS",
     .help = "print progress also where there is no terminal, a line each 10 seconds "
             "or as often as said"},
    {"quiet", SHELL_FLAG, OPTION(quiet), 'q', .help = "print no progress"},
};

static bool is_axis(const struct cm_sweep *sweep, const char *name)
{
    for (uint32_t a = 0; a < sweep->settings.axis_count; a++)
        if (strcmp(sweep->settings.axes[a].name, name) == 0)
            return true;
    return false;
}

static int check_figure(const struct sweep_values *values, const struct cm_sweep *sweep)
{
    const char *log = values->logarithmic;
    struct cm_error err = {0};
    if (values->figure == NULL)
        return values->x != NULL || values->y != NULL || values->group != NULL || log != NULL ||
                       values->title != NULL || values->x_title != NULL || values->y_title != NULL
                   ? shell_usage("sweep", "--x, --y, --group, --log and titles are for --figure "
                                          "FILE")
                   : 0;
    if (values->x == NULL)
        return shell_usage("sweep", "--figure needs --x: an axis, or another column of the CSV");
    if (values->group != NULL && !is_axis(sweep, values->group))
        return shell_usage("sweep", "--group %s is not an axis; axes are given by --over",
                           shell_shown(values->group).text);
    if (log != NULL && strcmp(log, "x") != 0 && strcmp(log, "y") != 0 && strcmp(log, "xy") != 0)
        return shell_usage("sweep", "--log is x, y or xy");
    const struct cm_figure_page page = cm_sweep_page(&sweep->settings);
    return cm_figure_check(&page, &err) == CM_OK ? 0 : shell_refuse("sweep", &err);
}

static int check(const struct sweep_values *values)
{
    if (values->csv == NULL)
        return shell_usage("sweep", "give --csv FILE, which gets a row for each run");
    struct stat about;
    bool special = stat(values->csv, &about) == 0 && !S_ISREG(about.st_mode);
    if (!shell_names_file(values->csv) || special)
        return shell_usage("sweep", "--csv needs a file: finished runs are saved in FILE.journal");
    return 0;
}

/* ---- the tables ---- */

static int write_csv(struct cm_sweep_table *table, const char *path)
{
    struct cm_buffer text;
    struct cm_error err = {0};
    cm_buffer_init(&text);
    enum cm_status status = cm_sweep_table_csv(table, &text, &err);
    if (status == CM_USAGE) {
        cm_buffer_finish(&text);
        return shell_refuse("sweep", &err);
    }
    return shell_deliver(path, &text, status, &err);
}

/* Writes to a file next to the table the inputs that all runs of the sweep share. */
static int write_made_of(const struct cm_sweep_table *table, const char *path)
{
    struct cm_buffer text;
    cm_buffer_init(&text);
    cm_sweep_table_made_of(table, &text);
    if (text.length > 0)
        text.data[--text.length] = '\0'; /* the file gets its own newline */
    int code = cm_buffer_ok(&text) ? cli_write_made_by(path, text.data) : shell_no_memory();
    cm_buffer_finish(&text);
    return code;
}

static int write_lines(const struct cm_sweep_table *table, const char *path)
{
    struct cm_buffer text;
    cm_buffer_init(&text);
    cm_sweep_table_json_lines(table, &text);
    return shell_deliver(path, &text, CM_OK, NULL);
}

static int draw(struct cm_sweep_table *table, const char *path)
{
    struct cm_buffer out;
    struct cm_error err = {0};
    cm_buffer_init(&out);
    enum cm_status status = cm_sweep_table_figure(table, &out, &err);
    return cli_deliver_figure("sweep", path, false, &out, status, &err);
}

/* Prints the number of failed runs, and the name of the table file. Returns the exit code of the
 * sweep. */
static int print_counts(const struct sweep_values *values, const struct cm_sweep_table *table)
{
    const struct cm_sweep_counts counts = cm_sweep_table_counts(table);
    if (counts.refused > 0)
        fprintf(stderr,
                "cm200: %" PRIu32 " of %" PRIu32 " runs could not be made; \"error\" in %s "
                "says why\n",
                counts.refused, counts.done, shell_shown(values->csv).text);
    if (counts.wrong > 0)
        fprintf(stderr, "cm200: %" PRIu32 " of %" PRIu32 " runs found wrong data\n", counts.wrong,
                counts.done);
    if (!values->quiet)
        fprintf(stderr, "cm200: %" PRIu32 " run%s in %s\n", counts.done,
                counts.done == 1 ? " is" : "s are", shell_shown(values->csv).text);
    return counts.wrong > 0     ? cm_status_exit_code(CM_CHECK_FAILED)
           : counts.refused > 0 ? cm_status_exit_code(CM_BAD_INPUT)
                                : 0;
}

/* Removes FILE.partial, the table that an earlier interrupted sweep left. */
static void remove_partial(const char *csv)
{
    char *path = cli_partial_name(csv);
    if (path != NULL)
        unlink(path);
    free(path);
}

/* Writes the output files of a complete sweep, and removes its journal. */
static int report(const struct sweep_values *values, const struct cm_sweep *sweep)
{
    struct cm_sweep_table *table;
    struct cm_error err = {0};
    int code = cm_sweep_table_open(sweep, false, &table, &err) == CM_OK
                   ? write_csv(table, values->csv)
                   : shell_error(&err);
    if (code == 0)
        code = write_made_of(table, values->csv);
    if (code == 0 && values->json_lines != NULL)
        code = write_lines(table, values->json_lines);
    if (code == 0 && values->figure != NULL)
        code = draw(table, values->figure);
    if (code == 0)
        remove_partial(values->csv);
    if (code == 0 && unlink(sweep->settings.journal) == 0)
        code = print_counts(values, table);
    cm_sweep_table_close(table);
    return code;
}

/* Writes the rows of an interrupted sweep to FILE.partial, if any run was finished. */
static void report_partial(const struct sweep_values *values, const struct cm_sweep *sweep)
{
    struct cm_sweep_table *table;
    struct cm_buffer text;
    char what[96];
    const struct cli_partial partial = {values->csv, what, NULL};
    bool opened = cm_sweep_table_open(sweep, true, &table, NULL) == CM_OK;
    const uint32_t done = opened ? cm_sweep_table_counts(table).done : 0;
    cm_buffer_init(&text);
    if (done > 0 && cm_sweep_table_csv(table, &text, NULL) == CM_OK) {
        snprintf(what, sizeof what, "the rows of %" PRIu32 " of %" PRIu32 " runs are", done,
                 sweep->runs);
        cli_deliver_partial(&partial, &text, CM_OK, NULL);
    } else {
        cm_buffer_finish(&text);
    }
    cm_sweep_table_close(table);
}

/* ---- the runs ---- */

/* Context of the callbacks in struct cm_sweep_host. */
struct watching {
    const struct sweep_values *values;
    const struct cm_sweep *sweep;
    struct shell_progress progress;
    double seconds_left; /* negative: unknown */
};

/* Names the damaged lines of a journal. If there are many damaged lines, only the first are named,
 * and the others are counted. */
static void name_damage(const char *journal, const struct cm_sweep_lines *lines)
{
    for (uint64_t i = 0; i < lines->damaged && i < CM_SWEEP_DAMAGED_SHOWN; i++)
        fprintf(stderr, "%s:%" PRIu64 ": a damaged line; its run is made again\n",
                shell_shown(journal).text, lines->damaged_lines[i]);
    if (lines->damaged > CM_SWEEP_DAMAGED_SHOWN)
        fprintf(stderr, "%s: %" PRIu64 " more damaged lines\n", shell_shown(journal).text,
                lines->damaged - CM_SWEEP_DAMAGED_SHOWN);
}

static void say_resumed(void *context, const struct cm_sweep_lines *lines)
{
    const struct watching *watching = context;
    name_damage(watching->sweep->settings.journal, lines);
    if (!watching->values->quiet && lines->count > 0)
        fprintf(stderr, "cm200: going on: %" PRIu32 " of %" PRIu32 " runs are done\n", lines->count,
                watching->sweep->runs);
}

static double seconds_left(void *context)
{
    return ((const struct watching *)context)->seconds_left;
}

static void show_progress(void *context, uint32_t done, double left)
{
    struct watching *watching = context;
    watching->seconds_left = left;
    shell_progress_step(&watching->progress, done, watching->sweep->runs);
}

static int work(const struct sweep_values *values, const struct cm_sweep *sweep)
{
    struct watching watching = {.values = values, .sweep = sweep};
    const struct cm_sweep_host host = {&watching, say_resumed, show_progress,
                                       shell_interrupt_watch};
    struct cm_error err = {0};
    shell_progress_begin(&watching.progress, values->quiet);
    watching.progress.what = "run";
    watching.progress.left = seconds_left;
    watching.progress.left_context = &watching;
    shell_progress_ask(&watching.progress, "sweep", values->progress);
    enum cm_status status = cm_sweep_work(sweep, &host, &err);
    shell_progress_end(&watching.progress);
    if (status != CM_INTERRUPTED)
        return status == CM_OK ? 0 : shell_error(&err);
    fprintf(stderr,
            "cm200: interrupted; %s has the runs that are done, and the same command goes on from "
            "there\n",
            shell_shown(sweep->settings.journal).text);
    report_partial(values, sweep);
    return shell_interrupt_code();
}

/* ---- the command ---- */

static int run_sweep(const struct sweep_values *values, const struct cm_sweep_settings *settings)
{
    struct cm_sweep sweep;
    struct cm_error err = {0};
    int code = cm_sweep_open(settings, &sweep, &err) == CM_OK ? check_figure(values, &sweep)
                                                              : shell_error(&err);
    /* the option --progress is read here, so that a mistake in it is reported before the runs */
    struct shell_progress progress;
    shell_progress_begin(&progress, values->quiet);
    if (code == 0)
        code = shell_progress_ask(&progress, "sweep", values->progress);
    if (code == 0 && cm_sweep_check(&sweep, &err) != CM_OK)
        code = shell_error(&err);
    if (code == 0)
        code = work(values, &sweep);
    if (code == 0)
        code = report(values, &sweep);
    cm_sweep_finish(&sweep);
    return code;
}

static struct cm_sweep_settings make_settings(const struct sweep_values *values,
                                              const struct cli_sweep_axes *axes)
{
    struct cm_sweep_settings settings = {
        .workload = values->common.operands.items[0],
        .options = cli_run_settings(&values->common, &values->machine, NULL),
        .params = values->param.params.items,
        .param_count = values->param.params.count,
        .axes = axes->items,
        .axis_count = axes->count,
        .over = values->over.items,
        .over_count = values->over.count,
        .jobs = (uint32_t)values->jobs,
        .commit = cli_commit[0] != '\0' ? cli_commit : NULL,
        .figure = values->figure,
        .x = values->x,
        .y = values->y != NULL ? values->y : "cycles",
        .group = values->group,
        .logarithmic = values->logarithmic,
        .title = values->title,
        .x_title = values->x_title,
        .y_title = values->y_title,
    };
    settings.options.timing_only = values->timing_only;
    return settings;
}

/* Names of columns given with --columns. `items` point into `text`, a copy of the option's text. */
struct names {
    char *text;
    const char **items;
    uint32_t count;
};

static int read_columns(const char *list, struct names *names)
{
    uint32_t count = 1;
    *names = (struct names){0};
    if (list == NULL)
        return 0;
    for (const char *c = list; *c != '\0'; c++)
        count += *c == ',';
    names->text = strdup(list);
    names->items = calloc(count, sizeof *names->items);
    if (names->text == NULL || names->items == NULL)
        return shell_no_memory();
    for (char *at = names->text, *comma; at != NULL; at = comma) {
        comma = strchr(at, ',');
        if (comma != NULL)
            *comma++ = '\0';
        if (*at == '\0')
            return shell_usage("sweep", "--columns %s: a name is empty", shell_shown(list).text);
        names->items[names->count++] = at;
    }
    return 0;
}

static int run(const void *all)
{
    const struct sweep_values *values = all;
    struct cli_sweep_axes axes = {0};
    struct cm_buffer command, journal;
    struct names names = {0};
    int code = check(values);
    if (code == 0)
        code = read_columns(values->columns, &names);
    if (code == 0)
        code = cli_sweep_axes_read(&values->over, &axes);
    cm_buffer_init(&command);
    cm_buffer_init(&journal);
    if (code == 0) {
        struct cm_sweep_settings settings = make_settings(values, &axes);
        settings.columns = names.items;
        settings.column_count = names.count;
        shell_command_line(&values->common, &command);
        cm_buffer_printf(&journal, "%s.journal", values->csv);
        settings.command = command.data;
        settings.journal = journal.data;
        bool whole = cm_buffer_ok(&command) && cm_buffer_ok(&journal);
        code = whole ? run_sweep(values, &settings) : shell_no_memory();
    }
    cm_buffer_finish(&command);
    cm_buffer_finish(&journal);
    cli_sweep_axes_finish(&axes);
    free(names.items);
    free(names.text);
    return code;
}

const struct cli_command cli_command_sweep = {
    .syntax = {.command = "sweep",
               .operands = "WORKLOAD.json",
               .operands_min = 1,
               .operands_max = 1,
               .sets = {SHELL_SET(options, 0),
                        SHELL_SET(cli_machine_options, offsetof(struct sweep_values, machine)),
                        SHELL_SET(cli_param_options, offsetof(struct sweep_values, param))}},
    .summary = "run a workload over a grid of settings, into a table",
    .about = "Runs a workload for every combination of the values that --over names, several runs "
             "at a time, and writes one row of CSV for each. NAME is a number of the machine "
             "(memory.page_words), a parameter of the workload (param.L), option.nodes, "
             "option.machine (files), or a place in the workload (steps/0/pshift/setup, "
             "arrays/src/type; lists count from 0). The table has the axes, cycles by cause, and "
             "of each step the cycles, and of traffic latency, throughput and verdict; --columns "
             "chooses other numbers of the results. FILE.made_by.json says what all rows are "
             "results of: numbers of the machine, parameters, seed. What is done is "
             "kept in FILE.journal: a sweep that was interrupted or killed goes on when the same "
             "command is given again, and the table is the same as if it had not been. Settings "
             "that are refused have their message in the column \"error\"; then the exit code is "
             "3, or 1 if data were wrong.",
    .examples = "  cm200 sweep programs/examples/qcd.json \\\n"
                "      --over memory.page_words=256:4096:*2 --csv pages.csv\n"
                "  cm200 sweep w.json --over param.L=8:64:8 --over option.nodes=64,2048 \\\n"
                "      --timing-only --csv l.csv\n"
                "  cm200 sweep w.json --over memory.page_words=128,256,512,1024 \\\n"
                "      --over steps/0/pshift/setup=unrolled,looped \\\n"
                "      --csv p.csv --figure p.svg --x memory.page_words \\\n"
                "      --group steps/0/pshift/setup --log x\n"
                "  cm200 sweep traffic.json --over steps/0/route/rate=0.1:0.9:0.1 \\\n"
                "      --csv l.csv --figure l.svg --x steps/0/route/rate \\\n"
                "      --y steps/0/latency/mean\n",
    .values_size = sizeof(struct sweep_values),
    .run = run,
};
