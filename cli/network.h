/* What `cm200 shift` and `cm200 route` print and write of the traffic on the network. */
#ifndef CM_CLI_NETWORK_H
#define CM_CLI_NETWORK_H

#include "step.h"

struct cli_network_values {
    bool table, heatmap;
    const char *csv, *packets;
};

/* For struct cli_step; the context is a struct cli_network_values. */
void cli_network_text(const void *context, const struct cm_result *result, struct cm_buffer *text);
int cli_network_files(const void *context, const struct cm_result *result);

#endif
