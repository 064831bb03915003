/* Makes a workload from the file of a single IMP, and prints errors of workloads that were made in
 * memory and have no file. `cm200 run`, `cm200 debug` and the viewer use it. */
#ifndef CM_CONSOLE_IMP_PROGRAM_H
#define CM_CONSOLE_IMP_PROGRAM_H

#include "../programs/workload/workload.h"
#include "../shell/shell.h"

/* Returns true if a path ends with ".imp". */
bool console_is_imp_name(const char *path);
/* Makes the workload that runs an IMP once: an array of 256 elements in each node for each address
 * argument, and the values of --param for its scalars. `nodes` 0 means the whole machine. Fails
 * with CM_USAGE if values are missing or wrong. */
enum cm_status console_imp_workload(const char *path, const struct cm_config *config,
                                    uint32_t nodes, const struct shell_list *params,
                                    struct cm_workload **workload, struct cm_error *err);
/* Returns the type of the words in memory that an IMP works on, judged by its instructions for
 * loads and stores: "real64", "real32" or "int32". */
const char *console_imp_type(const struct cm_imp *imp);
/* Prints an error without its place, if the place is in a workload that only exists in memory.
 * Returns the exit code of the error. `context` is not used. */
int console_program_error(const void *context, const struct cm_error *err);

#endif
