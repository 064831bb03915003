/* How `cm200 layout` describes where an array lies. */
#ifndef CM_CLI_LAYOUT_H
#define CM_CLI_LAYOUT_H

#include "../base/buffer.h"
#include "../programs/system/system.h"

struct cm_json_writer;

/* Its grid of nodes and axes, behind its name and shape, and a picture of a small grid. */
void cli_append_layout(struct cm_buffer *text, const struct cm_array *array);
/* The same as members of an object. */
void cli_write_layout(struct cm_json_writer *json, const struct cm_array *array);

#endif
