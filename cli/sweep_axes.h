/* The axes of `cm200 sweep`: settings and their values, as the option --over names them. */
#ifndef CM_CLI_SWEEP_AXES_H
#define CM_CLI_SWEEP_AXES_H

#include "../sweep/sweep.h"
#include "cli.h"

/* All axes of a command line, in the order of the options --over. */
struct cli_sweep_axes {
    struct cm_sweep_axis items[CM_SWEEP_AXES_MAX];
    uint32_t count;
};

/* Reads the texts of the options --over, and prints a mistake of the user. Returns an exit code.
 * The caller finishes `axes` in either case. */
int cli_sweep_axes_read(const struct shell_list *over, struct cli_sweep_axes *axes);
void cli_sweep_axes_finish(struct cli_sweep_axes *axes);

#endif
