/* What `cm200 shift` and `cm200 route` share: each makes a workload of one step from its options,
 * and runs it. */
#ifndef CM_CLI_NETWORK_H
#define CM_CLI_NETWORK_H

#include "cli.h"

enum cli_member_kind { CLI_MEMBER_INTEGER, CLI_MEMBER_REAL, CLI_MEMBER_NAME };

/* An option that becomes a member of the step. */
struct cli_member {
    const char *key;
    enum cli_member_kind kind;
    size_t offset; /* of a string in struct cli_values; NULL there: not given */
};

/* Begins a workload for `nodes` nodes (0: the whole machine), with what `arrays` holds as its
 * arrays ("" for none), as far as the inside of its step. */
void cli_network_begin(const struct cli_values *values, const char *step, const char *name,
                       uint64_t nodes, const char *arrays, struct cm_buffer *text);
/* Adds the options that are given. On a number that is none prints the mistake and returns
 * CM_USAGE. */
enum cm_status cli_network_members(const struct cli_values *values, const char *command,
                                   const struct cli_member *members, uint32_t count,
                                   struct cm_buffer *text);
/* Adds --rate: one number, or FIRST:LAST:STEP as a list of rates. Likewise; CM_BAD_INPUT when the
 * list is none. */
enum cm_status cli_network_rate(const struct cli_values *values, const char *command,
                                struct cm_buffer *text);
/* Ends the workload, prints it (--emit) or runs it; finishes `text`. Returns the exit code. */
int cli_network_finish(const struct cli_values *values, const char *command,
                       struct cm_buffer *text);

#endif
