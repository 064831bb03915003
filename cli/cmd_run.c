/* cm200 run: reads and runs a workload or a CM Fortran program, and prints the result. */
#include "job.h"
#include "program/program.h"

struct run_values {
    struct shell_values common;
    struct cli_machine_values machine;
    struct cli_param_values param;
    struct cli_run_values run;
    struct cli_program_values program;
};

static const struct shell_option own_options[] = {
    {"allow-anywhere", SHELL_FLAG, offsetof(struct run_values, run.allow_anywhere),
     .help = "let the workload save outside its folder and the current one, and "
             "over files of any kind, and a Fortran program open files outside its folder; "
             "for workloads and programs that you trust"},
    {"max-seconds", SHELL_NUMBER, offsetof(struct run_values, run.max_seconds), .argument = "N",
     .min = 1, .max = 1000000000,
     .help = "stop a run that takes longer, in seconds of this host; what was done is kept as "
             "after Ctrl-C"},
    {"max-output", SHELL_SIZE, offsetof(struct run_values, run.max_output), .argument = "SIZE",
     .min = 1, .max = UINT64_C(1) << 50,
     .help = "stop a Fortran program that prints more, 64M by "
             "default; SIZE is in bytes, or ends with k, M or G"},
};

static const struct shell_option program_options[] = {
    {"check", SHELL_FLAG, offsetof(struct cli_program_values, check),
     .help = "of a Fortran program: compare every array statement "
             "with a direct evaluation"},
    {"profile", SHELL_FLAG, offsetof(struct cli_program_values, profile),
     .help = "print a Fortran program's source with the cycles "
             "of each line"},
};

static int run(const void *all)
{
    const struct run_values *values = all;
    struct cm_workload *workload = NULL;
    struct cm_error err = {0};
    int code = cli_trace_check(&values->run, "run");
    if (code != 0)
        return code;
    bool program = cm_fortran_is_source_name(values->common.operands.items[0]);
    if (program)
        return cli_run_program(&values->common, &values->machine, &values->param, &values->run,
                               &values->program);
    if (values->program.loads.count > 0)
        return shell_usage("run", "--load is for CM Fortran programs; the arrays of a workload say "
                                  "\"init\"");
    if (values->program.check)
        return shell_usage("run", "--check is for CM Fortran programs; a workload says "
                                  "\"check\": true");
    enum cm_status status =
        cm_workload_read_with(values->common.operands.items[0], values->param.params.items,
                              values->param.params.count, &workload, &err);
    const struct cli_job job = {
        .workload = workload,
        .common = &values->common,
        .machine = values->machine,
        .run = &values->run,
        .trusted = values->run.allow_anywhere,
    };
    code = status == CM_OK ? cli_run_workload(&job) : shell_error(&err);
    cm_workload_destroy(workload);
    return code;
}

const struct cli_command cli_command_run = {
    .syntax = {.command = "run",
               .operands = "FILE",
               .operands_min = 1,
               .operands_max = 1,
               .sets = {SHELL_SET(cli_machine_options, offsetof(struct run_values, machine)),
                        SHELL_SET(cli_param_options, offsetof(struct run_values, param)),
                        SHELL_SET(cli_run_options, offsetof(struct run_values, run)),
                        SHELL_SET(own_options, 0),
                        SHELL_SET(cli_program_options_shared, offsetof(struct run_values, program)),
                        SHELL_SET(program_options, offsetof(struct run_values, program))}},
    .summary = "run a workload or a CM Fortran program; print what it did",
    .about =
        "Places the workload's arrays on the nodes, compiles its shifts, runs its steps, "
        "compares each with a direct evaluation if the workload says \"check\", and saves the "
        "arrays that the workload names. Prints a summary: steps, cycles, time at the "
        "machine's clock, "
        "and why each cycle was spent. FILE may be - for standard input; paths in it "
        "are then relative to the current folder. A file named " CM_FORTRAN_SUFFIXES " is "
        "a CM Fortran program: it is compiled and run on the CM-200, or on --machine; what it "
        "prints comes before the summary (--quiet: alone). --explain runs it at all levels of -O, "
        "and says what each does with a line.",
    .examples = "  cm200 run programs/examples/five-point-pshift.json\n"
                "  cm200 run --machine cm2 --nodes 512 workload.json\n"
                "  cm200 run --set memory.page_words=4096 --timing-only workload.json\n"
                "  cm200 run --param L=128 workload.json\n"
                "  cm200 run --json workload.json | python3 -m json.tool\n"
                "  cm200 run --save dst=dst.npy --quiet workload.json\n"
                "  cm200 run --profile programs/examples/fortran/jacobi.fcm\n",
    .values_size = sizeof(struct run_values),
    .run = run,
};
