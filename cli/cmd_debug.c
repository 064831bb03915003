/* cm200 debug: runs a workload, an IMP or a CM Fortran program step by step. */
#include "debugger_prompt.h"
#include "program/program.h"

#include <unistd.h>

struct debug_values {
    struct shell_values common;
    struct cli_machine_values machine;
    struct cli_param_values param;
    struct cli_program_values program;
};

/* Program to debug. The debugger makes a new run of it each time the user starts it again. */
struct debugged {
    const struct debug_values *values;
    struct cm_workload *workload;
    /* true if the workload was made from a program or an IMP, so that no workload file exists */
    bool made;
    struct console debugger;
};

static enum cm_status make_run(void *context, struct cm_run **run, struct cm_error *err)
{
    const struct debugged *debugged = context;
    struct cm_run_options options =
        cli_run_settings(&debugged->values->common, &debugged->values->machine, NULL);
    options.threads = 1;
    options.trusted = true;  /* a debugged run saves nothing */
    options.no_files = true; /* going back executes the program again, with what it wrote */
    options.no_check = true;
    return cm_run_create(debugged->workload, &options, run, err);
}

static void stopped(void *context, struct cm_debug *debug)
{
    struct debugged *debugged = context;
    cli_debugger_stopped(&debugged->debugger, debug);
}

static int debug_program(struct debugged *debugged)
{
    const struct cm_debug_program program = {debugged, make_run, stopped};
    struct console *debugger = &debugged->debugger;
    struct cm_error err = {0};
    struct cm_debug *debug = cm_debug_create(&program);
    if (debug == NULL)
        return shell_no_memory();
    debugger->interactive = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    cm_buffer_init(&debugger->text);
    enum cm_status status = cm_debug_execute(debug, &err);
    int code = debugger->code;
    if (status != CM_OK)
        code = shell_first_of(code, debugged->made ? console_program_error(NULL, &err)
                                                   : shell_error(&err));
    /* A script fails if a command was refused. At a terminal the user can type another command. */
    if (code == 0 && debugger->refused > 0 && !debugger->interactive)
        code = cm_status_exit_code(CM_BAD_INPUT);
    shell_interrupt_watch(NULL, NULL);
    cli_debugger_input_end();
    cm_buffer_finish(&debugger->text);
    cm_debug_destroy(debug);
    return code;
}

static int read_imp(const struct debug_values *values, const char *path, struct debugged *debugged)
{
    struct cm_config config;
    struct cm_error err = {0};
    enum cm_status status = cli_machine_config(&values->machine, &config, &err);
    if (status == CM_OK)
        status = console_imp_workload(path, &config, (uint32_t)values->machine.nodes,
                                      &values->param.params, &debugged->workload, &err);
    if (status == CM_USAGE)
        return shell_refuse("debug", &err);
    return status == CM_OK ? 0 : console_program_error(NULL, &err);
}

static int read_workload(const struct debug_values *values, struct debugged *debugged)
{
    const char *path = values->common.operands.items[0];
    const struct shell_list *params = &values->param.params;
    struct cm_error err = {0};
    if (cm_fortran_is_source_name(path))
        return cli_program_workload("debug", &values->common, &values->param, NULL,
                                    &values->program, &debugged->workload);
    if (values->program.loads.count > 0)
        return shell_usage("debug", "--load is for CM Fortran programs; the arrays of a workload "
                                    "say \"init\"");
    if (console_is_imp_name(path))
        return read_imp(values, path, debugged);
    debugged->made = false;
    enum cm_status status =
        cm_workload_read_with(path, params->items, params->count, &debugged->workload, &err);
    return status == CM_OK ? 0 : shell_error(&err);
}

static int run(const void *all)
{
    const struct debug_values *values = all;
    struct debugged debugged = {.values = values, .made = true};
    int code = read_workload(values, &debugged);
    if (code == 0)
        code = debug_program(&debugged);
    cm_workload_destroy(debugged.workload);
    return code;
}

const struct cli_command cli_command_debug = {
    .syntax = {.command = "debug",
               .operands = "PROGRAM",
               .operands_min = 1,
               .operands_max = 1,
               .sets = {SHELL_SET(cli_machine_options, offsetof(struct debug_values, machine)),
                        SHELL_SET(cli_param_options, offsetof(struct debug_values, param)),
                        SHELL_SET(cli_program_options_shared,
                                  offsetof(struct debug_values, program))}},
    .summary = "run a program step by step: breakpoints, registers, memory, back",
    .about =
        "Runs a workload, a CM Fortran program (" CM_FORTRAN_SUFFIXES ") or an IMP (.imp), one "
        "instruction after the other, and takes commands where it stands: step, next, "
        "continue, break on an instruction, a source line, a cause, a channel or an "
        "address, print registers, transposers and memory, go back; the command help has all of "
        "them, with their forms. Results and cycles are those of cm200 run; nothing is checked or "
        "saved. An IMP "
        "gets an array for each address argument, 256 elements in each node, that hold their "
        "numbers; its scalars come from --param. Commands may come from a pipe: they are then "
        "printed with their output, and the exit status is 3 if one of them was not understood.",
    .examples = "  cm200 debug programs/examples/hand-written.json\n"
                "  cm200 debug --nodes 8 --param half=0.5 programs/examples/hand-written.imp\n"
                "  cm200 debug -O1 programs/examples/fortran/jacobi.fcm\n"
                "  printf 'break exchange\\ncontinue\\nprint A\\n' | cm200 debug workload.json\n",
    .values_size = sizeof(struct debug_values),
    .run = run,
};
