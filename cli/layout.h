/* Describes for `cm200 layout` where an array lies on the nodes, for workloads and for CM Fortran
 * programs. */
#ifndef CM_CLI_LAYOUT_H
#define CM_CLI_LAYOUT_H

#include "../base/buffer.h"
#include "../programs/system/system.h"

struct cm_json_writer;

/* Appends the grid of nodes, the axes and the memory of an array, and for small grids a picture.
 * The caller has already appended the array's name and shape. */
void cli_append_layout(struct cm_buffer *text, const struct cm_array *array);
/* Writes the layout of an array as members of a JSON object that the caller has begun. */
void cli_write_layout(struct cm_json_writer *json, const struct cm_array *array);

#endif
