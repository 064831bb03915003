/* cm200 diff: prints what differs between two results or two traces. */
#include "../diff/diff.h"
#include "cli.h"

struct diff_values {
    struct shell_values common;
    bool json, quiet;
};

static int print_diff(const struct diff_values *values, const struct cm_diff *diff)
{
    const char *const *paths = values->common.operands.items;
    struct cm_buffer text;
    struct cm_error err = {0};
    cm_buffer_init(&text);
    if (values->json)
        cm_diff_json(diff, paths, &text);
    else if (!values->quiet)
        cm_diff_text(diff, paths, cli_summary_style(), &text);
    return shell_deliver(NULL, &text, CM_OK, &err);
}

static int run(const void *all)
{
    const struct diff_values *values = all;
    struct cm_error err = {0};
    struct cm_diff diff;
    enum cm_status status = cm_diff_make(&diff, values->common.operands.items, &err);
    int code = status == CM_OK ? print_diff(values, &diff) : shell_error(&err);
    if (code == 0 && !cm_diff_same(&diff))
        code = cm_status_exit_code(CM_CHECK_FAILED);
    cm_diff_finish(&diff);
    return code;
}

#define OPTION(member) offsetof(struct diff_values, member)

static const struct shell_option options[] = {
    {"json", SHELL_FLAG, OPTION(json), .help = "print every difference as JSON"},
    {"quiet", SHELL_FLAG, OPTION(quiet), 'q', .help = "print nothing: the exit code says it"},
};

const struct cli_command cli_command_diff = {
    .syntax = {.command = "diff",
               .operands = "A B",
               .operands_min = 2,
               .operands_max = 2,
               .sets = {SHELL_SET(options, 0)}},
    .summary = "compare two results or traces: what they are of, totals, causes, steps",
    .about =
        "Compares two results (cm200 run --json), or two traces (--trace), and prints every value "
        "that differs: first "
        "what they are results of, as machine, workload and nodes, then totals, cycles by "
        "cause, steps and channels. A change is B less A; the biggest come first. \"host\" is "
        "not compared. Of traces it also prints the first event that differs: cycle, step, "
        "node. The exit code is 0 if they are the same, 1 if they differ, 3 if a file is "
        "neither, or one is a result and the other a trace.",
    .examples = "  cm200 run programs/examples/qcd.json --json > a.json\n"
                "  cm200 run programs/examples/qcd.json --json --machine cm2 > b.json\n"
                "  cm200 diff a.json b.json\n"
                "  cm200 diff a.json b.json --json | python3 -m json.tool\n"
                "  cm200 diff a.trace b.trace\n"
                "  cm200 diff --quiet a.json b.json && echo the same\n",
    .values_size = sizeof(struct diff_values),
    .run = run,
};
