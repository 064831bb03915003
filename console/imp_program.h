/* A file of a single IMP as a program, and errors of workloads that no file has. `cm200 run`,
 * `cm200 debug` and the viewer use it. */
#ifndef CM_CONSOLE_IMP_PROGRAM_H
#define CM_CONSOLE_IMP_PROGRAM_H

#include "../programs/workload/workload.h"
#include "../shell/shell.h"

/* Returns true if a path ends with ".imp". */
bool console_is_imp_name(const char *path);
/* Makes the workload that runs an IMP once: an array of 256 elements in each node for each address
 * argument, and the values of --param for its scalars. `nodes` 0 means the whole machine. CM_USAGE
 * if values are missing or wrong. */
enum cm_status console_imp_workload(const char *path, const struct cm_config *config,
                                    uint32_t nodes, const struct shell_list *params,
                                    struct cm_workload **workload, struct cm_error *err);
/* Returns the type of an IMP's words, by the instructions that read and write them: "real64",
 * "real32" or "int32". */
const char *console_imp_type(const struct cm_imp *imp);
/* Prints an error without the place that it has in a workload that only exists in memory. Returns
 * its exit code. `context` is not used. */
int console_program_error(const void *context, const struct cm_error *err);

#endif
