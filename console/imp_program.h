/* An IMP by itself as a program, and errors of programs that no workload names. */
#ifndef CM_CONSOLE_IMP_PROGRAM_H
#define CM_CONSOLE_IMP_PROGRAM_H

#include "../programs/workload/workload.h"
#include "../shell/shell.h"

/* FILE.imp */
bool console_is_imp_name(const char *path);
/* The workload that an IMP by itself is: an array for each address argument, 256 elements in each
 * of so many nodes (0: the whole machine), the values of --param for scalars. CM_USAGE:
 * these are wrong. */
enum cm_status console_imp_workload(const char *path, const struct cm_config *config,
                                    uint32_t nodes, const struct shell_list *params,
                                    struct cm_workload **workload, struct cm_error *err);
/* What an IMP's words are, by the instructions that read and write them: "real64", "real32",
 * "int32". */
const char *console_imp_type(const struct cm_imp *imp);
/* Prints an error, whose place is not in a workload that nobody wrote. Returns its exit code. */
int console_program_error(const void *context, const struct cm_error *err);

#endif
