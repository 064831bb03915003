/* CM Fortran programs on the command line: a workload of one step, made from options. */
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
    bool profile;
    bool check;
    struct shell_list loads;
    const struct cli_levels *levels; /* what --explain compares; NULL: nothing */
};

/* What options say about reading a program; its parameters are in *parameters, which the caller
 * frees in any case. `command` is for usage errors. Returns an exit code. */
struct cli_parameters;
int cli_program_options(const char *command, const char *order, const struct shell_list *params,
                        struct cli_parameters **parameters, struct cm_fortran_options *options);

/* Checks a program, and makes the workload that it is. Returns an exit code. */
int cli_read_program(const char *path, const struct cli_program_values *program,
                     struct cm_workload **workload);

/* The workload that a program is, without the files that are saved where `saves` is NULL; `command`
 * is for usage errors. Returns an exit code; messages are printed. */
int cli_program_workload(const char *command, const struct shell_values *common,
                         const struct cli_param_values *param, const struct shell_list *saves,
                         const struct cli_program_values *program, struct cm_workload **workload);
/* A run of it, on the CM-200 unless --machine names another machine. */
int cli_program_prepare(const struct shell_values *common, const struct cli_machine_values *machine,
                        const struct cm_workload *workload, bool timing_only, struct cm_run **run);

/* explain.c: runs of a program at the levels other than its own, for --explain. Returns an
 * exit code; a level at which the program fails is reported as that. */
struct cli_levels;
int cli_levels_make(const struct shell_values *common, const struct cli_machine_values *machine,
                    const struct cli_param_values *param, const struct cli_program_values *program,
                    struct cli_levels **levels);
void cli_levels_destroy(struct cli_levels *levels);
/* What each level does with each line; `context` are the program's values. */
void cli_levels_explain(const void *context, const struct cm_result *result,
                        struct cm_buffer *text);

/* run.c: the options of all commands that run a program. */
extern const struct shell_option cli_program_options_shared[4];
/* Runs the program that the operand names. Returns the exit code. */
int cli_run_program(const struct shell_values *common, const struct cli_machine_values *machine,
                    const struct cli_param_values *param, const struct cli_run_values *run,
                    const struct cli_program_values *program);

/* listing.c: cm200 compile; layout.c: cm200 layout. */
int cli_list_program(const struct shell_values *common, const struct cli_machine_values *machine,
                     const struct cli_param_values *param, const struct cli_program_values *program,
                     const char *output);
int cli_layout_program(const struct shell_values *common, const struct cli_machine_values *machine,
                       const struct cli_param_values *param,
                       const struct cli_program_values *program, bool json);

#endif
