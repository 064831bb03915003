/* CM Fortran programs on the command line: a workload of one step, made from options. */
#ifndef CM_CLI_PROGRAM_H
#define CM_CLI_PROGRAM_H

#include "../fortran/parse.h"
#include "cli.h"

struct cli_program_values {
    const char *order;
    uint64_t level;
    uint64_t max_cycles;
    bool profile;
    bool check;
    struct cli_list loads;
};

/* Checks a program, and makes the workload that it is. Returns an exit code. */
int cli_read_program(const char *path, const struct cli_program_values *program,
                     struct cm_workload **workload);

/* Runs the program that the operand names. Returns the exit code. */
int cli_run_program(const struct cli_values *common, const struct cli_machine_values *machine,
                    const struct cli_param_values *param, const struct cli_run_values *run,
                    const struct cli_program_values *program);

#endif
