/* Options that hold shapes, lists of numbers and names: shared by `cm200 reshape` and `cm200
 * fft`. */
#ifndef CM_CLI_SHAPE_H
#define CM_CLI_SHAPE_H

#include "../programs/system/allocation.h"
#include "cli.h"

/* A shape, first axis fastest as workloads have it; the option has the most significant axis
 * first. */
struct cli_shape {
    uint64_t lengths[CM_LOGIC_DIMENSIONS_MAX + 1];
    uint32_t rank;
};

/* Numbers of a list apart by `separator`; false when it is none, or has more than `most`. */
bool cli_read_numbers(const char *text, char separator, uint64_t *numbers, uint32_t most,
                      uint32_t *count);
/* "32x4x16x8" */
enum cm_status cli_read_shape(const char *option, const char *text, struct cli_shape *shape,
                              struct cm_error *err);
/* The index of `text` among names; left as it is when `text` is NULL. */
enum cm_status cli_read_name(const char *option, const char *text, const char *const *names,
                             uint32_t count, uint32_t *index, struct cm_error *err);
uint64_t cli_shape_size(const struct cli_shape *shape);
/* "8, 16, 4, 32": as in a workload. */
void cli_append_shape(struct cm_buffer *text, const struct cli_shape *shape);

#endif
