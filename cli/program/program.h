/*
 * CM Fortran programs on the command line. A program becomes a workload of one step, which is read
 * and run like any other. A program is checked first, and all messages about it are printed.
 *
 * workload.c reads options, checks a program and makes its workload.
 * run.c      runs a program, for `cm200 run`.
 * explain.c  compares the levels of -O, for --explain.
 * listing.c  lists the IMPs of each source line, for `cm200 compile`.
 * layout.c   shows where arrays live, for `cm200 layout`.
 * messages.c prints the messages of the compiler.
 *
 * All functions that return an int print errors, and return an exit code.
 */
#ifndef CM_CLI_PROGRAM_H
#define CM_CLI_PROGRAM_H

#include "../../console/imp_program.h"
#include "../../fortran/check/program.h"
#include "../../fortran/source/parse.h"
#include "../cli.h"

struct cli_program_values {
    const char *order;
    uint64_t level;
    uint64_t max_cycles;
    uint64_t line_length; /* last column of fixed form. 0: the usual one. */
    bool profile;
    bool check;
    struct shell_list loads;
    /* runs of the program at the other levels of -O, for --explain. NULL: not made. */
    const struct cli_levels *levels;
};

/* workload.c: reads the options about the source of a program. *parameters gets the values of
 * --param, which the caller frees in any case. `command` is the command's name, for usage errors.
 */
struct cli_parameters;
int cli_program_options(const char *command, const char *order, const struct shell_list *params,
                        struct cli_parameters **parameters, struct cm_fortran_options *options);

/* Makes a workload of the CM Fortran program that the operand names. If `saves` is NULL, the
 * workload saves no arrays. `command` is the command's name, for usage errors. */
int cli_program_workload(const char *command, const struct shell_values *common,
                         const struct cli_param_values *param, const struct shell_list *saves,
                         const struct cli_program_values *program, struct cm_workload **workload);
/* Prepares a run of a program's workload, on the built-in CM-200 unless --machine names another
 * machine. */
int cli_program_prepare(const struct shell_values *common, const struct cli_machine_values *machine,
                        const struct cm_workload *workload, bool timing_only, struct cm_run **run);

/* explain.c: runs a program at the levels of -O other than its own, for --explain. A level at which
 * the program fails is noted as such. */
struct cli_levels;
int cli_levels_make(const struct shell_values *common, const struct cli_machine_values *machine,
                    const struct cli_param_values *param, const struct cli_program_values *program,
                    struct cli_levels **levels);
void cli_levels_destroy(struct cli_levels *levels);
/* Appends to the text of --explain what each level of -O does with each line of the program.
 * `context` is a struct cli_program_values. */
void cli_levels_explain(const void *context, const struct cm_result *result,
                        struct cm_buffer *text);

/* run.c: options of all commands that run a program. */
extern const struct shell_option cli_program_options_shared[5];
/* Runs the CM Fortran program that the operand names, and prints its output and the result. */
int cli_run_program(const struct shell_values *common, const struct cli_machine_values *machine,
                    const struct cli_param_values *param, const struct cli_run_values *run,
                    const struct cli_program_values *program);

/* listing.c and layout.c: these functions list the IMPs, and show the array layouts, of the program
 * that the operand names. */
int cli_list_program(const struct shell_values *common, const struct cli_machine_values *machine,
                     const struct cli_param_values *param, const struct cli_program_values *program,
                     const char *output);
int cli_layout_program(const struct shell_values *common, const struct cli_machine_values *machine,
                       const struct cli_param_values *param,
                       const struct cli_program_values *program, bool json);

#endif
