/* cm200 sweep: a workload over a grid of settings. */
#include "../sweep/sweep.h"

#include <string.h>
#include <sys/stat.h>

#define OPTION(member) offsetof(struct cm_sweep_values, member)

static const struct shell_option options[] = {
    {"over", SHELL_LIST, OPTION(over), .argument = "NAME=LIST",
     .help = "an axis of the grid; may be given several times, the first varies\n"
             "slowest. LIST is A,B,C or FIRST:LAST:STEP or FIRST:LAST:*FACTOR"},
    {"csv", SHELL_OUTPUT, OPTION(csv), .argument = "FILE", .help = "a row for each run"},
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
    {"log", SHELL_STRING, OPTION(logarithmic), .argument = "x|y|xy",
     .help = "logarithmic axes of the figure"},
    {"progress", SHELL_STRING, OPTION(progress), .optional = true, .argument = "SECONDS",
     .help = "print progress also where there is no terminal, a line each 10 seconds\n"
             "or as often as said"},
    {"quiet", SHELL_FLAG, OPTION(quiet), 'q', .help = "print no progress"},
};

static bool is_axis(const struct cm_sweep *sweep, const char *name)
{
    for (uint32_t a = 0; a < sweep->axis_count; a++)
        if (strcmp(sweep->axes[a].name, name) == 0)
            return true;
    return false;
}

static int check_figure(const struct cm_sweep *sweep)
{
    const struct cm_sweep_values *values = sweep->values;
    const char *log = values->logarithmic;
    if (values->figure == NULL)
        return values->x != NULL || values->y != NULL || values->group != NULL || log != NULL
                   ? shell_usage("sweep", "--x, --y, --group and --log are for --figure FILE")
                   : 0;
    if (values->x == NULL)
        return shell_usage("sweep", "--figure needs --x: an axis, or another column of the CSV");
    if (values->group != NULL && !is_axis(sweep, values->group))
        return shell_usage("sweep", "--group %s is not an axis; axes are given by --over",
                           shell_shown(values->group).text);
    if (log != NULL && strcmp(log, "x") != 0 && strcmp(log, "y") != 0 && strcmp(log, "xy") != 0)
        return shell_usage("sweep", "--log is x, y or xy");
    const struct cm_figure_page page = cm_sweep_page(values);
    return cm_figure_check(&page);
}

static int check(const struct cm_sweep_values *values)
{
    if (values->csv == NULL)
        return shell_usage("sweep", "give --csv FILE, which gets a row for each run");
    struct stat about;
    bool special = stat(values->csv, &about) == 0 && !S_ISREG(about.st_mode);
    if (!shell_names_file(values->csv) || special)
        return shell_usage("sweep", "--csv needs a file: what is done is kept in FILE.journal");
    return 0;
}

static int run(const void *all)
{
    struct cm_sweep_values values = *(const struct cm_sweep_values *)all;
    struct cm_sweep sweep;
    int code = check(&values);
    if (code != 0)
        return code;
    if (values.figure != NULL && values.y == NULL)
        values.y = "cycles";
    code = cm_sweep_plan(&values, &sweep);
    if (code == 0)
        code = check_figure(&sweep);
    struct shell_progress progress; /* a mistake in --progress comes before the runs */
    shell_progress_begin(&progress, values.quiet);
    if (code == 0)
        code = shell_progress_ask(&progress, "sweep", values.progress);
    if (code == 0)
        code = cm_sweep_check(&sweep);
    if (code == 0)
        code = cm_sweep_work(&sweep);
    if (code == 0)
        code = cm_sweep_report(&sweep);
    cm_sweep_finish(&sweep);
    return code;
}

const struct cli_command cli_command_sweep = {
    .syntax = {.command = "sweep",
               .operands = "WORKLOAD.json",
               .operands_min = 1,
               .operands_max = 1,
               .sets = {SHELL_SET(options, 0),
                        SHELL_SET(cli_machine_options, offsetof(struct cm_sweep_values, machine)),
                        SHELL_SET(cli_param_options, offsetof(struct cm_sweep_values, param))}},
    .summary = "run a workload over a grid of settings, into a table",
    .about = "Runs a workload for every combination of the values that --over names, several runs "
             "at a time, and writes one row of CSV for each. NAME is a number of the machine "
             "(memory.page_words), a parameter of the workload (param.L), option.nodes, "
             "option.machine (files), or a place in the workload (steps/0/pshift/setup, "
             "arrays/src/type; lists count from 0). Each row says what it is a result of: "
             "settings, all numbers of the machine, version, hash of the workload. What is done is "
             "kept in FILE.journal: a sweep that was interrupted or killed goes on when the same "
             "command is given again, and the table is the same as if it had not been. Settings "
             "that are refused have their message in the column \"error\"; then the exit code is "
             "3, or 1 if data were wrong.",
    .examples = "  cm200 sweep programs/examples/qcd.json --over memory.page_words=256:4096:*2 "
                "--csv pages.csv\n"
                "  cm200 sweep w.json --over param.L=8:64:8 --over option.nodes=64,2048 "
                "--timing-only --csv l.csv\n"
                "  cm200 sweep w.json --over memory.page_words=128,256,512,1024 --over "
                "steps/0/pshift/setup=unrolled,looped \\\n"
                "      --csv p.csv --figure p.svg --x memory.page_words --group "
                "steps/0/pshift/setup --log x\n",
    .values_size = sizeof(struct cm_sweep_values),
    .run = run,
};
